"""Native PC equals its slow twin, tigramite's run_pcalg and, on lag-unrolled data, causal-learn's pc."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parity import TOLERANCE, assumptions, tigramite_object

import naive
import naive_pc
from arrow_cd.backends.native_pc import PcRun, run_native_pc
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from systems import all_links, linear_system

SETTINGS = settings(deadline=None, max_examples=15)


def native(x: np.ndarray, links: np.ndarray, **options) -> PcRun:
    return run_native_pc(as_time_series(x), links, **options)


def left(run: PcRun, shape: tuple[int, int, int]) -> np.ndarray:
    """The links that were not dropped, as a mask."""
    mask = np.zeros(shape, dtype=bool)
    for j, parents in run.parents.items():
        for i, lag in parents:
            mask[i, j, -lag] = True
    return mask


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 3),
    tau_max=st.integers(1, 3),
    share=st.sampled_from([0.4, 1.0]),
    missing=st.sampled_from([0.0, 0.02]),
    test=st.sampled_from(["parcorr", "fisherz"]),
    pc_alpha=st.sampled_from([0.01, 0.1, 0.4]),
    max_conds_dim=st.sampled_from([None, 1]),
)
def test_equals_the_naive_twin(seed, n, tau_max, share, missing, test, pc_alpha, max_conds_dim) -> None:
    rng = np.random.default_rng(seed)
    x = linear_system(seed, n, 80, tau_max)
    x[rng.random(x.shape) < missing] = np.nan
    links = all_links(n, tau_max)
    links[:, :, 1:] &= rng.random((n, n, tau_max)) < share
    found = native(x, links, test=test, pc_alpha=pc_alpha, max_conds_dim=max_conds_dim)
    p_of = {"parcorr": naive.p_value, "fisherz": naive_pc.fisher_z_p_value}[test]
    parents, val, p, separators = naive_pc.pc(x, [(0, len(x))], links, pc_alpha, p_of, max_conds_dim)
    assert [[(i, -lag) for i, lag in found.parents[j]] for j in range(n)] == parents
    np.testing.assert_allclose(found.val, val, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.p, p, rtol=0, atol=1e-10)
    given_some = {((i, -lag), j): [(k, -a) for k, a in z] for ((i, lag), j), z in separators.items() if z}
    assert found.separators == given_some


def test_robust_parcorr_takes_normal_scores_and_data_sets_stay_apart() -> None:
    x = linear_system(1, 3, 200, 2)
    links = all_links(3, 2)
    bent = native(np.exp(x), links, test="robust_parcorr")
    plain = native(x, links, test="robust_parcorr")
    np.testing.assert_array_equal(bent.p, plain.p)
    assert (plain.p != native(x, links).p)[links].any()
    sets = run_native_pc(as_time_series([x[:90], x[90:]]), links)
    p = naive_pc.pc(x, [(0, 90), (90, 200)], links)[2]
    assert sets.n_samples == 200 - 2 * 4
    np.testing.assert_allclose(sets.p, p, rtol=0, atol=1e-10)


PCALG = {"tau_min": 1, "mode": "standard"}


@pytest.mark.parametrize("seed", range(30))
def test_equals_run_pcalg_of_tigramite(seed: int) -> None:
    n, tau_max, alpha = 3 + seed % 2, 1 + seed % 3, (0.01, 0.05, 0.1)[seed // 3 % 3]
    x = linear_system(seed, n, 150 + 10 * seed, tau_max)
    links = all_links(n, tau_max)
    missing = seed % 5 == 4
    if missing:
        x[np.random.default_rng(seed).random(x.shape) < 0.01] = np.nan
    results = tigramite_object(x).run_pcalg(tau_max=tau_max, pc_alpha=alpha, **PCALG)
    found = native(x, links, pc_alpha=alpha)
    np.testing.assert_array_equal(left(found, links.shape), results["graph"] == "-->")
    np.testing.assert_allclose(found.p[links], results["p_matrix"][links], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.val[links], results["val_matrix"][links], rtol=0, atol=TOLERANCE)
    separators = {pair: [(int(k), int(a)) for k, a in z] for pair, z in results["sepsets"].items() if z}
    assert found.separators == separators


def test_equals_run_pcalg_on_some_links_with_required_ones() -> None:
    x, links = linear_system(3, 4, 300, 2), all_links(4, 2)
    required = np.zeros_like(links)
    required[2, 1, 2] = True
    links &= np.random.default_rng(3).random(links.shape) < 0.7
    links &= ~required
    results = tigramite_object(x).run_pcalg(link_assumptions=assumptions(links, required), tau_max=2, **PCALG)
    found = native(x, links, required=required)
    np.testing.assert_array_equal(left(found, links.shape), results["graph"] == "-->")
    np.testing.assert_allclose(found.p[links], results["p_matrix"][links], rtol=0, atol=TOLERANCE)
    assert (found.p[required], found.val[required]) == (0, 1)
    assert (found.status[~(links | required)] == LinkStatus.NOT_ASKED).all()


def test_the_number_of_threads_and_the_path_of_the_tests_change_nothing() -> None:
    x, links = linear_system(5, 5, 200, 3), all_links(5, 3)
    one, two, rows = (native(x, links, pc_alpha=0.2, **o) for o in ({}, {"n_jobs": 2}, {"memory_budget": 0}))
    np.testing.assert_array_equal(one.p, two.p)
    assert (one.parents, one.separators, one.tests) == (two.parents, two.separators, two.tests)
    assert one.has_matrix and not rows.has_matrix and rows.parents == one.parents
    np.testing.assert_allclose(rows.p, one.p, rtol=0, atol=1e-11)
