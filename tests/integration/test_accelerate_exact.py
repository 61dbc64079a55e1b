"""Mode exact gives the answer of the unaccelerated object, whatever its data, its options and the engine."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from pcmci_cases import Values, matrices, pcmci_on
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.cmiknn import CMIknn
from tigramite.independence_tests.gpdc import GPDC
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.independence_tests.parcorr_wls import ParCorrWLS
from tigramite.independence_tests.robust_parcorr import RobustParCorr
from tigramite.pcmci import PCMCI

import arrow_cd.tigramite
from arrow_cd import BackendError, InvalidDataError, accelerate
from arrow_cd.tigramite import AcceleratedPCMCI

MCI = ["run_mci", "run_bivci", "run_fullci", "get_lagged_dependencies"]
NATIVE = ["run_pcmci", "run_pc_stable", *MCI, "run_pcmciplus"]
ALL = [*NATIVE, "run_pcalg"]


def assert_exact(given: PCMCI, name: str, **options: Any) -> AcceleratedPCMCI:
    """Run a method on both objects; compare everything they return and leave behind."""
    fast: AcceleratedPCMCI = accelerate(given, mode="exact")
    plain = PCMCI(given.dataframe, deepcopy(given.cond_ind_test))
    expected, got = getattr(plain, name)(**deepcopy(options)), getattr(fast, name)(**deepcopy(options))
    assert set(got) == set(expected)
    if name == "run_pc_stable":
        assert got == expected
    elif "graph" in expected:
        np.testing.assert_array_equal(got["graph"], expected["graph"])
        assert got["graph"].dtype == expected["graph"].dtype
    for attribute in ("all_parents", "iterations", "val_min", "pval_max"):
        assert hasattr(fast, attribute) == hasattr(plain, attribute)
        if hasattr(plain, attribute):
            same_nested(getattr(fast, attribute), getattr(plain, attribute))
    for key in ("p_matrix", "val_matrix", "conf_matrix"):
        ours, theirs = matrices(fast, got).get(key), matrices(plain, expected).get(key)
        assert (ours is None) == (theirs is None), key
        if theirs is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10, err_msg=key)
    for key in ("sepsets", "ambiguous_triples", "optimal_alpha"):
        assert got.get(key) == expected.get(key)
    assert hasattr(fast, "results") == hasattr(plain, "results")
    return fast


def same_nested(ours: Any, theirs: Any) -> None:
    """Equal keys in equal order, numbers to 1e-10."""
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            same_nested(ours[key], theirs[key])
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, abs=1e-10)
    else:
        assert ours == theirs


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("tau_min", [0, 1])
def test_every_method(values: Values, name: str, tau_min: int) -> None:
    fast = assert_exact(pcmci_on(values[:150, :4]), name, tau_min=tau_min, tau_max=2)
    report = fast.screening
    assert report.mode == "exact" and report.candidates is None and report.tests_avoided == 0
    assert report.engine == ("native" if name in NATIVE else report.engine)
    assert "none avoided" in str(report)


@pytest.mark.parametrize("name", ["run_pcmci", "run_pcmciplus", *MCI])
def test_corrections(values: Values, name: str) -> None:
    level = {} if name == "run_pcmciplus" else {"alpha_level": 0.1}
    assert_exact(pcmci_on(values[:150, :4]), name, tau_max=2, fdr_method="fdr_bh", **level)


def test_constants_count_in_the_family_as_in_tigramite(values: Values) -> None:
    given = pcmci_on(np.insert(values[:150, :3], 1, 0.0, axis=1))
    assert_exact(given, "run_mci", tau_max=2, fdr_method="fdr_bh", parents={0: [(0, -1), (1, -1)], 2: [(1, -2)]})


@pytest.mark.parametrize(
    "options",
    [
        {"pc_alpha": 0.05, "max_combinations": 3, "max_conds_dim": 2},
        {"max_conds_px": 0},
        {"max_conds_py": 1, "max_conds_px": 1},
        {"pc_alpha": [0.05, 0.3]},
        {"pc_alpha": None},
        {"save_iterations": True},
        {"link_assumptions": {j: {(i, -t): "-?>" for i in (3, 1, j) for t in (2, 1)} for j in range(4)}},
        {"link_assumptions": {0: {(3, -1): "-?>", (1, 0): "o?o", (0, -1): "-?>"}, 1: {}, 2: {(3, 0): "-?>"}, 3: {}}},
        {"link_assumptions": {0: {(0, -1): "-->"}, 1: {(0, 0): "o?o"}, 2: {(1, 0): "-?>"}, 3: {(2, -1): "-?>"}}},
    ],
)
def test_options_of_run_pcmci(values: Values, options: dict[str, Any]) -> None:
    assert_exact(pcmci_on(values[:150, :4]), "run_pcmci", tau_max=2, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"pc_alpha": 0.2, "contemp_collider_rule": "none", "conflict_resolution": False},
        {"pc_alpha": 0.2, "contemp_collider_rule": "conservative", "reset_lagged_links": True},
        {"max_conds_dim": 1, "max_conds_py": 1, "max_conds_px": 2, "max_conds_px_lagged": 0},
        {"pc_alpha": [0.01, 0.2, 0.1], "tau_min": 1},
        {"link_assumptions": {0: {(0, -1): "-->"}, 1: {(0, 0): "o?o"}, 2: {(1, 0): "-?>"}, 3: {(2, -1): "-?>"}}},
    ],
)
def test_options_of_run_pcmciplus(options: dict[str, Any]) -> None:
    x = np.random.default_rng(2).standard_normal((150, 4))
    x[:, 1] += x[:, 0]
    x[:, 2] += x[:, 1] + x[:, 3]
    x[1:, 3] += x[:-1, 0]
    fast = assert_exact(pcmci_on(x), "run_pcmciplus", tau_max=1, **options)
    assert fast.screening.engine == "native"


def test_values_alone(values: Values) -> None:
    fast = assert_exact(pcmci_on(values[:150, :4]), "run_mci", tau_max=2, val_only=True)
    assert fast.screening.engine == "native"


def test_parents_beyond_tau_max(values: Values) -> None:
    given = pcmci_on(values[:150, :4])
    assert_exact(given, "run_mci", tau_max=2, parents={0: [(1, -2), (1, -4)], 1: [(0, 0)]}, max_conds_px=0)
    with pytest.raises(InvalidDataError, match=r"parents\[1\].*5 samples back.*2 tau_max = 4"):
        accelerate(given, mode="exact").run_mci(tau_max=2, parents={1: [(2, -3)]})


@pytest.mark.parametrize("name", ["run_pcmci", "run_mci", "run_pcmciplus"])
def test_missing_values(values: Values, name: str) -> None:
    holes = values[:150, :3].copy()
    holes[[20, 77, 78], [0, 1, 2]] = 999.0
    assert_exact(pcmci_on(holes, missing_flag=999.0), name, tau_max=2)


@pytest.mark.parametrize("mask_type", ["y", "x", "z", "xyz"])
def test_masks(values: Values, mask_type: str) -> None:
    mask = np.zeros((150, 3), dtype=bool)
    mask[40:90, 1] = mask[100:120] = True
    assert_exact(pcmci_on(values[:150, :3], ParCorr(mask_type=mask_type), mask=mask), "run_pcmci", tau_max=2)


def test_reference_points(values: Values) -> None:
    points = [3, *range(30, 90), 95, 120, 149]
    assert_exact(pcmci_on(values[:150, :3], reference_points=points), "run_pcmci", tau_max=2)


def test_several_data_sets_with_offsets(values: Values) -> None:
    data = {"a": values[:90, :3], "b": values[90:96, :3], "c": values[96:, :3]}
    frame: dict[str, Any] = {"analysis_mode": "multiple", "time_offsets": {"a": 0, "b": 30, "c": 10}}
    assert_exact(pcmci_on(deepcopy(data), **frame), "run_pcmci", tau_max=2)
    given = pcmci_on(deepcopy(data), reference_points=np.arange(40, 150), **frame)
    fast = assert_exact(given, "run_pcmci", tau_max=2)
    assert fast.screening.engine == "native"


def test_vector_valued_variables(values: Values) -> None:
    given = pcmci_on(values[:150, :4], vector_vars={0: [(0, 0)], 1: [(1, 0), (2, 0)], 2: [(3, -1)]})
    fast = assert_exact(given, "run_mci", tau_max=1, parents={2: [(1, -1)]})
    assert "vector_vars" in fast.screening.reason


@pytest.mark.parametrize("name", ALL)
def test_normal_scores(values: Values, name: str) -> None:
    fast = assert_exact(pcmci_on(np.sinh(values[:150, :3]), RobustParCorr()), name, tau_max=2)
    assert fast.screening.engine == ("native" if name in NATIVE else "drop-in")
    assert "nothing is saved" not in fast.screening.reason


@pytest.mark.parametrize(
    "options",
    [{"pc_alpha": None}, {"pc_alpha": [0.4, 0.02, 0.1], "fdr_method": "fdr_bh"}, {"max_conds_px": 0, "pc_alpha": 0.05}],
)
def test_normal_scores_of_tied_masked_and_missing_samples(values: Values, options: dict[str, Any]) -> None:
    x = np.round(2 * values[:150, :3])
    x[[20, 77, 78], [0, 1, 2]] = 999.0
    mask = np.zeros(x.shape, dtype=bool)
    mask[40:60, 1] = mask[100:120] = True
    given = pcmci_on(x, RobustParCorr(mask_type="xz", confidence="analytic"), mask=mask, missing_flag=999.0)
    assert assert_exact(given, "run_pcmci", tau_max=2, **options).screening.engine == "native"


def test_drop_in_tests_of_normal_scores_are_those_of_the_core(values: Values) -> None:
    fast = assert_exact(pcmci_on(values[:150, :3], arrow_cd.tigramite.RobustParCorr()), "run_pcmci", tau_max=2)
    assert fast.screening.engine == "native"


def test_drop_in_tests_are_those_of_the_core(values: Values) -> None:
    fast = assert_exact(pcmci_on(values[:150, :3], arrow_cd.tigramite.ParCorr()), "run_pcmci", tau_max=2)
    assert fast.screening.engine == "native"


def test_other_deterministic_tests_run_as_they_are(values: Values) -> None:
    fast = assert_exact(pcmci_on(values[:80, :2], ParCorrWLS()), "run_pcmci", tau_max=1)
    assert fast.screening.engine == "tigramite"
    assert "ParCorrWLS" in fast.screening.reason and "nothing is saved" in fast.screening.reason


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (ParCorr(significance="shuffle_test"), "shuffles"),
        (CMIknn(significance="fixed_thres"), "noise"),
        (GPDC(), "null"),
    ],
)
def test_random_tests_are_refused(values: Values, test: Any, why: str) -> None:
    with pytest.raises(BackendError, match=f"exact.*{type(test).__name__}.*{why}"):
        accelerate(pcmci_on(values, test), mode="exact")


def test_thresholds_instead_of_p_values(values: Values) -> None:
    given = pcmci_on(values[:150, :3], ParCorr(significance="fixed_thres"))
    assert_exact(given, "run_mci", tau_max=2, alpha_level=0.2)


@pytest.mark.parametrize("confidence", ["analytic", "bootstrap"])
def test_confidence(values: Values, confidence: str) -> None:
    given = pcmci_on(values[:150, :3], ParCorr(confidence=confidence, conf_samples=30, conf_blocklength=1))
    assert_exact(given, "run_pcmci", tau_max=2)


@pytest.mark.parametrize("name", MCI)
def test_val_only_measures_stated_links_too(values: Values, name: str) -> None:
    stated = {j: {(i, -1): "-->" if i == j else "-?>" for i in range(3)} for j in range(3)}
    fast = assert_exact(pcmci_on(values[:120, :3]), name, tau_max=1, link_assumptions=stated, val_only=True)
    assert "val_only" in fast.screening.reason


def test_whole_numbers_are_tested_as_floats() -> None:
    counts = np.random.default_rng(0).poisson(5, size=(120, 3))
    given = PCMCI(DataFrame(counts.copy()), ParCorr())
    as_floats = PCMCI(DataFrame(counts.astype(float)), ParCorr())
    for name in ("run_pcmci", "run_pcalg"):  # natively, and in tigramite's loop
        p = [getattr(accelerate(pcmci, mode="exact"), name)(tau_max=2)["p_matrix"] for pcmci in (given, as_floats)]
        np.testing.assert_array_equal(*p)
    np.testing.assert_array_equal(given.dataframe.values[0], counts)
    assert given.dataframe.values[0].dtype == counts.dtype
