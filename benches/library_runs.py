"""What the libraries of the field do with the same data: the rivals of `backends_speed.py`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from arrow_cd import _core, as_time_series
from arrow_cd.backends.native_granger import run_granger
from arrow_cd.backends.native_pc import run_native_pc
from arrow_cd.causallearn.unrolled import links_into_present, unroll
from arrow_cd.constraints import all_links
from arrow_cd.simulate import arrow_linear_const

ROUNDS = 9


def granger_bivariate(values: np.ndarray, tau_max: int) -> np.ndarray:
    """statsmodels' `grangercausalitytests` at tau_max for every ordered pair; F indexed [source, target]."""
    from statsmodels.tsa.stattools import grangercausalitytests

    N = values.shape[1]
    F = np.zeros((N, N))
    for source in range(N):
        for target in range(N):
            if source != target:
                found = grangercausalitytests(values[:, [target, source]], [tau_max])
                F[source, target] = found[tau_max][0]["ssr_ftest"][0]
    return F


def granger_conditional(values: np.ndarray, tau_max: int) -> np.ndarray:
    """statsmodels' VAR and its `test_causality` for every ordered pair; F indexed [source, target]."""
    from statsmodels.tsa.api import VAR

    N = values.shape[1]
    fitted = VAR(values).fit(tau_max, trend="c")
    F = np.zeros((N, N))
    for source in range(N):
        for target in range(N):
            if source != target:
                F[source, target] = fitted.test_causality(target, [source], kind="f").test_statistic
    return F


def varlingam(values: np.ndarray, tau_max: int) -> object:
    """causal-learn's VARLiNGAM with its defaults, at the lag asked for."""
    from causallearn.search.FCMBased.lingam import VARLiNGAM

    model = VARLiNGAM(lags=tau_max, criterion=None)
    model.fit(values)
    return model


def direct_lingam(residuals: np.ndarray) -> list[int]:
    """causal-learn's DirectLiNGAM: the order alone is what is compared, the fit of B0 is left out."""
    from causallearn.search.FCMBased.lingam import DirectLiNGAM

    model = DirectLiNGAM()
    model._estimate_adjacency_matrix = lambda *_, **__: model
    return model.fit(residuals).causal_order_


def lagged_pc(values: np.ndarray, tau_max: int, alpha: float = 0.01) -> np.ndarray:
    """causal-learn's PC on lagged columns; links into the present, indexed [source, target, tau]."""
    from causallearn.search.ConstraintBased.PC import pc

    columns, _ = unroll(values, tau_max)
    return links_into_present(pc(columns, alpha, "fisherz", show_progress=False), tau_max)


def tigramite_pc(values: np.ndarray, tau_max: int, alpha: float = 0.01) -> dict[int, set[tuple[int, int]]]:
    """tigramite's `run_pcalg` with lagged links only: ``{target: {(source, -tau), ...}}``."""
    from tigramite.data_processing import DataFrame
    from tigramite.independence_tests.parcorr import ParCorr
    from tigramite.pcmci import PCMCI

    pcmci = PCMCI(DataFrame(values), ParCorr(), verbosity=0)
    graph = pcmci.run_pcalg(pc_alpha=alpha, tau_min=1, tau_max=tau_max)["graph"]
    sources, targets, lags = np.nonzero(graph == "-->")
    parents: dict[int, set[tuple[int, int]]] = {j: set() for j in range(values.shape[1])}
    for i, j, tau in zip(sources.tolist(), targets.tolist(), lags.tolist(), strict=True):
        parents[j].add((i, -tau))
    return parents


def ratios() -> list[list[str]]:
    """Rows (what, library's seconds, ours, times faster) of what single steps gain at N=10, T=1,000.

    The two alternate, ours repeated for as long as the library took, so that both meet the same other load. Times are
    medians of the rounds; the last column has the median of the rounds' ratios and the smallest.
    """
    x = arrow_linear_const(1000, lag=5).values
    series = as_time_series(x)
    residuals = np.ascontiguousarray(np.random.default_rng(0).uniform(-1, 1, (10, 1000)))
    pairs = all_links(10, tau_min=1, tau_max=3)
    steps: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        (
            "DirectLiNGAM's order, N=10",
            lambda: direct_lingam(residuals.T),
            lambda: _core.causal_order(residuals, rows_less_one=True, before=[]),
        ),
        (
            "lagged PC, N=10, tau_max 3: search",
            lambda: lagged_pc(x, 3),
            lambda: run_native_pc(series, pairs, pc_alpha=0.01),
        ),
        *(
            (
                f"Granger source by source, N=10, tau_max {tau_max}: search",
                partial(granger_bivariate, x, tau_max),
                partial(run_granger, series, all_links(10, tau_min=1, tau_max=tau_max), conditional=False),
            )
            for tau_max in (5, 99)
        ),
    ]
    rows = []
    for name, library, ours in steps:
        mean_seconds(ours), mean_seconds(library)
        rounds = []
        for _ in range(ROUNDS):
            slow = mean_seconds(library)
            rounds.append((slow, mean_seconds(ours, slow)))
        slow, fast = np.median(rounds, axis=0)
        gains = np.divide(*np.transpose(rounds))
        rows.append([name, f"{slow:.3g}", f"{fast:.3g}", f"{np.median(gains):.0f} ({gains.min():.0f})"])
    return rows


def mean_seconds(call: Callable[[], object], at_least: float = 0.0) -> float:
    """Mean time of a call that is repeated until `at_least` seconds have passed."""
    began, count, passed = time.perf_counter(), 0, 0.0
    while count == 0 or passed < at_least:
        call()
        count += 1
        passed = time.perf_counter() - began
    return passed / count
