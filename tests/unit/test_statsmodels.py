"""`accelerate(grangercausalitytests)` beside statsmodels' own function."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("statsmodels", reason="statsmodels is not installed")

from statsmodels.tools.sm_exceptions import InfeasibleTestError
from statsmodels.tsa.stattools import grangercausalitytests

from arrow_cd import accelerate
from systems import linear_system

X = linear_system(0, 2, 150, 3)
fast = accelerate(grangercausalitytests)


@pytest.mark.parametrize("maxlag", [4, [2], [3, 1], np.int64(2), np.array([1, 5])])
def test_the_same_tests_in_the_same_places(maxlag) -> None:
    theirs, ours = grangercausalitytests(X, maxlag), fast(X, maxlag)
    assert list(ours) == list(theirs)
    for lag, (tests, _) in theirs.items():
        assert ours[lag][0].keys() == tests.keys()
        for name, numbers in tests.items():
            assert len(ours[lag][0][name]) == len(numbers)
            np.testing.assert_allclose(ours[lag][0][name], numbers, rtol=1e-9, err_msg=name)


def test_the_fitted_models_come_when_they_are_asked_for() -> None:
    theirs, ours = (of(X, [2])[2][1] for of in (grangercausalitytests, fast))
    np.testing.assert_array_equal(ours[2], theirs[2])
    for mine, fitted in zip(ours[:2], theirs[:2], strict=True):
        np.testing.assert_array_equal(mine.params, fitted.params)
        assert mine.df_resid == fitted.df_resid and "OLS" in str(mine.summary())
    assert np.squeeze(ours[1].f_test(ours[2]).fvalue) == pytest.approx(fast(X, [2])[2][0]["params_ftest"][0], rel=1e-9)


def test_models_that_nobody_asked_for_can_be_copied() -> None:
    model = fast(X, [2])[2][1][1]
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.params, model.params)
    with pytest.raises(AttributeError):
        model.no_such_result  # noqa: B018


def test_data_frames_and_lists() -> None:
    expected = fast(X, 2)[2][0]
    assert fast(pd.DataFrame(X, columns=["gdp", "cons"]), 2)[2][0] == expected
    assert fast(X.tolist(), 2)[2][0] == expected


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_by_place(value) -> None:
    """statsmodels 0.6 hung on it."""
    broken = pd.DataFrame(X, columns=["gdp", "cons"])
    broken.iloc[17, 1] = value
    with pytest.raises(ValueError, match="NaN or inf"):
        grangercausalitytests(broken, 2)
    with pytest.raises(ValueError, match=f"column 'cons', row 17 is {value}"):
        fast(broken, 2)


@pytest.mark.parametrize("second", [np.ones(150), X[:, 0], 2.0 * X[:, 0]])
def test_columns_that_allow_no_test(second) -> None:
    with pytest.raises(InfeasibleTestError, match="with 1 lags, columns '0' and '1' can't be tested"):
        fast(np.column_stack([X[:, 0], second]), 2)


def test_a_perfect_fit() -> None:
    t = np.arange(150)
    with pytest.raises(InfeasibleTestError):
        fast(np.column_stack([np.sin(t), X[:, 0]]), [2])


@pytest.mark.parametrize("maxlag", [0, -1, [], [0, 1], 49, [1, 60]])
def test_lags_that_both_refuse(maxlag) -> None:
    x = X[:148]
    for test in (grangercausalitytests, fast):
        with pytest.raises(ValueError):
            test(x, maxlag)


@pytest.mark.parametrize("maxlag", [True, 1.5, "2", [1.5], None])
def test_lags_that_are_no_whole_numbers(maxlag) -> None:
    with pytest.raises(ValueError, match=r"maxlag=.*: expected a positive whole number"):
        fast(X, maxlag)


def test_the_largest_lag_that_rows_allow() -> None:
    assert fast(X[:148], [48]).keys() == grangercausalitytests(X[:148], [48]).keys()
    with pytest.raises(ValueError, match="148 rows are too few for 49 lags: expected at least 149, or at most 48 lags"):
        fast(X[:148], [49])


def test_other_shapes_and_models_are_refused() -> None:
    for x in (X[:, 0], X[:, :1], np.column_stack([X, X[:, 0]])):
        with pytest.raises(ValueError, match="expected two columns"):
            fast(x, 1)
    with pytest.raises(NotImplementedError):
        fast(X, 1, addconst=False)
    with pytest.raises(TypeError, match="addconst='no'"):
        fast(X, 1, addconst="no")


def test_what_means_nothing_for_one_pair() -> None:
    with pytest.raises(ValueError, match="memory_budget"):
        accelerate(grangercausalitytests, memory_budget=100)
    with pytest.raises(TypeError, match="takes no option 'tau_max'"):
        accelerate(grangercausalitytests, tau_max=3)
