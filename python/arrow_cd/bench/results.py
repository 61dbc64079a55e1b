"""Rows of a benchmark as a frame, means over members and repeats, and pairs of screened and plain runs."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from arrow_cd.bench.runner import ROWS
from arrow_cd.errors import InvalidDataError

KEY = ("dataset", "method", "engine", "screen")
# Columns that tables and pairs need, though no row of a run may have them: all failed, or no truth has lags.
_ALWAYS: dict[str, type[pl.DataType]] = {
    "why": pl.String,
    **dict.fromkeys(("wall", "tests", "lagged_f1", "summary_f1", "summary_false_links"), pl.Float64),
}
TOLERANCE = 0.01
"""F1 that may be lost before a screened run counts as worse."""


def read_rows(folder: str | Path) -> pl.DataFrame:
    """Return every row of a run, members and repeats apart.

    Raises
    ------
    InvalidDataError
        The folder holds no run.
    """
    path = Path(folder) / ROWS
    if not path.exists():
        raise InvalidDataError(f"{folder} holds no benchmark: there is no {ROWS}")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if not records:
        raise InvalidDataError(f"{path} is empty: no cell was finished")
    rows = pl.from_dicts(records, infer_schema_length=None)
    lacking = {name: kind for name, kind in _ALWAYS.items() if name not in rows.columns}
    return rows.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in lacking.items())


def means(rows: pl.DataFrame) -> pl.DataFrame:
    """Return one row a (data set, method, engine, screen): means over members and repeats that finished.

    "score" is what a data set is judged by: F1 of lagged links where truth and method have lags, else of the summary
    graph; minus the number of false links where the truth is empty. "ended" is the number of cells that failed or took
    too long.
    """
    finished = rows.filter(pl.col("status") == "ok").with_columns(
        score=pl.coalesce("lagged_f1", "summary_f1", -pl.col("summary_false_links").cast(pl.Float64))
    )
    numbers = [name for name, kind in finished.schema.items() if kind.is_numeric() and name != "repeat"]
    table = finished.group_by(*KEY, maintain_order=True).agg(
        pl.col(numbers).mean(), pl.len().alias("runs"), pl.col("score").std().alias("score_spread")
    )
    ended = rows.filter(pl.col("status") != "ok").group_by(*KEY).agg(pl.len().alias("ended"), pl.col("why").first())
    joined = table.join(ended, on=KEY, how="full", coalesce=True).with_columns(pl.col("ended").fill_null(0))
    order = rows.select(KEY).unique(maintain_order=True).with_row_index("order")
    return joined.join(order, on=KEY).sort("order").drop("order")


def pairs(table: pl.DataFrame) -> pl.DataFrame:
    """Return every screened mean beside the plain one of the same method and engine.

    Columns added: plain_score, change (screened minus plain), plain_wall, speed_up, plain_tests, fewer_tests.
    """
    plain = table.filter(pl.col("screen") == "none").select(
        "dataset", "method", "engine", *(pl.col(name).alias(f"plain_{name}") for name in ("score", "wall", "tests"))
    )
    screened = table.filter(pl.col("screen") != "none").join(plain, on=("dataset", "method", "engine"), how="left")
    return screened.with_columns(
        change=pl.col("score") - pl.col("plain_score"),
        speed_up=pl.col("plain_wall") / pl.col("wall"),
        fewer_tests=pl.col("plain_tests") / pl.col("tests"),
    )


def verdicts(compared: pl.DataFrame) -> pl.DataFrame:
    """Return, for each method, engine and screen: data sets won, tied and lost by more than `TOLERANCE`, and ratios."""
    known = compared.filter(pl.col("change").is_not_null())
    return known.group_by("method", "engine", "screen", maintain_order=True).agg(
        data_sets=pl.len(),
        higher=(pl.col("change") > TOLERANCE).sum(),
        equal=(pl.col("change").abs() <= TOLERANCE).sum(),
        lower=(pl.col("change") < -TOLERANCE).sum(),
        mean_change=pl.col("change").mean(),
        speed_up=pl.col("speed_up").log().mean().exp(),
        best_speed_up=pl.col("speed_up").max(),
        fewer_tests=pl.col("fewer_tests").log().mean().exp(),
    )
