"""Every method with and without the screen, and libraries beside the native engine."""

from __future__ import annotations

import math

import polars as pl

from arrow_cd.bench.markdown import number
from arrow_cd.bench.results import (
    MARGIN,
    SCREEN,
    TOLERANCE,
    compared,
    geometric_mean,
    interval,
    largest,
    mean,
    screened_against_plain,
    verdict,
    ways,
)
from arrow_cd.bench.sections import Section


def families_section(scores: pl.DataFrame) -> Section | None:
    """Return screened against plain for each method and engine; None if nothing was run both ways."""
    header = [
        *("method", "engine", "data sets", "higher", "equal", "lower", "mean change of F1", "95 % interval"),
        *("not worse", "s: plain", "s: screened", "times faster", "best", "tests or fits: plain", "screened", "fewer"),
    ]
    lines = []
    for method, engine in scores.select("method", "engine").unique(maintain_order=True).rows():
        pairs = screened_against_plain(scores, method, engine, engine)
        if pairs.height:
            lines.append([method, engine, *_family(pairs)])
    text = (
        f"Screen `{SCREEN}` against all links, paired: the same members and seeds, then data sets. Higher and lower by "
        f'more than {TOLERANCE:g}; the interval (Student t) is over data sets with F1, and "not worse" says that its '
        f"lower end is above {MARGIN:g}. Seconds and tests are means over data sets, factors geometric means."
    )
    return Section("Every family, screened against plain", text, header, lines) if lines else None


def _family(pairs: pl.DataFrame) -> list[str]:
    said = [verdict(change) for change in pairs["change"]]
    changes = pairs.filter(pl.col("judged") != "false links")["change"].to_numpy()
    middle, low, high = interval(changes)
    known = not math.isnan(low)
    return [
        str(len(said)),
        *(str(said.count(word)) for word in ("higher", "equal", "lower")),
        number(middle, "+.3f"),
        f"{low:+.3f} to {high:+.3f}" if known else "",
        ("yes" if low > MARGIN else "no") if known else "",
        *(number(mean(pairs[name])) for name in ("plain_wall", "wall")),
        number(geometric_mean(pairs["speed_up"])),
        number(largest(pairs["speed_up"])),
        *(number(mean(pairs[name]), ",.0f") for name in ("plain_tests", "tests")),
        number(geometric_mean(pairs["fewer_tests"])),
    ]


def libraries_section(scores: pl.DataFrame) -> Section | None:
    """Return libraries beside the native engine, both on all links; None if no method was run by both."""
    header = [
        *("method", "library", "data sets", "F1: library", "F1: native", "mean difference", "largest"),
        *("s: library", "s: native", "times faster", "best", "data set of the best"),
    ]
    lines = []
    for method, engine in scores.select("method", "engine").unique(maintain_order=True).rows():
        native = ways(scores, method, "native", "none")
        pairs = compared(native, ways(scores, method, engine, "none"))
        if engine != "native" and pairs.height:
            f1 = pairs.filter(pl.col("judged") != "false links")
            best = pairs.sort("speed_up", descending=True).row(0, named=True)
            lines.append(
                [
                    *(method, engine, str(pairs.height)),
                    *(number(mean(f1[name]), ".3f") for name in ("plain_score", "score")),
                    number(mean(f1["change"]), "+.3f"),
                    number(largest(f1["change"].abs()), ".3f"),
                    *(number(mean(pairs[name])) for name in ("plain_wall", "wall")),
                    number(geometric_mean(pairs["speed_up"])),
                    number(best["speed_up"]),
                    best["dataset"],
                ]
            )
    text = "The same method on all links by a library and by the native engine, on the same members and seeds."
    return Section("Libraries beside the native engine", text, header, lines) if lines else None
