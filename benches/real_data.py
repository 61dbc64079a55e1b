"""`arrow-cd discover` on public data with known graphs: seconds, tests run and avoided, F1 of the summary graph.

Each case is run through the command line, as a user would, once with the screen and once without (`--mode exact`).
The files are read from `ARROW_CD_DATA`, else from ../shared/data beside the project.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arrow_cd import read, score
from results_page import provenance, table, write_section

DATA = Path(os.environ.get("ARROW_CD_DATA") or Path(__file__).parents[2] / "shared" / "data")


def web_activity() -> list[tuple[str, str]]:
    """Pairs (cause, effect), one a line."""
    lines = (DATA / "it_monitoring/Web_Activity/structure.txt").read_text().split("\n")
    return [(pair[0], pair[1]) for line in lines if len(pair := line.split()) == 2]


def flood() -> list[tuple[int, int]]:
    """A matrix [effect, cause]."""
    matrix = np.load(DATA / "causalrivers_flood/summary_matrix.npy")
    return [(int(cause), int(effect)) for effect, cause in np.argwhere(matrix) if cause != effect]


def finance() -> list[tuple[int, int]]:
    """Triples cause,effect,lag; lines end in a bare carriage return."""
    lines = (DATA / "tcdf_finance/random-rels_20_1_3.csv").read_text().split()
    return [(int(cause), int(effect)) for cause, effect, _ in (line.split(",") for line in lines)]


@dataclass(frozen=True)
class Case:
    """A file, its largest lag in samples and its true pairs."""

    name: str
    path: str
    tau_max: int
    truth: Any


CASES = [
    Case("Web_Activity", "it_monitoring/Web_Activity/preprocessed_1.csv", 10, web_activity),
    Case("flood", "causalrivers_flood/rivers_ts_flood_preprocessed.csv", 8, flood),
    Case("finance", "tcdf_finance/random-rels_20_1_3_returns30007000_header.csv", 5, finance),
]


def run(case: Case, mode: str, output: Path) -> list[str]:
    """One table row: what the command needed and how close its graph is."""
    command = [sys.executable, "-m", "arrow_cd", "discover", str(DATA / case.path), "--tau-max", str(case.tau_max)]
    began = time.perf_counter()
    subprocess.run([*command, "--mode", mode, "--output", str(output), "-q"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    result = read(output)
    summary = score(result, case.truth()).summary
    tests = result.screening.tests_run if result.screening else None
    avoided = result.screening.tests_avoided if result.screening else 0
    inside = json.loads(output.read_text())["timings"]
    return [
        case.name,
        f"{result.n_samples} x {len(result.var_names)}",
        str(case.tau_max),
        "screened" if mode == "screen" else "plain",
        f"{seconds:.2f}",
        f"{inside['total']:.2f}",
        str(tests),
        str(avoided),
        f"{summary.precision:.3f}",
        f"{summary.recall:.3f}",
        f"{summary.f1:.3f}",
    ]


def main() -> None:
    """Run all cases and write their section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [run(case, mode, Path(folder) / "result.json") for case in CASES for mode in ("screen", "exact")]
    header = ["data", "rows x series", "tau_max", "run", "s, whole command", "s, analysis", "CI tests", "avoided"]
    text = table([*header, "precision", "recall", "F1 summary"], rows)
    print(text)
    write_section("Public data through the command line", f"{provenance('tigramite')}\n{text}")


if __name__ == "__main__":
    main()
