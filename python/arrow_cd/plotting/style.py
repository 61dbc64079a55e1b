"""Colours, widths and arrows shared by the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from arrow_cd.result import CausalResult

INK = "#2b2f36"
MUTED = "#8a919c"
PAPER = "#f4f5f7"
_SIGNED = colormaps["RdBu_r"]


class Scale:
    """Maps link values to colour and width; symmetric about 0, so that the sign is the hue."""

    def __init__(self, result: CausalResult) -> None:
        shown = np.abs(result.val_matrix[(result.graph != "") & result.tested])
        self.limit = float(shown.max()) if shown.size else 1.0

    def colour(self, value: float | None) -> ColorType:
        """Colour of a link; grey if it was not tested. Weak links stay dark enough to be seen."""
        if value is None:
            return MUTED
        share = np.sign(value) * (0.35 + 0.65 * abs(value) / self.limit)
        return _SIGNED(0.5 + 0.5 * float(share))

    def width(self, value: float | None) -> float:
        """Width of a link in points."""
        return 1.2 if value is None else 1.0 + 3.2 * abs(value) / self.limit

    def add_bar(self, figure: Figure, axes: Axes) -> None:
        """Add the colour bar of the link values."""
        mappable = ScalarMappable(Normalize(-self.limit, self.limit), _SIGNED)
        bar = figure.colorbar(mappable, ax=axes, shrink=0.55, aspect=24, pad=0.02)
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0, labelsize=8, colors=INK)
        bar.set_label("val", size=9, color=INK)


def canvas(width: float, height: float, title: str | None) -> tuple[Figure, Axes]:
    """Return a figure without pyplot, so that nothing global is touched, and its bare axes."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    if title:
        axes.set_title(title, color=INK, size=12)
    return figure, axes


def arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    mark: str,
    colour: ColorType,
    width: float,
    bend: float,
    gap: float,
) -> FancyArrowPatch:
    """Add a bent link that stops `gap` points before both nodes; without direction it is dashed and has no head."""
    directed = mark == "-->"
    patch = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>" if directed else "-",
        mutation_scale=7 + 2.4 * width,
        connectionstyle=f"arc3,rad={bend}",
        shrinkA=gap,
        shrinkB=gap,
        linewidth=width,
        linestyle="-" if directed else (0, (4, 2)),
        color=colour,
        joinstyle="miter",
        capstyle="butt",
        zorder=2,
    )
    axes.add_patch(patch)
    return patch
