"""Native PCMCI and PCMCI+ on normal scores give the numbers of tigramite's RobustParCorr."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from parity import TOLERANCE, assert_same_mci, assert_same_pc1, tigramite_object

from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.backends.rows import RowSpec
from arrow_cd.data import as_time_series
from plus_cases import PlusDifference, compare, contemporaneous_system, random_case
from systems import all_links, linear_system

N, TAU_MAX = 3, 2
LINKS = all_links(N, TAU_MAX, tau_min=0)

# Ranks forget everything but the order, unless samples tie.
SHAPES = {
    "plain": lambda x: x,
    "heavy-tailed": lambda x: np.sinh(2 * x),
    "rounded": lambda x: np.round(2 * x),
    "two values": lambda x: np.sign(x),
    "clipped": lambda x: np.clip(x, -0.5, 0.5),
    "offset of a million": lambda x: x + 1e6,
}


def system(seed: int, T: int = 140) -> np.ndarray:
    return linear_system(seed, N, T, TAU_MAX)


def gaps(shape, share: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < share


def assert_same(x, *, rows: RowSpec | None = None, frame=None, **options) -> None:
    """Compare both searches on one data set or on a list of them."""
    data = x if isinstance(x, np.ndarray) else dict(enumerate(x))
    pcmci = tigramite_object(data, normal_scores=True, **(frame or {}))
    results = pcmci.run_pcmci(tau_min=0, tau_max=TAU_MAX, **options)
    found = run_native(as_time_series(x), LINKS, rows=rows, normal_scores=True, **options)
    assert_same_pc1(found, pcmci)
    assert_same_mci(found, results, LINKS)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(2))
def test_all_shapes_of_data(shape: str, seed: int) -> None:
    assert_same(SHAPES[shape](system(seed)), pc_alpha=[0.05, 0.4][seed])


@pytest.mark.parametrize("pc_alpha", [None, [0.3, 0.01, 0.6]])
@pytest.mark.parametrize("shape", ["heavy-tailed", "rounded"])
def test_levels_are_chosen_by_how_the_scores_fit(shape: str, pc_alpha) -> None:
    for seed in (2, 3):
        assert_same(SHAPES[shape](system(seed)), pc_alpha=pc_alpha)


@pytest.mark.parametrize("limits", [{"max_conds_px": 0}, {"max_conds_py": 1, "max_conds_px": 1}, {"max_conds_dim": 1}])
def test_limits(limits: dict[str, int]) -> None:
    assert_same(np.round(system(4)), max_combinations=2, **limits)


@pytest.mark.parametrize("shape", ["heavy-tailed", "rounded"])
@pytest.mark.parametrize("pc_alpha", [0.2, None])
def test_missing_values_are_not_ranked(shape: str, pc_alpha) -> None:
    x = SHAPES[shape](system(5))
    x[gaps(x.shape, 0.03, 6)] = np.nan
    assert_same(x, pc_alpha=pc_alpha)


@pytest.mark.parametrize("mask_type", ["x", "y", "z", "xyz"])
def test_masked_samples_are_not_ranked(mask_type: str) -> None:
    x = np.round(system(7), 1)
    mask = gaps(x.shape, 0.1, 8)
    rows = RowSpec(mask=mask, mask_type=mask_type)
    assert_same(x, rows=rows, frame={"mask": mask, "mask_type": mask_type}, pc_alpha=None)


def test_data_sets_are_ranked_together() -> None:
    x = np.sinh(system(9, T=150)) + 5 * (np.arange(150)[:, None] > 80)
    assert_same([x[:80], x[80:84], x[84:90], x[90:]])


@pytest.mark.parametrize("points", [np.arange(0, 140, 3), np.array([3, 7, *range(50, 56), 100, *range(120, 140)])])
def test_only_chosen_rows_are_ranked(points) -> None:
    assert_same(system(10), rows=RowSpec(reference=points), frame={"reference_points": points})


def test_with_and_without_a_matrix() -> None:
    """A budget below 8 C rows bytes, C lagged columns, leaves every test to its rows."""
    data = as_time_series(np.round(system(11)))
    columns, rows = N * (2 * TAU_MAX + 1), 140 - 2 * TAU_MAX
    matrix, too_little = 8 * columns * (columns + rows), 8 * columns * rows - 1
    by_matrix, by_rows = (
        run_native(data, LINKS, normal_scores=True, memory_budget=budget) for budget in (matrix, too_little)
    )
    assert (by_matrix.correlations, by_rows.correlations) == ("matrix", "rows")
    assert by_matrix.parents == by_rows.parents
    np.testing.assert_allclose(by_matrix.p, by_rows.p, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(by_matrix.status, by_rows.status)


def test_rounding_noise_is_constant_before_it_is_ranked() -> None:
    """Ranks would make a variable of it, and so they do in tigramite."""
    x = system(12)
    x[:, 1] = 1e6 * (1 + 1e-14 * (np.arange(len(x)) % 7))
    budgets = (1 << 30, 1)
    found = [run_native(as_time_series(x), LINKS, normal_scores=True, memory_budget=b) for b in budgets]
    for run in found:
        assert (run.p[1] == 1).all() and (run.p[:, 1] == 1).all()
        assert (run.p[0, 2] < 1).any()
    np.testing.assert_array_equal(found[0].status, found[1].status)


def test_a_constant_condition_is_left_out() -> None:
    x = system(13)
    x[:, 1] = 0.5
    parents = {0: [(0, -1), (1, -1)], 2: [(1, -2), (2, -1)]}
    results = tigramite_object(x, normal_scores=True).run_mci(tau_max=TAU_MAX, parents=parents)
    assert_same_mci(run_native(as_time_series(x), LINKS, parents=parents, normal_scores=True), results, LINKS)


def compare_plus(seed: int, **limits: int) -> PlusDifference:
    """A random task of PCMCI+. Of two values many partial correlations tie, and rounding decides tigramite's order."""
    shapes = [shape for name, shape in SHAPES.items() if name != "two values"]
    case = random_case(seed, **limits)
    return compare(replace(case, x=shapes[seed % len(shapes)](case.x), normal_scores=True))


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_tasks_of_pcmciplus(seed: int) -> None:
    assert compare_plus(seed, largest=4, most_lags=2).within(TOLERANCE)


@pytest.mark.slow
def test_forty_random_tasks_of_pcmciplus() -> None:
    found = {seed: compare_plus(seed) for seed in range(300, 340)}
    assert [seed for seed, difference in found.items() if not difference.within(TOLERANCE)] == []


@pytest.mark.parametrize("levels", [None, [0.01, 0.1, 0.4]])
def test_levels_of_pcmciplus(levels: list[float] | None) -> None:
    x = np.sinh(2 * contemporaneous_system(np.random.default_rng(14), 3, 100, 1))
    results = tigramite_object(x, normal_scores=True).run_pcmciplus(tau_max=1, pc_alpha=levels)
    found = run_native_plus(as_time_series(x), all_links(3, 1, tau_min=0), pc_alpha=levels, normal_scores=True)
    assert found.pc_alpha == results["optimal_alpha"]
    np.testing.assert_array_equal(found.graph, results["graph"])
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("mask_type", ["", "xyz"])
def test_rows_of_pcmciplus(mask_type: str) -> None:
    x = np.round(contemporaneous_system(np.random.default_rng(15), N, 150, TAU_MAX), 1)
    x[gaps(x.shape, 0.02, 16)] = np.nan
    mask = gaps(x.shape, 0.05, 17)
    pcmci = tigramite_object(x, normal_scores=True, mask=mask, mask_type=mask_type or None)
    results = pcmci.run_pcmciplus(tau_max=TAU_MAX)
    rows = RowSpec(mask=mask, mask_type=mask_type)
    found = run_native_plus(as_time_series(x), LINKS, rows=rows, normal_scores=True)
    np.testing.assert_array_equal(found.graph, results["graph"])
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.val, results["val_matrix"], rtol=0, atol=TOLERANCE)
