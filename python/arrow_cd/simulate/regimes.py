"""The regimes that break screens: one sparse stable VAR, each time with one thing made difficult."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng

from arrow_cd.errors import InvalidDataError
from arrow_cd.simulate._types import Simulated, generator, simulated
from arrow_cd.simulate.linear import Floats, Range, draw_sparse, links_of, run_var, stabilise

# Samples dropped at the start, in units of the longest lag, and never fewer than the second number.
BURN_IN_LAGS, BURN_IN_MIN = 20, 500


@generator
def sparse_var(
    seed: int,
    *,
    N: int = 20,
    T: int = 1000,
    L: int = 10,
    own: Range = (0.3, 0.8),
    strength: Range = (0.2, 0.4),
    parents: int = 2,
    lags_per_parent: int = 1,
    feedforward: bool = False,
    heavy_tails: bool = False,
    distort: Callable[[Generator, Floats], Floats] | None = None,
) -> Simulated:
    """Sparse stable VAR: an own lag 1 and `parents` parents per target at lags 1..`L`, unit noise.

    Cross weights shrink until the companion radius is at most 0.97.

    Parameters
    ----------
    seed : int
    N, T, L : int
        Variables, samples, longest lag of a link.
    own, strength : (float, float)
        Uniform ranges of the own lag and of the size of a cross weight (random sign).
    parents, lags_per_parent : int
        Parents of a target, and the number of lags at which each acts.
    feedforward : bool
        The first half drives the second half, without feedback; weights then stay as drawn.
    heavy_tails : bool
        Student t noise with 2.1 degrees of freedom (nearly infinite variance) instead of N(0, 1).
    distort : callable, optional
        What the observer does to the series: `outliers`, `trend_and_season`, `missing`, `censored`.
    """
    rng = default_rng(seed)
    weights = draw_sparse(
        rng,
        N=N,
        L=L,
        own=own,
        strength=strength,
        parents=parents,
        lags_per_parent=lags_per_parent,
        feedforward=feedforward,
    )
    weights = stabilise(weights)
    burn_in = max(BURN_IN_MIN, BURN_IN_LAGS * L)
    shape = (burn_in + T, N)
    shocks = rng.standard_t(2.1, shape) if heavy_tails else rng.standard_normal(shape)
    values = run_var(weights, shocks, burn_in=burn_in)
    if distort is not None:
        values = distort(rng, values)
    return simulated(values, links_of(weights), "sparse_var", seed)


def outliers(rng: Generator, values: Floats, *, share: float = 0.01, size: float = 20.0) -> Floats:
    """Add spikes of `size` standard deviations, either sign, to a `share` of the samples."""
    hit = rng.random(values.shape) < share
    spiked: Floats = values + hit * rng.choice([-size, size], values.shape) * values.std(axis=0)
    return spiked


def trend_and_season(rng: Generator, values: Floats, *, period: int = 24) -> Floats:
    """Add to each series its own trend (1 to 3 sd from start to end) and season (0.5 to 1.5 sd, own phase)."""
    T, N = values.shape
    time = np.arange(T)[:, None]
    rise = rng.choice([-1.0, 1.0], N) * rng.uniform(1.0, 3.0, N)
    wave = rng.uniform(0.5, 1.5, N) * np.sin(2 * np.pi * (time / period + rng.random(N)))
    observed: Floats = values + values.std(axis=0) * (rise * time / T + wave)
    return observed


def missing(rng: Generator, values: Floats, *, share: float = 0.05) -> Floats:
    """Replace a `share` of the samples, at random, by NaN."""
    return np.where(rng.random(values.shape) < share, np.nan, values)


def censored(_: Generator, values: Floats, *, share: float = 0.8) -> Floats:
    """Show only what exceeds a quantile: a `share` of zeros, as dry hours in a record of rain."""
    return np.maximum(values - np.quantile(values, share, axis=0), 0.0)


@dataclass(frozen=True)
class _Emission:
    """How the drive of a step becomes its state, and a state its observation."""

    state: Callable[[Generator, Floats], Floats]
    observe: Callable[[Floats], Floats]
    intercept: float = 0.0
    shocks: bool = True


def _half_sign(_: Generator, drive: Floats) -> Floats:
    binary = np.arange(len(drive)) < len(drive) // 2
    return np.where(binary, np.where(drive > 0, 1.0, -1.0), drive)


def _half_observed(state: Floats) -> Floats:
    binary = np.arange(state.shape[1]) < state.shape[1] // 2
    return np.where(binary, (state + 1) / 2, state)


_EMISSIONS: dict[str, _Emission] = {
    # Counts act through log(1 + count), which keeps the log-linear model stable (Fokianos & Tjostheim 2011).
    "counts": _Emission(
        lambda rng, drive: np.log1p(rng.poisson(np.exp(drive))),
        lambda state: np.rint(np.expm1(state)),
        intercept=0.3,
        shocks=False,
    ),
    "binary": _Emission(lambda _, drive: np.where(drive > 0, 1.0, -1.0), lambda state: (state + 1) / 2),
    "half_binary": _Emission(_half_sign, _half_observed),
}


@generator
def discrete_var(seed: int, *, kind: str, N: int = 20, T: int = 1000, L: int = 10) -> Simulated:
    """`sparse_var` whose samples are counts or binary, and act on the future as such.

    Parameters
    ----------
    seed : int
    kind : {"counts", "binary", "half_binary"}
        Poisson counts of log mean ``0.3 + drive``, which act through log(1 + count); 1 where the drive is positive and
        else 0, acting as +-1; or that for the first half of the variables only.
    N, T, L : int
        Variables, samples, longest lag of a link.
    """
    if kind not in _EMISSIONS:
        raise InvalidDataError(f"kind must be one of {', '.join(_EMISSIONS)}, not {kind!r}")
    emission = _EMISSIONS[kind]
    rng = default_rng(seed)
    weights = draw_sparse(rng, N=N, L=L, own=(0.3, 0.8), strength=(0.2, 0.4))
    # Stability of the absolute weights is sufficient whatever the emission does with signs.
    shrunk = stabilise(np.abs(weights))
    weights = np.sign(weights) * shrunk
    burn_in = max(BURN_IN_MIN, BURN_IN_LAGS * L)
    noise = np.full((burn_in + T, N), emission.intercept)
    if emission.shocks:
        noise += rng.standard_normal(noise.shape)
    state = run_var(weights, noise, burn_in=burn_in, emit=lambda drive: emission.state(rng, drive))
    return simulated(emission.observe(state), links_of(weights), kind, seed)


_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "bump": lambda x: x + 5 * x**2 * np.exp(-(x**2) / 20),
    "square": lambda x: x**2,
    "abs": np.abs,
    "cos": np.cos,
}


@generator
def nonlinear_parents(
    seed: int,
    *,
    function: str,
    N: int = 20,
    T: int = 1000,
    L: int = 10,
) -> Simulated:
    """Feedforward `sparse_var` whose cross links act through one nonlinear function.

    The first half are Gaussian AR(1); scaled to unit variance they enter `function`, whose values are standardised, so
    that a link of weight 0.3 explains as much as a linear one would. Without feedback nothing can diverge.

    Parameters
    ----------
    seed : int
    function : {"bump", "square", "abs", "cos"}
        x + 5 x^2 exp(-x^2 / 20), x^2, |x| or cos x.
    N, T, L : int
        Variables, samples, longest lag of a link.
    """
    if function not in _FUNCTIONS:
        raise InvalidDataError(f"function must be one of {', '.join(_FUNCTIONS)}, not {function!r}")
    rng = default_rng(seed)
    weights = draw_sparse(rng, N=N, L=L, own=(0.3, 0.8), strength=(0.2, 0.4), feedforward=True)
    burn_in = max(BURN_IN_MIN, BURN_IN_LAGS * L)
    own_only = weights * np.eye(N)[:, :, None]
    drive = rng.standard_normal((burn_in + T, N))
    half = N // 2
    own = weights[np.arange(N), np.arange(N), 1]
    sources = run_var(own_only, drive, burn_in=0)[:, :half]
    effect = _FUNCTIONS[function](sources * np.sqrt(1 - own[:half] ** 2))
    effect = (effect - effect.mean(axis=0)) / effect.std(axis=0)
    for i, j, tau in np.argwhere(weights != 0):
        if i != j:
            drive[tau:, j] += weights[i, j, tau] * effect[: len(effect) - tau, i]
    values = run_var(own_only, drive, burn_in=0)[burn_in:]
    return simulated(values, links_of(weights), f"nonlinear_{function}", seed)


@generator
def cancelling_chain(seed: int, *, T: int = 2000) -> Simulated:
    """X0 -> X1 -> X2, 0.8 at lag 1 each, and X0 -> X2 of -0.64 at lag 2, which hides X0 from X2 unless X1 is given."""
    weights = np.zeros((3, 3, 3))
    weights[0, 1, 1] = weights[1, 2, 1] = 0.8
    weights[0, 2, 2] = -0.64
    noise = default_rng(seed).standard_normal((10 + T, 3))
    return simulated(run_var(weights, noise, burn_in=10), links_of(weights), "cancelling_chain", seed)
