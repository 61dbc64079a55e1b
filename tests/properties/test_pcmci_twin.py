"""Native PCMCI equals its slow twin, whatever the data, the links and the threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from arrow_cd.backends.native_pcmci import NativeRun, run_native
from arrow_cd.backends.rows import RowSpec
from arrow_cd.data import TimeSeries, as_time_series
from systems import all_links, linear_system

SETTINGS = settings(deadline=None, max_examples=15)


def with_gaps(x: np.ndarray, share: float, seed: int) -> np.ndarray:
    x = x.copy()
    x[np.random.default_rng(seed).random(x.shape) < share] = np.nan
    return x


def in_sets(x: np.ndarray, sets: int) -> TimeSeries:
    """The rows cut into data sets of different lengths."""
    cuts = [0, len(x)] if sets == 1 else [0, len(x) // 3, len(x)]
    return as_time_series([x[a:b] for a, b in pairwise(cuts)])


def assert_equals_twin(series: TimeSeries, links: np.ndarray, found: NativeRun, **options) -> None:
    parents, val, p = naive.pcmci(series.values, list(series.segments), links, **options)
    assert [[(i, -lag) for i, lag in found.parents[j]] for j in range(series.N)] == parents
    np.testing.assert_allclose(found.val, val, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.p, p, rtol=0, atol=1e-10)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 3),
    tau_max=st.integers(1, 3),
    tau_min=st.integers(0, 1),
    share=st.sampled_from([0.3, 1.0]),
    missing=st.sampled_from([0.0, 0.02]),
    sets=st.integers(1, 2),
    max_combinations=st.integers(1, 3),
    pc_alpha=st.sampled_from([0.05, 0.2, 0.5]),
)
def test_equals_the_naive_twin(seed, n, tau_max, tau_min, share, missing, sets, max_combinations, pc_alpha) -> None:
    x = with_gaps(linear_system(seed, n, 100, tau_max), missing, seed)
    links = all_links(n, tau_max, tau_min)
    links[:, :, 1:] &= np.random.default_rng(seed).random((n, n, tau_max)) < share
    series = in_sets(x, sets)
    found = run_native(series, links, pc_alpha=pc_alpha, max_combinations=max_combinations)
    assert_equals_twin(series, links, found, pc_alpha=pc_alpha, max_combinations=max_combinations)
    assert found.tests_by_phase["mci"] == links.sum()
    assert (found.correlations == "rows") == bool(np.isnan(x).any())


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from([0.0, 0.02]),
    sets=st.integers(1, 2),
    chosen=st.sampled_from(["all", "some", "drawn", "blocks"]),
    mask_type=st.sampled_from(["", "x", "y", "z", "yz", "xyz"]),
    alike=st.booleans(),
)
def test_equals_the_naive_twin_on_any_rows(seed, missing, sets, chosen, mask_type, alike) -> None:
    rng = np.random.default_rng(seed)
    series = in_sets(with_gaps(linear_system(seed, 3, 140, 2), missing, seed), sets)
    links = all_links(3, 2, 0)
    starts = rng.integers(0, 120, 8)
    reference = {
        "all": None,
        "some": np.flatnonzero(rng.random(140) < 0.6),
        "drawn": rng.integers(0, 140, 130),
        "blocks": (starts[:, None] + np.arange(20)).ravel(),
    }[chosen]
    mask = rng.random((140, 3)) < 0.05
    if alike:
        mask = np.tile(mask[:, :1], 3)
    rows = RowSpec(reference=reference, mask=mask, mask_type=mask_type)
    found = run_native(series, links, rows=rows)
    assert_equals_twin(series, links, found, reference=reference, mask=mask, mask_type=mask_type)
    alone = not series.complete or (mask_type and not (alike and mask_type == "y"))
    assert (found.correlations == "rows") == bool(alone)


@SETTINGS
@given(
    seed=st.integers(0, 10**6), offset=st.sampled_from([1e6, -1e9]), scale=st.sampled_from([2.0**-20, 1.0, 2.0**830])
)
def test_offset_and_scale_change_nothing(seed, offset, scale) -> None:
    x = linear_system(seed, 3, 120, 3)
    links = all_links(3, 3)
    plain = run_native(as_time_series(x), links)
    # The offset itself costs digits of the data: compare with data that have lost them already.
    shifted = x + offset
    moved = run_native(as_time_series(shifted * scale), links)
    centred = run_native(as_time_series(shifted - offset), links)
    assert moved.parents == centred.parents
    np.testing.assert_allclose(moved.p, centred.p, rtol=0, atol=1e-9)
    if offset == 1e6:
        np.testing.assert_allclose(moved.p, plain.p, rtol=0, atol=1e-5)


@SETTINGS
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.05]))
def test_identical_for_any_number_of_threads_and_on_either_path(seed, missing) -> None:
    series = as_time_series(with_gaps(linear_system(seed, 5, 120, 2), missing, seed))
    links = all_links(5, 2, 0)
    one, three = (run_native(series, links, n_jobs=jobs) for jobs in (1, 3))
    assert one.parents == three.parents
    np.testing.assert_array_equal(one.p, three.p)
    np.testing.assert_array_equal(one.val, three.val)
    rows = run_native(series, links, memory_budget=0)
    assert rows.correlations == "rows" and rows.parents == one.parents
    np.testing.assert_allclose(rows.p, one.p, rtol=0, atol=1e-11)


@pytest.mark.parametrize("position", [0, 5, 60, 119])
def test_a_spike_costs_other_columns_no_digits(position: int) -> None:
    x = linear_system(3, 3, 120, 2)
    x[position, 1] = 1e8
    series, links = as_time_series(x), all_links(3, 2)
    assert_equals_twin(series, links, run_native(series, links))
