"""The lag search equals its slow twin and finds what is there."""

import numpy as np
import polars as pl
import pytest

import arrow_cd
import naive
from arrow_cd import InvalidDataError, encode, lag_search, lag_search_top
from arrow_cd.data import as_time_series

CODES = [("level", 1), ("level", 2), ("level", 3), ("innovation", 2), ("even", 2), ("trend", 2)]


def coupled(T=129, N=4, seed=0):
    """Noise in which series 0 drives series 1 at lag 3."""
    x = np.random.default_rng(seed).normal(size=(T, N))
    x[3:, 1] -= 2 * x[:-3, 0]
    return x


def assert_equals_twin(series, tau_max, code, bits):
    found = lag_search(series, tau_max=tau_max, code=code, bits=bits)
    codes = [naive.codes(x, code, bits, series.segments) for x in series.values.T]
    for i, j, tau in np.ndindex(found.z.shape):
        x, y = naive.common(codes[i], codes[j], tau, series.segments)
        expected = (
            naive.association_z(x, y, bits, naive.WEIGHTS[code]),
            naive.agreement(x, y, bits, joint=code == "trend"),
            naive.information(x, y, bits),
        )
        if i == j and tau == 0:
            expected = (0.0, 0.0, 0.0)
        got = [array[i, j, tau] for array in (found.z, found.score, found.mi)]
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12, err_msg=f"{i} -> {j} at {tau}")


@pytest.mark.parametrize(("code", "bits"), CODES)
def test_complete_data_equal_the_twin(code, bits):
    assert_equals_twin(as_time_series(coupled()), 6, code, bits)


@pytest.mark.parametrize(("code", "bits"), CODES)
def test_f18_each_pair_and_lag_uses_its_own_common_samples(code, bits):
    x = coupled()
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    assert_equals_twin(as_time_series(x), 4, code, bits)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize(("code", "bits"), CODES)
def test_no_lag_reaches_from_one_data_set_into_another(code, bits, holes):
    x = coupled()
    if holes:
        x[np.random.default_rng(2).random(x.shape) < 0.1] = np.nan
    assert_equals_twin(as_time_series([x[:50], x[50:64], x[64:]]), 5, code, bits)


def test_few_distinct_values_equal_the_twin():
    x = (coupled(T=200, seed=3) > [1.2, 0, 0.3, -0.5]).astype(float)
    x[:, 2] += x[:, 3]
    for bits in (1, 2, 3):
        assert_equals_twin(as_time_series(x), 4, "level", bits)


def test_the_best_lag_is_the_true_one():
    found = lag_search(coupled(T=500), tau_max=8)
    assert found.best_tau.shape == (4, 4)
    assert found.best_tau[0, 1] == 3
    assert found.z[0, 1, 3] < -10
    first = found.to_frame().row(0, named=True)
    assert (first["source"], first["target"], first["tau"]) == ("X0", "X1", 3)
    assert first["z"] == found.z[0, 1, 3]
    assert first["score"] == found.score[0, 1, 3]
    assert first["mi"] == found.mi[0, 1, 3]


def test_the_best_lag_respects_tau_min():
    x = coupled(T=500)
    found = lag_search(x, tau_min=4, tau_max=8)
    assert np.all(found.best_tau >= 4)
    assert not found.z[..., :4].any() and not found.mi[..., :4].any() and not found.score[..., :4].any()
    np.testing.assert_array_equal(found.z[..., 4:], lag_search(x, tau_max=8).z[..., 4:])


def test_f28_a_constant_series_changes_nothing_else():
    x = coupled()
    wider = np.insert(x, 2, 0.1, axis=1)
    kept = np.ix_([0, 1, 3, 4], [0, 1, 3, 4])
    for array in ("z", "score", "mi"):
        with_constant, without = (getattr(lag_search(v, tau_max=4), array) for v in (wider, x))
        np.testing.assert_array_equal(with_constant[kept], without)
        assert not with_constant[2].any() and not with_constant[:, 2].any()
    assert "X2" not in lag_search_top(wider, tau_max=4, k=99)["source"].to_list()
    assert lag_search(wider, tau_max=4).to_frame().filter(pl.col("target") == "X2").is_empty()


def test_the_strongest_are_the_head_of_the_whole():
    x = coupled(T=300, N=6)
    x[::9, 4] = np.nan
    whole = lag_search(x, tau_max=5)
    top = lag_search_top(x, tau_max=5, k=4)
    assert top["rank"].to_list() == [1, 2, 3, 4] * 6
    for (target,), rows in top.group_by("target", maintain_order=True):
        j = int(target[1:])
        z = whole.z[:, j].ravel()
        order = np.argsort(-np.abs(z), kind="stable")[:4]
        assert rows["z"].to_list() == z[order].tolist()
        assert rows["source"].to_list() == [f"X{k // 6}" for k in order]
        assert rows["tau"].to_list() == [k % 6 for k in order]


def test_equal_strength_prefers_the_smaller_source_then_the_smaller_lag():
    x = np.random.default_rng(6).normal(size=200)
    copies = np.column_stack([x, x, x])
    top = lag_search_top(copies, tau_max=3, k=3).filter(pl.col("target") == "X2")
    assert top["source"].to_list()[:2] == ["X0", "X1"]
    assert top["tau"].to_list()[:2] == [0, 0]


@pytest.mark.parametrize("holes", [0.0, 0.05])
def test_threads_do_not_matter(holes):
    x = coupled(T=200, N=9)
    x[np.random.default_rng(7).random(x.shape) < holes] = np.nan
    one, two = (lag_search(x, tau_max=7, n_jobs=jobs) for jobs in (1, 2))
    for array in ("z", "score", "mi"):
        np.testing.assert_array_equal(getattr(one, array), getattr(two, array))
    tops = [lag_search_top(x, tau_max=7, n_jobs=jobs) for jobs in (1, 2)]
    assert tops[0].equals(tops[1])


def test_coded_series_can_be_searched_again():
    x = coupled()
    planes = encode(x, code="innovation", bits=1, tau_max=9)
    np.testing.assert_array_equal(
        lag_search(planes, tau_max=9).z, lag_search(x, tau_max=9, code="innovation", bits=1).z
    )
    with pytest.raises(InvalidDataError, match="coded already"):
        lag_search(planes, tau_max=9, bits=2)
    with pytest.raises(InvalidDataError, match="coded for lags up to 2"):
        lag_search(encode([x, x], tau_max=2), tau_max=3)


def test_f5_memory_is_bounded_before_anything_is_allocated():
    x = coupled(N=30)
    with pytest.raises(MemoryError, match="takes 43200 bytes for N=30 and tau_max=5"):
        lag_search(x, tau_max=5, memory_budget=43_199)
    assert lag_search(x, tau_max=5, memory_budget=43_200).mi.nbytes == 43_200


def test_f5_thousands_of_series_are_searched_sparsely():
    x = np.random.default_rng(8).normal(size=(250, 1000))
    x[2:, 7] = x[:-2, 3]
    top = lag_search_top(x, tau_max=3, k=2, bits=1)
    assert len(top) == 2000
    assert top.row(14, named=True) | {"z": 0} == {"target": "X7", "rank": 1, "source": "X3", "tau": 2, "z": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau_max": 3, "tau_min": 4}, "expected 0 <= tau_min <= tau_max"),
        ({"tau_max": 3, "tau_min": -1}, "tau_min=-1: expected a whole number of at least 0"),
        ({"tau_max": 3, "n_jobs": -1}, "n_jobs=-1"),
        ({"tau_max": 127}, "too few rows"),
        ({"tau_max": 3, "code": "levels"}, "code='levels'"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(InvalidDataError, match=message):
        lag_search(coupled(), **options)


def test_the_strongest_need_at_least_one():
    with pytest.raises(InvalidDataError, match="k=0"):
        lag_search_top(coupled(), tau_max=3, k=0)


def test_progress_counts_targets():
    seen = []
    lag_search(np.random.default_rng(9).normal(size=(4000, 120)), tau_max=60, progress=lambda *step: seen.append(step))
    assert seen == sorted(set(seen))
    assert all(phase == "lags" and 0 < done <= total == 120 for phase, done, total in seen)


def test_names_are_public():
    for name in ("encode", "lag_search", "lag_search_top", "LagSearch", "Planes"):
        assert name in arrow_cd.__all__ and getattr(arrow_cd, name)
