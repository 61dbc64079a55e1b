"""How close a graph comes to the known one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrow_cd._graph_forms import Bools, as_graph, series_count, series_names
from arrow_cd.errors import InvalidDataError


@dataclass(frozen=True)
class GraphScores:
    """Comparison of one kind of graph, links of a series to itself left out.

    Attributes
    ----------
    true_positives, false_positives, false_negatives : int
        Links found that exist, links found that don't, links missed.
    hamming : int
        Structural Hamming distance: links to add, remove or reverse to get the truth. Only a link of the summary graph
        or of lag 0 can be reversed; at a positive lag the wrong direction is one link to remove and one to add.
    auroc, auprc : float
        Area under the ROC curve, and average precision, when possible links are ranked by strength; nan without a
        strength, or if the truth has no link or every link.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    hamming: int
    auroc: float = math.nan
    auprc: float = math.nan

    @property
    def precision(self) -> float:
        """Share of the links found that exist; nan when none was found."""
        return _ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float:
        """Share of the existing links that were found; nan when there are none."""
        return _ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 when no link found exists, nan when both graphs are empty."""
        twice = 2 * self.true_positives
        return _ratio(twice, twice + self.false_positives + self.false_negatives)


@dataclass(frozen=True)
class Scores:
    """What `score` returns.

    Attributes
    ----------
    summary : GraphScores
        Which series drives which, at any lag.
    lagged : GraphScores or None
        Links with their exact lag; None if either side has no lags.
    lag_accuracy : float
        Of the pairs rightly found in the summary graph, the share with exactly the true set of lags; nan without lags
        or without such a pair.
    """

    summary: GraphScores
    lagged: GraphScores | None
    lag_accuracy: float


def score(
    result: Any,
    truth: Any,
    *,
    names: Sequence[str] | None = None,
    tau_min: int = 0,
    strength: ArrayLike | None = None,
) -> Scores:
    """Compare a graph with the true one.

    Parameters
    ----------
    result : CausalResult, Simulated, ndarray, frame or iterable of tuples
        The graph found. An object with ``graph`` and ``var_names``; an array (N, N, L + 1) or (N, N) indexed
        ``[source, target, tau]``, boolean or of tigramite's marks, of which only ``-->`` counts as a link; a frame with
        the columns source, target and optionally tau; or tuples (source, tau, target) or (source, target), by name or
        by index, lags in samples.
    truth : as `result`
        The graph to find. Its longest lag may be longer than that of `result`: such links count as missed.
    names : sequence of str, optional
        Names of the series, needed if neither side knows them and links are given by name.
    tau_min : int
        Links at smaller lags are left out, on both sides. With 1, lag 0 doesn't count.
    strength : array_like, shape of the graph found, optional
        The larger, the more a link is believed. If left out, the negative ``p_matrix`` of `result`, where it has one,
        or else the size of its ``val_matrix``.

    Returns
    -------
    Scores
        Links of a series to itself are always left out: nearly every series has them, and they flatter every method.

    Raises
    ------
    InvalidDataError
        If a name or an index is unknown, shapes differ, or a form isn't understood.
    """
    names = series_names(names, result, truth)
    size = series_count(names, result, truth)
    found = as_graph(result, names, size, "result")
    true = as_graph(truth, names, size, "truth")
    if strength is None and hasattr(result, "p_matrix"):
        strength = np.abs(result.val_matrix) if result.p_matrix is None else -np.asarray(result.p_matrix)
    ranks = None if strength is None else np.asarray(strength, dtype=float)
    if ranks is not None and ranks.shape != found.shape:
        raise InvalidDataError(f"strength has shape {ranks.shape}, the graph {found.shape}: they must be equal")

    summary = _compare(_flat(found, tau_min), _flat(true, tau_min), _flat(ranks, tau_min, lowest=-np.inf))
    if found.ndim == 2 or true.ndim == 2:
        return Scores(summary, None, math.nan)
    width = max(found.shape[2], true.shape[2])
    found, true = _widen(found, width), _widen(true, width)
    ranks = None if ranks is None else _widen(ranks, width, fill=-np.inf)
    found[:, :, :tau_min] = true[:, :, :tau_min] = False
    lagged = _compare(found, true, ranks, first=tau_min)
    pairs = found.any(axis=2) & true.any(axis=2) & ~np.eye(size, dtype=bool)
    same_lags = (found == true).all(axis=2)
    return Scores(summary, lagged, _ratio(int((pairs & same_lags).sum()), int(pairs.sum())))


def rank_areas(strength: ArrayLike, truth: ArrayLike) -> tuple[float, float]:
    """Area under the ROC curve and average precision, ties counted as ties.

    Parameters
    ----------
    strength : array_like of float, any shape
        The larger, the more a link is believed.
    truth : array_like of bool, the same shape

    Returns
    -------
    (float, float)
        The probability that a link outranks a non-link (Mann-Whitney U, half for a tie), and the mean precision over
        the links (steps of recall times precision); both nan if all of `truth` is equal.
    """
    flat, true = np.ravel(strength), np.ravel(truth).astype(bool)
    if flat.shape != true.shape:
        raise InvalidDataError(f"strength has {flat.size} entries, truth {true.size}: they must be equal")
    positives, negatives = int(true.sum()), int((~true).sum())
    if not positives or not negatives:
        return math.nan, math.nan
    order = np.argsort(-flat, kind="stable")
    ranked = flat[order]
    last_of_tie = np.append(ranked[1:] != ranked[:-1], True)  # no difference: infinite strengths can be tied
    hits = np.cumsum(true[order])[last_of_tie]
    seen = np.flatnonzero(last_of_tie) + 1
    recall = np.append(0.0, hits / positives)
    fallout = np.append(0.0, (seen - hits) / negatives)
    auroc = np.sum(np.diff(fallout) * (recall[1:] + recall[:-1]) / 2)
    return float(auroc), float(np.sum(np.diff(recall) * hits / seen))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _flat(array: Any, tau_min: int, lowest: Any = False) -> Any:
    """Over the lags from `tau_min`, the largest entry; nothing stays nothing."""
    if array is None or array.ndim == 2:
        return array
    return array[:, :, tau_min:].max(axis=2, initial=lowest)


def _widen(array: Any, width: int, fill: Any = False) -> Any:
    return np.pad(array, [(0, 0), (0, 0), (0, width - array.shape[2])], constant_values=fill)


def _compare(found: Bools, true: Bools, ranks: NDArray[np.float64] | None, first: int = 0) -> GraphScores:
    cross = ~np.eye(len(found), dtype=bool)
    extra, missed = found & ~true, true & ~found
    hamming = int(extra[cross].sum() + missed[cross].sum()) - _reversed(extra, missed)
    areas = (math.nan, math.nan)
    if ranks is not None:
        asked = (ranks[cross], true[cross]) if ranks.ndim == 2 else (ranks[cross][:, first:], true[cross][:, first:])
        areas = rank_areas(*asked)
    hits = int((found & true)[cross].sum())
    return GraphScores(hits, int(extra[cross].sum()), int(missed[cross].sum()), hamming, *areas)


def _reversed(extra: Bools, missed: Bools) -> int:
    """Links found the wrong way round, among those that have no direction from time."""
    instant = (extra, missed) if extra.ndim == 2 else (extra[:, :, 0], missed[:, :, 0])
    return int((instant[0] & instant[1].T).sum())
