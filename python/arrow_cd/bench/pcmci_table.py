"""PCMCI on every data set: plain and screened, by tigramite and by the native engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from arrow_cd.bench.markdown import ENDED, number
from arrow_cd.bench.results import compared, geometric_mean, mean, means, verdict, ways
from arrow_cd.bench.sections import Section

METHOD = "pcmci"
SCREEN = "weave"
"""The default screen."""

_ENGINES = ("native", "tigramite")

SPEED_UPS = {
    "tigramite, screened / plain": ("tigramite", "tigramite"),
    "native screened / tigramite plain": ("native", "tigramite"),
    "native, screened / plain": ("native", "native"),
}
"""Heading: engine of the screened run, engine of the plain one."""

_HEADER = [
    *("data set", "N", "T", "tau_max", "judged by", "plain", "screened", "change", "spread", "verdict"),
    *("recall of screen", "kept a target", "tests: plain", "tests: screened"),
    *("s: tigramite plain", "s: tigramite screened", "s: native plain", "s: native screened"),
    *(f"times faster: {heading}" for heading in SPEED_UPS),
]


def pcmci_section(scores: pl.DataFrame, ended: pl.DataFrame) -> Section | None:
    """Return the table of data sets with its totals, or None if no PCMCI was run with and without the screen.

    Scores, tests and recall are the native engine's where it ran, else tigramite's; they find the same links.
    """
    rows, ended = (frame.filter(pl.col("method") == METHOD) for frame in (scores, ended))
    judged = {name: compared(ways(rows, METHOD, name, SCREEN), ways(rows, METHOD, name, "none")) for name in _ENGINES}
    speeds = {
        heading: compared(ways(rows, METHOD, screened, SCREEN), ways(rows, METHOD, plain, "none"))
        for heading, (screened, plain) in SPEED_UPS.items()
    }
    sizes = means(rows).unique("dataset", keep="first", maintain_order=True)
    lines = [_line(size, judged, speeds, rows, ended) for size in sizes.iter_rows(named=True)]
    if all(table.is_empty() for table in judged.values()):
        return None
    best = pl.concat(judged.values()).unique("dataset", keep="first", maintain_order=True)
    text = (
        f"The default screen, `{SCREEN}`, in front of PCMCI. Scores are F1 of links with their exact lag where the "
        "truth has lags, else of the summary graph; numbers of false links where no link is true. Links of a series "
        "to itself are left out. Change and spread (standard deviation) are of paired differences over seeds or "
        "members; higher and lower mean by more than .01. Seconds are means of a member, screen included, one thread; "
        'a factor compares runs on the same members and seeds; "ended" is explained in the last table.'
    )
    return Section(f"PCMCI on {sizes.height} data sets", text, _HEADER, lines, after=_totals(best, speeds))


def _line(
    size: dict[str, Any],
    judged: dict[str, pl.DataFrame],
    speeds: dict[str, pl.DataFrame],
    rows: pl.DataFrame,
    ended: pl.DataFrame,
) -> list[str]:
    name = str(size["dataset"])
    pair = next((row for table in judged.values() if (row := _row(table, name))), {})
    seconds = (
        _seconds(rows, ended, name, engine, screen) for engine in ("tigramite", "native") for screen in ("none", SCREEN)
    )
    sign = -1 if size["judged"] == "false links" else 1
    plain, score = (None if pair.get(key) is None else sign * pair[key] for key in ("plain_score", "score"))
    return [
        name,
        *(_range(size, column) for column in ("N", "T", "tau_max")),
        str(size["judged"]),
        *(number(value, ".3f") for value in (plain, score)),
        number(None if pair.get("change") is None else sign * pair["change"], "+.3f"),
        number(pair.get("spread"), ".3f"),
        _verdict(pair, sign),
        number(pair.get("screen_recall"), ".2f"),
        number(pair.get("candidates"), ".1f"),
        *(number(pair.get(key), ",.0f") for key in ("plain_tests", "tests")),
        *seconds,
        *(number((_row(table, name) or {}).get("speed_up")) for table in speeds.values()),
    ]


def _verdict(pair: dict[str, float], sign: int) -> str:
    if not pair:
        return ""
    said = verdict(pair["change"])
    return said if sign > 0 else {"higher": "fewer", "lower": "more"}.get(said, said)


def _row(table: pl.DataFrame, name: str) -> dict[str, float] | None:
    found = table.filter(pl.col("dataset") == name)
    return found.row(0, named=True) if found.height else None


def _range(size: dict[str, Any], column: str) -> str:
    low, high = size[column], size[f"{column}_max"]
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _seconds(rows: pl.DataFrame, ended: pl.DataFrame, name: str, engine: str, screen: str) -> str:
    done, stopped = (ways(frame.filter(pl.col("dataset") == name), METHOD, engine, screen) for frame in (rows, ended))
    return number(mean(done["wall"])) if done.height else ENDED if stopped.height else ""


def _totals(pairs: pl.DataFrame, speeds: dict[str, pl.DataFrame]) -> str:
    said = [verdict(change) for change in pairs["change"]]
    f1 = pairs.filter(pl.col("judged") != "false links")["change"]
    change = f"; mean change of F1 {number(mean(f1), '+.3f')} over {len(f1)}" if len(f1) else ""
    higher, lower = (said.count(word) for word in ("higher", "lower"))
    lines = [
        f"- Accuracy: not lower on {len(said) - lower} of {len(said)} data sets, higher on {higher}, lower on {lower} "
        f"({_names(pairs, said, 'lower')}), where fewer false links count as higher{change}."
    ]
    for heading, table in speeds.items():
        if table.height:
            lines.append(_speed(heading, table))
    return "\n".join(lines)


def _names(pairs: pl.DataFrame, said: list[str], wanted: str) -> str:
    return _listed(name for name, word in zip(pairs["dataset"], said, strict=True) if word == wanted)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _speed(heading: str, table: pl.DataFrame) -> str:
    ratios = table["speed_up"]
    best = table.sort("speed_up", descending=True).row(0, named=True)
    faster = table.filter(pl.col("speed_up") > 1)
    slower = table.filter(pl.col("speed_up") <= 1)
    line = (
        f"- Time, {heading}: best {number(best['speed_up'])} times ({best['dataset']}), geometric mean "
        f"{number(geometric_mean(ratios))} over {len(ratios)} data sets."
    )
    if slower.height and faster.height:
        line += f" It pays on {_listed(faster['dataset'])}; elsewhere screening takes longer than the tests it saves."
    elif slower.height:
        line += " It pays nowhere: screening takes longer than the tests it saves."
    return line
