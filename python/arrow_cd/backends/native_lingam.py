"""VARLiNGAM in the compiled core: autoregression, causal order of its residuals, structural coefficients."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_search import MEMORY_BUDGET
from arrow_cd.errors import InvalidDataError
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Segments = list[tuple[int, int]]


@dataclass(frozen=True)
class LingamFit:
    """A structural vector autoregression; coefficients in units of the target a unit of the source.

    Attributes
    ----------
    order
        Series, causes before effects. Those in `dependent` are left out.
    n_pairs
        Pairs of series that were compared for it, in all rounds.
    coefficients : (N, N, L + 1)
        B, indexed [source, target, tau]; exactly 0 where a link is not allowed, pruned or against the order.
    reduced : (N, N, L + 1)
        M, the coefficients of the autoregression, indexed as B; lag 0 is 0.
    residuals : (n, N)
        What the autoregression leaves on its rows, about the mean.
    dependent : (N,) bool
        Series whose residuals are nothing or a linear combination of earlier ones'.
    dependent_links : (N, N, L + 1) bool
        Allowed links whose column is a linear combination of others of its target.
    timings
        Seconds of "autoregression", "order" and "structure".
    """

    order: list[int]
    n_pairs: int
    coefficients: Floats
    reduced: Floats
    residuals: Floats
    dependent: Mask
    dependent_links: Mask
    timings: dict[str, float]


def fit_lingam(
    values: Floats,
    segments: Segments,
    links: Mask,
    required: Mask,
    *,
    prune: bool,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> LingamFit:
    """Fit VARLiNGAM on a set of links.

    The autoregression has a constant and takes the lagged links into a series and into everything that may drive it
    within the sample; without the latter its residuals would still depend on the past. The order does not look at the
    links: a missing direct link is no missing path. With the order, each series is regressed on its lagged links and on
    the predecessors that `links` allow at lag 0.

    Parameters
    ----------
    values : (N, T), C-contiguous
        The series, complete.
    segments
        Data sets as half-open row ranges; the first L samples of each serve as the past.
    links, required : (N, N, L + 1) bool
        Links that may have a coefficient, and those that are never pruned, [source, target, tau]. A required link at
        lag 0 in one direction puts its source before its target.
    prune
        Let an adaptive lasso choose links (the knot of its path whose links, fitted by least squares, have the smallest
        extended Bayesian criterion) and fit these; otherwise all coefficients of least squares are kept.
    memory_budget
        Bytes for the correlations of all N (L + 1) columns.
    n_jobs, progress
        Threads, and a callback ``(phase, done, total)``, phases "order" and "structure".

    Raises
    ------
    InvalidDataError
        An equation would have more coefficients than the rows can tell apart.
    MemoryError
        The correlations would exceed `memory_budget`.
    ValueError
        Required links at lag 0 form a cycle.

    References
    ----------
    Hyvärinen, A., Zhang, K., Shimizu, S., Hoyer, P. O. (2010). Estimation of a structural vector autoregression model
    using non-Gaussianity. JMLR 11, 1709-1731.
    """
    links, required = np.ascontiguousarray(links | required), np.ascontiguousarray(required)
    n, lags = len(values), links.shape[2] - 1
    require_rows(links, sum(max(0, stop - start - lags) for start, stop in segments))
    limits = {"memory_budget": memory_budget, "n_jobs": n_jobs}
    began = time.perf_counter()
    reduced, residuals, dependent = _core.autoregression(values, segments, links, centred=True, **limits)
    fitted = time.perf_counter()
    active = np.flatnonzero(~np.array(dependent))
    order, n_pairs = order_of(residuals, active, required[:, :, 0], n_jobs=n_jobs, progress=progress)
    ordered = time.perf_counter()
    coefficients, dependent_links = _core.structural_fit(
        values,
        segments,
        links,
        required=required,
        order=order,
        price=price_of_a_link(residuals.shape[1], n * (lags + 1)) if prune else None,
        refit=True,
        progress=steps(progress, "structure", n),
        **limits,
    )
    seconds = (fitted - began, ordered - fitted, time.perf_counter() - ordered)
    return LingamFit(
        order=order,
        n_pairs=n_pairs,
        coefficients=coefficients,
        reduced=np.swapaxes(reduced, 0, 1),
        residuals=np.ascontiguousarray(residuals.T),
        dependent=np.array(dependent),
        dependent_links=dependent_links,
        timings=dict(zip(("autoregression", "order", "structure"), seconds, strict=True)),
    )


def order_of(
    residuals: Floats,
    active: NDArray[np.intp],
    required: Mask,
    *,
    rows_less_one: bool = False,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[list[int], int]:
    """Return DirectLiNGAM's causal order of the `active` rows of `residuals` (N, n), and how many pairs it compared.

    Parameters
    ----------
    residuals, active, required
        The columns, those to order, and (N, N) links [source, target] that the order respects unless they point both
        ways.
    rows_less_one
        Divide covariances by n - 1 but variances by n, as causal-learn does; its slopes are too steep by n / (n - 1).
    """
    if not len(active):
        return [], 0
    within = required[np.ix_(active, active)]
    before = [(int(i), int(j)) for i, j in np.argwhere(within & ~within.T)]
    order, _, n_pairs = _core.causal_order(
        np.ascontiguousarray(residuals[active]),
        rows_less_one=rows_less_one,
        before=before,
        n_jobs=n_jobs,
        progress=steps(progress, "order", len(active)),
    )
    return [int(active[k]) for k in order], n_pairs


def in_own_units(coefficients: Floats, exponents: NDArray[np.intc], names: Sequence[str]) -> Floats:
    """Return coefficients of columns that `near_one` divided by ``2**exponents`` in units of the columns themselves.

    Parameters
    ----------
    coefficients : (N, N, L + 1)
        Indexed [source, target, tau].

    Raises
    ------
    InvalidDataError
        The units of two linked series are too far apart for a float.
    """
    with np.errstate(over="ignore"):
        scaled: Floats = np.ldexp(coefficients, (exponents - exponents[:, None])[:, :, None])
    beyond = np.argwhere(~np.isfinite(scaled))
    if len(beyond):
        source, target, tau = beyond[0]
        raise InvalidDataError(
            f"the coefficient of {names[source]!r} -> {names[target]!r} at lag {tau} exceeds the largest float, for "
            f"{names[target]!r} is so much larger: give both in units of similar size"
        )
    return scaled


def largest_equation(links: Mask) -> int:
    """Return the most coefficients that an equation of the autoregression or of the structure can have on `links`."""
    n = len(links)
    ancestors = links[:, :, 0] | np.eye(n, dtype=bool)
    while True:
        wider = (ancestors.astype(np.float32) @ ancestors.astype(np.float32)) > 0
        if (wider == ancestors).all():
            break
        ancestors = wider
    lagged = links[:, :, 1:].transpose(1, 0, 2).reshape(n, -1)
    reduced = (ancestors.T.astype(np.float32) @ lagged.astype(np.float32)) > 0
    structural = links.sum(axis=(0, 2))
    return int(max(reduced.sum(axis=1).max(), structural.max()))


def require_rows(links: Mask, n_rows: int) -> None:
    """Raise InvalidDataError unless `n_rows` rows leave every equation a degree of freedom."""
    most = largest_equation(links)
    if most + 2 > n_rows:
        raise InvalidDataError(
            f"too few rows: an equation of VARLiNGAM has up to {most} coefficients (the lagged links into a series and "
            f"into all that may drive it within a sample) and a constant, and {n_rows} rows can't tell them apart; "
            "give more rows, fewer columns or a smaller tau_max, forbid links at lag 0, or screen"
        )


def price_of_a_link(n_rows: int, n_columns: int) -> float:
    """Return what a link must take off RSS / s^2 to stay: the extended Bayesian criterion of Chen and Chen (2008).

    ``ln n + 2 ln P`` for n rows and P columns that were asked about, whether a screen left them or not: the candidates
    of a screen were the best of P, and the plain ``ln n`` would take most of the false ones among them for links.
    """
    return float(np.log(n_rows) + 2 * np.log(n_columns))
