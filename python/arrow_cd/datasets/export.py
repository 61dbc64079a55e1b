"""Data sets as CSV files, for `arrow-cd discover` and for other programs."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from arrow_cd.data import TimeSeries
from arrow_cd.datasets._types import Dataset, Truth
from arrow_cd.errors import InvalidDataError

GROUP = "data_set"


def export_dataset(dataset: Dataset, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every member as ``<member>.csv`` and ``<member>_truth.csv``.

    A table has the column "time" where there are time stamps, and the column "data_set" (1, 2, …) where there are
    several trajectories or subjects: give that one to ``group_by`` when reading it. Missing values are empty. The truth
    has the columns source and target, and tau (in samples) where lags are known.

    Parameters
    ----------
    dataset : Dataset
    folder : path
        Made if it doesn't exist; files of the same names are replaced.

    Returns
    -------
    list of Path
        The files, two a member.

    Raises
    ------
    InvalidDataError
        If the folder can't be written to.
    """
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for member in dataset.members:
            for name, frame in ((member.name, _table(member.series)), (f"{member.name}_truth", _links(member.truth))):
                written.append(folder / f"{name}.csv")
                frame.write_csv(written[-1])
    except OSError as error:
        raise InvalidDataError(f"{folder}: can't write there ({error.strerror or error})") from error
    return written


def _table(series: TimeSeries) -> pl.DataFrame:
    columns = {}
    if len(series.segments) > 1:
        columns[GROUP] = pl.Series(
            [k + 1 for k, (start, stop) in enumerate(series.segments) for _ in range(start, stop)]
        )
    if series.time is not None:
        columns["time"] = pl.Series(series.time)
    for k, name in enumerate(series.names):
        if name in columns:
            raise InvalidDataError(f"a series is called {name!r}, as the column that export adds; rename it")
        columns[name] = pl.Series(series.values[:, k]).fill_nan(None)
    return pl.DataFrame(columns)


def _links(truth: Truth) -> pl.DataFrame:
    names = ["source", "tau", "target"] if truth.has_lags else ["source", "target"]
    types = [pl.Int64 if name == "tau" else pl.String for name in names]
    return pl.DataFrame(truth.links(), schema=dict(zip(names, types, strict=True)), orient="row")
