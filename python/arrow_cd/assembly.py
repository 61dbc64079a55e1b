"""From a back end's outcome on the columns that vary to a result on all columns: correction, graph, status, account."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.errors import BackendError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.inspection import trend_notes
from arrow_cd.links import LinkStatus
from arrow_cd.pairs import PairResult
from arrow_cd.plain import plain
from arrow_cd.result import CausalResult, Screening
from arrow_cd.versions import versions

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Outcome
    from arrow_cd.candidates import Candidates
    from arrow_cd.question import Question


def assemble(
    question: Question,
    candidates: Candidates | None,
    links: NDArray[np.bool_],
    outcome: Outcome,
    began: float,
    *,
    complete: bool = True,
) -> CausalResult:
    """Put an outcome in its place.

    Parameters
    ----------
    question, candidates, links, outcome
        What was asked, what the screen kept (None in mode "exact"), the links given to the back end over all N columns,
        and what it found on the columns that vary.
    began
        `time.perf_counter()` at the start.
    complete
        False if the run was interrupted.
    """
    p = None if outcome.p is None else question.series.on_all_columns(outcome.p, 1.0)
    q = None if p is None else _corrected(question, p, question.family)
    pairs = _pairs(question, outcome)
    by_pairs = outcome.decided_by == "pairs"
    timings = {**(candidates.timings if candidates else {}), **outcome.timings}
    return CausalResult(
        method=question.backend.method,
        var_names=question.series.names,
        tau_min=question.tau_min,
        tau_max=question.tau_max,
        n_samples=outcome.n_samples,
        alpha=question.alpha,
        fdr=question.fdr,
        graph=_graph(question, outcome, q, pairs),
        val_matrix=question.series.on_all_columns(outcome.val, 0.0),
        p_matrix=p,
        q_matrix=q,
        tested=question.series.on_all_columns(outcome.tested, False),
        status=_status(question, links, outcome),
        pairs=pairs,
        decided_by=outcome.decided_by,
        p_validity=_validity(question, outcome),
        family_size=int((question.family.any(axis=2) if by_pairs else question.family).sum()),
        val_unit=outcome.val_unit,
        extra=plain(outcome.extra),
        parents=_parents(question, outcome.parents),
        engine=outcome.engine,
        screening=_screening(question, candidates, links, outcome),
        options=question.record,
        seed=question.seed,
        timings=timings | {"total": time.perf_counter() - began},
        versions=versions() | dict(outcome.versions),
        notes=(
            *question.series.notes,
            *trend_notes(question.series),
            *_screen_notes(candidates, question.series.complete),
            *outcome.notes,
        ),
        complete=complete,
    )


def _corrected(question: Question, p: NDArray[np.float64], family: NDArray[np.bool_]) -> NDArray[np.float64]:
    return benjamini_hochberg(p, family) if question.fdr == "bh" else p.copy()


def _pairs(question: Question, outcome: Outcome) -> PairResult | None:
    """Tests of whole sources among all columns, corrected over every pair that was asked about."""
    found = outcome.pairs
    if found is None:
        return None
    family: NDArray[np.bool_] = np.logical_or.reduce(question.family, axis=2)
    constant = question.series.constant
    status = np.where(family, LinkStatus.NOT_TESTED, LinkStatus.NOT_ASKED).astype(np.uint8)
    status[question.asked.any(axis=2) & (constant[:, None] | constant)] = LinkStatus.CONSTANT
    p = None if found.p is None else question.series.on_all_columns(found.p, 1.0)
    return PairResult(
        val=question.series.on_all_columns(found.val, 0.0),
        p=p,
        q=None if p is None else _corrected(question, p, family),
        status=np.where(family, question.series.on_all_columns(found.status, LinkStatus.CONSTANT), status),
    )


def _validity(question: Question, outcome: Outcome) -> str:
    if outcome.p is None and (outcome.pairs is None or outcome.pairs.p is None):
        return "none"
    return outcome.p_validity or ("post-selection" if question.screen else "exact")


def _status(question: Question, links: NDArray[np.bool_], outcome: Outcome) -> NDArray[np.uint8]:
    constant = question.series.constant
    status = np.where(question.testable, LinkStatus.NOT_TESTED, LinkStatus.NOT_ASKED).astype(np.uint8)
    status[question.asked & (constant[:, None] | constant)[:, :, None]] = LinkStatus.CONSTANT
    found = question.series.on_all_columns(outcome.status, LinkStatus.CONSTANT)
    status[links] = found[links]
    return status


def _graph(
    question: Question, outcome: Outcome, q: NDArray[np.float64] | None, pairs: PairResult | None
) -> NDArray[np.str_]:
    """Marks of the method itself, or an arrow (lag 0: o-o) for every significant link; stated links as stated."""
    if outcome.graph is not None:
        graph: NDArray[np.str_] = question.series.on_all_columns(outcome.graph, "")
    else:
        if outcome.decided_by == "pairs" and pairs is not None and pairs.q is not None:
            q = pairs.q[:, :, None]
        if q is None:
            raise BackendError(f"method {question.backend.method!r} gave neither p-values nor a graph")
        may = outcome.tested if outcome.kept is None else outcome.tested & outcome.kept
        significant = question.series.on_all_columns(may, False) & (q <= question.alpha)
        graph = np.where(significant, "-->", "").astype("<U3")
        graph[:, :, 0] = np.where(significant[:, :, 0] | significant[:, :, 0].T, "o-o", "")
    return np.where(question.stated, question.marks, graph)


def _parents(question: Question, parents: Any) -> dict[int, list[tuple[int, int]]]:
    active = [int(k) for k in question.series.active()]
    return {active[j]: [(active[i], int(lag)) for i, lag in found] for j, found in parents.items()}


def _screening(
    question: Question, candidates: Candidates | None, links: NDArray[np.bool_], outcome: Outcome
) -> Screening:
    return Screening(
        config=asdict(question.screen) if question.screen else {"strategy": "none"},
        candidates=candidates.parents if candidates else {},
        tests_run=sum(outcome.tests_by_phase.values()),
        tests_avoided=int((question.testable & ~links).sum()),
        tests_by_phase=outcome.tests_by_phase,
        timings=candidates.timings if candidates else {},
    )


def _screen_notes(candidates: Candidates | None, complete: bool) -> tuple[str, ...]:
    if candidates is None or complete or candidates.config.strategy not in ("weave", "forward"):
        return ()
    return (
        "missing values count as the mean in the screen's exact sums: its degrees of freedom are a little too many",
    )
