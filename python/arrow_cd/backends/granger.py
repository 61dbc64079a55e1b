"""Linear Granger causality, conditional on all other series or source by source, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome, Task
from arrow_cd.backends.native_granger import GrangerRun, in_blocks, run_granger
from arrow_cd.backends.native_search import run_task
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_choice, check_flag

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW_DEGREES = 10
"""Tests with fewer residual degrees of freedom than this are pointed out."""


class Granger:
    """`discover(method="granger")`: each series predicted from the past of all; the base install is all it needs.

    Options:

    conditional
        True: a model a target, with all of its sources. False: a model a pair, with the target's own lags.
    lags
        What a screen chooses. "block": the sources. All lags of those that have a candidate are in the models, the
        target's own too, so that neither the F of a source nor the t of a link depends on which of its lags looked
        best. A conditional model that would have more columns than half of the rows falls back on its candidates, which
        a note says. "mask": the lags; models have the candidates only.
    """

    method = "granger"
    tests: tuple[str, ...] = ()
    tau_min = 1
    rows: Literal["lagged"] = "lagged"
    missing = False
    defaults: Mapping[str, Any] = {"conditional": True, "lags": "block"}
    about = MethodInfo(
        assumes="linear links, no hidden common causes, no links within a sample; bivariate: no third series at all",
        gives="partial correlation and t of every link, ln(RSS_r / RSS_f) and F of every source",
        cost="(N L)^3 / 3, screened (s L)^3 / 3 a target for s sources kept; bivariate N^2 L^3; correlations N^2 L T",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_flag("conditional", options["conditional"])
        check_choice("lags", options["lags"], ("block", "mask"))

    def run(self, task: Task) -> Outcome:
        """Test the links of the task; Ctrl-C raises `Interrupted` with what was found until then."""
        links, over = _models(task)
        outcome = run_task(
            run_granger, task, partial(_outcome, over), links=links, tau_min=task.tau_min, **task.options
        )
        _require_rows(task, outcome)
        return outcome


def _models(task: Task) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Links that are in the models, tested or not, and the targets for which their sources have too many lags.

    In a model of a pair the core adds the lags itself.
    """
    if task.asked is None or not task.options["conditional"] or task.options["lags"] == "mask":
        return task.links, np.zeros(len(task.links), dtype=bool)
    return in_blocks(task.links, task.asked, task.series.sample_rows(task.tau_max, "lagged") // 2)


def _outcome(over: NDArray[np.bool_], task: Task, found: GrangerRun) -> Outcome:
    found = found.of_links(task.links)
    by_pairs = not task.options["conditional"]
    tested = found.status == LinkStatus.OK
    notes = (
        *_few_degrees(task.series.names, found),
        *_untestable(task, found),
        *_without_blocks(task.series.names, over),
    )
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
        notes=notes,
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


def _without_blocks(names: tuple[str, ...], over: NDArray[np.bool_]) -> tuple[str, ...]:
    if not over.any():
        return ()
    targets = ", ".join(repr(names[j]) for j in np.flatnonzero(over))
    return (
        f"all lags of the candidate sources of {targets} would be more columns than half of the rows: models have the "
        "candidate lags only, and p-values don't pay for the choice among lags",
    )


BACKENDS = (Granger(),)
