"""The drop-in tests answer as tigramite's own, question by question."""

from __future__ import annotations

import inspect
import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from dropin_cases import (
    CUT_OFFS,
    NODES,
    PAIRS,
    TOLERANCE,
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
from hypothesis import given, settings
from hypothesis import strategies as st
from tigramite.data_processing import DataFrame
from tigramite.pcmci import PCMCI

from arrow_cd.tigramite import ParCorr, RobustParCorr

pytestmark = pytest.mark.parametrize("pair", PAIRS, ids=["parcorr", "robust"])


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 20),
    nodes=st.lists(NODES, min_size=2, max_size=8),
    tau_max=st.integers(0, 4),
    cut_off=st.sampled_from(CUT_OFFS),
    alpha=st.sampled_from([None, 0.05]),
    decimals=st.sampled_from([0, 1, 12]),
)
def test_any_question_gets_the_same_answer(
    pair: Pair, seed: int, nodes: list[tuple[int, int]], tau_max: int, cut_off: str, alpha: float, decimals: int
) -> None:
    """Repeated and overlapping nodes, lags past the window, ties among the values."""
    original, dropin = both(pair, DataFrame(system(seed).round(decimals)))
    question = {"X": nodes[:1], "Y": nodes[1:2], "Z": nodes[2:], "tau_max": tau_max, "cut_off": cut_off}
    expected = outcome(original, alpha_or_thres=alpha, **question)
    assert same(expected, outcome(dropin, alpha_or_thres=alpha, **question))
    assert_same_tests(original, dropin)
    assert dropin.fast_tests + dropin.slow_tests == 1


def test_what_is_fast(pair: Pair) -> None:
    _, dropin = both(pair, DataFrame(system(0)))
    for cut_off in CUT_OFFS[:-1]:
        dropin.run_test(X, Y, Z, tau_max=2, cut_off=cut_off)
        dropin.run_test(Y, X, tau_max=2, cut_off=cut_off)
    assert (dropin.fast_tests, dropin.slow_tests) == (8, 0)
    dropin.run_test(X, Y, Z, tau_max=2, cut_off=CUT_OFFS[-1])
    assert (dropin.fast_tests, dropin.slow_tests) == (8, 1)


@pytest.mark.parametrize(
    ("options", "alpha"),
    [
        ({"significance": "fixed_thres"}, 0.1),
        ({"significance": "shuffle_test", "sig_samples": 20, "sig_blocklength": 2}, 0.1),
        ({"recycle_residuals": True}, 0.05),
    ],
)
def test_every_significance(pair: Pair, options: dict[str, Any], alpha: float) -> None:
    original, dropin = both(pair, DataFrame(system(1)), **options)
    for question in [(X, Y, Z), (X, Y, []), (Y, X, Z), (X, Y, Z)]:
        expected = original.run_test(*question, tau_max=1, alpha_or_thres=alpha)
        assert same(expected, dropin.run_test(*question, tau_max=1, alpha_or_thres=alpha))
    assert_same_tests(original, dropin)


def test_shuffle_tests_choose_their_block_length_with_any_numpy(pair: Pair) -> None:
    """tigramite's own asks numpy.corrcoef for an argument that it no longer has."""
    _, dropin = both(pair, DataFrame(system(1)), significance="shuffle_test", sig_samples=20)
    _, p = dropin.run_test(X, Y, Z, tau_max=1)
    assert 0 < p <= 1
    assert dropin.slow_tests == 1


def test_get_measure_and_confidence(pair: Pair) -> None:
    for confidence in (None, "analytic", "bootstrap"):
        options = {"confidence": confidence, "conf_blocklength": 3, "conf_samples": 40}
        original, dropin = both(pair, DataFrame(system(2)), **options)
        for arguments in [(X, Y, Z, 2), ([(0, 0)], Y)]:
            assert same(original.get_measure(*arguments), dropin.get_measure(*arguments))
            assert same(original.get_confidence(*arguments), dropin.get_confidence(*arguments))
            assert not confidence or same(original.conf, dropin.conf)
        assert dropin.slow_tests == (2 if confidence == "bootstrap" else 0)


def test_a_bad_confidence_level_is_refused_as_in_tigramite(pair: Pair) -> None:
    for test in both(pair, DataFrame(system(2)), confidence="analytic", conf_lev=0.3):
        with pytest.raises(ValueError, match="conf_lev"):
            test.get_confidence(X, Y)


def test_model_selection_raw_data_and_dependence_of_an_array(pair: Pair) -> None:
    frame = DataFrame(system(3))
    original, dropin = both(pair, frame)
    assert original.get_model_selection_criterion(1, Z, 2) == dropin.get_model_selection_criterion(1, Z, 2)
    columns = np.split(system(3)[:, :3], 3, axis=1)
    assert original.run_test_raw(*columns, alpha_or_thres=0.1) == dropin.run_test_raw(*columns, alpha_or_thres=0.1)
    array, xyz, _ = frame.construct_array(X, Y, Z, tau_max=1)
    assert original.get_dependence_measure(array.copy(), xyz) == dropin.get_dependence_measure(array.copy(), xyz)


def test_same_signatures_attributes_and_kind(pair: Pair) -> None:
    original, dropin = both(pair, DataFrame(system(4)))
    assert isinstance(dropin, pair[0])
    for name in ("run_test", "get_measure", "get_confidence", "set_dataframe"):
        parameters = [
            [(p.name, p.default, p.kind) for p in inspect.signature(getattr(test, name)).parameters.values()]
            for test in (original, dropin)
        ]
        assert parameters[0] == parameters[1]
    for name in ("measure", "significance", "confidence", "two_sided", "residual_based", "mask_type", "verbosity"):
        assert getattr(original, name) == getattr(dropin, name)


def test_bad_questions_raise_what_tigramite_raises(pair: Pair) -> None:
    bad: list[dict[str, Any]] = [
        {"X": [(0, -1), (1, -1)], "Y": Y},
        {"X": [(0, 1)], "Y": Y},
        {"X": [(9, -1)], "Y": Y},
        {"X": [(-1, -1)], "Y": Y},
        {"X": X, "Y": Y, "cut_off": "none"},
        {"X": X, "Y": Y, "tau_max": 60},
    ]
    for question in bad:
        expected, got = (outcome(test, **question) for test in both(pair, DataFrame(system(5))))
        assert isinstance(expected[0], type)
        assert expected == got
    for test in both(pair, DataFrame(system(5)), significance="fixed_thres"):
        with pytest.raises(ValueError, match="alpha_or_thres"):
            test.run_test(X, Y)
    with pytest.raises(ValueError, match="set_dataframe"):
        pair[1]().run_test(X, Y)


@pytest.mark.filterwarnings("ignore")
def test_constant_and_dependent_series(pair: Pair) -> None:
    values = system(6, n=7)
    values[:, 3] = 2.0  # constant
    values[:, 4] = values[:, 0]  # a copy
    values[:, 5] = values[:, 0] + values[:, 2]  # a combination
    values[:, 6] = values[:, 0] + 1e-9 * values[:, 6]  # nearly a copy
    original, dropin = both(pair, DataFrame(values))
    for a in range(7):
        for z in ([], [(3, 0)], [(0, -1), (4, -1)], [(0, 0), (2, 0)], [(6, 0), (0, 0)]):
            question = {"X": [(a, -1)], "Y": Y, "Z": z, "tau_max": 1}
            assert same(original.run_test(**question), dropin.run_test(**question)), question
    assert dropin.slow_tests > 0
    assert_same_tests(original, dropin)


def test_vector_variables(pair: Pair) -> None:
    vectors = {0: [(1, 0)], 1: [(3, 0)], 2: [(0, 0), (4, -1)], 3: [(2, -1)]}
    original, dropin = both(pair, DataFrame(system(12, n=5), vector_vars=vectors))
    questions: list[tuple[Any, ...]] = [(X, Y, [(3, -1), (1, -1)]), (X, Y, [(2, 0), (1, -1)]), ([(2, -1)], Y, [])]
    for question in questions:
        assert same(original.run_test(*question, tau_max=2), dropin.run_test(*question, tau_max=2))
    assert_same_tests(original, dropin)
    assert (dropin.fast_tests, dropin.slow_tests) == (1, 2)


def test_other_number_types_are_computed_as_tigramite_computes_them(pair: Pair) -> None:
    frame = DataFrame(system(13).astype(np.float32))
    original, dropin = both(pair, frame)
    expected, got = original.run_test(X, Y, Z), dropin.run_test(X, Y, Z)
    assert tuple(expected) == tuple(got)
    assert dropin.slow_tests == 1


def test_a_question_asked_again_is_answered_from_the_cache(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    original, dropin = both(pair, DataFrame(system(18)), verbosity=2)
    shown = []
    for test in (original, dropin):
        capsys.readouterr()
        test.run_test(X, Y, Z, tau_max=2)
        test.run_test(Y, X, Z[::-1], tau_max=2, alpha_or_thres=0.01)
        test.run_test(X, Y, Z, tau_max=1)
        shown.append(capsys.readouterr().out)
        assert len(test.cached_ci_results) == 2
    assert shown[0] == shown[1]
    assert shown[1].count("[cached]") == 1


def test_verbosity_prints_what_tigramite_prints(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for test in both(pair, DataFrame(system(18)), verbosity=3):
        capsys.readouterr()
        test.run_test(X, Y, Z, tau_max=2)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""


def test_copies_answer_alike_and_share_nothing(pair: Pair) -> None:
    _, dropin = both(pair, DataFrame(system(19)))
    expected = dropin.run_test(X, Y, Z, tau_max=2)
    for copy in (deepcopy(dropin), pickle.loads(pickle.dumps(dropin)), PCMCI(dropin.dataframe, dropin).cond_ind_test):
        assert copy.fast_tests == 1
        assert copy.run_test(X, Y, Z, tau_max=2) == expected
        copy.run_test(Y, X, tau_max=1)
        assert len(copy.cached_ci_results) == 2
    assert len(dropin.cached_ci_results) == 1


def test_offset_and_scale_cost_no_digits(pair: Pair) -> None:
    values = system(22) * [1e-8, 1.0, 1e6, 1.0] + [0.0, 1e6, -1e7, 0.0]
    original, dropin = both(pair, DataFrame(values))
    expected, got = original.run_test(X, Y, Z, tau_max=2), dropin.run_test(X, Y, Z, tau_max=2)
    np.testing.assert_allclose(got, expected, rtol=0, atol=TOLERANCE)
    assert dropin.fast_tests == 1


def test_the_classes_are_found_in_the_package(pair: Pair) -> None:
    assert pair[1] in (ParCorr, RobustParCorr)
    assert pair[1].__name__ == pair[0].__name__
