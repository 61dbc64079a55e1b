"""What an accelerated PCMCI object does test is what tigramite would have tested on the kept links."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from pcmci_cases import METHODS, WITH_FDR, Values, assumptions, matrices, on_tigramite, pcmci_on, random_mask
from tigramite.independence_tests.cmiknn import CMIknn
from tigramite.independence_tests.gpdc import GPDC

from arrow_cd import accelerate
from arrow_cd.simulate import cancelling_chain
from arrow_cd.tigramite import count_tests


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("tau_min", [0, 1])
def test_equals_tigramite_on_the_kept_links(values: Values, fix_screen: Any, name: str, tau_min: int) -> None:
    kept = random_mask(5, 3)
    fix_screen(kept)
    plain, fast = pcmci_on(values), on_tigramite(pcmci_on(values))
    links = assumptions(tau_min, kept)
    expected = getattr(plain, name)(tau_max=3, tau_min=tau_min, link_assumptions=links)
    got = getattr(fast, name)(tau_max=3, tau_min=tau_min)
    if name != "run_pc_stable":
        assert fast.results is got
        np.testing.assert_array_equal(got["graph"], expected["graph"])
    else:
        assert got == expected
    for matrix in ("p_matrix", "val_matrix"):
        np.testing.assert_array_equal(matrices(fast, got)[matrix], matrices(plain, expected)[matrix])
    if name not in ("run_mci", "run_bivci"):
        for attribute in ("all_parents", "val_min", "pval_max", "iterations"):
            assert getattr(fast, attribute) == getattr(plain, attribute)


@pytest.mark.parametrize("name", ["run_mci", "run_bivci"])
def test_kept_p_values_are_those_of_the_unpruned_run(values: Values, fix_screen: Any, name: str) -> None:
    kept = random_mask(5, 3)
    fix_screen(kept)
    expected = getattr(pcmci_on(values), name)(tau_max=3)
    got = getattr(on_tigramite(pcmci_on(values)), name)(tau_max=3)
    kept[:, :, 0] = ~np.eye(5, dtype=bool)
    np.testing.assert_array_equal(got["p_matrix"][kept], expected["p_matrix"][kept])
    assert (got["p_matrix"][~kept] == 1).all()
    assert (got["val_matrix"][~kept] == 0).all()
    assert (got["graph"][~kept] == "").all()


def test_the_window_stays_that_of_tau_max(values: Values, fix_screen: Any) -> None:
    only_own = np.zeros((5, 5, 10), dtype=bool)
    only_own[range(5), range(5), 1] = True
    fix_screen(only_own)
    got = on_tigramite(pcmci_on(values)).run_mci(tau_max=9, tau_min=1)
    val, p = pcmci_on(values).cond_ind_test.run_test([(0, -1)], [(0, 0)], tau_max=9)
    assert got["p_matrix"][0, 0, 1] == p
    assert got["val_matrix"][0, 0, 1] == val


@pytest.mark.parametrize("name", METHODS)
def test_nothing_pruned_is_plain_tigramite(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(np.ones((5, 5, 4), dtype=bool))
    plain, fast = pcmci_on(values), on_tigramite(pcmci_on(values))
    with count_tests(plain.cond_ind_test) as count:
        expected = getattr(plain, name)(tau_max=3, **WITH_FDR[name])
    got = getattr(fast, name)(tau_max=3, **WITH_FDR[name])
    expected, got = matrices(plain, expected), matrices(fast, got)
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-14)
    np.testing.assert_array_equal(got.get("graph"), expected.get("graph"))
    assert fast.screening.tests_run == count.run
    assert fast.screening.tests_avoided == 0


@pytest.mark.parametrize("pc_alpha", [None, [0.05, 0.2]])
def test_lists_of_pc_alpha(values: Values, fix_screen: Any, pc_alpha: Any) -> None:
    kept = random_mask(5, 2)
    fix_screen(kept)
    fast, plain = accelerate(pcmci_on(values)), pcmci_on(values)
    got = fast.run_pcmci(tau_min=1, tau_max=2, pc_alpha=pc_alpha)
    expected = plain.run_pcmci(tau_min=1, tau_max=2, pc_alpha=pc_alpha, link_assumptions=assumptions(1, kept))
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-10)
    for j in range(5):
        assert fast.iterations[j]["optimal_pc_alpha"] == plain.iterations[j]["optimal_pc_alpha"]
    assert "optimal_alpha" in fast.run_pcmciplus(tau_max=2, pc_alpha=pc_alpha)


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(CMIknn(sig_samples=10, sig_blocklength=1, workers=1), id="knn"),
        pytest.param(GPDC(sig_samples=10), id="gpdc", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", ["run_pcmci", "run_pcmciplus"])
def test_other_tests_run_through_tigramite(values: Values, fix_screen: Any, test: Any, name: str) -> None:
    kept = random_mask(2, 1, share=0.5)
    fix_screen(kept)
    short = values[:60, :2]
    fast = accelerate(pcmci_on(short, deepcopy(test)))
    got = getattr(fast, name)(tau_max=1, tau_min=0)
    expected = getattr(pcmci_on(short, deepcopy(test)), name)(tau_max=1, link_assumptions=assumptions(0, kept))
    np.testing.assert_array_equal(got["p_matrix"], expected["p_matrix"])
    assert fast.screening.engine == "tigramite"
    assert fast.screening.tests_run > 0


def test_block_lengths_are_found_with_any_numpy(values: Values, fix_screen: Any) -> None:
    """Without a given block length tigramite 5.2.10 calls numpy.corrcoef in a way that numpy 2.4 refuses."""
    fix_screen(np.zeros((2, 2, 2), dtype=bool))
    fast = accelerate(pcmci_on(values[:60, :2], CMIknn(sig_samples=10, workers=1)))
    assert (fast.run_mci(tau_max=1)["p_matrix"][[0, 1], [1, 0], 0] < 1).all()


def test_missing_values_and_several_data_sets(values: Values) -> None:
    holes = values.copy()
    holes[50:55, 1] = 999.0
    data = {"a": holes[:180], "b": holes[180:]}
    frame: dict[str, Any] = {"analysis_mode": "multiple", "missing_flag": 999.0}
    fast = accelerate(pcmci_on(deepcopy(data), **frame))
    got = fast.run_pcmci(tau_min=1, tau_max=3)
    assert fast.screening.engine == "native"
    assert fast.screening.tests_avoided > 0
    links = assumptions(1, fast.screening.candidates.mask)
    expected = pcmci_on(deepcopy(data), **frame).run_pcmci(tau_min=1, tau_max=3, link_assumptions=links)
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-10)


def test_values_only(values: Values, fix_screen: Any) -> None:
    kept = random_mask(5, 2)
    fix_screen(kept)
    fast = accelerate(pcmci_on(values))
    got = fast.run_mci(tau_min=1, tau_max=2, val_only=True)
    expected = pcmci_on(values).run_mci(tau_min=1, tau_max=2, val_only=True)
    np.testing.assert_allclose(got["val_matrix"][kept], expected["val_matrix"][kept], rtol=1e-10)
    assert (got["val_matrix"][~kept] == 0).all()
    assert fast.screening.tests_run == kept.sum()


@pytest.mark.parametrize("T", [300, 2000])
def test_cancelling_chain_is_kept(T: int) -> None:
    """F43: X0 -> X2 cancels along X1, so no look at the pair alone finds it."""
    fast = accelerate(pcmci_on(cancelling_chain(0, T=T).values))
    results = fast.run_pcmci(tau_min=1, tau_max=5, fdr_method="fdr_bh")
    assert results["graph"][0, 2, 2] == "-->"
