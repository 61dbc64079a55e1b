"""PC1 and MCI with partial correlation, of values or of their normal scores, run by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
    node_lists,
)
from arrow_cd.options import check_flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.backends.rows import RowSpec
    from arrow_cd.data import TimeSeries

PC_ALPHAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Levels that ``pc_alpha=None`` chooses from; tigramite's."""


@dataclass(frozen=True)
class NativeRun(SearchRun):
    """What the core found, by phases "pc1" and "mci"; timings also have "matrix" and "p_values".

    `val` and `p` are those of MCI. The two directions of a pair at lag 0 are tests of their own; see `symmetric`.

    Attributes
    ----------
    df : uint64
        Degrees of freedom of MCI's tests: rows - 2 - conditions that vary; 0 where nothing was tested.
    pc_alpha
        PC1's level of every target.
    """

    df: NDArray[np.uint64]
    pc_alpha: dict[int, float]

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
        Bytes for correlations. With C = N (L + 1) columns, L the largest lag a test reads (2 tau_max for all links up
        to tau_max): one matrix takes 8 C (C + N), sums by lag difference about 8 C N, columns alone 24 C. With normal
        scores on R rows 8 C (C + R) and 8 C R; there are no differences. Rows in runs of fewer than L + 1 take 8 C more
        each. Of the forms that fit the one is taken that is likely to cost least, whatever `n_jobs`; where none fits,
        tests read the rows.
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
    found = call_core(
        _core.pcmci,
        series,
        links,
        name="pcmci",
        n_steps=series.N * ((parents is None) + mci),
        rows=rows,
        required=required,
        order=order,
        levels=PC_ALPHAS if pc_alpha is None else np.atleast_1d(pc_alpha),
        normal_scores=normal_scores,
        progress=progress,
        parents=node_lists("parents", parents, series.N),
        max_conds_dim=max_conds_dim,
        max_combinations=max_combinations,
        max_conds_py=max_conds_py,
        max_conds_px=max_conds_px,
        mci=mci,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
    )
    run = NativeRun(
        **common_fields(found, ("pc1", "mci"), ("matrix", "pc1", "mci", "p_values")),
        df=found["df"],
        pc_alpha={j: level for j, level in enumerate(found["pc_alpha"]) if level is not None},
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run
