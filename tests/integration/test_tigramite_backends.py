"""Tests and methods that `discover` runs through tigramite."""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest
from pcmci_cases import Values, assumptions, pcmci_on, random_mask
from tigramite.independence_tests.robust_parcorr import RobustParCorr

from arrow_cd import BackendNotInstalledError, InvalidDataError, discover
from arrow_cd.backends.base import Interrupted, Outcome, Task
from arrow_cd.backends.pcmciplus import NativePcmciPlus, TigramitePcmciPlus
from arrow_cd.backends.tigramite_pcmci import TigramitePcmci
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from arrow_cd.screening import ScreenConfig


def run(backend: Any, values: Any, links: Any, *, required: Any = None, test: str, **options: Any) -> Outcome:
    data = as_time_series(values)
    settings = MappingProxyType({**backend.defaults, **options})
    backend.check(settings)
    task = Task(
        series=data,
        tau_min=backend.tau_min,
        tau_max=links.shape[2] - 1,
        links=links,
        required=np.zeros_like(links) if required is None else required,
        test=test,
        alpha=0.05,
        options=settings,
    )
    outcome: Outcome = backend.run(task)
    return outcome


def with_lag_zero(kept: Any) -> Any:
    links = kept.copy()
    links[:, :, 0] = ~np.eye(len(kept), dtype=bool)
    return links


def test_pcmci_equals_tigramite_on_the_same_links(values: Values) -> None:
    kept = random_mask(5, 3)
    outcome = run(TigramitePcmci(), values, kept, test="robust_parcorr", pc_alpha=0.1)
    plain = pcmci_on(values, RobustParCorr())
    expected = plain.run_pcmci(tau_min=1, tau_max=3, pc_alpha=0.1, link_assumptions=assumptions(1, kept))
    np.testing.assert_array_equal(outcome.p, expected["p_matrix"])
    np.testing.assert_array_equal(outcome.val, expected["val_matrix"])
    np.testing.assert_array_equal(outcome.tested, kept)
    assert outcome.parents == plain.all_parents
    assert outcome.n_samples == 300 - 6
    assert outcome.tests_by_phase["mci"] == kept.sum()
    assert outcome.tests_by_phase["pc1"] >= kept.sum()
    assert outcome.graph is None
    assert outcome.engine == "tigramite"
    assert outcome.versions["tigramite"]


def test_pcmciplus_equals_tigramite_on_the_same_links(values: Values) -> None:
    kept = random_mask(5, 2)
    backend = TigramitePcmciPlus()
    outcome = run(backend, values, with_lag_zero(kept), test="robust_parcorr", contemp_collider_rule="conservative")
    expected = pcmci_on(values, RobustParCorr()).run_pcmciplus(
        tau_max=2, link_assumptions=assumptions(0, kept), contemp_collider_rule="conservative"
    )
    np.testing.assert_array_equal(outcome.p, expected["p_matrix"])
    np.testing.assert_array_equal(outcome.graph, expected["graph"])
    np.testing.assert_array_equal(outcome.tested, with_lag_zero(kept))


BACKENDS = [
    (TigramitePcmci(), "robust_parcorr"),
    (TigramitePcmciPlus(), "robust_parcorr"),
    (NativePcmciPlus(), "parcorr"),
]


@pytest.mark.parametrize(("backend", "test"), BACKENDS)
def test_required_links_are_conditions_and_untested(values: Values, backend: Any, test: str) -> None:
    kept = random_mask(5, 2)
    links = with_lag_zero(kept) if backend.tau_min == 0 else kept
    required = np.zeros_like(links)
    required[4, 0, 2] = True
    links = links & ~required
    outcome = run(backend, values, links, required=required, test=test)
    assert (4, -2) in outcome.parents[0]
    assert not outcome.tested[4, 0, 2]
    assert outcome.p[4, 0, 2] == 1
    assert outcome.status[4, 0, 2] == LinkStatus.NOT_ASKED
    if outcome.graph is not None:
        assert outcome.graph[4, 0, 2] == "-->"


@pytest.mark.parametrize(("backend", "test"), BACKENDS[1:])
def test_required_contemporaneous_links_are_directed(values: Values, backend: Any, test: str) -> None:
    links = with_lag_zero(random_mask(5, 1))
    required = np.zeros_like(links)
    required[1, 2, 0] = True
    links[1, 2, 0] = links[2, 1, 0] = False
    outcome = run(backend, values, links, required=required, test=test)
    assert outcome.graph is not None
    assert outcome.graph[1, 2, 0] == "-->"
    assert outcome.graph[2, 1, 0] == "<--"
    assert not outcome.tested[1, 2, 0]
    assert not outcome.tested[2, 1, 0]


@pytest.mark.parametrize(("backend", "test"), BACKENDS[1:])
def test_a_contemporaneous_link_forbidden_in_one_direction_stays_forbidden(
    values: Values, backend: Any, test: str
) -> None:
    links = with_lag_zero(random_mask(5, 1))
    links[:, :, 0] = np.triu(links[:, :, 0])
    outcome = run(backend, values, links, test=test, pc_alpha=0.9)
    assert outcome.graph is not None
    assert (outcome.graph[:, :, 0][links[:, :, 0]] == "-->").any()
    assert not np.isin(outcome.graph[:, :, 0].T[links[:, :, 0]], ["-->", "o-o", "x-x"]).any()
    np.testing.assert_array_equal(outcome.tested, links)


def test_an_interrupt_leaves_what_was_tested(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    """F3: hours of slow tests are not lost."""
    kept = random_mask(5, 2)
    full = run(TigramitePcmci(), values, kept, test="robust_parcorr")
    left = full.tests_by_phase["pc1"] + 7
    original = RobustParCorr.get_dependence_measure

    def stop_later(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return original(self, *args, **kwargs)

    monkeypatch.setattr(RobustParCorr, "get_dependence_measure", stop_later)
    with pytest.raises(Interrupted) as stopped:
        run(TigramitePcmci(), values, kept, test="robust_parcorr")
    partial = stopped.value.partial
    assert 0 < partial.tested.sum() < kept.sum()
    np.testing.assert_array_equal(partial.p[partial.tested], full.p[partial.tested])
    assert (partial.p[~partial.tested] == 1).all()
    assert (partial.status[kept & ~partial.tested] == LinkStatus.NOT_TESTED).all()


def test_missing_values_are_left_out_test_by_test(values: Values) -> None:
    holes = values.copy()
    holes[40:43, 1] = np.nan
    kept = random_mask(5, 2)
    outcome = run(TigramitePcmci(), holes, kept, test="robust_parcorr")
    flagged = np.where(np.isnan(holes), 999.0, holes)
    expected = pcmci_on(flagged, RobustParCorr(), missing_flag=999.0).run_pcmci(
        tau_min=1, tau_max=2, link_assumptions=assumptions(1, kept)
    )
    np.testing.assert_array_equal(outcome.p, expected["p_matrix"])


def test_a_shuffle_test_depends_on_nothing_but_its_own_variables(values: Values) -> None:
    """Neither pruning other links nor the order of columns changes a p-value."""
    shuffled = {"significance": "shuffle_test", "sig_samples": 20}
    options: dict[str, Any] = {"test": "robust_parcorr", "test_options": shuffled, "max_conds_py": 0, "max_conds_px": 0}
    every = np.ones((3, 3, 2), dtype=bool) & (np.arange(2) > 0)
    columns = {f"X{k}": values[:60, k] for k in range(3)}
    full = run(TigramitePcmci(), pl.DataFrame(columns), every, **options)
    some = random_mask(3, 1)
    pruned = run(TigramitePcmci(), pl.DataFrame(columns), some, **options)
    np.testing.assert_array_equal(pruned.p[some], full.p[some])
    order = [2, 0, 1]
    moved = run(TigramitePcmci(), pl.DataFrame(columns).select([f"X{k}" for k in order]), every, **options)
    np.testing.assert_array_equal(moved.p, full.p[np.ix_(order, order)])
    assert len(np.unique(full.p[every])) > 3


@pytest.mark.parametrize(
    ("method", "test", "engine"),
    [
        ("pcmci", "robust_parcorr", "native"),
        ("pcmciplus", "robust_parcorr", "native"),
        ("pcmci", "parcorr_wls", "tigramite"),
        ("pcmciplus", "parcorr", "native"),
    ],
)
def test_discover_finds_them_by_name(values: Values, method: str, test: str, engine: str) -> None:
    result = discover(values, method=method, test=test, tau_max=2, screen=ScreenConfig(strategy="forward"))
    assert result.engine == engine
    assert result.screening is not None
    assert result.screening.tests_avoided > 0
    assert result.tested[:, :, 0].any() == (method == "pcmciplus")
    assert (result.graph != "").any()


@pytest.mark.parametrize("method", ["pcmci", "pcmciplus"])
def test_options_of_a_test_that_is_native_without_them_go_to_tigramite(values: Values, method: str) -> None:
    shuffled = {"significance": "shuffle_test", "sig_samples": 9, "sig_blocklength": 1}
    options: dict[str, Any] = {"method": method, "tau_max": 1, "mode": "exact"}
    result = discover(values[:60, :2], test="robust_parcorr", test_options=shuffled, **options)
    assert result.engine == "tigramite"
    np.testing.assert_allclose(np.round(10 * result.p_matrix), 10 * result.p_matrix)
    with pytest.raises(InvalidDataError, match="test_options"):
        discover(values[:60, :2], test="parcorr", test_options=shuffled, **options)


def test_symbols_are_asked_for(values: Values) -> None:
    with pytest.raises(InvalidDataError, match=r"gsquared.*whole numbers.*row 0"):
        run(TigramitePcmci(), values, random_mask(5, 1), test="gsquared")
    symbols = (values > 0).astype(float)
    outcome = run(TigramitePcmci(), symbols, random_mask(5, 1), test="gsquared")
    assert outcome.tested.sum() == random_mask(5, 1).sum()


@pytest.mark.parametrize(
    "options",
    [
        {"pc_alpha": 2},
        {"pc_alpha": [0.1, "x"]},
        {"max_conds_dim": -1},
        {"max_combinations": 0},
        {"test_options": 3},
        {"contemp_collider_rule": "all"},
        {"conflict_resolution": "yes"},
        {"reset_lagged_links": 1},
    ],
)
def test_options_are_checked_and_named(options: dict[str, Any]) -> None:
    backend = TigramitePcmciPlus()
    with pytest.raises(InvalidDataError, match=next(iter(options))):
        backend.check({**backend.defaults, **options})


def test_options_that_the_test_does_not_have_are_named(values: Values) -> None:
    with pytest.raises(InvalidDataError, match=r"robust_parcorr.*colour"):
        run(TigramitePcmci(), values, random_mask(5, 1), test="robust_parcorr", test_options={"colour": 1})


def test_packages_of_a_test_are_named(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tigramite.independence_tests.gpdc", raising=False)
    monkeypatch.setitem(sys.modules, "dcor", None)
    with pytest.raises(BackendNotInstalledError, match="dcor"):
        run(TigramitePcmci(), values, random_mask(5, 1), test="gpdc")


def test_without_tigramite_the_extra_is_named(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tigramite.pcmci", None)
    with pytest.raises(BackendNotInstalledError, match=r"arrow-cd\[pcmci\]"):
        run(TigramitePcmci(), values, random_mask(5, 1), test="robust_parcorr")
