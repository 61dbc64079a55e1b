"""Native PCMCI+ gives tigramite's graph, p-values, separating sets and ambiguous triples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from parity import TOLERANCE, tigramite_object

from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.backends.rows import RowSpec
from arrow_cd.data import as_time_series
from arrow_cd.fdr import benjamini_hochberg
from plus_cases import compare, contemporaneous_system, random_case
from systems import all_links

N, TAU_MAX = 4, 2
LINKS = all_links(N, TAU_MAX, tau_min=0)


def system(seed: int, T: int = 150) -> np.ndarray:
    return contemporaneous_system(np.random.default_rng(seed), N, T, TAU_MAX)


def assert_same(x, *, data=None, rows=None, frame=None, **options) -> None:
    """Compare on the same rows; `data` is tigramite's form of x."""
    results = tigramite_object(x if data is None else data, **(frame or {})).run_pcmciplus(tau_max=TAU_MAX, **options)
    found = run_native_plus(as_time_series(x), LINKS, rows=rows, **options)
    np.testing.assert_array_equal(found.graph, results["graph"])
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.val, results["val_matrix"], rtol=0, atol=TOLERANCE)
    assert found.sepsets == {pair: chosen for pair, chosen in results["sepsets"].items() if chosen}
    assert found.ambiguous_triples == results["ambiguous_triples"]


@pytest.mark.parametrize("seed", range(1, 25))
def test_random_tasks(seed: int) -> None:
    assert compare(random_case(seed, largest=4, most_lags=2)).within(TOLERANCE)


@pytest.mark.slow
def test_a_hundred_random_tasks() -> None:
    found = [compare(random_case(seed)) for seed in range(100, 220)]
    assert [seed for seed, difference in enumerate(found, start=100) if not difference.within(TOLERANCE)] == []
    assert sum(difference.conflicts for difference in found) >= 5


@pytest.mark.parametrize("rule", ["majority", "conservative", "none"])
@pytest.mark.parametrize("conflicts", [True, False])
def test_rules_on_a_dense_graph(rule: str, conflicts: bool) -> None:
    for seed in (3, 11):
        case = random_case(seed, largest=5, most_lags=1)
        options = {"pc_alpha": 0.3, "contemp_collider_rule": rule, "conflict_resolution": conflicts}
        assert compare(replace(case, options=options)).within(TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("levels", [None, [0.01, 0.1, 0.4]])
def test_levels_are_chosen_by_the_same_criterion(seed: int, levels: list[float] | None) -> None:
    x = contemporaneous_system(np.random.default_rng(seed), 3, 100, 1)
    results = tigramite_object(x).run_pcmciplus(tau_max=1, pc_alpha=levels)
    found = run_native_plus(as_time_series(x), all_links(3, 1, tau_min=0), pc_alpha=levels)
    assert found.pc_alpha == results["optimal_alpha"]
    np.testing.assert_array_equal(found.graph, results["graph"])
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("mask_type", ["y", "xyz", "xz"])
def test_masked_samples(mask_type: str) -> None:
    x = system(1)
    mask = np.random.default_rng(2).random(x.shape) < 0.05
    assert_same(x, rows=RowSpec(mask=mask, mask_type=mask_type), frame={"mask": mask, "mask_type": mask_type})


def test_missing_values() -> None:
    x = system(2)
    x[np.random.default_rng(3).random(x.shape) < 0.03] = np.nan
    assert_same(x)


def test_several_data_sets() -> None:
    x = system(3, T=200)
    pieces = [x[:90], x[90:94], x[94:]]
    assert_same(pieces, data=dict(enumerate(pieces)))


def test_an_offset_of_a_million() -> None:
    assert_same(system(4) + 1e6)


def test_an_order_of_links_that_decides_ties() -> None:
    """Two required parents tie at val 1: the one named first is the strongest, and with a limit the only one."""
    x = system(5)
    named = [(3, -1), (0, -2), (2, -1)]
    assumed = {j: {(i, 0): "o?o" for i in range(N) if i != j} for j in range(N)}
    assumed[1] |= {named[0]: "-->", named[1]: "-->", named[2]: "-?>"}
    results = tigramite_object(x).run_pcmciplus(tau_max=TAU_MAX, link_assumptions=assumed, max_conds_py=1)
    links, required = np.zeros_like(LINKS), np.zeros_like(LINKS)
    links[:, :, 0], links[2, 1, 1], required[3, 1, 1], required[0, 1, 2] = LINKS[:, :, 0], True, True, True
    order = {j: list(assumed[j]) for j in range(N)}
    found = run_native_plus(as_time_series(x), links, required=required, order=order, max_conds_py=1)
    assert found.parents[1][:2] == named[:2]
    np.testing.assert_array_equal(found.graph, results["graph"])
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=TOLERANCE)


def test_a_correction_of_p_is_tigramites_and_leaves_the_graph() -> None:
    x = system(6)
    results = tigramite_object(x).run_pcmciplus(tau_max=TAU_MAX, pc_alpha=0.2, fdr_method="fdr_bh")
    found = run_native_plus(as_time_series(x), LINKS, pc_alpha=0.2)
    lagged = LINKS & (np.arange(TAU_MAX + 1) > 0)
    q = benjamini_hochberg(found.p, lagged)
    np.testing.assert_allclose(np.where(lagged, q, found.p), results["p_matrix"], rtol=0, atol=TOLERANCE)
    np.testing.assert_array_equal(found.graph, results["graph"])
