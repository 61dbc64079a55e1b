"""Tails of Student's t and Fisher's F and critical values, with full relative precision however small the p-value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def correlation_pvalue(r: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Two-sided p-value of (partial) correlations.

    Parameters
    ----------
    r : array_like
        Correlations.
    df : array_like
        Degrees of freedom, n - 2 - k for k conditions; broadcast against `r`.

    Returns
    -------
    ndarray of float64
        I_(1-r^2)(df/2, 1/2), the regularised incomplete beta function; 0 where |r| >= 1, NaN where df <= 0.
    """
    r, df = np.broadcast_arrays(np.asarray(r, dtype=np.float64), np.asarray(df, dtype=np.float64))
    return _core.correlation_pvalues(r.ravel(), df.ravel()).reshape(r.shape)


def student_t_pvalue(t: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Two-sided p-value of Student's t: I_x(df/2, 1/2) with x = df / (df + t^2).

    Parameters
    ----------
    t, df : array_like
        Statistics and degrees of freedom, broadcast against each other.

    Returns
    -------
    ndarray of float64
        NaN where df <= 0.
    """
    t, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64))
    return _core.student_t_pvalues(t.ravel(), df.ravel()).reshape(t.shape)


def f_pvalue(f: ArrayLike, df_num: ArrayLike, df_denom: ArrayLike) -> NDArray[np.float64]:
    """Upper tail of Fisher's F.

    Parameters
    ----------
    f : array_like
        Statistics.
    df_num, df_denom : array_like
        Degrees of freedom of numerator (whole numbers) and denominator; broadcast against `f`.

    Returns
    -------
    ndarray of float64
        I_x(df_denom/2, df_num/2) with x = df_denom / (df_denom + df_num f); NaN where degrees of freedom are 0.

    Raises
    ------
    ValueError
        Some `df_num` is not a whole number.
    """
    whole = np.asarray(df_num)
    if not np.issubdtype(whole.dtype, np.integer) or (whole < 0).any():
        raise ValueError(f"df_num={df_num!r}: expected whole numbers")
    f, whole, df_denom = np.broadcast_arrays(np.asarray(f, dtype=np.float64), whole, np.asarray(df_denom, dtype=float))
    return _core.f_pvalues(f.ravel(), whole.ravel().astype(np.uint64), df_denom.ravel()).reshape(f.shape)


def student_t_critical(level: float, df: float) -> float:
    """Return the t whose two-sided p-value is `level`, in [0, 1]; infinite at 0, NaN if an argument makes no sense."""
    return _core.student_t_critical(level, df)
