"""Small random linear systems for the tests of PCMCI."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def all_links(n: int, tau_max: int, tau_min: int = 1) -> NDArray[np.bool_]:
    """Every legal link from tau_min to tau_max."""
    links = np.ones((n, n, tau_max + 1), dtype=bool)
    links[:, :, :tau_min] = False
    links[range(n), range(n), 0] = False
    return links


def linear_system(seed: int, n: int, T: int, tau_max: int) -> NDArray[np.float64]:
    """A stable vector autoregression with own lags and two more parents a series; shape (T, n)."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((tau_max + 1, n, n))
    weights[1, range(n), range(n)] = rng.uniform(0.2, 0.6, n)
    for target in np.repeat(np.arange(n), 2):
        weights[rng.integers(1, tau_max + 1), target, rng.integers(n)] += rng.choice([-1, 1]) * rng.uniform(0.1, 0.2)
    # With absolute weights summing to less than 1 a series can't explode.
    weights *= np.minimum(1, 0.95 / np.abs(weights).sum(axis=(0, 2)))[:, None]
    x = rng.standard_normal((T + 100, n))
    for t in range(tau_max, T + 100):
        x[t] += sum(weights[lag] @ x[t - lag] for lag in range(1, tau_max + 1))
    return x[100:]
