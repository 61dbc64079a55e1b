"""How close a graph comes to the known one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrow_cd.errors import InvalidDataError

Bools = NDArray[np.bool_]


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
        The graph found. An object with ``graph`` and ``names``; an array (N, N, L + 1) or (N, N) indexed
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
        The larger, the more a link is believed. If left out, the negative ``p_matrix`` of `result`, where it has one.

    Returns
    -------
    Scores
        Links of a series to itself are always left out: nearly every series has them, and they flatter every method.

    Raises
    ------
    InvalidDataError
        If a name or an index is unknown, shapes differ, or a form isn't understood.
    """
    names = _names(names, result, truth)
    size = _size(names, result, truth)
    found = _graph(result, names, size, "result")
    true = _graph(truth, names, size, "truth")
    if strength is None and hasattr(result, "p_matrix"):
        strength = -np.asarray(result.p_matrix)
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
    last_of_tie = np.append(np.diff(flat[order]) != 0, True)
    hits = np.cumsum(true[order])[last_of_tie]
    seen = np.flatnonzero(last_of_tie) + 1
    recall = np.append(0.0, hits / positives)
    fallout = np.append(0.0, (seen - hits) / negatives)
    auroc = np.sum(np.diff(fallout) * (recall[1:] + recall[:-1]) / 2)
    return float(auroc), float(np.sum(np.diff(recall) * hits / seen))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _names(names: Sequence[str] | None, result: Any, truth: Any) -> tuple[str, ...] | None:
    """The names that fix the order of the axes: the result's own where it has some."""
    own = getattr(result, "names", None)
    if own is not None and names is not None and tuple(own) != tuple(names):
        raise InvalidDataError(f"names {', '.join(names)} differ from the result's own, {', '.join(own)}")
    for candidate in (own, names, getattr(truth, "names", None)):
        if candidate is not None:
            return tuple(candidate)
    return None


def _size(names: tuple[str, ...] | None, *sides: Any) -> int:
    if names is not None:
        return len(names)
    for side in sides:
        array = getattr(side, "graph", side)
        if isinstance(array, np.ndarray):
            return len(array)
    raise InvalidDataError("the number of series is unknown: give names, or one of the graphs as an array")


def _graph(side: Any, names: tuple[str, ...] | None, size: int, what: str) -> Bools:
    """A boolean array, (N, N, L + 1) or (N, N), in the order of `names`."""
    own = getattr(side, "names", None)
    if hasattr(side, "graph"):
        return _reorder(_marks(np.asarray(side.graph), size, what), own, names, what)
    if isinstance(side, np.ndarray):
        return _marks(side, size, what)
    if hasattr(side, "links") and own is not None:  # a Simulated: indices mean its own names
        return _links([(own[i], tau, own[j]) for i, tau, j in side.links], names, size, what)
    if hasattr(side, "columns"):
        return _links(_rows(side, what), names, size, what)
    if isinstance(side, Iterable):
        return _links(side, names, size, what)
    raise InvalidDataError(
        f"{what}: expected an array, a frame, a result or tuples of links, not {type(side).__name__}"
    )


def _marks(array: NDArray[Any], size: int, what: str) -> Bools:
    if array.ndim not in (2, 3) or array.shape[:2] != (size, size):
        raise InvalidDataError(
            f"{what} has shape {array.shape}, expected ({size}, {size}) or ({size}, {size}, tau_max + 1)"
        )
    if array.dtype.kind in "UO":
        return np.asarray(array == "-->", dtype=bool)
    if array.dtype != bool and not np.isin(array, (0, 1)).all():
        raise InvalidDataError(
            f"{what} must hold True and False, 0 and 1 or graph marks, not other {array.dtype} values"
        )
    return array.astype(bool)


def _reorder(graph: Bools, own: Any, names: tuple[str, ...] | None, what: str) -> Bools:
    if own is None or names is None or tuple(own) == names:
        return graph
    order = [_position(name, tuple(own), what) for name in names]
    return graph[np.ix_(order, order)]


def _rows(frame: Any, what: str) -> list[tuple[Any, ...]]:
    columns = list(frame.columns)
    if "source" not in columns or "target" not in columns:
        raise InvalidDataError(f"{what}: a frame needs the columns source and target (and tau), it has {columns}")
    wanted = ["source", "tau", "target"] if "tau" in columns else ["source", "target"]
    return list(zip(*(list(frame[name]) for name in wanted), strict=True))


def _links(links: Iterable[Any], names: tuple[str, ...] | None, size: int, what: str) -> Bools:
    tuples = [tuple(link) for link in links]
    lengths = {len(link) for link in tuples}
    if len(lengths) > 1 or lengths - {2, 3}:
        raise InvalidDataError(f"{what}: links must all be (source, tau, target) or all be (source, target)")
    if lengths == {2}:
        summary = np.zeros((size, size), dtype=bool)
        for source, target in tuples:
            summary[_index(source, names, size, what), _index(target, names, size, what)] = True
        return summary
    lags = [tau for _, tau, _ in tuples]
    if any(not isinstance(tau, int | np.integer) or tau < 0 for tau in lags):
        raise InvalidDataError(f"{what}: lags must be whole numbers of samples, 0 or more; found {lags}")
    lagged = np.zeros((size, size, max(lags, default=0) + 1), dtype=bool)
    for source, tau, target in tuples:
        lagged[_index(source, names, size, what), _index(target, names, size, what), tau] = True
    return lagged


def _index(series: Any, names: tuple[str, ...] | None, size: int, what: str) -> int:
    if isinstance(series, str):
        if names is None:
            raise InvalidDataError(f"{what} names the series {series!r}: give names, the graphs have none")
        return _position(series, names, what)
    if not isinstance(series, int | np.integer) or not 0 <= series < size:
        raise InvalidDataError(
            f"{what} has a link of series {series!r}, expected a name or an index from 0 to {size - 1}"
        )
    return int(series)


def _position(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise InvalidDataError(f"{what}: no series is called {name!r}; there are {', '.join(names)}")
    return names.index(name)


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
