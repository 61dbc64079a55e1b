"""Where mode exact and tigramite differ on purpose: copies, dependent columns, constants, too few rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

from arrow_cd import accelerate
from arrow_cd.links import LinkStatus
from arrow_cd.simulate import sparse_var
from results_page import table

Values = NDArray[np.float64]
TAU_MAX, SEEDS = 2, 5
DIFFERENT = 1e-10

_COLLINEAR = (
    "what the conditions leave of X or Y is rounding noise; tigramite correlates the noise, we say collinear (p 1). "
    "Links we tested (ok) differ where PC1 then kept another of the copies"
)
_WHY = {
    "exact copy": _COLLINEAR,
    "copy, other scale and sign": _COLLINEAR,
    "sum of two others": _COLLINEAR,
    "constant 0": "same: tigramite gives constants p = 1",
    "constant 0.1": "the mean of equal numbers is rounded, tigramite takes the rest for variance; we say constant",
    "constant on the rows of the tests": "as above: same where the constant is a number without rounding",
    "fewer rows than conditions": "tigramite gives NaN, which a correction spreads to all; we say too few rows",
}


def degenerate_section() -> str:
    """A table of what differs on each system, with what we say about these links."""
    rows = []
    for name in _WHY:
        method = "run_fullci" if name.startswith("fewer") else "run_pcmci"
        found = _Found()
        for seed in range(SEEDS):
            x = _systems(seed)[name]
            plain, fast = PCMCI(DataFrame(x), ParCorr()), accelerate(PCMCI(DataFrame(x), ParCorr()), mode="exact")
            theirs, ours = (getattr(pcmci, method)(tau_max=TAU_MAX) for pcmci in (plain, fast))
            found.add(theirs["p_matrix"], ours["p_matrix"], fast.screening.status)
            if method == "run_pcmci":
                found.parents += sum(plain.all_parents[j] != fast.all_parents[j] for j in plain.all_parents)
        rows.append([f"{name}, `{method}`", *found.cells(), _WHY[name]])
    header = ["system", "links that differ", "we say", "tigramite's p there", "targets with other parents", "why"]
    note = (
        f"Differences on purpose, {SEEDS} seeds of N=4, T=200 (the last N=8, T=16), tau_max={TAU_MAX}; not part of the "
        "verdict.\n"
    )
    return note + "\n" + table(header, rows)


def _systems(seed: int) -> dict[str, Values]:
    base = sparse_var(seed, N=4, T=200, L=TAU_MAX).values
    systems = {name: base.copy() for name in _WHY}
    systems["exact copy"][:, 3] = base[:, 0]
    systems["copy, other scale and sign"][:, 3] = 5 - 3 * base[:, 0]
    systems["sum of two others"][:, 3] = base[:, 0] + base[:, 1]
    systems["constant 0"][:, 3] = 0.0
    systems["constant 0.1"][:, 3] = 0.1
    systems["constant on the rows of the tests"][2 * TAU_MAX - 1 :, 3] = 1.5
    systems["fewer rows than conditions"] = np.column_stack([base, base[::-1] ** 2])[:16]
    return systems


@dataclass
class _Found:
    """Differences of one kind of system over its seeds."""

    links: int = 0
    parents: int = 0
    p: list[Values] = field(default_factory=list)
    statuses: list[NDArray[np.uint8]] = field(default_factory=list)

    def add(self, theirs: Values, ours: Values, status: NDArray[np.uint8]) -> None:
        differ = ~(np.abs(ours - theirs) <= DIFFERENT)
        self.links += int((status != LinkStatus.NOT_ASKED).sum())
        self.p.append(theirs[differ])
        self.statuses.append(status[differ])

    def cells(self) -> list[str]:
        p = np.concatenate(self.p)
        known = p[~np.isnan(p)]
        there = [f"NaN in {np.isnan(p).sum()}"] if np.isnan(p).any() else []
        there += [f"{known.min():.1e} to {known.max():.1e}"] if known.size else []
        values, counts = np.unique(np.concatenate(self.statuses), return_counts=True)
        said = [f"{LinkStatus(v).name.lower()} {count}" for v, count in zip(values, counts, strict=True)]
        return [f"{len(p)} of {self.links}", ", ".join(said), ", ".join(there), str(self.parents)]
