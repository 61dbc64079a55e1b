"""S5-S7 and S10-S12: sparse vector autoregressions, LiNGAM-like systems, small known structures, null systems."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng

from arrow_cd.errors import InvalidDataError
from arrow_cd.simulate._types import Link, Simulated, generator, simulated
from arrow_cd.simulate.linear import companion_radius, draw_sparse, links_of, run_var, stabilise

BURN_IN = 500

STRUCTURES: dict[str, tuple[tuple[int, int], ...]] = {
    "fork": ((0, 1), (0, 2)),
    "v": ((0, 2), (1, 2)),
    "mediator": ((0, 1), (1, 2), (0, 2)),
    "diamond": ((0, 1), (0, 2), (1, 3), (2, 3)),
}


@generator
def svar_wide(seed: int, *, N: int = 100, T: int = 1000, L: int = 3, parents: float = 2.0) -> Simulated:
    """S5: many variables, own lag 1 in U(0.3, 0.6), Poisson(`parents`) parents of weight +-U(0.2, 0.5), N(0, 1) noise.

    Every weight shrinks until the companion radius is at most 0.97.

    Parameters
    ----------
    seed : int
    N, T : int
        Variables and samples.
    L : int
        Longest lag of a link, in samples.
    parents : float
        Mean number of parents besides the target itself.
    """
    return _svar("svar_wide", seed, N=N, T=T, L=L, parents=parents)


@generator
def svar_long(seed: int, *, N: int = 20, T: int = 10_000, L: int = 10, parents: float = 1.5) -> Simulated:
    """S6: S5 with fewer variables, longer lags and ten times the samples. Parameters as in S5."""
    return _svar("svar_long", seed, N=N, T=T, L=L, parents=parents)


def _svar(name: str, seed: int, *, N: int, T: int, L: int, parents: float) -> Simulated:
    rng = default_rng(seed)
    weights = draw_sparse(rng, N=N, L=L, own=(0.3, 0.6), strength=(0.2, 0.5), parents=parents, poisson=True)
    weights = stabilise(weights, shrink="all")
    values = run_var(weights, rng.standard_normal((BURN_IN + T, N)), burn_in=BURN_IN)
    return simulated(values, links_of(weights), name, seed)


@generator
def svar_autocorrelated(seed: int, *, N: int = 20, T: int = 500, L: int = 5, parents: float = 1.0) -> Simulated:
    """S7: own lag 1 in U(0.6, 0.95), Poisson(`parents`) parents of +-U(0.3, 0.5); only cross links shrink. See S5."""
    rng = default_rng(seed)
    weights = draw_sparse(rng, N=N, L=L, own=(0.6, 0.95), strength=(0.3, 0.5), parents=parents, poisson=True)
    weights = stabilise(weights, shrink="cross")
    values = run_var(weights, rng.standard_normal((BURN_IN + T, N)), burn_in=BURN_IN)
    return simulated(values, links_of(weights), "svar_autocorrelated", seed)


@generator
def svar_lingam(seed: int, *, N: int = 8, T: int = 1000) -> Simulated:
    """S10: contemporaneous links in a random order, one lag, uniform noise.

    ``x(t) = B0 x(t) + B1 x(t - 1) + U(-1, 1)``; a variable drives each later one of the order with probability 0.3 and
    weight +-U(0.3, 0.7); B1 has own lags in U(0.2, 0.5) and one parent of +-U(0.2, 0.4) per target. Lag-0 links are
    part of the truth.

    Parameters
    ----------
    seed : int
    N, T : int
        Variables and samples.
    """
    rng = default_rng(seed)
    order = rng.permutation(N)
    instant = np.zeros((N, N))  # [source, target]
    for later in range(1, N):
        for source in order[:later]:
            if rng.random() < 0.3:
                instant[source, order[later]] = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 0.7)
    weights = draw_sparse(rng, N=N, L=1, own=(0.2, 0.5), strength=(0.2, 0.4), parents=1)
    mixing = np.linalg.inv(np.eye(N) - instant)  # row vectors: x = (lagged drive) @ mixing
    reduced = np.zeros_like(weights)
    reduced[:, :, 1] = weights[:, :, 1] @ mixing
    while companion_radius(reduced) > 0.97:
        weights *= 0.9
        reduced *= 0.9
    noise = rng.uniform(-1.0, 1.0, (BURN_IN + T, N)) @ mixing
    links = links_of(weights) + [(int(i), 0, int(j)) for i, j in np.argwhere(instant != 0)]
    return simulated(run_var(reduced, noise, burn_in=BURN_IN), links, "svar_lingam", seed)


@generator
def structure(seed: int, *, shape: str = "fork", T: int = 1000) -> Simulated:
    """S11: three or four variables, one function a link, heavy-tailed noise 0.1 z^3 and lags of 10 or 20 samples.

    Each link is one of |x|, tanh x, sin x, cos x, with weight 1; there are no own lags.

    Parameters
    ----------
    seed : int
    shape : {"fork", "v", "mediator", "diamond"}
        0 -> 1, 2; 0, 1 -> 2; 0 -> 1 -> 2 with 0 -> 2; or 0 -> 1, 2 -> 3.
    T : int
        Samples.
    """
    if shape not in STRUCTURES:
        raise InvalidDataError(f"shape must be one of {', '.join(STRUCTURES)}, not {shape!r}")
    rng = default_rng(seed)
    pairs = STRUCTURES[shape]
    N = 1 + max(j for _, j in pairs)
    burn_in = 100
    x = 0.1 * rng.standard_normal((burn_in + T, N)) ** 3
    links: list[Link] = []
    for i, j in sorted(pairs, key=lambda pair: pair[1]):  # sources come first, so each series is final when read
        tau = int(rng.choice([10, 20]))
        function = (np.abs, np.tanh, np.sin, np.cos)[rng.integers(4)]
        x[tau:, j] += function(x[:-tau, i])
        links.append((i, tau, j))
    return simulated(x[burn_in:], links, f"structure_{shape}", seed)


@generator
def null_ar1(seed: int, *, N: int = 10, T: int = 1000, own: float = 0.9, trend_and_season: bool = False) -> Simulated:
    """S12: independent AR(1) series; every cross link found is false.

    Parameters
    ----------
    seed : int
    N, T : int
        Variables and samples.
    own : float
        The own lag 1.
    trend_and_season : bool
        Add one trend (three standard deviations from start to end) and one season (period 24, amplitude one standard
        deviation) to all series: confounding that no lag explains.
    """
    rng = default_rng(seed)
    weights = np.zeros((N, N, 2))
    weights[np.arange(N), np.arange(N), 1] = own
    values = run_var(weights, rng.standard_normal((BURN_IN + T, N)), burn_in=BURN_IN)
    if trend_and_season:
        time = np.arange(T)
        shared = 3.0 * time / T + np.sin(2 * np.pi * time / 24)
        values = values + shared[:, None] / np.sqrt(1 - own**2)
    return simulated(values, links_of(weights), "null_ar1_shared" if trend_and_season else "null_ar1", seed)


@generator
def pure_noise(seed: int, *, N: int = 8, T: int = 200, strength: float = 0.0, tau: int = 2) -> Simulated:
    """White noise N(0, 1), with one link X0 -> X1 of weight `strength` at lag `tau` where `strength` isn't zero.

    The draws without and with the link share their noise, so that they can be compared pair by pair.
    """
    if N < 2:
        raise InvalidDataError(f"N={N}: a link from X0 to X1 needs two series")
    rng = default_rng(seed)
    x = rng.standard_normal((tau + T, N))
    x[tau:, 1] += strength * x[:-tau, 0]
    return simulated(x[tau:], [(0, tau, 1)] if strength else [], "pure_noise", seed)
