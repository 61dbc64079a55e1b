"""The slow readable twin of PC on lagged variables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import norm

from naive import Node, in_roles, p_value, partial_correlation, rows_of


def fisher_z_p_value(r: float, df: int) -> float:
    """Two-sided; df is n - 2 - |S|."""
    return float(2 * norm.sf(np.sqrt(df - 1) * np.arctanh(abs(r))))


def pc(values, segments, links, pc_alpha: float = 0.01, p_of=p_value, max_conds_dim: int | None = None):
    """Links left of every target, strongest first; val and p of each link's least significant test; separating sets."""
    n, _, lags = links.shape
    roles = in_roles(values, np.zeros_like(values, dtype=bool), "")
    rows = rows_of(segments, 2 * (lags - 1))
    val, p, separators, parents = np.zeros(links.shape), np.ones(links.shape), {}, []
    for j in range(n):
        candidates: list[Node] = [(i, lag) for i in range(n) for lag in range(1, lags) if links[i, j, lag]]
        left, strength, largest = list(candidates), dict.fromkeys(candidates, np.inf), dict.fromkeys(candidates, -1.0)
        size = 0
        while len(left) > size and (max_conds_dim is None or size <= max_conds_dim):
            dropped = set()
            for x in left:
                for given in combinations([node for node in left if node != x], size):
                    r, df = partial_correlation(roles, rows, x, (j, 0), list(given))
                    strength[x] = min(strength[x], abs(r))
                    if p_of(r, df) > largest[x]:
                        largest[x] = p[x[0], j, x[1]] = p_of(r, df)
                        val[x[0], j, x[1]] = r
                    if p_of(r, df) > pc_alpha:
                        dropped.add(x)
                        separators[x, j] = list(given)
                        break
            left = sorted(set(left) - dropped, key=lambda node: (-strength[node], candidates.index(node)))
            size += 1
        parents.append(left)
    return parents, val, p, separators
