"""S8 and S9: chaotic systems. Only sums and products, so that a seed gives the same series on every machine."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from arrow_cd.simulate._types import Link, Simulated, generator, simulated
from arrow_cd.simulate.linear import Floats

BURN_IN = 500


@generator
def lorenz96(seed: int, *, N: int = 10, T: int = 1000, forcing: float = 10.0, noise: float = 0.1) -> Simulated:
    """S8: the Lorenz-96 ring ``dx_i/dt = (x_{i+1} - x_{i-2}) x_{i-1} - x_i + F``, sampled every 0.05.

    Fourth-order Runge-Kutta in five substeps; observation noise N(0, `noise`^2). A sampled flow has no exact lag: the
    truth gives the four direct influences i-2, i-1, i, i+1 the lag of one sample.

    Parameters
    ----------
    seed : int
    N, T : int
        Variables (at least 4) and samples.
    forcing : float
        F; about 8 and above the system is chaotic.
    noise : float
        Standard deviation of the observation noise.
    """
    rng = default_rng(seed)
    ring = np.arange(N)
    ahead, behind, behind2 = (ring + 1) % N, (ring - 1) % N, (ring - 2) % N

    def flow(x: Floats) -> Floats:
        return (x[ahead] - x[behind2]) * x[behind] - x + forcing

    h = 0.01
    state = forcing + rng.uniform(-1.0, 1.0, N)
    values = np.empty((BURN_IN + T, N))
    for t in range(len(values)):
        for _ in range(5):
            k1 = flow(state)
            k2 = flow(state + 0.5 * h * k1)
            k3 = flow(state + 0.5 * h * k2)
            k4 = flow(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        values[t] = state
    observed = values[BURN_IN:] + noise * rng.standard_normal((T, N))
    links = [(int((i + offset) % N), 1, int(i)) for i in range(N) for offset in (-2, -1, 0, 1)]
    return simulated(observed, links, f"lorenz96_{N}", seed)


@generator
def henon_chain(seed: int, *, N: int = 5, T: int = 1000, coupling: float = 0.3) -> Simulated:
    """S9: a chain of Henon maps, each inner one driven by both neighbours (Kugiumtzis 2013), without noise.

    The ends follow ``1.4 - x(t-1)^2 + 0.3 x(t-2)``; inner maps put ``0.5 C (x_{i-1} + x_{i+1}) + (1 - C) x_i`` in the
    square. A start that leaves the attractor is drawn again.

    Parameters
    ----------
    seed : int
    N, T : int
        Maps (at least 3) and samples.
    coupling : float
        C.
    """
    rng = default_rng(seed)
    inner = np.arange(1, N - 1)
    x = np.full((2 + BURN_IN + T, N), np.inf)
    while not np.abs(x[-1]).max() < 10:
        x[:2] = rng.uniform(0.0, 0.5, (2, N))
        for t in range(2, len(x)):
            drive = x[t - 1].copy()
            drive[inner] = 0.5 * coupling * (x[t - 1, inner - 1] + x[t - 1, inner + 1]) + (1 - coupling) * drive[inner]
            x[t] = 1.4 - drive * drive + 0.3 * x[t - 2]
            if np.abs(x[t]).max() > 10:
                break
    links: list[Link] = [(i, tau, i) for i in range(N) for tau in (1, 2)]
    links += [(int(i + side), 1, int(i)) for i in inner for side in (-1, 1)]
    return simulated(x[2 + BURN_IN :], links, "henon_chain", seed)
