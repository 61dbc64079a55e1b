"""Simulated BOLD signals of brain regions; every subject is a data set of its own within the series."""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from arrow_cd.data import as_time_series
from arrow_cd.datasets._types import Locate, Member, Truth, truth_of
from arrow_cd.errors import InvalidDataError

_SUBJECTS = 50
_SIMULATIONS = 10  # of every network


def netsim(member: str, locate: Locate) -> Member:
    """NetSim's third simulation: arrays ``X_np`` (N, T) and ``Gref`` [effect, cause], the same for all subjects."""
    subjects, graphs = [], []
    for k in range(_SUBJECTS):
        with np.load(locate(f"netsim_sim3/sim3_subject_{k}.npz")) as arrays:
            subjects.append(arrays["X_np"].T)
            graphs.append(arrays["Gref"].T != 0)
    if any((graph != graphs[0]).any() for graph in graphs):
        raise InvalidDataError("netsim_sim3: the subjects' graphs differ; expected one graph")
    series = as_time_series(subjects)
    return Member(member, series, Truth(series.names, graphs[0]))


def feedbacks(member: str, locate: Locate) -> Member:
    """A network with feedback loops, simulated ten times: tables and a list "1. X1 --> X2"."""
    tables = [
        pl.read_csv(locate(f"feedbacks_bold/data/{member}/sim-{k:02}.{member}.continuous.txt"), separator="\t")
        for k in range(1, _SIMULATIONS + 1)
    ]
    names = tables[0].columns
    series = as_time_series([table.select(names).to_numpy() for table in tables], names=names)
    text = locate(f"feedbacks_bold/ground.truth/{member}/{member}.ground.truth.graph.txt").read_text()
    return Member(member, series, truth_of(names, re.findall(r"^\d+\. (\w+) --> (\w+)$", text, re.MULTILINE)))
