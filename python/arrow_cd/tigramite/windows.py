"""The windows of a tigramite data frame, kept as long as the frame stays what it was."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core
from arrow_cd.errors import InvalidDataError
from arrow_cd.tigramite.rows import chosen_rows, rows_without
from arrow_cd.tigramite.window import Samples, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TIMES = 8
"""About how many samples of every series are compared at every test, to notice data changed in place."""


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
        Bytes that all matrices together may take; the oldest ones make room for new ones.
    """

    def __init__(self, frame: Any, mask_type: Any, *, normal_scores: bool, memory_budget: int) -> None:
        self._frame = frame
        self._mask_type = mask_type
        self._parts = _parts(frame, mask_type)
        self._looked_at = [array[:: max(1, len(array) // _TIMES)] for array in _arrays(frame, mask_type)]
        self._seen = self._look()
        self._normal_scores = normal_scores
        self._memory_budget = memory_budget
        self._windows: dict[int, Window | None] = {}
        self._samples = Samples(frame, mask_type) if _is_covered(frame) else None

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
        """Return the window with `past` samples before its first row, or None if only tigramite's code can test."""
        if past not in self._windows:
            self._windows[past] = self._make(past)
        return self._windows[past]

    def _make(self, past: int) -> Window | None:
        samples = self._samples
        if samples is None:
            return None
        reference = self._reference(past, samples)
        if reference is not None and not reference.size:
            return None
        return Window(
            samples,
            reference,
            past,
            mask_type=self._mask_type,
            lose_after_missing=bool(self._frame.remove_missing_upto_maxlag),
            normal_scores=self._normal_scores,
            with_matrix=samples.shared and self._make_room(past, len(samples.at)),
        )

    def _reference(self, past: int, samples: Samples) -> NDArray[np.uint64] | None:
        """Rows of all data sets together, None for every one with `past` samples before it; empty if there is none."""
        try:
            sets = chosen_rows(self._frame, past)
        except InvalidDataError:  # tigramite's own code raises its own error
            return np.empty(0, dtype=np.uint64)
        if sets is None and not samples.masked.any():
            return None
        if sets is None:
            sets = [np.arange(past, max(past, stop - start)) for start, stop in samples.segments]
        sets = rows_without(sets, samples.masked, samples.segments)
        rows = np.concatenate([rows + start for rows, (start, _) in zip(sets, samples.segments, strict=True)])
        return rows.astype(np.uint64)

    def _make_room(self, past: int, n_series: int) -> bool:
        """Drop windows with a matrix, the oldest first, until one more fits; False if it can't."""
        needed = _core.Correlations.bytes(n_series, past)
        if needed > self._memory_budget:
            return False
        held = [p for p, window in self._windows.items() if window is not None and window.matrix is not None]
        used = sum(_core.Correlations.bytes(n_series, p) for p in held)
        for p in held:
            if needed + used <= self._memory_budget:
                break
            used -= _core.Correlations.bytes(n_series, p)
            del self._windows[p]
        return True


def _parts(frame: Any, mask_type: Any) -> tuple[Any, ...]:
    """Everything that decides which samples tests read and that callers replace while they run."""
    draw = frame.bootstrap or {}
    return (
        mask_type,
        frame.values,
        frame.reference_points,
        frame.time_offsets,
        frame.missing_flag,
        frame.remove_missing_upto_maxlag,
        draw.get("random_state"),
        draw.get("boot_blocklength"),
        *_arrays(frame, mask_type),
    )


def _arrays(frame: Any, mask_type: Any) -> list[NDArray[Any]]:
    masks = () if mask_type is None or frame.mask is None else frame.mask.values()
    return [*frame.values.values(), *masks]


def _is_covered(frame: Any) -> bool:
    """Whether the core computes with these values as tigramite does, which computes in the type of the data."""
    for array in frame.values.values():
        if array.dtype != np.float64 or np.isinf(array).any():
            return False
        if frame.missing_flag is None and np.isnan(array).any():
            return False
    return any(len(parts) == 1 for parts in frame.vector_vars.values())
