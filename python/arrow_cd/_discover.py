"""`discover`: data in, causal graph out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.assembly import assemble
from arrow_cd.backends.base import Interrupted, Outcome, Progress, Task
from arrow_cd.backends.outcome_check import check_outcome
from arrow_cd.candidates import Candidates
from arrow_cd.links import LinkStatus
from arrow_cd.options import Fdr, Mode
from arrow_cd.progress import reporting
from arrow_cd.question import Question, pose
from arrow_cd.result import CausalResult
from arrow_cd.screening import ScreenConfig
from arrow_cd.screening import screen as run_screen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class DiscoveryInterrupted(KeyboardInterrupt):
    """Ctrl-C during `discover`; `result` is what had been found until then, with ``complete=False``."""

    def __init__(self, result: CausalResult) -> None:
        super().__init__("interrupted")
        self.result = result


def discover(
    data: Any,
    *,
    method: str = "pcmci",
    tau_max: int = 5,
    tau_min: int | None = None,
    alpha: float = 0.05,
    pc_alpha: float | Sequence[float] | None = None,
    fdr: Fdr = "bh",
    mode: Mode = "screen",
    screen: ScreenConfig | None = None,
    test: str | None = None,
    forbid: Iterable[Any] = (),
    require: Iterable[Any] = (),
    link_assumptions: Any = None,
    preprocess: Any = "none",
    n_jobs: int = 1,
    seed: int = 0,
    progress: Progress | bool | None = None,
    memory_budget: int | None = None,
    **options: Any,
) -> CausalResult:
    """Find the causal graph of a multivariate time series.

    Parameters
    ----------
    data : array of shape (T, N), data frame, path, tigramite data frame or TimeSeries
        The series; see `as_time_series`.
    method
        Which method; `list_methods()` has the names.
    tau_max, tau_min
        Largest and smallest lag in samples. By default tau_min is the smallest the method is made for: 1, or 0 for
        methods with contemporaneous links.
    alpha
        Level of the decision, applied to the corrected p-values.
    pc_alpha
        Level of the condition selection; by default the method's own (0.2 for PCMCI). Of several levels, PCMCI
        takes the one with the best Akaike criterion, for every target.
    fdr
        "bh": Benjamini-Hochberg over every lagged link that was asked about, whether the screen kept it or not; lag 0
        is left uncorrected. "none": no correction.
    mode
        "screen": only candidates of the screen are tested. "exact": everything is, as without arrow_cd.
    screen
        Settings of the screen, ScreenConfig() by default.
    test
        Conditional independence test, by default the method's own. For PCMCI: "parcorr", "robust_parcorr" (partial
        correlation of normal scores), or one of tigramite's, which needs that package.
    forbid, require, link_assumptions
        What is known beforehand; see `arrow_cd.constraints.build_constraints`.
    preprocess
        "none", "detrend", "deseasonalise:PERIOD", "winsorise", "standardise", or a list of them.
    n_jobs
        Threads, 0 for all cores; the result does not depend on it.
    seed
        Seed of methods that draw random numbers.
    progress
        Callback ``(phase, done, total)``, or True for a bar on standard error.
    memory_budget
        Bytes that one table may take, in the screen as in the method; by default their own limits. The arrays of a run
        take about 200 N^2 (tau_max + 1) bytes; they may take as much, or 4 GiB if that is more.
    **options
        Options of the method, such as ``max_conds_dim`` for PCMCI. ``test_options`` are arguments of tigramite's class
        of the test, which then runs it.

    Returns
    -------
    CausalResult

    Raises
    ------
    InvalidDataError
        The data or an option can't be used as given.
    BackendError, BackendNotInstalledError
        The method can't do it, or needs an optional package.
    DiscoveryInterrupted
        Ctrl-C; its `result` holds what had been found.
    MemoryError
        The arrays of the run would exceed `memory_budget`.
    """
    began = time.perf_counter()
    question = pose(
        data,
        method=method,
        tau_max=tau_max,
        tau_min=tau_min,
        alpha=alpha,
        pc_alpha=pc_alpha,
        fdr=fdr,
        mode=mode,
        screen=screen,
        test=test,
        forbid=forbid,
        require=require,
        link_assumptions=link_assumptions,
        preprocess=preprocess,
        n_jobs=n_jobs,
        seed=seed,
        memory_budget=memory_budget,
        options=options,
    )
    with reporting(progress) as report:
        return answer(question, report, began)


def answer(question: Question, progress: Progress | None, began: float) -> CausalResult:
    """Screen, run the back end on the columns that vary, correct, and put everything in its place."""
    candidates, links = None, question.testable
    try:
        candidates = _screen(question, progress)
        links = _survivors(question, candidates)
        outcome = _run(question, _task(question, links, progress))
    except Interrupted as stop:
        raise DiscoveryInterrupted(assemble(question, candidates, links, stop.partial, began, complete=False)) from stop
    except KeyboardInterrupt as stop:
        nothing = _nothing(question, links)
        raise DiscoveryInterrupted(assemble(question, candidates, links, nothing, began, complete=False)) from stop
    try:
        return assemble(question, candidates, links, outcome, began)
    except KeyboardInterrupt as stop:  # everything has been found: it is put together all the same
        raise DiscoveryInterrupted(assemble(question, candidates, links, outcome, began)) from stop


def _screen(question: Question, progress: Progress | None) -> Candidates | None:
    if question.screen is None:
        return None
    return run_screen(
        question.series,
        tau_max=question.tau_max,
        tau_min=max(1, question.tau_min),
        config=question.screen,
        rows=question.backend.rows,
        allowed=question.asked,
        memory_budget=question.memory_budget,
        n_jobs=question.n_jobs,
        progress=progress,
    )


def _survivors(question: Question, candidates: Candidates | None) -> NDArray[np.bool_]:
    """Links to test: lagged ones that the screen or the user keeps, and all of lag 0, which is never pruned."""
    links = question.testable
    if candidates is not None:
        links[:, :, 1:] &= (candidates.mask | question.kept)[:, :, 1:]
    return links


def _task(question: Question, links: NDArray[np.bool_], progress: Progress | None) -> Task:
    series, active = question.series, question.series.active()
    within = np.ix_(active, active)
    return Task(
        series=series.select([series.names[k] for k in active]),
        tau_min=question.tau_min,
        tau_max=question.tau_max,
        links=np.ascontiguousarray(links[within]),
        required=np.ascontiguousarray(question.stated[within]),
        screened=question.screen is not None,
        asked=None if question.screen is None else np.ascontiguousarray(question.testable[within]),
        test=question.test,
        alpha=question.alpha,
        options=question.options,
        seed=question.seed,
        n_jobs=question.n_jobs,
        memory_budget=question.memory_budget,
        progress=progress,
    )


def _run(question: Question, task: Task) -> Outcome:
    """Run the back end; what it found, to its end or until Ctrl-C, is as the protocol says."""
    try:
        outcome = question.backend.run(task)
    except Interrupted as stop:
        check_outcome(question.backend.method, task, stop.partial)
        raise
    check_outcome(question.backend.method, task, outcome)
    return outcome


def _nothing(question: Question, links: NDArray[np.bool_]) -> Outcome:
    """Outcome of a run that was stopped before its first result."""
    n = len(question.series.active())
    shape = (n, n, question.tau_max + 1)
    status = np.full(shape, LinkStatus.NOT_TESTED, dtype=np.uint8)
    rows = question.series.sample_rows(question.tau_max, question.backend.rows)
    untested = np.zeros(shape, dtype=bool)
    return Outcome(np.zeros(shape), np.ones(shape), untested, status, rows, notes=("interrupted before any result",))
