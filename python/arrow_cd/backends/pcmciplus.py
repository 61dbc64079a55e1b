"""PCMCI+: lagged and contemporaneous links, natively with partial correlation, through tigramite with other tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome
from arrow_cd.backends.native_plus import COLLIDER_RULES, run_native_plus
from arrow_cd.backends.native_search import NATIVE_TESTS, run_task
from arrow_cd.backends.pcmci import row_notes
from arrow_cd.backends.tigramite_pcmci import TIGRAMITE_TESTS
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_choice, check_common, check_flag

if TYPE_CHECKING:
    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_plus import NativePlusRun

_DEFAULTS: dict[str, Any] = {
    "pc_alpha": 0.01,
    "contemp_collider_rule": "majority",
    "conflict_resolution": True,
    "reset_lagged_links": False,
    "max_conds_dim": None,
    "max_combinations": 1,
    "max_conds_py": None,
    "max_conds_px": None,
    "max_conds_px_lagged": None,
}


class NativePcmciPlus:
    """`discover(method="pcmciplus")` with ParCorr or RobustParCorr; the base install is all it needs."""

    method = "pcmciplus"
    tests = tuple(NATIVE_TESTS)
    tau_min = 0
    rows: Literal["pcmci", "lagged"] = "pcmci"
    missing = True
    defaults: Mapping[str, Any] = MappingProxyType(_DEFAULTS)
    about = MethodInfo(
        assumes="stationary, no hidden common causes, no cycle within one sample; linear with ParCorr",
        gives="lagged links, and links within a sample with a direction where one can be told; a p-value each",
        cost="PCMCI's, and all pairs at lag 0; lag 0 is never screened",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_common(options)
        check_choice("contemp_collider_rule", options["contemp_collider_rule"], COLLIDER_RULES)
        for name in ("conflict_resolution", "reset_lagged_links"):
            check_flag(name, options[name])

    def run(self, task: Task) -> Outcome:
        """Run all phases on the links of the task; Ctrl-C raises `Interrupted` with what was found until then."""
        return run_task(run_native_plus, task, _outcome, normal_scores=NATIVE_TESTS[task.test], **task.options)


class TigramitePcmciPlus(NativePcmciPlus):
    """`discover(method="pcmciplus")` with tests and test options that only tigramite has."""

    tests = TIGRAMITE_TESTS
    defaults = MappingProxyType({**_DEFAULTS, "test_options": {}})
    about = replace(NativePcmciPlus.about, extra="pcmci", compiled=False)

    def run(self, task: Task) -> Outcome:
        """Run all phases; raises BackendNotInstalledError without tigramite."""
        from arrow_cd.tigramite.search import search_pcmciplus

        return search_pcmciplus(task)


def _outcome(task: Task, found: NativePlusRun) -> Outcome:
    """A pair at lag 0 that is required, in whatever direction, counts as not asked in both."""
    asked = task.links & ~task.required
    asked[:, :, 0] &= ~task.required[:, :, 0].T
    status = np.where(asked, found.status, LinkStatus.NOT_ASKED).astype(np.uint8)
    tested = status == LinkStatus.OK
    return Outcome(
        val=np.where(tested, found.val, 0.0),
        p=np.where(tested, found.p, 1.0),
        tested=tested,
        status=status,
        n_samples=found.n_samples,
        graph=found.graph,
        val_unit="partial correlation",
        parents=found.parents,
        tests_by_phase=found.tests_by_phase,
        timings=found.timings,
        notes=row_notes(task, found),
    )


BACKENDS = (NativePcmciPlus(), TigramitePcmciPlus())
