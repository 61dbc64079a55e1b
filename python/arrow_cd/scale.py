"""Columns brought near 1 by powers of two, so that no sum or square of theirs leaves the range of floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def near_one(values: Values) -> tuple[Values, NDArray[np.intc]]:
    """Return columns whose largest magnitude lies in [0.5, 1), and what takes them back: ``ldexp(near, exponents)``.

    Only the exponents of the numbers change, so that results of a method that does not depend on units keep every bit.

    Parameters
    ----------
    values : (T, N), or (T,) for one column
        NaN where a value is missing. Columns of zeros stay.

    Returns
    -------
    near : as the input
        In the memory order of the input.
    exponents : (N,), or a number
    """
    _, exponents = np.frexp(np.fmax.reduce(np.abs(values), axis=0, initial=0.0))
    return np.ldexp(values, -exponents), exponents
