"""PCMCI with partial correlation, of values or of their normal scores, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.base import Interrupted, MethodInfo, Outcome, Progress, Task
from arrow_cd.backends.native_checks import check_nodes, check_search
from arrow_cd.backends.rows import RowSpec
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_common, check_flag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

Parents = Mapping[int, Sequence[tuple[int, int]]]
"""``{target: [(source, -tau), ...]}``, the strongest first."""

MEMORY_BUDGET = 2 << 30
"""Bytes the lagged correlation matrix may take by default; a larger one is not made, and tests read the rows."""

NATIVE_TESTS = {"parcorr": False, "robust_parcorr": True}
"""The tests of the core, and whether they look at normal scores."""

PC_ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Levels that ``pc_alpha=None`` chooses from; tigramite's."""


@dataclass(frozen=True)
class NativeRun:
    """What the core found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Partial correlation and two-sided p-value of MCI; 1 and 0 for required links, 0 and 1 where nothing was tested.
        The two directions of a pair at lag 0 are tests of their own; see `symmetric`.
    df : uint64
        Degrees of freedom of MCI's tests: rows - 2 - conditions that vary; 0 where nothing was tested.
    status : uint8
        `LinkStatus` of every entry; required links are OK.
    parents
        Conditions used, the strongest first; after an interrupt only of the targets that PC1 got to.
    pc_alpha
        PC1's level of every target.
    pc_val, pc_p_max, pc_val_min
        Of every link PC1 tested: val and p of its least significant test, and its smallest absolute val. 0, 1 and 0
        elsewhere.
    n_samples
        Rows that all tests share before they drop those where a sample of their own is missing or masked.
    tests_by_phase
        Tests run by "pc1" and "mci".
    timings
        Seconds of "matrix", "pc1", "mci" and "p_values".
    has_matrix
        Whether tests read one lagged correlation matrix; otherwise each read its own rows.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    df: NDArray[np.uint64]
    status: NDArray[np.uint8]
    parents: dict[int, list[tuple[int, int]]]
    pc_alpha: dict[int, float]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    n_samples: int
    tests_by_phase: dict[str, int]
    timings: dict[str, float]
    has_matrix: bool

    def symmetric(self, links: NDArray[np.bool_]) -> NativeRun:
        """Give both directions of every undirected pair at lag 0 the numbers of the larger p-value, as tigramite does.

        They can differ where the number of conditions is limited, samples are masked or values are missing. A directed
        link keeps to its one direction, whose number tigramite copies to the other.
        """
        back = self.p[:, :, 0].T
        larger = (back > self.p[:, :, 0]) | (np.tri(len(self.p), dtype=bool) & (back == self.p[:, :, 0]))
        larger &= links[:, :, 0] & links[:, :, 0].T

        def chosen(array: NDArray[Any]) -> NDArray[Any]:
            array = array.copy()
            array[:, :, 0] = np.where(larger, array[:, :, 0].T, array[:, :, 0])
            return array

        return replace(self, val=chosen(self.val), p=chosen(self.p), df=chosen(self.df), status=chosen(self.status))


class InterruptedRun(KeyboardInterrupt):
    """Ctrl-C during a run. `partial` is what had been found until then; other links' status is NOT_TESTED."""

    def __init__(self, partial: NativeRun) -> None:
        super().__init__("interrupted")
        self.partial = partial


def run_native(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    rows: RowSpec | None = None,
    required: NDArray[np.bool_] | None = None,
    order: Parents | None = None,
    parents: Parents | None = None,
    pc_alpha: float | Sequence[float] | None = 0.2,
    max_conds_dim: int | None = None,
    max_combinations: int = 1,
    max_conds_py: int | None = None,
    max_conds_px: int | None = None,
    mci: bool = True,
    normal_scores: bool = False,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> NativeRun:
    """Run PC1 and MCI with ParCorr or RobustParCorr as tigramite does.

    Parameters
    ----------
    series
        The data.
    links : (N, N, tau_max + 1) bool
        Links to test, indexed [source, target, tau]. Both directions of a pair at lag 0: an undirected link.
    rows
        Which rows tests use; t in [2 tau_max, T) of every data set by default. A row is left out of a test if one of
        the test's own samples is missing.
    required : (N, N, tau_max + 1) bool, optional
        Links that are present without a test.
    order
        All links into each target in the order that decides ties: of equally strong parents the one named first comes
        first. By source, then lag, if not given.
    parents
        Conditions for MCI at any lags; PC1 is skipped. BivCI is own lags as parents and ``max_conds_px=0``, FullCI all
        lagged variables and ``max_conds_px=0``, unconditional tests ``parents={}``.
    pc_alpha, max_conds_dim, max_combinations
        PC1: level, most conditions, most sets of conditions a link and size. Of several levels (None: `PC_ALPHAS`) each
        target gets the one whose parents have the smallest Akaike criterion, the first of equal ones. (Two levels that
        find the same parents in another order are equal here; in tigramite rounding decides between them.)
    max_conds_py, max_conds_px
        MCI: how many parents of the target, and of the source, a test conditions on. The limit counts the tested link,
        if it is among the parents, before it is left out.
    mci
        False: PC1 only.
    normal_scores
        Test partial correlations of normal scores (RobustParCorr): each variable of a test is ranked on the test's rows
        and mapped to quantiles of the normal distribution.
    memory_budget
        Bytes for the lagged correlation matrix, 8 C^2 for C = N (L + 1) columns, with L the largest lag a test reads:
        2 tau_max for all links up to tau_max. Rows in runs of fewer than L + 1 take 8 C more each; with normal scores
        every row does.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("pcmci", done, total)``; each target counts once a phase.

    Raises
    ------
    InvalidDataError
        An argument has the wrong type or shape, or an option is out of range.
    ValueError
        An array has the wrong shape, an option is out of range, a condition's lag exceeds 2 tau_max, or no row is left.
    InterruptedRun
        Ctrl-C; it has what was found until then.

    References
    ----------
    Runge, J. et al. (2019). Detecting and quantifying causal associations in large nonlinear time series datasets.
    Science Advances 5, eaau4996.

    Liu, H., Lafferty, J., Wasserman, L. (2009). The nonparanormal: semiparametric estimation of high dimensional
    undirected graphs. Journal of Machine Learning Research 10, 2295-2328. (Normal scores.)
    """
    check_search(
        series,
        links=links,
        rows=rows,
        required=required,
        pc_alpha=pc_alpha,
        max_combinations=max_combinations,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=progress,
        max_conds_dim=max_conds_dim,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
    )
    check_flag("mci", mci)
    check_flag("normal_scores", normal_scores)
    values, valid, segments = series.core_arrays()
    steps = series.N * ((parents is None) + mci)
    levels = PC_ALPHAS if pc_alpha is None else np.atleast_1d(pc_alpha)
    found = _core.pcmci(
        values,
        valid,
        segments,
        rows=(rows or RowSpec()).core_arrays(series),
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        order=node_lists("order", order, series.N),
        parents=node_lists("parents", parents, series.N),
        pc_alpha=[float(level) for level in levels],
        max_conds_dim=max_conds_dim,
        max_combinations=max_combinations,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
        mci=mci,
        normal_scores=normal_scores,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done: progress("pcmci", done, steps),
    )
    known = ((j, chosen) for j, chosen in enumerate(found["parents"]) if chosen is not None)
    run = NativeRun(
        val=found["val"],
        p=found["p"],
        df=found["df"],
        status=found["status"],
        parents={j: [(i, -lag) for i, lag in chosen] for j, chosen in known},
        pc_alpha={j: level for j, level in enumerate(found["pc_alpha"]) if level is not None},
        pc_val=found["pc_val"],
        pc_p_max=found["pc_p_max"],
        pc_val_min=found["pc_val_min"],
        n_samples=found["n_rows"],
        tests_by_phase=dict(zip(("pc1", "mci"), found["tests"], strict=True)),
        timings=dict(zip(("matrix", "pc1", "mci", "p_values"), found["seconds"], strict=True)),
        has_matrix=found["has_matrix"],
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run


def node_lists(name: str, nodes: Parents | None, n: int) -> list[list[tuple[int, int]]] | None:
    """Lists of (source, lag), one a target, as the core takes them; `name` is the argument's, for errors."""
    if nodes is None:
        return None
    check_nodes(name, nodes, n)
    return [[(i, -lag) for i, lag in nodes.get(j, ())] for j in range(n)]


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
        try:
            found = run_native(
                task.series,
                task.links,
                required=task.required,
                normal_scores=NATIVE_TESTS[task.test],
                memory_budget=task.memory_budget or MEMORY_BUDGET,
                n_jobs=task.n_jobs,
                progress=task.progress,
                **task.options,
            )
        except InterruptedRun as stop:
            raise Interrupted(_outcome(task, stop.partial)) from stop
        return _outcome(task, found)


def _outcome(task: Task, found: NativeRun) -> Outcome:
    found = found.symmetric(task.links | task.required)
    return Outcome(
        val=found.val,
        p=found.p,
        tested=(found.status == LinkStatus.OK) & ~task.required,
        status=found.status,
        n_samples=found.n_samples,
        val_unit="partial correlation",
        parents=found.parents,
        tests_by_phase=found.tests_by_phase,
        timings=found.timings,
        notes=row_notes(task, found.has_matrix),
    )


def row_notes(task: Task, has_matrix: bool) -> tuple[str, ...]:
    """Return what a user should hear about the rows that tests read."""
    if not task.series.complete:
        return ("a row is left out of a test where one of the test's own samples is missing",)
    if not has_matrix:
        columns = task.series.N * (2 * task.tau_max + 1)
        beside, name = task.series.N, "N"
        if NATIVE_TESTS[task.test]:
            beside, name = task.series.sample_rows(task.tau_max), "rows"
        return (
            f"the lagged correlations of N (2 tau_max + 1) = {columns} columns, 8 columns (columns + {name}) = "
            f"{8 * columns * (columns + beside)} bytes, exceed {task.memory_budget or MEMORY_BUDGET} bytes: "
            "every test read its rows, which is slower",
        )
    return ()


BACKENDS = (NativePcmci(),)
