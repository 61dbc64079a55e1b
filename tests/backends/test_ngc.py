"""Neural Granger causality: the core against its twin, and what it must find and must not."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

import naive_ngc as naive
from arrow_cd import as_time_series, discover
from arrow_cd.backends.native_ngc import default_lam, run_ngc
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.metrics import score
from arrow_cd.simulate import arrow_nonlinear_const, lorenz96
from systems import all_links, linear_system

QUICK = {"hidden": 8, "tol": 1e-3}


def key(name):
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")


def auroc(result, truth):
    return score(result.pairs.val > 0, truth, names=result.var_names, strength=result.pairs.val).summary.auroc


# --- against the twin ---


def test_the_gradient_of_the_twin_is_the_slope_of_its_loss():
    rng = np.random.default_rng(0)
    z, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    network = naive.initial(1, 2, [(3, 1), (3, 2), (4, 1)], 5)

    def loss(parts):
        return np.mean((naive.forward(parts, z) - y) ** 2)

    for k, derivative in enumerate(naive.gradient(network, z, y)):
        for at in np.ndindex(np.shape(derivative)):
            moved = [[np.array(part, dtype=float) for part in network] for _ in range(2)]
            moved[0][k][at] += 1e-6
            moved[1][k][at] -= 1e-6
            assert (loss(moved[0]) - loss(moved[1])) / 2e-6 == pytest.approx(np.asarray(derivative)[at], abs=1e-7)


@pytest.mark.parametrize("penalty", ["gl", "gsgl", "h"])
def test_steps_are_those_of_the_twin(penalty):
    x = linear_system(1, 3, 200, 3)
    series = as_time_series(x)
    links = all_links(3, 3)
    links[0, 0, 2] = links[2, 0, 1] = False
    required = np.zeros_like(links)
    required[1, 0, 3] = True
    options = {"lam": 0.1, "ridge": 0.02, "lr": 0.05}
    found = run_ngc(series, links & ~required, required=required, penalty=penalty, hidden=6, max_iter=60, **options)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    columns = [(i, lag) for i, lag in np.argwhere(links[:, 0])]
    named = [(key(series.names[i]), int(lag)) for i, lag in columns]
    inputs = np.array([z[3 - lag : len(z) - lag, i] for i, lag in columns]).T
    kept = [columns.index((1, 3))]
    start = naive.initial(0, key(series.names[0]), named, 6)
    weights, *rest = naive.fit(inputs, z[3:, 0], start, naive.sets(penalty, named, kept), kept, n_steps=60, **options)
    norms = np.linalg.norm(weights, axis=1)
    assert (norms > 0).any()
    np.testing.assert_allclose([found.norms[i, 0, lag] for i, lag in columns], norms, rtol=1e-4, atol=1e-5)
    left = z[3:, 0] - naive.forward((weights, *rest), inputs)
    assert found.fits[0].r2 == pytest.approx(1 - np.mean(left**2) / z[3:, 0].var(), abs=1e-4)


# --- what it finds ---


def test_a_vector_autoregression_is_found():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((500, 5))
    truth = np.zeros((5, 5, 4), dtype=bool)
    truth[range(5), range(5), 1] = True
    truth[range(5), np.roll(range(5), 1), 2] = True
    for t in range(2, 500):
        x[t] += 0.4 * x[t - 1] + 0.4 * np.roll(x[t - 2], -1)
    result = discover(x, method="ngc", tau_max=3, mode="exact", penalty="gsgl", hidden=8)
    assert auroc(result, truth) == 1.0
    assert score(result, truth).lagged.f1 > 0.9


@pytest.mark.parametrize("penalty", ["gl", "h"])
def test_lorenz_96_is_found(penalty):
    system = lorenz96(0, T=1000)
    result = discover(system.values[::2], method="ngc", tau_max=3, mode="exact", penalty=penalty, lam=0.05)
    assert auroc(result, system.summary_truth()) > 0.95


def test_pruned_and_unpruned_runs_find_nonlinear_links():
    system = arrow_nonlinear_const(0)
    for mode in ("exact", "screen"):
        result = discover(system.values, method="ngc", mode=mode, penalty="gsgl", hidden=8)
        assert score(result, system).lagged.f1 > 0.9


def test_no_value_explains_itself():
    """With the predicted value among the inputs, R2 of white noise would be near 1."""
    x = np.random.default_rng(0).standard_normal((600, 3))
    result = discover(x, method="ngc", tau_max=3, mode="exact", lam=0.05)
    assert max(fit["r2"] for fit in result.extra["fits"].values()) < 0.15
    assert not result.tested[:, :, 0].any() and not result.val_matrix[:, :, 0].any()


def test_the_last_row_is_target_only():
    x = np.random.default_rng(1).standard_normal((200, 2))
    links = all_links(2, 2)
    links[:, 0] = False
    changed = x.copy()
    # The same values in another order, so that the scale stays.
    changed[[0, -1], 0] = changed[[-1, 0], 0]
    links[:, :, 2] = False
    one, other = (run_ngc(as_time_series(v), links, max_iter=50, **QUICK) for v in (x, changed))
    # Lag 2 is left out and rows start at 2: neither the first nor the last value of series 0 is an input.
    np.testing.assert_allclose(one.norms, other.norms, rtol=1e-5)


# --- how it runs ---


def test_names_and_seed_make_the_start_and_nothing_else_does():
    x = linear_system(2, 4, 300, 2)
    order = [3, 1, 0, 2]
    series = as_time_series(x)
    one = run_ngc(series, all_links(4, 2), seed=1, **QUICK)
    moved = run_ngc(series.select([series.names[k] for k in order]), all_links(4, 2), seed=1, n_jobs=2, **QUICK)
    np.testing.assert_array_equal(one.norms[np.ix_(order, order)], moved.norms)
    other = run_ngc(series, all_links(4, 2), seed=2, **QUICK)
    assert (one.norms[one.norms > 0] != other.norms[one.norms > 0]).all()


def test_required_links_stay_and_are_not_tested():
    x = np.random.default_rng(4).standard_normal((400, 2))
    links, required = all_links(2, 2), np.zeros((2, 2, 3), dtype=bool)
    required[0, 1, 2] = True
    found = run_ngc(as_time_series(x), links, required=required, lam=0.3, **QUICK)
    assert found.norms[0, 1, 2] > 0 and np.count_nonzero(found.norms) == 1
    stated = {0: {}, 1: {(0, -2): "-->", (1, -1): "-?>"}}
    result = discover(x, method="ngc", tau_max=2, link_assumptions=stated, mode="exact")
    assert result.graph[0, 1, 2] == "-->" and not result.tested[0, 1, 2] and result.tested[1, 1, 1]


def test_targets_that_do_not_settle_are_named():
    result = discover(linear_system(0, 2, 200, 1), method="ngc", tau_max=2, mode="exact", max_iter=10)
    assert (result.status[:, :, 1:] == LinkStatus.NOT_CONVERGED).all()
    assert not result.val_matrix.any() and (result.graph == "").all()
    assert sum("max_iter=10" in note for note in result.notes) == 2


def test_an_interrupt_leaves_the_targets_that_were_finished():
    def stop(_phase, done, _total):
        if done >= 1:
            raise KeyboardInterrupt

    series = as_time_series(linear_system(5, 10, 1000, 5))
    whole = run_ngc(series, all_links(10, 5), **QUICK)
    with pytest.raises(InterruptedRun) as stopped:
        run_ngc(series, all_links(10, 5), progress=stop, **QUICK)
    partial = stopped.value.partial
    assert 1 <= len(partial.fits) < 10
    for target in partial.fits:
        np.testing.assert_array_equal(partial.norms[:, target], whole.norms[:, target])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("penalty", v) for v in ("lasso", None)),
        *(("lam", v) for v in (0, -1.0, np.nan, "a", True)),
        *((name, v) for name in ("ridge", "lr", "tol") for v in (0, np.inf, None)),
        *(("hidden", v) for v in (0, 2.5)),
        ("max_iter", 0),
        ("min_share", 1.5),
    ],
)
def test_options_that_can_not_be_meant_are_named(option, value):
    with pytest.raises(InvalidDataError, match=f"^{option}="):
        discover(np.random.default_rng(0).standard_normal((100, 2)), method="ngc", **{option: value})


def test_a_table_over_the_budget_is_refused():
    series = as_time_series(linear_system(0, 2, 200, 1))
    with pytest.raises(MemoryError, match="4 candidates"):
        run_ngc(series, all_links(2, 2), memory_budget=1000)


def test_few_rows_get_a_stronger_penalty():
    assert default_lam("h", 10_000) == 0.1 and default_lam("h", 100) == 0.5
