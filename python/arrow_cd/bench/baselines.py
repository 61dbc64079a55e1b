"""Simple baselines beside PCMCI, and what each screen keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from arrow_cd.bench.markdown import number
from arrow_cd.bench.pcmci_table import METHOD
from arrow_cd.bench.results import RUN, SCREEN, TOLERANCE, mean, means, verdict, ways
from arrow_cd.bench.scatters import recall_against_kept
from arrow_cd.bench.sections import Section

Way = tuple[str, str, str]
"""Method, engine and screen."""


def baselines_section(scores: pl.DataFrame) -> Section | None:
    """Return PCMCI plain and by screen beside a least-squares VAR; None if fewer than two of them were run."""
    found = scores.select(RUN).unique(maintain_order=True).rows()
    chosen = [way for way in found if way[:2] == (METHOD, "native") or way[0] == "var"]
    if len(chosen) < 2:
        return None
    table = _common(scores, chosen)
    columns = [table[_name(way)].to_numpy() for way in chosen]
    f1 = (table["judged"] != "false links").to_numpy()
    lines = []
    for way, column in zip(chosen, columns, strict=True):
        wins = [_wins(column, other) if other is not column else "" for other in columns]
        lines.append([_name(way), number(float(column[f1].mean()) if f1.any() else None, ".3f"), *wins])
    text = (
        f"Means over the {f1.sum()} data sets with F1 of the {table.height} on which all of these ran, over the "
        "members and seeds that all finished. The other columns say on how many of all those a row is higher than the "
        f"column by more than {TOLERANCE:g}, and lower. `correlation` keeps as many links of a target as `{SCREEN}`, "
        "by absolute lagged correlation: it shows whether bits earn their place. `var` is a least-squares VAR with "
        "t-tests and Benjamini-Hochberg over all links: it shows whether PCMCI does."
    )
    header = ["run", "mean F1", *(f"> {_name(way)}" for way in chosen)]
    return Section("PCMCI, its screens and a VAR", text, header, lines)


def _common(scores: pl.DataFrame, chosen: Sequence[Way]) -> pl.DataFrame:
    """One row a data set, a column of scores a way to run, over rows that all of them have."""
    same = ("dataset", "member", "repeat")
    table = ways(scores, *chosen[0]).select(*same, "judged", pl.col("score").alias(_name(chosen[0])))
    for way in chosen[1:]:
        other = ways(scores, *way).select(*same, pl.col("score").alias(_name(way)))
        table = table.join(other, on=same, how="inner", maintain_order="left")
    return _by_data_set(table)


def _by_data_set(table: pl.DataFrame) -> pl.DataFrame:
    numbers = [name for name, kind in table.schema.items() if kind.is_float()]
    return table.group_by("dataset", maintain_order=True).agg(pl.col("judged").first(), pl.col(numbers).mean())


def _name(way: Way) -> str:
    method, _, screen = way
    return f"{method} plain" if screen == "none" and method == METHOD else f"{method} {screen}".removesuffix(" none")


def _wins(mine: np.ndarray, other: np.ndarray) -> str:
    said = [verdict(change) for change in mine - other]
    return f"{said.count('higher')} : {said.count('lower')}"


def screens_section(scores: pl.DataFrame) -> Section | None:
    """Return recall after screening and the audit of pruned links by screen; None if nothing was screened."""
    runs = scores.filter(pl.col("method") == METHOD, pl.col("candidates").is_not_null())
    native = runs.filter(pl.col("engine") == "native")  # what a screen keeps is the same for every engine
    table = means(runs if native.is_empty() else native)
    if table.is_empty():
        return None
    header = [
        *("screen", "data sets", "kept a target", "share kept", "recall: mean", "lowest", "data set"),
        *("audited a run", "estimated lost", "share of pruned"),
    ]
    lines = [[str(screen), *_screen(part)] for (screen,), part in table.group_by("screen", maintain_order=True)]
    text = (
        "Means over data sets. Recall is the share of the true links between series that the screen kept, those too "
        "that no test would have found. The audit tests a random sample of the links that were pruned, given the "
        'parents that were found: "estimated lost" is the number of them in a run that would be significant at the '
        "level that the others reached; only the native engine is audited. Significant does not mean true."
    )
    picture = recall_against_kept(table)
    return Section("What the screens keep", text, header, lines, pictures=[picture] if picture else [])


def _screen(part: pl.DataFrame) -> list[str]:
    every = pl.col("N") * pl.col("tau_max")
    pruned = pl.col("N") * (every - pl.col("candidates"))
    part = part.with_columns(share=pl.col("candidates") / every, lost_share=pl.col("audit_lost") / pruned)
    known = part.filter(pl.col("screen_recall").is_not_null()).sort("screen_recall")
    return [
        str(part.height),
        number(mean(part["candidates"]), ".1f"),
        number(mean(part["share"]), ".3f"),
        number(mean(known["screen_recall"]), ".3f"),
        number(known["screen_recall"][0] if known.height else None, ".2f"),
        known["dataset"][0] if known.height else "",
        number(mean(part["audited"]), ".0f"),
        number(mean(part["audit_lost"])),
        number(mean(part["lost_share"])),
    ]
