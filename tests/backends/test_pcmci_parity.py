"""Native PCMCI gives tigramite's parents and p-values."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd.backends.pcmci import run_native
from arrow_cd.data import as_time_series
from systems import all_links, linear_system

pytest.importorskip("tigramite", reason="tigramite is not installed (extra: pcmci)")

from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

MISSING = 999.0


def reference(x, *, analysis_mode="single", **options):
    missing = MISSING if analysis_mode == "single" and (x == MISSING).any() else None
    pcmci = PCMCI(DataFrame(x, missing_flag=missing, analysis_mode=analysis_mode), ParCorr())
    return pcmci, pcmci.run_pcmci(**options)


def assert_same(found, pcmci, results, tolerance=1e-10) -> None:
    assert found.parents == pcmci.all_parents
    n = len(found.p)
    found = found.symmetric(np.broadcast_to(~np.eye(n, dtype=bool)[:, :, None], found.p.shape))
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(found.val, results["val_matrix"], rtol=0, atol=tolerance)
    np.testing.assert_allclose(found.pc_p_max, pcmci.p_matrix, rtol=0, atol=tolerance)
    np.testing.assert_allclose(found.pc_val, pcmci.val_matrix, rtol=0, atol=tolerance)
    for target, strengths in pcmci.val_min.items():
        for (source, lag), strength in strengths.items():
            assert found.pc_val_min[source, target, -lag] == pytest.approx(strength, abs=tolerance)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tau_min", [0, 1])
def test_complete_data(seed: int, tau_min: int) -> None:
    rng = np.random.default_rng(seed)
    n, tau_max, T = (int(rng.integers(low, high)) for low, high in [(2, 5), (1, 4), (40, 200)])
    options = {
        "pc_alpha": rng.choice([0.05, 0.2, 0.5]),
        "max_combinations": int(rng.integers(1, 4)),
        "max_conds_dim": [None, 1][seed % 2],
        "max_conds_py": [None, 1, 2][seed % 3],
        "max_conds_px": [None, 0, 1][seed % 3],
    }
    x = linear_system(seed, n, T, tau_max)
    found = run_native(as_time_series(x), all_links(n, tau_max, tau_min), **options)
    assert_same(found, *reference(x, tau_min=tau_min, tau_max=tau_max, **options))


@pytest.mark.parametrize("seed", range(3))
def test_some_links_only(seed: int) -> None:
    x = linear_system(seed, 4, 120, 3)
    links = all_links(4, 3, tau_min=0)
    drop = np.random.default_rng(seed).random(links.shape) < 0.5
    drop[:, :, 0] |= drop[:, :, 0].T
    links &= ~drop
    assumed = {
        j: {(i, -tau): "-?>" if tau else "o?o" for i, tau in np.argwhere(links[:, j]).tolist()} for j in range(4)
    }
    found = run_native(as_time_series(x), links)
    assert_same(found, *reference(x, tau_min=0, tau_max=3, link_assumptions=assumed))


def test_required_links() -> None:
    x = linear_system(5, 3, 120, 2)
    links = all_links(3, 2)
    assumed = {j: {(i, -tau): "-?>" for i, tau in np.argwhere(links[:, j]).tolist()} for j in range(3)}
    assumed[1][(0, -2)] = "-->"
    required = np.zeros_like(links)
    required[0, 1, 2] = True
    found = run_native(as_time_series(x), links & ~required, required=required)
    assert_same(found, *reference(x, tau_min=1, tau_max=2, link_assumptions=assumed))


@pytest.mark.parametrize("seed", range(3))
def test_missing_values(seed: int) -> None:
    x = linear_system(seed, 3, 120, 2)
    x[np.random.default_rng(seed).random(x.shape) < 0.03] = np.nan
    found = run_native(as_time_series(x), all_links(3, 2))
    assert_same(found, *reference(np.where(np.isnan(x), MISSING, x), tau_min=1, tau_max=2))


def test_several_data_sets() -> None:
    x = linear_system(7, 3, 150, 2)
    # The second is too short to have any rows, the third shorter than its lags.
    pieces = {0: x[:80], 1: x[80:84], 2: x[84:90], 3: x[90:]}
    found = run_native(as_time_series(list(pieces.values())), all_links(3, 2, 0))
    assert found.n_samples == 76 + 2 + 56
    assert_same(found, *reference(pieces, analysis_mode="multiple", tau_min=0, tau_max=2))


def test_an_offset_of_a_million() -> None:
    x = linear_system(8, 3, 150, 2) + 1e6
    assert_same(run_native(as_time_series(x), all_links(3, 2)), *reference(x, tau_min=1, tau_max=2))


def test_constant_columns_and_more_conditions_than_rows() -> None:
    x = linear_system(9, 3, 14, 3)
    x[:, 1] = 0.5  # a constant whose standard deviation comes out as exactly 0
    _, results = reference(x, tau_min=1, tau_max=3, pc_alpha=1.0)
    found = run_native(as_time_series(x), all_links(3, 3), pc_alpha=1.0)
    testable = ~np.isnan(results["p_matrix"])
    assert not testable.all()
    np.testing.assert_allclose(found.p[testable], results["p_matrix"][testable], rtol=0, atol=1e-8)
    assert (found.p[~testable] == 1).all()


def test_bivci_is_own_lags_and_no_source_parents() -> None:
    x = linear_system(10, 3, 120, 3)
    pcmci = PCMCI(DataFrame(x), ParCorr())
    results = pcmci.run_bivci(tau_min=1, tau_max=3)
    own = {j: [(j, -tau) for tau in range(1, 4)] for j in range(3)}
    found = run_native(as_time_series(x), all_links(3, 3), parents=own, max_conds_px=0)
    np.testing.assert_allclose(found.p, results["p_matrix"], rtol=0, atol=1e-10)
