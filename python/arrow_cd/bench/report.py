"""A run as Markdown tables and as one self-contained page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from arrow_cd.bench.baselines import baselines_section, screens_section
from arrow_cd.bench.curves import curves_section, sizes_section
from arrow_cd.bench.families import families_section, libraries_section
from arrow_cd.bench.losses import losses_section
from arrow_cd.bench.markdown import number, replace_section
from arrow_cd.bench.pcmci_table import pcmci_sections
from arrow_cd.bench.results import read_rows, scored
from arrow_cd.bench.scatters import speed_against_change
from arrow_cd.bench.sections import Section
from arrow_cd.errors import InvalidDataError

NAME = "Benchmark"
"""Heading of the report, and name of its section in a page of results."""


def report(folder: str | Path, into: str | Path | None = None) -> list[Path]:
    """Write ``report.md``, ``report.html`` and ``rows.parquet`` beside the rows of a run.

    Parameters
    ----------
    folder
        Where a run was written to.
    into
        A Markdown page to put the report in too, between ``<!-- begin Benchmark -->`` and ``<!-- end Benchmark -->``;
        at its end if it has no such section yet.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    InvalidDataError
        The folder holds no run, there is no page `into`, or its section has no end.
    """
    folder = Path(folder)
    if into is not None and not Path(into).is_file():
        raise InvalidDataError(f"{into}: there is no such page to put the report into")
    rows = read_rows(folder)
    account = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    head = run_head(account, rows)
    parts = sections(rows)
    paths = [folder / name for name in ("report.md", "report.html", "rows.parquet")]
    paths[0].write_text(_markdown(head, parts, level=1), encoding="utf-8")
    paths[1].write_text(_page(head, parts), encoding="utf-8")
    rows.write_parquet(paths[2])
    if into is not None:
        replace_section(Path(into), NAME, _markdown(head, parts, level=2))
        paths.append(Path(into))
    return paths


def sections(rows: pl.DataFrame) -> list[Section]:
    """Return the parts that the rows of a run have something for."""
    ended = rows.filter(pl.col("status") != "ok")
    every = scored(rows)
    scores = every.filter(pl.col("vary") == "")
    speed = speed_against_change(scores)
    parts = [
        *pcmci_sections(scores, ended.filter(pl.col("vary") == "")),
        families_section(scores),
        Section("Speed-up against change of F1", _SPEED, pictures=[speed]) if speed else None,
        libraries_section(scores),
        baselines_section(scores),
        screens_section(scores),
        curves_section(every),
        sizes_section(every),
        losses_section(scores),
        _ended_section(ended),
    ]
    return [part for part in parts if part is not None]


_SPEED = (
    "A point is a data set; right of 1 the screened run is faster, above 0 its F1 is higher. Point at one for its name."
)


def run_head(account: dict[str, Any], rows: pl.DataFrame) -> Section:
    """Return what was run, when, on what, within which limits, and how much of it ended early."""
    cells = rows.select("dataset", "vary", "method", "engine", "screen", "repeat", "status").unique()
    ended = cells.filter(pl.col("status") != "ok")
    whys = ", ".join(f"{count} {why}" for why, count in ended["status"].value_counts(sort=True).iter_rows())
    versions = ", ".join(f"{name} {version}" for name, version in account["versions"].items() if version)
    machine = account.get("machine") or account["platform"]
    dates = " to ".join(str(account[key]) for key in ("start", "end") if account.get(key))
    took = f", {number(account['seconds'] / 60)} minutes" if account.get("seconds") else ""
    jobs = f", {account['jobs']} cells at a time" if account.get("jobs", 1) > 1 else ""
    commits = f"; commit {account['commit']}" if account.get("commit") else ""
    limits = f"at most {account['budget']:g} s and {account['memory'] / 2**30:.3g} GiB a cell, one thread"
    done = rows.filter(pl.col("status") == "ok")
    minutes = number(float(done["wall"].to_numpy().sum()) / 60)
    whole = cells.drop("status").n_unique()
    lines = [
        f"- Command: `{account['command']}`" if account.get("command") else "",
        f"- When: {dates}{took}" if dates else "",
        f"- Machine: {machine}, {account['cores']} cores; {limits}{jobs}",
        f"- Versions: {versions}{commits}",
        f"- {whole:,} cells, {done.height:,} runs of a member, {minutes} minutes in the methods themselves; "
        f"{ended.height} cells ended early{f' ({whys}; see the last table)' if whys else ''}",
    ]
    return Section(NAME, "\n".join(line for line in lines if line))


_WHICH = ("repeat", "member")


def _ended_section(ended: pl.DataFrame) -> Section | None:
    if ended.is_empty():
        return None
    columns = ("dataset", "vary", "method", "engine", "screen", "status", "why")
    table = ended.group_by(*columns, maintain_order=True).agg(
        *(pl.col(name).drop_nulls().unique(maintain_order=True).cast(pl.String).str.join(", ") for name in _WHICH)
    )
    header = ["data set", "varied", "method", "engine", "screen", "repeats", "members", "status", "why"]
    shown = table.select(*columns[:-2], *_WHICH, "status", "why")
    lines = [["" if cell is None else cell for cell in line] for line in shown.iter_rows()]
    return Section("Ended early", "Cells that failed or took longer than they may, or members of them.", header, lines)


def _markdown(head: Section, parts: Sequence[Section], level: int) -> str:
    return "\n\n".join([head.markdown(level), *(part.markdown(level + 1) for part in parts)]) + "\n"


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; color: #222; }
h2 { margin-top: 2.5rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
th { max-width: 8rem; vertical-align: bottom; }
td { white-space: nowrap; }
td.text:last-child { white-space: normal; min-width: 17rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
"""


def _page(head: Section, parts: Sequence[Section]) -> str:
    body = "\n".join(part.html() for part in (head, *parts))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>arrow_cd benchmark</title>'
        f"<style>{_STYLE}</style></head>\n<body>{body}</body></html>\n"
    )
