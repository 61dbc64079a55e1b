"""statsmodels' `grangercausalitytests` with native numbers: `accelerate(grangercausalitytests)`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.native_granger import run_granger
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.tails import f_pvalue

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tests = dict[str, tuple[Any, ...]]
"""Name of a test and (statistic, p-value, df_denom, df_num), chi-square tests (statistic, p-value, df)."""


def accelerate(obj: Any, *, mode: Literal["screen", "exact"] = "screen", n_jobs: int = 1) -> Callable[..., Any]:
    """Return `grangercausalitytests` of `arrow_cd`; one pair is too little to screen or to share between threads."""
    return grangercausalitytests


def grangercausalitytests(
    x: Any, maxlag: int | Collection[int], addconst: bool = True
) -> dict[int, tuple[Tests, list[Any]]]:
    """Test whether the second of two series Granger-causes the first, for one or several numbers of lags.

    The arguments and what is returned are those of `statsmodels.tsa.stattools.grangercausalitytests`. The numbers come
    from the compiled core; the fitted models in the list are fitted by statsmodels when they are first looked at.

    Parameters
    ----------
    x : array_like, shape (T, 2)
        The series, of which the second may cause the first.
    maxlag
        All numbers of lags from 1 to this one, or the numbers themselves. Each has rows of its own, t >= lag. Do not
        take the smallest of their p-values: it is not one.
    addconst
        The model has an intercept; statsmodels offers nothing else.

    Returns
    -------
    dict
        ``{lag: (tests, [restricted, full, contrasts])}`` with tests "ssr_ftest", "params_ftest" (equal), "ssr_chi2test"
        and "lrtest".

    Raises
    ------
    ValueError
        A value is missing or infinite, `x` hasn't two columns, or there are too few rows for the lags.
    statsmodels.tools.sm_exceptions.InfeasibleTestError
        A column is constant or collinear with the others, or the fit is perfect.
    NotImplementedError
        ``addconst=False``.
    """
    values, names = _pair(x)
    lags = _lags(maxlag)
    if not isinstance(addconst, bool | np.bool_):
        raise TypeError(f"addconst={addconst!r}: expected True")
    if not addconst:
        raise NotImplementedError("addconst=False: the models have an intercept")
    if len(values) <= 3 * max(lags) + 1:
        raise ValueError(
            f"{len(values)} rows are too few for {max(lags)} lags: expected at least {3 * max(lags) + 2}, or at most "
            f"{max(0, (len(values) - 2) // 3)} lags"
        )
    return {lag: (_tests(values, names, lag), _models(values, lag)) for lag in lags}


def _pair(x: Any) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """The two series and their names."""
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError(f"x has shape {values.shape}: expected two columns, the second of which may cause the first")
    effect, cause = (str(name) for name in getattr(x, "columns", ("0", "1")))
    for row, column in np.argwhere(~np.isfinite(values)):
        raise InvalidDataError(
            f"x: column {(effect, cause)[column]!r}, row {row} is {values[row, column]}: expected finite numbers"
        )
    return values, (effect, cause)


def _lags(maxlag: Any) -> list[int]:
    lags = range(1, int(maxlag) + 1) if isinstance(maxlag, Integral) else maxlag
    whole = isinstance(lags, Collection) and all(isinstance(lag, Integral) and int(lag) > 0 for lag in lags)
    if isinstance(maxlag, bool) or not whole or not len(lags):
        raise ValueError(f"maxlag={maxlag!r}: expected a positive whole number, or some of them")
    return [int(lag) for lag in lags]


def _tests(values: NDArray[np.float64], names: tuple[str, str], lag: int) -> Tests:
    from scipy.stats import chi2

    links = np.zeros((2, 2, lag + 1), dtype=bool)
    links[1, 0, 1:] = True
    found = run_granger(as_time_series(values), links, conditional=False)
    if found.pairs.status[1, 0] != LinkStatus.OK or found.df_num[1, 0] < lag:
        raise _infeasible(names, lag)
    f, df = float(found.f[1, 0]), float(found.df_denom[1, 0])
    p = float(f_pvalue(f, lag, df))
    chi2_statistic = found.n_samples * f * lag / df
    likelihood_ratio = found.n_samples * float(found.pairs.val[1, 0])
    return {
        "ssr_ftest": (f, p, df, lag),
        "ssr_chi2test": (chi2_statistic, float(chi2.sf(chi2_statistic, lag)), lag),
        "lrtest": (likelihood_ratio, float(chi2.sf(likelihood_ratio, lag)), lag),
        "params_ftest": (f, p, df, float(lag)),
    }


def _infeasible(names: tuple[str, str], lag: int) -> Exception:
    from statsmodels.tools.sm_exceptions import InfeasibleTestError

    error: Exception = InfeasibleTestError(
        f"with {lag} lags, columns {names[0]!r} and {names[1]!r} can't be tested: one is constant, one is a copy of "
        "the other, or the fit is perfect"
    )
    return error


def _models(values: NDArray[np.float64], lag: int) -> list[Any]:
    effect, cause = ([x[lag - k : len(x) - k] for k in range(lag + 1)] for x in values.T)
    ones = np.ones(len(values) - lag)
    restricted = np.column_stack([*effect[1:], ones])
    full = np.column_stack([*effect[1:], *cause[1:], ones])
    contrasts = np.eye(lag, 2 * lag + 1, k=lag)
    return [FittedOnUse(effect[0], restricted), FittedOnUse(effect[0], full), contrasts]


class FittedOnUse:
    """Results of statsmodels' OLS of `y` on `design`, fitted when an attribute of theirs is first asked for."""

    def __init__(self, y: NDArray[np.float64], design: NDArray[np.float64]) -> None:
        self.y, self.design = y, design

    @cached_property
    def results(self) -> Any:
        """The fitted model."""
        from statsmodels.regression.linear_model import OLS

        return OLS(self.y, self.design).fit()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # asked for by copy and pickle before there is anything to fit
            raise AttributeError(name)
        return getattr(self.results, name)
