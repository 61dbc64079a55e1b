"""Methods by the libraries they come from, as those libraries run them, and the least-squares baseline."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.bench.searches import ALPHA, LINKED, PC_ALPHA, Found, correlated_links, screen_config
from arrow_cd.constraints import all_links
from arrow_cd.errors import BackendError
from arrow_cd.fdr import benjamini_hochberg

if TYPE_CHECKING:
    from arrow_cd.bench.cells import Cell
    from arrow_cd.data import TimeSeries


def _tigramite(cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """tigramite's search on its own ParCorr; a screen hands it its candidates as link assumptions."""
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    from arrow_cd import screen
    from arrow_cd.tigramite.assumptions import keep_links
    from arrow_cd.tigramite.counting import count_tests
    from arrow_cd.tigramite.search import tigramite_frame

    pcmci = PCMCI(tigramite_frame(series), ParCorr(), verbosity=0)
    plus = cell.method == "pcmciplus"
    lags = {"tau_min": 0 if plus else 1, "tau_max": tau_max}
    kept = None
    assumptions = None
    if cell.screen != "none":
        kept = (
            correlated_links(series, tau_max)
            if cell.screen == "correlation"
            else screen(series, tau_max=tau_max, config=screen_config(cell)).mask
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
        return Found(np.isin(results["graph"], LINKED), -p, count.run, kept)
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


def _least_squares(_cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    """Vector autoregression: t-tests of all coefficients, Benjamini-Hochberg over all lagged links."""
    from arrow_cd.bench.least_squares import var_pvalues

    p = var_pvalues(series, tau_max)
    family = all_links(series.N, tau_min=1, tau_max=tau_max)
    return Found(benjamini_hochberg(p, family) <= ALPHA, -p, int(family.sum()))


def _complete_and_single(series: TimeSeries, library: str) -> None:
    if not series.complete or len(series.segments) > 1:
        raise BackendError(f"{library} takes one complete series: values are missing, or there are several data sets")


LIBRARIES: dict[tuple[str, str], Callable[[Cell, TimeSeries, int], Found]] = {
    ("pcmci", "tigramite"): _tigramite,
    ("pcmci", "antecedent"): _antecedent,
    ("pcmciplus", "tigramite"): _tigramite,
    ("granger", "statsmodels"): _statsmodels,
    ("varlingam", "causal-learn"): _causal_learn_lingam,
    ("pc", "causal-learn"): _causal_learn_pc,
    ("var", "numpy"): _least_squares,
}
"""Runs of (method, engine) on a series without constant columns."""
