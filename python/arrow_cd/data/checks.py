"""Columns that break tests: constants, copies of each other, and those with numbers that stand for missing values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A column is constant if its range is at most this share of its largest magnitude: sums of 0.1 differ in the last bits.
CONSTANT_TOLERANCE = 1e-12
# Two columns are near-duplicates if one explains the other but for this share of its variance.
DUPLICATE_RESIDUAL = 1e-8
# Correlations of all pairs are first looked at on this many rows; only suspicious pairs are compared on all rows.
_SAMPLED_ROWS = 512
_SUSPICIOUS = 1 - 1e-6
# Columns that are correlated with all others at a time: memory grows with N, not with its square.
_BLOCK = 256

# Numbers that files commonly hold where a value is missing.
_MARKERS = np.array([-99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, -1e20, 1e20])
# A marker lies this many times further from the median than nine tenths of the other values.
_FAR = 5.0


def suspected_markers(values: NDArray[np.float64]) -> list[tuple[float, int, int]]:
    """Find common markers of missing values that repeat and lie far outside the rest of their column.

    Parameters
    ----------
    values : ndarray, shape (T, N), NaN where missing

    Returns
    -------
    list of (marker, column index, number of rows)
    """
    low, high = _ranges(values)
    found = []
    for at, column in np.argwhere((low == _MARKERS[:, None]) | (high == _MARKERS[:, None])).tolist():
        marker = float(_MARKERS[at])
        hits = values[:, column] == marker
        rest = values[~hits & ~np.isnan(values[:, column]), column]
        if hits.sum() < 2 or not rest.size:
            continue
        middle = np.median(rest)
        if abs(marker - middle) > _FAR * np.quantile(np.abs(rest - middle), 0.9):
            found.append((marker, column, int(hits.sum())))
    return found


def constant_columns(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Flag columns of `values` (T, N; NaN = missing) that are constant or have no value at all."""
    low, high = _ranges(values)
    magnitude = np.maximum(np.abs(low), np.abs(high))
    # Halves keep the range of values near the largest float from overflowing. An empty column has low > high.
    flat: NDArray[np.bool_] = high / 2 - low / 2 <= CONSTANT_TOLERANCE / 2 * magnitude
    return flat


def _ranges(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest known value of every column, inf and -inf if there is none."""
    return np.fmin.reduce(values, axis=0, initial=np.inf), np.fmax.reduce(values, axis=0, initial=-np.inf)


def near_duplicate_sets(values: NDArray[np.float64], constant: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Sets of columns that equal each other up to sign, scale, offset and noise far below their own size.

    Parameters
    ----------
    values : ndarray, shape (T, N), NaN where missing
    constant : ndarray of bool, shape (N,)
        Columns to leave out.

    Returns
    -------
    list of tuples of column indices, each sorted and of at least two
    """
    columns = np.flatnonzero(~constant)
    if len(columns) < 2:
        return []
    suspicious = _suspicious_pairs(values, columns)
    if not suspicious:
        return []
    leader = {i: i for i in columns.tolist()}
    for i, j in suspicious:
        # Follow leaders, so that a set of m copies costs m comparisons and not m^2.
        if leader[i] != leader[j] and _is_duplicate(values[:, i], values[:, j]):
            old, new = sorted((leader[i], leader[j]), reverse=True)
            leader.update({k: new for k, at in leader.items() if at == old})
    members: dict[int, list[int]] = {}
    for column, at in leader.items():
        members.setdefault(at, []).append(column)
    return [tuple(group) for group in members.values() if len(group) > 1]


def _suspicious_pairs(values: NDArray[np.float64], columns: NDArray[np.intp]) -> list[tuple[int, int]]:
    rows = np.linspace(0, len(values) - 1, min(len(values), _SAMPLED_ROWS)).round().astype(np.intp)
    sample = values.T[columns][:, rows].T
    valid = ~np.isnan(sample)
    sample[~valid] = 0.0
    sample /= np.maximum(np.abs(sample).max(axis=0), np.finfo(float).tiny)
    sample -= sample.sum(axis=0) / np.maximum(valid.sum(axis=0), 1)
    sample[~valid] = 0.0
    # A column whose sampled rows are all equal says nothing here; it is left to the tests themselves.
    pairs = []
    for start in range(0, len(columns), _BLOCK):
        sizes = _correlation_sizes(sample, valid, slice(start, start + _BLOCK))
        found = np.argwhere(np.triu(sizes > _SUSPICIOUS, k=start + 1))
        pairs += [(int(columns[start + i]), int(columns[j])) for i, j in found.tolist()]
    return pairs


def _correlation_sizes(x: NDArray[np.float64], valid: NDArray[np.bool_], block: slice) -> NDArray[np.float64]:
    """|r| of the columns in `block` with all columns, each over the rows that both have; NaN if none.

    The columns of `x` are centred, with 0 where a value is missing.
    """
    some = x[:, block]
    products = some.T @ x
    if valid.all():
        squares = (x**2).sum(axis=0)
        sizes = squares[block, None] * squares
    else:
        weight = valid.astype(np.float64)
        count = np.maximum(weight[:, block].T @ weight, 1)
        sums, others = some.T @ weight, weight[:, block].T @ x
        products -= sums * others / count
        sizes = np.maximum((some**2).T @ weight - sums**2 / count, 0)
        sizes *= np.maximum(weight[:, block].T @ x**2 - others**2 / count, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations: NDArray[np.float64] = np.abs(products) / np.sqrt(sizes)
    return correlations


def _is_duplicate(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    both = ~np.isnan(x) & ~np.isnan(y)
    if both.sum() < 3:
        return False
    x, y = x[both], y[both]
    if not (x.any() and y.any()):
        return False
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    x, y = x - x.mean(), y - y.mean()
    if not (x.any() and y.any()):
        return False
    residual = y - (x @ y) / (x @ x) * x
    return bool(residual @ residual <= DUPLICATE_RESIDUAL * (y @ y))
