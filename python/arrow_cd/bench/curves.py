"""How time grows with the number of series, of samples and of lags."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from arrow_cd.bench.markdown import number
from arrow_cd.bench.picture import Mark, Panel, covering, small_multiples
from arrow_cd.bench.results import RUN, SCREEN, screened_against_plain
from arrow_cd.bench.sections import Section

AXES = {"N": "series N", "T": "samples T", "tau_max": "largest lag tau_max"}
"""Sizes that cells vary, and what they are."""


def curves(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one row a (data set, axis, way to run, size): mean seconds and tests, sorted by size.

    A curve holds the cells that vary its size and the ones of the same data set and way that vary nothing.
    """
    parts = []
    for axis in AXES:
        varied = scores.filter(pl.col("vary").str.starts_with(f"{axis}="))
        if varied.is_empty():
            continue
        usual = scores.filter(pl.col("vary") == "").join(varied, on=("dataset", *RUN), how="semi")
        points = pl.concat([varied, usual]).group_by("dataset", *RUN, pl.col(axis).alias("size"), maintain_order=True)
        parts.append(
            points.agg(pl.col("wall", "tests").mean()).with_columns(
                axis=pl.lit(axis), size=pl.col("size").cast(pl.Float64)
            )
        )
    if not parts:
        return pl.DataFrame()
    return pl.concat(parts).sort("axis", "dataset", *RUN, "size", maintain_order=True)


def exponent(sizes: pl.Series, values: pl.Series) -> float | None:
    """Return k of ``value = c size^k``, by least squares on logarithms; None with fewer than two sizes."""
    known = values.is_not_null() & (values > 0)
    x, y = np.log(sizes.filter(known).to_numpy()), np.log(values.filter(known).to_numpy())
    if len(np.unique(x)) < 2:
        return None
    x = x - x.mean()
    return float(x @ y / (x @ x))


def curves_section(scores: pl.DataFrame) -> Section | None:
    """Return curves and their exponents; None if no cell varies a size."""
    table = curves(scores)
    if table.is_empty():
        return None
    header = [
        *("method", "engine", "screen", "data set", "varied", "sizes", "s: first", "s: last"),
        *("exponent of time", "exponent of tests"),
    ]
    lines = []
    for (method, engine, screen, dataset, axis), part in table.group_by(*RUN, "dataset", "axis", maintain_order=True):
        sizes = ", ".join(f"{size:,.0f}" for size in part["size"]) if part.height < 4 else _span(part["size"])
        lines.append(
            [
                *(str(name) for name in (method, engine, screen, dataset, axis)),
                sizes,
                *(number(part["wall"][k]) for k in (0, -1)),
                *(number(exponent(part["size"], part[name]), ".2f") for name in ("wall", "tests")),
            ]
        )
    text = (
        "Seconds of a run, screen included, as one size is varied and the others stay: time grows about as the size to "
        "the power of the exponent (least squares on logarithms). Sizes at which a run ended early are missing."
    )
    return Section("How time grows", text, header, lines, pictures=[_picture(table)])


def _span(sizes: pl.Series) -> str:
    return f"{len(sizes)} from {sizes[0]:,.0f} to {sizes[-1]:,.0f}"


def _picture(table: pl.DataFrame) -> str:
    panels = []
    keys = ("method", "axis", "dataset")
    for (method, axis, dataset), part in table.group_by(*keys, maintain_order=True):
        marks = [
            Mark(
                row["size"],
                row["wall"],
                f"{row['engine']}, {row['screen']}",
                f"{row['engine']}, {row['screen']}, {axis}={row['size']:,.0f}: {row['wall']:.3g} s",
            )
            for row in part.iter_rows(named=True)
        ]
        x = covering(AXES[str(axis)], part["size"].to_list(), log=True)
        y = covering("seconds", part["wall"].to_list(), log=True)
        panels.append(Panel(f"{method}, {dataset}", marks, x, y))
    return small_multiples(panels, "Seconds against size", lines=True)


def sizes_section(scores: pl.DataFrame) -> Section | None:
    """Return screened against plain at every size that is varied; None if nothing was run both ways there."""
    header = [
        *("data set", "varied", "method", "screened by", "plain by", "F1: plain", "screened", "change"),
        *("s: plain", "s: screened", "times faster", "times fewer tests"),
    ]
    varied = scores.filter(pl.col("vary") != "")
    lines = []
    for method in varied["method"].unique(maintain_order=True):
        engines = varied.filter(pl.col("method") == method)["engine"].unique(maintain_order=True)
        for plain in engines:
            for screened in dict.fromkeys((plain, "native")):
                pairs = screened_against_plain(varied, method, screened, plain)
                lines += [_size(pair, method, screened, plain) for pair in pairs.iter_rows(named=True)]
    text = f"Screen `{SCREEN}` against all links on the same data, one size away from the benchmark's."
    return Section("Other sizes, screened against plain", text, header, lines) if lines else None


def _size(pair: dict[str, Any], method: str, screened: str, plain: str) -> list[str]:
    return [
        *(pair["dataset"], pair["vary"], method, screened, plain),
        *(number(pair[name], ".3f") for name in ("plain_score", "score")),
        number(pair["change"], "+.3f"),
        *(number(pair[name]) for name in ("plain_wall", "wall", "speed_up", "fewer_tests")),
    ]
