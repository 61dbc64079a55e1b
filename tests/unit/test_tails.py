import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from arrow_cd.tails import correlation_pvalue, f_pvalue, student_t_critical, student_t_pvalue
from reference.student_t import correlation_tail, student_tail

degrees = st.integers(1, 3000)
# mpmath takes its time.
SETTINGS = settings(deadline=None, max_examples=30)


def assert_twelve_digits(got: float, expected: mpmath.mpf) -> None:
    assert abs(mpmath.mpf(got) / expected - 1) < 1e-12


@SETTINGS
@given(r=st.floats(1e-12, 1, exclude_max=True), df=degrees)
def test_correlations_against_mpmath(r: float, df: int) -> None:
    if 0.5 * df * math.log1p(-r * r) < -690:
        return  # below 1e-300
    with mpmath.workdps(350):
        assert_twelve_digits(correlation_pvalue(r, df).item(), correlation_tail(r, df))


@SETTINGS
@given(t=st.floats(1e-12, 1e6), df=degrees)
def test_student_t_against_mpmath(t: float, df: int) -> None:
    if 0.5 * df * math.log1p(t * t / df) > 690:
        return
    with mpmath.workdps(350):
        assert_twelve_digits(student_t_pvalue(t, df).item(), student_tail(t, df))


def test_shapes_broadcast() -> None:
    t = np.array([[0.5], [-2.0]])
    df = np.array([3, 30, 300])
    np.testing.assert_allclose(student_t_pvalue(t, df), 2 * stats.t.sf(np.abs(t), df), rtol=1e-12)
    assert correlation_pvalue(1.0, 7) == 0
    assert np.isnan(correlation_pvalue(0.5, 0))


@given(level=st.floats(1e-30, 0.999), df=degrees)
def test_critical_values_against_scipy(level: float, df: int) -> None:
    assert student_t_critical(level, df) == pytest.approx(stats.t.isf(level / 2, df), rel=1e-9)


def test_critical_values_at_the_ends() -> None:
    assert student_t_critical(0, 5) == math.inf
    assert student_t_critical(1, 5) == 0
    assert math.isnan(student_t_critical(1.5, 5))


def test_f_against_scipy_and_its_ends() -> None:
    f, df_num, df_denom = [0.1, 1.0, 3.0, 40.0], np.array([[1], [2], [7], [30]]), 55
    np.testing.assert_allclose(f_pvalue(f, df_num, df_denom), stats.f.sf(f, df_num, df_denom), rtol=1e-12)
    assert f_pvalue([0.0, np.inf], 3, 10).tolist() == [1, 0]
    assert np.isnan(f_pvalue([1.0, np.nan], [0, 3], 10)).all()


def test_f_far_in_the_tail() -> None:
    # F with 2 and 2 degrees of freedom has p = 1 / (1 + F), and with 2 and d: (1 + 2 F / d)^(-d / 2).
    assert f_pvalue(1e300, 2, 2) == pytest.approx(1e-300, rel=1e-12)
    assert f_pvalue(1e3, 2, 200) == pytest.approx(11.0**-100, rel=1e-12)


@pytest.mark.parametrize("df_num", [2.5, -1, [1, -2]])
def test_f_takes_whole_numbers_of_columns(df_num) -> None:
    with pytest.raises(ValueError, match="df_num"):
        f_pvalue(1.0, df_num, 10)
