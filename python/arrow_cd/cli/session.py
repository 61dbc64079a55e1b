"""How every command runs: messages to standard error, errors as one line, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

import typer

from arrow_cd.errors import ArrowCdError, InvalidDataError

if TYPE_CHECKING:
    from arrow_cd.data import TimeSeries

P = ParamSpec("P")
INTERRUPTED = 130


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn expected errors into one line on standard error and exit code 1, Ctrl-C into exit code 130."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (ArrowCdError, MemoryError) as error:
            say("error: " + (" ".join(str(error).split()) or "not enough memory"))
            raise typer.Exit(1) from error
        except KeyboardInterrupt as stop:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from stop

    return run


def say(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr)


def say_notes(notes: Iterable[str], quiet: bool) -> None:
    """Say what was noticed about the data."""
    for note in () if quiet else notes:
        say(f"note: {note}")


def read_series(
    data: Path,
    columns: list[str] | None,
    drop: list[str] | None,
    time_column: str | None,
    group_by: str | None,
    na: list[str] | None,
    header: bool | None,
    *,
    preprocess: str = "none",
    quiet: bool,
) -> TimeSeries:
    """Read the file as the options say, and say what was noticed."""
    from arrow_cd.data import as_time_series

    series = as_time_series(
        data,
        columns=_split(columns),
        drop=_split(drop),
        time_column=time_column,
        group_by=group_by,
        na=_split(na) or (),
        header=header,
        preprocess=preprocess,
    )
    say_notes(series.notes, quiet)
    return series


def _split(values: list[str] | None) -> list[str] | None:
    """Names given as ``--option a,b --option c``."""
    return None if values is None else [name for value in values for name in value.split(",")]


def show_progress(quiet: bool) -> bool:
    """Whether to show a progress bar: only to a person at a terminal."""
    return not quiet and sys.stderr.isatty()


def check_output(path: Path) -> None:
    """Raise now, and not after a long run, if a file can't be written to `path`."""
    if path.is_dir():
        raise InvalidDataError(f"--output {path}: is a directory; expected a file")
    if not path.parent.is_dir():
        raise InvalidDataError(f"--output {path}: there is no directory {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidDataError(f"--output {path}: no permission to write there")
