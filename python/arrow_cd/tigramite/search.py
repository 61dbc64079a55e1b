"""Run tigramite for `discover`: a `Task` in, an `Outcome` out."""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.base import Outcome
from arrow_cd.errors import BackendError
from arrow_cd.links import LinkStatus
from arrow_cd.progress import steps
from arrow_cd.tigramite import require_tigramite
from arrow_cd.tigramite.assumptions import Links, keep_links
from arrow_cd.tigramite.ci_tests import check_values, make_test, own_streams
from arrow_cd.tigramite.counting import count_tests

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Task
    from arrow_cd.data import TimeSeries

# Options of ours that are not arguments of tigramite's methods.
_OURS = {"test_options"}


def tigramite_frame(series: TimeSeries) -> Any:
    """Return the series as a tigramite DataFrame: one data set a segment, missing values behind a flag of their own.

    tigramite refuses NaN, so missing values become a number that occurs nowhere in the data.
    """
    from tigramite.data_processing import DataFrame

    flag = None
    values = series.values
    if not series.valid.all():
        flag = 2.0 * np.abs(values[series.valid]).max() + 1.0
        values = np.where(series.valid, values, flag)
    sets = {k: np.array(values[start:stop]) for k, (start, stop) in enumerate(series.segments)}
    mode = "single" if len(sets) == 1 else "multiple"
    return DataFrame(sets, var_names=list(series.names), missing_flag=flag, analysis_mode=mode)


def search_pcmci(task: Task) -> Outcome:
    """Run PC1, then MCI, with tigramite's own test."""
    options = {name: value for name, value in task.options.items() if name not in _OURS}
    mci = {name: options.pop(name) for name in ("max_conds_py", "max_conds_px")}
    return _search(task, [("run_pc_stable", options), ("run_mci", mci)])


def search_pcmciplus(task: Task) -> Outcome:
    """Run PCMCI+ with tigramite's own test; the marks of the graph are tigramite's."""
    options = {name: value for name, value in task.options.items() if name not in _OURS}
    return _search(task, [("run_pcmciplus", options)])


def _search(task: Task, phases: list[tuple[str, dict[str, Any]]]) -> Outcome:
    """Run methods of one PCMCI object one after the other, MCI with the parents that PC1 found."""
    require_tigramite()
    from tigramite.pcmci import PCMCI

    check_values(task.test, task.series)
    test = make_test(task.test, seed=task.seed, n_jobs=task.n_jobs, options=task.options["test_options"])
    pcmci = PCMCI(tigramite_frame(task.series), test)
    links = _link_assumptions(task)
    tests_by_phase: dict[str, int] = {}
    timings: dict[str, float] = {}
    results: Any = {}
    with own_streams(pcmci.cond_ind_test, task.seed, task.series.names):
        for method, options in phases:
            phase = method.removeprefix("run_")
            if method == "run_mci":
                options = options | {"parents": results}
            began = time.perf_counter()
            with count_tests(pcmci.cond_ind_test, steps(task.progress, phase, task.series.N)) as count:
                results = _call(
                    pcmci, method, link_assumptions=links, tau_max=task.tau_max, tau_min=task.tau_min, **options
                )
            timings[phase] = time.perf_counter() - began
            tests_by_phase[phase] = count.run
    val, p, status = _settled(task, results["val_matrix"], results["p_matrix"])
    return Outcome(
        val=val,
        p=p,
        tested=status == LinkStatus.OK,
        status=status,
        n_samples=task.series.sample_rows(task.tau_max),
        graph=results["graph"] if phases[-1][0] == "run_pcmciplus" else None,
        parents={j: [(int(i), int(lag)) for i, lag in links] for j, links in pcmci.all_parents.items()},
        tests_by_phase=tests_by_phase,
        timings=timings,
        engine="tigramite",
        versions={"tigramite": version("tigramite")},
    )


def _call(pcmci: Any, method: str, **options: Any) -> Any:
    try:
        return getattr(pcmci, method)(**options)
    except (ValueError, IndexError, np.linalg.LinAlgError) as error:
        raise BackendError(f"tigramite's {method} could not finish: {error}") from error


def _link_assumptions(task: Task) -> Links:
    """Links to test as "?" marks, the user's given links as "-" marks, which tigramite takes without a test."""
    assumptions = keep_links(None, task.links | task.required)
    for i, j, tau in np.argwhere(task.required).tolist():
        both = tau == 0 and task.required[j, i, 0]
        assumptions[j][i, -tau] = "o-o" if both else "-->"
        if tau == 0 and not both:
            assumptions[i][j, 0] = "<--"
    return assumptions


def _settled(
    task: Task, val: NDArray[np.float64], p: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]:
    """Return value, p-value and status of every link; val 0 and p 1 wherever no test gave a number."""
    status = np.full(p.shape, LinkStatus.NOT_ASKED, dtype=np.uint8)
    ran = task.links & ~task.required
    if ran.shape[2]:  # one direction of a contemporaneous link stands for both
        ran[:, :, 0] |= ran[:, :, 0].T & ~task.required[:, :, 0]
    status[ran] = LinkStatus.OK
    status[ran & np.isnan(p)] = LinkStatus.TOO_FEW_ROWS
    # PCMCI+ keeps its starting values val = 0 and p = 0 where the only test of a link gave NaN.
    status[ran & (np.isnan(val) | ((val == 0) & (p == 0)))] = LinkStatus.NUMERIC
    tested = status == LinkStatus.OK
    return np.where(tested, val, 0.0), np.where(tested, p, 1.0), status
