"""What single tests read, and their answers on one choice of rows."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core
from arrow_cd.tigramite.rows import masked_samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

Node = tuple[int, int]
"""A column of the data frame and minus its lag."""

Answer = tuple[float, float, int]
"""Partial correlation, p, degrees of freedom."""


class Samples:
    """What tests read from a data frame: the columns that are a variable of their own, data set after data set.

    The components of vectors are left out: J-PCMCI+ has vectors with a column for every time step.

    Attributes
    ----------
    values : (S, T) float64
        NaN replaced by 0.
    valid : (S, T) bool or None
        False where a value is missing; None if none is.
    segments
        The data sets as half-open ranges of samples.
    masked : (T,) bool
        Samples that no test uses as a row: a mask of the target alone, alike for all series, if no value is missing.
    mask : (S, T) bool or None
        Any other mask that counts in some role.
    at
        Where each column of the frame stands.
    """

    def __init__(self, frame: Any, mask_type: Any) -> None:
        columns = sorted({parts[0][0] for parts in frame.vector_vars.values() if len(parts) == 1})
        self.at = {column: k for k, column in enumerate(columns)}
        stops = np.cumsum([frame.T[key] for key in frame.datasets]).tolist()
        self.segments = list(zip([0, *stops[:-1]], stops, strict=True))
        values = np.concatenate([frame.values[key] for key in frame.datasets])[:, columns].T
        missing = np.isnan(values)
        self.values = np.ascontiguousarray(np.where(missing, 0.0, values))
        self.valid = np.ascontiguousarray(~missing) if missing.any() else None
        self.masked = np.zeros(stops[-1], dtype=bool)
        self.mask: NDArray[np.bool_] | None = None
        if mask_type is None or frame.mask is None:
            return
        masked = masked_samples(frame)
        if self.valid is None and set(mask_type) == {"y"} and (masked == masked[:, :1]).all():
            self.masked = masked[:, 0]
        else:
            self.mask = np.ascontiguousarray(masked[:, columns].T)

    @property
    def shared(self) -> bool:
        """Whether all tests use the same rows."""
        return self.valid is None and self.mask is None


class Window:
    """Rows with enough samples before them, and the answers of tests on them.

    Parameters
    ----------
    samples
        Where the rows are.
    reference
        Rows to use, None for all with `past` samples before them.
    past
        Samples before the first row.
    mask_type, lose_after_missing
        tigramite's `mask_type` and `remove_missing_upto_maxlag`.
    normal_scores
        Whether columns are mapped to normal scores first.
    with_matrix
        Whether tests read one matrix; otherwise each reads its own rows.
    """

    def __init__(
        self,
        samples: Samples,
        reference: NDArray[np.uint64] | None,
        past: int,
        *,
        mask_type: Any,
        lose_after_missing: bool,
        normal_scores: bool,
        with_matrix: bool,
    ) -> None:
        self._samples = samples
        self._reference = reference
        self._past = past
        self._roles = "" if samples.mask is None else "".join(mask_type)
        self._lose_after_missing = lose_after_missing
        self._normal_scores = normal_scores
        self.matrix = None
        if with_matrix:
            rows = reference, None, "", False
            self.matrix = _core.Correlations(
                samples.values, samples.segments, rows, max_lag=past, normal_scores=normal_scores
            )
        self.content = self._digest()

    def _digest(self) -> bytes:
        """Equal for equal samples, rows and kind of test, in every process."""
        digest = sha1(usedforsecurity=False)
        samples = self._samples
        for array in (samples.values, samples.valid, samples.mask, self._reference):
            digest.update(b"none" if array is None else array.data)
        rest = (samples.segments, samples.at, self._past, self._roles, self._lose_after_missing, self._normal_scores)
        digest.update(repr(rest).encode())
        return digest.digest()

    def key(self, x: Node, y: Node, z: tuple[Node, ...]) -> tuple[Any, ...]:
        """The same for the same samples in the same roles, whatever the order of the conditions."""
        swappable = ("x" in self._roles) == ("y" in self._roles)
        return self.content, frozenset((x, y)) if swappable else (x, y), frozenset(z)

    def test(self, x: Node, y: Node, z: tuple[Node, ...]) -> Answer | None:
        """Return partial correlation, p and degrees of freedom of x and y given z, or None without a sound answer."""
        try:
            x, y, *given = [(self._samples.at[column], lag) for column, lag in (x, y, *z)]
        except KeyError:
            return None
        return self._test_rows(x, y, given) if self.matrix is None else self.matrix.test(x, y, given)

    def _test_rows(self, x: Node, y: Node, z: list[Node]) -> Answer | None:
        samples = self._samples
        mask = samples.mask
        read = list({column: None for column, _ in (x, y, *z)})
        x, y, *z = [(read.index(column), lag) for column, lag in (x, y, *z)]
        return _core.partial_correlation(
            samples.values[read],
            None if samples.valid is None else samples.valid[read],
            samples.segments,
            (self._reference, None if mask is None else mask[read], self._roles, self._lose_after_missing),
            t0=self._past,
            normal_scores=self._normal_scores,
            x=x,
            y=y,
            z=z,
        )
