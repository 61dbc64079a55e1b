"""Run cells, some at a time, and keep what they measured."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from arrow_cd.bench.account import close_account, open_account
from arrow_cd.bench.cells import Cell
from arrow_cd.bench.process import Processes, Rows
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_count

ROWS = "rows.jsonl"
"""One line a run of a member; a cell that failed or ran out of time has a line that says so."""

MEMORY = 6 << 30
"""Bytes that a process may take by default."""

# Seconds between looks for Ctrl-C. A wait without end may go on after the signal: the handler that polars puts before
# Python's has the system restart it.
_LOOK = 0.1


def run_benchmark(
    cells: Sequence[Cell],
    folder: str | os.PathLike[str],
    *,
    budget: float = 600.0,
    memory: int = MEMORY,
    jobs: int = 1,
    resume: bool = False,
    progress: Callable[[int, int, Cell, float], object] | None = None,
) -> Path:
    """Run cells and keep their rows in ``rows.jsonl`` in `folder`, in the order of the cells.

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
    jobs
        Cells at a time, of one thread each. They slow each other down a little: times are best compared within a run.
    resume
        Go on where an earlier run into the same folder ended; cells that it has rows of are not run again.
    progress
        Called before every cell with the number of cells begun, of all, the cell, and the estimated seconds left.

    Returns
    -------
    Path
        The file of rows.

    Raises
    ------
    InvalidDataError
        The folder can't be made, or it holds results already and `resume` is not set, or they are of another version or
        commit.
    KeyboardInterrupt
        Ctrl-C; the rows of all cells that finished are kept.
    """
    check_count("jobs", jobs, 1)
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidDataError(f"{folder}: can't write there ({error.strerror or error})") from error
    rows = folder / ROWS
    done = _finished(rows, resume)
    account = open_account(folder, {"budget": budget, "memory": memory, "jobs": jobs, "cells": len(cells)}, resume)
    began = time.perf_counter()
    try:
        _run_all(
            [cell for cell in cells if cell not in done],
            rows,
            Processes(budget, memory, account["commit"]),
            jobs,
            progress,
        )
    finally:
        if rows.exists():
            _sort(rows, cells)
        close_account(folder, account, time.perf_counter() - began)
    return rows


def _run_all(
    cells: Sequence[Cell],
    rows: Path,
    processes: Processes,
    jobs: int,
    progress: Callable[[int, int, Cell, float], object] | None,
) -> None:
    """Keep `jobs` cells running and append rows as cells finish."""
    began = time.perf_counter()
    running: set[Future[Rows]] = set()
    finished = 0
    queue = iter(enumerate(cells))
    with ThreadPoolExecutor(jobs) as pool, rows.open("a", encoding="utf-8") as file:
        try:
            while True:
                while len(running) < jobs and (following := next(queue, None)):
                    count, cell = following
                    if progress is not None:
                        spent = time.perf_counter() - began
                        left = spent / finished * (len(cells) - finished) if finished else float("nan")
                        progress(count, len(cells), cell, left)
                    running.add(pool.submit(processes.run, cell))
                if not running:
                    return
                for future in wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED).done:
                    running.remove(future)
                    file.writelines(json.dumps(row) + "\n" for row in future.result())
                    file.flush()
                    finished += 1
        except BaseException:
            processes.kill()
            raise


def read_records(rows: Path) -> Rows:
    """Return the lines of a file of rows."""
    return [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]


def records_of(folder: str | Path) -> Rows:
    """Return the rows of a run.

    Raises
    ------
    InvalidDataError
        The folder holds no run.
    """
    path = Path(folder) / ROWS
    if not path.exists():
        raise InvalidDataError(f"{folder} holds no benchmark: there is no {ROWS}")
    return read_records(path)


def cell_of(record: dict[str, Any]) -> Cell:
    """Return the cell that a row is of."""
    return Cell(**{name: record[name] for name in Cell.__dataclass_fields__ if name in record})


def _finished(rows: Path, resume: bool) -> set[Cell]:
    if not rows.exists():
        return set()
    if not resume:
        raise InvalidDataError(f"{rows.parent} holds results already: give another folder, or go on with --resume")
    return {cell_of(record) for record in read_records(rows)}


def _sort(rows: Path, cells: Sequence[Cell]) -> None:
    """Put rows in the order of the cells, whatever order they finished in."""
    order = {cell: at for at, cell in enumerate(cells)}
    records = sorted(read_records(rows), key=lambda record: order.get(cell_of(record), -1))
    sorted_rows = rows.with_suffix(".sorted")
    sorted_rows.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    sorted_rows.replace(rows)
