"""Order and regularity of the time axis: disorder is an error, holes are filled with missing rows, all said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.data.assemble import Block
from arrow_cd.errors import InvalidDataError

# Steps within this share of a whole number of usual steps count as regular (clocks jitter).
_JITTER = 0.05
# Holes are filled if that adds at most this share of rows; otherwise, if there are few, each ends a data set.
_FILLED = 0.1
_FEW_HOLES = 0.01


def check_time(blocks: list[Block]) -> tuple[list[Block], list[str]]:
    """Check that time increases in every data set and make lags mean the same everywhere.

    Missing rows of a regular axis are inserted as missing values where they are few; a few long holes divide a data
    set; on an irregular axis rows stay as they are, and a lag counts rows.

    Returns
    -------
    blocks : list of Block
    notes : list of str
        What was found and done, the first example of each kind.

    Raises
    ------
    InvalidDataError
        Naming the first row whose time repeats or precedes the one before it.
    """
    checked: list[Block] = []
    found: dict[str, list[str]] = {}
    steps = []
    for block in blocks:
        if block.time is None or len(block.time) < 2:
            checked.append(block)
            continue
        _check_order(block)
        checked += _regular(block, found)
        steps.append(float(np.median(np.diff(_calendar(block.time)).astype(np.float64))))
    notes = [
        f"{where[0]}{f' (and {len(where) - 1} more data sets)' if len(where) > 1 else ''}; {done}"
        for done, where in found.items()
    ]
    if steps and max(steps) > (1 + _JITTER) * min(steps):
        notes.append("the data sets are sampled at different intervals; lags count rows, not time")
    return checked, notes


def _check_order(block: Block) -> None:
    time = block.time
    assert time is not None
    wrong = np.flatnonzero(time[1:] <= time[:-1])
    if len(wrong):
        row = int(wrong[0]) + 1
        what = (
            "repeats the time"
            if time[row] == time[row - 1]
            else f"comes after {time[row - 1]} and has the earlier time"
        )
        raise InvalidDataError(
            f"{block.source.row(row)}: {what} {time[row]}; time must increase from row to row; "
            "if sites or patients are stacked, name their column (group_by)"
        )


def _regular(block: Block, found: dict[str, list[str]]) -> list[Block]:
    """The data set with its holes dealt with; what was done, and where, goes to `found`."""
    time = block.time
    assert time is not None
    positions = grid_positions(time)
    if positions is None:
        where = f"{block.source.name}: the time axis is irregular ({_steps(time)})"
        found.setdefault("lags count rows, not time", []).append(where)
        return [block]
    gaps = np.flatnonzero(np.diff(positions) > 1)
    absent = int(positions[-1]) + 1 - len(positions)
    if absent == 0:
        return [block]
    where = f"{block.source.name}: holes in the time axis: {len(gaps)}, the first after {time[gaps[0]]}; {absent} rows"
    if absent <= _FILLED * len(positions):
        found.setdefault("filled with missing values, so that lags keep their meaning", []).append(where)
        return [_filled(block, positions)]
    if len(gaps) <= max(1, _FEW_HOLES * len(positions)):
        found.setdefault("too long to fill: each hole ends a data set, no lag reaches across", []).append(where)
        return [_part(block, rows) for rows in np.split(np.arange(len(time)), gaps + 1)]
    found.setdefault("too many to fill: lags count rows, not time", []).append(f"{where} ({_steps(time)})")
    return [block]


def grid_positions(time: NDArray[Any]) -> NDArray[np.int64] | None:
    """Whole-number positions of increasing time stamps on a regular grid, from 0; None if they aren't on one."""
    steps = np.diff(_calendar(time)).astype(np.float64)
    unit = float(np.median(steps))
    counts = np.round(steps / unit)
    if (counts < 1).any() or (np.abs(steps / unit - counts) > _JITTER).any():
        return None
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _calendar(time: NDArray[Any]) -> NDArray[Any]:
    """Months, as whole numbers, if all stamps are the same moment of a month or all its last day; else `time`."""
    if time.dtype.kind != "M":
        return time
    months = time.astype("datetime64[M]")
    into = time - months.astype(time.dtype)
    days = into.astype("timedelta64[D]")
    clock = into - days.astype(into.dtype)
    last = (time.astype("datetime64[D]") + 1).astype("datetime64[M]") > months
    same_moment = bool((into == into[0]).all() or (last.all() and (clock == clock[0]).all()))
    return months.astype(np.int64) if same_moment and len(np.unique(months)) == len(time) else time


def _part(block: Block, rows: NDArray[np.intp]) -> Block:
    assert block.time is not None
    return Block(block.values[rows[0] : rows[-1] + 1], block.time[rows], block.source.part(rows))


def _filled(block: Block, positions: NDArray[np.int64]) -> Block:
    """Rows at their positions, missing rows between them with times interpolated."""
    assert block.time is not None
    rows = int(positions[-1]) + 1
    values = np.full((rows, block.values.shape[1]), np.nan)
    values[positions] = block.values
    numbers = np.interp(np.arange(rows), positions, block.time.astype(np.float64))
    time = numbers if block.time.dtype.kind != "M" else np.round(numbers).astype(np.int64).astype(block.time.dtype)
    time[positions] = block.time
    return Block(values, time, block.source)


def describe_time(time: NDArray[Any], segments: Sequence[tuple[int, int]]) -> str:
    """The axis in a few words: its step, or the spread of its steps, within data sets."""
    parts = [time[start:stop] for start, stop in segments if stop - start > 1]
    if not parts:
        return "one row per data set"
    grids = [grid_positions(part) for part in parts]
    steps = np.concatenate([np.diff(part) for part in parts])
    if any(grid is None for grid in grids):
        return f"irregular, {_spread(steps)}"
    holes = any(grid is not None and grid[-1] >= len(grid) for grid in grids)
    return f"regular{' with holes' if holes else ''}, {_spread(steps)}"


def _steps(time: NDArray[Any]) -> str:
    return _spread(np.diff(time))


def _spread(steps: NDArray[Any]) -> str:
    if steps.min() == steps.max():
        return "every " + _duration(steps[0]).removeprefix("1 ")
    middle = np.sort(steps)[len(steps) // 2]
    return f"steps from {_duration(steps.min())} to {_duration(steps.max())}, median {_duration(middle)}"


def _duration(step: Any) -> str:
    """A step in its largest unit of at least one."""
    if not isinstance(step, np.timedelta64):
        return f"{step:g}"
    seconds = step / np.timedelta64(1, "s")
    units = (("day", 86400.0), ("hour", 3600.0), ("minute", 60.0), ("second", 1.0))
    unit, size = next((known for known in units if seconds >= known[1]), units[-1])
    amount = f"{seconds / size:g}"
    return f"{amount} {unit}{'' if amount == '1' else 's'}"
