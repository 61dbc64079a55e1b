import numpy as np

from arrow_cd.data import as_time_series
from arrow_cd.inspection import inspect_data, trend_notes

T = 480
rng = np.random.default_rng(3)
noise = rng.normal(size=T)
clock = np.arange(T)
columns = {
    "noise": noise,
    "line": 0.1 * clock + noise,
    "daily": np.sin(clock * 2 * np.pi / 24) + 0.3 * noise,
    "counts": rng.poisson(0.3, T).astype(float),
    "flat": np.full(T, 0.1),
    "holes": np.where(clock % 10 == 0, np.nan, noise),
}


def row(name):
    return {r["column"]: r for r in inspect_data(columns).iter_rows(named=True)}[name]


def test_noise_has_nothing_to_report():
    found = row("noise")
    assert found["missing"] == 0 and found["distinct"] == T and found["ties"] == 0
    assert abs(found["memory"]) < 0.15 and found["trend"] < 0.02 and found["season"] is None
    np.testing.assert_allclose(found["sd"], noise.std())


def test_a_trend_is_not_taken_for_a_season():
    assert row("line")["trend"] > 0.9 and row("line")["season"] is None


def test_the_period_of_a_season_is_found():
    assert row("daily")["season"] == 24 and row("daily")["trend"] < 0.1


def test_ties_and_missing_values_are_counted():
    assert row("counts")["ties"] > 0.4
    assert row("holes")["missing"] == T // 10 and row("holes")["distinct"] == T - T // 10


def test_a_constant_column_has_no_numbers():
    found = row("flat")
    assert found["constant"] and found["distinct"] == 1
    assert found["sd"] is found["memory"] is found["trend"] is found["season"] is None


def test_nothing_is_ever_nan():
    frame = inspect_data(columns)
    assert all(frame[name].is_nan().sum() == 0 for name in ("ties", "sd", "memory", "trend"))


def test_a_perfect_line_is_all_trend():
    (found,) = inspect_data(clock.astype(float)).iter_rows(named=True)
    assert abs(found["trend"] - 1) < 1e-12
    assert found["season"] is None


def test_only_a_shared_trend_is_worth_a_note():
    assert trend_notes(as_time_series(columns)) == ()
    (note,) = trend_notes(as_time_series(columns | {"second": -columns["line"] + rng.normal(size=T)}))
    assert note.startswith("2 columns look like they trend (line, second)")
