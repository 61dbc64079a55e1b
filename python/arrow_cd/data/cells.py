"""Table columns to float64, with missing-value markers, and the offending cell named when it can't be done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.source import Source
from arrow_cd.errors import InvalidDataError

# Compared without regard to case and surrounding blanks.
DEFAULT_NA = ("", "NA", "N/A", "NaN", "NULL", "None", "*", "?", "-")


class MissingMarkers:
    """The default markers plus the user's; a marker that is a number (-999) also matches equal numbers."""

    def __init__(self, extra: Sequence[object] = ()) -> None:
        if isinstance(extra, str):
            raise InvalidDataError(f"na must be a sequence of markers, not the string {extra!r}")
        texts = [str(marker).strip().lower() for marker in extra]
        self.texts = {marker.lower() for marker in DEFAULT_NA} | set(texts)
        self.numbers = [number for number in map(_number, texts) if number is not None]

    def blank(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Set values that equal a numeric marker to NaN, in place."""
        if self.numbers:
            values[np.isin(values, self.numbers)] = np.nan
        return values


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def to_floats(column: pl.Series, markers: MissingMarkers, source: Source) -> NDArray[np.float64]:
    """Values of one column, NaN where missing; raises InvalidDataError naming the first cell that is no number."""
    kind = column.dtype
    if kind in (pl.String, pl.Categorical) or isinstance(kind, pl.Enum):
        return markers.blank(_parse(column, markers, source))
    if kind.is_numeric() or kind in (pl.Boolean, pl.Null):
        # A writable copy: polars lends its own memory, which belongs to the caller.
        return markers.blank(np.array(column.cast(pl.Float64).to_numpy(), dtype=np.float64))
    raise InvalidDataError(
        f"{source.name}, column {column.name!r} holds {kind}; expected numbers: drop it, or name it as time or group"
    )


def is_missing_text(text: pl.Series, markers: MissingMarkers) -> pl.Series:
    """True for null and for missing-value markers."""
    return text.is_null() | text.str.strip_chars().str.to_lowercase().is_in(list(markers.texts))


def _parse(column: pl.Series, markers: MissingMarkers, source: Source) -> NDArray[np.float64]:
    text = column.cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    failed = numbers.is_null().arg_true()
    bad = failed.filter(~is_missing_text(text.gather(failed), markers))
    if len(bad):
        row = int(bad[0])
        raise InvalidDataError(f"{source.cell(row, column.name)}: {_explain(str(text[row]))}")
    return np.array(numbers.to_numpy(), dtype=np.float64)


def _explain(cell: str) -> str:
    shown = cell if len(cell) <= 40 else cell[:40] + "…"
    if _number(cell.replace(".", "").replace(",", ".", 1)) is not None and "," in cell:
        return f"{shown!r} has a decimal comma; expected a decimal point"
    return (
        f"{shown!r} is not a number; expected a number or a missing-value marker (na= or --na adds one); "
        "drop= or --drop leaves a column out"
    )
