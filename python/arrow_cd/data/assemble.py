"""The last step of the door: whole-table checks on numeric values, then the `TimeSeries`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.data.checks import constant_columns, near_duplicate_sets, suspected_markers
from arrow_cd.data.series import TimeSeries
from arrow_cd.data.source import Source
from arrow_cd.errors import InvalidDataError
from arrow_cd.preprocess import Preprocess, apply_preprocess

# A table with this many columns per row and few rows is taken for one that lies on its side; thousands of columns with
# a few hundred rows are real data.
_TRANSPOSED = 10
_FEW_ROWS = 100
_SHOWN = 20


# In names neither files (UTF-8, XML) nor terminals take these: control characters but tab and line ends, surrogates.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Block:
    """One data set on its way in: `values` (T, N) float64 with NaN where missing, and its time stamps."""

    values: NDArray[np.float64]
    time: NDArray[Any] | None
    source: Source


def check_names(names: Sequence[object], n_columns: int) -> tuple[str, ...]:
    """Check that names are as many as columns, strings, non-empty and all different."""
    if isinstance(names, str):
        raise InvalidDataError(f"names must be a sequence of strings, not the string {names!r}")
    if len(names) != n_columns:
        raise InvalidDataError(f"{len(names)} names for {n_columns} columns; give one name per column")
    texts = tuple(str(name) for name in names)
    repeated = sorted({name for name in texts if texts.count(name) > 1}) if len(set(texts)) < len(texts) else []
    if repeated:
        raise InvalidDataError(f"duplicated column names: {', '.join(map(repr, repeated))}; every name must be unique")
    if "" in texts:
        raise InvalidDataError(f"column {texts.index('') + 1} has an empty name")
    unfit = [name for name in texts if _UNFIT.search(name)]
    if unfit:
        raise InvalidDataError(f"column name {unfit[0]!r} holds a control character or half a character; rename it")
    return texts


def check_shapes(blocks: Sequence[Block]) -> None:
    """Raise if there is no data set, an empty one, or one with another number of columns."""
    if not blocks:
        raise InvalidDataError("no data sets given")
    widths = [block.values.shape[1] for block in blocks]
    for block, width in zip(blocks, widths, strict=True):
        if width != widths[0]:
            raise InvalidDataError(f"{block.source.name} has {width} columns, the first data set has {widths[0]}")
        if not block.values.size:
            raise InvalidDataError(f"{block.source.name} has shape {block.values.shape}: no values")


def check_finite(blocks: Sequence[Block], names: Sequence[str]) -> None:
    """Raise for the first infinite value, naming its row and column."""
    for block in blocks:
        infinite = np.isinf(block.values)
        if infinite.any():
            row, column = (int(i) for i in np.argwhere(infinite)[0])
            raise InvalidDataError(
                f"{block.source.cell(row, names[column])}: {block.values[row, column]} is not a finite number; "
                f"{int(infinite.sum())} infinite values in all; expected finite numbers, or a missing-value marker"
            )


def assemble(
    blocks: Sequence[Block], names: Sequence[object], *, notes: Sequence[str], preprocess: Preprocess
) -> TimeSeries:
    """Join data sets and check the whole."""
    checked = check_names(names, blocks[0].values.shape[1])
    stops = np.cumsum([len(block.values) for block in blocks]).tolist()
    segments = tuple(zip([0, *stops[:-1]], stops, strict=True))
    # One contiguous series after another, which is what the core reads: core_arrays() then copies nothing.
    values = np.concatenate([block.values.T for block in blocks], axis=1).T
    times = [block.time for block in blocks if block.time is not None]
    time = np.concatenate(times) if len(times) == len(blocks) else None
    series = TimeSeries(values, checked, time, ~np.isnan(values), segments, np.zeros(len(checked), bool), tuple(notes))
    _check_shape(series, blocks[0].source)
    return finish(series, preprocess)


def finish(series: TimeSeries, preprocess: Preprocess) -> TimeSeries:
    """Preprocess, then flag constants and note what is worth knowing."""
    missing = [*_missing_notes(series), *_marker_notes(series)]
    values, said = apply_preprocess(series.values, series.segments, preprocess)
    valid = ~np.isnan(values)
    constant = constant_columns(values)
    for array in (values, valid, constant):
        array.setflags(write=False)
    notes = (*series.notes, *missing, *said, *_column_notes(values, valid, constant, series.names))
    # A series that passes again says nothing twice.
    return replace(series, values=values, valid=valid, constant=constant, notes=tuple(dict.fromkeys(notes)))


def _check_shape(series: TimeSeries, source: Source) -> None:
    if series.N >= _TRANSPOSED * series.T and series.T < _FEW_ROWS:
        raise InvalidDataError(
            f"{source.name} has {series.T} rows and {series.N} columns: rows must be time and columns variables; "
            "this table looks transposed"
        )


def _listed(parts: Sequence[str]) -> str:
    rest = len(parts) - _SHOWN
    return ", ".join(parts[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _missing_notes(series: TimeSeries) -> list[str]:
    counts = (~series.valid).sum(axis=0)
    if not counts.any():
        return []
    parts = [f"{name} {count}" for name, count in zip(series.names, counts, strict=True) if count]
    return [f"missing values per column: {_listed(parts)}"]


def _marker_notes(series: TimeSeries) -> list[str]:
    parts: dict[float, list[str]] = {}
    for marker, column, count in suspected_markers(series.values):
        parts.setdefault(marker, []).append(f"{series.names[column]} {count}")
    return [
        f"{marker:g} may stand for missing values, rows per column: {_listed(columns)}; "
        f"if so, name it (--na {marker:g}, na=[{marker:g}])"
        for marker, columns in parts.items()
    ]


def _column_notes(
    values: NDArray[np.float64], valid: NDArray[np.bool_], constant: NDArray[np.bool_], names: Sequence[str]
) -> list[str]:
    notes = []
    empty = constant & ~valid.any(axis=0)
    for flags, what in ((constant & ~empty, "constant"), (empty, "without any value")):
        if flags.any():
            listed = _listed([names[i] for i in np.flatnonzero(flags).tolist()])
            notes.append(f"columns {what}, left out and reported as not testable: {listed}")
    for group in near_duplicate_sets(values, constant):
        listed = _listed([names[i] for i in group])
        notes.append(f"near-duplicate columns (copies of each other up to sign, scale and tiny noise): {listed}")
    if len(names) > len(values):
        notes.append(f"more columns ({len(names)}) than rows ({len(values)}): rows must be time; is this as intended?")
    return notes
