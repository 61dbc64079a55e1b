"""The time axis: how it is found, and how disorder, repetition and holes are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.errors import InvalidDataError

START = np.datetime64("2021-01-01T00:00:00", "us")


def dated(steps: np.ndarray, unit: str = "m") -> pl.DataFrame:
    values = np.random.default_rng(1).normal(size=len(steps))
    return pl.DataFrame({"time": START + steps.astype(f"timedelta64[{unit}]"), "x": values})


def said(series: TimeSeries, *words: str) -> bool:
    return any(all(word in note for word in words) for note in series.notes)


def test_disorder_names_the_row(tmp_path: Path) -> None:
    steps = np.arange(30)
    steps[[11, 12]] = steps[[12, 11]]
    with pytest.raises(InvalidDataError, match=r"row 12 .*earlier time 2021-01-01T00:11.*must increase"):
        as_time_series(dated(steps))
    dated(steps).write_csv(tmp_path / "x.csv")
    with pytest.raises(InvalidDataError, match=r"line 14 \(data row 13\)"):
        as_time_series(tmp_path / "x.csv")


def test_repeated_time_names_the_row_and_the_way_out() -> None:
    steps = np.arange(30)
    steps[7] = 6
    with pytest.raises(InvalidDataError, match=r"row 7 .*repeats the time 2021-01-01T00:06.*group_by"):
        as_time_series(dated(steps))


@pytest.mark.parametrize("bad", ["soon", "", "2021-13-01"])
def test_a_bad_time_stamp_names_its_cell(tmp_path: Path, bad: str) -> None:
    stamps = [f"2021-01-{day:02d}" for day in range(1, 29)]
    stamps[20] = bad
    path = tmp_path / "x.csv"
    path.write_text("when,x\n" + "".join(f"{stamp},{k}.5\n" for k, stamp in enumerate(stamps)))
    with pytest.raises(InvalidDataError, match=r"line 22 \(data row 21\), column 'when': .* is not a time stamp"):
        as_time_series(path)


def test_few_missing_rows_are_inserted_so_that_lags_stay_honest() -> None:
    steps = np.delete(np.arange(100), [40, 41, 70])
    series = as_time_series(dated(steps))
    assert series.T == 100 and np.flatnonzero(~series.valid[:, 0]).tolist() == [40, 41, 70]
    assert series.time is not None and (np.diff(series.time) == np.timedelta64(60, "s")).all()
    assert said(series, "holes in the time axis: 2", "2021-01-01T00:39", "3 rows", "filled")


def test_a_long_hole_ends_a_data_set() -> None:
    steps = np.delete(np.arange(1000), np.arange(300, 700))
    series = as_time_series(dated(steps))
    assert series.segments == ((0, 300), (300, 600)) and series.complete
    assert said(series, "400 rows", "ends a data set")


def test_weekends_are_too_many_to_fill() -> None:
    days = np.arange(1000)
    series = as_time_series(dated(days[days % 7 < 5], "D"))
    assert series.T == 715 and series.complete
    assert said(series, "too many to fill", "from 1 day to 3 days", "lags count rows")


def test_an_irregular_axis_is_said() -> None:
    series = as_time_series(dated(np.cumsum(np.random.default_rng(0).integers(50, 150, 200))))
    assert series.T == 200 and said(series, "irregular", "lags count rows, not time")


def test_a_jittering_clock_is_regular() -> None:
    steps = np.arange(200) * 300 + np.random.default_rng(0).integers(-5, 6, 200)
    series = as_time_series(dated(steps, "s"))
    assert series.T == 200 and not said(series, "irregular") and not said(series, "holes")


@pytest.mark.parametrize("last", [False, True])
def test_months_are_regular_whatever_their_length(last: bool) -> None:
    months = np.arange("2000-01", "2010-01", dtype="datetime64[M]")
    days = (months + 1).astype("datetime64[D]") - 1 if last else months.astype("datetime64[D]")
    frame = pl.DataFrame({"month": days, "x": np.random.default_rng(0).normal(size=120)})
    assert not said(as_time_series(frame), "time axis is irregular")
    gappy = as_time_series(frame.filter(pl.int_range(pl.len()) != 50))
    assert gappy.T == 120 and not gappy.valid[50, 0]


@pytest.mark.parametrize("pattern", ["%m/%d/%Y", "%d/%m/%Y", "%Y-%m", "%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M"])
def test_common_ways_to_write_a_date(tmp_path: Path, pattern: str) -> None:
    months = pl.date_range(pl.date(2000, 1, 1), pl.date(2004, 12, 1), interval="1mo", eager=True)
    frame = pl.DataFrame(
        {"when": months.cast(pl.Datetime).dt.strftime(pattern), "x": np.random.default_rng(0).normal(size=60)}
    )
    frame.write_csv(tmp_path / "x.csv")
    series = as_time_series(tmp_path / "x.csv")
    assert series.time is not None and len(series.segments) == 1
    np.testing.assert_array_equal(series.time.astype("datetime64[D]"), months.to_numpy())


def test_time_column_is_found_named_or_refused() -> None:
    frame = pl.DataFrame({"k": [1, 2, 3, 4], "x": [1.5, 0.5, 2.5, 1.0], "clock": [0.0, 0.5, 1.0, 1.5]})
    found = as_time_series(frame)
    assert found.names == ("x", "clock") and said(found, "'k' is taken as the time axis")
    named = as_time_series(frame, time_column="clock")
    assert named.names == ("k", "x") and named.time is not None and named.time[1] == 0.5
    assert as_time_series(frame, time_column=False).names == ("k", "x", "clock")
    assert as_time_series(frame, columns=["k", "x"]).names == ("k", "x")
    with pytest.raises(InvalidDataError, match="no column named 'hour'"):
        as_time_series(frame, time_column="hour")


def test_a_row_number_before_the_time_is_left_out(tmp_path: Path) -> None:
    dated(np.arange(20)).with_row_index("").write_csv(tmp_path / "x.csv")
    series = as_time_series(tmp_path / "x.csv")
    assert series.names == ("x",) and series.time is not None and series.time.dtype.kind == "M"
    assert said(series, "row labels", "column_1")


def test_row_labels_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(",a\nr1,1.5\nr2,0.5\nr3,2.5\n")
    series = as_time_series(tmp_path / "x.csv")
    assert series.names == ("a",) and series.time is None and said(series, "row labels")


def test_data_sets_sampled_differently_are_said() -> None:
    one, two = dated(np.arange(20)), dated(np.arange(20) * 5)
    frame = pl.concat([one.with_columns(site=pl.lit("n")), two.with_columns(site=pl.lit("s"))])
    series = as_time_series(frame, group_by="site")
    assert series.segments == ((0, 20), (20, 40)) and said(series, "different intervals")
