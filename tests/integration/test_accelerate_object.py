"""What `accelerate` gives back, what it leaves alone, and what it refuses."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
from pcmci_cases import METHODS, Values, on_tigramite, pcmci_on, random_mask
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.cmiknn import CMIknn
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.jpcmciplus import JPCMCIplus
from tigramite.lpcmci import LPCMCI
from tigramite.pcmci import PCMCI

import arrow_cd.tigramite
from arrow_cd import BackendError, BackendNotInstalledError, InvalidDataError, accelerate, discover
from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.screening import ScreenConfig


def snapshot(pcmci: PCMCI) -> bytes:
    return pickle.dumps((vars(pcmci.dataframe), vars(pcmci.cond_ind_test), sorted(vars(pcmci))))


@pytest.mark.parametrize(
    "test", [ParCorr(), CMIknn(sig_samples=10, sig_blocklength=1, workers=1)], ids=["ParCorr", "CMIknn"]
)
def test_the_given_object_stays_untouched(values: Values, test: Any) -> None:
    given = pcmci_on(values[:80, :2], deepcopy(test))
    given.run_pc_stable(tau_max=1)
    before = snapshot(given)
    fast = accelerate(given)
    assert fast.cond_ind_test.ci_results == {}
    fast.run_pcmci(tau_min=1, tau_max=1)
    assert snapshot(given) == before


def test_same_class_methods_and_signatures(values: Values) -> None:
    given = pcmci_on(values)
    fast = accelerate(given)
    assert isinstance(fast, PCMCI)
    assert fast.screening is None
    for name in METHODS:
        assert inspect.signature(getattr(fast, name)) == inspect.signature(getattr(given, name))
    results = fast.run_pcmci(tau_max=2)
    parents = fast.return_parents_dict(results["graph"], results["val_matrix"])
    assert set(parents) == set(range(5))


def test_an_accelerated_object_can_be_copied_and_accelerated_again(values: Values) -> None:
    fast = accelerate(pcmci_on(values))
    expected = fast.run_pcmci(tau_max=2)["p_matrix"]
    for other in (accelerate(fast), deepcopy(fast), pickle.loads(pickle.dumps(fast))):
        np.testing.assert_array_equal(other.run_pcmci(tau_max=2)["p_matrix"], expected)


def test_printing_goes_with_the_results(values: Values, fix_screen: Any, capsys: Any) -> None:
    """F51: the printed links are those of the corrected graph."""
    fix_screen(random_mask(5, 3))
    fast = on_tigramite(pcmci_on(values))
    fast.verbosity = 1
    results = fast.run_pcmci(tau_min=1, tau_max=3, fdr_method="fdr_bh")
    printed = capsys.readouterr().out.split("Significant links")[1]
    assert printed.count("pval =") == (results["graph"] == "-->").sum()


def test_report_adds_up(values: Values) -> None:
    fast = on_tigramite(pcmci_on(values))
    fast.run_pcmci(tau_min=1, tau_max=6)
    report = fast.screening
    assert report.tested.sum() == report.candidates.mask.sum()
    assert report.tests_avoided + report.tested.sum() == 5 * 5 * 6
    assert report.tests_run >= 2 * report.tested.sum()
    assert set(report.timings) == {"prefilter", "search"}
    assert all(seconds > 0 for seconds in report.timings.values())
    assert report.engine == "tigramite"
    assert f"{report.tests_run} tests run" in str(report)


def test_screen_settings_are_used(values: Values) -> None:
    few = accelerate(pcmci_on(values), screen=ScreenConfig(max_add=0))
    few.run_pcmci(tau_min=1, tau_max=3)
    own = np.zeros((5, 5, 4), dtype=bool)
    own[range(5), range(5), 1] = True
    np.testing.assert_array_equal(few.screening.tested, own)


def test_progress_counts_targets(values: Values) -> None:
    seen: list[tuple[str, int, int]] = []
    fast = on_tigramite(pcmci_on(values), progress=lambda phase, done, total: seen.append((phase, done, total)))
    fast.run_mci(tau_max=2)
    assert [done for phase, done, _ in seen if phase == "search"] == [0, 1, 2, 3, 4]
    assert {total for _, _, total in seen} == {5}


def test_threads_change_nothing(values: Values) -> None:
    """F4: identical output for any number of threads."""
    one, four = (accelerate(pcmci_on(values), n_jobs=n) for n in (1, 4))
    results = [fast.run_pcmci(tau_max=4, fdr_method="fdr_bh") for fast in (one, four)]
    np.testing.assert_array_equal(results[0]["p_matrix"], results[1]["p_matrix"])
    np.testing.assert_array_equal(one.screening.tested, four.screening.tested)


def test_a_run_that_stops_leaves_no_report(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = on_tigramite(pcmci_on(values))
    fast.run_mci(tau_max=1)

    def stop(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ParCorr, "get_dependence_measure", stop)
    fast.cond_ind_test.cached_ci_results.clear()
    with pytest.raises(KeyboardInterrupt):
        fast.run_mci(tau_max=1)
    assert fast.screening is None
    monkeypatch.undo()
    fast.run_mci(tau_max=1)
    assert fast.screening is not None


def test_an_interrupt_hands_back_what_the_core_has(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: Any, **options: Any) -> None:
        raise InterruptedRun(run_native(*args, **options))

    monkeypatch.setattr("arrow_cd.tigramite.native.run_native", stop)
    fast = accelerate(pcmci_on(values), mode="exact")
    with pytest.raises(KeyboardInterrupt) as interrupt:
        fast.run_pcmci(tau_max=3)
    assert interrupt.value.partial.p.shape == (5, 5, 4)
    assert fast.screening is None and fast.active_run is None


def test_whole_numbers_are_fine_natively(values: Values) -> None:
    """F34: tigramite's ParCorr fails on integers."""
    whole = (values * 100).astype(int)
    expected = accelerate(pcmci_on(whole.astype(float))).run_pcmci(tau_max=2)
    np.testing.assert_array_equal(accelerate(pcmci_on(whole)).run_pcmci(tau_max=2)["p_matrix"], expected["p_matrix"])


def test_every_run_screens_the_data_as_they_are(values: Values) -> None:
    fast = accelerate(pcmci_on(values.copy()))
    first = fast.run_pcmci(tau_min=1, tau_max=3)
    fast.dataframe.values[0] = fast.dataframe.values[0][::-1].copy()
    second = fast.run_pcmci(tau_min=1, tau_max=3)
    fresh = accelerate(pcmci_on(values[::-1].copy())).run_pcmci(tau_min=1, tau_max=3)
    np.testing.assert_array_equal(second["p_matrix"], fresh["p_matrix"])
    assert (first["p_matrix"] != second["p_matrix"]).any()


def test_a_mask_without_mask_type_has_no_effect_as_in_tigramite(values: Values) -> None:
    mask = np.zeros(values.shape, dtype=bool)
    mask[:100] = True
    got = accelerate(pcmci_on(values, mask=mask)).run_pcmci(tau_max=2)
    expected = accelerate(pcmci_on(values)).run_pcmci(tau_max=2)
    np.testing.assert_array_equal(got["p_matrix"], expected["p_matrix"])


def test_a_matrix_beyond_the_budget_is_not_made(values: Values) -> None:
    given = pcmci_on(values)
    whole, small = accelerate(given, mode="exact"), accelerate(given, mode="exact", memory_budget=200)
    expected, got = whole.run_pcmci(tau_max=2), small.run_pcmci(tau_max=2)
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=1e-9)
    assert any("memory budget" in note for note in small.screening.notes)
    assert not whole.screening.notes
    with pytest.raises(MemoryError, match="budget"):
        accelerate(given, screen=ScreenConfig("forward"), memory_budget=1000).run_pcmci(tau_max=2)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"mode": "exact", "screen": ScreenConfig()}, "screen"),
        ({"memory_budget": 0}, "memory_budget"),
        ({"n_jobs": -1}, "n_jobs"),
        ({"screen": np.zeros(2)}, "screen"),
    ],
)
def test_options_that_can_not_be_meant_are_named(values: Values, options: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidDataError, match=f"{name}="):
        accelerate(pcmci_on(values), **options)


@pytest.mark.parametrize("settings", [{"mode": "exact"}, {"mode": "screen"}, {"engine": "tigramite"}])
@pytest.mark.parametrize(
    ("name", "option", "values_given"),
    [
        ("run_pcmci", "pc_alpha", ["x", [], [2], -1, float("nan"), [None], {}]),
        ("run_pc_stable", "max_conds_dim", ["x", -1, 1.5, float("nan"), [2]]),
        ("run_pcmci", "max_combinations", [0, None, 1.5, "x"]),
        ("run_mci", "max_conds_px", [-1, np.zeros(2)]),
        ("run_mci", "parents", ["x", 0, {9: []}, {0: [1]}, {0: [(9, -1)]}, {0: [(0, 1)]}, {0: None}]),
        ("run_mci", "val_only", [0, np.zeros(2)]),
        ("run_bivci", "alpha_level", ["x", None, [0.1], -1, 2]),
        ("run_fullci", "fdr_method", ["bh", None, np.zeros(2)]),
        ("run_pcmciplus", "contemp_collider_rule", ["x", []]),
        ("run_pcmciplus", "conflict_resolution", [None, 1]),
    ],
)
def test_arguments_of_methods_that_can_not_be_meant_are_named(
    values: Values, settings: dict[str, Any], name: str, option: str, values_given: list[Any]
) -> None:
    fast = accelerate(pcmci_on(values[:80, :3]), **settings)
    for value in values_given:
        with pytest.raises(InvalidDataError, match=rf"^{option}[=:\[]"):
            getattr(fast, name)(tau_max=1, **{option: value})


@pytest.mark.parametrize("pc_alpha", [np.array([0.05, 0.2]), (0.05, 0.2), np.float64(0.1), 0, 1])
def test_levels_that_tigramite_takes_are_taken(values: Values, pc_alpha: Any) -> None:
    given = pcmci_on(values[:120, :3])
    expected = given.run_pcmci(tau_max=1, pc_alpha=pc_alpha)
    got = accelerate(given, mode="exact").run_pcmci(tau_max=1, pc_alpha=pc_alpha)
    np.testing.assert_allclose(got["p_matrix"], expected["p_matrix"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("option", [{"mode": "fast"}, {"engine": "gpu"}])
def test_unknown_modes_and_engines_are_named(values: Values, option: dict[str, Any]) -> None:
    with pytest.raises(InvalidDataError, match=f"{next(iter(option))}='{next(iter(option.values()))}'"):
        accelerate(pcmci_on(values), **option)


def test_other_classes_are_refused_by_name(values: Values) -> None:
    frame = DataFrame(values)
    several = DataFrame({0: values, 1: values}, analysis_mode="multiple")
    system = dict.fromkeys(range(5), "system")
    # tigramite's own RPCMCI needs a solver to be imported; any other subclass is refused as well.
    regimes = type("RPCMCI", (PCMCI,), {})
    for given in (
        LPCMCI(frame, ParCorr()),
        JPCMCIplus(node_classification=system, dataframe=several, cond_ind_test=ParCorr()),
        regimes(frame, ParCorr()),
        type("MyPCMCI", (PCMCI,), {})(frame, ParCorr()),
    ):
        with pytest.raises(BackendError, match=f"class {type(given).__name__} is not covered"):
            accelerate(given)
    with pytest.raises(BackendError, match=r"LPCMCI\(\.\.\., cond_ind_test=arrow_cd\.tigramite\.ParCorr\(\)\)"):
        accelerate(LPCMCI(frame, ParCorr()), mode="exact")


def test_pc_reads_separating_sets_that_pruned_links_do_not_have(values: Values) -> None:
    fast = accelerate(pcmci_on(values[:, :3]))
    with pytest.raises(BackendError, match='run_pcalg with contemp_collider_rule="none"'):
        fast.run_pcalg(tau_max=1, contemp_collider_rule="none")
    expected = pcmci_on(values[:, :3]).run_pcalg_non_timeseries_data(contemp_collider_rule="none")
    got = fast.run_pcalg_non_timeseries_data(contemp_collider_rule="none")
    np.testing.assert_array_equal(got["graph"], expected["graph"])
    assert fast.run_pcalg(tau_max=1)["graph"].shape == (3, 3, 2)
    assert fast.screening.tests_avoided > 0


@pytest.mark.parametrize("given", [3, ParCorr(), PCMCI, {"tau_max": 3}])
def test_unknown_objects_are_told_what_is_accepted(given: Any) -> None:
    with pytest.raises(InvalidDataError, match=r"tigramite\.pcmci\.PCMCI.*pcmci"):
        accelerate(given)


def test_options_of_methods_do_not_go_with_objects(values: Values) -> None:
    with pytest.raises(TypeError, match="tau_max"):
        accelerate(pcmci_on(values), tau_max=3)


def test_names_of_methods_give_discover() -> None:
    fast = accelerate("pcmci", tau_max=3, pc_alpha=0.1)
    assert isinstance(fast, partial)
    assert fast.func is discover
    assert fast.keywords == {"method": "pcmci", "mode": "screen", "n_jobs": 1, "tau_max": 3, "pc_alpha": 0.1}


@pytest.mark.parametrize("name", ["pcmci", "pcmciplus"])
def test_names_of_methods_run(values: Values, name: str) -> None:
    result = accelerate(name, tau_max=2)(values)
    assert result.method == name
    assert result.screening.tests_avoided > 0


def test_unknown_methods_are_told_what_there_is() -> None:
    with pytest.raises(InvalidDataError, match=r"'pcmcj'.*pcmciplus"):
        accelerate("pcmcj")
    with pytest.raises(InvalidDataError, match="engine"):
        accelerate("pcmci", engine="native")


def test_without_tigramite_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tigramite.pcmci", None)
    with pytest.raises(BackendNotInstalledError, match=r"arrow-cd\[pcmci\]"):
        _ = arrow_cd.tigramite.AcceleratedPCMCI


def test_tigramite_is_not_imported_before_it_is_needed() -> None:
    script = "import sys, arrow_cd.tigramite, arrow_cd; arrow_cd.accelerate; print('tigramite' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("tau_max", [-1, 1.5, "3", None])
def test_a_lag_that_is_none_is_named(tau_max):
    pcmci = PCMCI(dataframe=DataFrame(np.random.default_rng(0).standard_normal((80, 3))), cond_ind_test=ParCorr())
    with pytest.raises(InvalidDataError, match="tau_max="):
        accelerate(pcmci).run_pcmci(tau_max=tau_max)


def test_constants_alone_are_refused():
    pcmci = PCMCI(dataframe=DataFrame(np.ones((80, 3))), cond_ind_test=ParCorr())
    with pytest.raises(InvalidDataError, match="all of the 3 columns are constant"):
        accelerate(pcmci).run_pcmci(tau_max=2)
