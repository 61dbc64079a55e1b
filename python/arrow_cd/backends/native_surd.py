"""SURD by the compiled core: what the past of some variables says about a target, split into its parts."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from time import perf_counter
from typing import TYPE_CHECKING, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_checks import check_masks
from arrow_cd.backends.native_search import MEMORY_BUDGET, InterruptedRun
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_choice, check_count, check_flag
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries

    Agents = tuple[tuple[int, int], ...]

MOST_AGENTS = 64
MOST_BINS = 256
LARGEST_ORDER = 20

BINNINGS = ("quantile", "width")

LEAST_SHIFT = 20
"""Shifts of the target move it by at least this many samples, or tau_max if that is more."""

# With fewer different shifts than this no p-value could be below 0.05.
_LEAST_SHIFTS = 19


@dataclass(frozen=True)
class Decomposition:
    """What the agents of one target say about it.

    Attributes
    ----------
    agents
        Lagged variables (source, -tau), by source, then lag.
    terms
        The parts that are not zero in bits, by kind and agents. ("U", (a,)): only a says it, or a says it alone when
        the others say less. ("R", agents): all of them say it, each alone. ("S", agents): they say it together, and no
        smaller set does.
    credits : (len(agents),) float64
        Bits that an agent is credited with: its unique term and an equal share of every synergy it takes part in.
    p : (len(agents),) float64 or None
        p-values of the credits, None without shifts.
    varies : tuple of bool
        Whether each agent has more than one state on the rows.
    entropy
        Bits needed to know the target's state.
    information
        The sum of the terms: what the most informative set says about each state, averaged. Of all agents together if
        the order reaches their number.
    """

    agents: Agents
    terms: Mapping[tuple[str, Agents], float]
    credits: NDArray[np.float64]
    p: NDArray[np.float64] | None
    varies: tuple[bool, ...]
    entropy: float
    information: float

    @property
    def leak(self) -> float:
        """Share of the target's entropy that the agents leave open; 1 for a target without entropy."""
        return 1.0 - self.information / self.entropy if self.entropy else 1.0


@dataclass(frozen=True)
class SurdRun:
    """What the core found.

    Attributes
    ----------
    targets
        A decomposition for every target, in order; None where an interrupt came before.
    order
        Number of agents in the largest sets.
    n_samples
        Rows.
    n_shift
        Shifts of every target.
    n_sets
        Sets of agents that were looked at, shifts included.
    seconds
        Time taken.
    """

    targets: tuple[Decomposition | None, ...]
    order: int
    n_samples: int
    n_shift: int
    n_sets: int
    seconds: float


def run_surd(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_] | None = None,
    bins: int = 4,
    binning: str = "quantile",
    max_order: int | Literal["auto"] = "auto",
    miller_madow: bool = False,
    n_shift: int = 200,
    seed: int = 0,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> SurdRun:
    """Decompose what the linked past of every target says about it.

    Parameters
    ----------
    series
        The data, complete.
    links, required : (N, N, tau_max + 1) bool
        Agents of every target, indexed [source, target, tau]; both count alike. At most 64 a target. A series at lag 0
        is no agent of its own.
    bins, binning
        Every series is cut into `bins` states: "quantile", by mid-ranks into equally frequent ones, or "width", into
        equally wide ones between its smallest and largest value. Up to `bins` different values are states as they are.
    max_order
        Largest sets of agents. "auto": the largest k with ``(s^k - 1) (s - 1) / (2 n ln 2) <= 0.1`` bit, at least 1,
        for s states (the most of any series) and n rows: what k agents seem to say by chance alone.
    miller_madow
        Subtract this chance excess from what every set says about every state, by the number of states seen. Terms stay
        positive; sets that say less than what is subtracted say nothing.
    n_shift
        Circular shifts of the target for p-values, 0 for none; at least 19. Every data set is shifted on its own, by at
        least max(20, tau_max) samples against every agent. If there is one data set and it has fewer shifts, each is
        taken once.
    seed
        Seed of the shifts, together with the target's name.
    memory_budget
        Bytes for the information of all sets: 16 bytes a set, state and shift, of which 16 are held at once a thread.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("surd", done, total)`` with targets.

    Returns
    -------
    SurdRun
        On rows t >= tau_max of every data set.

    Raises
    ------
    InvalidDataError
        An argument has a wrong type or value, values are missing, or there are too few rows for shifts.
    MemoryError
        The sets of agents take more than `memory_budget` bytes.
    InterruptedRun
        Ctrl-C; it has what was found until then.

    Notes
    -----
    With the specific information ``i(y; C) = sum_c p(c|y) log2(p(y|c) / p(y))`` of a set of agents C about a state y,
    sets that say less than some smaller one are dropped, the others sorted (ties: the smaller set, then the order of
    its agents), and every increment over the set before goes to the single agent and all single ones after it as
    redundancy, or to a larger set as synergy; averaged over states.

    p-values test that the target is independent of its agents: ``(1 + k) / (1 + n_shift)`` for k shifts that credit an
    agent with as much; where fewer than 10 do, the largest quarter of them is extrapolated by an exponential tail.

    References
    ----------
    Martínez-Sánchez, Á., Arranz, G., Lozano-Durán, A. (2024). Decomposing causality into its synergistic, unique, and
    redundant components. Nature Communications 15, 9296.

    Miller, G. A. (1955). Note on the bias of information estimates. In: Information Theory in Psychology, 95-100.
    """
    check_masks(links, required, series.N)
    check_options(bins, binning, max_order, n_shift)
    check_flag("miller_madow", miller_madow)
    check_count("seed", seed, 0)
    check_count("memory_budget", memory_budget, 0)
    check_call(n_jobs, progress)
    if not series.complete:
        raise InvalidDataError("values are missing: SURD takes complete data only")
    began = perf_counter()
    shifts = draw_shifts(series, links.shape[2] - 1, n_shift, seed)
    values, _, segments = series.core_arrays()
    found = _core.surd(
        values,
        segments,
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        bins=bins,
        binning=binning,
        max_order=None if max_order == "auto" else max_order,
        unbias=miller_madow,
        shifts=shifts,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=steps(progress, "surd", series.N),
    )
    run = SurdRun(
        targets=tuple(None if one is None else _decomposition(one, n_shift > 0) for one in found["targets"]),
        order=found["order"],
        n_samples=found["n_rows"],
        n_shift=shifts.shape[1],
        n_sets=found["n_sets"],
        seconds=perf_counter() - began,
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run


def check_options(bins: object, binning: object, max_order: object, n_shift: object) -> None:
    """Raise InvalidDataError for a value that can't be meant; the message names the option."""
    _check_range("bins", bins, 2, MOST_BINS)
    check_choice("binning", binning, BINNINGS)
    if not isinstance(max_order, str) or max_order != "auto":
        _check_range("max_order", max_order, 1, LARGEST_ORDER, "'auto' or ")
    check_count("n_shift", n_shift, 0)
    if 0 < n_shift < _LEAST_SHIFTS:  # type: ignore[operator]
        raise InvalidDataError(f"n_shift={n_shift}: expected 0, or at least {_LEAST_SHIFTS} shifts")


def _check_range(name: str, value: object, least: int, most: int, other: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise InvalidDataError(f"{name}={value!r}: expected {other}a whole number from {least} to {most}")


def count_sets(n_agents: int, order: int) -> int:
    """Sets of 1 to `order` agents."""
    return sum(comb(n_agents, k) for k in range(1, order + 1))


def draw_shifts(series: TimeSeries, tau_max: int, n_shift: int, seed: int) -> NDArray[np.uint64]:
    """Circular shifts of every target: (N, shifts, data sets that have rows).

    A shift by d puts a row's target d samples later and, around the circle of n rows, n - d earlier; both keep it away
    from every agent for d from max(20, tau_max) to n - max(20, tau_max) - tau_max.
    """
    lengths = [stop - start - tau_max for start, stop in series.segments if stop - start > tau_max]
    if n_shift == 0:
        return np.empty((series.N, 0, len(lengths)), dtype=np.uint64)
    least = max(LEAST_SHIFT, tau_max)
    choices = [length - 2 * least - tau_max + 1 for length in lengths]
    if min(choices, default=0) < (_LEAST_SHIFTS if len(choices) == 1 else 1):
        raise InvalidDataError(
            f"n_shift={n_shift}: circular shifts by {least} samples or more need at least "
            f"{2 * least + tau_max + _LEAST_SHIFTS - 1} rows in a single data set and {2 * least + tau_max} in each of "
            f"several, after the first tau_max={tau_max}; the shortest has {min(lengths, default=0)}. Give longer data "
            "sets or a smaller tau_max, or n_shift=0 for no p-values"
        )
    count = min(n_shift, choices[0]) if len(choices) == 1 else n_shift
    shifts = np.empty((series.N, count, len(choices)), dtype=np.uint64)
    for name, of_target in zip(series.names, shifts, strict=True):
        rng = np.random.default_rng([seed, *name.encode()])
        for k, n_choices in enumerate(choices):
            of_target[:, k] = least + rng.choice(n_choices, count, replace=n_choices < count)
    return shifts


def _decomposition(found: _core._SurdTarget, tested: bool) -> Decomposition:
    agents = tuple((source, -lag) for source, lag in found["agents"])
    return Decomposition(
        agents=agents,
        terms={(kind, tuple(agents[a] for a in members)): bits for kind, members, bits in found["terms"]},
        credits=found["credits"],
        p=found["p"] if tested else None,
        varies=tuple(found["varies"]),
        entropy=found["entropy"],
        information=found["information"],
    )
