"""Simple facts about one column: ties, memory, trend, season, outliers. Hints to look at, not tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrow_cd.preprocess import winsor_limits

Column = NDArray[np.float64]
Segments = Sequence[tuple[int, int]]

# A season is hinted at where the autocorrelation peaks above this after one period, and above half of it after two.
_SEASON_PEAK = 0.3
# Peaks of at least this share of the highest one count as equally high.
_SEASON_SAME = 0.85
# A season must be seen at least this often.
_SEASON_REPEATS = 3


def tie_share(column: Column, segments: Segments) -> float | None:
    """Share of zero first differences among neighbouring known values; None if there are none."""
    differences = np.concatenate([np.diff(column[start:stop]) for start, stop in segments])
    known = differences[~np.isnan(differences)]
    return float(np.mean(known == 0)) if known.size else None


def lag_one_autocorrelation(column: Column, segments: Segments) -> float | None:
    """Pearson correlation of neighbouring known values within data sets; None where it has none."""
    column = _unit(column)
    before = np.concatenate([column[start : max(start, stop - 1)] for start, stop in segments])
    after = np.concatenate([column[start + 1 : stop] for start, stop in segments])
    both = ~np.isnan(before) & ~np.isnan(after)
    if both.sum() < 3:
        return None
    x, y = before[both] - before[both].mean(), after[both] - after[both].mean()
    size = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / size) if size > 0 else None


def trend_share(column: Column, segments: Segments) -> float:
    """Share of a column's variance within data sets that straight lines, one per data set, explain."""
    column = _unit(column)
    total = explained = 0.0
    for start, stop in segments:
        known = np.flatnonzero(~np.isnan(column[start:stop]))
        if len(known) < 3:
            continue
        level = column[start:stop][known] - column[start:stop][known].mean()
        time = known - known.mean()
        total += float(level @ level)
        explained += float((time @ level) ** 2 / (time @ time))
    return explained / total if total > 0 else 0.0


def season_period(column: Column, segments: Segments) -> int | None:
    """Period in samples at which the detrended longest data set repeats itself; None if it doesn't.

    The first high peak of the autocorrelation past its first dip below zero, if it exceeds 0.3 and twice that lag 0.15.
    Missing values count as the mean.
    """
    start, stop = max(segments, key=lambda segment: segment[1] - segment[0])
    series = _unit(column[start:stop])
    known = ~np.isnan(series)
    longest = len(series) // _SEASON_REPEATS
    if known.sum() < 2 * _SEASON_REPEATS or longest < 2:
        return None
    time = np.arange(len(series)) - np.flatnonzero(known).mean()
    level = np.where(known, series - series[known].mean(), 0.0)
    level -= np.where(known, (time @ level) / (time[known] @ time[known]) * time, 0.0)
    correlation = _autocorrelation(level)
    dips = np.flatnonzero(correlation[: longest + 1] < 0)
    if not len(dips):
        return None
    late = correlation[: longest + 1].copy()
    late[: dips[0]] = 0.0
    if late.max() <= _SEASON_PEAK:
        return None
    # Whole multiples of a period peak as high as the period itself: take the first of the highest peaks.
    first = int(np.argmax(late >= _SEASON_SAME * late.max()))
    period = first + int(np.argmax(late[first : first + first // 4 + 1]))
    return period if correlation[2 * period] > _SEASON_PEAK / 2 else None


def _unit(column: Column) -> Column:
    """The column over its largest magnitude, so that no square of it leaves the range of floats."""
    known = column[~np.isnan(column)]
    size = float(np.abs(known).max()) if known.size else 0.0
    # Dividing by a subnormal number could overflow: such a column is first made larger by a power of two.
    if 0 < size < np.finfo(float).tiny:
        column, size = column * 2.0**60, size * 2.0**60
    return column / size if size > 0 else column


def _autocorrelation(level: Column) -> Column:
    """Autocorrelation at all lags, each divided by its number of pairs; by FFT, padded so that nothing wraps around."""
    count = len(level)
    spectrum = np.abs(np.fft.rfft(level, 2 * count)) ** 2
    sums = np.fft.irfft(spectrum)[:count] / np.arange(count, 0, -1)
    return sums / sums[0] if sums[0] > 0 else np.zeros(count)


def outlier_share(column: Column) -> float:
    """Share of known values farther than 5 robust standard deviations from the median."""
    known = column[~np.isnan(column)]
    if not known.size:
        return 0.0
    known = _unit(known)
    low, high = winsor_limits(known)
    return float(np.mean((known < low) | (known > high)))
