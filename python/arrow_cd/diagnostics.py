"""Simple facts about columns: ties, memory, trend, season, outliers. Hints to look at, not tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrow_cd.preprocess import winsor_limits
from arrow_cd.scale import near_one

Column = NDArray[np.float64]
Columns = NDArray[np.float64]
Segments = Sequence[tuple[int, int]]

# A season is hinted at where the autocorrelation peaks above this after one period, and above half of it after two.
_SEASON_PEAK = 0.3
# Peaks of at least this share of the highest one count as equally high.
_SEASON_SAME = 0.85
# A season must be seen at least this often.
_SEASON_REPEATS = 3
# Columns are looked at together, so many at a time that they have about this many values.
_BLOCK_VALUES = 1 << 18


def tie_share(column: Column, segments: Segments) -> float | None:
    """Share of zero first differences among neighbouring known values; None if there are none."""
    differences = np.concatenate([np.diff(column[start:stop]) for start, stop in segments])
    known = differences[~np.isnan(differences)]
    return float(np.mean(known == 0)) if known.size else None


def lag_one_autocorrelation(column: Column, segments: Segments) -> float | None:
    """Pearson correlation of neighbouring known values within data sets; None where it has none."""
    column, _ = near_one(column)
    before = np.concatenate([column[start : max(start, stop - 1)] for start, stop in segments])
    after = np.concatenate([column[start + 1 : stop] for start, stop in segments])
    both = ~np.isnan(before) & ~np.isnan(after)
    if both.sum() < 3:
        return None
    x, y = before[both] - before[both].mean(), after[both] - after[both].mean()
    size = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / size) if size > 0 else None


def trends_and_seasons(columns: Columns, segments: Segments) -> tuple[NDArray[np.float64], list[int | None]]:
    """Trend and season of every column.

    Parameters
    ----------
    columns : (N, T)
        NaN where a value is missing.
    segments
        The data sets, as (start, stop).

    Returns
    -------
    trends : (N,)
        Share of the variance within data sets that straight lines, one per data set, explain.
    periods : list
        Period in samples at which the detrended longest data set repeats itself, None if it doesn't: the first high
        peak of the autocorrelation past its first dip below zero, if it exceeds 0.3 and twice that lag 0.15. Missing
        values count as the mean.
    """
    total, explained = np.zeros((2, len(columns)))
    periods: list[int | None] = []
    longest = max(segments, key=lambda segment: segment[1] - segment[0])
    for block in _blocks(columns):
        unit = near_one(columns[block].T)[0].T
        for start, stop in segments:
            known, level, time = _centred(unit[:, start:stop])
            count, along, size = known.sum(axis=1), _dot(time, level), _positive(_dot(time, time))
            total[block] += np.where(count >= 3, _dot(level, level), 0.0)
            explained[block] += np.where(count >= 3, along**2 / size, 0.0)
            if (start, stop) == longest:
                found = _periods(level - (along / size)[:, None] * time)
                enough = count >= 2 * _SEASON_REPEATS
                periods += [period if much else None for period, much in zip(found, enough, strict=True)]
    return explained / _positive(total), periods


def _periods(level: Columns) -> list[int | None]:
    """Periods of detrended columns."""
    longest = level.shape[1] // _SEASON_REPEATS
    if longest < 2:
        return [None] * len(level)
    correlation = _autocorrelation(level)
    late = correlation[:, : longest + 1].copy()
    late[~np.logical_or.accumulate(late < 0, axis=1)] = 0.0
    peaks = (late.max(axis=1) > _SEASON_PEAK).tolist()
    return [_period(late[k], correlation[k]) if peak else None for k, peak in enumerate(peaks)]


def _period(late: Column, correlation: Column) -> int | None:
    """The period of one column; `late` is its autocorrelation past the first dip, up to the longest period."""
    # Whole multiples of a period peak as high as the period itself: take the first of the highest peaks.
    first = int(np.argmax(late >= _SEASON_SAME * late.max()))
    period = first + int(np.argmax(late[first : first + first // 4 + 1]))
    return period if correlation[2 * period] > _SEASON_PEAK / 2 else None


def _blocks(columns: Columns) -> list[slice]:
    """Columns to look at together: all of a small data set, so many of a large one that temporary arrays stay small."""
    n, length = columns.shape
    size = max(1, _BLOCK_VALUES // length)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _centred(columns: Columns) -> tuple[NDArray[np.bool_], Columns, Columns]:
    """Which values are known; columns and their times less their means over known values, 0 where one is missing."""
    known = ~np.isnan(columns)
    count = np.maximum(known.sum(axis=1), 1)[:, None]
    values = np.where(known, columns, 0.0)
    clock = np.arange(columns.shape[1], dtype=np.float64)
    level = np.where(known, values - values.sum(axis=1, keepdims=True) / count, 0.0)
    time = np.where(known, clock - (known @ clock)[:, None] / count, 0.0)
    return known, level, time


def _dot(x: Columns, y: Columns) -> NDArray[np.float64]:
    """Product of every row of x with that of y."""
    product: NDArray[np.float64] = np.einsum("kt,kt->k", x, y)
    return product


def _positive(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divisors: 1 in place of 0, where what is divided is 0 as well."""
    return np.where(sums > 0, sums, 1.0)


def _autocorrelation(level: Columns) -> Columns:
    """Autocorrelation at all lags, each divided by its number of pairs; by FFT, padded so that nothing wraps around."""
    count = level.shape[1]
    spectrum = np.fft.rfft(level, 2 * count)
    sums = np.fft.irfft(spectrum.real**2 + spectrum.imag**2)[:, :count] / np.arange(count, 0, -1)
    return sums / _positive(sums[:, :1])


def outlier_share(column: Column) -> float:
    """Share of known values farther than 5 robust standard deviations from the median."""
    known = column[~np.isnan(column)]
    if not known.size:
        return 0.0
    known, _ = near_one(known)
    low, high = winsor_limits(known)
    return float(np.mean((known < low) | (known > high)))
