"""Random tasks for PCMCI+, and how the native run differs from tigramite's; benches/exactness.py uses them too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.data import as_time_series
from arrow_cd.tigramite.assumptions import Links, split_links
from systems import all_links

# Marks of a pair at lag 0, read from the series that comes first in the causal order, and how often they are drawn.
PAIR_MARKS = {"": 0.15, "o?o": 0.55, "o-o": 0.1, "-?>": 0.12, "-->": 0.08}


@dataclass(frozen=True)
class PlusCase:
    """Values (T, N) and everything that run_pcmciplus takes."""

    x: NDArray[np.float64]
    tau_min: int
    tau_max: int
    link_assumptions: Links | None
    options: dict[str, Any]
    normal_scores: bool = False


@dataclass(frozen=True)
class PlusDifference:
    """Which results equal tigramite's, and by how much p and val differ at most."""

    graph: bool
    parents: bool
    sepsets: bool
    ambiguous_triples: bool
    level: bool
    p: float
    val: float
    conflicts: bool

    def within(self, tolerance: float) -> bool:
        same = self.graph and self.parents and self.sepsets and self.ambiguous_triples and self.level
        return same and max(self.p, self.val) <= tolerance


def contemporaneous_system(rng: np.random.Generator, n: int, T: int, tau_max: int) -> NDArray[np.float64]:
    """A stable linear system with links at lag 0 in a random causal order; shape (T, n)."""
    density = rng.uniform(0.2, 0.8)
    now = np.tril(rng.choice([-1, 1], (n, n)) * rng.uniform(0.2, 0.8, (n, n)) * (rng.random((n, n)) < density), -1)
    order = rng.permutation(n)
    now = now[np.ix_(order, order)]
    longest = max(tau_max, 1)
    weights = np.zeros((longest + 1, n, n))
    weights[1, range(n), range(n)] = rng.uniform(0, 0.6, n)
    for target in range(n):
        weights[rng.integers(1, longest + 1), target, rng.integers(n)] += rng.choice([-1, 1]) * rng.uniform(0.1, 0.3)
    mix = np.linalg.inv(np.eye(n) - now)
    # Effects of the whole past that sum to less than 1 in every norm can't explode.
    weights *= 0.9 / max(0.9, sum(np.linalg.norm(mix @ w, 2) for w in weights))
    x = rng.standard_normal((T + 100, n))
    for t in range(longest, T + 100):
        x[t] = mix @ (x[t] + sum(weights[lag] @ x[t - lag] for lag in range(1, longest + 1)))
    return x[100:]


def random_assumptions(rng: np.random.Generator, n: int, tau_min: int, tau_max: int) -> Links:
    """Every type of link assumption, without cycles at lag 0."""
    assumptions: Links = {j: {} for j in range(n)}
    order = rng.permutation(n).tolist()
    for later in range(n if tau_min == 0 else 0):
        for earlier in range(later):
            mark = str(rng.choice(list(PAIR_MARKS), p=list(PAIR_MARKS.values())))
            if mark:
                assumptions[order[later]][order[earlier], 0] = mark
    for i, j, tau in np.ndindex(n, n, tau_max + 1):
        if tau >= max(1, tau_min) and rng.random() < 0.8:
            assumptions[j][i, -tau] = "-?>" if rng.random() < 0.95 else "-->"
    return assumptions


def random_case(seed: int, largest: int = 6, most_lags: int = 3) -> PlusCase:
    """A task with N in 2..largest, tau_max in 0..most_lags and any options."""
    rng = np.random.default_rng(seed)

    def limit(*values: int | None) -> int | None:
        return values[rng.integers(len(values))]

    n, tau_max, T = int(rng.integers(2, largest + 1)), int(rng.integers(0, most_lags + 1)), int(rng.integers(60, 300))
    tau_min = int(rng.random() < 0.2) if tau_max else 0
    options = {
        "pc_alpha": float(rng.choice([0.01, 0.05, 0.2, 0.5])),
        "contemp_collider_rule": str(rng.choice(["majority", "conservative", "none"])),
        "conflict_resolution": bool(rng.random() < 0.5),
        "reset_lagged_links": bool(rng.random() < 0.3),
        "max_conds_dim": limit(None, None, 1, 0),
        "max_combinations": int(rng.integers(1, 3)),
        "max_conds_py": limit(None, None, 1, 2),
        "max_conds_px": limit(None, None, 0, 1),
        "max_conds_px_lagged": limit(None, None, 0, 1),
    }
    assumptions = random_assumptions(rng, n, tau_min, tau_max) if rng.random() < 0.4 else None
    return PlusCase(contemporaneous_system(rng, n, T, tau_max), tau_min, tau_max, assumptions, options)


def compare(case: PlusCase) -> PlusDifference:
    """Run a task both ways."""
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.independence_tests.robust_parcorr import RobustParCorr
    from tigramite.pcmci import PCMCI

    pcmci = PCMCI(DataFrame(case.x), RobustParCorr() if case.normal_scores else ParCorr())
    lags = {"tau_min": case.tau_min, "tau_max": case.tau_max}
    results = pcmci.run_pcmciplus(link_assumptions=case.link_assumptions, **lags, **case.options)
    n = case.x.shape[1]
    links, required = all_links(n, case.tau_max, case.tau_min), None
    if case.link_assumptions is not None:
        links, required = split_links(case.link_assumptions, links.shape)
    options = {"normal_scores": case.normal_scores, **case.options}
    found = run_native_plus(as_time_series(case.x), links, required=required, **options)
    return PlusDifference(
        graph=bool((found.graph == results["graph"]).all()),
        parents=found.parents == pcmci.all_lagged_parents,
        sepsets=found.sepsets == {pair: chosen for pair, chosen in results["sepsets"].items() if chosen},
        ambiguous_triples=found.ambiguous_triples == results["ambiguous_triples"],
        level=found.pc_alpha == results.get("optimal_alpha", found.pc_alpha),
        p=float(np.abs(found.p - results["p_matrix"]).max()),
        val=float(np.abs(found.val - results["val_matrix"]).max()),
        conflicts=bool((results["graph"] == "x-x").any()),
    )
