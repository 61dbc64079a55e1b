"""S1-S4: the generators on which the ARROW pruning was published, linear and nonlinear."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from arrow_cd.simulate._types import Simulated, generator, simulated
from arrow_cd.simulate.linear import Floats, links_of, run_var

# Samples dropped at the start, in units of the largest lag.
BURN_IN_LAGS = 20


@generator
def arrow_linear_const(seed: int, *, N: int = 10, T: int = 1000, lag: int = 5) -> Simulated:
    """S1: a linear system in which every link, own links included, acts at the same lag.

    Each target has itself and int(0.2 N) - 1 others as parents. The 0/1 matrix of links is multiplied by 0.95 until its
    spectral radius is at most 0.97; noise is N(0, 0.1^2).

    Parameters
    ----------
    seed : int
    N, T : int
        Variables and samples.
    lag : int
        The lag of every link, in samples.
    """
    return _linear("arrow_linear_const", seed, N=N, T=T, lag=lag, one_lag=True)


@generator
def arrow_linear_multi(seed: int, *, N: int = 10, T: int = 1000, lag: int = 5) -> Simulated:
    """S2: S1 with a lag of its own, uniform on 1..`lag`, for every ordered pair. Parameters as in S1."""
    return _linear("arrow_linear_multi", seed, N=N, T=T, lag=lag, one_lag=False)


@generator
def arrow_nonlinear_const(
    seed: int, *, N: int = 10, T: int = 1000, lag: int = 5, redraw_functions: bool = True
) -> Simulated:
    """S3: an acyclic system of nonlinear links, all at the same lag, without own lags.

    Variable j > i causes i with probability 0.4 and weight 1 through one of x, sgn(x) sqrt(|x| / 2), sin(pi x / 2) and
    tanh x. At each step the noise of all variables comes from one family: N(0, 1), U(-1, 1), an exponential of mean 0.5
    or a Gamma(2, scale 0.3), the last two with a random sign.

    Parameters
    ----------
    seed : int
    N, T : int
        Variables and samples.
    lag : int
        The lag of every link, in samples.
    redraw_functions : bool
        Whether a link takes a new function at every step (the published form) or keeps one.
    """
    name = "arrow_nonlinear_const"
    return _nonlinear(name, seed, N=N, T=T, lag=lag, one_lag=True, redraw_functions=redraw_functions)


@generator
def arrow_nonlinear_multi(
    seed: int, *, N: int = 10, T: int = 1000, lag: int = 5, redraw_functions: bool = True
) -> Simulated:
    """S4: S3 with a lag of its own, uniform on 1..`lag`, for every ordered pair. Parameters as in S3."""
    name = "arrow_nonlinear_multi"
    return _nonlinear(name, seed, N=N, T=T, lag=lag, one_lag=False, redraw_functions=redraw_functions)


def _pair_lags(rng: Generator, N: int, lag: int, one_lag: bool) -> NDArray[np.int64]:
    return np.full((N, N), lag) if one_lag else rng.integers(1, lag + 1, size=(N, N))


def _linear(name: str, seed: int, *, N: int, T: int, lag: int, one_lag: bool) -> Simulated:
    rng = default_rng(seed)
    linked = np.eye(N)
    for j in range(N):
        others = np.delete(np.arange(N), j)
        linked[rng.choice(others, max(0, int(0.2 * N) - 1), replace=False), j] = 1.0
    lags = _pair_lags(rng, N, lag, one_lag)
    # A radius below 1 at one common lag is enough for any lags: the weights are not negative.
    while np.abs(np.linalg.eigvals(linked)).max() > 0.97:
        linked *= 0.95
    weights = np.zeros((N, N, lag + 1))
    sources, targets = np.nonzero(linked)
    weights[sources, targets, lags[sources, targets]] = linked[sources, targets]
    burn_in = BURN_IN_LAGS * lag
    values = run_var(weights, 0.1 * rng.standard_normal((burn_in + T, N)), burn_in=burn_in)
    return simulated(values, links_of(weights), name, seed)


def _nonlinear(name: str, seed: int, *, N: int, T: int, lag: int, one_lag: bool, redraw_functions: bool) -> Simulated:
    rng = default_rng(seed)
    causes = np.tril(rng.random((N, N)) < 0.4, k=-1)  # [source, target], source > target
    lags = _pair_lags(rng, N, lag, one_lag)
    burn_in = BURN_IN_LAGS * lag
    x = _mixed_noise(rng, burn_in + T, N)
    # Causes come after their effects in the numbering, so one pass from the last variable down fills every series.
    for j in reversed(range(N)):
        for i in np.flatnonzero(causes[:, j]):
            tau = lags[i, j]
            steps = len(x) - tau
            which = rng.integers(4, size=steps) if redraw_functions else np.full(steps, rng.integers(4))
            x[tau:, j] += _mixed_functions(x[:-tau, i], which)
    links = [(i, lags[i, j], j) for i, j in np.argwhere(causes)]
    return simulated(x[burn_in:], links, name, seed)


def _mixed_noise(rng: Generator, steps: int, N: int) -> Floats:
    shape = (steps, N)
    families = [
        rng.standard_normal(shape),
        rng.uniform(-1.0, 1.0, shape),
        rng.choice([-1.0, 1.0], shape) * rng.exponential(0.5, shape),
        rng.choice([-1.0, 1.0], shape) * rng.gamma(2.0, 0.3, shape),
    ]
    return np.choose(rng.integers(4, size=(steps, 1)), families)


def _mixed_functions(x: Floats, which: NDArray[np.int64]) -> Floats:
    return np.choose(which, [x, np.sign(x) * np.sqrt(np.abs(x) / 2), np.sin(np.pi * x / 2), np.tanh(x)])
