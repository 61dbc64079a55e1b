import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from arrow_cd.fdr import benjamini_hochberg

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(p_values)
def test_equals_scipy(values: list[float]) -> None:
    p = np.array(values)
    np.testing.assert_allclose(benjamini_hochberg(p, np.ones_like(p, dtype=bool)), false_discovery_control(p))


@given(p_values, st.integers(0, 2**40 - 1))
def test_outside_the_family_nothing_changes(values: list[float], bits: int) -> None:
    p = np.array(values)
    family = np.array([bits >> k & 1 for k in range(p.size)], dtype=bool)
    q = benjamini_hochberg(p, family)
    assert (q[~family] == p[~family]).all()
    assert (q[family] >= p[family]).all()


def test_untested_links_count_with_p_one() -> None:
    p = np.array([0.01, 1.0, 1.0, 1.0])
    assert benjamini_hochberg(p, np.ones(4, dtype=bool))[0] == pytest.approx(0.04)
    assert benjamini_hochberg(p, p < 1)[0] == 0.01


def test_a_nan_in_the_family_is_refused() -> None:
    p = np.array([0.01, np.nan])
    with pytest.raises(ValueError, match="NaN"):
        benjamini_hochberg(p, np.ones(2, dtype=bool))
    assert benjamini_hochberg(p, ~np.isnan(p))[0] == 0.01
