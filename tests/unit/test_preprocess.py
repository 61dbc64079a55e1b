"""Preprocessing: what each step leaves, with missing values and several data sets."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError

RNG = np.random.default_rng(3)
NOISE = RNG.normal(size=(240, 3))
HOLES = np.random.default_rng(4).random(NOISE.shape) < 0.1


def test_detrend_equals_scipy_and_works_within_data_sets() -> None:
    trend = np.linspace(0, 9, 240)[:, None] * [1, -2, 0]
    series = as_time_series(NOISE + trend, preprocess="detrend")
    np.testing.assert_allclose(series.values, signal.detrend(NOISE + trend, axis=0), atol=1e-12)
    twice = as_time_series([NOISE + trend, NOISE - 3 * trend], preprocess="detrend")
    np.testing.assert_allclose(twice.values[240:], signal.detrend(NOISE - 3 * trend, axis=0), atol=1e-12)
    assert any("straight line" in note for note in twice.notes)


def test_detrend_ignores_missing_values() -> None:
    line = np.where(HOLES, np.nan, np.arange(240.0)[:, None] * [1, -2, 5] + 3)
    series = as_time_series(line, preprocess="detrend")
    assert (series.valid == ~HOLES).all()
    assert np.nanmax(np.abs(series.values)) < 1e-9


def test_deseasonalise_removes_the_mean_of_each_phase() -> None:
    season = np.tile(RNG.normal(size=(24, 3)), (10, 1))
    series = as_time_series(np.where(HOLES, np.nan, NOISE + season), preprocess="deseasonalise:24")
    phases = np.stack([np.nanmean(series.values[k::24], axis=0) for k in range(24)])
    assert np.abs(phases).max() < 1e-12
    assert any("period of 24 samples" in note for note in series.notes)


def test_winsorise_clips_at_five_robust_deviations() -> None:
    given = NOISE.copy()
    given[7, 1], given[9, 2] = 100.0, np.nan
    series = as_time_series(given, preprocess="winsorise")
    centre = np.median(given[:, 1])
    limit = centre + 5 * 1.4826 * np.median(np.abs(given[:, 1] - centre))
    assert series.values[7, 1] == pytest.approx(limit)
    assert (series.values != given).sum() == 2  # the outlier, and NaN which equals nothing
    assert any("1 values clipped" in note for note in series.notes)


def test_winsorise_of_a_mostly_equal_column_uses_the_standard_deviation() -> None:
    given = NOISE.copy()
    given[:, 0] = 0
    given[:20, 0] = 1
    np.testing.assert_array_equal(as_time_series(given, preprocess="winsorise").values[:, 0], given[:, 0])


def test_standardise_and_order_of_steps() -> None:
    series = as_time_series(np.where(HOLES, np.nan, NOISE * 7 + 3), preprocess=["winsorise", "standardise"])
    np.testing.assert_allclose(np.nanmean(series.values, axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.nanstd(series.values, axis=0), 1)
    assert [note.split()[1] for note in series.notes if note.startswith("preprocessing")] == ["0", "every"]
    same = as_time_series(np.where(HOLES, np.nan, NOISE * 7 + 3), preprocess="winsorise, standardise")
    np.testing.assert_array_equal(same.values, series.values)


def test_a_purely_seasonal_column_is_constant_afterwards() -> None:
    given = NOISE.copy()
    given[:, 2] = np.tile([1.0, 2.0, 4.0], 80)
    series = as_time_series(given, preprocess="deseasonalise:3")
    assert series.constant.tolist() == [False, False, True]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-1015, 1018])
@pytest.mark.parametrize("step", ["detrend", "deseasonalise:7", "winsorise", "standardise"])
def test_units_at_the_ends_of_the_range_of_floats_do_not_matter(step: str, exponent: int) -> None:
    plain = as_time_series(NOISE, preprocess=step).values
    scaled = as_time_series(np.ldexp(NOISE, exponent), preprocess=step).values
    np.testing.assert_allclose(scaled if step == "standardise" else np.ldexp(scaled, -exponent), plain, rtol=1e-6)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("smooth", "unknown preprocess 'smooth'; expected none, detrend"),
        ("detrend:3", "unknown preprocess"),
        ("deseasonalise", "PERIOD must be a whole number"),
        ("deseasonalise:1", "PERIOD must be a whole number"),
        ("deseasonalise:2.5", "PERIOD must be a whole number"),
        ("deseasonalise:121", "needs two full periods, but the longest data set has 240 rows"),
    ],
)
def test_bad_steps_are_named(steps: str, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        as_time_series(NOISE, preprocess=steps)
