"""Where a screen makes a method worse, and why."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from arrow_cd.bench.markdown import number
from arrow_cd.bench.results import SCREEN, TOLERANCE, screened_against_plain, verdict
from arrow_cd.bench.sections import Section

_HEADER = [
    *("data set", "method", "judged by", "plain", "screened", "change", "guessing", "true links", "density of plain"),
    *("recall of screen", "precision", "recall", "cause"),
]


def losses_section(scores: pl.DataFrame) -> Section | None:
    """Return every (data set, method) that the default screen makes worse; None if nothing was run both ways."""
    lines, seen = [], 0
    for method in scores["method"].unique(maintain_order=True):
        pairs = _pairs(scores, method)
        seen += pairs.height
        lines += [_line(pair, method) for pair in pairs.iter_rows(named=True) if verdict(pair["change"]) == "lower"]
    if not seen:
        return None
    text = (
        f"Every data set on which screen `{SCREEN}` lowers a method's F1 by more than {TOLERANCE:g}, or adds false "
        f'links where none is true: {len(lines)} of {seen}. "Guessing" is the F1 expected of as many links as plain '
        "found, drawn at random; density is the share of possible links that plain found; precision and recall are of "
        "plain, then screened. Runs are the native engine's where it ran both. The cause is chosen by rule from these "
        "numbers."
    )
    return Section("Where it loses and why", text, _HEADER if lines else (), lines)


def _pairs(scores: pl.DataFrame, method: str) -> pl.DataFrame:
    """Screened beside plain, one row a data set: by the native engine where it ran both, else by a library."""
    able = scores.filter(pl.col("method") == method)["engine"].unique()
    engines = sorted(able, key=lambda name: (name != "native", name))
    tables = [screened_against_plain(scores, method, engine, engine) for engine in engines]
    return pl.concat(tables).unique("dataset", keep="first", maintain_order=True)


def _line(pair: dict[str, Any], method: str) -> list[str]:
    sign = -1 if pair["judged"] == "false links" else 1
    density = None if pair["plain_found_links"] is None else pair["plain_found_links"] / pair["possible"]
    return [
        *(pair["dataset"], method, pair["judged"]),
        *(number(sign * pair[name], ".3f") for name in ("plain_score", "score")),
        number(sign * pair["change"], "+.3f"),
        number(pair["plain_chance"] if sign > 0 else None, ".3f"),
        number(pair["true_links"], ".0f"),
        number(density, ".3f"),
        number(pair["screen_recall"], ".2f"),
        *(_change(pair[f"plain_{name}"], pair[name]) for name in ("precision", "recall")),
        cause(pair),
    ]


def _change(before: float | None, after: float | None) -> str:
    """Both shares; "none" for one that is undefined, as precision without a link found."""
    shares = [number(value, ".2f") or "none" for value in (before, after)]
    return " to ".join(shares) if shares != ["none", "none"] else ""


def cause(pair: dict[str, Any]) -> str:
    """Say why a row of `compared` is lower, from its numbers alone.

    In order: false links where none is true; a plain graph less than two standard deviations above guessing, so that
    there is no clear signal to keep; a screen that kept fewer true links than plain found; a lower recall though it
    kept as many; a lower precision.
    """
    if pair["judged"] == "false links":
        return f"false links rose from {-pair['plain_score']:.2f} to {-pair['score']:.2f}"
    parts = []
    if _is_guessing(pair):
        parts.append(
            f"plain's F1 is not two standard deviations above guessing ({pair['plain_chance']:.2f}): "
            "no clear signal to keep"
        )
    before, after, kept = pair["plain_recall"], pair["recall"], pair["screen_recall"]
    if _known(before, after) and after < before - TOLERANCE:
        if kept < before:
            parts.append(f"the screen dropped true links: it kept {kept:.2f}, plain found {before:.2f}")
        else:
            parts.append(
                f"true links were lost after the screen, which kept {kept:.2f}: recall {before:.2f} to {after:.2f}"
            )
    before, after = pair["plain_precision"], pair["precision"]
    if _known(before, after) and after < before - TOLERANCE:
        parts.append(f"more false links among those found: precision {before:.2f} to {after:.2f}")
    return "; ".join(parts) or "no single cause: recall and precision fell by less than .01 each on average"


def _is_guessing(pair: dict[str, Any]) -> bool:
    if not _known(pair["plain_chance"], pair["plain_chance_variance"]):
        return False
    deviation = math.sqrt(pair["plain_chance_variance"] / pair["common"])
    return bool(pair["plain_score"] <= pair["plain_chance"] + 2 * deviation)


def _known(*values: float | None) -> bool:
    return all(value is not None for value in values)
