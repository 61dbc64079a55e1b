"""Native PCMCI gives tigramite's parents and p-values with every option; which rows it uses: test_pcmci_rows_parity."""

from __future__ import annotations

import numpy as np
import pytest
from parity import assert_same_mci, assert_same_pc1, assumptions, tigramite_object

from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.data import as_time_series
from systems import all_links, linear_system


def random_size(seed: int) -> tuple[int, int, int]:
    """N, tau_max, T."""
    rng = np.random.default_rng(seed)
    return int(rng.integers(2, 5)), int(rng.integers(1, 4)), int(rng.integers(40, 200))


def own_lags(n: int, lags) -> dict[int, list[tuple[int, int]]]:
    return {j: [(j, -tau) for tau in lags] for j in range(n)}


def assert_same(x, links, *, assumed=None, tau_min=1, required=None, order=None, **options) -> None:
    pcmci = tigramite_object(x)
    lags = {"tau_min": tau_min, "tau_max": links.shape[2] - 1}
    results = pcmci.run_pcmci(link_assumptions=assumed, **lags, **options)
    found = run_native(as_time_series(x), links, required=required, order=order, **options)
    assert_same_pc1(found, pcmci)
    assert_same_mci(found, results, links if required is None else links | required)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tau_min", [0, 1, 2])
def test_limits_and_levels(seed: int, tau_min: int) -> None:
    rng = np.random.default_rng(seed)
    n, tau_max, T = random_size(seed)
    tau_max = max(tau_max, tau_min)
    options = {
        "pc_alpha": float(rng.choice([0.05, 0.2, 0.5])),
        "max_combinations": int(rng.integers(1, 4)),
        "max_conds_dim": [None, 1][seed % 2],
        "max_conds_py": [None, 1, 2][seed % 3],
        "max_conds_px": [None, 0, 1][seed % 3],
    }
    assert_same(linear_system(seed, n, T, tau_max), all_links(n, tau_max, tau_min), tau_min=tau_min, **options)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pc_alpha", [None, [0.3, 0.01, 0.3, 0.6], (0.05,)])
def test_choice_among_levels(seed: int, pc_alpha) -> None:
    n, tau_max, T = random_size(seed)
    assert_same(linear_system(seed, n, T, tau_max), all_links(n, tau_max), pc_alpha=pc_alpha)


@pytest.mark.parametrize("seed", range(3))
def test_some_links_only(seed: int) -> None:
    links = all_links(4, 3, tau_min=0)
    drop = np.random.default_rng(seed).random(links.shape) < 0.5
    drop[:, :, 0] |= drop[:, :, 0].T
    links &= ~drop
    assert_same(linear_system(seed, 4, 120, 3), links, assumed=assumptions(links), tau_min=0)


def test_directed_links_at_lag_0() -> None:
    x = linear_system(4, 3, 120, 2)
    links = all_links(3, 2, tau_min=0)
    links[1, 0, 0] = False
    assumed = assumptions(links)
    assumed[0][(1, 0)], assumed[1][(0, 0)] = "<?-", "-?>"
    results = tigramite_object(x).run_pcmci(link_assumptions=assumed, tau_min=0, tau_max=2, max_conds_py=1)
    both = run_native(as_time_series(x), links, max_conds_py=1).symmetric(links)
    np.testing.assert_allclose(both.p[links], results["p_matrix"][links], rtol=0, atol=1e-10)
    # Here tigramite copies the number of the one direction that was tested to the other.
    assert both.p[1, 0, 0] == 1 and results["p_matrix"][1, 0, 0] == results["p_matrix"][0, 1, 0]


@pytest.mark.parametrize("seed", range(3))
def test_required_links_in_any_order(seed: int) -> None:
    """All required links are equally strong: their order is that of the dict."""
    n, tau_max = 3, 3
    links = all_links(n, tau_max)
    rng = np.random.default_rng(seed)
    required = links & (rng.random(links.shape) < 0.3)
    assumed = assumptions(links, required)
    for j, sources in assumed.items():
        keys = list(sources)
        rng.shuffle(keys)
        assumed[j] = {tuple(key): sources[tuple(key)] for key in keys}
    order = {j: list(sources) for j, sources in assumed.items()}
    x = linear_system(seed, n, 120, tau_max)
    assert_same(x, links & ~required, assumed=assumed, required=required, order=order, max_conds_px=1, pc_alpha=0.5)


@pytest.mark.parametrize("limits", [{}, {"max_conds_py": 2, "max_conds_px": 1}])
def test_mci_given_parents_at_any_lag(limits: dict[str, int]) -> None:
    x = linear_system(11, 3, 120, 2)
    parents = {0: [(1, 0), (0, -1), (2, -4), (0, -1)], 1: [(2, -1), (0, 0), (1, -2)], 2: [(2, -2), (0, -1)]}
    links = all_links(3, 2, tau_min=0)
    links[0, :, 2] = False  # a parent at lag 4 of series 0 may be moved back by nothing
    links[0, :, 1] = False
    results = tigramite_object(x).run_mci(
        tau_min=0, tau_max=2, parents=parents, link_assumptions=assumptions(links), **limits
    )
    # tigramite's default limits are the number of lags asked for.
    native = {name: limits.get(name, 9) for name in ("max_conds_py", "max_conds_px")}
    assert_same_mci(run_native(as_time_series(x), links, parents=parents, **native), results, links)


@pytest.mark.parametrize("tau_min", [0, 1, 2])
@pytest.mark.parametrize("method", ["run_bivci", "run_fullci", "get_lagged_dependencies"])
def test_variants_of_mci(method: str, tau_min: int) -> None:
    n, tau_max = 3, 3
    x = linear_system(10, n, 120, tau_max)
    lags = range(max(1, tau_min), tau_max + 1)
    every = [(i, -tau) for i in range(n) for tau in lags]
    parents = {
        "run_bivci": own_lags(n, lags),
        "run_fullci": dict.fromkeys(range(n), every),
        "get_lagged_dependencies": {},
    }[method]
    links = all_links(n, tau_max, tau_min)
    results = getattr(tigramite_object(x), method)(tau_min=tau_min, tau_max=tau_max)
    found = run_native(as_time_series(x), links, parents=parents, max_conds_px=0)
    assert_same_mci(found, results, links)
    assert found.tests_by_phase == {"pc1": 0, "mci": links.sum()}


def test_lag_0_alone() -> None:
    x, links = linear_system(13, 3, 80, 1), all_links(3, 0, 0)
    results = tigramite_object(x).run_mci(tau_min=0, tau_max=0, parents=None)
    found = run_native(as_time_series(x), links, parents={})
    assert found.n_samples == 80
    assert_same_mci(found, results, links)


def test_one_series() -> None:
    assert_same(linear_system(14, 1, 80, 3), all_links(1, 3))


def test_pc1_alone() -> None:
    x = linear_system(12, 3, 120, 2)
    pcmci = tigramite_object(x)
    pcmci.run_pc_stable(tau_max=2, pc_alpha=None)
    found = run_native(as_time_series(x), all_links(3, 2, 0), pc_alpha=None, mci=False)
    assert_same_pc1(found, pcmci)
    assert found.tests_by_phase["mci"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_missing_values(seed: int) -> None:
    x = linear_system(seed, 3, 120, 2)
    x[np.random.default_rng(seed).random(x.shape) < 0.03] = np.nan
    assert_same(x, all_links(3, 2))


def test_several_data_sets() -> None:
    x = linear_system(7, 3, 150, 2)
    # The second is too short to have any rows, the third shorter than its lags.
    pieces = {0: x[:80], 1: x[80:84], 2: x[84:90], 3: x[90:]}
    pcmci, links = tigramite_object(pieces), all_links(3, 2, 0)
    results = pcmci.run_pcmci(tau_min=0, tau_max=2)
    found = run_native(as_time_series(list(pieces.values())), links)
    assert found.n_samples == 76 + 2 + 56
    assert_same_pc1(found, pcmci)
    assert_same_mci(found, results, links)


def test_an_offset_of_a_million() -> None:
    assert_same(linear_system(8, 3, 150, 2) + 1e6, all_links(3, 2), pc_alpha=None)


def test_p_values_that_vanish_are_tied() -> None:
    # Random walks: own lags have p = 0 in every test, and the first of them speaks for PC1.
    x = np.cumsum(linear_system(15, 4, 500, 1), axis=0)
    pcmci = tigramite_object(x)
    assert_same(x, all_links(4, 1))
    pcmci.run_pc_stable(tau_max=1)
    assert (np.diagonal(pcmci.p_matrix[:, :, 1]) == 0).any()


def test_constant_columns_and_more_conditions_than_rows() -> None:
    x = linear_system(9, 3, 14, 3)
    x[:, 1] = 0.5  # a constant whose standard deviation comes out as exactly 0
    results = tigramite_object(x).run_pcmci(tau_min=1, tau_max=3, pc_alpha=1.0)
    found = run_native(as_time_series(x), all_links(3, 3), pc_alpha=1.0)
    testable = ~np.isnan(results["p_matrix"])
    assert not testable.all()
    np.testing.assert_allclose(found.p[testable], results["p_matrix"][testable], rtol=0, atol=1e-8)
    assert (found.p[~testable] == 1).all()
