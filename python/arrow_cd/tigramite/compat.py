"""Where tigramite 5.2.10 does not run with current numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def autocorrelation(series: NDArray[np.float64], max_lag: int | None = None) -> NDArray[np.float64]:
    """Return the correlations of a series with itself at lags 0 to `max_lag`, by default a tenth of its length."""
    if max_lag is None:
        max_lag = max(5, len(series) // 10)
    lags = range(1, max_lag + 1)
    return np.array([1.0, *(np.corrcoef(series[lag:], series[:-lag])[0, 1] for lag in lags)])


def let_run_with_numpy(test: Any) -> None:
    """Give a test object of ours an autocorrelation that numpy >= 2.4 can compute.

    tigramite estimates the block length of shuffle tests from it and passes `numpy.corrcoef` the argument `ddof`,
    which never had an effect there and is gone since numpy 2.4. Only this object is changed, never the class.
    """
    if hasattr(test, "_get_acf"):
        test._get_acf = autocorrelation
