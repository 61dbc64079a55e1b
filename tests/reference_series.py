"""Two small systems from a generator of integers, so that any language and any machine has the same numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BURN_IN = 50


def lin() -> NDArray[np.float64]:
    """Linear, shape (300, 3): 0 -> 1 after 2 samples (.3), 1 -> 2 after 1 (-.25), own lag 1 of .5, .4, .3."""
    uniform = _uniform(42)
    x = np.zeros((300 + BURN_IN, 3))
    for t in range(2, len(x)):
        e = [sum(next(uniform) for _ in range(4)) for _ in range(3)]
        x[t, 0] = 0.5 * x[t - 1, 0] + e[0]
        x[t, 1] = 0.4 * x[t - 1, 1] + 0.3 * x[t - 2, 0] + e[1]
        x[t, 2] = 0.3 * x[t - 1, 2] - 0.25 * x[t - 1, 1] + e[2]
    return x[BURN_IN:]


def ling() -> NDArray[np.float64]:
    """Linear with uniform noise, shape (500, 4); within a sample 2 -> 0 -> 3 -> 1 and 2 -> 1."""
    uniform = _uniform(7)
    x = np.zeros((500 + BURN_IN, 4))
    for t in range(1, len(x)):
        e = [next(uniform) for _ in range(4)]
        x[t, 2] = 0.4 * x[t - 1, 2] + e[2]
        x[t, 0] = 0.3 * x[t - 1, 0] + 0.7 * x[t, 2] + e[0]
        x[t, 3] = 0.2 * x[t - 1, 0] - 0.6 * x[t, 0] + e[3]
        x[t, 1] = 0.5 * x[t - 1, 3] + 0.5 * x[t, 3] + 0.4 * x[t, 2] + e[1]
    return x[BURN_IN:]


def _uniform(seed: int) -> Iterator[float]:
    """The linear congruential generator of C's old `rand`, scaled to [-1/2, 1/2)."""
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield (seed >> 8) / 2**23 - 0.5
