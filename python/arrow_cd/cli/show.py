"""A result on standard output and in files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from arrow_cd import export, plotting
from arrow_cd.cli.session import check_output, say
from arrow_cd.cli.tables import print_frame, print_parquet
from arrow_cd.errors import InvalidDataError
from arrow_cd.result import MARKS

if TYPE_CHECKING:
    from arrow_cd.result import CausalResult


def check_outputs(paths: Iterable[Path]) -> None:
    """Raise before the run if a file could not be written after it."""
    for path in paths:
        check_output(path)
        if _is_figure(path):
            plotting.require_matplotlib()
        elif path.suffix.lower().removeprefix(".") not in export.FORMATS:
            known = ", ".join((*export.FORMATS, *plotting.FORMATS))
            raise InvalidDataError(f"--output {path}: the suffix must be one of {known}")


def write_outputs(result: CausalResult, paths: Iterable[Path]) -> None:
    """Write a result to every path, in the format of its suffix."""
    for path in paths:
        if _is_figure(path):
            result.plot(path)
        else:
            result.write(path)


def _is_figure(path: Path) -> bool:
    return path.suffix.lower().removeprefix(".") in plotting.FORMATS


def print_result(result: CausalResult, format: str, *, every_tested: bool) -> None:
    """Print a result; a table shows the graph's links, or every tested one."""
    if format in export.TEXT_FORMATS:
        sys.stdout.write(export.TEXT_FORMATS[format](result))
    elif format == "parquet":
        print_parquet(result.links())
    else:
        links = result.links(significant_only=not every_tested)
        print_frame(result.source_tests(not every_tested) if result.decided_by == "pairs" else links)
        for mark in sorted(set(links["mark"].to_list())):
            print(f"{mark or 'blank':>5}  {MARKS[mark]}")


def _decision(result: CausalResult) -> str:
    """How the links were decided on, in short."""
    if result.p_validity == "none":
        return "no p-values"
    what = "pairs" if result.decided_by == "pairs" else "links"
    text = f"alpha {result.alpha:g}, fdr {result.fdr} over {result.family_size} {what}"
    return text + (", screened on the same data" if result.p_validity == "post-selection" else "")


def say_account(result: CausalResult, *, seconds: bool) -> None:
    """Say what was run, what was left out, and how long it, or every phase of it, took."""
    screening = result.screening
    if screening is not None:
        ran = ", ".join(f"{phase} {count}" for phase, count in screening.tests_by_phase.items())
        say(
            f"{result.method} ({result.engine}), screen {screening.config['strategy']}, "
            f"{result.N} columns, {result.n_samples} rows a test: "
            f"{screening.tests_run} tests run{f' ({ran})' if ran else ''}, "
            f"{screening.tests_avoided} links left out by the screen"
        )
    what, table = ("pairs", result.source_tests) if result.decided_by == "pairs" else ("links", result.links)
    found = table(significant_only=True).height
    say(f"{found} {what if found != 1 else what[:-1]} found in {result.timings['total']:.3g} s ({_decision(result)})")
    if what == "links" and result.val_unit:
        say(f"val: {result.val_unit}")
    if seconds:
        say("seconds: " + ", ".join(f"{phase} {spent:.3g}" for phase, spent in result.timings.items()))
