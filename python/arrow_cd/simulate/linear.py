"""Vector autoregressions: drawing sparse weights, keeping them stable, running them.

Weights are (N, N, L + 1) arrays indexed ``[source, target, tau]``; tau = 0 stays zero here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from arrow_cd.simulate._types import Link

Floats = NDArray[np.float64]
Range = tuple[float, float]


def links_of(weights: Floats) -> list[Link]:
    """Every non-zero weight as (source, tau, target)."""
    return [(int(i), int(tau), int(j)) for i, j, tau in np.argwhere(weights != 0)]


def companion_radius(weights: Floats) -> float:
    """Spectral radius of the companion matrix; the process is stable if and only if it is below 1.

    Parameters
    ----------
    weights : ndarray, shape (N, N, L + 1)
        Indexed ``[source, target, tau]``.

    Notes
    -----
    The eigenvalues of the full companion matrix (Luetkepohl 2005, section 2.1) are zeros and those of its strongly
    connected parts, in each of which the state holds a source only as far back as some target reads it. That keeps
    lags up to 100 affordable.
    """
    linked = weights.any(axis=2)
    reaches = linked | np.eye(len(weights), dtype=bool)
    for _ in range(len(weights).bit_length()):
        reaches = reaches @ reaches
    together = reaches & reaches.T
    parts = [np.flatnonzero(row) for i, row in enumerate(together) if i == row.argmax()]
    return max(_part_radius(weights[np.ix_(part, part)]) for part in parts)


def _part_radius(weights: Floats) -> float:
    N, _, width = weights.shape
    depth = [max([tau for tau in range(1, width) if weights[i, :, tau].any()], default=1) for i in range(N)]
    start = np.concatenate([[0], np.cumsum(depth)])
    companion = np.zeros((start[-1], start[-1]))
    for i in range(N):
        for tau in range(1, depth[i] + 1):
            companion[start[:-1], start[i] + tau - 1] = weights[i, :, tau]
            if tau < depth[i]:
                companion[start[i] + tau, start[i] + tau - 1] = 1.0
    return float(np.abs(np.linalg.eigvals(companion)).max())


def stabilise(weights: Floats, *, limit: float = 0.97, shrink: Literal["all", "cross"] = "cross") -> Floats:
    """Weights scaled down, a tenth at a time, until the companion radius is at most `limit`.

    Parameters
    ----------
    weights : ndarray, shape (N, N, L + 1)
        Indexed ``[source, target, tau]``; not changed.
    limit : float
        Largest companion radius allowed.
    shrink : {"all", "cross"}
        Whether own lags shrink too. With "cross" they must be stable on their own.
    """
    weights = weights.copy()
    cross = ~np.eye(len(weights), dtype=bool) if shrink == "cross" else np.ones(weights.shape[:2], dtype=bool)
    while companion_radius(weights) > limit:
        weights[cross] *= 0.9
    return weights


def draw_sparse(
    rng: Generator,
    *,
    N: int,
    L: int,
    own: Range,
    strength: Range,
    parents: int | float = 2,
    poisson: bool = False,
    lags_per_parent: int = 1,
    feedforward: bool = False,
) -> Floats:
    """Weights of a sparse system: own lag 1 plus a few cross links to every target.

    Parameters
    ----------
    N, L : int
        Variables, and the longest lag of a cross link.
    own, strength : (float, float)
        Uniform ranges of the own lag 1 and of the size of a cross weight, whose sign is a fair coin.
    parents : int or float
        Parents of a target; with `poisson` their mean number.
    lags_per_parent : int
        Different lags at which each parent acts.
    feedforward : bool
        The first half of the variables drives the second half. Nothing feeds back, so that the weights stay as drawn
        however strong the own lags are.

    Returns
    -------
    ndarray, shape (N, N, L + 1)
    """
    weights = np.zeros((N, N, L + 1))
    for j in range(N):
        weights[j, j, 1] = rng.uniform(*own)
        eligible = np.arange(N // 2) if feedforward else np.delete(np.arange(N), j)
        wanted = int(rng.poisson(parents)) if poisson else int(parents)
        if feedforward and j < N // 2:
            continue
        for i in rng.choice(eligible, min(wanted, len(eligible)), replace=False):
            for tau in rng.choice(np.arange(1, L + 1), lags_per_parent, replace=False):
                weights[i, j, tau] = rng.choice([-1.0, 1.0]) * rng.uniform(*strength)
    return weights


def run_var(weights: Floats, noise: Floats, *, burn_in: int, emit: Callable[[Floats], Floats] | None = None) -> Floats:
    """Run ``x(t) = emit(sum_tau W_tau x(t - tau) + noise(t))`` from zero and drop the first `burn_in` samples.

    Parameters
    ----------
    weights : ndarray, shape (N, N, L + 1)
        Indexed ``[source, target, tau]``.
    noise : ndarray, shape (burn_in + T, N)
    burn_in : int
        Samples to drop.
    emit : callable, optional
        Turns the drive (N,) of a step into its state (N,); the identity when left out.

    Returns
    -------
    ndarray, shape (T, N)
    """
    N, _, width = weights.shape
    L = width - 1
    # Oldest lag first, as the samples lie in memory.
    step = np.ascontiguousarray(weights[:, :, :0:-1].transpose(1, 2, 0).reshape(N, L * N))
    x = np.zeros((L + len(noise), N))
    for t in range(L, len(x)):
        drive = step @ x[t - L : t].reshape(-1) + noise[t - L]
        x[t] = drive if emit is None else emit(drive)
    return x[L + burn_in :]
