"""The tables of a result: a row a link, or a row a source and target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.links import LinkStatus
from arrow_cd.pairs import column

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from arrow_cd.result import CausalResult


def links_table(result: CausalResult, significant_only: bool) -> pl.DataFrame:
    """Return a row a link, as `CausalResult.links` says."""
    import polars as pl

    present = result.graph != ""
    shown = present if significant_only else present | result.tested
    source, target, tau = np.nonzero(shown & ~_mirrored(result.graph))
    order = np.lexsort((tau, source, target))
    at = (source[order], target[order], tau[order])
    names = np.array(result.var_names, dtype=object)
    known = result.tested[at]
    return pl.DataFrame(
        {
            "source": pl.Series(names[at[0]], dtype=pl.String),
            "target": pl.Series(names[at[1]], dtype=pl.String),
            "tau": pl.Series(at[2], dtype=pl.Int64),
            "mark": pl.Series(result.graph[at].tolist(), dtype=pl.String),
            "val": column(result.val_matrix, at, known),
            "p": column(result.p_matrix, at, known),
            "q": column(result.q_matrix, at, known),
        }
    )


def sources_table(result: CausalResult, significant_only: bool) -> pl.DataFrame:
    """Return a row a source and target, as `CausalResult.source_tests` says."""
    import polars as pl

    names = np.array(result.var_names, dtype=object)
    pairs = result.pairs
    known = np.zeros((result.N, result.N), dtype=bool) if pairs is None else pairs.status == LinkStatus.OK
    target, source = np.nonzero((known & result.summary_graph() if significant_only else known).T)
    at = (source, target)
    val, p, q = (None, None, None) if pairs is None else (pairs.val, pairs.p, pairs.q)
    return pl.DataFrame(
        {
            "source": pl.Series(names[source], dtype=pl.String),
            "target": pl.Series(names[target], dtype=pl.String),
            **{name: column(array, at, known[at]) for name, array in (("val", val), ("p", p), ("q", q))},
        }
    )


def _mirrored(graph: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Mark lag-0 entries whose link is told by the entry of the other direction."""
    mirrored = np.zeros(graph.shape, dtype=bool)
    mark = graph[:, :, 0]
    forward = np.char.endswith(mark, ">") & ~np.char.startswith(mark, "<")
    mirrored[:, :, 0] = forward.T | (~forward & np.tri(len(graph), dtype=bool))
    return mirrored
