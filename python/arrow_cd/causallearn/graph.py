"""A result of PC as causal-learn's graph over lag-unrolled variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphClass import CausalGraph
from causallearn.graph.GraphNode import GraphNode

from arrow_cd.causallearn.unrolled import column_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.result import CausalResult


class LaggedCausalGraph(CausalGraph):  # type: ignore[misc]
    """A causal-learn graph over the variables X(t), X(t-1), ..., X(t-tau_max) of every series.

    A link is the same at all times, so that it is drawn at every shift that the window holds: X0(t-1) --> X1(t),
    X0(t-2) --> X1(t-1), and so on. Nothing is said about pairs of the same time, which have no edge. `sepset` holds the
    separating set of every pair into the present that a test found independent, as causal-learn stores it, and None for
    pairs that are adjacent or were not tested. `test` stays None: no test of causal-learn's took part.

    Attributes
    ----------
    result : CausalResult
        The links with their numbers, names and status.
    """

    def __init__(self, result: CausalResult) -> None:
        super().__init__(0, [])  # with variables it would start from the complete graph over them
        self.result = result
        self.G = GeneralGraph([GraphNode(name) for name in column_names(result.var_names, result.tau_max)])
        edges = self._edges()
        for a, b in edges:
            self.G.graph[b, a], self.G.graph[a, b] = 1, -1
        self.G.dpath = _ancestors(len(self.G.nodes), edges, result.tau_max + 1)
        self.sepset = self._sepsets()
        self.PC_elapsed = result.timings["total"]

    def _column(self, series: int, lag: int) -> int:
        return series * (self.result.tau_max + 1) + lag

    def _edges(self) -> list[tuple[int, int]]:
        """Columns that every link leads from and to, at each shift."""
        return [
            (self._column(int(i), int(tau) + shift), self._column(int(j), shift))
            for i, j, tau in np.argwhere(self.result.graph == "-->")
            for shift in range(self.result.tau_max + 1 - int(tau))
        ]

    def _sepsets(self) -> NDArray[np.object_]:
        result, names = self.result, [node.get_name() for node in self.G.nodes]
        at = {name: column for column, name in enumerate(names)}
        sepset = np.empty((len(names), len(names)), dtype=object)
        for i, j, tau in np.argwhere(result.tested & (result.graph == "")).tolist():
            a, b = self._column(i, tau), self._column(j, 0)
            given = result.extra["sepsets"].get(result.var_names[j], {}).get(names[a], ())
            sepset[a, b], sepset[b, a] = ([tuple(at[name] for name in given)] for _ in "ab")
        return sepset


def _ancestors(n: int, edges: list[tuple[int, int]], n_lags: int) -> NDArray[np.int_]:
    """Ones at [b, a] if a is b or an ancestor of b. Edges lead from a larger lag to a smaller one."""
    ancestors = np.eye(n, dtype=int)
    for a, b in sorted(edges, key=lambda edge: -(edge[1] % n_lags)):
        ancestors[b] |= ancestors[a]
    return ancestors
