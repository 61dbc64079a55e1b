"""Lag search: how every series is associated with every other at every lag, by XOR and popcount."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_count
from arrow_cd.progress import reporting, steps
from arrow_cd.weave import Code, Planes, encode

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress

# Common samples below which an association says nothing.
MIN_ROWS = 3
MEMORY_BUDGET = 4 << 30


@dataclass(frozen=True, eq=False)
class LagSearch:
    """Associations of every pair at every lag, made by `lag_search`.

    Arrays have shape (N, N, tau_max + 1), indexed [source, target, tau]: the source leads by `tau` samples. They are 0
    for lags below `tau_min`, for a series with itself at lag 0, and for constant series. Each array is one scan of the
    planes: `z` was made by `lag_search`, `score` and `mi` are made when first asked for.

    Attributes
    ----------
    z : ndarray of float64
        Correlation of the weighted codes times the root of the number of common samples. About standard normal for
        independent series without autocorrelation; autocorrelation widens it.
    planes : Planes
        The codes that were searched.
    tau_min, tau_max : int
        Lags that were searched, in samples.
    n_jobs : int
        Threads of a scan.
    """

    z: NDArray[np.float64]
    planes: Planes
    tau_min: int
    tau_max: int
    n_jobs: int

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Agreement: the share of common samples on which the leading bits agree, or are opposite: the larger one.

        For `trend` codes both bits have to agree, or be opposite.
        """
        return self._measure("joint_agreement" if self.planes.code == "trend" else "agreement")

    @cached_property
    def mi(self) -> NDArray[np.float64]:
        """Mutual information of the leading bits, in nats."""
        return self._measure("mutual_information")

    def _measure(self, measure: str) -> NDArray[np.float64]:
        """One more scan; its result takes as much memory as z."""
        return _scan(self.planes, measure, self.tau_min, self.tau_max, self.n_jobs)

    @cached_property
    def best_tau(self) -> NDArray[np.intp]:
        """Lag with the largest ``|z|`` of every ordered pair, shape (N, N), indexed [source, target].

        z is computed from the counts and margins of each lag, so that lags compete fairly although they have different
        samples in common. Of equal lags the smallest; `tau_min` where there is no association at all.
        """
        best: NDArray[np.intp] = self.tau_min + np.argmax(np.abs(self.z[..., self.tau_min :]), axis=2)
        return best

    def to_frame(self) -> pl.DataFrame:
        """Every associated ordered pair at its best lag: source, target, tau, score, z, mi; largest ``|z|`` first."""
        import polars as pl

        best = self.best_tau[..., None]
        arrays = {"score": self.score, "z": self.z, "mi": self.mi}
        at_best = {name: np.take_along_axis(array, best, axis=2)[..., 0] for name, array in arrays.items()}
        source, target = np.nonzero(at_best["z"])
        names = np.array(self.planes.names, dtype=object)
        columns = {
            "source": names[source].tolist(),
            "target": names[target].tolist(),
            "tau": self.best_tau[source, target],
            **{name: values[source, target] for name, values in at_best.items()},
        }
        schema = {"source": pl.String, "target": pl.String, "tau": pl.Int64}
        frame = pl.DataFrame(columns, schema_overrides=schema)
        return frame.sort(pl.col("z").abs(), descending=True, maintain_order=True)


def lag_search(
    data: Any,
    *,
    tau_max: int,
    tau_min: int = 0,
    code: Code | None = None,
    bits: int | None = None,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> LagSearch:
    """Search all pairs at all lags.

    Parameters
    ----------
    data : Planes, TimeSeries, array of shape (T, N), data frame, path or tigramite data frame
        Coded series, or series to code first; see `encode` and `as_time_series`.
    tau_max, tau_min : int
        Lags to search, in samples.
    code, bits : optional
        How to code the series, `level` with 2 bits by default; only if `data` isn't coded yet.
    memory_budget : int
        Bytes that an array of results may take.
    n_jobs : int
        Threads, 0 for one per core; a search of a millisecond or two gets one. The result does not depend on it.
    progress : callable or bool, optional
        Callback ``(phase, done, total)`` counted in targets, or True for a bar on standard error.

    Returns
    -------
    LagSearch

    Raises
    ------
    InvalidDataError
        An option is out of range, or too few rows for `tau_max`.
    MemoryError
        An array would exceed `memory_budget`; `lag_search_top` needs little memory.
    """
    check_call(n_jobs, progress)
    check_count("memory_budget", memory_budget, 1)
    planes = _planes(data, tau_min, tau_max, code, bits, n_jobs)
    n = len(planes.names)
    needed = 8 * n**2 * (tau_max + 1)
    if needed > memory_budget:
        raise MemoryError(
            f"an array of N^2 (tau_max + 1) numbers takes {needed} bytes for N={n} and tau_max={tau_max}, more than "
            f"memory_budget={memory_budget}; lag_search_top keeps only the strongest pairs"
        )
    z = _scan(planes, "z", tau_min, tau_max, n_jobs, progress)
    return LagSearch(z, planes, tau_min, tau_max, n_jobs)


def lag_search_top(
    data: Any,
    *,
    tau_max: int,
    tau_min: int = 0,
    k: int = 10,
    code: Code | None = None,
    bits: int | None = None,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> pl.DataFrame:
    """Search all pairs at all lags, but keep only the strongest of every target: memory stays small.

    Parameters
    ----------
    data, tau_max, tau_min, code, bits, n_jobs, progress
        As for `lag_search`.
    k : int
        Pairs (source, lag) to keep of every target.

    Returns
    -------
    polars.DataFrame
        target, rank (1 is the strongest), source, tau, z: for every target the `k` pairs with the largest ``|z|``, of
        equal ones the smaller source, then the smaller lag. Pairs without any association are left out.

    Raises
    ------
    InvalidDataError
        An option is out of range, or too few rows for `tau_max`.
    """
    import polars as pl

    check_count("k", k, 1)
    check_call(n_jobs, progress)
    planes = _planes(data, tau_min, tau_max, code, bits, n_jobs)
    with reporting(progress) as report:
        target, source, tau, z = _core.lag_search_top(
            planes.core,
            tau_min=tau_min,
            tau_max=tau_max,
            k=k,
            n_jobs=n_jobs,
            progress=steps(report, "lags", len(planes.active)),
        )
    names = pl.Series(np.array(planes.names, dtype=object)[planes.active].tolist(), dtype=pl.String)
    frame = pl.DataFrame({"target": names[target], "source": names[source], "tau": tau.astype(np.int64), "z": z})
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("target").alias("rank")
    return frame.select("target", rank, "source", "tau", "z")


def _planes(data: Any, tau_min: int, tau_max: int, code: Code | None, bits: int | None, n_jobs: int) -> Planes:
    """`data` coded for lags up to `tau_max`, all options checked."""
    check_count("tau_min", tau_min, 0)
    check_count("tau_max", tau_max, 0)
    if tau_min > tau_max:
        raise InvalidDataError(f"tau_min={tau_min}, tau_max={tau_max}: expected 0 <= tau_min <= tau_max")
    if isinstance(data, Planes):
        if code is not None or bits is not None:
            raise InvalidDataError("code and bits are given, but the data are coded already")
        if tau_max > data.largest_lag:
            raise InvalidDataError(
                f"tau_max={tau_max}, but several data sets were coded for lags up to {data.largest_lag}: "
                "give tau_max to encode"
            )
        if tau_max >= data.n_samples:
            raise InvalidDataError(f"tau_max={tau_max}: expected a lag shorter than the {data.n_samples} rows")
        return data
    series = as_time_series(data)
    series.require_rows(tau_max, MIN_ROWS, "lagged")
    return encode(series, code=code or "level", bits=2 if bits is None else bits, tau_max=tau_max, n_jobs=n_jobs)


def _scan(
    planes: Planes,
    measure: str,
    tau_min: int,
    tau_max: int,
    n_jobs: int,
    progress: Progress | bool | None = None,
) -> NDArray[np.float64]:
    """One measure of all series, shape (N, N, tau_max + 1)."""
    n, n_active = len(planes.names), planes.active.size
    by_target = np.empty((n_active, tau_max + 1, n_active))
    with reporting(progress) as report:
        _core.lag_search(
            planes.core,
            by_target,
            measure=measure,
            tau_min=tau_min,
            n_jobs=n_jobs,
            progress=steps(report, "lags", n_active),
        )
    found = by_target.transpose(2, 0, 1)
    if n_active == n:
        return found
    full = np.zeros((n, n, tau_max + 1))
    full[np.ix_(planes.active, planes.active)] = found
    return full
