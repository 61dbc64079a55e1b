"""Discharge of rivers: a flood in eastern Germany, a century of the upper Danube."""

from __future__ import annotations

import numpy as np

from arrow_cd.data import as_time_series
from arrow_cd.datasets._types import Locate, Member, Truth, truth_of
from arrow_cd.datasets.rda import read_rda

# Stations whose series are left out: 1 and 13 end the flow, 18 and 28 lie between two others.
_LEFT_OUT = (1, 13, 18, 28)


def flood(member: str, locate: Locate) -> Member:
    """Gauges during one flood; the truth is a matrix [effect, cause] in the order of the columns."""
    series = as_time_series(locate("causalrivers_flood/rivers_ts_flood_preprocessed.csv"), header=True)
    matrix = np.load(locate("causalrivers_flood/summary_matrix.npy"))
    return Member(member, series, Truth(series.names, matrix.T != 0))


def danube(member: str, locate: Locate) -> Member:
    """Daily discharge of 27 stations over the days that all of them have.

    The table at the source has every station's days from its first row on, whenever the station was built, so that
    rows are not days: the series belong together at their ends. Flow through a station left out joins its neighbours.
    """
    parts = read_rda(locate("danube/danube.rda"))["danube"].items()
    stations = [k + 1 for k in range(parts["data_raw"].array().shape[1]) if k + 1 not in _LEFT_OUT]
    columns = [parts["data_raw"].array()[:, station - 1] for station in stations]
    columns = [column[~np.isnan(column)] for column in columns]
    days = min(map(len, columns))
    names = tuple(str(station) for station in stations)
    series = as_time_series(np.stack([column[-days:] for column in columns], axis=1), names=names)

    downstream = {int(upper): int(lower) for upper, lower in parts["flow_edges"].array()}
    links = []
    for station in stations:
        below = downstream.get(station)
        while below in _LEFT_OUT:
            below = downstream.get(below)
        if below is not None:
            links.append((str(station), str(below)))
    return Member(member, series, truth_of(names, links))
