"""In-silico gene networks of the DREAM challenges: many short trajectories from different starts."""

from __future__ import annotations

from pathlib import Path

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.datasets._types import Locate, Member, Truth, truth_of

_POINTS = 21  # of a trajectory


def dream3(member: str, locate: Locate) -> Member:
    """DREAM3: blank lines between the trajectories."""
    series = as_time_series(locate(f"dream3_size100/{member}.tsv"))
    return Member(member, series, _gold_standard(locate(f"dream3_size100/{member}_gt.txt"), series))


def dream4(member: str, locate: Locate) -> Member:
    """DREAM4: trajectories follow each other without a mark."""
    size, number = member.removeprefix("size").split("_")
    ending = "tsv" if size == "10" else "txt"
    table = as_time_series(locate(f"dream4/DREAM{size}/insilico_size{size}_{number}_timeseries.{ending}"))
    trajectories = [table.values[k : k + _POINTS] for k in range(0, table.T, _POINTS)]
    series = as_time_series(trajectories, names=table.names)
    standard = locate(f"dream4/DREAM{size}/DREAM4_GoldStandard_InSilico_Size{size}_{number}.tsv")
    return Member(member, series, _gold_standard(standard, series))


def _gold_standard(path: Path, series: TimeSeries) -> Truth:
    """Lines "cause effect flag": a link where the flag is 1."""
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    return truth_of(series.names, [(cause, effect) for cause, effect, flag in lines if flag == "1"])
