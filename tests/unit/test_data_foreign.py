"""Frames of other libraries through the door; both are recognised by shape and never imported by the package."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.errors import InvalidDataError

DataFrame = pytest.importorskip("tigramite.data_processing").DataFrame


def noise(T: int = 60, N: int = 3) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(T, N))


def said(series: TimeSeries, *words: str) -> bool:
    return any(all(word in note for word in words) for note in series.notes)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(60),
        pd.Index(np.arange(60)[::-1]),
        pd.Index(list("ab") * 30),
        pd.MultiIndex.from_product([range(6), range(10)]),
        pd.Index(np.linspace(0, 1, 60), name="s"),
    ],
)
def test_f39_any_pandas_index_is_accepted(index: pd.Index) -> None:
    series = as_time_series(pd.DataFrame(noise(), columns=["a", "b", "c"], index=index))
    np.testing.assert_array_equal(series.values, noise())
    assert series.names == ("a", "b", "c") and series.time is None


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2021-01-01", periods=60, freq="h"),
        pd.date_range("2021-01-01", periods=60, freq="h", tz="Europe/Berlin"),
        pd.period_range("2021-01", periods=60, freq="M"),
    ],
)
def test_a_pandas_index_of_dates_is_the_time_axis(index: pd.Index) -> None:
    series = as_time_series(pd.DataFrame(noise(), index=index))
    assert series.names == ("0", "1", "2")
    assert series.time is not None and series.time.dtype.kind == "M" and said(series, "index is taken as the time axis")
    assert not said(series, "irregular") and series.T == 60


def test_pandas_dtypes_and_missing_values() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "f": np.array([1, np.nan, 3], dtype="float32"),
            "o": ["1.5", None, "NA"],
            "c": pd.Categorical([2, 1, 2]),
            "u": np.array([True, False, True]),
        }
    )
    before = frame.copy()
    series = as_time_series(frame, time_column=False)
    nan = np.nan
    np.testing.assert_array_equal(
        series.values, [[1, 1, 1, 1.5, 2, 1], [nan, nan, nan, nan, 1, 0], [3, 0, 3, nan, 2, 1]]
    )
    pd.testing.assert_frame_equal(frame, before)


def test_pandas_columns_of_dates_and_text() -> None:
    frame = pd.DataFrame({"when": pd.date_range("2021-01-01", periods=60, freq="h", tz="UTC"), "a": noise()[:, 0]})
    assert as_time_series(frame).names == ("a",)
    frame["place"] = "here"
    with pytest.raises(InvalidDataError, match=r"the frame, row 0 .*column 'place': 'here' is not a number"):
        as_time_series(frame)
    with pytest.raises(InvalidDataError, match="duplicated column names: 'a'"):
        as_time_series(pd.DataFrame(noise(), columns=["a", "b", "a"]))
    assert as_time_series(frame["a"]).names == ("a",)


def test_f19_tigramite_missing_flag_becomes_nan() -> None:
    given = noise()
    given[5, 1] = 999.0
    frame = DataFrame(given, missing_flag=999.0, var_names=["a", "b", "c"])
    series = as_time_series(frame)
    assert series.names == ("a", "b", "c")
    assert np.argwhere(~series.valid).tolist() == [[5, 1]]


def test_tigramite_data_sets_become_segments() -> None:
    series = as_time_series(DataFrame({0: noise(60), 1: noise(40)}, analysis_mode="multiple"))
    assert series.segments == ((0, 60), (60, 100)) and series.names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"mask": np.zeros((60, 3))}, "a mask"),
        ({"vector_vars": {0: [(0, 0), (1, 0)], 1: [(2, 0)]}}, "vector_vars"),
        ({"reference_points": [10, 11]}, "reference_points"),
        ({"missing_flag": 9.0, "remove_missing_upto_maxlag": True}, "remove_missing_upto_maxlag"),
    ],
)
def test_tigramite_frames_that_are_more_than_data_are_refused_by_name(options: dict, what: str) -> None:
    with pytest.raises(InvalidDataError, match=f"DataFrame with {what}"):
        as_time_series(DataFrame(noise(), **options))


def test_the_door_imports_neither() -> None:
    code = "import sys, arrow_cd.data; print({'pandas', 'tigramite', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
