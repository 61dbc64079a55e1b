"""The numbers of an accelerated VARLiNGAM: as the original has them, or on the candidates of a screen."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_lingam import fit_lingam, in_own_units, order_of, require_rows
from arrow_cd.causallearn.lag_choice import choose_lag
from arrow_cd.constraints import all_links
from arrow_cd.errors import InvalidDataError
from arrow_cd.scale import near_one
from arrow_cd.screening import screen as run_screen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries
    from arrow_cd.screening import ScreenConfig

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """What `accelerate` was asked for, and what the given object was set to."""

    mode: str
    screen: ScreenConfig | None
    memory_budget: int
    n_jobs: int
    lags: int
    criterion: str | None
    prune: bool
    ar_coefs: Floats | None
    is_lingam: bool


@dataclass(frozen=True)
class Fit:
    """What `fit` leaves on the object; matrices are (lags, N, N), indexed [tau, target, source]."""

    lags: int
    ar_coefs: Floats
    residuals: Floats
    order: list[int]
    adjacency: Floats


def fit(series: TimeSeries, settings: Settings) -> Fit:
    """Fit as `settings` ask, on columns brought near 1, so that units of any size give the same order and links."""
    near, exponents = near_one(series.values)
    if settings.ar_coefs is not None:
        check_ar_coefs(settings.ar_coefs, series)
        with np.errstate(over="ignore"):
            settings = replace(settings, ar_coefs=np.ldexp(settings.ar_coefs, exponents - exponents[:, None]))
    run = fit_candidates if settings.mode == "screen" else fit_all
    found = run(replace(series, values=near), settings)

    def own(matrices: Floats) -> Floats:
        return np.ascontiguousarray(in_own_units(matrices.T, exponents, series.names).T)

    residuals = np.ldexp(found.residuals, exponents)
    return replace(found, ar_coefs=own(found.ar_coefs), residuals=residuals, adjacency=own(found.adjacency))


def fit_all(series: TimeSeries, settings: Settings) -> Fit:
    """Fit as the original does: an autoregression without a constant, B_0 by an adaptive lasso on its residuals."""
    values, _, _ = series.core_arrays()
    limits = {"memory_budget": settings.memory_budget, "n_jobs": settings.n_jobs}
    if settings.ar_coefs is None:
        lags, coefficients, residuals, dependent = choose_lag(values, settings.lags, settings.criterion, limits)
    else:
        coefficients = settings.ar_coefs
        lags = len(coefficients)
        residuals = _residuals(values, coefficients)
        dependent = np.zeros(series.N, dtype=bool)
    order = _order(series, residuals, dependent, settings)
    instant = _structure(residuals, 0, order, settings.is_lingam, limits)[:, :, 0]
    adjacency = np.stack([instant, *((np.eye(series.N) - instant) @ m for m in coefficients)])
    adjacency[:, dependent] = 0.0
    if settings.prune:
        adjacency = _structure(values, lags, order, False, limits).transpose(2, 0, 1)
    return Fit(lags, coefficients, residuals.T, _complete(order, series), adjacency)


def fit_candidates(series: TimeSeries, settings: Settings) -> Fit:
    """Fit on the candidates of a screen only."""
    values, _, segments = series.core_arrays()
    lags = settings.lags
    candidates = run_screen(series, tau_max=lags, config=settings.screen, rows="lagged", n_jobs=settings.n_jobs)
    links = candidates.mask.copy()
    links[:, :, 0] = ~np.eye(series.N, dtype=bool)
    found = fit_lingam(
        values,
        segments,
        links,
        np.zeros_like(links),
        prune=settings.prune,
        memory_budget=settings.memory_budget,
        n_jobs=settings.n_jobs,
    )
    _warn_of(series, found.dependent)
    reduced, adjacency = (np.ascontiguousarray(b.transpose(2, 1, 0)) for b in (found.reduced, found.coefficients))
    return Fit(lags, reduced[1:], found.residuals, _complete(found.order, series), adjacency)


def check_ar_coefs(coefficients: Floats, series: TimeSeries) -> None:
    """Raise InvalidDataError unless the shape of given coefficients goes with the data."""
    shape = coefficients.shape
    if len(shape) != 3 or shape[1:] != (series.N, series.N) or shape[0] >= series.T:
        raise InvalidDataError(
            f"ar_coefs has shape {shape}, expected (lags, N, N) for N={series.N} columns and more than lags rows"
        )


def _residuals(values: Floats, coefficients: Floats) -> Floats:
    """What given coefficients (lags, N, N) leave of values (N, T)."""
    lags = len(coefficients)
    with np.errstate(over="ignore", invalid="ignore"):
        past = (m @ values[:, lags - tau : values.shape[1] - tau] for tau, m in enumerate(coefficients, start=1))
        residuals: Floats = values[:, lags:] - sum(past)
    if not np.isfinite(residuals).all():
        raise InvalidDataError("ar_coefs leave residuals beyond the largest float: give smaller coefficients")
    return residuals


def _order(series: TimeSeries, residuals: Floats, dependent: NDArray[np.bool_], settings: Settings) -> list[int]:
    _warn_of(series, dependent)
    none = np.zeros((series.N, series.N), dtype=bool)
    active = np.flatnonzero(~dependent)
    return order_of(residuals, active, none, rows_less_one=not settings.is_lingam, n_jobs=settings.n_jobs)[0]


def _structure(values: Floats, lags: int, order: list[int], refit: bool, limits: dict[str, int]) -> Floats:
    """Coefficients [target, source, tau] of the links that the adaptive lasso takes among all that the order allows."""
    links = all_links(len(values), tau_min=0, tau_max=lags)
    n_rows = values.shape[1] - lags
    require_rows(links, n_rows)
    found, _ = _core.structural_fit(
        np.ascontiguousarray(values),
        [(0, values.shape[1])],
        links,
        required=np.zeros_like(links),
        order=order,
        price=float(np.log(n_rows)),
        refit=refit,
        memory_budget=limits["memory_budget"],
        n_jobs=limits["n_jobs"],
    )
    return np.swapaxes(found, 0, 1)


def _complete(order: list[int], series: TimeSeries) -> list[int]:
    """Put series that the core left out at the end."""
    return order + [k for k in range(series.N) if k not in order]


def _warn_of(series: TimeSeries, dependent: NDArray[np.bool_]) -> None:
    if dependent.any():
        names = ", ".join(series.names[k] for k in np.flatnonzero(dependent))
        warnings.warn(
            f"constant columns or linear combinations of others or of the past have no coefficients and come last in "
            f"the order: {names}",
            stacklevel=4,
        )
