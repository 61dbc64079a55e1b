"""Whether a back end answered as the protocol says: a registered one may be anybody's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from arrow_cd.backends.base import DecidedBy, Outcome, PairTests
from arrow_cd.errors import BackendError
from arrow_cd.links import LinkStatus
from arrow_cd.result import MARKS

if TYPE_CHECKING:
    from arrow_cd.backends.base import Task

_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "n_samples": (lambda given: _is_count(given), "a number of rows"),
    "pairs": (lambda given: given is None or isinstance(given, PairTests), "PairTests or None"),
    "decided_by": (lambda given: given in get_args(DecidedBy), "'links' or 'pairs'"),
    "p_validity": (lambda given: given in (None, "exact", "post-selection"), "'exact', 'post-selection' or None"),
    "val_unit": (lambda given: isinstance(given, str), "a str"),
    "extra": (lambda given: isinstance(given, Mapping), "a dict"),
    "parents": (lambda given: isinstance(given, Mapping), "a dict"),
    "tests_by_phase": (lambda given: isinstance(given, Mapping) and all(map(_is_count, given.values())), "counts"),
    "timings": (lambda given: isinstance(given, Mapping) and all(map(_is_real, given.values())), "seconds"),
    "engine": (lambda given: isinstance(given, str), "a str"),
    "versions": (lambda given: isinstance(given, Mapping), "a dict"),
    "notes": (lambda given: isinstance(given, tuple) and all(isinstance(n, str) for n in given), "a tuple of str"),
}
"""What the fields that hold no arrays must be."""


def check_outcome(method: str, task: Task, outcome: object) -> None:
    """Raise BackendError that names the field unless `outcome` is what `run` must return for `task`."""
    if not isinstance(outcome, Outcome):
        raise BackendError(f"method {method!r} returned {type(outcome).__name__}, expected an Outcome")
    for name, (holds, expected) in _EXPECTED.items():
        if not holds(getattr(outcome, name)):
            raise BackendError(f"method {method!r}: {name}={getattr(outcome, name)!r}, expected {expected}")
    shape = task.links.shape
    _check_numbers(method, outcome, shape)
    _check_array(method, "tested", outcome.tested, shape, "b")
    if outcome.kept is not None:
        _check_array(method, "kept", outcome.kept, shape, "b")
    if outcome.graph is not None:
        _check_array(method, "graph", outcome.graph, shape, "U")
        if not np.isin(outcome.graph, list(MARKS)).all():
            raise BackendError(f"method {method!r}: graph has marks other than {', '.join(map(repr, MARKS))}")
    if outcome.pairs is not None:
        _check_numbers(method, outcome.pairs, shape[:2], "pairs.")
    elif outcome.decided_by == "pairs":
        raise BackendError(f"method {method!r}: decided_by='pairs', but there are no pairs")
    _check_parents(method, outcome.parents, task)


def _is_count(given: object) -> bool:
    return isinstance(given, Integral) and int(given) >= 0


def _is_real(given: object) -> bool:
    return isinstance(given, Real) and bool(np.isfinite(float(given)))


def _check_numbers(method: str, found: Outcome | PairTests, shape: tuple[int, ...], prefix: str = "") -> None:
    """Statistics, p-values and status of links or pairs."""
    _check_array(method, f"{prefix}val", found.val, shape, "f")
    _check_array(method, f"{prefix}status", found.status, shape, "iu")
    if not np.isin(found.status, list(LinkStatus)).all():
        raise BackendError(f"method {method!r}: {prefix}status has numbers that LinkStatus lacks")
    if found.p is not None:
        _check_array(method, f"{prefix}p", found.p, shape, "f")
        if found.p.size and not (found.p.min() >= 0 and found.p.max() <= 1):
            raise BackendError(f"method {method!r}: {prefix}p leaves the range from 0 to 1")


def _check_array(method: str, name: str, given: Any, shape: tuple[int, ...], kinds: str) -> None:
    """`kinds` are those of numpy's data types."""
    if not isinstance(given, np.ndarray) or given.dtype.kind not in kinds or given.shape != shape:
        got = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        wanted = {"f": "floats", "b": "bool", "U": "str", "iu": "whole numbers"}[kinds]
        raise BackendError(f"method {method!r}: {name} is {got}, expected an array of {wanted} of shape {shape}")
    if kinds == "f" and not np.isfinite(given).all():
        at = np.argwhere(~np.isfinite(given))[0].tolist()
        raise BackendError(f"method {method!r}: {name}{at} is {given[tuple(at)]}: mark what can't be tested in status")


def _check_parents(method: str, parents: Mapping[Any, Any], task: Task) -> None:
    for target, found in parents.items():
        nodes = found if isinstance(found, list) else [None]
        pairs = all(isinstance(node, tuple) and len(node) == 2 and node[0] in range(task.series.N) for node in nodes)
        if target not in range(task.series.N) or not pairs:
            raise BackendError(
                f"method {method!r}: parents of {target!r} are {found!r}, expected {{target: [(source, -tau), ...]}} "
                f"with numbers of series below {task.series.N}"
            )
