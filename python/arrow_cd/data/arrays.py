"""Arrays, nested lists and collections of them to data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from arrow_cd.data.assemble import Block
from arrow_cd.data.cells import MissingMarkers, to_floats
from arrow_cd.data.source import Source
from arrow_cd.errors import InvalidDataError


def array_blocks(data: Any, markers: MissingMarkers) -> list[Block]:
    """One block per data set: a (T, N) or (T,) array, a (sets, T, N) array, a list or dict of (T_i, N) arrays."""
    if isinstance(data, Mapping):
        return [_block(part, f"data set {key!r}", markers) for key, part in data.items()]
    if isinstance(data, list | tuple) and data and all(np.ndim(part) == 2 for part in data):
        return [_block(part, f"data set {k}", markers) for k, part in enumerate(data)]
    array = _array(data, "the array")
    if array.ndim == 3:
        return [_block(part, f"data set {k}", markers) for k, part in enumerate(array)]
    return [_block(array, "the array", markers)]


def _array(data: Any, name: str) -> NDArray[Any]:
    if isinstance(data, np.ma.MaskedArray):
        return data
    try:
        return np.asarray(data)
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"{name}: rows of different length; expected a table of shape (T, N)") from error


def _block(data: Any, name: str, markers: MissingMarkers) -> Block:
    array = _array(data, name)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim == 0:
        kind = type(array.item()).__name__
        raise InvalidDataError(f"{name}: can't read data of type {kind}; expected a table of shape (T, N) or a file")
    if array.ndim != 2:
        raise InvalidDataError(f"{name} has shape {array.shape}; expected (T, N): rows are time, columns are variables")
    source = Source(name)
    if array.dtype.kind in "biuf":
        return Block(markers.blank(_floats(array)), None, source)
    if array.dtype.kind in "OUS":
        columns = [to_floats(_texts(column, f"X{k}"), markers, source) for k, column in enumerate(array.T)]
        return Block(np.stack(columns, axis=1) if columns else np.empty((len(array), 0)), None, source)
    raise InvalidDataError(f"{name} holds {array.dtype}; expected real numbers")


def _floats(array: NDArray[Any]) -> NDArray[np.float64]:
    """A float64 copy; masked entries are NaN."""
    values = np.array(np.ma.getdata(array), dtype=np.float64)
    if isinstance(array, np.ma.MaskedArray):
        values[np.ma.getmaskarray(array)] = np.nan
    return values


def _texts(column: NDArray[Any], name: str) -> pl.Series:
    """Cells of an array of objects or strings as text, so that they are read and reported like those of a file."""
    cells = np.ma.getdata(column).tolist()
    masked = np.ma.getmaskarray(column)
    texts = [None if cell is None or absent else _text(cell) for cell, absent in zip(cells, masked, strict=True)]
    return pl.Series(name, texts, dtype=pl.String)


def _text(cell: object) -> str:
    if isinstance(cell, bool):
        return str(int(cell))
    return cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)
