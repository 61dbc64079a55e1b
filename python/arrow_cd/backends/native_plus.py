"""PCMCI+ with partial correlation, of values or of their normal scores, run by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_checks import check_search
from arrow_cd.backends.pcmci import MEMORY_BUDGET, Parents, node_lists
from arrow_cd.backends.rows import RowSpec
from arrow_cd.options import check_choice, check_flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries

Link = tuple[tuple[int, int], int]
"""``((source, -tau), target)``."""

Triple = tuple[tuple[int, int], int, int]
"""``((i, -tau), k, j)``: i and k are linked, k and j at lag 0, i and j are not."""

MARKS = np.array(["", "o-o", "-->", "<--", "x-x"])
"""Edge marks, in the order in which the core numbers them."""

COLLIDER_RULES = ("majority", "conservative", "none")
"""How unshielded triples can be judged."""

PC_ALPHAS = (0.001, 0.005, 0.01, 0.025, 0.05)
"""Levels that ``pc_alpha=None`` chooses from; tigramite's."""


@dataclass(frozen=True)
class NativePlusRun:
    """What the core found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Partial correlation and two-sided p-value of the least significant test: of the skeleton phase, or of PC1 for
        lagged links that ended there. 1 and 0 for required links, 0 and 1 where nothing was tested. Not
        corrected: the graph follows from these. Both directions of a pair at lag 0 hold the same numbers; where only
        the second direction's test drops a pair, p is of that test and val still of the first direction, as in
        tigramite.
    graph
        Marks ``'-->' '<--' 'o-o' 'x-x'``, '' where there is no link.
    status : uint8
        `LinkStatus` of every entry; required links are OK.
    parents
        Lagged parents as PC1 left them, conditions of all later tests; ``{target: [(source, -tau), ...]}``, the
        strongest first. After an interrupt only of the targets that PC1 got to.
    sepsets
        ``{((i, -tau), j): [(k, 0), ...]}``: contemporaneous conditions, besides the lagged parents of both, that
        separate a pair, corrected by the verdict of the collider phase. Pairs that need none are left out.
    ambiguous_triples
        Unshielded triples ``((i, -tau), k, j)`` of which it stayed open whether k is a collider.
    pc_val, pc_p_max, pc_val_min
        Of every lagged link: val and p of its least significant test in PC1, and its smallest absolute val. 0, 1 and 0
        elsewhere.
    pc_alpha
        The level that was used.
    n_samples
        Rows that all tests share before they drop those where a sample of their own is missing or masked.
    tests_by_phase
        Tests run by "pc1", "skeleton" and "colliders", at all levels.
    timings
        Seconds of "matrix", "pc1", "skeleton" and "orientation", at all levels.
    has_matrix
        Whether tests read one lagged correlation matrix; otherwise each read its own rows.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    graph: NDArray[np.str_]
    status: NDArray[np.uint8]
    parents: dict[int, list[tuple[int, int]]]
    sepsets: dict[Link, list[tuple[int, int]]]
    ambiguous_triples: list[Triple]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    pc_alpha: float
    n_samples: int
    tests_by_phase: dict[str, int]
    timings: dict[str, float]
    has_matrix: bool


class InterruptedPlusRun(KeyboardInterrupt):
    """Ctrl-C during a run. `partial` is what had been found until then.

    Numbers are those of the tests run until then; other links' status is NOT_TESTED. The graph has the links that the
    skeleton phase tested and kept, not oriented. Of several levels it is the best one that was finished.
    """

    def __init__(self, partial: NativePlusRun) -> None:
        super().__init__("interrupted")
        self.partial = partial


def run_native_plus(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    rows: RowSpec | None = None,
    required: NDArray[np.bool_] | None = None,
    order: Parents | None = None,
    pc_alpha: float | Sequence[float] | None = 0.01,
    contemp_collider_rule: Literal["majority", "conservative", "none"] | None = "majority",
    conflict_resolution: bool = True,
    reset_lagged_links: bool = False,
    max_conds_dim: int | None = None,
    max_combinations: int = 1,
    max_conds_py: int | None = None,
    max_conds_px: int | None = None,
    max_conds_px_lagged: int | None = None,
    normal_scores: bool = False,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> NativePlusRun:
    """Run PCMCI+ with ParCorr or RobustParCorr as tigramite does.

    Parameters
    ----------
    series
        The data.
    links : (N, N, tau_max + 1) bool
        Links to test, indexed [source, target, tau]. At lag 0 both directions of a pair ask for an open orientation
        (tigramite's ``o?o``), one direction for a link that points that way if it exists (``-?>``).
    rows
        Which rows tests use; t in [2 tau_max, T) of every data set by default. A row is left out of a test if one of
        the test's own samples is missing.
    required : (N, N, tau_max + 1) bool, optional
        Links that are present without a test; at lag 0 ``o-o`` in both directions and ``-->`` in one, whatever `links`
        say.
    order
        All links into each target in the order that decides ties in PC1. By source, then lag, if not given.
    pc_alpha
        Level of every decision. Of several levels (None: `PC_ALPHAS`) the one whose graph has the smallest Akaike
        criterion, the first of several; arrays are those of that level.
    contemp_collider_rule
        How unshielded triples are judged: by the share of neighbour sets that separate the ends ("majority",
        "conservative"), or by the one set that did ("none" or None).
    conflict_resolution
        Whether pairs that are oriented both ways become ``x-x``; otherwise the first orientation holds, and results
        depend on the order of the series.
    reset_lagged_links
        Whether the skeleton phase starts from all links, not from those PC1 left.
    max_conds_dim
        Most conditions of a test in PC1, and most contemporaneous ones after that.
    max_combinations
        PC1: most sets of conditions a link and size. Later phases try all sets.
    max_conds_py, max_conds_px, max_conds_px_lagged
        How many lagged parents of the target, of the source, and of a lagged source (None: as `max_conds_px`) the tests
        of later phases condition on.
    normal_scores
        Test partial correlations of normal scores (RobustParCorr), as in `run_native`.
    memory_budget
        Bytes for the lagged correlation matrix, 8 C^2 for C = N (2 tau_max + 1) columns of all links up to tau_max, and
        8 C more for every row with normal scores.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("pcmciplus", done, total)``; each target counts once a level.

    Raises
    ------
    InvalidDataError
        An argument has the wrong type or shape, or an option is out of range.
    ValueError
        An array has the wrong shape, an option is out of range, directed links at lag 0 form a cycle, or no row is
        left.
    InterruptedPlusRun
        Ctrl-C; it has what was found until then.

    References
    ----------
    Runge, J. (2020). Discovering contemporaneous and lagged causal relations in autocorrelated nonlinear time series
    datasets. UAI 124, 1388-1397.
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
        max_conds_px_lagged=max_conds_px_lagged,
    )
    if contemp_collider_rule is not None:
        check_choice("contemp_collider_rule", contemp_collider_rule, COLLIDER_RULES)
    check_flag("conflict_resolution", conflict_resolution)
    check_flag("reset_lagged_links", reset_lagged_links)
    check_flag("normal_scores", normal_scores)
    values, valid, segments = series.core_arrays()
    levels = PC_ALPHAS if pc_alpha is None else np.atleast_1d(pc_alpha)
    steps = series.N * len(levels)
    found = _core.pcmciplus(
        values,
        valid,
        segments,
        rows=(rows or RowSpec()).core_arrays(series),
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        order=node_lists("order", order, series.N),
        pc_alpha=[float(level) for level in levels],
        collider_rule="none" if contemp_collider_rule is None else contemp_collider_rule,
        mark_conflicts=conflict_resolution,
        reset_lagged_links=reset_lagged_links,
        max_conds_dim=max_conds_dim,
        max_combinations=max_combinations,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
        max_conds_px_lagged=max_conds_px_lagged,
        normal_scores=normal_scores,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done: progress("pcmciplus", done, steps),
    )
    known = ((j, chosen) for j, chosen in enumerate(found["parents"]) if chosen is not None)
    run = NativePlusRun(
        val=found["val"],
        p=found["p"],
        graph=MARKS[found["graph"]],
        status=found["status"],
        parents={j: [(i, -lag) for i, lag in chosen] for j, chosen in known},
        sepsets={((i, -lag), j): [(k, 0) for k in chosen] for i, lag, j, chosen in found["separators"] if chosen},
        ambiguous_triples=[((i, -lag), k, j) for i, lag, k, j in found["ambiguous"]],
        pc_val=found["pc_val"],
        pc_p_max=found["pc_p_max"],
        pc_val_min=found["pc_val_min"],
        pc_alpha=found["pc_alpha"],
        n_samples=found["n_rows"],
        tests_by_phase=dict(zip(("pc1", "skeleton", "colliders"), found["tests"], strict=True)),
        timings=dict(zip(("matrix", "pc1", "skeleton", "orientation"), found["seconds"], strict=True)),
        has_matrix=found["has_matrix"],
    )
    if found["interrupted"]:
        raise InterruptedPlusRun(run)
    return run
