"""Results to files and back: JSON holds everything, the other formats hold the links."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.result import MARKS, CausalResult, Parents, Screening

SCHEMA_VERSION = 1

# Fields that JSON takes as they are.
_PLAIN = (
    *("complete", "method", "engine", "tau_min", "tau_max", "n_samples", "alpha", "fdr", "seed"),
    *("options", "versions", "timings"),
)
_TYPES: dict[str, Any] = {
    "complete": bool,
    **dict.fromkeys(("method", "engine", "fdr"), str),
    **dict.fromkeys(("tau_min", "tau_max", "n_samples", "seed"), int),
    "alpha": int | float,
    **dict.fromkeys(("options", "versions", "timings", "parents"), dict),
    **dict.fromkeys(("var_names", "notes", "links", "status"), list),
}


def to_json(result: CausalResult) -> str:
    """Return the whole result as JSON.

    Every entry that was tested or has a mark is a record of ``links``, lag 0 in both directions, with nulls where
    nothing was tested; ``status`` has one digit per lag for each [source][target]. So nothing is lost, and nothing that
    was not tested has a number.
    """
    names = result.var_names
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "kind": "arrow_cd result"}
    document |= {key: getattr(result, key) for key in _PLAIN}
    document["var_names"] = list(names)
    document["notes"] = list(result.notes)
    document["legend"] = {"marks": MARKS, "status": {str(int(code)): code.name.lower() for code in LinkStatus}}
    document["links"] = _records(result)
    document["parents"] = _named(result.parents, names)
    document["screening"] = _screening_document(result.screening, names)
    document["status"] = [["".join(map(str, pair)) for pair in row] for row in result.status.tolist()]
    return "{\n" + ",\n".join(f"{_dump(key)}: {_spread(value)}" for key, value in document.items()) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _spread(value: Any) -> str:
    """One item per line, so that a file with thousands of links can be read and compared line by line."""
    if isinstance(value, dict) and value:
        return "{\n" + ",\n".join(f"  {_dump(key)}: {_dump(item)}" for key, item in value.items()) + "\n}"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"  {_dump(item)}" for item in value) + "\n]"
    return _dump(value)


def _records(result: CausalResult) -> list[dict[str, Any]]:
    records = []
    for i, j, tau in np.argwhere(result.tested | (result.graph != "")).tolist():
        at = (i, j, tau)
        values = (result.val_matrix[at], result.p_matrix[at], result.q_matrix[at])
        val, p, q = (float(value) for value in values) if result.tested[at] else (None, None, None)
        link = {"source": result.var_names[i], "target": result.var_names[j], "tau": tau}
        records.append(link | {"mark": str(result.graph[at]), "val": val, "p": p, "q": q})
    return records


def _named(parents: Parents, names: tuple[str, ...]) -> dict[str, list[list[Any]]]:
    return {names[j]: [[names[i], int(lag)] for i, lag in found] for j, found in parents.items()}


def _screening_document(screening: Screening | None, names: tuple[str, ...]) -> dict[str, Any] | None:
    if screening is None:
        return None
    return vars(screening) | {"candidates": _named(screening.candidates, names)}


def from_json(text: str) -> CausalResult:
    """Return the result that `to_json` wrote.

    Raises
    ------
    InvalidDataError
        Not JSON, not a result of arrow_cd, or of a later schema.
    """
    try:
        document = json.loads(text)
        version = document["schema_version"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidDataError(f"not a result of arrow_cd: {error!r}") from error
    if version != SCHEMA_VERSION:
        raise InvalidDataError(f"schema_version {version}: this release reads version {SCHEMA_VERSION}")
    try:
        _check_types(document)
        return _from_document(document)
    except InvalidDataError:
        raise
    except KeyError as error:
        raise InvalidDataError(f"not a whole result of arrow_cd: {error} is missing") from error
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise InvalidDataError(f"not a whole result of arrow_cd: {error}") from error


def _check_types(document: dict[str, Any]) -> None:
    for key, kind in _TYPES.items():
        value = document[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InvalidDataError(f"{key} is {value!r:.40}; expected {getattr(kind, '__name__', 'a number')}")
    if not 0 <= document["tau_min"] <= document["tau_max"]:
        raise InvalidDataError(f"tau_min={document['tau_min']}, tau_max={document['tau_max']}: not a range of lags")
    if not all(isinstance(name, str) for name in document["var_names"]):
        raise InvalidDataError("var_names: expected strings")


def _from_document(document: dict[str, Any]) -> CausalResult:
    names = tuple(document["var_names"])
    index = {name: k for k, name in enumerate(names)}
    shape = (len(names), len(names), document["tau_max"] + 1)
    status = np.array([[[int(c) for c in pair] for pair in row] for row in document["status"]], dtype=np.uint8)
    val, p, q = np.zeros(shape), np.ones(shape), np.ones(shape)
    graph = np.full(shape, "", dtype="<U3")
    for link in document["links"]:
        tau, mark = link["tau"], link["mark"]
        if type(tau) is not int or not 0 <= tau <= document["tau_max"]:
            raise InvalidDataError(f"a link has tau={tau!r}; expected a lag of 0 to {document['tau_max']}")
        if not isinstance(mark, str) or len(mark) > 3:
            raise InvalidDataError(f"a link has mark={mark!r}; expected an edge mark such as '-->'")
        at = (index[link["source"]], index[link["target"]], tau)
        graph[at] = mark
        if link["p"] is not None:
            val[at], p[at], q[at] = link["val"], link["p"], link["q"]
    return CausalResult(
        **{key: document[key] for key in _PLAIN},
        var_names=names,
        graph=graph,
        val_matrix=val,
        p_matrix=p,
        q_matrix=q,
        status=status,
        tested=status == LinkStatus.OK,
        parents=_indexed(document["parents"], index),
        screening=_screening(document["screening"], index),
        notes=tuple(document["notes"]),
    )


def _indexed(parents: dict[str, list[list[Any]]], index: dict[str, int]) -> Parents:
    return {index[j]: [(index[i], lag) for i, lag in found] for j, found in parents.items()}


def _screening(document: dict[str, Any] | None, index: dict[str, int]) -> Screening | None:
    if document is None:
        return None
    return Screening(**(document | {"candidates": _indexed(document["candidates"], index)}))


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
