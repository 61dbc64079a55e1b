"""What a generator returns: the series, their names and the links that made them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_count

Link = tuple[int, int, int]
P = ParamSpec("P")

# Whole numbers that generators take, and the smallest that makes sense.
_LEAST = {"seed": 0, "N": 1, "T": 1, "L": 1, "lag": 1, "tau": 1}


@dataclass(frozen=True)
class Simulated:
    """Simulated series with the links that made them.

    Attributes
    ----------
    values : ndarray, shape (T, N)
        The series; NaN where a sample is missing.
    names : tuple of str
        One name per series, ``X0 ... X{N-1}``.
    links : tuple of (source, tau, target)
        Every direct link, own lags included, lags in samples; sorted, without repeats.
    name : str
        The generator.
    seed : int
        What `numpy.random.default_rng` was started with.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    links: tuple[Link, ...]
    name: str
    seed: int

    def lagged_truth(self, tau_max: int) -> NDArray[np.bool_]:
        """Links as a boolean array (N, N, tau_max + 1) indexed ``[source, target, tau]``.

        Raises
        ------
        InvalidDataError
            If a link is longer than `tau_max`: it would be lost without a word.
        """
        N = len(self.names)
        longest = max((tau for _, tau, _ in self.links), default=0)
        if longest > tau_max:
            raise InvalidDataError(
                f"{self.name} has a link of lag {longest}: tau_max must be at least that, not {tau_max}"
            )
        truth = np.zeros((N, N, tau_max + 1), dtype=bool)
        for source, tau, target in self.links:
            truth[source, target, tau] = True
        return truth

    def summary_truth(self) -> NDArray[np.bool_]:
        """Links at any lag as a boolean array (N, N) indexed ``[source, target]``."""
        N = len(self.names)
        truth = np.zeros((N, N), dtype=bool)
        for source, _, target in self.links:
            truth[source, target] = True
        return truth


def simulated(values: NDArray[np.float64], links: Iterable[Link], name: str, seed: int) -> Simulated:
    """Name the columns, sort the links and refuse a process that ran away."""
    if np.isinf(values).any():
        raise InvalidDataError(f"{name} with seed {seed} diverged: use a weaker coupling")
    clean = tuple(sorted({(int(source), int(tau), int(target)) for source, tau, target in links}))
    names = tuple(f"X{i}" for i in range(values.shape[1]))
    return Simulated(np.ascontiguousarray(values, dtype=np.float64), names, clean, name, seed)


def generator(draw: Callable[P, Simulated]) -> Callable[P, Simulated]:
    """Make `draw` refuse seeds, sizes and lags that can't be meant, before numpy does so in its own words."""
    signature = inspect.signature(draw)

    @wraps(draw)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Simulated:
        given = signature.bind(*args, **kwargs).arguments
        for name, least in _LEAST.items():
            if name in given:
                check_count(name, given[name], least)
        return draw(*args, **kwargs)

    return checked
