"""The user's question decides what may be tested and what a correction counts; the screen only leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pcmci_cases import METHODS, WITH_FDR, Values, assumptions, matrices, on_tigramite, pcmci_on, random_mask

from arrow_cd import InvalidDataError, accelerate
from arrow_cd.links import LinkStatus


@pytest.mark.parametrize("name", ["run_pcmci", "run_mci", "run_bivci"])
def test_correction_runs_over_the_whole_family(values: Values, fix_screen: Any, name: str) -> None:
    kept = random_mask(5, 3)
    fix_screen(kept)
    fast = on_tigramite(pcmci_on(values))
    p = getattr(fast, name)(tau_max=3, tau_min=1)["p_matrix"]
    results = getattr(fast, name)(tau_max=3, tau_min=1, fdr_method="fdr_bh", alpha_level=0.01)
    q = pcmci_on(values).get_corrected_pvalues(p, tau_max=3, fdr_method="fdr_bh")
    shrunken = pcmci_on(values).get_corrected_pvalues(p, tau_min=1, tau_max=3, link_assumptions=assumptions(1, kept))
    np.testing.assert_allclose(results["p_matrix"], q, rtol=1e-14)
    assert (shrunken < q).any()
    np.testing.assert_array_equal(results["graph"][:, :, 1:] == "-->", q[:, :, 1:] <= 0.01)


def test_correction_of_pcmciplus_leaves_the_graph_alone(values: Values, fix_screen: Any) -> None:
    fix_screen(random_mask(5, 3))
    fast = on_tigramite(pcmci_on(values))
    plain = fast.run_pcmciplus(tau_max=3)
    corrected = fast.run_pcmciplus(tau_max=3, fdr_method="fdr_bh")
    expected = pcmci_on(values).get_corrected_pvalues(plain["p_matrix"], tau_max=3)
    np.testing.assert_allclose(corrected["p_matrix"], expected, rtol=1e-14)
    np.testing.assert_array_equal(corrected["graph"], plain["graph"])


def test_lags_below_tau_min_are_no_part_of_the_family(values: Values, fix_screen: Any) -> None:
    fix_screen(np.ones((5, 5, 5), dtype=bool))
    got = on_tigramite(pcmci_on(values)).run_mci(tau_min=2, tau_max=4, fdr_method="fdr_bh")
    expected = pcmci_on(values).run_mci(tau_min=2, tau_max=4, fdr_method="fdr_bh")
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-14)


def test_own_assumptions_are_the_family_and_are_never_widened(values: Values, fix_screen: Any) -> None:
    """F42: a forbidden link stays forbidden, whatever the screen says; the correction counts the user's links."""
    fix_screen(np.ones((5, 5, 4), dtype=bool))
    own = {j: {(i, -tau): "-?>" for i in range(4) for tau in (1, 2)} for j in range(5)}
    options: dict[str, Any] = {"tau_min": 1, "tau_max": 3, "link_assumptions": own, "fdr_method": "fdr_bh"}
    expected = pcmci_on(values).run_pcmci(**options)
    fast = on_tigramite(pcmci_on(values))
    got = fast.run_pcmci(**options)
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-14)
    assert (fast.screening.status[4] == LinkStatus.NOT_ASKED).all()


def test_screen_looks_only_at_links_the_user_allows(values: Values) -> None:
    own = {j: {(i, -tau): "-?>" for i in range(4) for tau in (1, 2, 3)} for j in range(5)}
    fast = accelerate(pcmci_on(values))
    fast.run_pcmci(tau_min=1, tau_max=3, link_assumptions=own)
    assert not fast.screening.candidates.mask[4].any()
    assert fast.screening.candidates.mask[:4].any()


def test_stated_links_are_kept_untested(values: Values, fix_screen: Any) -> None:
    fix_screen(np.zeros((5, 5, 4), dtype=bool))
    own = {j: {(j, -1): "-?>", (0, -2): "-->"} for j in range(5)}
    fast = on_tigramite(pcmci_on(values))
    results = fast.run_pcmci(tau_min=1, tau_max=3, link_assumptions=own)
    assert (results["p_matrix"][0, :, 2] == 0).all()
    assert (results["graph"][0, :, 2] == "-->").all()
    assert fast.screening.tests_run == 0
    assert not fast.screening.tested.any()


def test_order_of_the_users_links_is_kept(values: Values, fix_screen: Any) -> None:
    """Sorting in PC1 is stable, so the order of insertion decides ties."""
    fix_screen(np.ones((5, 5, 4), dtype=bool))
    own = {j: {(i, -tau): "-?>" for tau in (3, 1) for i in (4, 2, 0)} for j in range(5)}
    fast = on_tigramite(pcmci_on(values))
    fast.run_pc_stable(tau_max=3, link_assumptions=own)
    assert all(list(fast.pval_max[j]) == list(own[j]) for j in range(5))


@pytest.mark.parametrize("name", ["run_pcmci", "run_pcmciplus", "run_mci", "run_bivci"])
def test_lag_zero_is_never_pruned(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(np.zeros((5, 5, 3), dtype=bool))
    fast = on_tigramite(pcmci_on(values))
    results = getattr(fast, name)(tau_max=2)
    off = ~np.eye(5, dtype=bool)
    assert (results["p_matrix"][:, :, 0][off] < 1).all()
    assert fast.screening.tested[:, :, 0][off].all()
    assert not fast.screening.tested[:, :, 1:].any()


def test_no_lag_to_screen(values: Values) -> None:
    fast = accelerate(pcmci_on(values))
    results = fast.run_pcmciplus(tau_max=0)
    np.testing.assert_array_equal(results["graph"], pcmci_on(values).run_pcmciplus(tau_max=0)["graph"])
    assert fast.screening.candidates is None


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("constant", [1.0, 0.1, 1 / 3])
def test_constant_columns_change_nothing_else(values: Values, name: str, constant: float) -> None:
    """F47: tigramite gives such a column NaN or arbitrary p-values, and one NaN empties a corrected graph."""
    padded = np.insert(values, 2, constant, axis=1)
    others = [0, 1, 3, 4, 5]
    with_it, without = accelerate(pcmci_on(padded)), accelerate(pcmci_on(values))
    got = matrices(with_it, getattr(with_it, name)(tau_max=2, **WITH_FDR[name]))
    expected = matrices(without, getattr(without, name)(tau_max=2, **WITH_FDR[name]))
    np.testing.assert_allclose(got["p_matrix"][np.ix_(others, others)], expected["p_matrix"], rtol=1e-10)
    assert (expected["p_matrix"] < 0.01).any()
    assert (got["p_matrix"][2] == 1).all()
    assert (got["p_matrix"][:, 2] == 1).all()
    assert set(with_it.screening.status[2, others, 1:].ravel()) == {LinkStatus.CONSTANT}
    assert any("constant" in note for note in with_it.screening.notes)


def test_constant_conditions_of_the_user_are_dropped(values: Values) -> None:
    padded = np.insert(values, 5, 0.1, axis=1)
    parents = {j: [(0, -1), (1, -2)] for j in range(5)}
    expected = accelerate(pcmci_on(values)).run_mci(tau_max=2, parents=parents)
    padded_parents = {j: [(5, -1), *parents.get(j, [])] for j in range(6)}
    got = accelerate(pcmci_on(padded)).run_mci(tau_max=2, parents=padded_parents)
    np.testing.assert_allclose(got["p_matrix"][:5, :5], expected["p_matrix"], rtol=1e-10)


def test_too_few_rows_for_a_test_is_said_and_spoils_nothing(fix_screen: Any) -> None:
    """F16: NaN p-values where conditions outnumber rows."""
    values = np.random.default_rng(1).standard_normal((13, 4))
    fix_screen(np.ones((4, 4, 3), dtype=bool))
    fast = on_tigramite(pcmci_on(values))
    everything = [(i, -tau) for i in range(4) for tau in (1, 2)]
    parents = {0: everything, 1: [], 2: [], 3: []}
    results = fast.run_mci(tau_min=1, tau_max=2, parents=parents, max_conds_px=0, fdr_method="fdr_bh")
    assert np.isfinite(results["p_matrix"]).all()
    status = fast.screening.status
    assert (status[:, 0, 1:] == LinkStatus.TOO_FEW_ROWS).all()
    assert (results["p_matrix"][status == LinkStatus.TOO_FEW_ROWS] == 1).all()
    assert (status[:, 1:, 1:] == LinkStatus.OK).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, -1)], "expected a dict"),
        ({0: {}, 1: {}, 2: {}, 3: {}}, "no key for target 4"),
        ({**{j: {} for j in range(5)}, 5: {}}, "target 5"),
        ({**{j: {} for j in range(5)}, 0: [(0, -1)]}, r"link_assumptions\[0\].*list"),
        ({**{j: {} for j in range(5)}, 0: {(7, -1): "-?>"}}, "source 7"),
        ({**{j: {} for j in range(5)}, 0: {(1, 1): "-?>"}}, r"lag 1 .*\[-3, -1\]"),
        ({**{j: {} for j in range(5)}, 0: {(1, -4): "-?>"}}, "lag -4"),
        ({**{j: {} for j in range(5)}, 0: {(1, -1): "?->"}}, "mark"),
        ({**{j: {} for j in range(5)}, 0: {1: "-?>"}}, "not a link"),
    ],
)
def test_assumptions_are_checked(values: Values, given: Any, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        accelerate(pcmci_on(values)).run_mci(tau_min=1, tau_max=3, link_assumptions=given)


def test_numpy_integers_are_fine_in_assumptions(values: Values) -> None:
    own = {np.int64(j): {(np.int64(0), np.int64(-1)): "-?>"} for j in range(5)}
    fast = accelerate(pcmci_on(values))
    fast.run_mci(tau_min=1, tau_max=2, link_assumptions=own)
    assert not fast.screening.tested[1:].any()


def test_selected_links_is_refused(values: Values) -> None:
    with pytest.raises(InvalidDataError, match="selected_links"):
        accelerate(pcmci_on(values)).run_pcmci(selected_links={0: [(0, -1)]}, tau_max=1)
