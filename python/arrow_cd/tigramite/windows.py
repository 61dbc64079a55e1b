"""Lagged correlations of a tigramite data frame, kept as long as the frame stays what it was."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core
from arrow_cd.errors import InvalidDataError
from arrow_cd.tigramite.rows import chosen_rows, masked_samples, rows_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

Node = tuple[int, int]
"""A column of the data frame and minus its lag."""

_TIMES = 8
"""About how many samples of every series are compared at every test, to notice data changed in place."""


@dataclass(frozen=True)
class Window:
    """Correlations on one set of rows.

    Attributes
    ----------
    correlations
        Answers single tests.
    columns
        Where each column of the frame stands in them.
    content
        Digest of the values and the rows: equal for equal samples, in every process.
    """

    correlations: _core.Correlations
    columns: dict[int, int]
    content: bytes

    def test(self, x: Node, y: Node, z: tuple[Node, ...]) -> tuple[float, float] | None:
        """Return partial correlation and p of x and y given z, or None if tigramite has to look at the rows."""
        try:
            x, y, *given = [(self.columns[column], lag) for column, lag in (x, y, *z)]
        except KeyError:
            return None
        return self.correlations.test(x, y, given)


class Windows:
    """The windows of one data frame that tests have asked for so far.

    A window is named by its `past`: the samples that lie before its first row, which is the largest lag it holds.

    Parameters
    ----------
    frame
        A tigramite DataFrame.
    mask_type
        The roles in which a masked sample excludes a row from a test, or None.
    normal_scores
        Whether columns are mapped to normal scores first.
    memory_budget
        Bytes that all windows together may take; the oldest ones make room for new ones.
    """

    def __init__(self, frame: Any, mask_type: Any, *, normal_scores: bool, memory_budget: int) -> None:
        self._frame = frame
        self._parts = _parts(frame, mask_type)
        arrays = [*frame.values.values(), *_masks(frame, mask_type)]
        self._looked_at = [array[:: max(1, len(array) // _TIMES)] for array in arrays]
        self._seen = self._look()
        self._normal_scores = normal_scores
        self._memory_budget = memory_budget
        self._windows: dict[int, Window | None] = {}
        self._columns = _scalar_columns(frame)
        self._values = _values(frame, self._columns)
        self._masked = _masked_rows(frame, mask_type)

    def describe(self, frame: Any, mask_type: Any) -> bool:
        """Whether the frame is still the one that the windows were made from.

        Told by the identity of the frame, its arrays, its reference points and its bootstrap draw, and by all series
        at a few times: enough to notice a series overwritten in place, not a single sample.
        """
        parts = _parts(frame, mask_type)
        same = frame is self._frame and len(parts) == len(self._parts) and all(map(is_, parts, self._parts))
        return same and self._look() == self._seen

    def _look(self) -> list[bytes]:
        return [view.tobytes() for view in self._looked_at]

    def get(self, past: int) -> Window | None:
        """Return the window with `past` samples before its first row, or None if tests have to read their rows."""
        if past not in self._windows:
            self._windows[past] = self._make(past)
        return self._windows[past]

    def _make(self, past: int) -> Window | None:
        values, masked = self._values, self._masked
        if values is None or masked is None or not self._make_room(past):
            return None
        stops = np.cumsum([self._frame.T[key] for key in self._frame.datasets]).tolist()
        segments = list(zip([0, *stops[:-1]], stops, strict=True))
        rows = self._rows(past, segments, masked)
        if rows is not None and not rows.size:
            return None
        correlations = _core.Correlations(values, segments, rows=rows, max_lag=past, normal_scores=self._normal_scores)
        content = sha1(values.data, usedforsecurity=False)
        content.update(repr((self._normal_scores, past, segments, self._columns)).encode())
        content.update(b"" if rows is None else rows.tobytes())
        columns = {column: k for k, column in enumerate(self._columns)}
        return Window(correlations, columns, content.digest())

    def _rows(self, past: int, segments: list[tuple[int, int]], masked: NDArray[np.bool_]) -> NDArray[np.uint64] | None:
        """Rows of all data sets together, None for every one with `past` samples before it; empty if there is none."""
        try:
            sets = chosen_rows(self._frame, past)
        except InvalidDataError:  # tigramite's own code raises its own error
            return np.empty(0, dtype=np.uint64)
        if sets is None and not masked.any():
            return None
        if sets is None:
            sets = [np.arange(past, max(past, stop - start)) for start, stop in segments]
        sets = rows_without(sets, masked, segments)
        rows = np.concatenate([rows + start for rows, (start, _) in zip(sets, segments, strict=True)])
        return rows.astype(np.uint64)

    def _make_room(self, past: int) -> bool:
        """Drop windows, the oldest first, until one more fits; False if it can't."""
        size = len(self._columns)

        def used() -> int:
            return sum(_core.Correlations.bytes(size, p) for p, window in self._windows.items() if window is not None)

        needed = _core.Correlations.bytes(size, past)
        while needed + used() > self._memory_budget and self._windows:
            del self._windows[next(iter(self._windows))]
        return needed <= self._memory_budget


def _parts(frame: Any, mask_type: Any) -> tuple[Any, ...]:
    """Everything that decides which samples tests read and that callers replace while they run."""
    draw = frame.bootstrap or {}
    return (
        mask_type,
        frame.values,
        frame.reference_points,
        frame.time_offsets,
        draw.get("random_state"),
        draw.get("boot_blocklength"),
        *frame.values.values(),
        *_masks(frame, mask_type),
    )


def _masks(frame: Any, mask_type: Any) -> tuple[Any, ...]:
    return () if mask_type is None or frame.mask is None else tuple(frame.mask.values())


def _masked_rows(frame: Any, mask_type: Any) -> NDArray[np.bool_] | None:
    """The samples that no test may use as a row, or None if these differ between tests."""
    nothing = np.zeros(sum(frame.T.values()), dtype=bool)
    if mask_type is None or frame.mask is None:
        return nothing
    masked = masked_samples(frame)
    if not masked.any():
        return nothing
    alike = set(mask_type) == {"y"} and (masked == masked[:, :1]).all()
    return masked[:, 0] if alike else None


def _scalar_columns(frame: Any) -> list[int]:
    """Columns that are a variable of their own.

    The components of a vector are left out: J-PCMCI+ has vectors with a column for every time step.
    """
    return sorted({parts[0][0] for parts in frame.vector_vars.values() if len(parts) == 1})


def _values(frame: Any, columns: list[int]) -> NDArray[np.float64] | None:
    """All data sets one after the other as (columns, T); None if the core can't compute with them as tigramite does."""
    arrays = [frame.values[key] for key in frame.datasets]
    if not columns or any(array.dtype != np.float64 for array in arrays):
        return None  # tigramite computes in the type of the data
    values = np.ascontiguousarray(np.concatenate(arrays)[:, columns].T)
    return values if np.isfinite(values).all() else None
