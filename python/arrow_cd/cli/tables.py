"""Tables on standard output: for people, or as CSV, JSON or Parquet."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    import polars as pl


def print_frame(frame: pl.DataFrame, format: str = "table") -> None:
    """Print a frame in the format given."""
    if format == "table":
        _print_table(frame)
    elif format == "csv":
        sys.stdout.write(frame.write_csv())
    elif format == "json":
        sys.stdout.write(frame.write_json() + "\n")
    else:
        print_parquet(frame)


def print_parquet(frame: pl.DataFrame) -> None:
    """Write a frame as Parquet to standard output, unless that is a terminal."""
    if sys.stdout.isatty():
        raise InvalidDataError("--format parquet: binary data on a terminal; redirect it to a file, or use --output")
    # Not straight to the pipe: polars does not tell a reader that left early from a broken file.
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    sys.stdout.buffer.write(buffer.getvalue())


def _print_table(frame: pl.DataFrame) -> None:
    """Columns as wide as their widest cell, numbers to the right; rich would take milliseconds for every row."""
    columns = []
    for series in frame:
        cells = [series.name, *map(_shown, series.to_list())]
        width = max(map(len, cells))
        columns.append([f"{cell:{'>' if series.dtype.is_numeric() else '<'}{width}}" for cell in cells])
    header, *rows = ("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))
    rule = "  ".join("─" * len(cells[0]) for cells in columns)
    sys.stdout.write("\n".join([header, rule, *rows]) + "\n")


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
