"""Which samples the tests of a native run may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

ROLES = "xyz"
"""What a sample can be to a test: source, target, condition."""


@dataclass(frozen=True, eq=False)
class RowSpec:
    """Rows of a run, tigramite's way; the default is every t in [2 tau_max, T) of every data set.

    A row is the time t of the target. Whatever is asked for here, rows with fewer than 2 tau_max samples before them in
    their data set are left out, and a test loses the rows where one of its own samples is missing.

    Attributes
    ----------
    reference : (n,) int, optional
        Use only these rows: indices into the samples of all data sets together, in any number and order, repeated ones
        (bootstrap draws) as often as they come. `reference_rows` makes them from tigramite's reference points.
    mask : (T, N) bool, optional
        True where a sample is masked.
    mask_type
        The roles in which a masked sample excludes a row from a test: any of the letters of "xyz". tigramite's default
        is none, which ignores the mask.
    lose_after_missing
        Also lose the 2 tau_max rows of the data set that come after one with a missing sample (tigramite's
        `remove_missing_upto_maxlag`). "After" counts rows, not samples, as tigramite does.
    """

    reference: NDArray[np.integer] | None = None
    mask: NDArray[np.bool_] | None = None
    mask_type: str = ""
    lose_after_missing: bool = False

    def check(self, series: TimeSeries) -> None:
        """Raise ValueError where a field can't be meant for this series."""
        if set(self.mask_type) - set(ROLES):
            raise ValueError(f"mask_type={self.mask_type!r}: expected letters of {ROLES!r}")
        if self.mask_type and self.mask is None:
            raise ValueError(f"mask_type={self.mask_type!r} without a mask")
        if self.mask is not None and self.mask.shape != (series.T, series.N):
            raise ValueError(f"mask has shape {self.mask.shape}, expected (T, N) = {series.T, series.N}")
        if self.reference is None:
            return
        if self.reference.ndim != 1 or not np.issubdtype(self.reference.dtype, np.integer):
            raise ValueError("reference must be a one-dimensional array of integers")
        if self.reference.size and not 0 <= self.reference.min() <= self.reference.max() < series.T:
            raise ValueError(f"reference holds rows outside 0 to T - 1 = {series.T - 1}")

    def core_arrays(self, series: TimeSeries) -> tuple[NDArray[np.uint64] | None, NDArray[np.bool_] | None, str, bool]:
        """Return the fields as the core takes them, checked for this series; the mask is (N, T)."""
        self.check(series)
        reference = None if self.reference is None else self.reference.astype(np.uint64)
        mask = None if self.mask is None else np.ascontiguousarray(self.mask.T, dtype=bool)
        return reference, mask, self.mask_type, self.lose_after_missing


def reference_rows(
    points: NDArray[np.integer], segments: Sequence[tuple[int, int]], offsets: Sequence[int]
) -> NDArray[np.int64]:
    """Rows that reference points stand for when data sets start at different times.

    Parameters
    ----------
    points : (n,) int
        Time steps common to all data sets.
    segments
        The data sets as half-open ranges of samples.
    offsets
        Time step of each data set's first sample.

    Returns
    -------
    (m,) int
        Sample indices, data set by data set, sorted within each; points outside a data set are left out.
    """
    rows = []
    for (start, stop), offset in zip(segments, offsets, strict=True):
        local = np.sort(np.asarray(points, dtype=np.int64)) - offset + start
        rows.append(local[(local >= start) & (local < stop)])
    return np.concatenate(rows)
