"""A graph in any of the forms people hold one in, as a boolean array indexed ``[source, target, tau]``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError

Bools = NDArray[np.bool_]


def series_names(names: Sequence[str] | None, result: Any, truth: Any) -> tuple[str, ...] | None:
    """The names that fix the order of the axes: the result's own where it has some."""
    own = _own_names(result)
    if own is not None and names is not None and tuple(own) != tuple(names):
        raise InvalidDataError(f"names {', '.join(names)} differ from the result's own, {', '.join(own)}")
    for candidate in (own, names, _own_names(truth)):
        if candidate is not None:
            return tuple(candidate)
    return None


def series_count(names: tuple[str, ...] | None, *sides: Any) -> int:
    """How many series there are, from the names or from whichever side is an array."""
    if names is not None:
        return len(names)
    for side in sides:
        array = getattr(side, "graph", side)
        if isinstance(array, np.ndarray):
            return len(array)
    raise InvalidDataError("the number of series is unknown: give names, or one of the graphs as an array")


def as_graph(side: Any, names: tuple[str, ...] | None, size: int, what: str) -> Bools:
    """A boolean array, (N, N, L + 1) or (N, N), in the order of `names`."""
    own = _own_names(side)
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
    try:
        tuples = [tuple(link) for link in links]
    except TypeError as error:
        raise InvalidDataError(f"{what}: links must be (source, tau, target) or (source, target)") from error
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


def _own_names(side: Any) -> tuple[str, ...] | None:
    """The names of a result (``var_names``) or of simulated series (``names``)."""
    own = getattr(side, "var_names", getattr(side, "names", None))
    return None if own is None else tuple(own)
