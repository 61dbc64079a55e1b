"""The accelerated VARLiNGAM: causal-learn's (or lingam's) object with its `fit` run by the compiled core."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_lingam import MEMORY_BUDGET, fit_lingam, order_of, require_rows
from arrow_cd.causallearn.lag_choice import CRITERIA, choose_lag
from arrow_cd.constraints import all_links
from arrow_cd.data import as_time_series
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.options import MODES, check_call, check_choice, check_count
from arrow_cd.screening import ScreenConfig
from arrow_cd.screening import screen as run_screen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

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
class _Fit:
    lags: int
    ar_coefs: Floats
    residuals: Floats
    order: list[int]
    adjacency: Floats


class AcceleratedFit:
    """`fit` of a VARLiNGAM object, natively; made by `arrow_cd.accelerate`.

    In mode "exact" all attributes are those of the given object's own `fit`. In mode "screen" only candidates of a
    screen up to `lags` have coefficients: the autoregression is fitted on the candidates of all series, `criterion` has
    nothing to choose, and the adjacency matrices are structural least squares on each series' own candidates (with
    ``prune=True`` an adaptive lasso chooses among them), exactly 0 elsewhere.

    Every call of `fit` starts from what the given object was set to; the original's second `fit` goes on with the
    coefficients of its first.
    """

    settings: Settings

    def fit(self, X: Any) -> Any:  # noqa: N803
        """Fit the model to X, of shape (n_samples, n_features); returns self."""
        series = as_time_series(X)
        if not series.complete or len(series.segments) > 1:
            raise InvalidDataError("VARLiNGAM takes one data set without missing values")
        fitted = _fit_screened(series, self.settings) if self.settings.mode == "screen" else _fit(series, self.settings)
        self._lags, self._ar_coefs, self._residuals = fitted.lags, fitted.ar_coefs, fitted.residuals
        self._causal_order, self._adjacency_matrices = fitted.order, fitted.adjacency
        return self

    def bootstrap(self, X: Any, n_sampling: int) -> Any:  # noqa: N803, ARG002
        """Refuse: the original keeps the coefficients of the first fit for every sample."""
        raise BackendError(
            "an accelerated VARLiNGAM has no bootstrap: use the object you gave, or discover(method='varlingam', n_boot=...)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__mro__[2], self.__dict__)


@cache
def _accelerated(base: type) -> type:
    return type(f"Accelerated{base.__name__}", (AcceleratedFit, base), {"__doc__": AcceleratedFit.__doc__})


def _restored(base: type, state: dict[str, Any]) -> Any:
    fast = object.__new__(_accelerated(base))
    fast.__dict__.update(state)
    return fast


def accelerate(
    given: Any,
    *,
    mode: str = "screen",
    screen: ScreenConfig | None = None,
    memory_budget: int | None = None,
    n_jobs: int = 1,
) -> Any:
    """Return an accelerated copy of a VARLiNGAM object; see `arrow_cd.accelerate`.

    Parameters
    ----------
    given
        An object of causal-learn's class or of lingam's.
    mode : {"screen", "exact"}
        See `AcceleratedFit`.
    screen
        Which screen in mode "screen", `weave` by default.
    memory_budget
        Bytes for the correlations of all N (lags + 1) columns, 2 GiB by default.
    n_jobs
        Threads, 0 for all cores; results do not depend on it.

    Raises
    ------
    BackendError
        The object has a LiNGAM model other than DirectLiNGAM with its pairwise measure, or prior knowledge.
    InvalidDataError
        An option has a value that can't be meant.
    """
    check_choice("mode", mode, MODES)
    check_call(n_jobs)
    if screen is not None and (mode == "exact" or not isinstance(screen, ScreenConfig)):
        raise InvalidDataError(f"screen={screen!r}: expected a ScreenConfig, and only with mode='screen'")
    if memory_budget is not None:
        check_count("memory_budget", memory_budget, 1)
    base = type(given).__mro__[2] if isinstance(given, AcceleratedFit) else type(given)
    check_count("lags", given._lags, 1)
    _check_model(given._lingam_model)
    fast = _restored(base, copy(vars(given)))
    fast.settings = Settings(
        mode=mode,
        screen=screen,
        memory_budget=memory_budget or MEMORY_BUDGET,
        n_jobs=n_jobs,
        lags=given._lags,
        criterion=given._criterion if given._criterion in CRITERIA else None,
        prune=given._prune,
        ar_coefs=given._ar_coefs,
        is_lingam=base.__module__.split(".")[0] == "lingam",
    )
    if mode == "screen" and given._ar_coefs is not None:
        raise BackendError("ar_coefs fix the autoregression, so that there is nothing to screen: use mode='exact'")
    return fast


def _check_model(model: Any) -> None:
    if model is None:
        return
    plain = (
        type(model).__name__ == "DirectLiNGAM"
        and getattr(model, "_Aknw", None) is None
        and getattr(model, "_measure", "pwling") == "pwling"
    )
    if not plain:
        raise BackendError(
            f"lingam_model={type(model).__name__}: accelerated are DirectLiNGAM with measure='pwling' and no prior "
            "knowledge only; state links to discover(method='varlingam', link_assumptions=...) instead"
        )


def _fit(series: TimeSeries, settings: Settings) -> _Fit:
    """Fit as the original does: an autoregression without a constant, B_0 by an adaptive lasso on its residuals."""
    values, _, segments = series.core_arrays()
    limits = {"memory_budget": settings.memory_budget, "n_jobs": settings.n_jobs}
    if settings.ar_coefs is None:
        lags, coefficients, residuals, dependent = choose_lag(values, settings.lags, settings.criterion, limits)
    else:
        coefficients = np.asarray(settings.ar_coefs, dtype=float)
        lags = len(coefficients)
        residuals = _residuals(values, coefficients)
        dependent = np.zeros(series.N, dtype=bool)
    order = _order(series, residuals, dependent, settings)
    shrinkage = "refit" if settings.is_lingam else "lasso"
    instant = _structure(residuals, 0, order, shrinkage, limits)[:, :, 0]
    adjacency = np.stack([instant, *((np.eye(series.N) - instant) @ m for m in coefficients)])
    if settings.prune:
        adjacency = _structure(values, lags, order, "lasso", limits).transpose(2, 0, 1)
    return _Fit(lags, coefficients, residuals.T, _complete(order, series), adjacency)


def _fit_screened(series: TimeSeries, settings: Settings) -> _Fit:
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
        shrinkage="refit" if settings.prune else "none",
        memory_budget=settings.memory_budget,
        n_jobs=settings.n_jobs,
    )
    _warn_of(series, found.dependent)
    by_lag = lambda cube: np.ascontiguousarray(cube.transpose(2, 1, 0))  # noqa: E731
    order = _complete(found.order, series)
    return _Fit(lags, by_lag(found.reduced)[1:], found.residuals, order, by_lag(found.coefficients))


def _residuals(values: Floats, coefficients: Floats) -> Floats:
    """What given coefficients (lags, N, N) leave of values (N, T)."""
    lags = len(coefficients)
    if coefficients.shape[1:] != (len(values), len(values)) or values.shape[1] <= lags:
        raise InvalidDataError(
            f"ar_coefs has shape {coefficients.shape}, expected (lags, N, N) for N={len(values)} columns and more than "
            "lags rows"
        )
    past = (m @ values[:, lags - tau : values.shape[1] - tau] for tau, m in enumerate(coefficients, start=1))
    residuals: Floats = values[:, lags:] - sum(past)
    return residuals


def _order(series: TimeSeries, residuals: Floats, dependent: NDArray[np.bool_], settings: Settings) -> list[int]:
    _warn_of(series, dependent)
    none = np.zeros((series.N, series.N), dtype=bool)
    active = np.flatnonzero(~dependent)
    return order_of(residuals, active, none, rows_less_one=not settings.is_lingam, n_jobs=settings.n_jobs)


def _structure(values: Floats, lags: int, order: list[int], shrinkage: str, limits: dict[str, int]) -> Floats:
    """Coefficients [target, source, tau] on all links that the order allows."""
    links = all_links(len(values), tau_min=0, tau_max=lags)
    n_rows = values.shape[1] - lags
    require_rows(links, n_rows)
    found, _ = _core.structural_fit(
        np.ascontiguousarray(values),
        [(0, values.shape[1])],
        links,
        required=np.zeros_like(links),
        order=order,
        shrinkage=shrinkage,
        price=float(np.log(n_rows)),
        **limits,
    )
    return np.swapaxes(found, 0, 1)


def _complete(order: list[int], series: TimeSeries) -> list[int]:
    """Put series that the core left out at the end."""
    return order + [k for k in range(series.N) if k not in order]


def _warn_of(series: TimeSeries, dependent: NDArray[np.bool_]) -> None:
    if dependent.any():
        names = ", ".join(series.names[k] for k in np.flatnonzero(dependent))
        warnings.warn(
            f"constant columns or linear combinations of others or of the past have no coefficients and come last in the "
            f"order: {names}",
            stacklevel=4,
        )
