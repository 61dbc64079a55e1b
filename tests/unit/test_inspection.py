"""What `inspect_data` finds in columns whose nature is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from arrow_cd.data import as_time_series
from arrow_cd.diagnostics import lag_one_autocorrelation, tie_share, trends_and_seasons
from arrow_cd.inspection import Inspection, inspect_data, trend_notes

T = 600


def autoregressive(phi: float, seed: int, length: int = T) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=length + 100)
    for t in range(1, len(noise)):
        noise[t] += phi * noise[t - 1]
    return noise[100:]


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=shape)


def report() -> Inspection:
    clock = np.arange(T)
    columns = {
        "plain": autoregressive(0.5, 0),
        "trend": 0.01 * clock + autoregressive(0.5, 1),
        "season": 2 * np.sin(2 * np.pi * clock / 24) + autoregressive(0.3, 2),
        "flat": np.repeat(noise(T // 6), 6),
        "binary": (autoregressive(0.0, 3) > 0).astype(float),
        "counts": np.random.default_rng(5).poisson(4, size=T),
        "spiky": np.where(np.isin(clock, [7, 60, 333, 500]), 80.0, autoregressive(0.0, 4)),
        "fixed": np.full(T, 0.3),
        "empty": np.full(T, np.nan),
    }
    columns["copy"] = -3 * columns["plain"]
    columns["counts"] = np.where(clock == 9, np.nan, columns["counts"])
    return inspect_data(columns)


def test_kinds_missing_values_and_copies() -> None:
    columns = {column.column: column for column in report().columns}
    kinds = {"plain": "real", "binary": "binary", "counts": "whole", "fixed": "constant", "empty": "empty"}
    assert {name: columns[name].kind for name in kinds} == kinds
    assert columns["counts"].missing == 1 and columns["empty"].missing == T
    assert columns["plain"].copies == "copy" and columns["trend"].copies == ""
    assert columns["flat"].ties == pytest.approx(500 / 599)
    assert columns["plain"].memory == pytest.approx(0.5, abs=0.1)
    assert columns["spiky"].outliers == pytest.approx(4 / T)
    assert columns["season"].season == 24 and columns["trend"].season is None


def test_f45_only_shared_trends_and_seasons_are_warned_of_with_a_way_out() -> None:
    found = report()
    assert not any("trend" in warning or "season" in warning for warning in found.warnings)
    trends = np.linspace(0, 10, 300)[:, None] + np.random.default_rng(0).normal(size=(300, 8))
    (warning,) = inspect_data(trends).warnings
    assert warning.startswith("8 columns look like they trend or drift (X0, X1, X2, X3, X4, X5, X6, X7)")
    assert "detrend" in warning and trend_notes(as_time_series(trends)) == (warning,)
    assert trend_notes(as_time_series(trends, preprocess="detrend")) == ()
    seasons = np.sin(np.arange(300)[:, None] * np.pi / 6) + 0.3 * np.random.default_rng(0).normal(size=(300, 3))
    (warning,) = trend_notes(as_time_series(seasons))
    assert "season of about 12 samples (X0, X1, X2)" in warning and "deseasonalise:12" in warning
    assert inspect_data(np.random.default_rng(0).normal(size=(300, 8))).warnings == ()


def test_columns_that_linear_tests_handle_badly_are_named() -> None:
    assert report().warnings == (
        "flat: mostly repeat the value before",
        "spiky: outliers; see preprocess winsorise",
        "binary: two values only; partial correlation assumes real numbers",
    )


def test_report_as_frame_and_lines() -> None:
    found = report()
    frame = found.to_frame()
    assert frame["column"].to_list() == list(found.series.names) and frame["copies"][0] == "copy"
    numbers = ("ties", "sd", "memory", "trend", "outliers")
    assert all(frame[name].is_nan().sum() == 0 for name in numbers)
    assert frame.filter(frame["kind"] == "constant").select("sd", "memory", "trend", "season").row(0) == (None,) * 4
    assert found.lines() == [f"{T} rows, 10 columns, {T + 1} missing values", "time axis: none"]


def test_time_axis_in_words() -> None:
    days = np.arange("2021-01-01", "2021-03-02", dtype="datetime64[D]")
    regular = inspect_data({"day": days, "x": noise(60)})
    assert regular.time == "regular, every day"
    steps = np.cumsum(np.where(np.arange(60) % 5 == 4, 3, 1))
    assert inspect_data(
        {"t": np.cumsum(np.random.default_rng(5).integers(50, 150, 60)), "x": noise(60)}
    ).time.startswith("irregular")
    assert inspect_data({"t": steps, "x": noise(60)}).time == "regular with holes, steps from 1 to 3, median 1"


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 1.0])
def test_seasons_are_rarely_seen_in_noise(phi: float) -> None:
    columns = np.stack([autoregressive(phi, seed, 1000) for seed in range(40)])
    assert sum(period is not None for period in trends_and_seasons(columns, [(0, 1000)])[1]) <= 6


@pytest.mark.parametrize("period", [7, 24, 150])
def test_seasons_are_found_despite_trend_and_holes(period: int) -> None:
    clock = np.arange(1000)
    series = np.sin(2 * np.pi * clock / period) + 0.01 * clock + 0.3 * autoregressive(0.5, 8, 1000)
    series[np.random.default_rng(6).random(1000) < 0.1] = np.nan
    _, (found,) = trends_and_seasons(series[None], [(0, 1000)])
    assert found is not None and abs(found - period) <= max(1, 0.03 * period)


def test_numbers_equal_scipy_on_one_data_set() -> None:
    series = autoregressive(0.7, 9)
    line = stats.linregress(np.arange(T), series)
    assert trends_and_seasons(series[None], [(0, T)])[0] == pytest.approx(line.rvalue**2)
    assert lag_one_autocorrelation(series, [(0, T)]) == pytest.approx(stats.pearsonr(series[:-1], series[1:])[0])


def test_nothing_reaches_across_data_sets() -> None:
    steps = np.concatenate([np.zeros(50), np.ones(50)])
    assert tie_share(steps, [(0, 50), (50, 100)]) == 1.0 and tie_share(steps, [(0, 100)]) < 1.0
    assert trends_and_seasons(steps[None], [(0, 50), (50, 100)])[0] == 0.0
    assert lag_one_autocorrelation(np.ones(1), [(0, 1)]) is None and tie_share(np.ones(1), [(0, 1)]) is None
    assert as_time_series([steps[:50, None], steps[50:, None]]).segments == ((0, 50), (50, 100))


@pytest.mark.parametrize("factor", [1e300, 1e-300])
def test_the_scale_of_the_data_changes_no_hint(factor):
    x = np.random.default_rng(0).standard_normal((200, 2))
    # Every float near 1e300 is a whole number, so the kind may differ.
    plain, scaled = (inspect_data(values).to_frame().drop("sd", "kind") for values in (x, x * factor))
    for name in plain.columns:
        assert scaled[name].to_list() == pytest.approx(plain[name].to_list()), name
