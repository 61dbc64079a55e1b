"""PCMCI with partial correlation, of values or of their normal scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome, Task
from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.native_search import MEMORY_BUDGET, NATIVE_TESTS, rows_note, run_task
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_common

if TYPE_CHECKING:
    from arrow_cd.backends.native_pcmci import NativeRun
    from arrow_cd.backends.native_search import SearchRun

PCMCI = MethodInfo(
    assumes="stationary, no hidden common causes, no effect within one sample; linear with ParCorr",
    gives="lagged links with a p-value each",
    cost="about N^2 L tests unscreened, N c screened; a few microseconds a test, tigramite's other tests far more",
)


class NativePcmci:
    """PCMCI with ParCorr or RobustParCorr; the base install is all it needs."""

    method = "pcmci"
    tests = tuple(NATIVE_TESTS)
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
    about = PCMCI

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_common(options)

    def run(self, task: Task) -> Outcome:
        """Run PC1 and MCI on the links of the task; Ctrl-C raises `Interrupted` with what was found until then."""
        return run_task(run_native, task, _outcome, normal_scores=NATIVE_TESTS[task.test], **task.options)


def _outcome(task: Task, found: NativeRun) -> Outcome:
    found = found.symmetric(task.links | task.required)
    tested = (found.status == LinkStatus.OK) & ~task.required
    return Outcome(
        val=np.where(tested, found.val, 0.0),
        p=np.where(tested, found.p, 1.0),
        tested=tested,
        status=np.where(task.required, LinkStatus.NOT_ASKED, found.status).astype(np.uint8),
        n_samples=found.n_samples,
        val_unit="partial correlation",
        parents=found.parents,
        tests_by_phase=found.tests_by_phase,
        timings=found.timings,
        notes=row_notes(task, found),
    )


def row_notes(task: Task, found: SearchRun) -> tuple[str, ...]:
    """Return what a user should hear about the rows that tests read."""
    if not task.series.complete:
        return ("a row is left out of a test where one of the test's own samples is missing",)
    if found.correlations == "rows":
        note = rows_note(
            "N (2 tau_max + 1)",
            task.series.N * (2 * task.tau_max + 1),
            n_rows=found.n_samples,
            normal_scores=NATIVE_TESTS[task.test],
            memory_budget=task.memory_budget or MEMORY_BUDGET,
        )
        return (note,)
    return ()


BACKENDS = (NativePcmci(),)
