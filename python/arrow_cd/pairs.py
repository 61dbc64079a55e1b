"""Tests of whole sources, and the checks and columns that tests of links share with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PairResult:
    """Tests of a source as a whole, over all of its lags; arrays are (N, N), indexed [source, target].

    Attributes
    ----------
    val, p, q : float64
        Statistic, p-value and p-value corrected over every pair that was asked about; 0, 1 and 1 where nothing was
        tested. p and q are None for a method without p-values.
    status : uint8
        `LinkStatus` of every entry.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64] | None
    q: NDArray[np.float64] | None
    status: NDArray[np.uint8]

    def __post_init__(self) -> None:
        untested = self.status != LinkStatus.OK
        for name, neutral in (("val", 0.0), ("p", 1.0), ("q", 1.0)):
            array = getattr(self, name)
            if array is not None:
                check_numbers(f"pairs.{name}", array, untested, neutral, probability=name != "val")
                array.flags.writeable = False
        self.status.flags.writeable = False


def check_numbers(
    name: str, array: NDArray[np.float64], untested: NDArray[np.bool_], neutral: float, *, probability: bool
) -> None:
    """Raise unless every entry is finite, neutral where nothing was tested, and between 0 and 1 if a probability."""
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InvalidDataError(f"{name}{list(where)} is not finite: mark such an entry as not tested instead")
    if probability and ((array < 0) | (array > 1)).any():
        raise InvalidDataError(f"{name} must lie between 0 and 1")
    if (array[untested] != neutral).any():
        raise InvalidDataError(f"{name} must be {neutral:g} wherever nothing was tested")


def column(array: NDArray[np.float64] | None, at: tuple[Any, ...], known: NDArray[np.bool_]) -> pl.Series:
    """Return the entries as a column, null where they are not known."""
    import polars as pl

    if array is None:
        return pl.Series([None] * len(known), dtype=pl.Float64)
    return pl.select(pl.when(pl.lit(pl.Series(known))).then(pl.lit(pl.Series(array[at])))).to_series()
