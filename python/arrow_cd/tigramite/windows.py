"""Lagged correlations of a tigramite data frame, kept as long as the frame stays what it was."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TIMES = 8
"""About how many samples of every series are compared at every test, to notice data changed in place."""


@dataclass(frozen=True)
class Window:
    """Correlations on one set of rows.

    Attributes
    ----------
    correlations
        Answers single tests.
    content
        Digest of the values and the rows: equal for equal samples, in every process.
    """

    correlations: _core.Correlations
    content: bytes


class Windows:
    """The windows of one data frame that tests have asked for so far.

    A window is named by its `past`: the samples that lie before its first row, which is the largest lag it holds.

    Parameters
    ----------
    frame
        A tigramite DataFrame.
    normal_scores
        Whether columns are mapped to normal scores first.
    memory_budget
        Bytes that all windows together may take; the least recently made ones make room for new ones.
    """

    def __init__(self, frame: Any, *, normal_scores: bool, memory_budget: int) -> None:
        self._frame = frame
        self._parts = _parts(frame)
        self._looked_at = [array[:: max(1, len(array) // _TIMES)] for array in frame.values.values()]
        self._seen = self._look()
        self._normal_scores = normal_scores
        self._memory_budget = memory_budget
        self._windows: dict[int, Window | None] = {}
        self._values = _values(frame)

    def describe(self, frame: Any) -> bool:
        """Whether the frame is still the one that the windows were made from.

        Told by the identity of the frame, its arrays, its reference points and its bootstrap draw, and by all series
        at a few times: enough to notice a series overwritten in place, not a single sample.
        """
        parts = _parts(frame)
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
        frame, values = self._frame, self._values
        if values is None or not _all_rows(frame) or not self._make_room(past):
            return None
        stops = np.cumsum([frame.T[key] for key in frame.datasets]).tolist()
        segments = list(zip([0, *stops[:-1]], stops, strict=True))
        if all(stop - start <= past for start, stop in segments):
            return None
        correlations = _core.Correlations(values, segments, max_lag=past, normal_scores=self._normal_scores)
        content = sha1(values.data, usedforsecurity=False)
        content.update(repr((self._normal_scores, past, segments)).encode())
        return Window(correlations, content.digest())

    def _make_room(self, past: int) -> bool:
        """Drop windows, the oldest first, until one more fits; False if it can't."""
        size = self._frame.Ndata

        def used() -> int:
            return sum(_core.Correlations.bytes(size, p) for p, window in self._windows.items() if window is not None)

        needed = _core.Correlations.bytes(size, past)
        while needed + used() > self._memory_budget and self._windows:
            del self._windows[next(iter(self._windows))]
        return needed <= self._memory_budget


def _parts(frame: Any) -> tuple[Any, ...]:
    """Everything that decides which samples tests read and that callers replace while they run."""
    draw = frame.bootstrap or {}
    return (
        frame.values,
        frame.reference_points,
        frame.time_offsets,
        draw.get("random_state"),
        draw.get("boot_blocklength"),
        *frame.values.values(),
    )


def _values(frame: Any) -> NDArray[np.float64] | None:
    """All data sets one after the other as (N, T), or None if the core can't compute with them as tigramite does."""
    arrays = [frame.values[key] for key in frame.datasets]
    if any(array.dtype != np.float64 for array in arrays):
        return None  # tigramite computes in the type of the data
    values = np.ascontiguousarray(np.concatenate(arrays).T)
    return values if np.isfinite(values).all() else None


def _all_rows(frame: Any) -> bool:
    """Whether tests read every row that has enough samples before it."""
    every = np.arange(frame.largest_time_step)
    return frame.bootstrap is None and np.array_equal(np.sort(frame.reference_points), every)
