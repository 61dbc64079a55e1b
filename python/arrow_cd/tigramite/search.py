"""Run tigramite for `discover`: a `Task` in, an `Outcome` out."""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.base import Interrupted, Outcome
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
    """Run PC1, then MCI, with tigramite's own test.

    Raises
    ------
    Interrupted
        Ctrl-C during MCI; the links tested until then are in its outcome.
    """
    search = _Search(task)
    options = search.options
    mci = {name: options.pop(name) for name in ("max_conds_py", "max_conds_px")}
    parents = search.call("pc1", "run_pc_stable", **options)
    search.pcmci.cond_ind_test.ci_results = {}  # from here on it holds one test a link
    try:
        results = search.call("mci", "run_mci", parents=parents, **mci)
    except KeyboardInterrupt as stop:
        raise Interrupted(search.outcome(*search.tests_so_far())) from stop
    return search.outcome(results["val_matrix"], results["p_matrix"])


def search_pcmciplus(task: Task) -> Outcome:
    """Run PCMCI+ with tigramite's own test; the marks of the graph are tigramite's."""
    search = _Search(task)
    results = search.call("pcmciplus", "run_pcmciplus", **search.options)
    return search.outcome(results["val_matrix"], results["p_matrix"], results["graph"])


class _Search:
    """A PCMCI object for one task, and what its methods cost."""

    def __init__(self, task: Task) -> None:
        require_tigramite()
        from tigramite.pcmci import PCMCI

        self.task = task
        self.options = dict(task.options)
        check_values(task.test, task.series)
        test = make_test(task.test, seed=task.seed, n_jobs=task.n_jobs, options=self.options.pop("test_options"))
        self.pcmci = PCMCI(tigramite_frame(task.series), test)
        self.links = _link_assumptions(task.links, task.required)
        self.reached = task.links
        self.tests_by_phase: dict[str, int] = {}
        self.timings: dict[str, float] = {}

    def call(self, phase: str, method: str, **options: Any) -> Any:
        """Call one method of the PCMCI object, counting its tests."""
        task, test = self.task, self.pcmci.cond_ind_test
        lags = {"tau_min": task.tau_min, "tau_max": task.tau_max}
        began = time.perf_counter()
        with (
            own_streams(test, task.seed, task.series.names),
            count_tests(test, steps(task.progress, phase, task.series.N)) as count,
        ):
            try:
                return getattr(self.pcmci, method)(link_assumptions=self.links, **lags, **options)
            except (ValueError, IndexError, np.linalg.LinAlgError) as error:
                # Tests of symbols count in a table with one dimension a variable, and numpy has no more than 64.
                too_many = "maximum supported dimension" in str(error)
                hint = "; allow fewer conditions: max_conds_dim, max_conds_py, max_conds_px" if too_many else ""
                raise BackendError(f"tigramite's {method} could not finish: {error}{hint}") from error
            finally:
                self.timings[phase] = time.perf_counter() - began
                self.tests_by_phase[phase] = count.run

    def tests_so_far(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Value and p-value of the links tested since the test's results were emptied; only these are then reached."""
        self.reached = np.zeros_like(self.task.links)
        val, p = np.zeros(self.reached.shape), np.ones(self.reached.shape)
        for (((i, lag),), ((j, _),), _), result in self.pcmci.cond_ind_test.ci_results.items():
            val[i, j, -lag], p[i, j, -lag] = result[:2]
            self.reached[i, j, -lag] = True
        return val, p

    def outcome(
        self, val: NDArray[np.float64], p: NDArray[np.float64], graph: NDArray[np.str_] | None = None
    ) -> Outcome:
        """Put the result together; val 0 and p 1 wherever no test gave a number."""
        task = self.task
        asked = task.links & ~task.required
        asked[:, :, 0] &= ~task.required[:, :, 0].T
        ran = asked & self.reached
        status = np.full(p.shape, LinkStatus.NOT_ASKED, dtype=np.uint8)
        status[asked] = LinkStatus.NOT_TESTED
        status[ran] = LinkStatus.OK
        status[ran & np.isnan(p)] = LinkStatus.TOO_FEW_ROWS
        # PCMCI+ keeps its starting values val = 0 and p = 0 where the only test of a link gave NaN.
        status[ran & (np.isnan(val) | ((val == 0) & (p == 0)))] = LinkStatus.NUMERIC
        tested = status == LinkStatus.OK
        return Outcome(
            val=np.where(tested, val, 0.0),
            p=np.where(tested, p, 1.0),
            tested=tested,
            status=status,
            n_samples=task.series.sample_rows(task.tau_max),
            graph=graph,
            val_unit=self.pcmci.cond_ind_test.measure,
            parents={j: [(int(i), int(lag)) for i, lag in chosen] for j, chosen in self.pcmci.all_parents.items()},
            tests_by_phase=self.tests_by_phase,
            timings=self.timings,
            engine="tigramite",
            versions={"tigramite": version("tigramite")},
        )


def _link_assumptions(links: NDArray[np.bool_], required: NDArray[np.bool_]) -> Links:
    """Return links to test with "?" in the middle, the user's given ones with "-", which tigramite doesn't test.

    A contemporaneous link that stands in one direction only is directed; tigramite would widen "o?o" to both.
    """
    assumptions = keep_links(None, links | required)
    for i, j in np.argwhere(links[:, :, 0] & ~links[:, :, 0].T).tolist():
        assumptions[j][i, 0], assumptions[i][j, 0] = "-?>", "<?-"
    for i, j, tau in np.argwhere(required).tolist():
        if tau:
            assumptions[j][i, -tau] = "-->"
        elif required[j, i, 0]:
            assumptions[j][i, 0] = "o-o"
        else:
            assumptions[j][i, 0], assumptions[i][j, 0] = "-->", "<--"
    return assumptions
