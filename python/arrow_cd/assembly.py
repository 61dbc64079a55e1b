"""From a back end's outcome on the columns that vary to a result on all columns: correction, graph, status, account."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.inspection import trend_notes
from arrow_cd.links import LinkStatus
from arrow_cd.result import CausalResult, Screening
from arrow_cd.versions import versions

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Outcome
    from arrow_cd.question import Question
    from arrow_cd.screening import Candidates


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
    p = _expand(question, outcome.p, 1.0)
    tested = _expand(question, outcome.tested, False)
    q = benjamini_hochberg(p, question.family) if question.fdr == "bh" else p.copy()
    timings = {**(candidates.timings if candidates else {}), **outcome.timings}
    return CausalResult(
        method=question.backend.method,
        var_names=question.series.names,
        tau_min=question.tau_min,
        tau_max=question.tau_max,
        n_samples=outcome.n_samples,
        alpha=question.alpha,
        fdr=question.fdr,
        graph=_graph(question, outcome, q),
        val_matrix=_expand(question, outcome.val, 0.0),
        p_matrix=p,
        q_matrix=q,
        tested=tested,
        status=_status(question, links, outcome),
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


def _expand(question: Question, part: NDArray[Any], neutral: Any) -> NDArray[Any]:
    """Place what was found on the columns that vary among all columns."""
    active = question.series.active()
    whole = np.full(question.asked.shape, neutral, dtype=part.dtype)
    whole[np.ix_(active, active)] = part
    return whole


def _status(question: Question, links: NDArray[np.bool_], outcome: Outcome) -> NDArray[np.uint8]:
    constant = question.series.constant
    status = np.where(question.testable, LinkStatus.NOT_TESTED, LinkStatus.NOT_ASKED).astype(np.uint8)
    status[question.asked & (constant[:, None] | constant)[:, :, None]] = LinkStatus.CONSTANT
    found = _expand(question, outcome.status, LinkStatus.CONSTANT)
    status[links] = found[links]
    return status


def _graph(question: Question, outcome: Outcome, q: NDArray[np.float64]) -> NDArray[np.str_]:
    """Marks of the method itself, or an arrow (lag 0: o-o) for every significant link; stated links as stated."""
    if outcome.graph is not None:
        graph: NDArray[np.str_] = _expand(question, outcome.graph, "")
    else:
        significant = _expand(question, outcome.tested, False) & (q <= question.alpha)
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
