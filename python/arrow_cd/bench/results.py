"""Rows of a benchmark as a frame: what a run is judged by, means, and pairs of runs on the same data."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl

from arrow_cd.bench.runner import ROWS, records_of
from arrow_cd.errors import InvalidDataError
from arrow_cd.tails import student_t_critical

RUN = ("method", "engine", "screen")
"""What names a way to run."""

SAME = ("dataset", "vary", "member", "repeat")
"""What two rows must share to be compared."""

SCREEN = "weave"
"""The default screen, the one that the report is about."""

TOLERANCE = 0.01
"""F1, or false links where no link is true, by which a score must differ to count as higher or lower."""

MARGIN = -0.02
"""A screen is not worse where the lower end of the interval of its paired difference in F1 is above this."""

_TEXT = ("vary", "member", "why")
_WHOLE = ("N", "T", "tau_max")
_KINDS = ("lagged", "summary")
_MEASURES = ("precision", "recall", "f1", "false_links", "true_links", "found_links")
# Columns that tables need, though no row of a run may have them: all failed, no truth has lags, nothing was screened.
_NUMBERS = (
    *("wall", "cpu", "peak", "tests", "candidates", "screen_recall", "audited", "audit_lost", "lag_accuracy"),
    *("summary_auroc", "summary_auprc"),
    *(f"{kind}_{measure}" for kind in _KINDS for measure in _MEASURES),
)


def read_rows(folder: str | Path) -> pl.DataFrame:
    """Return every row of a run, members and repeats apart, with every column that `scored` needs.

    Raises
    ------
    InvalidDataError
        The folder holds no run.
    """
    records = records_of(folder)
    if not records:
        raise InvalidDataError(f"{Path(folder) / ROWS} is empty: no cell was finished")
    return with_all_columns(pl.from_dicts(records, infer_schema_length=None))


def with_all_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that no row has, as nulls; a row that doesn't say what it varies varies nothing."""
    kinds = dict.fromkeys(_TEXT, pl.String) | dict.fromkeys(_WHOLE, pl.Int64) | dict.fromkeys(_NUMBERS, pl.Float64)
    lacking = [pl.lit(None, dtype=kind).alias(name) for name, kind in kinds.items() if name not in rows.columns]
    numbers = [pl.col(name).cast(pl.Float64) for name in _NUMBERS]
    return rows.with_columns(lacking).with_columns(pl.col("vary").fill_null(""), *numbers)


def scored(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that finished with what they are judged by.

    Columns added:

    - "judged": "lagged F1" where truth and method have lags, else "summary F1"; "false links" where no link is true.
    - "score": that F1, or minus the number of false links.
    - "precision", "recall", "true_links", "found_links": of the same graph.
    - "possible": links between different series that it could have.
    - "chance", "chance_variance": of F1 when as many links as were found are drawn at random, see `chance_f1`.
    """
    done = rows.filter(pl.col("status") == "ok")
    lagged = pl.col("lagged_false_links").is_not_null()
    measured = {name: pl.when(lagged).then(f"lagged_{name}").otherwise(f"summary_{name}") for name in _MEASURES}
    empty = pl.col("summary_recall").is_null()
    judged = pl.when(empty).then(pl.lit("false links")).when(lagged).then(pl.lit("lagged F1"))
    pairs_of_series = pl.col("N") * (pl.col("N") - 1)
    return done.with_columns(
        judged=judged.otherwise(pl.lit("summary F1")),
        score=pl.when(empty).then(-measured["false_links"]).otherwise(measured["f1"]),
        possible=pl.when(lagged).then(pairs_of_series * pl.col("tau_max")).otherwise(pairs_of_series),
        **{name: measured[name] for name in ("precision", "recall", "true_links", "found_links")},
    ).with_columns(**chance_f1(pl.col("found_links"), pl.col("true_links"), pl.col("possible")))


def chance_f1(found: pl.Expr, true: pl.Expr, possible: pl.Expr) -> dict[str, pl.Expr]:
    """F1 of `found` links drawn at random without replacement from `possible` ones, `true` of which exist.

    The number of hits is hypergeometric, and F1 is ``2 hits / (found + true)``.

    Returns
    -------
    dict
        "chance": its mean; "chance_variance".
    """
    hits = found * true / possible
    variance = hits * (1 - true / possible) * (possible - found) / (possible - 1)
    return {"chance": 2 * hits / (found + true), "chance_variance": 4 * variance / (found + true) ** 2}


def means(scores: pl.DataFrame) -> pl.DataFrame:
    """Return one row a (data set, what is varied, way to run): means over members and repeats, and their number."""
    numbers = [name for name, kind in scores.schema.items() if kind.is_numeric() and name not in ("repeat", *_WHOLE)]
    return scores.group_by("dataset", "vary", *RUN, maintain_order=True).agg(
        pl.col("judged").first(),
        *(pl.col(name).min() for name in _WHOLE),
        *(pl.col(name).max().alias(f"{name}_max") for name in _WHOLE),
        pl.col(numbers).mean(),
        pl.len().alias("runs"),
        pl.col("score").std().alias("spread"),
    )


def ways(scores: pl.DataFrame, method: str, engine: str, screen: str) -> pl.DataFrame:
    """Return the rows of one way to run."""
    return scores.filter(pl.col("method") == method, pl.col("engine") == engine, pl.col("screen") == screen)


def compared(runs: pl.DataFrame, plain: pl.DataFrame) -> pl.DataFrame:
    """Return one row a (data set, what is varied): runs beside plain runs of the same members and repeats.

    Columns: judged; members and repeats in common; score, wall and tests of both ("plain_score" ...); change of score
    and the standard deviation of that over members and repeats; speed_up and fewer_tests, ratios of the means; and
    means of what explains a change.
    """
    measures = ("score", "wall", "tests", "precision", "recall", "found_links", "chance", "chance_variance")
    other = plain.select(*SAME, *(pl.col(name).alias(f"plain_{name}") for name in measures))
    paired = runs.join(other, on=SAME, how="inner", maintain_order="left")
    table = paired.with_columns(change=pl.col("score") - pl.col("plain_score"))
    numbers = [*measures, *(f"plain_{name}" for name in measures)]
    numbers += ["candidates", "screen_recall", "true_links", "possible"]
    return (
        table.group_by("dataset", "vary", maintain_order=True)
        .agg(
            pl.col("judged").first(),
            pl.len().alias("common"),
            pl.col(numbers).mean(),
            pl.col("change").mean(),
            pl.col("change").std().alias("spread"),
        )
        .with_columns(
            speed_up=pl.col("plain_wall") / pl.col("wall"), fewer_tests=pl.col("plain_tests") / pl.col("tests")
        )
    )


def screened_against_plain(scores: pl.DataFrame, method: str, screened: str, plain: str) -> pl.DataFrame:
    """Return runs with the default screen beside runs on all links, by the engines of these names; see `compared`."""
    return compared(ways(scores, method, screened, SCREEN), ways(scores, method, plain, "none"))


def verdict(change: float) -> str:
    """Whether a score is higher, equal or lower, by `TOLERANCE`."""
    return "higher" if change > TOLERANCE else "lower" if change < -TOLERANCE else "equal"


def interval(differences: np.ndarray) -> tuple[float, float, float]:
    """Mean and the ends of its 95 % interval (Student t); nan where there are too few values for them."""
    n = len(differences)
    middle = float(np.mean(differences)) if n else math.nan
    if n < 2:
        return middle, math.nan, math.nan
    half = float(student_t_critical(0.05, n - 1) * np.std(differences, ddof=1) / math.sqrt(n))
    return middle, middle - half, middle + half


def geometric_mean(ratios: pl.Series) -> float | None:
    """Geometric mean of the ratios that are known, None if none is."""
    known = ratios.drop_nulls()
    return float(np.exp(np.log(known.to_numpy()).mean())) if len(known) else None


def mean(column: pl.Series) -> float | None:
    """Mean of what is known, None if nothing is."""
    known = column.drop_nulls()
    return float(known.to_numpy().mean()) if len(known) else None


def largest(column: pl.Series) -> float | None:
    """Largest of what is known, None if nothing is."""
    known = column.drop_nulls()
    return float(known.to_numpy().max()) if len(known) else None
