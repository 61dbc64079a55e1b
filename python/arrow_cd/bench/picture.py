"""Small multiples as SVG, without any library: points or lines, a colour a series, the legend above all panels."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT = 960, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 16, 30, 46
_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b08a1e", "#555555", "#d17a9b", "#2a9d8f")
_LEGEND_LINE, _LETTER = 20, 7.2


@dataclass(frozen=True)
class Mark:
    """A point, its series and what is said when the pointer is over it."""

    x: float
    y: float
    series: str
    label: str


@dataclass(frozen=True)
class Axis:
    """A range with a name; `log` for powers of ten."""

    name: str
    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies, 0 at the lower and 1 at the upper end."""
        low, high, value = (math.log10(v) if self.log else v for v in (self.low, self.high, value))
        return (value - low) / (high - low)

    def ticks(self) -> list[float]:
        """Round values within the range."""
        if not self.log:
            step = _round_step((self.high - self.low) / 4)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [round(k * step, 10) for k in range(first, last + 1)]
        first, last = math.floor(math.log10(self.low)), math.floor(math.log10(self.high) + 1e-9)
        digits = (1, 2, 5) if self.high / self.low <= 200 else (1,)
        step = math.ceil((last - first) / 6) if len(digits) == 1 else 1
        powers = (power for power in range(first, last + 1) if power % step == 0)
        values = (digit * 10.0**power for power in powers for digit in digits)
        return [value for value in values if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]


@dataclass(frozen=True)
class Panel:
    """One of the multiples."""

    title: str
    marks: Sequence[Mark]
    x: Axis
    y: Axis


def covering(name: str, values: Sequence[float], *, log: bool = False) -> Axis:
    """Return an axis that holds all values, with some room."""
    low, high = min(values), max(values)
    if log:
        room = max((high / low) ** 0.06, 1.15)
        return Axis(name, low / room, high * room, log=True)
    room = max((high - low) * 0.08, 1e-3)
    return Axis(name, low - room, high + room)


def small_multiples(panels: Sequence[Panel], what: str, *, lines: bool = False) -> str:
    """Return an SVG element of panels side by side, up to three a row."""
    columns = min(3, len(panels))
    width = _WIDTH / columns if columns > 1 else _WIDTH * 0.6
    series = list(dict.fromkeys(mark.series for panel in panels for mark in panel.marks))
    colours = {name: _COLOURS[k % len(_COLOURS)] for k, name in enumerate(series)}
    titled = set(series) <= {panel.title for panel in panels}
    legend, top = ("", 0) if titled or len(series) < 2 else _legend(colours)
    drawn = [
        f'<g transform="translate({k % columns * width:.1f} {top + k // columns * _HEIGHT:.1f})">'
        f"{_panel(panel, width, colours, lines)}</g>"
        for k, panel in enumerate(panels)
    ]
    height = top + math.ceil(len(panels) / columns) * _HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" '
        f'aria-label="{html.escape(what)}" font-family="system-ui, sans-serif" font-size="12">'
        f"{legend}{''.join(drawn)}</svg>"
    )


def _legend(colours: dict[str, str]) -> tuple[str, int]:
    """Names in their colours, in as many lines as they need, and the height of all."""
    parts, x, y = [], float(_LEFT), 14
    for name, colour in colours.items():
        length = 26 + _LETTER * len(name)
        if x > _LEFT and x + length > _WIDTH - _RIGHT:
            x, y = float(_LEFT), y + _LEGEND_LINE
        parts.append(f'<circle cx="{x + 5:.1f}" cy="{y - 4}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{x + 15:.1f}" y="{y}">{html.escape(name)}</text>')
        x += length
    return "".join(parts), y + 12


def _panel(panel: Panel, width: float, colours: dict[str, str], lines: bool) -> str:
    def place(mark: Mark) -> tuple[float, float]:
        x = _LEFT + panel.x.share(mark.x) * (width - _LEFT - _RIGHT)
        return x, _HEIGHT - _BOTTOM - panel.y.share(mark.y) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_frame(panel, width)]
    if lines:
        for name, colour in colours.items():
            path = " ".join("{:.1f},{:.1f}".format(*place(mark)) for mark in panel.marks if mark.series == name)
            if path:
                parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    for mark in panel.marks:
        x, y = place(mark)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colours[mark.series]}" fill-opacity=".7">'
            f"<title>{html.escape(mark.label)}</title></circle>"
        )
    return "".join(parts)


def _frame(panel: Panel, width: float) -> str:
    """Title, grid, ticks and the names of the axes."""
    bottom, right = _HEIGHT - _BOTTOM, width - _RIGHT
    parts = [f'<text x="{_LEFT}" y="16" font-weight="600">{html.escape(panel.title)}</text>']
    for value in panel.x.ticks():
        x = _LEFT + panel.x.share(value) * (right - _LEFT)
        stroke = "#999" if panel.x.log and value == 1 else "#e4e4e4"
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="{stroke}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle" font-size="11">{value:g}</text>')
    for value in panel.y.ticks():
        y = bottom - panel.y.share(value) * (bottom - _TOP)
        stroke = "#999" if not panel.y.log and value == 0 else "#e4e4e4"
        parts.append(f'<line x1="{_LEFT}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{stroke}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" font-size="11">{value:g}</text>')
    middle = (_TOP + bottom) / 2
    parts.append(f'<text x="{(_LEFT + right) / 2:.1f}" y="{bottom + 33}" text-anchor="middle">{panel.x.name}</text>')
    parts.append(
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">{panel.y.name}</text>'
    )
    return "".join(parts)


def _round_step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return power * next(digit for digit in (1, 2, 5, 10) if digit * power >= width * (1 - 1e-9))
