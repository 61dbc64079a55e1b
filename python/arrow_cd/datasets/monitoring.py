"""Servers and services: IT monitoring, PetShop, PyMicro.

A call graph says who calls whom. A slow callee makes its caller wait, so latency goes from callee to caller, against
the direction of the calls.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl

from arrow_cd.data import as_time_series
from arrow_cd.datasets._types import Locate, Member, Truth, truth_of
from arrow_cd.datasets.xlsx import read_xlsx

_MOST_MISSING = 0.05  # of PetShop's latency columns: in the others it is from a tenth to nearly everything


def it_monitoring(member: str, locate: Locate, *, folder: str, structure: str = "structure") -> Member:
    """A monitored system: the file `member` and, one a line, the pairs "cause effect" that experts gave."""
    series = as_time_series(locate(f"it_monitoring/{folder}/{member}.csv"))
    lines = locate(f"it_monitoring/{folder}/{structure}.txt").read_text().splitlines()
    return Member(
        member, series, truth_of(series.names, [(line.split()[0], line.split()[1]) for line in lines if line])
    )


def petshop_latency(member: str, locate: Locate) -> Member:
    """Mean latency of the services without faults: the columns of which less than 5 % is missing."""
    frame = _latencies(locate(f"petshop/{member}/noissue/metrics.csv"))
    kept = [column for column in frame.columns if frame[column].null_count() < _MOST_MISSING * frame.height]
    series = as_time_series(frame.select(kept), time_column="time")
    header, *rows = _csv_rows(locate(f"petshop/{member}/graph.csv"))
    services = header[1:]
    calls = [(row[0], services[k]) for row in rows for k, cell in enumerate(row[1:]) if float(cell)]
    known = set(series.names)
    links = [(callee, caller) for caller, callee in calls if {caller, callee} <= known]
    return Member(member, series, truth_of(series.names, links))


def _latencies(path: Path) -> pl.DataFrame:
    """Time and mean latency by service; the header is four lines: service, metric, statistic, "unix_timestamp"."""
    services, metrics, statistics, _, *rows = _csv_rows(path)
    columns = {"time": pl.Series([float(row[0]) for row in rows])}
    for k, what in enumerate(zip(metrics, statistics, strict=True)):
        if what == ("latency", "Average"):
            columns[services[k]] = pl.Series([float(row[k]) if row[k] else None for row in rows], dtype=pl.Float64)
    return pl.DataFrame(columns).with_columns(pl.from_epoch(pl.col("time").cast(pl.Int64)))


def _csv_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.reader(lines))


def pymicro(member: str, locate: Locate) -> Member:
    """Latencies of a testbed: spreadsheets without header, one row a service, its name in the first column."""
    rows = read_xlsx(locate("pymicro/rawdata.xlsx"))
    names = tuple(str(row[0]) for row in rows)
    series = as_time_series(np.array([row[1:] for row in rows], dtype=float).T, names=names)
    calls = np.array(read_xlsx(locate("pymicro/true_callgraph.xlsx")), dtype=float)  # [caller, callee]
    return Member(member, series, Truth(names, calls.T != 0))
