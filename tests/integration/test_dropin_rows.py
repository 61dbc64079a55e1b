"""The drop-in tests use the rows that tigramite's own use, whatever chooses them and whenever it changes."""

from __future__ import annotations

import numpy as np
import pytest
from dropin_cases import (
    CUT_OFFS,
    NODES,
    PAIRS,
    Pair,
    X,
    Y,
    Z,
    assert_same_tests,
    both,
    outcome,
    same,
    system,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tigramite.data_processing import DataFrame

pytestmark = pytest.mark.parametrize("pair", PAIRS, ids=["parcorr", "robust"])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 20),
    nodes=st.lists(NODES, min_size=2, max_size=6),
    tau_max=st.integers(0, 3),
    cut_off=st.sampled_from(CUT_OFFS[:-1]),
    mask_type=st.sampled_from([None, "y", "x", "z", "xy", "xyz"]),
    holes=st.sampled_from([0.0, 0.02]),
    upto_maxlag=st.booleans(),
    block=st.sampled_from([None, 1, 4]),
)
def test_on_any_rows_too(
    pair: Pair,
    seed: int,
    nodes: list[tuple[int, int]],
    tau_max: int,
    cut_off: str,
    mask_type: str | None,
    holes: float,
    upto_maxlag: bool,
    block: int | None,
) -> None:
    """Missing values, masks in every role and bootstrap draws at once."""
    rng = np.random.default_rng(seed)
    values = system(seed)
    values[rng.random(values.shape) < holes] = 999.0
    mask = rng.random(values.shape) < 0.05
    frame = DataFrame(values, mask=mask, missing_flag=999.0, remove_missing_upto_maxlag=upto_maxlag)
    if block:
        frame.bootstrap = {"boot_blocklength": block, "random_state": rng}
    original, dropin = both(pair, frame, mask_type=mask_type)
    question = {"X": nodes[:1], "Y": nodes[1:2], "Z": nodes[2:], "tau_max": tau_max, "cut_off": cut_off}
    expected = outcome(original, **question)
    assume(expected[0] is not IndexError)  # tigramite counts upto_maxlag past the last row
    assert same(expected, outcome(dropin, **question))
    assert_same_tests(original, dropin)


def test_few_rows(pair: Pair) -> None:
    """Down to one degree of freedom, and below, where tigramite has NaN."""
    original, dropin = both(pair, DataFrame(system(7, T=9)))
    for z in [[(2, -k) for k in range(depth)] for depth in range(5)]:
        for tau_max in (0, 1, 2):
            question = {"X": X, "Y": Y, "Z": z, "tau_max": tau_max, "cut_off": "max_lag_or_tau_max"}
            assert same(original.run_test(**question), dropin.run_test(**question))


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("mask_type", ["y", "x", "xyz"])
def test_masks(pair: Pair, mask_type: str, alike: bool) -> None:
    mask = np.random.default_rng(0).random((90, 4)) < 0.2
    if alike:
        mask[:] = mask[:, :1]
    original, dropin = both(pair, DataFrame(system(8), mask=mask), mask_type=mask_type)
    for question in [(X, Y, Z), (X, [(1, 0)], []), ([(1, 0)], [(2, 0)], Z), ([(2, 0)], [(1, 0)], Z)]:
        assert same(original.run_test(*question, tau_max=1), dropin.run_test(*question, tau_max=1))
    assert_same_tests(original, dropin)
    if not (alike and mask_type == "x"):  # here x and y may be swapped by chance, which only tigramite's digests notice
        assert len(original.cached_ci_results) == len(dropin.cached_ci_results)
    assert dropin.fast_tests == 4


def test_a_mask_of_a_lagged_target_is_left_to_tigramite(pair: Pair) -> None:
    mask = np.random.default_rng(0).random((90, 1)) < np.full(4, 0.2)
    original, dropin = both(pair, DataFrame(system(8), mask=mask), mask_type="y")
    assert same(original.run_test(Y, X, Z, tau_max=1), dropin.run_test(Y, X, Z, tau_max=1))
    assert dropin.slow_tests == 1


def test_a_mask_without_mask_type_does_nothing(pair: Pair) -> None:
    original, dropin = both(pair, DataFrame(system(8), mask=np.ones((90, 4), dtype=bool)))
    assert same(original.run_test(X, Y, Z, tau_max=1), dropin.run_test(X, Y, Z, tau_max=1))
    assert dropin.fast_tests == 1


@pytest.mark.parametrize("upto_maxlag", [False, True])
def test_missing_values(pair: Pair, upto_maxlag: bool) -> None:
    values = system(9)
    values[np.random.default_rng(1).random(values.shape) < 0.03] = 999.0
    frame = DataFrame(values, missing_flag=999.0, remove_missing_upto_maxlag=upto_maxlag)
    original, dropin = both(pair, frame)
    for question in [(X, Y, Z), (Y, X, []), (X, Y, Z[:1])]:
        assert same(original.run_test(*question, tau_max=1), dropin.run_test(*question, tau_max=1))
        assert same(original.get_measure(*question, tau_max=1), dropin.get_measure(*question, tau_max=1))
    assert dropin.slow_tests == 0


def test_missing_values_in_several_masked_data_sets(pair: Pair) -> None:
    rng = np.random.default_rng(3)
    sets = {key: system(10 + key, T=T) for key, T in enumerate((60, 45))}
    for values in sets.values():
        values[rng.random(values.shape) < 0.02] = 999.0
    frame = DataFrame(
        sets,
        analysis_mode="multiple",
        mask={key: rng.random(values.shape) < 0.1 for key, values in sets.items()},
        missing_flag=999.0,
        remove_missing_upto_maxlag=True,
        reference_points=np.arange(5, 55),
    )
    for mask_type in ("y", "xz", "xyz"):
        original, dropin = both(pair, frame, mask_type=mask_type, confidence="analytic")
        for question in [(X, Y, Z), (X, Y, [])]:
            assert same(original.run_test(*question, tau_max=1), dropin.run_test(*question, tau_max=1))
            assert same(original.get_confidence(*question, tau_max=1), dropin.get_confidence(*question, tau_max=1))
        assert dropin.slow_tests == 0


def test_several_data_sets(pair: Pair) -> None:
    sets = {key: system(10 + k, T=T) for k, (key, T) in enumerate({"a": 60, "b": 3, "c": 45}.items())}
    frames = [
        DataFrame(sets, analysis_mode="multiple"),
        DataFrame(sets, analysis_mode="multiple", time_offsets={"a": 0, "b": 50, "c": 20}),
        DataFrame(
            sets,
            analysis_mode="multiple",
            time_offsets={"a": 0, "b": 50, "c": 20},
            reference_points=np.arange(10, 50),
        ),
    ]
    for frame in frames:
        original, dropin = both(pair, frame)
        for question in [(X, Y, Z, 1), (X, Y, Z, 2), (Y, X, [], 3)]:
            assert same(original.run_test(*question), dropin.run_test(*question))
        assert dropin.fast_tests == 3


def test_everything_that_changes_the_rows_is_noticed(pair: Pair) -> None:
    frame = DataFrame(system(14))
    original, dropin = both(pair, frame)

    def compare(fast: bool = True) -> None:
        before = dropin.fast_tests
        for tau_max in (1, 2):
            expected = original.run_test(X, Y, Z, tau_max=tau_max)
            assert same(expected, dropin.run_test(X, Y, Z, tau_max=tau_max))
        assert dropin.fast_tests - before == (2 if fast else 0)

    compare()
    points = frame.reference_points
    frame.reference_points = np.arange(30, 80)
    compare()
    frame.reference_points = np.array([70, 20, 21, 40, 44, 45, 46, 47, 60, 61, 62, 63, 65])
    compare()
    frame.reference_points = points
    frame.bootstrap = {"boot_blocklength": 1, "random_state": np.random.default_rng(0)}
    compare()
    frame.bootstrap["random_state"] = np.random.default_rng(1)
    compare()
    frame.bootstrap["boot_blocklength"] = "cube_root"
    compare()
    frame.bootstrap = None
    frame.values[0] = system(15)
    compare()
    frame.values[0][:, 0] *= system(16)[:, 1]
    compare()
    frame.values[0][40, 0] = 20.0
    for test in (original, dropin):
        test.set_dataframe(frame)
    compare()
    other = DataFrame(system(17))
    original.dataframe = dropin.dataframe = other
    compare()


def test_over_the_budget_tests_read_their_rows(pair: Pair) -> None:
    frame = DataFrame(system(20), reference_points=np.arange(11, 70))
    original, dropin = both(pair, frame)
    dropin.memory_budget = 1000
    assert same(original.run_test(X, Y, Z, tau_max=4), dropin.run_test(X, Y, Z, tau_max=4))
    assert dropin.fast_tests == 1
    assert dropin._windows.get(8).matrix is None


def test_windows_make_room_for_each_other(pair: Pair) -> None:
    frame = DataFrame(system(21))
    original, dropin = both(pair, frame)
    dropin.memory_budget = 4000  # two small windows fit, not three
    for tau_max in (1, 0, 1, 2, 1):
        question = {"X": [(0, 0)], "Y": Y, "tau_max": tau_max}
        assert same(original.run_test(**question), dropin.run_test(**question))
    assert dropin.slow_tests == 0
