"""Pairs of series from textbooks and case studies in which one is known to drive the other, after a known delay.

The delay is of a process (the first lag of a transfer function, a cross-correlation's peak), not of one link, so the
truth is kept without lags; the registry's notes say what is known of it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.datasets._types import Locate, Member, truth_of
from arrow_cd.datasets.rda import read_rda

# Member: file, cause, effect.
_TABLES = {
    "gas_furnace": ("gas-furnace.csv", "InputGasRate", "CO2"),
    "temperature": ("temperature.csv", "Outdoor temperature", "Indoor temperature"),
    "http_cpu": ("http_process_cpu.csv", "Nb process http", "Cpu http"),
    "php_cpu": ("cpus.csv", "Cpu php", "Cpu global"),
}


def known_lag_pairs(member: str, locate: Locate) -> Member:
    """One pair."""
    if member == "sales":
        return _pair(member, _sales(locate), "lead", "sales")
    if member == "soi_rec":
        return _pair(member, _recruitment(locate), "soi", "rec")
    file, cause, effect = _TABLES[member]
    return _pair(member, as_time_series(locate(f"known_lag_pairs/{file}")), cause, effect)


def _pair(member: str, series: TimeSeries, cause: str, effect: str) -> Member:
    return Member(member, series, truth_of(series.names, [(cause, effect)]))


def _sales(locate: Locate) -> TimeSeries:
    """Two files with two index columns each."""
    lead, sales = (as_time_series(locate(f"known_lag_pairs/{name}.csv")) for name in ("BJsales.lead", "BJsales"))
    return as_time_series(
        pl.DataFrame({"time": lead.time, "lead": lead.values[:, 0], "sales": sales.values[:, 0]}), time_column="time"
    )


def _recruitment(locate: Locate) -> TimeSeries:
    """Monthly series in files of R, which start in the same month."""
    soi, rec = (read_rda(locate(f"known_lag_pairs/{name}.rda"))[name] for name in ("soi", "rec"))
    first = round(float(soi.attributes["tsp"].value[0]))
    months = (np.datetime64(first - 1970, "Y").astype("datetime64[M]") + np.arange(len(soi.array()))).astype("M8[D]")
    return as_time_series(pl.DataFrame({"time": months, "soi": soi.array(), "rec": rec.array()}), time_column="time")
