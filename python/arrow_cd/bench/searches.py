"""Run one method on one series, screened or not: natively here, by a library in `libraries`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrow_cd import ScreenConfig, discover, screen
from arrow_cd.bench.cells import Cell
from arrow_cd.links import link_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries
    from arrow_cd.screening import Strategy

ALPHA = 0.05
PC_ALPHA = 0.2
"""PCMCI's own default; the other methods run with theirs."""

LINKED = ("-->", "o-o", "x-x")
"""Marks that count as a link from source to target; of two that mirror each other, '<--' is told by the other."""

# What is required is then all that is tested, and p-values are corrected over all links, as after any other screen.
# Link assumptions instead would make the family smaller: another correction than the screens it is compared with have.
_KEEPS_NOTHING = ScreenConfig(bits=1, pool=1, own_lags=0, even=False, max_add=0, max_scans=1)


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
    from arrow_cd.bench.libraries import LIBRARIES

    varying = series.select([series.names[k] for k in series.active()])
    return _on_all_columns(LIBRARIES[cell.method, cell.engine](cell, varying, tau_max), series)


def _native(cell: Cell, series: TimeSeries, tau_max: int) -> Found:
    options: dict[str, Any] = {"pc_alpha": PC_ALPHA} if cell.method == "pcmci" else {}
    kept = None
    if cell.screen == "correlation":
        kept = correlated_links(series, tau_max)
        links = [(source, target, tau) for source, target, tau in np.argwhere(kept).tolist()]
        options |= {"screen": _KEEPS_NOTHING, "require": links}
    own_screen = cell.screen not in ("none", "correlation")
    if own_screen:
        options |= {"screen": screen_config(cell)}
    elif kept is None:
        options |= {"mode": "exact"}
    result = discover(series, method=cell.method, tau_max=tau_max, alpha=ALPHA, seed=cell.repeat, **options)
    assert result.screening is not None  # `discover` always says what it ran
    if own_screen:
        kept = link_mask(result.screening.candidates, result.graph.shape)
    strength = np.abs(result.val_matrix) if result.p_matrix is None else -result.p_matrix
    parents = dict(result.parents) if cell.method == "pcmci" else None
    return Found(np.isin(result.graph, LINKED), strength, result.screening.tests_run, kept, parents)


def correlated_links(series: TimeSeries, tau_max: int) -> NDArray[np.bool_]:
    """As many links for each target as `weave` keeps, but those of the largest absolute lagged correlation.

    Own lag 1 is always kept, as by `weave`.
    """
    sizes = {target: len(kept) for target, kept in screen(series, tau_max=tau_max).order.items()}
    strength = lagged_correlations(series, tau_max)
    strength[:, :, 0] = 0.0
    links = np.zeros(strength.shape, dtype=bool)
    for target, size in sizes.items():
        flat = strength[:, target].copy()
        flat[target, 1] = np.inf
        best = np.argsort(-flat, axis=None, kind="stable")[:size]
        links[:, target][np.unravel_index(best, flat.shape)] = True
    return links


def lagged_correlations(series: TimeSeries, tau_max: int) -> NDArray[np.float64]:
    """Absolute correlations (N, N, tau_max + 1) [source, target, tau], within data sets, missing values at the mean."""
    strength = np.zeros((series.N, series.N, tau_max + 1))
    for tau in range(tau_max + 1):
        pieces = [(series.values[a : b - tau], series.values[a + tau : b]) for a, b in series.segments if b - a > tau]
        past, present = (np.concatenate(side) for side in zip(*pieces, strict=True))
        strength[:, :, tau] = np.abs(_correlation(past, present))
    return strength


def _correlation(past: NDArray[np.float64], present: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations of all pairs of columns, missing values taken for the mean; 0 for a constant column."""

    def scaled(x: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = np.nan_to_num(x - np.nanmean(x, axis=0))
        norm = np.sqrt((centred**2).sum(axis=0))
        scaled: NDArray[np.float64] = np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0)
        return scaled

    return np.asarray(scaled(past).T @ scaled(present))


def _on_all_columns(found: Found, series: TimeSeries) -> Found:
    """Put what was found on the columns that vary among all of them."""
    kept = None if found.kept is None else series.on_all_columns(found.kept, False)
    graph, strength = series.on_all_columns(found.graph, False), series.on_all_columns(found.strength, -1.0)
    return Found(graph, strength, found.tests, kept)


def screen_config(cell: Cell) -> ScreenConfig:
    """The settings of the cell's screen: its own defaults."""
    return ScreenConfig(strategy=cast("Strategy", cell.screen))
