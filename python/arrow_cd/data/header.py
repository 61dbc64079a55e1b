"""Whether the first line of a text table holds names or data."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from arrow_cd.data.cells import DEFAULT_NA

_INTEGER = re.compile(r"[+-]?\d+")
_REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?([T ].*)?")
_MISSING = {marker.lower() for marker in DEFAULT_NA}


def is_header(first: Sequence[str], below: pl.DataFrame) -> bool:
    """Tell names from data by type.

    A line with a decimal number is data. A line is a header if it has a text above numbers or dates, or nothing but
    texts, or nothing but different whole numbers above columns without any whole number (river gauges named 59, 77
    above levels 0.032, 0.161).

    Parameters
    ----------
    first : sequence of str
        Cells of the first line.
    below : polars.DataFrame of strings
        The lines after it, or some of them.
    """
    kinds = [_kind(cell) for cell in first]
    columns = [{_kind(cell or "") for cell in column} - {"missing"} for column in below.iter_columns()]
    if "real" in kinds:
        return False
    pairs = [pair for pair in zip(kinds, columns, strict=True) if pair[0] != "missing"]
    if any(kind == "text" and column and "text" not in column for kind, column in pairs):
        return True
    seen = {kind for kind, _ in pairs}
    if seen == {"text"}:
        return True
    named = [cell for cell in first if cell]
    return (
        seen == {"integer"}
        and len(set(named)) == len(named)
        and any(column for _, column in pairs)
        and not any("integer" in column for _, column in pairs)
    )


def _kind(cell: str) -> str:
    cell = cell.strip()
    for name, pattern in (("integer", _INTEGER), ("real", _REAL), ("date", _DATE)):
        if pattern.fullmatch(cell):
            return name
    return "missing" if cell.lower() in _MISSING else "text"
