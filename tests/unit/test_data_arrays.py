"""Arrays through the door: dtypes, copies, several data sets, and messages for what can't be taken."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError


def walk(T: int = 50, N: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(T, N))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float32", "float64", "bool", "object", "U8"])
def test_f34_every_dtype_is_read_as_float64(dtype: str) -> None:
    given = (walk() > 0).astype(int).astype(dtype)
    series = as_time_series(given)
    assert series.values.dtype == np.float64
    np.testing.assert_array_equal(series.values, (walk() > 0).astype(float))
    assert series.names == ("X0", "X1", "X2")
    assert series.time is None and series.segments == ((0, 50),)


def test_f19_callers_array_is_never_changed_nor_shared() -> None:
    given = walk()
    given[3, 1] = -999.0
    before = given.copy()
    series = as_time_series(given, na=[-999], preprocess=["winsorise", "standardise", "detrend"])
    np.testing.assert_array_equal(given, before)
    assert not np.shares_memory(series.values, given)
    assert not series.valid[3, 1] and (~series.valid).sum() == 1
    with pytest.raises(ValueError, match="read-only"):
        series.values[0, 0] = 1.0


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_f23_f25_infinity_is_refused_naming_row_and_column(bad: float) -> None:
    given = walk()
    given[17, 2] = bad
    with pytest.raises(InvalidDataError, match=r"row 17 .*column 'X2': -?inf is not a finite number"):
        as_time_series(given)


def test_core_arrays_are_contiguous_with_zero_behind_missing() -> None:
    given = walk()
    given[4, 0] = np.nan
    values, valid, segments = as_time_series(given).core_arrays([2, 0])
    assert values.shape == (2, 50) and values.flags.c_contiguous and values[1, 4] == 0
    assert valid is not None and not valid[1, 4] and valid.sum() == 99
    assert segments == [(0, 50)]
    values, valid, _ = as_time_series(walk()).core_arrays()
    assert valid is None
    np.testing.assert_array_equal(values, walk().T)


@pytest.mark.parametrize(
    "given", [walk(40, 6).reshape(2, 20, 6), [walk(20, 6), walk(20, 6)], {"a": walk(20, 6), 1: walk(20, 6)}]
)
def test_several_data_sets_become_segments(given: object) -> None:
    series = as_time_series(given)
    assert series.segments == ((0, 20), (20, 40)) and series.T == 40 and series.N == 6


def test_polars_frame_keeps_names_and_finds_time() -> None:
    frame = pl.DataFrame(
        {
            "day": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 2, 19), eager=True),
            "a": walk()[:, 0],
            "b": walk()[:, 1],
        }
    )
    series = as_time_series(frame)
    assert series.names == ("a", "b") and series.time is not None and series.time.dtype == "datetime64[us]"
    assert any("'day' is taken as the time axis" in note for note in series.notes)


def test_what_is_no_table_is_named_by_its_type() -> None:
    with pytest.raises(InvalidDataError, match=r"can't read data of type object; expected a table of shape \(T, N\)"):
        as_time_series(object())
