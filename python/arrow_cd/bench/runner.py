"""Run cells, each in a process of its own with a limit on time and memory, and keep what they measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from arrow_cd.bench.cells import Cell
from arrow_cd.errors import InvalidDataError
from arrow_cd.versions import library_version, versions

ROWS = "rows.jsonl"
"""One line a run of a member; a cell that failed or ran out of time has a line that says so."""

MEMORY = 6 << 30
"""Bytes that a process may take by default."""

_LIBRARIES = ("scipy", "polars", "tigramite", "causal-learn", "statsmodels", "antecedent")


def run_benchmark(
    cells: Sequence[Cell],
    folder: str | os.PathLike[str],
    *,
    budget: float = 600.0,
    memory: int = MEMORY,
    resume: bool = False,
    progress: Callable[[int, int, Cell, float], object] | None = None,
) -> Path:
    """Run cells one after the other and append their rows to ``rows.jsonl`` in `folder`.

    Parameters
    ----------
    cells
        What to run; see `plan_cells`.
    folder
        Where results go; made if it doesn't exist.
    budget
        Seconds a cell may take, all members of its data set together. A cell that takes longer is ended and is a row
        with status "timeout", beside the members it finished.
    memory
        Bytes a cell's process may take.
    resume
        Go on where an earlier run into the same folder ended; cells that it has rows of are not run again.
    progress
        Called before every cell with the number of cells done, of all, the cell, and the estimated seconds left.

    Returns
    -------
    Path
        The file of rows.

    Raises
    ------
    InvalidDataError
        The folder holds results already and `resume` is not set, or they are of another version.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = folder / ROWS
    done = _finished(rows, resume)
    _write_account(folder, cells, budget, memory, resume)
    waiting = [cell for cell in cells if cell not in done]
    began = time.perf_counter()
    with rows.open("a", encoding="utf-8") as file:
        for count, cell in enumerate(waiting):
            if progress is not None:
                spent = time.perf_counter() - began
                progress(count, len(waiting), cell, spent / count * (len(waiting) - count) if count else float("nan"))
            for row in _run(cell, budget, memory):
                file.write(json.dumps({**cell.as_dict(), **row}) + "\n")
            file.flush()
    return rows


def _run(cell: Cell, budget: float, memory: int) -> list[dict[str, Any]]:
    """Rows of one cell: its members, and one more with why it ended if that was not as planned."""
    request = json.dumps({"cell": cell.as_dict(), "memory": memory})
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with subprocess.Popen(
        [sys.executable, "-m", "arrow_cd.bench.work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **threads},
    ) as process:
        try:
            out, err = process.communicate(request, timeout=budget)
            ended = (
                None if process.returncode == 0 else {"status": "failed", "why": _last_line(err, process.returncode)}
            )
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            ended = {"status": "timeout", "why": f"more than {budget:g} s"}
        except KeyboardInterrupt:
            process.kill()
            raise
    rows = [{"status": "ok", **json.loads(line)} for line in out.splitlines() if line.startswith("{")]
    return rows + ([ended] if ended else [])


def _last_line(err: str, code: int) -> str:
    lines = [line for line in err.splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"ended with code {code}"


def _finished(rows: Path, resume: bool) -> set[Cell]:
    if not rows.exists():
        return set()
    if not resume:
        raise InvalidDataError(f"{rows.parent} holds results already: give another folder, or go on with --resume")
    names = Cell.__dataclass_fields__
    records = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    return {Cell(**{name: record[name] for name in names}) for record in records}


def _write_account(folder: Path, cells: Sequence[Cell], budget: float, memory: int, resume: bool) -> None:
    """Say once what the run is: versions, limits, machine."""
    path = folder / "run.json"
    account: dict[str, Any] = {
        "versions": versions(*_LIBRARIES),
        "budget": budget,
        "memory": memory,
        "cores": os.cpu_count(),
        "platform": sys.platform,
        "cells": len(cells),
    }
    if resume and path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        for name in ("arrow_cd", *_LIBRARIES):
            if before["versions"].get(name) != account["versions"].get(name):
                raise InvalidDataError(
                    f"{folder} was begun with {name} {before['versions'].get(name)}, this is {library_version(name)}: "
                    "results of different versions are not mixed; give another folder"
                )
    path.write_text(json.dumps(account, indent=1) + "\n", encoding="utf-8")
