"""SURD, synergistic-unique-redundant decomposition of causality, on the common protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome
from arrow_cd.backends.native_search import run_task
from arrow_cd.backends.native_surd import (
    MOST_AGENTS,
    check_options,
    count_sets,
    run_surd,
)
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_count, check_flag, check_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_surd import Decomposition, SurdRun


class NativeSurd:
    """`discover(method="surd")`: the candidates of a target are its agents, each tested by circular shifts.

    Options are those of `run_surd`, and

    max_agents
        Most agents a target may have, up to 64. A target with more candidates is left out, with the status
        OVER_BUDGET; if no screen chose them, the run is refused.
    min_share
        Only with ``n_shift=0``, where there are no p-values: an arrow needs this share of the target's entropy. (Not of
        the information attributed, which always adds up to 1 and so finds causes in noise.)
    """

    method = "surd"
    tests: tuple[str, ...] = ()
    tau_min = 1
    rows: Literal["pcmci", "lagged"] = "lagged"
    missing = False
    defaults: Mapping[str, Any] = MappingProxyType(
        {
            "bins": 4,
            "binning": "quantile",
            "max_order": "auto",
            "max_agents": 12,
            "miller_madow": False,
            "n_shift": 200,
            "min_share": 0.1,
        }
    )
    about = MethodInfo(
        assumes="stationary, all causes observed, few states describe each series; any dependence",
        gives="bits of each lagged link with a p-value; redundant, unique and synergistic terms of every target",
        cost="n_shift T binomial(c, k) counts a target, k agents together: 2 at T = 1,000, 4 at 10,000",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_options(options["bins"], options["binning"], options["max_order"], options["n_shift"])
        check_flag("miller_madow", options["miller_madow"])
        check_count("max_agents", options["max_agents"], 1)
        if options["max_agents"] > MOST_AGENTS:
            raise InvalidDataError(f"max_agents={options['max_agents']}: expected at most {MOST_AGENTS}")
        check_probability("min_share", options["min_share"])

    def run(self, task: Task) -> Outcome:
        """Decompose every target; Ctrl-C raises `Interrupted` with what was found until then."""
        within = _within_budget(task)
        over = task.links & ~within[:, None]
        options = {name: task.options[name] for name in self.defaults if name not in ("max_agents", "min_share")}
        chosen = {"links": task.links & ~over, "required": task.required & within[:, None]}
        return run_task(run_surd, task, partial(_outcome, over), seed=task.seed, **chosen, **options)


def _within_budget(task: Task) -> NDArray[np.bool_]:
    """Whether each target has at most `max_agents` agents; raises if nobody has chosen them."""
    agents = (task.links | task.required).sum(axis=(0, 2))
    most = task.options["max_agents"]
    within: NDArray[np.bool_] = agents <= most
    if not within.all() and not task.screened:
        worst = int(agents.argmax())
        pairs, triples = (count_sets(int(agents[worst]), k) for k in (2, 3))
        raise BackendError(
            f"method 'surd' without a screen: target {task.series.names[worst]!r} has {agents[worst]} agents (lagged "
            f"sources), more than max_agents={most}. Sets of up to 2 of them are {pairs}, of up to 3 {triples}, each "
            f"counted on all rows and again for every shift. Use mode='screen', a smaller tau_max, or, up to "
            f"{MOST_AGENTS} agents, a larger max_agents with a small max_order"
        )
    return within


def _outcome(over: NDArray[np.bool_], task: Task, found: SurdRun) -> Outcome:
    """Place the credits of every target's agents; required links have none."""
    outcome = _empty(task, over, found)
    has_p = outcome.p is not None
    extra = {}
    for j, target in enumerate(found.targets):
        if target is None or not target.agents:
            continue
        extra[task.series.names[j]] = _extra(task, target)
        for k, (i, lag) in enumerate(target.agents):
            at = (i, j, -lag)
            if not task.links[at]:
                continue
            varies = target.varies[k] and target.entropy > 0
            outcome.status[at] = LinkStatus.OK if varies else LinkStatus.CONSTANT
            outcome.tested[at] = varies
            if varies:
                outcome.val[at] = target.credits[k]
            if varies and outcome.p is not None and target.p is not None:
                outcome.p[at] = target.p[k]
    graph = None if has_p else _by_share(task, found, outcome.val)
    return replace(outcome, graph=graph, extra={"order": found.order, "n_shift": found.n_shift, "targets": extra})


def _empty(task: Task, over: NDArray[np.bool_], found: SurdRun) -> Outcome:
    """Outcome before anything is entered: links of targets with too many agents are over the budget."""
    shape = task.links.shape
    status = np.where(task.links, LinkStatus.NOT_TESTED, LinkStatus.NOT_ASKED).astype(np.uint8)
    status[over] = LinkStatus.OVER_BUDGET
    return Outcome(
        val=np.zeros(shape),
        p=np.ones(shape) if task.options["n_shift"] else None,
        tested=np.zeros(shape, dtype=bool),
        status=status,
        n_samples=found.n_samples,
        val_unit="bits",
        tests_by_phase={"sets": found.n_sets},
        timings={"surd": found.seconds},
        notes=_notes(task, over, found),
    )


def _by_share(task: Task, found: SurdRun, val: NDArray[np.float64]) -> NDArray[np.str_]:
    """Arrows where a link has a large enough share of its target's entropy."""
    entropy = np.array([0.0 if target is None else target.entropy for target in found.targets])
    enough = (val > 0) & (val >= task.options["min_share"] * entropy[:, None])
    return np.where(enough, "-->", "").astype("<U3")


def _extra(task: Task, target: Decomposition) -> dict[str, Any]:
    """One target's decomposition by names, made of what JSON knows; the largest terms first."""

    def named(agents: tuple[tuple[int, int], ...]) -> list[list[Any]]:
        return [[task.series.names[i], lag] for i, lag in agents]

    terms = sorted(target.terms.items(), key=lambda term: -term[1])
    return {
        "entropy": target.entropy,
        "information": target.information,
        "leak": target.leak,
        "agents": named(target.agents),
        "terms": [{"kind": kind, "agents": named(agents), "bits": bits} for (kind, agents), bits in terms],
    }


def _notes(task: Task, over: NDArray[np.bool_], found: SurdRun) -> tuple[str, ...]:
    asked, notes = task.options["n_shift"], []
    if over.any():
        targets = ", ".join(repr(task.series.names[j]) for j in np.flatnonzero(over.any(axis=(0, 2))))
        notes.append(f"targets with more than max_agents={task.options['max_agents']} agents were left out: {targets}")
    if found.n_shift < asked:
        notes.append(f"the rows have only {found.n_shift} of the n_shift={asked} circular shifts")
    if not asked:
        share = task.options["min_share"]
        notes.append(f"no p-values (n_shift=0): arrows are links with at least {share:g} of the target's entropy")
    return tuple(notes)


BACKENDS = (NativeSurd(),)
