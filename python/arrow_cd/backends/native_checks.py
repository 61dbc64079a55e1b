"""Checks of what the native searches are given, before the compiled core sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.backends.rows import RowSpec
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_count, check_pc_alpha

if TYPE_CHECKING:
    from arrow_cd.data import TimeSeries


def check_search(
    series: TimeSeries,
    *,
    links: object,
    rows: object,
    required: object,
    pc_alpha: object,
    max_combinations: object,
    memory_budget: object,
    n_jobs: object,
    progress: object,
    **limits: object,
) -> None:
    """Raise InvalidDataError for an argument of a native search that can't be meant; the message names it.

    Parameters
    ----------
    series
        The data.
    links, rows, required, pc_alpha, max_combinations, memory_budget, n_jobs, progress
        Arguments of `run_native` and `run_native_plus`.
    **limits
        Their limits on conditions, None for no limit.
    """
    check_masks(links, required, series.N)
    if not (rows is None or isinstance(rows, RowSpec)):
        raise InvalidDataError(f"rows={rows!r}: expected a RowSpec or None")
    check_pc_alpha(pc_alpha.tolist() if isinstance(pc_alpha, np.ndarray) else pc_alpha)
    check_count("max_combinations", max_combinations, 1)
    check_limits(limits)
    check_count("memory_budget", memory_budget, 0)
    check_call(n_jobs, progress)


def check_limits(limits: Mapping[str, object]) -> None:
    """Raise unless every limit on conditions is a number of conditions or None."""
    for name, limit in limits.items():
        if limit is not None:
            check_count(name, limit, 0)


def check_masks(links: object, required: object, n: int) -> None:
    """Raise unless `links`, and `required` where it is given, are masks of links among n series."""
    check_links("links", links, n)
    if required is not None:
        check_links("required", required, n)


def check_links(name: str, links: object, n: int) -> None:
    """Raise unless `links` is a mask (n, n, tau_max + 1), indexed [source, target, tau]."""
    shape, dtype = getattr(links, "shape", None), getattr(links, "dtype", None)
    if shape is None or len(shape) != 3 or shape[:2] != (n, n) or not shape[2] or dtype != np.dtype(bool):
        got = type(links).__name__ if shape is None else f"{dtype} {shape}"
        raise InvalidDataError(f"{name}: expected a boolean array of shape (N, N, tau_max + 1) with N = {n}, got {got}")


def check_nodes(name: str, nodes: object, n: int) -> None:
    """Raise unless `nodes` is ``{target: [(source, -tau), ...]}`` of variables in 0..n - 1."""
    if not isinstance(nodes, Mapping):
        raise InvalidDataError(f"{name}: expected a dict {{j: [(i, -tau), ...]}}, got {type(nodes).__name__}")
    for j, sources in nodes.items():
        if not _is_index(j, n):
            raise InvalidDataError(f"{name}: target {j!r} is not one of 0..{n - 1}")
        if not isinstance(sources, list | tuple):
            raise InvalidDataError(f"{name}[{j}]: expected a list of (i, -tau), got {type(sources).__name__}")
        for node in sources:
            if not (isinstance(node, tuple | list) and len(node) == 2 and isinstance(node[1], int | np.integer)):
                raise InvalidDataError(f"{name}[{j}]: {node!r} is not a node, expected (i, -tau)")
            if not _is_index(node[0], n):
                raise InvalidDataError(f"{name}[{j}]: source {node[0]!r} in {node!r} is not one of 0..{n - 1}")
            if node[1] > 0:
                raise InvalidDataError(f"{name}[{j}]: a lag is positive in {node!r}: write (source, -tau)")


def _is_index(value: object, n: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < n
