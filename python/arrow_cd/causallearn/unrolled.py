"""Lag-unrolled data: one column for every series at every lag, as methods without a notion of time take them.

Columns go by series, then lag: X0(t), X0(t-1), ..., X0(t-tau_max), X1(t), ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.backends.pc import lagged_name
from arrow_cd.data import as_time_series

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from causallearn.graph.GraphClass import CausalGraph
    from numpy.typing import NDArray


def unroll(data: Any, tau_max: int) -> tuple[NDArray[np.float64], list[str]]:
    """Return what causal-learn's own `pc` can run on, and the names of the columns.

    Parameters
    ----------
    data : array of shape (T, N), data frame, path or TimeSeries
        The series; see `as_time_series`.
    tau_max
        Largest lag in samples.

    Returns
    -------
    columns : (n, N (tau_max + 1)) float64
        On the rows t in [2 tau_max, T) of every data set, the ones that `discover(method="pc")` uses.
    names
        Such as "X1(t-2)".

    Examples
    --------
    >>> columns, names = unroll(x, tau_max=3)  # doctest: +SKIP
    >>> graph = pc(columns, 0.01, "fisherz", node_names=names)  # doctest: +SKIP
    """
    series = as_time_series(data)
    rows = np.concatenate([np.arange(start + 2 * tau_max, stop) for start, stop in series.segments])
    lags = range(tau_max + 1)
    columns = np.column_stack([series.values[rows - lag, i] for i in range(series.N) for lag in lags])
    return columns, column_names(series.names, tau_max)


def column_names(names: Sequence[str], tau_max: int) -> list[str]:
    """Return the name of every column."""
    return [lagged_name(name, lag) for name in names for lag in range(tau_max + 1)]


def links_into_present(graph: CausalGraph, tau_max: int) -> NDArray[np.bool_]:
    """Return the lagged edges that reach the present in a graph over unrolled columns.

    Returns
    -------
    (N, N, tau_max + 1) bool
        True at [source, target, tau] if there is an edge of any kind between source(t - tau) and target(t), tau > 0.
    """
    adjacent = graph.G.graph != 0
    n = len(adjacent) // (tau_max + 1)
    links: NDArray[np.bool_] = adjacent.reshape(n, tau_max + 1, n, tau_max + 1)[:, :, :, 0].transpose(0, 2, 1).copy()
    links[:, :, 0] = False
    return links
