"""PCMCI on every data set: plain and screened, by tigramite and by the native engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from arrow_cd.bench.markdown import ENDED, number
from arrow_cd.bench.results import SCREEN, TOLERANCE, geometric_mean, mean, means, screened_against_plain, verdict, ways
from arrow_cd.bench.sections import Section

METHOD = "pcmci"

_ENGINES = ("native", "tigramite")

SPEED_UPS = {
    "tigramite plain / tigramite screened": ("tigramite", "tigramite"),
    "tigramite plain / native screened": ("native", "tigramite"),
    "native plain / native screened": ("native", "native"),
}
"""Heading: engine of the screened run, engine of the plain one."""

_DATA = ["data set", "N", "T", "tau_max"]
_ACCURACY = ["judged by", "plain", "screened", "change", "spread", "verdict", "recall of screen", "kept a target"]
_TIME = [
    *("tests: plain", "tests: screened"),
    *("s: tigramite plain", "s: tigramite screened", "s: native plain", "s: native screened"),
    *SPEED_UPS,
]


def pcmci_sections(scores: pl.DataFrame, ended: pl.DataFrame) -> list[Section]:
    """Return accuracy and time by data set with their totals; nothing if no PCMCI was run with and without the screen.

    Scores, tests and recall are the native engine's where it ran, else tigramite's; they find the same links.
    """
    rows, ended = (frame.filter(pl.col("method") == METHOD) for frame in (scores, ended))
    by_engine = [screened_against_plain(rows, METHOD, name, name) for name in _ENGINES]
    pairs = pl.concat(by_engine).unique("dataset", keep="first", maintain_order=True)
    if pairs.is_empty():
        return []
    speeds = {
        heading: screened_against_plain(rows, METHOD, screened, plain)
        for heading, (screened, plain) in SPEED_UPS.items()
    }
    sizes = list(means(rows).unique("dataset", keep="first", maintain_order=True).iter_rows(named=True))
    accuracy = [[*_data(size), *_accuracy(size, _row(pairs, size["dataset"]))] for size in sizes]
    time = [[*_data(size), *_time(size["dataset"], pairs, speeds, rows, ended)] for size in sizes]
    heading = f"PCMCI on {len(sizes)} data sets"
    return [
        Section(f"{heading}: accuracy", _ACCURACY_TEXT, [*_DATA, *_ACCURACY], accuracy, after=_verdicts(pairs)),
        Section(f"{heading}: time", _TIME_TEXT, [*_DATA, *_TIME], time, after=_speeds(speeds)),
    ]


_ACCURACY_TEXT = (
    f"The default screen, `{SCREEN}`, in front of PCMCI. Scores are F1 of links with their exact lag where the truth "
    "has lags, else of the summary graph; numbers of false links where no link is true. Links of a series to itself "
    "are left out. Change and spread (standard deviation) are of paired differences over seeds or members; higher and "
    f"lower mean by more than {TOLERANCE:g}. Recall is the share of true links that the screen kept."
)
_TIME_TEXT = (
    "Seconds are means of a member, screen included, one thread. The last three columns say how many times faster, on "
    'the same members and seeds. "ended": see the last table.'
)


def _data(size: dict[str, Any]) -> list[str]:
    return [size["dataset"], *(_range(size, column) for column in ("N", "T", "tau_max"))]


def _accuracy(size: dict[str, Any], pair: dict[str, Any]) -> list[str]:
    sign = -1 if size["judged"] == "false links" else 1
    scores = (None if pair.get(key) is None else sign * pair[key] for key in ("plain_score", "score"))
    return [
        size["judged"],
        *(number(score, ".3f") for score in scores),
        number(None if pair.get("change") is None else sign * pair["change"], "+.3f"),
        number(pair.get("spread"), ".3f"),
        _verdict(pair, sign),
        number(pair.get("screen_recall"), ".2f"),
        number(pair.get("candidates"), ".1f"),
    ]


def _time(
    name: str, pairs: pl.DataFrame, speeds: dict[str, pl.DataFrame], rows: pl.DataFrame, ended: pl.DataFrame
) -> list[str]:
    return [
        *(number(_row(pairs, name).get(key), ",.0f") for key in ("plain_tests", "tests")),
        *(_seconds(rows, ended, name, engine, way) for engine in ("tigramite", "native") for way in ("none", SCREEN)),
        *(number(_row(table, name).get("speed_up")) for table in speeds.values()),
    ]


def _verdict(pair: dict[str, Any], sign: int) -> str:
    if not pair:
        return ""
    said = verdict(pair["change"])
    return said if sign > 0 else {"higher": "fewer", "lower": "more"}.get(said, said)


def _row(table: pl.DataFrame, name: str) -> dict[str, Any]:
    """The row of a data set; empty if there is none."""
    found = table.filter(pl.col("dataset") == name)
    return found.row(0, named=True) if found.height else {}


def _range(size: dict[str, Any], column: str) -> str:
    low, high = size[column], size[f"{column}_max"]
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _seconds(rows: pl.DataFrame, ended: pl.DataFrame, name: str, engine: str, screen: str) -> str:
    done, stopped = (ways(frame.filter(pl.col("dataset") == name), METHOD, engine, screen) for frame in (rows, ended))
    return number(mean(done["wall"])) if done.height else ENDED if stopped.height else ""


def _verdicts(pairs: pl.DataFrame) -> str:
    said = [verdict(change) for change in pairs["change"]]
    f1 = pairs.filter(pl.col("judged") != "false links")["change"]
    change = f" Mean change of F1: {number(mean(f1), '+.3f')} (n = {len(f1)})." if len(f1) else ""
    higher, lower = (said.count(word) for word in ("higher", "lower"))
    return (
        f"Not lower on {len(said) - lower} of {len(said)} data sets, higher on {higher}, lower on {lower} "
        f"({_names(pairs, said, 'lower')}); fewer false links count as higher.{change}"
    )


def _speeds(speeds: dict[str, pl.DataFrame]) -> str:
    return "\n".join(_speed(heading, table) for heading, table in speeds.items() if table.height)


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
        f"- {heading}: best {number(best['speed_up'])} times ({best['dataset']}), geometric mean "
        f"{number(geometric_mean(ratios))} (n = {len(ratios)})."
    )
    if slower.height and faster.height:
        line += f" It pays on {_listed(faster['dataset'])}; elsewhere screening takes longer than the tests it saves."
    elif slower.height:
        line += " It pays nowhere: screening takes longer than the tests it saves."
    return line
