"""The rows that tigramite's tests use, and their samples as series of their own."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.data import as_time_series
from arrow_cd.data.checks import constant_columns
from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

RowSets = list["NDArray[np.intp]"]
"""Rows of each data set, counted from its start, in the order and as often as they are used."""


def read_frame(frame: Any) -> TimeSeries:
    """Return all samples of a tigramite DataFrame, one column each, whatever rows and variables it chooses from them.

    A mask is left out because it has no effect without a test's mask_type; `remove_missing_upto_maxlag` because the
    tests themselves drop what it wants dropped.
    """
    view = copy(frame)
    view.mask = None
    view.remove_missing_upto_maxlag = False
    view.reference_points_is_none = True
    if frame.has_vector_data:
        view.has_vector_data = False
        view.N = frame.Ndata
        view.var_names = {column: column for column in range(frame.Ndata)}
    return as_time_series(view)


def variables_vary(frame: Any, series: TimeSeries) -> NDArray[np.bool_]:
    """Return which variables of the frame vary: those of which a column does."""
    return np.array([any(not series.constant[column] for column, _ in frame.vector_vars[v]) for v in range(frame.N)])


def chosen_rows(frame: Any, past: int) -> RowSets | None:
    """Return the times t at which tests read their target, or None if these are all t in [past, T).

    Parameters
    ----------
    frame
        A tigramite DataFrame. Its reference points (given by the user, or set by a sliding window) count on the
        common time axis; a data set's time offset brings them to its own.
    past
        Samples that a row must have before it in its data set: 2 tau_max in PCMCI.

    Raises
    ------
    InvalidDataError
        No row is left, or too few for the blocks of a bootstrap draw.
    """
    sets, whole = [], frame.bootstrap is None
    for key in frame.datasets:
        rows = np.sort(np.asarray(frame.reference_points, dtype=np.intp) - frame.time_offsets[key])
        rows = rows[(rows >= past) & (rows < frame.T[key])]
        whole &= np.array_equal(rows, np.arange(past, frame.T[key]))
        sets.append(rows if frame.bootstrap is None else _draw(rows, **frame.bootstrap))
    if not sum(map(len, sets)):
        raise InvalidDataError(
            f"no row is left for a test: the reference points or the window keep none that has {past} samples before it"
        )
    return None if whole else sets


def _draw(rows: NDArray[np.intp], boot_blocklength: Any, random_state: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows of a moving-block bootstrap draw; every test of a replicate makes the same one in tigramite."""
    n = len(rows)
    if n == 0:
        return rows
    length = max(1, int(n ** (1 / 3))) if boot_blocklength == "cube_root" else boot_blocklength
    if type(length) is not int or length < 1:
        raise InvalidDataError(f'boot_blocklength={boot_blocklength!r}: expected a whole number >= 1 or "cube_root"')
    blocks = -(-n // length)
    if blocks < 2 or n <= length:
        raise InvalidDataError(f"boot_blocklength={boot_blocklength!r} makes {blocks} block(s) of {n} rows: too long")
    starts = deepcopy(random_state).choice(np.arange(n - length), size=blocks, replace=True)
    drawn: NDArray[np.intp] = rows[(starts[:, None] + np.arange(length)).ravel()[:n]]
    return drawn


def gather(series: TimeSeries, sets: RowSets, past: int) -> TimeSeries:
    """Return the samples that the rows use, so that the rows are all those from `past` on in every data set.

    Each run of consecutive rows becomes a data set of its own, with the `past` samples before it; a row that is used
    twice is in two of them.

    Parameters
    ----------
    series
        All samples.
    sets
        Rows of each of its data sets, none before `past`.
    past
        Samples before a row that its tests may read.
    """
    pieces = []
    for (start, _), rows in zip(series.segments, sets, strict=True):
        for run in np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1):
            if run.size:
                pieces.append(np.arange(start + run[0] - past, start + run[-1] + 1))
    stops = np.cumsum([len(piece) for piece in pieces]).tolist()
    index = np.concatenate(pieces)
    values, valid = series.values.T[:, index].T, series.valid.T[:, index].T
    segments = tuple(zip([0, *stops[:-1]], stops, strict=True))
    constant = constant_columns(values)
    return replace(series, values=values, valid=valid, time=None, segments=segments, constant=constant)


def masked_samples(frame: Any) -> NDArray[np.bool_]:
    """Return the mask of a tigramite DataFrame as (T, columns), True where a sample is left out."""
    return np.concatenate([np.asarray(frame.mask[key], dtype=bool) for key in frame.datasets])


def rows_without(sets: RowSets, masked: NDArray[np.bool_], segments: Sequence[tuple[int, int]]) -> RowSets:
    """Return the rows at which `masked`, one flag a sample, is False."""
    return [rows[~masked[start:stop][rows]] for rows, (start, stop) in zip(sets, segments, strict=True)]
