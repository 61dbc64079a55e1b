"""How good one run is against the known links, and what the screen lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.bench.searches import ALPHA
from arrow_cd.metrics import GraphScores, score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.bench.searches import Found
    from arrow_cd.data import TimeSeries
    from arrow_cd.datasets import Truth

AUDITED = 200
"""Pruned links that an audit tests at most."""


def measure(found: Found, truth: Truth) -> dict[str, float | int | None]:
    """Return the measures of one run by name; None where the truth or the method has no lags, or nothing to divide by.

    Links of a series to itself are left out everywhere, and so is lag 0.
    """
    scores = score(found.graph, truth.graph, strength=found.strength, tau_min=1)
    measures: dict[str, float | int | None] = _named("summary", scores.summary)
    if scores.lagged is not None:
        measures |= _named("lagged", scores.lagged) | {"lag_accuracy": _known(scores.lag_accuracy)}
    measures["tests"] = found.tests
    if found.kept is not None:
        measures |= _kept(found.kept, truth)
    return measures


def _named(kind: str, scores: GraphScores) -> dict[str, float | int | None]:
    return {
        f"{kind}_precision": _known(scores.precision),
        f"{kind}_recall": _known(scores.recall),
        f"{kind}_f1": _known(scores.f1),
        f"{kind}_auroc": _known(scores.auroc),
        f"{kind}_auprc": _known(scores.auprc),
        f"{kind}_hamming": scores.hamming,
        f"{kind}_false_links": scores.false_positives,
        f"{kind}_found_links": scores.true_positives + scores.false_positives,
        f"{kind}_true_links": scores.true_positives + scores.false_negatives,
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _kept(kept: NDArray[np.bool_], truth: Truth) -> dict[str, float | int | None]:
    """How many links the screen kept a target, and the share of true ones among them."""
    others = ~np.eye(len(kept), dtype=bool)
    if truth.has_lags:
        true = np.zeros(kept.shape, dtype=bool)
        width = min(kept.shape[2], truth.graph.shape[2])
        true[:, :, 1:width] = truth.graph[:, :, 1:width]
        wanted, there = true[others], kept[others]
    else:
        wanted, there = truth.graph[others], np.logical_or.reduce(kept, axis=2)[others]
    share = float(there[wanted].mean()) if wanted.any() else None
    return {"candidates": float(kept.sum() / len(kept)), "screen_recall": share}


def audit(found: Found, series: TimeSeries, tau_max: int, seed: int) -> dict[str, float | int | None]:
    """Test a random sample of the links that the screen left out, given the parents that were found.

    Returns
    -------
    dict
        "audited": links tested; "audit_lost": the estimated number of links left out that would have been significant
        at the level that Benjamini-Hochberg reached for the others. An estimate, as parents found without the screen
        can differ.
    """
    if found.kept is None or found.parents is None:
        return {}
    pruned = np.argwhere(~found.kept[:, :, 1:])
    pruned = pruned[~series.constant[pruned[:, 0]] & ~series.constant[pruned[:, 1]]]
    sample = np.random.default_rng(seed).permutation(len(pruned))[:AUDITED]
    links = np.zeros(found.kept.shape, dtype=bool)
    links[pruned[sample, 0], pruned[sample, 1], pruned[sample, 2] + 1] = True
    if not links.any():
        return {"audited": 0, "audit_lost": 0.0}
    parents = {j: [(i, lag) for i, lag in chosen] for j, chosen in found.parents.items()}
    p = run_native(series, links, parents=parents).p[links]
    threshold = _level(-found.strength, found.kept.shape)
    return {"audited": len(sample), "audit_lost": float((p <= threshold).mean() * len(pruned))}


def _level(p: NDArray[np.float64], shape: tuple[int, ...]) -> float:
    """Largest p-value that Benjamini-Hochberg takes over all lagged links; if it takes none, what one would need."""
    family = np.sort(p[:, :, 1:], axis=None)
    allowed = ALPHA * np.arange(1, family.size + 1) / (shape[0] * shape[1] * (shape[2] - 1))
    taken = family[family <= allowed]
    return float(taken.max()) if taken.size else float(allowed[0])
