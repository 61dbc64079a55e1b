"""Linear Granger causality, conditional on all other series or source by source, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.base import MethodInfo, Outcome, PairTests, Progress, Task
from arrow_cd.backends.native_checks import check_links
from arrow_cd.backends.native_search import MEMORY_BUDGET, InterruptedRun, run_task
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_call, check_choice, check_count, check_flag

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

Lags = Literal["block", "mask"]

FEW_DEGREES = 10
"""Tests with fewer residual degrees of freedom than this are pointed out."""


@dataclass(frozen=True)
class GrangerRun:
    """What the core found; links are (N, N, tau_max + 1), pairs (N, N), indexed [source, target] and the lag.

    Attributes
    ----------
    val, p, status
        Of every link: partial correlation given the rest of its model, two-sided p-value of t, and `LinkStatus`; 0 and
        1 where nothing was tested, required links among them.
    pairs
        Of every source as a whole: ``ln(RSS_r / RSS_f)`` in nats, p-value of F and `LinkStatus`.
    f, df_num, df_denom
        F of every pair and its degrees of freedom; 0 where nothing was tested.
    n_samples
        Rows of every model.
    timings
        Seconds of "correlations" and "tests".
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    pairs: PairTests
    f: NDArray[np.float64]
    df_num: NDArray[np.uint64]
    df_denom: NDArray[np.uint64]
    n_samples: int
    timings: dict[str, float]


def run_granger(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_] | None = None,
    conditional: bool = True,
    lags: Lags = "block",
    tau_min: int = 1,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> GrangerRun:
    """Test every link by t and every source by F in least-squares models with an intercept, on rows t >= tau_max.

    Parameters
    ----------
    series
        The data, complete.
    links : (N, N, tau_max + 1) bool
        Links to test, indexed [source, target, tau], tau in samples.
    required : (N, N, tau_max + 1) bool, optional
        Links that are in every model of their target and not tested.
    conditional
        True: one model a target, with the columns of all its links. False: a model a source, with the target's own lags
        and that source's; own lags are tested in the model that has no others.
    lags
        Without `conditional`. "block": own lags 1 to tau_max and the source's tau_min to tau_max are in the model if
        any link of the pair is in `links`, so that no test depends on which of them are. "mask": only those of `links`.
    tau_min
        Smallest lag of a block.
    memory_budget
        Bytes for the correlations of all C = N (tau_max + 1) columns, 8 C (C + N). Beyond that, or where few columns
        are needed, models read their rows.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("granger", done, N)``, counted in targets.

    Returns
    -------
    GrangerRun
        A column that the ones before it (by source, then lag; own lags first without `conditional`) explain but for
        1e-10 of its variance is left out and has status COLLINEAR; so has every link of a target that its model
        explains but for 1e-14. F is ``(RSS_r - RSS_f) / df_num / (RSS_f / df_denom)``, its p-value the tail of
        F(df_num, df_denom).

    Raises
    ------
    InvalidDataError
        An argument can't be meant.
    ValueError
        Missing values, or no row is left.
    InterruptedRun
        Ctrl-C; it has what was found until then.

    References
    ----------
    Granger, C. W. J. (1969). Investigating causal relations by econometric models and cross-spectral methods.
    Econometrica 37, 424-438.

    Geweke, J. F. (1984). Measures of conditional linear dependence and feedback between time series. J. Am. Stat.
    Assoc. 79, 907-915.
    """
    check_links("links", links, series.N)
    if required is not None:
        check_links("required", required, series.N)
    check_flag("conditional", conditional)
    check_choice("lags", lags, ("block", "mask"))
    check_count("tau_min", tau_min, 1)
    check_count("memory_budget", memory_budget, 0)
    check_call(n_jobs, progress)
    if not series.complete:
        raise ValueError("granger takes complete data only, and values are missing")
    values, _, segments = series.core_arrays()
    found = _core.granger(
        values,
        segments,
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        form="conditional" if conditional else lags,
        tau_min=tau_min,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done: progress("granger", done, series.N),
    )
    run = GrangerRun(
        val=found["val"],
        p=found["p"],
        status=found["status"],
        pairs=PairTests(found["pair_val"], found["pair_p"], found["pair_status"]),
        f=found["f"],
        df_num=found["df_num"],
        df_denom=found["df_denom"],
        n_samples=found["n_rows"],
        timings=dict(zip(("correlations", "tests"), found["seconds"], strict=True)),
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run


class Granger:
    """Linear Granger causality; the base install is all it needs."""

    method = "granger"
    tests: tuple[str, ...] = ()
    tau_min = 1
    rows: Literal["lagged"] = "lagged"
    missing = False
    defaults: Mapping[str, Any] = {"conditional": True, "lags": "block"}
    about = MethodInfo(
        assumes="linear links, no hidden common causes, no links within a sample; bivariate: no third series at all",
        gives="partial correlation and t of every link, ln(RSS_r / RSS_f) and F of every source",
        cost="conditional (N L)^3 / 3, screened c^3 / 3 a target; bivariate N^2 L^3; correlations N^2 L T",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_flag("conditional", options["conditional"])
        check_choice("lags", options["lags"], ("block", "mask"))
        if options["conditional"] and options["lags"] != "block":
            raise InvalidDataError(f"lags={options['lags']!r} goes with conditional=False: all links are in one model")

    def run(self, task: Task) -> Outcome:
        """Test the links of the task; Ctrl-C raises `Interrupted` with what was found until then."""
        outcome = run_task(run_granger, task, _outcome, tau_min=task.tau_min, **task.options)
        _require_rows(task, outcome)
        return outcome


def _outcome(task: Task, found: GrangerRun) -> Outcome:
    by_pairs = not task.options["conditional"]
    tested = found.status == LinkStatus.OK
    return Outcome(
        val=found.val,
        p=found.p,
        tested=tested,
        status=found.status,
        n_samples=found.n_samples,
        pairs=found.pairs,
        decided_by="pairs" if by_pairs else "links",
        p_validity="exact" if by_pairs and task.options["lags"] == "block" else None,
        val_unit="partial correlation",
        extra={"pairs": _pair_records(task.series.names, found)},
        tests_by_phase={"F": int((found.df_denom > 0).sum()), "t": int(tested.sum())},
        timings=found.timings,
        notes=(*_few_degrees(task.series.names, found), *_untestable(task, found)),
    )


def _pair_records(names: tuple[str, ...], found: GrangerRun) -> list[dict[str, Any]]:
    """F and its degrees of freedom of every pair that was tested."""
    sources, targets = (found.df_denom > 0).nonzero()
    keys = ("source", "target", "F", "df_num", "df_denom")
    numbers = (array[sources, targets].tolist() for array in (found.f, found.df_num, found.df_denom))
    pairs = ([names[k] for k in ends.tolist()] for ends in (sources, targets))
    return [dict(zip(keys, record, strict=True)) for record in zip(*pairs, *numbers, strict=True)]


def _require_rows(task: Task, outcome: Outcome) -> None:
    """Raise if no target has enough rows for its model."""
    given = outcome.status[task.links]
    if not given.size or (given != LinkStatus.TOO_FEW_ROWS).any():
        return
    columns = int((task.links | task.required).sum(axis=(0, 2)).max())
    if not task.options["conditional"]:
        columns = 2 * task.tau_max
    raise InvalidDataError(
        f"{outcome.n_samples} rows (T - tau_max) are too few for models of up to {columns} lagged columns and an "
        "intercept: screen the links (mode 'screen'), or give a smaller tau_max or more rows"
    )


def _few_degrees(names: tuple[str, ...], found: GrangerRun) -> tuple[str, ...]:
    few = (found.df_denom > 0) & (found.df_denom < FEW_DEGREES)
    if not few.any():
        return ()
    smallest = found.df_denom[few].min()
    i, j = np.argwhere(few & (found.df_denom == smallest))[0]
    return (
        f"{few.sum()} sources were tested with fewer than {FEW_DEGREES} residual degrees of freedom (of {names[i]!r} "
        f"on {names[j]!r}: {smallest} left of {found.n_samples} rows): expect little power",
    )


def _untestable(task: Task, found: GrangerRun) -> tuple[str, ...]:
    reasons = {
        LinkStatus.COLLINEAR: "are collinear with columns before them, or their target is explained perfectly",
        LinkStatus.TOO_FEW_ROWS: "have targets with as many parameters as rows, or more",
        LinkStatus.CONSTANT: "have a source or target that is constant on the rows of the models",
    }
    counts = {status: int((found.status[task.links] == status).sum()) for status in reasons}
    return tuple(f"{count} links could not be tested: they {reasons[s]}" for s, count in counts.items() if count)


BACKENDS = (Granger(),)
