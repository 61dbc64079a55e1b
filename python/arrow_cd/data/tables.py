"""A table with named columns to data sets: which column is the time, which the group, which are the variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.assemble import Block, check_finite
from arrow_cd.data.cells import MissingMarkers, is_missing_text, to_floats
from arrow_cd.data.selection import Selection
from arrow_cd.data.source import Source
from arrow_cd.data.time_axis import check_time
from arrow_cd.data.time_stamps import is_index, looks_like_dates, looks_like_numbers, parse_time
from arrow_cd.errors import InvalidDataError


@dataclass(frozen=True)
class Table:
    """Columns as read.

    `unnamed` are the columns whose names are made up; `breaks` the rows at which a new data set begins; `index` a time
    axis that is no column.
    """

    source: Source
    frame: pl.DataFrame
    unnamed: frozenset[str] = frozenset()
    breaks: tuple[int, ...] = ()
    index: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()


def table_blocks(
    table: Table, selection: Selection, markers: MissingMarkers
) -> tuple[list[Block], list[str], list[str]]:
    """Data sets, variable names and notes of a table."""
    frame, source, notes = table.frame, table.source, list(table.notes)
    if not frame.height:
        raise InvalidDataError(f"{source.name} has no data rows")
    selection.check(frame.columns)
    data_sets = _data_sets(table, selection, markers, notes)
    time_name, spent = _time_column(table, selection, [rows for _, rows in data_sets])
    notes += _time_notes(time_name, spent, selection)
    taken = {*spent, *selection.drop, selection.group_by}
    names = [
        name for name in frame.columns if name not in taken and not _is_void(table, name, selection, markers, notes)
    ]
    if selection.columns is not None:
        names = list(selection.columns)
    if not names:
        raise InvalidDataError(
            f"{source.name} has no column left to analyse besides {', '.join(map(repr, frame.columns))}"
        )

    # One contiguous series after another, as the core reads them.
    values = np.stack([to_floats(frame[name], markers, source) for name in names])
    time = table.index if time_name is None else parse_time(frame[time_name], source)
    blocks = [
        Block(values[:, rows].T, None if time is None else time[rows], source.part(rows, label))
        for label, rows in data_sets
    ]
    check_finite(blocks, names)
    blocks, said = check_time(blocks)
    return blocks, names, notes + said


def _time_column(table: Table, selection: Selection, parts: list[NDArray[np.intp]]) -> tuple[str | None, list[str]]:
    """The time column, and all columns that are spent as time or index.

    Leading index columns are passed over until one holds dates: files often carry a row number before the time.
    """
    if selection.time_column is not None:
        return (selection.time_column, [selection.time_column]) if selection.time_column else (None, [])
    if table.index is not None:
        return None, []
    time_name: str | None = None
    spent: list[str] = []
    for name in table.frame.columns:
        if name in selection.drop or name == selection.group_by:
            continue
        if name in (selection.columns or ()):
            break
        column = table.frame[name]
        if looks_like_dates(column):
            return name, [*spent, name]
        # A second counter must be a plain row number: a variable may well rise from row to row.
        counts = is_index(column, parts, constant_step=bool(spent))
        if counts or (not spent and name in table.unnamed):
            time_name = name if counts or looks_like_numbers(column) else None
            spent.append(name)
        else:
            break
    return time_name, spent


def _time_notes(time_name: str | None, spent: list[str], selection: Selection) -> list[str]:
    notes = []
    others = [name for name in spent if name != time_name]
    if time_name is not None and selection.time_column is None:
        notes.append(f"column {time_name!r} is taken as the time axis")
    if others:
        notes.append(f"taken as row labels and left out: {', '.join(map(repr, others))}")
    return notes


def _is_void(table: Table, name: str, selection: Selection, markers: MissingMarkers, notes: list[str]) -> bool:
    """Whether a column without name has no value either (separators at the ends of lines); notes it."""
    if name not in table.unnamed or selection.columns is not None:
        return False
    if is_missing_text(table.frame[name].cast(pl.String), markers).all():
        notes.append(f"{name!r} has neither name nor values and is left out")
        return True
    raise InvalidDataError(f"{table.source.name}: {name!r} has values but no name in the header; name it or drop it")


def _data_sets(
    table: Table, selection: Selection, markers: MissingMarkers, notes: list[str]
) -> list[tuple[str, NDArray[np.intp]]]:
    """Label and row numbers of every data set."""
    if selection.group_by is None:
        parts = np.split(np.arange(table.frame.height), table.breaks)
        return [(f", data set {k + 1}" if len(parts) > 1 else "", rows) for k, rows in enumerate(parts)]
    keys = table.frame[selection.group_by].cast(pl.String)
    absent = is_missing_text(keys, markers).arg_true()
    if len(absent):
        where = table.source.cell(int(absent[0]), selection.group_by)
        raise InvalidDataError(f"{where}: no value; every row must name its group")
    groups = pl.DataFrame({"key": keys}).with_row_index("row").group_by("key", maintain_order=True).agg("row")
    notes.append(f"{groups.height} data sets by column {selection.group_by!r}; no lag reaches across them")
    return [(f", {selection.group_by}={key}", np.array(rows, dtype=np.intp)) for key, rows in groups.iter_rows()]
