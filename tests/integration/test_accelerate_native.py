"""The native engine of accelerated objects gives tigramite's numbers, or says why it can't."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pcmci_cases import WITH_FDR, Values, matrices, on_tigramite, pcmci_on, random_mask
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr

from arrow_cd import BackendError, accelerate
from arrow_cd.links import LinkStatus
from arrow_cd.simulate import sparse_var

NATIVE = ["run_pcmci", "run_pc_stable", "run_mci", "run_bivci"]
PARENTS = {0: [(0, -1), (3, -2)], 2: [(1, -1)], 4: [(4, -1), (0, -3)]}


def assert_same(values: Any, name: str, options: dict[str, Any], test: Any = None, **frame: Any) -> None:
    slow = on_tigramite(pcmci_on(values, test, **frame))
    fast = accelerate(pcmci_on(values, test, **frame), engine="native")
    expected, got = getattr(slow, name)(**options), getattr(fast, name)(**options)
    assert fast.screening.engine == "native"
    assert fast.screening.reason.startswith(type(fast.cond_ind_test).__name__)
    assert fast.screening.tests_run == slow.screening.tests_run
    np.testing.assert_array_equal(fast.screening.status, slow.screening.status)
    if name in ("run_pcmci", "run_pc_stable"):
        assert fast.all_parents == slow.all_parents
        assert fast.iterations == slow.iterations
        for attribute in ("val_min", "pval_max"):
            exact, ours = getattr(slow, attribute), getattr(fast, attribute)
            for j in exact:
                assert ours[j] == pytest.approx(exact[j], abs=1e-10)
    if name != "run_pc_stable":
        assert fast.results is got
        assert set(got) == set(expected)
        np.testing.assert_array_equal(got["graph"], expected["graph"])
    for matrix in ("p_matrix", "val_matrix"):
        np.testing.assert_allclose(matrices(fast, got)[matrix], matrices(slow, expected)[matrix], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("tau_min", [0, 1, 2])
def test_equals_tigramite(values: Values, fix_screen: Any, name: str, tau_min: int) -> None:
    fix_screen(random_mask(5, 4))
    assert_same(values, name, {"tau_min": tau_min, "tau_max": 4, **WITH_FDR[name]})


@pytest.mark.parametrize("name", NATIVE)
def test_equals_tigramite_with_normal_scores(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(random_mask(4, 3))
    options = {"tau_max": 3, **WITH_FDR[name]}
    assert_same(np.sinh(np.round(values[:200, :4])), name, options, RobustParCorr())


@pytest.mark.parametrize("name", ["run_pcmci", "run_mci"])
@pytest.mark.parametrize("limits", [{"max_conds_px": 0}, {"max_conds_py": 1}, {"max_conds_py": 1, "max_conds_px": 1}])
def test_equals_tigramite_with_limited_conditions(
    values: Values, fix_screen: Any, name: str, limits: dict[str, int]
) -> None:
    """F44: the two directions of a contemporaneous link are then different tests and may be marked as an arrow."""
    fix_screen(random_mask(5, 3))
    given = {"parents": PARENTS} if name == "run_mci" else {"max_conds_dim": 1, "max_combinations": 3}
    assert_same(values, name, {"tau_max": 3, **limits, **given})


@pytest.mark.parametrize("seed", range(6))
def test_equals_tigramite_on_other_systems(fix_screen: Any, seed: int) -> None:
    fix_screen(random_mask(6, 3))
    assert_same(sparse_var(seed, N=6, T=200, L=3).values, "run_pcmci", {"tau_min": 1, "tau_max": 3, "pc_alpha": 0.3})


@pytest.mark.parametrize("name", NATIVE)
def test_equals_tigramite_with_own_assumptions(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(random_mask(5, 3))
    own: dict[int, dict[tuple[int, int], str]] = {
        j: {(i, -tau): "-?>" for i in range(4) for tau in (1, 2, 3)} for j in range(5)
    }
    own[4][0, -2] = "-->"
    assert_same(values, name, {"tau_min": 1, "tau_max": 3, "link_assumptions": own, **WITH_FDR[name]})


@pytest.mark.parametrize("name", ["run_pcmci", "run_mci"])
def test_equals_tigramite_with_directed_links_at_lag_zero(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(random_mask(5, 2))
    marks = {0: {(1, 0): "-?>"}, 1: {(0, 0): "<?-"}, 2: {(1, 0): "-->"}, 3: {(2, 0): "o?o"}, 4: {(3, 0): "o-o"}}
    own = {j: {link: mark for i in range(5) for link, mark in [*_at(marks[j], i), ((i, -1), "-?>")]} for j in range(5)}
    assert_same(values, name, {"tau_max": 2, "link_assumptions": own})


def _at(marks: dict[tuple[int, int], str], source: int) -> list[tuple[tuple[int, int], str]]:
    return [(link, mark) for link, mark in marks.items() if link[0] == source]


@pytest.mark.parametrize("name", NATIVE)
def test_equals_tigramite_on_several_data_sets(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(random_mask(5, 2))
    data = {0: values[:90], 1: values[90:95], 2: values[95:]}
    assert_same(data, name, {"tau_max": 2}, analysis_mode="multiple")


@pytest.mark.parametrize("name", NATIVE)
def test_constant_columns_are_left_out(values: Values, fix_screen: Any, name: str) -> None:
    fix_screen(random_mask(6, 2))
    assert_same(np.insert(values, 0, 0.5, axis=1), name, {"tau_max": 2, **WITH_FDR[name]})


def test_copies_are_said_to_be_collinear_and_spoil_nothing(values: Values, fix_screen: Any) -> None:
    fix_screen(np.ones((6, 6, 2), dtype=bool))
    copied = np.column_stack([values, values[:, 0]])
    fast = accelerate(pcmci_on(copied))
    parents = {0: [(5, -1)], 5: [(5, -1)]}
    results = fast.run_mci(tau_min=1, tau_max=1, parents=parents, fdr_method="fdr_bh")
    assert fast.screening.status[0, 0, 1] == LinkStatus.COLLINEAR
    assert results["p_matrix"][0, 0, 1] == 1
    assert (results["graph"] == "-->").any()


def test_printing_goes_with_the_results(values: Values, fix_screen: Any, capsys: Any) -> None:
    fix_screen(random_mask(5, 3))
    fast = accelerate(pcmci_on(values), engine="native")
    fast.verbosity = 1
    results = fast.run_pcmci(tau_min=1, tau_max=3, fdr_method="fdr_bh")
    printed = capsys.readouterr().out.split("Significant links")[1]
    assert printed.count("pval =") == (results["graph"] == "-->").sum()


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("run_pcalg", {}, "no native form"),
        ("run_pc_stable", {"save_iterations": True}, "save_iterations"),
    ],
)
def test_says_why_it_does_not_run(values: Values, name: str, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(BackendError, match=f"{name}: .*{reason}"):
        getattr(accelerate(pcmci_on(values), engine="native"), name)(tau_max=2, **options)
    auto = accelerate(pcmci_on(values))
    getattr(auto, name)(tau_max=2, **options)
    assert auto.screening.engine == "drop-in"
    assert reason in auto.screening.reason and "from one matrix" in auto.screening.reason


@pytest.mark.parametrize(
    ("test", "reason", "engine"),
    [
        (RobustParCorr(recycle_residuals=True), "recycle_residuals", "tigramite"),
        (type("MyParCorr", (ParCorr,), {})(), "MyParCorr", "tigramite"),
        (ParCorr(significance="fixed_thres"), "fixed_thres", "drop-in"),
        (ParCorr(significance="shuffle_test", sig_samples=5, sig_blocklength=1), "shuffle_test", "tigramite"),
        (ParCorr(confidence="bootstrap", conf_samples=30, conf_blocklength=1), "confidence", "drop-in"),
    ],
)
def test_tests_without_a_native_form_run_in_tigramites_search(
    values: Values, test: Any, reason: str, engine: str
) -> None:
    auto = accelerate(pcmci_on(values, test))
    auto.run_mci(tau_max=1)
    assert auto.screening.engine == engine
    assert type(auto.cond_ind_test) is type(test)
    assert reason in auto.screening.reason
    with pytest.raises(BackendError, match=reason):
        accelerate(pcmci_on(values, test), engine="native").run_mci(tau_max=1)
