"""The accelerated VARLiNGAM: causal-learn's (or lingam's) object with its `fit` run by the compiled core."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

from arrow_cd.backends.native_search import MEMORY_BUDGET
from arrow_cd.causallearn.lag_choice import CRITERIA
from arrow_cd.causallearn.lingam_fit import Settings, fit
from arrow_cd.data import as_time_series
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.options import MODES, check_call, check_choice, check_count, check_flag
from arrow_cd.screening import ScreenConfig, check_screening


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

    def fit(self, X: Any) -> Any:
        """Fit the model to X, of shape (n_samples, n_features); returns self."""
        series = as_time_series(X)
        if not series.complete or len(series.segments) > 1:
            raise InvalidDataError("VARLiNGAM takes one data set without missing values")
        fitted = fit(series, self.settings)
        self._lags, self._ar_coefs, self._residuals = fitted.lags, fitted.ar_coefs, fitted.residuals
        self._causal_order, self._adjacency_matrices = fitted.order, fitted.adjacency
        return self

    def bootstrap(self, X: Any, n_sampling: int) -> Any:
        """Refuse: the original keeps the coefficients of the first fit for every sample."""
        raise BackendError(
            "an accelerated VARLiNGAM has no bootstrap: use the object you gave, or "
            "discover(method='varlingam', n_boot=...)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__mro__[2], self.__dict__)


@cache
def _accelerated(base: type) -> type:
    return type(f"Accelerated{base.__name__}", (AcceleratedFit, base), {"__doc__": AcceleratedFit.__doc__})


def _restored(base: type, state: dict[str, Any]) -> Any:
    fast: Any = object.__new__(_accelerated(base))
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
    check_screening(mode, screen, memory_budget)
    base = type(given).__mro__[2] if isinstance(given, AcceleratedFit) else type(given)
    check_count("lags", given._lags, 1)
    check_flag("prune", given._prune)
    _check_model(given._lingam_model)
    fast = _restored(base, copy(vars(given)))
    fast.settings = Settings(
        mode=mode,
        screen=screen,
        memory_budget=memory_budget or MEMORY_BUDGET,
        n_jobs=n_jobs,
        lags=given._lags,
        criterion=given._criterion if isinstance(given._criterion, str) and given._criterion in CRITERIA else None,
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
