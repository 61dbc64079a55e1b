"""Recognise and read time stamps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.source import Source
from arrow_cd.errors import InvalidDataError

# A column of which this share reads as dates is one; the rest are then named as errors.
_DATE_SHARE = 0.9
# Month first, which polars doesn't try by itself.
_MONTH_FIRST = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y")
_MONTH_ALONE = re.compile(r"\d{4}[-/]\d{1,2}")


def looks_like_dates(column: pl.Series) -> bool:
    """Whether the values of a column are dates or time stamps."""
    dates = _dates(column)
    return dates is not None and dates.count() >= max(1, _DATE_SHARE * len(dates))


def is_index(column: pl.Series, parts: Sequence[NDArray[np.intp]], *, constant_step: bool = False) -> bool:
    """Whether a column is a strictly increasing integer index within every data set, given by its row numbers."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return False
    numbers = _numbers(column).cast(pl.Float64).to_numpy()
    if len(numbers) < 2 or not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return False
    steps = np.concatenate([np.diff(numbers[rows]) for rows in parts])
    return bool((steps > 0).all() and (not constant_step or (steps == steps[:1]).all()))


def looks_like_numbers(column: pl.Series) -> bool:
    """Whether every value of a column is a number."""
    return (column.dtype.is_numeric() or column.dtype == pl.String) and not _numbers(column).null_count()


def parse_time(column: pl.Series, source: Source) -> NDArray[Any]:
    """Read a column as datetime64 (dates, in UTC where they have a zone) or float64 (numbers).

    Raises
    ------
    InvalidDataError
        Naming the first value that is neither.
    """
    if looks_like_dates(column):
        stamps = _dates(column)
        assert stamps is not None
    elif column.dtype.is_numeric() or column.dtype == pl.String:
        stamps = _numbers(column).cast(pl.Float64)
        stamps = stamps.set(~stamps.is_finite().fill_null(False), None)
    else:
        raise InvalidDataError(f"{source.name}, column {column.name!r} holds {column.dtype}; expected time stamps")
    bad = stamps.is_null().arg_true()
    if len(bad):
        row = int(bad[0])
        raise InvalidDataError(
            f"{source.cell(row, column.name)}: {column[row]!r} is not a time stamp; expected a date or a number"
        )
    return np.array(stamps.to_numpy())


def _numbers(column: pl.Series) -> pl.Series:
    text = column.str.strip_chars() if column.dtype == pl.String else column
    return text.cast(pl.Float64, strict=False)


def _dates(column: pl.Series) -> pl.Series | None:
    """The column as time stamps in UTC without zone, null where a value is none; None if it holds no dates."""
    if column.dtype == pl.String:
        parsed = _parse_dates(column)
        if parsed is None:
            return None
        column = parsed
    if column.dtype not in (pl.Date, pl.Datetime):
        return None
    if getattr(column.dtype, "time_zone", None):
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us")) if column.dtype == pl.Date else column


def _parse_dates(text: pl.Series) -> pl.Series | None:
    text = text.str.strip_chars()
    # Numbers alone are an index, whatever a date parser can make of them.
    if not len(text) or text[0] is None or text.head(1).cast(pl.Float64, strict=False)[0] is not None:
        return None
    if _MONTH_ALONE.fullmatch(text[0]):
        text = text + text[0][4] + "01"
    readings: list[pl.Series] = []
    for pattern in (None, *_MONTH_FIRST) if "/" in text[0] else (None,):
        try:
            readings.append(text.str.to_datetime(pattern, strict=False))
        except pl.exceptions.PolarsError:
            continue
    return min(readings, key=_unevenness, default=None)


def _unevenness(stamps: pl.Series) -> tuple[int, float]:
    """Values not read, then the largest step over the smallest: the right one of day/month and month/day is even."""
    steps = np.diff(stamps.drop_nulls().to_physical().to_numpy())
    if len(steps) == 0:
        return stamps.null_count(), 1.0
    return stamps.null_count(), float(steps.max() / steps.min()) if steps.min() > 0 else np.inf
