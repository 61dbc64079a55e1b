"""Run one method on one series, natively or by a library, screened or not."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrow_cd import ScreenConfig, discover, screen
from arrow_cd.bench.cells import Cell
from arrow_cd.constraints import all_links
from arrow_cd.errors import BackendError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import link_mask
from arrow_cd.tigramite.assumptions import keep_links
from arrow_cd.tigramite.counting import count_tests
from arrow_cd.tigramite.search import tigramite_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries
    from arrow_cd.screening import Strategy

ALPHA = 0.05
PC_ALPHA = 0.2
"""PCMCI's own default; the other methods run with theirs."""

# Marks that count as a link from source to target; of two that mirror each other, '<--' is told by the other.
_LINKED = ("-->", "o-o", "x-x")


@dataclass(frozen=True)
class Found:
    """What a run gives to be scored.

    Attributes
    ----------
    graph : bool
        (N, N, tau_max + 1), or (N, N) for a method that finds sources without lags; [source, target(, tau)].
    strength : float64, same shape
        The larger, the more a link is believed.
    tests
        Tests, fits or table look-ups the method counts; None where a library doesn't say.
    kept : (N, N, tau_max + 1) bool or None
        What the screen kept; None for a plain run.
    parents
        ``{target: [(source, -tau), ...]}`` of the native PCMCI, for the audit of pruned links.
    """

    graph: NDArray[np.bool_]
    strength: NDArray[np.float64]
    tests: int | None
    kept: NDArray[np.bool_] | None = None
    parents: dict[int, list[tuple[int, int]]] | None = None


def run_cell(cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """Run a cell's method on one member of its data set; one thread."""
    if cell.engine == "native":
        return _native(cell, series, tau_max)
    found = _LIBRARIES[cell.method, cell.engine](
        cell, series.select([series.names[k] for k in series.active()]), tau_max
    )
    return _on_all_columns(found, series)


def _native(cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    options: dict[str, Any] = {"pc_alpha": PC_ALPHA} if cell.method == "pcmci" else {}
    kept = None
    if cell.screen == "correlation":
        kept = correlated_links(series, tau_max)
        options |= {"link_assumptions": keep_links(None, kept)}
    own_screen = cell.screen not in ("none", "correlation")
    options |= {"screen": _config(cell)} if own_screen else {"mode": "exact"}
    result = discover(series, method=cell.method, tau_max=tau_max, alpha=ALPHA, seed=cell.repeat, **options)
    assert result.screening is not None  # `discover` always says what it ran
    if own_screen:
        kept = link_mask(result.screening.candidates, result.graph.shape)
    strength = np.abs(result.val_matrix) if result.p_matrix is None else -result.p_matrix
    parents = dict(result.parents) if cell.method == "pcmci" else None
    return Found(np.isin(result.graph, _LINKED), strength, result.screening.tests_run, kept, parents)


def correlated_links(series: TimeSeries, tau_max: int) -> NDArray[np.bool_]:
    """As many links for each target as `weave` keeps, but those of the largest absolute lagged correlation.

    Correlations stay within data sets and take missing values for the mean; own lag 1 is always kept, as by `weave`.
    """
    sizes = {target: len(kept) for target, kept in screen(series, tau_max=tau_max).order.items()}
    strength = np.zeros((series.N, series.N, tau_max + 1))
    for tau in range(1, tau_max + 1):
        pieces = [(series.values[a : b - tau], series.values[a + tau : b]) for a, b in series.segments if b - a > tau]
        past, present = (np.concatenate(side) for side in zip(*pieces, strict=True))
        strength[:, :, tau] = np.abs(_correlation(past, present))
    links = np.zeros(strength.shape, dtype=bool)
    for target, size in sizes.items():
        flat = strength[:, target].copy()
        flat[target, 1] = np.inf
        best = np.argsort(-flat, axis=None, kind="stable")[:size]
        links[:, target][np.unravel_index(best, flat.shape)] = True
    return links


def _correlation(past: NDArray[np.float64], present: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations of all pairs of columns, missing values taken for the mean; 0 for a constant column."""

    def scaled(x: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = np.nan_to_num(x - np.nanmean(x, axis=0))
        norm = np.sqrt((centred**2).sum(axis=0))
        scaled: NDArray[np.float64] = np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0)
        return scaled

    return np.asarray(scaled(past).T @ scaled(present))


def _config(cell: Cell) -> ScreenConfig:
    return ScreenConfig(strategy=cast("Strategy", cell.screen))


def _tigramite(cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """tigramite's search on its own ParCorr; a screen hands it its candidates as link assumptions."""
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    pcmci = PCMCI(tigramite_frame(series), ParCorr(), verbosity=0)
    plus = cell.method == "pcmciplus"
    lags = {"tau_min": 0 if plus else 1, "tau_max": tau_max}
    kept = None
    assumptions = None
    if cell.screen != "none":
        kept = (
            correlated_links(series, tau_max)
            if cell.screen == "correlation"
            else screen(series, tau_max=tau_max, config=_config(cell)).mask
        )
        links = kept.copy()
        if plus:
            links[:, :, 0] = all_links(series.N, tau_min=0, tau_max=0)[:, :, 0]
        assumptions = keep_links(None, links)
    with count_tests(pcmci.cond_ind_test) as count, contextlib.redirect_stdout(io.StringIO()):
        if plus:
            results = pcmci.run_pcmciplus(link_assumptions=assumptions, **lags)
        else:
            results = pcmci.run_pcmci(link_assumptions=assumptions, pc_alpha=PC_ALPHA, **lags)
    p = np.nan_to_num(results["p_matrix"], nan=1.0)
    if plus:
        return Found(np.isin(results["graph"], _LINKED), -p, count.run, kept)
    return Found(benjamini_hochberg(p, all_links(series.N, tau_min=1, tau_max=tau_max)) <= ALPHA, -p, count.run, kept)


def _antecedent(_cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """antecedent's PCMCI; it returns links with p up to its level only, so that any other has p = 1 here."""
    from antecedent import discovery

    _complete_and_single(series, "antecedent")
    method = discovery.PCMCI(max_lag=tau_max, alpha=PC_ALPHA, fdr=False, max_cond_size=100)
    result = method.run({str(k): series.values[:, k] for k in range(series.N)}, threads=1)
    p = np.ones((series.N, series.N, tau_max + 1))
    for link in result.links:
        p[int(link.source), int(link.target), link.source_lag] = link.p_value
    graph = benjamini_hochberg(p, all_links(series.N, tau_min=1, tau_max=tau_max)) <= ALPHA
    return Found(graph, -p, result.ci_tests)


def _statsmodels(_cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """`grangercausalitytests` for every ordered pair; Benjamini-Hochberg over the pairs."""
    from statsmodels.tsa.stattools import grangercausalitytests

    _complete_and_single(series, "statsmodels")
    p = np.ones((series.N, series.N))
    for i in range(series.N):
        for j in range(series.N):
            if i != j:
                found = grangercausalitytests(series.values[:, [j, i]], [tau_max])
                p[i, j] = found[tau_max][0]["ssr_ftest"][1]
    family = ~np.eye(series.N, dtype=bool)
    return Found((benjamini_hochberg(p, family) <= ALPHA) & family, -p, int(family.sum()))


def _causal_learn_lingam(_cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """causal-learn's VARLiNGAM with pruning, any coefficient left is a link."""
    from causallearn.search.FCMBased.lingam import VARLiNGAM

    _complete_and_single(series, "causal-learn")
    model = VARLiNGAM(lags=tau_max, criterion=None, prune=True)
    model.fit(series.values)
    strength = np.abs(np.transpose(model.adjacency_matrices_, (2, 1, 0)))
    return Found(strength > 0, strength, None)


def _causal_learn_pc(_cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """causal-learn's PC on lagged columns; links into the present."""
    from causallearn.search.ConstraintBased.PC import pc

    from arrow_cd.causallearn.unrolled import links_into_present, unroll

    _complete_and_single(series, "causal-learn")
    columns, _ = unroll(series, tau_max)
    graph = links_into_present(pc(columns, 0.01, "fisherz", show_progress=False), tau_max)
    return Found(graph, graph.astype(float), None)


def _complete_and_single(series: TimeSeries, library: str) -> None:
    if not series.complete or len(series.segments) > 1:
        raise BackendError(f"{library} takes one complete series: values are missing, or there are several data sets")


def _on_all_columns(found: Found, series: TimeSeries) -> Found:
    """Put what was found on the columns that vary among all of them."""
    kept = None if found.kept is None else series.on_all_columns(found.kept, False)
    graph, strength = series.on_all_columns(found.graph, False), series.on_all_columns(found.strength, -1.0)
    return Found(graph, strength, found.tests, kept)


_LIBRARIES: dict[tuple[str, str], Callable[[Cell, TimeSeries, int], Found]] = {
    ("pcmci", "tigramite"): _tigramite,
    ("pcmci", "antecedent"): _antecedent,
    ("pcmciplus", "tigramite"): _tigramite,
    ("granger", "statsmodels"): _statsmodels,
    ("varlingam", "causal-learn"): _causal_learn_lingam,
    ("pc", "causal-learn"): _causal_learn_pc,
}
