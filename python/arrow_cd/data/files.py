"""Files to tables: Parquet by polars, delimited text by `delimited`, either of them gzipped."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

import polars as pl

from arrow_cd.data.delimited import parse_delimited
from arrow_cd.data.source import Source
from arrow_cd.data.tables import Table
from arrow_cd.errors import InvalidDataError

_PARQUET = {".parquet", ".pq"}


def read_file(path: str | os.PathLike[str], header: bool | None) -> Table:
    """Read a CSV, TSV or Parquet file, or one of them gzipped; anything but Parquet is taken for delimited text."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidDataError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InvalidDataError(f"{str(path)!r} is not a path: {error}") from error
    kind = path.suffix.lower()
    if kind == ".gz":
        data, kind = _unzipped(data, path), Path(path.stem).suffix.lower()
    if kind not in _PARQUET:
        return parse_delimited(data, str(path), header)
    try:
        return Table(Source(str(path)), pl.read_parquet(data))
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise InvalidDataError(f"{path}: not a Parquet file: {str(error).splitlines()[0]}") from error


def _unzipped(data: bytes, path: Path) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidDataError(f"{path}: not a whole gzip file: {error}") from error
