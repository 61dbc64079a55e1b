"""Summary graph: one node per variable on a circle, edges labelled with their lags."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.plotting.style import INK, PAPER, Scale, arrow, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from arrow_cd.result import CausalResult

# From here on labels of lags would cover the graph.
_MANY_EDGES = 80


def figure(result: CausalResult, title: str | None) -> Figure:
    """Draw the summary graph of a result."""
    n = result.N
    side = float(np.clip(4.2 + 0.22 * n, 5.0, 16.0))
    fig, axes = canvas(side + 0.9, side, title)
    scale = Scale(result)
    places = _circle(n)
    node = float(np.clip(34 - 0.8 * n, 9, 30))
    edges = _edges(result)
    for edge in edges:
        _draw_edge(axes, edge, places, scale, node, labelled=len(edges) <= _MANY_EDGES)
    _draw_nodes(axes, result, places, scale, node)
    reach = 1.22
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    if edges or _auto_links(result):
        scale.add_bar(fig, axes)
    return fig


def _circle(n: int) -> NDArray[np.float64]:
    """Places on the unit circle, clockwise from the top in the order of the columns."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n) / max(n, 1)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * (0.0 if n == 1 else 1.0)


def _edges(result: CausalResult) -> list[dict[str, Any]]:
    """Gather the links of an ordered pair and mark: their lags, and the value of the strongest."""
    index = {name: k for k, name in enumerate(result.var_names)}
    edges: dict[tuple[int, int, str], dict[str, Any]] = {}
    for row in result.links(significant_only=True).iter_rows(named=True):
        if row["source"] == row["target"]:
            continue
        key = (index[row["source"]], index[row["target"]], row["mark"])
        edge = edges.setdefault(key, {"pair": key[:2], "mark": key[2], "lags": [], "val": None})
        edge["lags"].append(row["tau"])
        if row["val"] is not None and (edge["val"] is None or abs(row["val"]) > abs(edge["val"])):
            edge["val"] = row["val"]
    beside: Counter[frozenset[int]] = Counter()
    for edge in edges.values():
        edge["rank"] = beside[frozenset(edge["pair"])]
        beside[frozenset(edge["pair"])] += 1
    # Strong links are drawn last, on top.
    return sorted(edges.values(), key=lambda edge: (abs(edge["val"] or 0.0), edge["pair"]))


def _bend(start: NDArray[np.float64], end: NDArray[np.float64], rank: int) -> float:
    """Bow towards the centre, away from the nodes in between; the further links of a pair bow more."""
    clockwise = start[0] * end[1] - start[1] * end[0] < 0
    return (0.14 + 0.18 * rank) * (1 if clockwise else -1)


def _auto_links(result: CausalResult) -> dict[int, float]:
    """Value of the strongest auto-link of every variable that has one."""
    found: dict[int, float] = {}
    for k in range(result.N):
        present = (result.graph[k, k] != "") & result.tested[k, k]
        if present.any():
            values = np.where(present, result.val_matrix[k, k], 0.0)
            found[k] = float(values[np.abs(values).argmax()])
    return found


def _draw_edge(
    axes: Axes, edge: dict[str, Any], places: NDArray[np.float64], scale: Scale, node: float, *, labelled: bool
) -> None:
    start, end = places[edge["pair"][0]], places[edge["pair"][1]]
    bend = _bend(start, end, edge["rank"])
    colour = scale.colour(edge["val"])
    arrow(
        axes,
        tuple(start),
        tuple(end),
        mark=edge["mark"],
        colour=colour,
        width=scale.width(edge["val"]),
        bend=bend,
        gap=node / 2 + 2,
    )
    if labelled:
        # A quadratic Bezier arc passes half-way between the chord's middle and its control point.
        along = end - start
        at = (start + end) / 2 + bend / 2 * np.array([along[1], -along[0]])
        text = ",".join(map(str, sorted(edge["lags"])))
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
        axes.text(at[0], at[1], text, ha="center", va="center", size=8, color=INK, bbox=box, zorder=3)


def _draw_nodes(axes: Axes, result: CausalResult, places: NDArray[np.float64], scale: Scale, node: float) -> None:
    own = _auto_links(result)
    fill = [scale.colour(own[k]) if k in own else PAPER for k in range(result.N)]
    axes.scatter(places[:, 0], places[:, 1], s=node**2, c=fill, edgecolors=INK, linewidths=0.9, zorder=4)
    for (x, y), name in zip(places, result.var_names, strict=True):
        side = "center" if abs(x) < 0.3 else ("left" if x > 0 else "right")
        level = "center" if side != "center" else ("bottom" if y > 0 else "top")
        away = node / 2 + 4
        offset = (away * x, away * y) if result.N > 1 else (0.0, away)
        axes.annotate(
            name, (x, y), offset, textcoords="offset points", ha=side, va=level, size=9.5, color=INK, zorder=5
        )
