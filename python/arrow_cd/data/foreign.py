"""Objects of other libraries, recognised by their shape and never imported: pandas frames, tigramite data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.assemble import Block, check_names
from arrow_cd.data.source import Source
from arrow_cd.data.tables import Table
from arrow_cd.errors import InvalidDataError


def is_pandas(data: object) -> bool:
    """Whether `data` is a pandas DataFrame or Series."""
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc")


def is_tigramite(data: object) -> bool:
    """Whether `data` is a tigramite DataFrame."""
    return all(hasattr(data, name) for name in ("values", "analysis_mode", "missing_flag", "datasets"))


def pandas_table(data: Any) -> Table:
    """A pandas frame as a table; its index is the time axis if it holds dates or periods, and is left out otherwise."""
    if not hasattr(data, "columns"):
        data = data.to_frame()
    names = check_names(list(data.columns), data.shape[1])
    columns = [_pandas_column(name, data.iloc[:, k]) for k, name in enumerate(names)]
    source = Source("the frame")
    index = data.index.to_timestamp() if hasattr(data.index, "to_timestamp") else data.index
    if not hasattr(index, "tz_convert"):
        return Table(source, pl.DataFrame(columns))
    stamps = _stamps(index)
    if np.isnat(stamps).any():
        raise InvalidDataError(f"{source.row(int(np.isnat(stamps).argmax()))}: the time index has no value")
    return Table(source, pl.DataFrame(columns), index=stamps, notes=("the index is taken as the time axis",))


def _pandas_column(name: str, column: Any) -> pl.Series:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "M":
        return pl.Series(name, _stamps(column))
    if kind in "biuf":
        return pl.Series(name, column.to_numpy(dtype=np.float64, na_value=np.nan))
    cells = [None if absent else str(cell) for cell, absent in zip(column, column.isna(), strict=True)]
    return pl.Series(name, cells, dtype=pl.String)


def _stamps(values: Any) -> NDArray[Any]:
    """Time stamps of a pandas index or column as datetime64, in UTC where they have a zone."""
    unit = "ns" if str(values.dtype).startswith("datetime64[ns") else "us"
    return np.array(values.to_numpy(dtype=f"datetime64[{unit}]"))


def tigramite_blocks(data: Any) -> tuple[list[Block], list[str]]:
    """Data sets and names of a tigramite DataFrame, its missing flags as NaN."""
    refused = {
        "a mask": data.mask is not None,
        "vector_vars": data.has_vector_data,
        "reference_points": not data.reference_points_is_none,
        "remove_missing_upto_maxlag": data.remove_missing_upto_maxlag,
    }
    for what, present in refused.items():
        if present:
            raise InvalidDataError(f"a tigramite DataFrame with {what} can't be taken as plain data")
    names = [str(data.var_names[k]) for k in range(data.N)]
    several = len(data.values) > 1
    blocks = []
    for key in data.datasets:
        values = np.array(data.values[key], dtype=np.float64)
        if data.missing_flag is not None:
            values[values == data.missing_flag] = np.nan
        blocks.append(Block(values, None, Source(f"data set {key!r}" if several else "the data frame")))
    return blocks, names
