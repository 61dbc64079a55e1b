"""Optional preprocessing of the values, before anything else sees them. Nothing is done unless asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError
from arrow_cd.scale import near_one

Preprocess: TypeAlias = str | Sequence[str] | None
Segments: TypeAlias = Sequence[tuple[int, int]]
Values: TypeAlias = NDArray[np.float64]

# Outliers are clipped at this many robust standard deviations from the median.
WINSOR_LIMIT = 5.0
# 1 / 0.6745: makes the median absolute deviation of a normal variable its standard deviation.
MAD_TO_SD = 1.4826
_EXPECTED = "expected none, detrend, deseasonalise:PERIOD, winsorise or standardise"


def apply_preprocess(values: Values, segments: Segments, steps: Preprocess) -> tuple[Values, list[str]]:
    """Apply steps in the order given.

    Parameters
    ----------
    values : ndarray, shape (T, N), NaN where missing
        Never changed.
    segments : sequence of (start, stop)
        The data sets. `detrend` and `deseasonalise` work within each; `winsorise` and `standardise` use one location
        and scale for all of them, so that values stay comparable between data sets.
    steps : str or sequence of str, optional
        `"none"`, `"detrend"` (subtract the least-squares line), `"deseasonalise:PERIOD"` (subtract the mean of every
        phase, PERIOD in samples), `"winsorise"` (clip at the median +- 5 robust standard deviations) or
        `"standardise"` (mean 0, standard deviation 1). A comma-separated string is a list.

    Returns
    -------
    values : ndarray, shape (T, N)
        In the memory order of the input.
    notes : list of str
        What was done.

    Raises
    ------
    InvalidDataError
        For an unknown step or a period that is not a whole number of at least 2 samples and within the data.
    """
    notes = []
    for name, period in parse_preprocess(steps):
        if name == "deseasonalise":
            longest = max(stop - start for start, stop in segments)
            if 2 * period > longest:
                raise InvalidDataError(
                    f"deseasonalise:{period} needs two full periods, but the longest data set has {longest} rows"
                )
        near, exponents = near_one(values)
        near, said = _STEPS[name](near, segments, period)
        values = near if name == "standardise" else np.ldexp(near, exponents)
        notes.append(f"preprocessing: {said}")
    return values, notes


def parse_preprocess(steps: Preprocess) -> list[tuple[str, int]]:
    """Steps as (name, period) pairs, period 0 where there is none; raises InvalidDataError for unknown ones."""
    listed = isinstance(steps, list | tuple) and all(isinstance(step, str) for step in steps)
    if not (steps is None or isinstance(steps, str) or listed):
        raise InvalidDataError(f"preprocess={steps!r}: {_EXPECTED}")
    texts = [] if steps is None else steps.split(",") if isinstance(steps, str) else list(steps)
    parsed = []
    for text in (str(text).strip().lower() for text in texts):
        name, _, argument = text.partition(":")
        if text in ("none", ""):
            continue
        if name == "deseasonalise":
            if not argument.isdecimal() or int(argument) < 2:
                raise InvalidDataError(f"preprocess {text!r}: PERIOD must be a whole number of samples, at least 2")
            parsed.append((name, int(argument)))
        elif name in _STEPS and not argument:
            parsed.append((name, 0))
        else:
            raise InvalidDataError(f"unknown preprocess {text!r}; {_EXPECTED}")
    return parsed


def winsor_limits(known: Values) -> tuple[float, float]:
    """Median +- 5 robust standard deviations of values without missing ones.

    The robust standard deviation is 1.4826 times the median absolute deviation; where that is at most 0.1 % of the
    standard deviation (columns that mostly repeat one value), the standard deviation itself.
    """
    centre = float(np.median(known))
    spread = MAD_TO_SD * float(np.median(np.abs(known - centre)))
    deviation = float(known.std())
    if spread <= 1e-3 * deviation:
        spread = deviation
    return centre - WINSOR_LIMIT * spread, centre + WINSOR_LIMIT * spread


def winsorise(values: Values) -> Values:
    """Clip every column of `values` (T, N; NaN = missing) at its `winsor_limits`."""
    clipped = values.copy(order="K")
    for column in clipped.T:
        known = column[~np.isnan(column)]
        if known.size:
            column[:] = np.clip(column, *winsor_limits(known))
    return clipped


def _detrend(values: Values, segments: Segments, _period: int) -> tuple[Values, str]:
    result = values.copy(order="K")
    for start, stop in segments:
        clock = np.arange(stop - start, dtype=float)
        for column in result[start:stop].T:
            known = ~np.isnan(column)
            if known.sum() >= 2:
                time = clock - clock[known].mean()
                level = column[known].mean()
                slope = time[known] @ (column[known] - level) / (time[known] @ time[known])
                column -= level + slope * time
    return result, "a straight line subtracted from every column, within every data set"


def _deseasonalise(values: Values, segments: Segments, period: int) -> tuple[Values, str]:
    result = values.copy(order="K")
    for start, stop in segments:
        for phase in range(min(period, stop - start)):
            rows = slice(start + phase, stop, period)
            known = ~np.isnan(values[rows])
            total = np.where(known, values[rows], 0.0).sum(axis=0)
            result[rows] -= total / np.maximum(known.sum(axis=0), 1)
    return result, f"the mean of every phase of a period of {period} samples subtracted, within every data set"


def _winsorise(values: Values, _segments: Segments, _period: int) -> tuple[Values, str]:
    result = winsorise(values)
    clipped = int((np.abs(result - values) > 0).sum())
    return result, f"{clipped} values clipped at the median +- {WINSOR_LIMIT:g} robust standard deviations"


def _standardise(values: Values, _segments: Segments, _period: int) -> tuple[Values, str]:
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    centred = values - np.where(known, values, 0.0).sum(axis=0) / count
    scale = np.sqrt((np.where(known, centred, 0.0) ** 2).sum(axis=0) / count)
    return centred / np.where(scale > 0, scale, 1.0), "every column standardised to mean 0 and standard deviation 1"


_STEPS = {
    "detrend": _detrend,
    "deseasonalise": _deseasonalise,
    "winsorise": _winsorise,
    "standardise": _standardise,
}
