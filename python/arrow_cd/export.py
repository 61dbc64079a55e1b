"""Results to files and back: JSON holds everything, the other formats hold the links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arrow_cd.errors import InvalidDataError
from arrow_cd.json_form import from_json, to_json
from arrow_cd.result import CausalResult


def to_csv(result: CausalResult) -> str:
    """Return the links as CSV; an empty field was not tested."""
    return result.links().write_csv()


def to_graphml(result: CausalResult) -> str:
    """Return the graph as GraphML."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(result.to_networkx())) + "\n"


def to_dot(result: CausalResult) -> str:
    """Return the graph in Graphviz's language: lag and value label an edge, dashes leave its direction open."""
    lines = ["digraph {", *(f"  {_quoted(name)};" for name in result.var_names)]
    for row in result.links(significant_only=True).iter_rows(named=True):
        label = f"lag {row['tau']}" + ("" if row["val"] is None else f", {row['val']:.3g}")
        open_ended = "" if row["mark"] == "-->" else f', dir=none, style=dashed, comment="{row["mark"]}"'
        lines.append(f'  {_quoted(row["source"])} -> {_quoted(row["target"])} [label="{label}"{open_ended}];')
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


TEXT_FORMATS: dict[str, Callable[[CausalResult], str]] = {
    "json": to_json,
    "csv": to_csv,
    "graphml": to_graphml,
    "dot": to_dot,
}
FORMATS = (*TEXT_FORMATS, "parquet")
READABLE = ("json",)


def format_of(path: str | Path, format: str | None = None) -> str:
    """Return the format to write `path` in.

    Raises
    ------
    InvalidDataError
        Neither `format` nor the suffix names a known one.
    """
    name = format or Path(path).suffix.removeprefix(".").lower()
    if name not in FORMATS:
        raise InvalidDataError(f"{path}: can't write {name or 'no suffix'!r}; formats are {', '.join(FORMATS)}")
    return name


def write(result: CausalResult, path: str | Path, format: str | None = None) -> Path:
    """Write a result to a file and return its path.

    Parameters
    ----------
    path
        Where to; an existing file is replaced.
    format
        "json" (everything), "csv" or "parquet" (the links), "graphml" or "dot" (the graph); by default the suffix.

    Raises
    ------
    InvalidDataError
        Unknown format, or the file can't be written.
    """
    name = format_of(path, format)
    path = Path(path)
    try:
        if name == "parquet":
            result.links().write_parquet(path)
        else:
            path.write_text(TEXT_FORMATS[name](result), encoding="utf-8")
    except OSError as error:
        raise InvalidDataError(f"{path}: can't be written: {error.strerror or error}") from error
    except ValueError as error:  # a path with a NUL in it
        raise InvalidDataError(f"{str(path)!r}: can't be written: {error}") from error
    return path


def read(path: str | Path) -> CausalResult:
    """Read a result that `write` wrote as JSON.

    Raises
    ------
    InvalidDataError
        Another format (a table of links is not a whole result), or not a result.
    """
    path = Path(path)
    name = path.suffix.removeprefix(".").lower()
    if name not in READABLE:
        raise InvalidDataError(
            f"{path}: {name or 'no suffix'!r} is not a whole result; read() takes {', '.join(READABLE)}"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # not there, not UTF-8, or a path with a NUL in it
        raise InvalidDataError(f"{str(path)!r}: can't be read: {error}") from error
    try:
        return from_json(text)
    except InvalidDataError as error:
        raise InvalidDataError(f"{path}: {error}") from error
