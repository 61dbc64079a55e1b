"""Linear Granger causality in the compiled core: every link by t, every source by F."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.base import PairTests
from arrow_cd.backends.native_checks import check_masks
from arrow_cd.backends.native_search import MEMORY_BUDGET, InterruptedRun
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_call, check_choice, check_count, check_flag
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries

Lags = Literal["block", "mask"]


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

    def of_links(self, links: NDArray[np.bool_]) -> GrangerRun:
        """Return the run without its tests of other links, and of sources that have none of them."""
        pairs = links.any(axis=2)
        return replace(
            self,
            val=np.where(links, self.val, 0.0),
            p=np.where(links, self.p, 1.0),
            status=np.where(links, self.status, LinkStatus.NOT_ASKED).astype(np.uint8),
            pairs=PairTests(
                np.where(pairs, self.pairs.val, 0.0),
                None if self.pairs.p is None else np.where(pairs, self.pairs.p, 1.0),
                np.where(pairs, self.pairs.status, LinkStatus.NOT_ASKED).astype(np.uint8),
            ),
            f=np.where(pairs, self.f, 0.0),
            df_num=np.where(pairs, self.df_num, 0),
            df_denom=np.where(pairs, self.df_denom, 0),
        )


def in_blocks(
    links: NDArray[np.bool_], asked: NDArray[np.bool_], most: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Add to the links into every target the other lags of their sources, and its own lags.

    Parameters
    ----------
    links, asked : (N, N, tau_max + 1) bool
        Links, indexed [source, target, tau], and those that may be added.
    most
        Columns that the model of a target may have.

    Returns
    -------
    blocks : (N, N, tau_max + 1) bool
        The links of every target with those added, or alone where that would be more than `most`.
    over : (N,) bool
        The targets for which it would.
    """
    sources = links.any(axis=2)
    sources |= np.diag(sources.any(axis=0))
    blocks = links | (asked & sources[:, :, None])
    over = blocks.sum(axis=(0, 2)) > most
    return np.where(over[:, None], links, blocks), over


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
    check_masks(links, required, series.N)
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
        progress=steps(progress, "granger", series.N),
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
