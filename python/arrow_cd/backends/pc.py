"""PC on lagged variables as a method of `discover`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome
from arrow_cd.backends.native_pc import TESTS, run_native_pc
from arrow_cd.backends.native_search import MEMORY_BUDGET, rows_note, run_task
from arrow_cd.links import LinkStatus, link_mask
from arrow_cd.options import check_count, check_probability

if TYPE_CHECKING:
    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_pc import PcRun

_DEFAULTS: dict[str, Any] = {"pc_alpha": 0.01, "max_conds_dim": None, "max_tests": None}


class NativePc:
    """`discover(method="pc")`: PC's skeleton phase for every target, oriented by time; lagged links only.

    A link gets an arrow if two things hold. No test dropped it: its p-value was at most `pc_alpha` in every test that
    PC ran. And q, its largest p-value corrected over every link that was asked about, is at most `alpha`. So `pc_alpha`
    decides what PC takes for explained away and what stays a condition, `alpha` how many arrows may be false;
    ``fdr="none", alpha=pc_alpha`` is the graph of PC alone. As a maximum over tests p is conservative for each link, if
    the target's true causes are among its candidates.
    """

    method = "pc"
    tests = tuple(TESTS)
    tau_min = 1
    rows: Literal["pcmci", "lagged"] = "pcmci"
    missing = True
    defaults: Mapping[str, Any] = MappingProxyType(_DEFAULTS)
    about = MethodInfo(
        assumes="stationary, no hidden common causes, no effect within one sample (pcmciplus finds those); linear",
        gives="lagged links with the largest p-value of all their tests, and the sets that separate the others",
        cost="N c tests or more, exponential in the links that stay; below a microsecond a test",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_probability("pc_alpha", options["pc_alpha"])
        for name, least in (("max_conds_dim", 0), ("max_tests", 1)):
            if options[name] is not None:
                check_count(name, options[name], least)

    def run(self, task: Task) -> Outcome:
        """Run PC on the links of the task; Ctrl-C raises `Interrupted` with what was found until then."""
        return run_task(run_native_pc, task, _outcome, test=task.test, **task.options)


def _outcome(task: Task, found: PcRun) -> Outcome:
    tested = (found.status == LinkStatus.OK) & ~task.required
    return Outcome(
        val=np.where(tested, found.val, 0.0),
        p=np.where(tested, found.p, 1.0),
        tested=tested,
        status=found.status,
        n_samples=found.n_samples,
        kept=link_mask(found.parents, task.links.shape),
        val_unit="partial correlation",
        extra={"sepsets": _sepsets(task, found)},
        parents=found.parents,
        tests_by_phase={"skeleton": found.tests},
        timings=found.timings,
        notes=_notes(task, found),
    )


def lagged_name(name: str, lag: int) -> str:
    """Return the name of a series some samples ago, such as "X1(t-2)"."""
    return f"{name}(t-{lag})" if lag else f"{name}(t)"


def _sepsets(task: Task, found: PcRun) -> dict[str, dict[str, list[str]]]:
    """Conditions that separate a target from a source it is linked with without any: ``{target: {source: given}}``."""
    names = task.series.names
    sepsets: dict[str, dict[str, list[str]]] = {}
    for ((i, lag), j), given in found.separators.items():
        conditions = [lagged_name(names[k], -a) for k, a in given]
        sepsets.setdefault(names[j], {})[lagged_name(names[i], -lag)] = conditions
    return sepsets


def _notes(task: Task, found: PcRun) -> tuple[str, ...]:
    """Return what a user should hear: which targets were cut short, and which rows tests read."""
    notes = []
    ended = {
        why: [name for name, end in zip(task.series.names, found.ends, strict=True) if end == why]
        for why in set(found.ends)
    }
    if "max_conds_dim" in ended and task.options["max_conds_dim"] is None:
        notes.append(
            f"more than 40 candidates, so that at most 3 conditions were tried: {', '.join(ended['max_conds_dim'])}"
        )
    if "max_tests" in ended:
        notes.append(
            f"undecided links after max_tests={task.options['max_tests']} tests: {', '.join(ended['max_tests'])}"
        )
    if not task.series.complete:
        notes.append("a row is left out of a test where one of the test's own samples is missing")
    elif not found.has_matrix:
        notes.append(
            rows_note(
                "N (tau_max + 1)",
                task.series.N * (task.tau_max + 1),
                n_rows=found.n_samples,
                normal_scores=TESTS[task.test][0],
                memory_budget=task.memory_budget or MEMORY_BUDGET,
            )
        )
    return tuple(notes)


BACKENDS = (NativePc(),)
