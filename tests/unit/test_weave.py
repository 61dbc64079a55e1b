"""Codes equal their slow twins and say what they promise."""

import numpy as np
import pytest

import naive
from arrow_cd import InvalidDataError, encode
from arrow_cd.data import as_time_series

CODES = [("level", 1), ("level", 2), ("level", 3), ("innovation", 2), ("even", 2), ("even", 3), ("trend", 2)]


def cases():
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(130, 6))
    walk = np.cumsum(noise, axis=0)
    few = np.column_stack([rng.integers(0, q, 130) for q in (2, 3, 4, 5, 8, 9)]).astype(float)
    spiked = noise.copy()
    spiked[7, 0], spiked[50, 1] = 1e9, -1e9
    holed = noise.copy()
    holed[rng.random(holed.shape) < 0.2] = np.nan
    holed[3:, 5] = np.nan
    holed[-1, 5] = 1.0
    return {"noise": noise, "walk": walk, "few": few, "spiked": spiked, "holed": holed}


@pytest.mark.parametrize(("code", "bits"), CODES)
@pytest.mark.parametrize("case", cases())
@pytest.mark.parametrize("sets", [1, 2])
def test_codes_equal_their_twin(case, code, bits, sets):
    values = cases()[case]
    series = as_time_series(values if sets == 1 else [values[:60], values[60:]])
    found = encode(series, code=code, bits=bits, tau_max=5).codes
    for i, x in enumerate(values.T):
        if code in ("innovation", "even") and case == "holed" and i == 5:
            # Four samples far apart: too few for a code with variance.
            assert set(found[:, i]) <= {-1, 0, 1, 2, 3, 4, 5, 6, 7}
            continue
        np.testing.assert_array_equal(found[:, i], naive.codes(x, code, bits, series.segments), err_msg=f"series {i}")


def test_levels_know_only_the_order_of_values():
    x = np.random.default_rng(0).normal(size=(200, 2))
    np.testing.assert_array_equal(encode(x).codes, encode(np.exp(3 * x)).codes)
    np.testing.assert_array_equal(encode(x).codes, 3 - encode(-x).codes)


def test_f18_a_missing_value_costs_its_own_samples_only():
    x = np.random.default_rng(1).normal(size=(100, 2))
    x[40, 0] = np.nan
    for code, missing in (("level", [40]), ("innovation", [0, 40, 41]), ("trend", [38, 39, 40, 98, 99])):
        planes = encode(x, code=code)
        assert np.flatnonzero(planes.codes[:, 0] < 0).tolist() == missing
        assert np.all((planes.codes[:, 1] < 0) == (encode(x[:, [1, 1]], code=code).codes[:, 1] < 0))


def test_f28_a_constant_series_is_left_out():
    x = np.random.default_rng(2).normal(size=(50, 3))
    x[:, 1] = 0.1
    planes = encode(x)
    assert planes.active.tolist() == [0, 2]
    assert np.all(planes.codes[:, 1] == -1)
    np.testing.assert_array_equal(planes.codes[:, [0, 2]], encode(x[:, [0, 2]]).codes)


def test_rows_are_packed():
    x = np.random.default_rng(3).normal(size=(640, 4))
    # One bit: a plane and its validity, ten words of eight bytes each.
    assert encode(x, bits=1).nbytes == 4 * 2 * 10 * 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"code": "levels"}, "code='levels': expected one of level, innovation, even, trend"),
        ({"bits": 4}, "bits=4: level codes have 1 or 2 or 3 bits"),
        ({"code": "trend", "bits": 1}, "bits=1: trend codes have 2 bits"),
        ({"tau_max": -1}, "tau_max=-1"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(InvalidDataError, match=message):
        encode(np.random.default_rng(0).normal(size=(50, 2)), **options)


def test_threads_and_progress():
    x = np.random.default_rng(5).normal(size=(200, 5))
    np.testing.assert_array_equal(encode(x, n_jobs=1).codes, encode(x, n_jobs=2).codes)
