"""Tables on standard output: for people, or as CSV, JSON or Parquet."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    import polars as pl

# Rich would cut a table at 80 columns where there is no terminal.
_UNCUT = 10_000


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
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, dtype in frame.schema.items():
        table.add_column(name, justify="right" if dtype.is_numeric() else "left", no_wrap=True)
    for row in frame.iter_rows():
        table.add_row(*(_shown(value) for value in row))
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else _UNCUT)
    console.print(table)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
