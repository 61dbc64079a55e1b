"""PCMCI with linear partial correlation, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.base import Outcome, Progress, Task
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

Parents = Mapping[int, Sequence[tuple[int, int]]]
"""``{target: [(source, -tau), ...]}``, the strongest first."""

MEMORY_BUDGET = 2 << 30
"""Bytes the lagged correlation matrix may take by default; a larger one is not made, and tests read the rows."""


@dataclass(frozen=True)
class NativeRun:
    """What the core found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Partial correlation and two-sided p-value of MCI; 1 and 0 for required links, 0 and 1 where nothing was tested.
        Both directions of an undirected pair at lag 0 hold the numbers of the larger p-value.
    status : uint8
        `LinkStatus` of every entry; required links are OK.
    parents
        Conditions used, the strongest first.
    pc_val, pc_p_max, pc_val_min
        Of every link PC1 tested: val and p of its least significant test, and its smallest absolute val. 0, 1 and 0
        elsewhere.
    n_samples
        Rows of a test in which nothing is missing.
    tests_by_phase
        Tests run by "pc1" and "mci".
    timings
        Seconds of "matrix", "pc1", "mci" and "p_values".
    has_matrix
        Whether tests read one lagged correlation matrix; otherwise each read its own rows.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    parents: dict[int, list[tuple[int, int]]]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    n_samples: int
    tests_by_phase: dict[str, int]
    timings: dict[str, float]
    has_matrix: bool


def run_native(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_] | None = None,
    parents: Parents | None = None,
    pc_alpha: float = 0.2,
    max_conds_dim: int | None = None,
    max_combinations: int = 1,
    max_conds_py: int | None = None,
    max_conds_px: int | None = None,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> NativeRun:
    """Run PC1 and MCI with ParCorr as tigramite does, on rows t in [2 tau_max, T) of every data set.

    Parameters
    ----------
    series
        The data. A row is left out of a test if one of the test's own samples is missing.
    links : (N, N, tau_max + 1) bool
        Links to test, indexed [source, target, tau]. Both directions of a pair at lag 0: an undirected link.
    required : (N, N, tau_max + 1) bool, optional
        Links that are present without a test.
    parents
        Conditions for MCI; PC1 is skipped. BivCI is own lags as parents and ``max_conds_px=0``.
    pc_alpha, max_conds_dim, max_combinations
        PC1: level, most conditions, most sets of conditions a link and size.
    max_conds_py, max_conds_px
        MCI: most parents of the target, and of the source, in a condition.
    memory_budget
        Bytes for the lagged correlation matrix, 8 (N (2 tau_max + 1))^2 for all links up to tau_max.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("pcmci", done, total)``; each target counts once a phase.

    Raises
    ------
    ValueError
        An array has the wrong shape, an option is out of range, or no data set is longer than 2 tau_max.

    References
    ----------
    Runge, J. et al. (2019). Detecting and quantifying causal associations in large nonlinear time series datasets.
    Science Advances 5, eaau4996.
    """
    values, valid, segments = series.core_arrays()
    steps = series.N * (2 if parents is None else 1)
    found = _core.pcmci(
        values,
        valid,
        segments,
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        parents=None if parents is None else [[(i, -lag) for i, lag in parents.get(j, ())] for j in range(series.N)],
        pc_alpha=pc_alpha,
        max_conds_dim=max_conds_dim,
        max_combinations=max_combinations,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done: progress("pcmci", done, steps),
    )
    return NativeRun(
        val=found["val"],
        p=found["p"],
        status=found["status"],
        parents={j: [(i, -lag) for i, lag in chosen] for j, chosen in enumerate(found["parents"])},
        pc_val=found["pc_val"],
        pc_p_max=found["pc_p_max"],
        pc_val_min=found["pc_val_min"],
        n_samples=found["n_rows"],
        tests_by_phase=dict(zip(("pc1", "mci"), found["tests"], strict=True)),
        timings=dict(zip(("matrix", "pc1", "mci", "p_values"), found["seconds"], strict=True)),
        has_matrix=found["has_matrix"],
    )


class NativePcmci:
    """PCMCI with ParCorr; the base install is all it needs."""

    method = "pcmci"
    tests = ("parcorr",)
    tau_min = 1
    rows: Literal["pcmci"] = "pcmci"
    missing = True
    defaults: Mapping[str, Any] = {
        "pc_alpha": 0.2,
        "max_conds_dim": None,
        "max_combinations": 1,
        "max_conds_py": None,
        "max_conds_px": None,
    }

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        pc_alpha = options["pc_alpha"]
        if isinstance(pc_alpha, bool) or not isinstance(pc_alpha, (int, float)) or not 0 <= pc_alpha <= 1:
            raise InvalidDataError(f"pc_alpha={pc_alpha!r}: expected a number in [0, 1]")
        for name, least in {"max_conds_dim": 0, "max_combinations": 1, "max_conds_py": 0, "max_conds_px": 0}.items():
            value = options[name]
            if value is None and name != "max_combinations":
                continue
            check_count(name, value, least)

    def run(self, task: Task) -> Outcome:
        """Run PC1 and MCI on the links of the task."""
        found = run_native(
            task.series,
            task.links,
            required=task.required,
            memory_budget=task.memory_budget or MEMORY_BUDGET,
            n_jobs=task.n_jobs,
            progress=task.progress,
            **task.options,
        )
        notes = []
        if not task.series.complete:
            notes.append("a row is left out of a test where one of the test's own samples is missing")
        elif not found.has_matrix:
            notes.append(
                f"the lagged correlations exceed {task.memory_budget or MEMORY_BUDGET} bytes: "
                "every test read its rows, which is slower"
            )
        return Outcome(
            val=found.val,
            p=found.p,
            tested=(found.status == LinkStatus.OK) & ~task.required,
            status=found.status,
            n_samples=found.n_samples,
            parents=found.parents,
            tests_by_phase=found.tests_by_phase,
            timings=found.timings,
            notes=tuple(notes),
        )


BACKENDS = (NativePcmci(),)
