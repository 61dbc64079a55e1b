"""Columns that break tests (constants, copies), tables on their side, and series that are too short."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.data.checks import constant_columns, near_duplicate_sets
from arrow_cd.errors import InvalidDataError


def noise(T: int = 300, N: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(T, N))


def said(series: TimeSeries, *words: str) -> bool:
    return any(all(word in note for word in words) for note in series.notes)


@pytest.mark.parametrize("level", [0.0, 1.0, 0.1, 1 / 3, -1e300, 5e-324, 1e9])
def test_f28_f47_constant_columns_are_flagged_named_and_left_out(level: float) -> None:
    given = noise()
    given[:, 3] = level
    series = as_time_series(given, names=list("abcde"))
    assert series.constant.tolist() == [False, False, False, True, False]
    assert series.active().tolist() == [0, 1, 2, 4]
    assert said(series, "constant", "not testable", "d")


def test_f47_a_constant_with_rounding_noise_is_constant_and_a_small_signal_is_not() -> None:
    level = 0.1 + 1e-15 * noise()[:, 0]
    assert np.ptp(level) > 0
    signal = 1e6 + 1e-3 * noise()[:, 0]
    assert constant_columns(np.stack([level, signal], axis=1)).tolist() == [True, False]


def test_a_column_without_any_value_is_not_testable_and_named() -> None:
    given = noise()
    given[:, 1] = np.nan
    series = as_time_series(given)
    assert series.constant.tolist() == [False, True, False, False, False]
    assert said(series, "without any value", "X1")
    assert said(series, "missing values per column: X1 300")


def test_a_marker_of_missing_values_that_nobody_named_is_suspected() -> None:
    given = noise()
    given[[3, 70], 2] = -999
    given[5, 4] = -999  # once may be a value
    series = as_time_series(given, names=list("abcde"))
    assert said(series, "-999 may stand for missing values", "c 2;", "--na -999")
    assert not said(as_time_series(given, na=[-999]), "may stand for")


def test_values_that_look_like_markers_among_others_are_not_suspected() -> None:
    given = 1000 * noise(T=900)
    given[:2, 0] = 999
    assert not said(as_time_series(given), "may stand for")


@pytest.mark.parametrize("scale", [1.0, -1.0, 1e-6, -3e8])
@pytest.mark.parametrize("jitter", [0.0, 1e-9])
def test_f26_f27_near_duplicates_are_named_as_sets(scale: float, jitter: float) -> None:
    given = noise()
    given[:, 3] = scale * (given[:, 0] + jitter * noise(seed=1)[:, 0])
    given[:, 4] = given[:, 0] + 7
    series = as_time_series(given)
    assert said(series, "near-duplicate", "X0, X3, X4")
    assert not series.constant.any()


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_copies_are_found_in_tables_wider_than_one_block(missing: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(700, 600))
    for original, copy in [(0, 599), (250, 258), (300, 1)]:
        x[:, copy] = 2 - 3 * x[:, original]
    x[rng.random(x.shape) < missing] = np.nan
    assert near_duplicate_sets(x, np.zeros(600, dtype=bool)) == [(0, 599), (1, 300), (250, 258)]


def test_strongly_related_columns_are_no_duplicates() -> None:
    given = noise()
    given[:, 3] = given[:, 0] + 1e-3 * given[:, 1]
    given[:, 4] = given[:, 0] ** 3
    assert near_duplicate_sets(given, np.zeros(5, bool)) == []


def test_f27_two_sets_of_copies_with_holes_are_told_apart() -> None:
    given = noise(2000, 6)
    given[:, 4], given[:, 5] = -given[:, 1], given[:, 0]
    given[np.random.default_rng(2).random(given.shape) < 0.2] = np.nan
    assert near_duplicate_sets(given, np.zeros(6, bool)) == [(0, 5), (1, 4)]


def test_columns_that_are_zero_wherever_both_are_known_are_no_duplicates() -> None:
    given = noise(300, 2)
    given[::2, 0], given[1::2, 1] = np.nan, np.nan
    given[:20] = 0.0
    assert near_duplicate_sets(given, np.zeros(2, bool)) == []


def test_copies_that_differ_outside_the_sampled_rows_are_no_duplicates() -> None:
    given = noise(5000, 2)
    given[:, 1] = given[:, 0]
    given[1:5000:7, 1] += 1.0
    assert near_duplicate_sets(given, np.zeros(2, bool)) == []


def test_a_table_on_its_side_is_refused() -> None:
    with pytest.raises(InvalidDataError, match=r"5 rows and 300 columns: .* looks transposed"):
        as_time_series(noise().T)
    assert said(as_time_series(noise(20, 30)), "more columns (30) than rows (20)")


def test_thousands_of_columns_with_hundreds_of_rows_are_taken() -> None:
    assert said(as_time_series(noise(100, 1000)), "more columns (1000) than rows (100)")


@pytest.mark.parametrize(("T", "rows", "left"), [(6, "pcmci", 0), (8, "pcmci", 2), (12, "pcmci", 6), (12, "lagged", 9)])
def test_f15_f16_f17_too_few_rows_state_what_is_left_and_needed(T: int, rows: str, left: int) -> None:
    series = as_time_series(noise(T))
    assert series.sample_rows(3, rows) == left
    with pytest.raises(
        InvalidDataError, match=rf"T={T} with tau_max=3 leaves {left} rows .* but 20 are needed for N=5"
    ):
        series.require_rows(3, 20, rows)
    assert series.require_rows(3, left, rows) == left


def test_rows_are_counted_within_data_sets() -> None:
    series = as_time_series([noise(10), noise(4), noise(20)])
    assert series.sample_rows(3) == 4 + 0 + 14
    with pytest.raises(InvalidDataError, match="T=34 in 3 data sets"):
        series.require_rows(3, 19)


def test_data_sets_of_different_width_are_named() -> None:
    with pytest.raises(InvalidDataError, match="data set 1 has 3 columns, the first data set has 5"):
        as_time_series([noise(), noise(N=3)])


def test_select_keeps_flags_and_order() -> None:
    given = noise()
    given[:, 2] = 4.0
    series = as_time_series(given).select(["X2", "X0"])
    assert series.names == ("X2", "X0") and series.constant.tolist() == [True, False]
    np.testing.assert_array_equal(series.values, given[:, [2, 0]])
    with pytest.raises(InvalidDataError, match="no column named 'X9'"):
        series.index("X9")


def test_a_series_comes_back_as_it_is() -> None:
    series = as_time_series(noise())
    assert as_time_series(series) is series
    assert as_time_series(series, preprocess="none") is series
    assert as_time_series(series, columns=["X1"], names=["y"]).names == ("y",)
    with pytest.raises(InvalidDataError, match="na has no effect"):
        as_time_series(series, na=["x"])
