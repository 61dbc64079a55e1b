"""`as_time_series`: the one way in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from arrow_cd.data.arrays import array_blocks
from arrow_cd.data.assemble import assemble, check_finite, check_names, check_shapes, finish
from arrow_cd.data.cells import MissingMarkers
from arrow_cd.data.files import read_file
from arrow_cd.data.foreign import is_pandas, is_tigramite, pandas_table, tigramite_blocks
from arrow_cd.data.selection import Selection, chosen
from arrow_cd.data.series import TimeSeries
from arrow_cd.data.source import Source
from arrow_cd.data.tables import Table, table_blocks
from arrow_cd.errors import InvalidDataError
from arrow_cd.preprocess import Preprocess, parse_preprocess


def as_time_series(
    data: Any,
    *,
    names: Sequence[str] | None = None,
    time_column: str | Literal[False] | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    group_by: str | None = None,
    na: Sequence[object] = (),
    header: bool | None = None,
    preprocess: Preprocess = None,
) -> TimeSeries:
    """Check any supported data and copy it into a `TimeSeries`.

    Parameters
    ----------
    data
        - an array or nested list of shape (T, N): rows are time. Any real dtype; masked entries are missing.
          A one-dimensional array is one variable;
        - several data sets: an array of shape (sets, T, N), or a list or dict of (T_i, N) arrays;
        - a dict of one-dimensional arrays: a table;
        - a polars or pandas DataFrame. A pandas index of dates is the time axis, any other index is ignored;
        - the path of a CSV, TSV (separator and line ends are recognised) or Parquet file, also gzipped;
        - a tigramite DataFrame without mask, vector_vars or reference_points;
        - a TimeSeries, which comes back as it is unless an option asks for a change.
    names : sequence of str, optional
        Names of an array's columns, X0, X1, … by default; for named data, new names of the variables that are left
        after time, group and dropped columns.
    time_column : str or False, optional
        The column that holds the time; False for none. By default the first column if it has no name, holds dates or
        is a strictly increasing integer index; a note says so.
    columns, drop : sequence of str, optional
        Columns to analyse, in this order; columns to leave out.
    group_by : str, optional
        Column whose values tell data sets (sites, patients) apart. Rows of a group are gathered in their order.
    na : sequence, optional
        Markers of missing values besides empty, NA, N/A, NaN, NULL, None, `*`, `?` and `-` (case ignored). A number
        (-999) also marks equal values of numeric data.
    header : bool, optional
        Whether the first line of a text file holds names. By default decided by comparing it with the lines below.
    preprocess : str or sequence of str, optional
        See `arrow_cd.preprocess.apply_preprocess`.

    Returns
    -------
    TimeSeries
        A float64 copy; `data` is never changed.

    Raises
    ------
    InvalidDataError
        Naming file, row and column, and what was expected.
    """
    markers = MissingMarkers(na)
    selection = Selection.of(columns, drop, time_column=time_column, group_by=group_by)
    is_file = isinstance(data, str | os.PathLike)
    if header is not None and not is_file:
        raise InvalidDataError("header is for text files only")
    table = read_file(data, header) if is_file else _named_table(data)
    if table is not None:
        blocks, found, notes = table_blocks(table, selection, markers)
        return assemble(blocks, found if names is None else names, notes=notes, preprocess=preprocess)

    if time_column or group_by is not None:
        raise InvalidDataError("time_column and group_by need data with named columns: a file or a data frame")
    if isinstance(data, TimeSeries):
        if na:
            raise InvalidDataError("na has no effect on a TimeSeries, whose missing values are settled")
        return _changed(data, names, selection, preprocess)
    if is_tigramite(data):
        blocks, found = tigramite_blocks(data)
    else:
        blocks = array_blocks(data, markers)
        found = [f"X{k}" for k in range(blocks[0].values.shape[1])] if blocks else []
    check_shapes(blocks)
    labels = check_names(found if names is None else names, len(found))
    at = chosen(labels, selection)
    kept = [labels[k] for k in at]
    blocks = [replace(block, values=block.values[:, at]) for block in blocks]
    check_finite(blocks, kept)
    return assemble(blocks, kept, notes=(), preprocess=preprocess)


def _named_table(data: Any) -> Table | None:
    """Data with named columns as a table; None for everything else."""
    if isinstance(data, pl.Series):
        data = data.to_frame()
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, pl.DataFrame):
        return Table(Source("the frame"), data)
    if is_pandas(data):
        return pandas_table(data)
    if isinstance(data, Mapping) and data and all(np.ndim(column) == 1 for column in data.values()):
        try:
            return Table(Source("the dict"), pl.DataFrame({str(name): column for name, column in data.items()}))
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise InvalidDataError(f"the dict is not a table: {str(error).splitlines()[0]}") from error
    return None


def _changed(
    series: TimeSeries, names: Sequence[str] | None, selection: Selection, preprocess: Preprocess
) -> TimeSeries:
    """A series as it is, or with the changes asked for."""
    if selection.columns is not None or selection.drop:
        series = series.select([series.names[k] for k in chosen(series.names, selection)])
    if names is not None:
        series = replace(series, names=check_names(names, series.N))
    return finish(series, preprocess) if parse_preprocess(preprocess) else series
