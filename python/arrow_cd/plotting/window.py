"""Window graph: one row per variable, one column per lag, links ending at the present."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.plotting.style import INK, PAPER, Scale, arrow, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arrow_cd.result import CausalResult


def figure(result: CausalResult, title: str | None) -> Figure:
    """Draw the window graph of a result."""
    n, lags = result.N, result.tau_max
    fig, axes = canvas(float(np.clip(2.5 + 1.1 * lags, 5, 18)), float(np.clip(1.4 + 0.62 * n, 3, 24)), title)
    scale = Scale(result)
    node = 14.0
    x, y = np.meshgrid(-np.arange(lags + 1), -np.arange(n))
    axes.scatter(x.ravel(), y.ravel(), s=node**2, c=PAPER, edgecolors=INK, linewidths=0.8, zorder=4)
    index = {name: k for k, name in enumerate(result.var_names)}
    links = result.links(significant_only=True)
    for row in links.iter_rows(named=True):
        i, j = index[row["source"]], index[row["target"]]
        bend = _bend(row["tau"], i, j)
        arrow(
            axes,
            (-row["tau"], -i),
            (0, -j),
            mark=row["mark"],
            colour=scale.colour(row["val"]),
            width=scale.width(row["val"]),
            bend=bend,
            gap=node / 2 + 1,
        )
    for k, name in enumerate(result.var_names):
        axes.text(-lags - 0.35, -k, name, ha="right", va="center", size=9.5, color=INK)
    for tau in range(lags + 1):
        axes.text(-tau, 0.75, "t" if tau == 0 else f"t−{tau}", ha="center", va="bottom", size=9, color=INK)
    axes.set(xlim=(-lags - 0.4, 0.4), ylim=(0.5 - n, 1.2))
    if links.height:
        scale.add_bar(fig, axes)
    return fig


def _bend(tau: int, i: int, j: int) -> float:
    """Links within a row or column go around the nodes in between, at the same distance however long they are."""
    if i == j and tau > 1:
        return -0.55 / tau
    if tau == 0 and abs(i - j) > 1:
        return 0.7 / abs(i - j)
    return 0.06
