"""Confidence bounds of partial correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.native_pcmci import NativeRun


def analytic_bounds(found: NativeRun, links: NDArray[np.bool_], level: float) -> NDArray[np.float64]:
    """Return two-sided bounds of every tested value, as tests with ``confidence="analytic"`` give them.

    With t = r sqrt(df / (1 - r^2)), the quantiles of Student's t distribution shifted by t, brought back to the scale
    of r.

    Parameters
    ----------
    found
        Values and degrees of freedom of the tests.
    links : (N, N, tau_max + 1) bool
        The links that were to be tested.
    level
        Confidence level, at least 0.5 and below 1.

    Returns
    -------
    (N, N, tau_max + 1, 2) float64
        Lower and upper bound; NaN where a link could not be tested, 0 where none was to be.
    """
    from scipy.stats import t as student_t

    if not 0.5 <= level < 1:
        raise InvalidDataError(f"conf_lev={level!r}: expected a number from 0.5 up to, not including, 1")
    bounds = np.zeros((*links.shape, 2))
    bounds[links] = np.nan
    tested = links & (found.status == LinkStatus.OK)
    r, df = found.val[tested], found.df[tested].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = r * np.sqrt(df) / np.sqrt((1.0 - r) * (1.0 + r))
        for side, tail in enumerate(((1 - level) / 2, (1 + level) / 2)):
            quantile = student_t.ppf(tail, df, loc=shift)
            bounds[tested, side] = quantile / np.sqrt(df + quantile**2)
    return bounds
