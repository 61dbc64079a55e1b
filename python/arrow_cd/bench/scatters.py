"""Pictures with a point a data set: speed-up against change of F1, recall against candidates kept."""

from __future__ import annotations

import polars as pl

from arrow_cd.bench.picture import Axis, Mark, Panel, covering, small_multiples
from arrow_cd.bench.results import screened_against_plain


def speed_against_change(scores: pl.DataFrame) -> str | None:
    """Draw how many times faster the default screen is against how it changes F1, a panel a method; None without pairs.

    Beside every engine against itself, the native engine with the screen against plain libraries.
    """
    panels = {}
    for method in scores["method"].unique(maintain_order=True):
        marks = []
        engines = scores.filter(pl.col("method") == method)["engine"].unique(maintain_order=True)
        for engine in engines:
            for screened in dict.fromkeys((engine, "native")):
                pairs = screened_against_plain(scores, method, screened, engine)
                marks += _changes(pairs, screened, engine)
        if marks:
            panels[method] = marks
    if not panels:
        return None
    every = [mark for marks in panels.values() for mark in marks]
    x = covering("times faster than plain", [1.0, *(mark.x for mark in every)], log=True)
    y = covering("change of F1", [-0.05, 0.05, *(mark.y for mark in every)])
    return small_multiples(
        [Panel(method, marks, x, y) for method, marks in panels.items()], "Speed-up against change of F1"
    )


def _changes(pairs: pl.DataFrame, screened: str, plain: str) -> list[Mark]:
    series = f"{screened} screened / {plain} plain"
    return [
        Mark(
            row["speed_up"],
            row["change"],
            series,
            f"{row['dataset']}, {series}: {row['speed_up']:.3g} times faster, F1 {row['change']:+.3f}",
        )
        for row in pairs.filter(pl.col("judged") != "false links").iter_rows(named=True)
    ]


def recall_against_kept(table: pl.DataFrame) -> str | None:
    """Draw the share of true links that a screen kept against candidates a target, a panel a screen.

    `table` is of `arrow_cd.bench.results.means`; None if no row has a recall.
    """
    known = table.filter(pl.col("screen_recall").is_not_null())
    if known.is_empty():
        return None
    x = covering("candidates kept a target", known["candidates"].to_list(), log=True)
    y = Axis("recall of true links", -0.05, 1.05)
    panels = []
    for (screen,), part in known.group_by("screen", maintain_order=True):
        marks = [
            Mark(
                row["candidates"],
                row["screen_recall"],
                str(screen),
                f"{row['dataset']}: {row['candidates']:.1f} kept a target, recall {row['screen_recall']:.2f}",
            )
            for row in part.iter_rows(named=True)
        ]
        panels.append(Panel(str(screen), marks, x, y))
    return small_multiples(panels, "Recall after screening against candidates kept")
