"""What the native searches have in common: tasks, arguments, the core's answer, Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from arrow_cd.backends.base import Interrupted
from arrow_cd.backends.native_checks import check_nodes
from arrow_cd.backends.rows import RowSpec
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Outcome, Progress, Task
    from arrow_cd.data import TimeSeries

Parents = Mapping[int, Sequence[tuple[int, int]]]
"""``{target: [(source, -tau), ...]}``, the strongest first."""

MEMORY_BUDGET = 2 << 30
"""Bytes that a method's tables may take by default. Where no form of correlations fits, tests read the rows."""

NATIVE_TESTS = {"parcorr": False, "robust_parcorr": True}
"""The tests of the core, and whether they look at normal scores."""


@dataclass(frozen=True)
class SearchRun:
    """What every search of the core finds; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Partial correlation and two-sided p-value; 1 and 0 for required links, 0 and 1 where nothing was tested.
    status : uint8
        `LinkStatus` of every entry; required links are OK.
    parents
        Lagged parents as PC1 left them, or as they were given, the strongest first: conditions of all later tests.
        After an interrupt only of the targets that PC1 got to.
    pc_val, pc_p_max, pc_val_min
        Of every lagged link that PC1 tested: val and p of its least significant test, and its smallest absolute val.
        0, 1 and 0 elsewhere.
    n_samples
        Rows that all tests share before they drop those where a sample of their own is missing or masked.
    tests_by_phase
        Tests that each phase ran.
    timings
        Seconds of each phase; "matrix" is the correlations.
    correlations
        Where tests read correlations: one "matrix" of all lagged columns, sums by lag "differences", "pairs" of
        columns, formed one by one, or the "rows" of every test.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    parents: dict[int, list[tuple[int, int]]]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    n_samples: int
    tests_by_phase: dict[str, int]
    timings: dict[str, float]
    correlations: Literal["matrix", "differences", "pairs", "rows"]


Run = TypeVar("Run")


class InterruptedRun(KeyboardInterrupt, Generic[Run]):
    """Ctrl-C during a run of the core. `partial` is what had been found until then; other links' status is NOT_TESTED.

    The graph of PCMCI+ then has the links that the skeleton phase tested and kept, not oriented. Of several levels it
    is that of the best one that was finished.
    """

    def __init__(self, partial: Run) -> None:
        super().__init__("interrupted")
        self.partial = partial


def call_core(
    search: Callable[..., Any],
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    name: str,
    n_steps: int,
    rows: RowSpec | None,
    required: NDArray[np.bool_] | None,
    order: Parents | None,
    levels: Iterable[Any],
    normal_scores: bool,
    progress: Progress | None,
    **options: Any,
) -> Any:
    """Run a search of the core; `name` and `n_steps` are what `progress` hears. The options go as they are."""
    values, valid, segments = series.core_arrays()
    return search(
        values,
        valid,
        segments,
        rows=(rows or RowSpec()).core_arrays(series),
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        order=node_lists("order", order, series.N),
        pc_alpha=[float(level) for level in levels],
        normal_scores=normal_scores,
        progress=steps(progress, name, n_steps),
        **options,
    )


def run_task(
    search: Callable[..., Run],
    task: Task,
    outcome: Callable[[Task, Run], Outcome],
    *,
    links: NDArray[np.bool_] | None = None,
    required: NDArray[np.bool_] | None = None,
    **options: Any,
) -> Outcome:
    """Run a search on a task's links, or on others in their place; Ctrl-C raises `Interrupted` with what was found."""
    try:
        found = search(
            task.series,
            task.links if links is None else links,
            required=task.required if required is None else required,
            memory_budget=task.memory_budget or MEMORY_BUDGET,
            n_jobs=task.n_jobs,
            progress=task.progress,
            **options,
        )
    except InterruptedRun as stop:
        raise Interrupted(outcome(task, stop.partial)) from stop
    return outcome(task, found)


def common_fields(found: Mapping[str, Any], phases: Sequence[str], parts: Sequence[str]) -> dict[str, Any]:
    """Read the fields of `SearchRun` off the core's answer, whose tests and seconds come in this order."""
    known = ((j, chosen) for j, chosen in enumerate(found["parents"]) if chosen is not None)
    same = ("val", "p", "status", "pc_val", "pc_p_max", "pc_val_min", "correlations")
    return {
        **{name: found[name] for name in same},
        "parents": {j: [(i, -lag) for i, lag in chosen] for j, chosen in known},
        "n_samples": found["n_rows"],
        "tests_by_phase": dict(zip(phases, found["tests"], strict=True)),
        "timings": dict(zip(parts, found["seconds"], strict=True)),
    }


def rows_note(columns: str, n_columns: int, *, n_rows: int, normal_scores: bool, memory_budget: int) -> str:
    """Return what a user should hear where correlations of so many columns do not fit into memory."""
    a_column, formula = (8 * n_rows, "8 columns rows") if normal_scores else (24, "24 columns")
    return (
        f"correlations of {columns} = {n_columns} columns take at least {formula} = {a_column * n_columns} bytes, "
        f"which exceed {memory_budget} bytes: every test read its rows, which is slower"
    )


def node_lists(name: str, nodes: Parents | None, n: int) -> list[list[tuple[int, int]]] | None:
    """Lists of (source, lag), one a target, as the core takes them; `name` is the argument's, for errors."""
    if nodes is None:
        return None
    check_nodes(name, nodes, n)
    return [[(i, -lag) for i, lag in nodes.get(j, ())] for j in range(n)]
