"""Delimited text to a table of strings: encoding, line ends, separator, shape, header row."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.header import is_header
from arrow_cd.data.source import Source
from arrow_cd.data.tables import Table
from arrow_cd.errors import InvalidDataError

# Where two are equally frequent the first wins: with a decimal comma, the semicolon separates.
_SEPARATORS = (";", "\t", ",")
# Rows below the first one that are compared with it to tell a header from data.
_HEADER_SAMPLE = 200


@dataclass(frozen=True)
class _Grid:
    """Records of equal width: cells as strings (null = empty), the 1-based line on which each record starts, and the
    records that follow a blank line.
    """

    frame: pl.DataFrame
    lines: NDArray[np.int64]
    breaks: list[int]


def parse_delimited(data: bytes, name: str, header: bool | None) -> Table:
    """Split text into columns of strings.

    Parameters
    ----------
    data : bytes
        UTF-8 with any of the three line ends; separated by commas, tabs or semicolons. A blank line between rows ends
        a data set (except in a file of one column, where it is a missing value).
    name : str
        What messages call it.
    header : bool, optional
        Whether the first line holds names; if None, decided by comparing it with the lines below.
    """
    text = _normalise(data, name)
    unquoted = re.sub(rb'"[^"\n]*"', b"", text.lstrip(b"\n").partition(b"\n")[0])
    separator = max(_SEPARATORS, key=lambda mark: unquoted.count(mark.encode()))
    grid = _quoted_grid(text, separator, name) if b'"' in text else _plain_grid(text, separator, name)

    first = [cell or "" for cell in grid.frame.row(0)]
    named = is_header(first, grid.frame[1 : _HEADER_SAMPLE + 1]) if header is None else header
    notes: tuple[str, ...] = ()
    if named:
        columns, unnamed = _column_names(first, f"{name}, line {grid.lines[0]}")
        if header is None and all(cell.isdecimal() for cell in first if cell):
            notes = ("the first line holds whole numbers above other values and is taken as the header",)
        grid = _Grid(grid.frame[1:], grid.lines[1:], [row - 1 for row in grid.breaks])
    else:
        columns, unnamed = [f"X{k}" for k in range(len(first))], set()
        if header is None:
            notes = (f"no header line found: columns are named X0 to X{len(first) - 1}",)
    breaks = tuple(row for row in grid.breaks if row > 0)
    if breaks:
        notes += (f"blank lines divide the rows into {len(breaks) + 1} data sets; no lag reaches across them",)
    frame = grid.frame.rename(dict(zip(grid.frame.columns, columns, strict=True)))
    return Table(Source(name, grid.lines), frame, frozenset(unnamed), breaks, notes=notes)


def _normalise(data: bytes, name: str) -> bytes:
    """UTF-8 without byte-order mark, lines ended by newlines only, none at the end."""
    if b"\0" in data:
        raise InvalidDataError(f"{name}: is a binary file; expected UTF-8 text (CSV or TSV) or .parquet")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidDataError(
            f"{name}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8; expected UTF-8 text (CSV or TSV)"
        ) from error
    data = data.rstrip(b"\n ")
    if not data.strip():
        raise InvalidDataError(f"{name} is empty; expected a table with one row per time step")
    return data


def _plain_grid(text: bytes, separator: str, name: str) -> _Grid:
    """Records of a text without quotes."""
    characters = np.frombuffer(text, np.uint8)
    ends = np.append(np.flatnonzero(characters == ord("\n")), len(text))
    marks = np.flatnonzero(characters == ord(separator))
    fields = np.diff(np.searchsorted(marks, ends), prepend=0) + 1
    blank = np.diff(ends, prepend=-1) == 1
    width = int(fields[~blank][0])
    # In a single column an empty line is an empty cell.
    kept = np.flatnonzero(~blank) if width > 1 else np.arange(len(ends))
    kept = kept[np.argmin(blank[kept]) :]
    lines = kept + 1
    _check_widths(fields[kept], lines, name)
    if len(kept) < len(ends):
        rows = text.split(b"\n")
        text = b"\n".join([rows[k] for k in kept])
    schema = {f"column_{k + 1}": pl.String for k in range(width)}
    try:
        frame = pl.read_csv(io.BytesIO(text), has_header=False, schema=schema, separator=separator, quote_char=None)
    except pl.exceptions.PolarsError as error:
        raise InvalidDataError(f"{name}: cannot be read as a table: {str(error).splitlines()[0]}") from error
    return _Grid(frame, lines, (np.flatnonzero(np.diff(lines) > 1) + 1).tolist())


def _quoted_grid(text: bytes, separator: str, name: str) -> _Grid:
    """Records of a text with quoted cells, which may hold separators and line ends."""
    records: list[list[str]] = []
    lines: list[int] = []
    breaks: list[int] = []
    reader = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator, strict=True)
    line, blank = 1, False
    try:
        for record in reader:
            if record:
                if blank and records:
                    breaks.append(len(records))
                records.append(record)
                lines.append(line)
            blank = not record
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidDataError(f"{name}, line {line}: cannot be read as a table: {error}") from error
    starts = np.array(lines, dtype=np.int64)
    _check_widths(np.array([len(record) for record in records]), starts, name)
    columns = zip(*records, strict=True)
    cells = {f"column_{k + 1}": pl.Series(column, dtype=pl.String) for k, column in enumerate(columns)}
    return _Grid(pl.DataFrame(cells).with_columns(pl.all().replace("", None)), starts, breaks)


def _check_widths(fields: NDArray[np.intp], lines: NDArray[np.int64], name: str) -> None:
    ragged = np.flatnonzero(fields != fields[0])
    if len(ragged):
        at = int(ragged[0])
        raise InvalidDataError(
            f"{name}, line {lines[at]}: {fields[at]} fields, but line {lines[0]} has {fields[0]}; "
            "expected the same number on every line"
        )


def _column_names(cells: list[str], where: str) -> tuple[list[str], set[str]]:
    """Names of a header, made-up ones for empty cells, and which those are."""
    names = [cell.strip() for cell in cells]
    unnamed = {k: f"column_{k + 1}" for k, name in enumerate(names) if not name}
    names = [unnamed.get(k, name) for k, name in enumerate(names)]
    repeated = [name for k, name in enumerate(names) if name in names[:k]] if len(set(names)) < len(names) else []
    if repeated:
        raise InvalidDataError(f"{where}: duplicated column name {repeated[0]!r}; every name must be unique")
    return names, set(unnamed.values())
