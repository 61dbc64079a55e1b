"""The number of lags of a vector autoregression by an information criterion, as causal-learn and lingam choose it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_lingam import require_rows
from arrow_cd.constraints import all_links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Autoregression(NamedTuple):
    """A fit without a constant: coefficients (lags, N, N) [target, source], residuals (N, n), dependent series."""

    lags: int
    coefficients: Floats
    residuals: Floats
    dependent: NDArray[np.bool_]


# Criteria by name: logarithm of the determinant of the residuals' covariance, rows, coefficients an equation, series.
CRITERIA: dict[str, Callable[[float, int, int, int], float]] = {
    "aic": lambda log_det, n, k, m: log_det + 2 * k * m / n,
    "bic": lambda log_det, n, k, m: log_det + np.log(n) * k * m / n,
    "hqic": lambda log_det, n, k, m: log_det + 2 * np.log(np.log(n)) * k * m / n,
    "fpe": lambda log_det, n, k, m: log_det + m * np.log((n + k) / (n - k)),
}


def choose_lag(values: Floats, most: int, criterion: str | None, limits: Mapping[str, int]) -> Autoregression:
    """Fit autoregressions of 1 to `most` lags and return the one with the smallest criterion, the first of several.

    Each is fitted on all rows that its own lags leave, as statsmodels does, so that shorter ones see a few more.

    Parameters
    ----------
    values : (N, T)
        The series.
    most, criterion
        Most lags; without a criterion (None) that many.
    limits
        ``memory_budget`` and ``n_jobs`` of the core.
    """
    if criterion is None:
        return _fit(values, most, limits)
    fits = [_fit(values, lags, limits) for lags in range(1, most + 1)]
    return min(fits, key=lambda fit: _criterion(fit, CRITERIA[criterion]))


def _fit(values: Floats, lags: int, limits: Mapping[str, int]) -> Autoregression:
    links = all_links(len(values), tau_min=0, tau_max=lags)
    require_rows(links, values.shape[1] - lags)
    segments = [(0, values.shape[1])]
    coefficients, residuals, dependent = _core.autoregression(values, segments, links, centred=False, **limits)
    return Autoregression(lags, coefficients.transpose(2, 0, 1)[1:], residuals, np.array(dependent))


def _criterion(fit: Autoregression, formula: Callable[[float, int, int, int], float]) -> float:
    """Of the series that do not depend on others: a determinant of 0 would tell nothing about lags."""
    residuals = fit.residuals[~fit.dependent]
    m, n = residuals.shape
    _, log_det = np.linalg.slogdet(residuals @ residuals.T / n)
    return float(formula(log_det, n, fit.lags * m, m))
