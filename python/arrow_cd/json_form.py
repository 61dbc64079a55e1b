"""A whole result as JSON, and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.pairs import PairResult
from arrow_cd.result import MARKS, CausalResult, Parents, Screening

SCHEMA_VERSION = 1

# Numbers of a test.
_NUMBERS = ("val", "p", "q")
# Fields that JSON takes as they are.
_PLAIN = (
    *("complete", "method", "engine", "tau_min", "tau_max", "n_samples", "alpha", "fdr", "seed"),
    *("decided_by", "p_validity", "family_size", "val_unit", "options", "versions", "timings", "extra"),
)
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("complete", "p_values"), bool),
    **dict.fromkeys(("method", "engine", "fdr", "decided_by", "p_validity", "val_unit"), str),
    **dict.fromkeys(("tau_min", "tau_max", "n_samples", "seed", "family_size"), int),
    "alpha": int | float,
    **dict.fromkeys(("options", "versions", "timings", "parents", "extra"), dict),
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
    document["p_values"] = result.p_matrix is not None
    document["legend"] = {"marks": MARKS, "status": {str(int(code)): code.name.lower() for code in LinkStatus}}
    document["links"] = _records(result)
    document["pairs"] = _pairs_document(result.pairs, names)
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
        matrices = (result.val_matrix, result.p_matrix, result.q_matrix)
        known = result.tested[at]
        val, p, q = (float(matrix[at]) if known and matrix is not None else None for matrix in matrices)
        link = {"source": result.var_names[i], "target": result.var_names[j], "tau": tau}
        records.append(link | {"mark": str(result.graph[at]), "val": val, "p": p, "q": q})
    return records


def _pairs_document(pairs: PairResult | None, names: tuple[str, ...]) -> dict[str, Any] | None:
    if pairs is None:
        return None
    tests = []
    for i, j in np.argwhere(pairs.status == LinkStatus.OK).tolist():
        numbers = {key: None if (array := getattr(pairs, key)) is None else float(array[i, j]) for key in _NUMBERS}
        tests.append({"source": names[i], "target": names[j], **numbers})
    return {
        "tests": tests,
        "status": ["".join(map(str, row)) for row in pairs.status.tolist()],
        "p_values": pairs.p is not None,
    }


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
    has_p = document["p_values"]
    graph = np.full(shape, "", dtype="<U3")
    for link in document["links"]:
        tau, mark = link["tau"], link["mark"]
        if type(tau) is not int or not 0 <= tau <= document["tau_max"]:
            raise InvalidDataError(f"a link has tau={tau!r}; expected a lag of 0 to {document['tau_max']}")
        if not isinstance(mark, str) or len(mark) > 3:
            raise InvalidDataError(f"a link has mark={mark!r}; expected an edge mark such as '-->'")
        at = (index[link["source"]], index[link["target"]], tau)
        graph[at] = mark
        if link["val"] is not None:
            val[at] = link["val"]
        if link["p"] is not None:
            p[at], q[at] = link["p"], link["q"]
    return CausalResult(
        **{key: document[key] for key in _PLAIN},
        var_names=names,
        graph=graph,
        val_matrix=val,
        p_matrix=p if has_p else None,
        q_matrix=q if has_p else None,
        status=status,
        tested=status == LinkStatus.OK,
        pairs=_pairs(document["pairs"], index),
        parents=_indexed(document["parents"], index),
        screening=_screening(document["screening"], index),
        notes=tuple(document["notes"]),
    )


def _indexed(parents: dict[str, list[list[Any]]], index: dict[str, int]) -> Parents:
    return {index[j]: [(index[i], lag) for i, lag in found] for j, found in parents.items()}


def _pairs(document: dict[str, Any] | None, index: dict[str, int]) -> PairResult | None:
    if document is None:
        return None
    status = np.array([[int(c) for c in row] for row in document["status"]], dtype=np.uint8)
    val, p, q = np.zeros(status.shape), np.ones(status.shape), np.ones(status.shape)
    for test in document["tests"]:
        at = (index[test["source"]], index[test["target"]])
        val[at] = test["val"]
        if document["p_values"]:
            p[at], q[at] = test["p"], test["q"]
    return PairResult(val, p, q, status) if document["p_values"] else PairResult(val, None, None, status)


def _screening(document: dict[str, Any] | None, index: dict[str, int]) -> Screening | None:
    if document is None:
        return None
    return Screening(**(document | {"candidates": _indexed(document["candidates"], index)}))
