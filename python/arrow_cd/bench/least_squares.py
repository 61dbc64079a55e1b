"""The plain statistician's answer: one least-squares regression a target on everything lagged, and t-tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.errors import BackendError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries


def var_pvalues(series: TimeSeries, tau_max: int) -> NDArray[np.float64]:
    """Two-sided p-values of the coefficients of a vector autoregression with intercept.

    Rows are those t whose past of `tau_max` samples lies in the same data set and has no missing value, nor has t
    itself; on one complete series this is what `statsmodels.tsa.api.VAR` fits (Lütkepohl, New Introduction to Multiple
    Time Series Analysis, 2005, section 3.2).

    Parameters
    ----------
    series : TimeSeries
        No column may be constant.
    tau_max : int
        Order of the autoregression, in samples.

    Returns
    -------
    ndarray, shape (N, N, tau_max + 1)
        ``[source, target, tau]``, 1 at lag 0.

    Raises
    ------
    BackendError
        There are no more rows than coefficients, or the columns depend on each other.
    """
    from scipy.stats import t as student

    past, present = _rows(series, tau_max)
    n, k = past.shape
    if n <= k:
        raise BackendError(f"least squares has {n} complete rows for {k} coefficients of a target: expected more rows")
    q, r = np.linalg.qr(past)
    scale = np.abs(np.diag(r))
    if scale.min() <= 1e-10 * scale.max():
        raise BackendError("least squares can't tell lagged columns apart: some are combinations of the others")
    inverse = np.linalg.inv(r)
    projected = q.T @ present
    coefficients = inverse @ projected
    residual = present - q @ projected
    variance = (residual**2).sum(axis=0) / (n - k)
    error = np.sqrt((inverse**2).sum(axis=1)[:, None] * variance)
    p = 2 * student.sf(np.abs(coefficients / error), n - k)
    found = np.ones((series.N, series.N, tau_max + 1))
    # Row 0 of the coefficients is the intercept, then all sources at lag 1, at lag 2, ...
    found[:, :, 1:] = p[1:].reshape(tau_max, series.N, series.N).transpose(1, 2, 0)
    return found


def _rows(series: TimeSeries, tau_max: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Intercept and lagged values, scaled to unit variance so that dependence shows, and the present, row by row."""
    values = (series.values - np.nanmean(series.values, axis=0)) / np.nanstd(series.values, axis=0)
    at = np.concatenate([np.arange(start + tau_max, stop) for start, stop in series.segments])
    past = np.column_stack([np.ones(len(at)), *(values[at - tau] for tau in range(1, tau_max + 1))])
    present = values[at]
    whole = ~(np.isnan(past).any(axis=1) | np.isnan(present).any(axis=1))
    return past[whole], present[whole]
