"""PCMCI+ with partial correlation, of values or of their normal scores, run by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_checks import check_search
from arrow_cd.backends.native_search import (
    MEMORY_BUDGET,
    InterruptedRun,
    Parents,
    SearchRun,
    call_core,
    common_fields,
)
from arrow_cd.options import check_choice, check_flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.backends.rows import RowSpec
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
class NativePlusRun(SearchRun):
    """What the core found, by phases "pc1", "skeleton" and "colliders"; timings are of "matrix", "pc1", "skeleton" and
    "orientation". Both count all levels.

    `val` and `p` are those of the least significant test: of the skeleton phase, or of PC1 for lagged links that ended
    there. Not corrected: the graph follows from these. Both directions of a pair at lag 0 hold the same numbers; where
    only the second direction's test drops a pair, p is of that test and val still of the first direction, as in
    tigramite.

    Attributes
    ----------
    graph
        Marks ``'-->' '<--' 'o-o' 'x-x'``, '' where there is no link.
    sepsets
        ``{((i, -tau), j): [(k, 0), ...]}``: contemporaneous conditions, besides the lagged parents of both, that
        separate a pair, corrected by the verdict of the collider phase. Pairs that need none are left out.
    ambiguous_triples
        Unshielded triples ``((i, -tau), k, j)`` of which it stayed open whether k is a collider.
    pc_alpha
        The level that was used.
    """

    graph: NDArray[np.str_]
    sepsets: dict[Link, list[tuple[int, int]]]
    ambiguous_triples: list[Triple]
    pc_alpha: float


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
        Bytes for correlations, as in `run_native`; L is 2 tau_max.
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
    InterruptedRun
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
    levels = PC_ALPHAS if pc_alpha is None else np.atleast_1d(pc_alpha)
    found = call_core(
        _core.pcmciplus,
        series,
        links,
        name="pcmciplus",
        n_steps=series.N * len(levels),
        rows=rows,
        required=required,
        order=order,
        levels=levels,
        normal_scores=normal_scores,
        progress=progress,
        collider_rule="none" if contemp_collider_rule is None else contemp_collider_rule,
        mark_conflicts=conflict_resolution,
        reset_lagged_links=reset_lagged_links,
        max_conds_dim=max_conds_dim,
        max_combinations=max_combinations,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
        max_conds_px_lagged=max_conds_px_lagged,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
    )
    run = NativePlusRun(
        **common_fields(found, ("pc1", "skeleton", "colliders"), ("matrix", "pc1", "skeleton", "orientation")),
        graph=MARKS[found["graph"]],
        sepsets={((i, -lag), j): [(k, 0) for k in chosen] for i, lag, j, chosen in found["separators"] if chosen},
        ambiguous_triples=[((i, -lag), k, j) for i, lag, k, j in found["ambiguous"]],
        pc_alpha=found["pc_alpha"],
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run
