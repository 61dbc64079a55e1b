"""Systems whose decomposition is known: truth tables, and the dynamical toys of the paper."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

BURN_IN = 10_000

# Shares of the information at T = 1e6, seed 10, 10 bins of equal width, by the authors' own code: (target, kind, agents
# numbered from 1, share). The paper's finer bins give other shares, the largest terms stay the same.
SHARES = {
    "mediator": [(1, "U", "2", 0.981), (2, "U", "3", 0.957), (2, "R", "23", 0.036), (3, "U", "3", 0.984)],
    "confounder": [
        *((1, "U", "1", 0.647), (1, "S", "13", 0.250)),
        *((2, "S", "23", 0.552), (2, "U", "3", 0.394), (3, "U", "3", 0.850)),
    ],
    "synergistic_collider": [(1, "S", "23", 0.713), (1, "R", "23", 0.189)],
    "redundant_collider": [
        *((1, "R", "23", 0.658), (1, "S", "12", 0.186), (1, "R", "123", 0.156)),
        *((2, "R", "23", 0.988), (3, "R", "23", 0.988)),
    ],
}


def dynamical(name: str, seed: int, T: int) -> NDArray[np.float64]:
    """Three series (T - BURN_IN, 3) of the toys of Martínez-Sánchez et al. (2024): all influences have lag 1.

    In each, q3 (or q2 and q3) is an autoregression of coefficient 0.5 driven by noise of 0.1. The published numbers
    come from numpy's old generator with seed 10.
    """
    noise = np.random.RandomState(seed).standard_normal((3, T))

    def driver(k: int) -> NDArray[np.float64]:
        return lfilter([0, 0.1], [1, -0.5], noise[k])

    def delayed(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([[0.0], x[:-1]])

    if name == "mediator":
        q3 = driver(2)
        q2 = delayed(np.cos(q3) + 0.01 * noise[1])
        q1 = delayed(np.sin(q2) + 0.001 * noise[0])
    elif name == "confounder":
        q3 = driver(2)
        q1, q2 = _confounded(q3, noise)
    elif name == "synergistic_collider":
        q2, q3 = driver(1), driver(2)
        q1 = delayed(np.sin(q2 * q3) + 0.001 * noise[0])
    else:
        q2 = q3 = driver(1)
        q1 = lfilter([0, 1], [1, -0.3], np.sin(q2 * q3) + 0.001 * noise[0])
    return np.column_stack([q1, q2, q3])[BURN_IN:]


def _confounded(q3: NDArray[np.float64], noise: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Two maps that feed on themselves and on q3."""
    q1, q2 = np.zeros_like(q3), np.zeros_like(q3)
    for t in range(len(q3) - 1):
        q1[t + 1] = np.sin(q1[t] + q3[t]) + 0.01 * noise[0, t]
        q2[t + 1] = np.cos(q2[t] - q3[t]) + 0.01 * noise[1, t]
    return q1, q2


def table(n: int, target, repeats: int = 8) -> NDArray[np.float64]:
    """Series (T, n + 1): n bits in all states, equally often, and `target` of them one sample later.

    On rows t >= 1 with lag 1 every combination is met exactly `repeats` times.
    """
    bits = np.array(list(product([0, 1], repeat=n)) * repeats)
    outcome = [target(*row) for row in bits.tolist()]
    return np.column_stack([np.vstack([bits, bits[:1]]), [outcome[0], *outcome]]).astype(float)
