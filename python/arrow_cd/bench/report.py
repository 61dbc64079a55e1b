"""A run as Markdown tables and as one self-contained page."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from arrow_cd.bench.picture import speed_against_change
from arrow_cd.bench.results import TOLERANCE, means, pairs, read_rows, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

Section = tuple[str, str, pl.DataFrame]
"""Heading, what the table shows, and the table."""


def report(folder: str | Path) -> list[Path]:
    """Write ``report.md``, ``report.html`` and ``rows.parquet`` beside the rows of a run; return their paths.

    Raises
    ------
    InvalidDataError
        The folder holds no run.
    """
    folder = Path(folder)
    rows = read_rows(folder)
    table = means(rows)
    compared = pairs(table)
    account = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    sections = _sections(rows, table, compared)
    paths = [folder / name for name in ("report.md", "report.html", "rows.parquet")]
    paths[0].write_text(_markdown(account, sections), encoding="utf-8")
    paths[1].write_text(_page(account, sections, speed_against_change(compared)), encoding="utf-8")
    rows.write_parquet(paths[2])
    return paths


def _sections(rows: pl.DataFrame, table: pl.DataFrame, compared: pl.DataFrame) -> list[Section]:
    ended = rows.filter(pl.col("status") != "ok")
    sections = [
        (
            "Screened against plain",
            f"Data sets on which the score rises or falls by more than {TOLERANCE:g}; mean change; geometric means of "
            "how many times faster and how many times fewer tests, screen included.",
            verdicts(compared),
        ),
        (
            "By data set",
            "Score (F1 of lagged links where truth and method have lags, else of the summary graph; minus the number "
            "of false links where the truth is empty), plain and screened, and what the screen saves.",
            _columns(
                compared,
                ("dataset", "method", "engine", "screen", "plain_score", "score", "change", "plain_wall", "wall"),
                ("speed_up", "fewer_tests", "candidates", "screen_recall", "audit_lost"),
            ),
        ),
        (
            "Every run",
            "Means over members and repeats.",
            _columns(
                table,
                ("dataset", "method", "engine", "screen", "runs", "score", "score_spread", "summary_precision"),
                ("summary_recall", "summary_f1", "summary_auroc", "lagged_f1", "lag_accuracy", "wall", "cpu", "peak"),
            ),
        ),
    ]
    if ended.height:
        sections.append(("Ended early", "Cells that failed or took longer than they may.", _columns(ended, _ENDED, ())))
    return sections


_ENDED = ("dataset", "method", "engine", "screen", "repeat", "status", "why")


def _columns(table: pl.DataFrame, names: Sequence[str], more: Sequence[str]) -> pl.DataFrame:
    return table.select(name for name in (*names, *more) if name in table.columns)


def _cells(table: pl.DataFrame) -> list[list[str]]:
    return [[_shown(value) for value in row] for row in table.iter_rows()]


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _account(account: dict[str, object]) -> str:
    versions = account["versions"]
    assert isinstance(versions, dict)
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"{listed}; {account['platform']}, {account['cores']} cores; at most {account['budget']:g} s and "
        f"{account['memory']} bytes a cell, one thread."
    )


def _markdown(account: dict[str, object], sections: Sequence[Section]) -> str:
    parts = ["# Benchmark", _account(account)]
    for heading, what, table in sections:
        lines = [table.columns, ["---"] * table.width, *_cells(table)]
        rows = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        parts += [f"## {heading}", what, rows]
    return "\n\n".join(parts) + "\n"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
"""


def _page(account: dict[str, object], sections: Sequence[Section], picture: str | None) -> str:
    parts = [f"<h1>Benchmark</h1><p>{html.escape(_account(account))}</p>", picture or ""]
    for heading, what, table in sections:
        parts.append(f"<h2>{html.escape(heading)}</h2><p>{html.escape(what)}</p>{_html_table(table)}")
    body = "\n".join(parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>arrow_cd benchmark</title>'
        f"<style>{_STYLE}</style></head><body>{body}</body></html>\n"
    )


def _html_table(table: pl.DataFrame) -> str:
    kinds = ["number" if kind.is_numeric() else "text" for kind in table.dtypes]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
    rows = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{html.escape(cell)}</td>' for kind, cell in zip(kinds, line, strict=True))
        + "</tr>"
        for line in _cells(table)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
