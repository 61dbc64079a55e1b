"""Simulated stock returns with known lagged influences."""

from __future__ import annotations

import numpy as np

from arrow_cd.data import as_time_series
from arrow_cd.datasets._types import Locate, Member, Truth


def tcdf_finance(member: str, locate: Locate) -> Member:
    """Returns of 25 portfolios; lines "cause,effect,lag" with columns from 0, which end in a bare carriage return."""
    series = as_time_series(locate(f"tcdf_finance/random-rels_{member}_returns30007000_header.csv"))
    lines = locate(f"tcdf_finance/random-rels_{member}.csv").read_text().splitlines()  # knows every line end
    links = [tuple(map(int, line.split(","))) for line in lines]
    graph = np.zeros((series.N, series.N, 1 + max(lag for _, _, lag in links)), dtype=bool)
    for cause, effect, lag in links:
        graph[cause, effect, lag] = True
    return Member(member, series, Truth(series.names, graph))
