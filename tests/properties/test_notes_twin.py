"""Trends and seasons of all columns at once equal those of a column at a time, with gaps, data sets and blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from arrow_cd import diagnostics


@st.composite
def columns(draw):
    """Noise with trends, steps and seasons of any strength, and samples that are missing: (N, T), and data sets."""
    T, N = draw(st.integers(40, 150)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    clock, values = np.arange(T), rng.normal(size=(N, T))
    for k in range(N):
        period, phase = draw(st.integers(3, T // 3)), rng.random()
        values[k] += draw(st.sampled_from([0, 1, 5])) * np.sin(2 * np.pi * (clock / period + phase))
        values[k] += draw(st.sampled_from([0.0, 0.02, -0.2])) * clock
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    values[0] *= draw(st.sampled_from([1.0, 1e300, 1e-310]))
    cut = draw(st.integers(1, T - 1))
    return values, draw(st.sampled_from([[(0, T)], [(0, cut), (cut, T)]]))


@settings(deadline=None, max_examples=60)
@given(columns(), st.sampled_from([1, 250, 1 << 18]))
def test_trends_and_seasons_of_all_columns_equal_those_of_one_at_a_time(drawn, block):
    values, segments = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnostics, "_BLOCK_VALUES", block)
        trends, seasons = diagnostics.trends_and_seasons(values, segments)
    sizes = np.nanmax(np.abs(values), axis=1, keepdims=True)
    scaled = values * 2.0**60 / (sizes * 2.0**60) if sizes.min() < 1 else values / sizes
    np.testing.assert_allclose(trends, [naive.trend_share(x, segments) for x in scaled], rtol=1e-9, atol=1e-9)
    assert seasons == [naive.season_period(x, segments) for x in scaled]


def test_the_drawn_columns_have_seasons_and_trends():
    clock = np.arange(120)
    x = np.sin(2 * np.pi * clock / 12) + 0.01 * np.random.default_rng(0).normal(size=120)
    assert naive.season_period(x, [(0, 120)]) == 12 and naive.trend_share(x + clock, [(0, 120)]) > 0.9
