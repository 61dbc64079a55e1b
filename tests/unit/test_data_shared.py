"""Files of public data sets as they are, through the door without any option."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd.data import as_time_series
from shared_data import shared

# file, rows, columns, first name, whether there is a time axis
READ = [
    ("it_monitoring/Web_Activity/preprocessed_1.csv", 7500, 10, "Cpu_php", True),
    ("it_monitoring/Antivirus_Activity/preprocessed_2.csv", 1321, 13, "memory_usage_Portal", True),
    ("it_monitoring/Storm_Ingestion_Activity/storm_data_normal.csv", 991, 8, "capacity_last_metric_bolt", True),
    ("causalrivers_flood/rivers_ts_flood.csv", 3010, 42, "59", True),
    ("causalrivers_flood/rivers_ts_flood_preprocessed.csv", 3004, 42, "59", False),
    ("tcdf_finance/random-rels_20_1_3_returns30007000_header.csv", 4000, 25, "S0", False),
    ("known_lag_pairs/gas-furnace.csv", 296, 2, "InputGasRate", False),
    ("known_lag_pairs/BJsales.csv", 150, 1, "value", True),
    ("known_lag_pairs/temperature.csv", 168, 2, "Indoor temperature", True),
    ("dream4/DREAM10/insilico_size10_1_timeseries.tsv", 105, 10, "G1", False),
    ("dream4/DREAM100/insilico_size100_1_timeseries.txt", 210, 100, "G1", False),
]


@pytest.mark.parametrize(("name", "rows", "columns", "first", "timed"), READ)
def test_f38_public_files_need_no_option(name: str, rows: int, columns: int, first: str, timed: bool) -> None:
    series = as_time_series(shared(name))
    assert (series.T, series.N, series.names[0]) == (rows, columns, first)
    assert (series.time is not None) is timed


def test_values_are_those_of_the_file() -> None:
    series = as_time_series(shared("causalrivers_flood/rivers_ts_flood_preprocessed.csv"))
    assert series.complete
    np.testing.assert_array_equal(series.values[0, :7], [0.032, 0.161, 0.048, 0.058, 0.477, 0.347, 109.0])


def test_a_hole_in_the_clock_is_filled_with_missing_rows() -> None:
    series = as_time_series(shared("known_lag_pairs/cpus.csv"))
    assert series.T == 1106 + 4 and series.time is not None
    assert (np.diff(series.time) == np.timedelta64(60, "s")).all()
    assert (~series.valid).sum(axis=0).tolist() == [4, 4]
    assert any("holes in the time axis: 1" in note and "4 rows" in note for note in series.notes)


def test_blank_lines_divide_trajectories() -> None:
    series = as_time_series(shared("dream3_size100/ecoli1.tsv"))
    assert len(series.segments) == 46 and {stop - start for start, stop in series.segments} == {21}


def test_several_header_lines_are_refused_by_line() -> None:
    path = shared("petshop/high_traffic/noissue/metrics.csv")
    with pytest.raises(ValueError, match=r"line 1: duplicated column name"):
        as_time_series(path)
