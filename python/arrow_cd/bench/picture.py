"""How many times faster, against how much better or worse, a point a data set; as SVG without any library."""

from __future__ import annotations

import html
import math

import polars as pl

_WIDTH, _HEIGHT, _MARGIN = 760, 420, 60
_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b08a1e", "#555555", "#d17a9b")


def speed_against_change(compared: pl.DataFrame) -> str | None:
    """Return the picture of a table of `arrow_cd.bench.results.pairs`, or None if no pair is whole.

    A colour is a method, engine and screen; the horizontal axis is logarithmic. Hover over a point for its data set.
    """
    known = compared.filter(
        pl.col("change").is_not_null() & pl.col("speed_up").is_not_null() & (pl.col("change").abs() <= 1)
    )
    if known.is_empty():
        return None
    speeds, changes = known["speed_up"].to_list(), known["change"].to_list()
    low, high = math.floor(math.log10(min(*speeds, 1.0))), math.ceil(math.log10(max(*speeds, 10.0)))
    reach = max(0.05, *map(abs, changes)) * 1.1
    marks = []
    kinds = known.select("method", "engine", "screen").unique(maintain_order=True).rows()
    for row in known.iter_rows(named=True):
        colour = _COLOURS[kinds.index((row["method"], row["engine"], row["screen"])) % len(_COLOURS)]
        x = _x(math.log10(row["speed_up"]), low, high)
        label = f"{row['dataset']}: {row['speed_up']:.3g} times faster, score {row['change']:+.3f}"
        marks.append(
            f'<circle cx="{x:.1f}" cy="{_y(row["change"], reach):.1f}" r="5" fill="{colour}" fill-opacity=".75">'
            f"<title>{html.escape(label)}</title></circle>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Speed-up against change of score" font-family="system-ui, sans-serif" font-size="12">'
        f"{_axes(low, high, reach)}{''.join(marks)}{_legend(kinds)}</svg>"
    )


def _x(power: float, low: int, high: int) -> float:
    return _MARGIN + (power - low) / (high - low) * (_WIDTH - 2 * _MARGIN)


def _y(change: float, reach: float) -> float:
    return _HEIGHT / 2 - change / reach * (_HEIGHT / 2 - _MARGIN)


def _axes(low: int, high: int, reach: float) -> str:
    middle = _y(0, reach)
    parts = [f'<line x1="{_MARGIN}" x2="{_WIDTH - _MARGIN}" y1="{middle}" y2="{middle}" stroke="#999"/>']
    for power in range(low, high + 1):
        x = _x(power, low, high)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_MARGIN}" y2="{_HEIGHT - _MARGIN}" stroke="#eee"/>')
        parts.append(f'<text x="{x}" y="{_HEIGHT - _MARGIN + 18}" text-anchor="middle">{10.0**power:g}x</text>')
    for change in (-reach, 0.0, reach):
        y = _y(change, reach)
        parts.append(f'<text x="{_MARGIN - 8}" y="{y + 4}" text-anchor="end">{change:+.2f}</text>')
    parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 12}" text-anchor="middle">times faster than plain</text>')
    parts.append(f'<text x="{_MARGIN}" y="{_MARGIN - 16}">change of score</text>')
    return "".join(parts)


def _legend(kinds: list[tuple[str, str, str]]) -> str:
    return "".join(
        f'<text x="{_WIDTH - _MARGIN}" y="{_MARGIN + 16 * k}" text-anchor="end" fill="{_COLOURS[k % len(_COLOURS)]}">'
        f"{html.escape(f'{method}, {engine}, {screen}')}</text>"
        for k, (method, engine, screen) in enumerate(kinds)
    )
