"""Correction of p-values for the number of links that were asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def benjamini_hochberg(p: NDArray[np.float64], family: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return Benjamini-Hochberg adjusted p-values inside `family`; everything outside stays as it is.

    Parameters
    ----------
    p : ndarray of float64
        p-values, 1 where a link of the family was not tested, so that leaving links out never helps the others.
    family : ndarray of bool, same shape
        The links that count. None of their p-values may be NaN.

    Returns
    -------
    ndarray of float64, same shape
        ``q_(k) = min over l >= k of p_(l) m / l`` for the k-th smallest of the m p-values of the family, at most 1.

    Raises
    ------
    ValueError
        A p-value of the family is NaN; one NaN would spread to all the others.

    References
    ----------
    Benjamini, Y., Hochberg, Y. (1995). Controlling the false discovery rate. J. R. Stat. Soc. B 57, 289-300.
    """
    chosen = p[family]
    if np.isnan(chosen).any():
        raise ValueError("a p-value is NaN: leave links that could not be tested out of the family")
    order = np.argsort(chosen, kind="stable")
    scaled = chosen[order] * (chosen.size / np.arange(1, chosen.size + 1))
    adjusted = np.empty_like(chosen)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    q = p.copy()
    q[family] = adjusted
    return q
