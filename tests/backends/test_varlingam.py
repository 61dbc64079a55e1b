"""VARLiNGAM as a method: reference values, its twin, masks, bad input."""

import json

import numpy as np
import polars as pl
import pytest

import naive_lingam
from arrow_cd import _core, discover, score
from arrow_cd.backends.base import Interrupted, Task
from arrow_cd.backends.native_lingam import fit_lingam, largest_equation
from arrow_cd.backends.varlingam import BACKENDS
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.simulate import svar_lingam
from paths import ROOT
from reference_series import ling
from systems import all_links

REFERENCE = json.loads((ROOT / "tests/reference/varlingam.json").read_text(encoding="utf-8"))
BUDGET = 1 << 30


def native(values, links, prune=False, required=None, **options):
    required = np.zeros_like(links) if required is None else required
    return fit_lingam(np.ascontiguousarray(values.T), [(0, len(values))], links, required, prune=prune, **options)


def masked(seed, n, lags, share=0.4):
    """Links at random, all of them legal."""
    links = all_links(n, lags, tau_min=0)
    return links & (np.random.default_rng(seed).random(links.shape) < share)


def test_entropies_and_first_round_of_the_reference_system():
    x = ling()
    assert x.sum() == pytest.approx(REFERENCE["total"], rel=1e-9)
    links = all_links(4, 1, tau_min=0)
    values = np.ascontiguousarray(x.T)
    _, residuals, _ = _core.autoregression(values, [(0, 500)], links, centred=False, memory_budget=BUDGET)
    entropies = [naive_lingam.entropy(naive_lingam.standardised(x)) for x in residuals]
    np.testing.assert_allclose(entropies, REFERENCE["entropies"], rtol=1e-9)
    order, scores, n_pairs = _core.causal_order(residuals, rows_less_one=False, before=[])
    naive_order, rounds = naive_lingam.causal_order(residuals.T)
    assert order == naive_order == REFERENCE["order"]
    np.testing.assert_allclose(list(rounds[0].values()), REFERENCE["first_round"], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(scores, [of[k] for of, k in zip(rounds, order, strict=True)], rtol=1e-8, atol=1e-12)
    assert 3 + 2 + 1 <= n_pairs <= 6 + 3 + 1


def test_coefficients_of_the_reference_system():
    links = all_links(4, 1, tau_min=0)
    values, segments = np.ascontiguousarray(ling().T), [(0, 500)]
    reduced, residuals, _ = _core.autoregression(values, segments, links, centred=False, memory_budget=BUDGET)
    instant, _ = _core.structural_fit(
        residuals,
        [(0, 499)],
        np.ascontiguousarray(links[:, :, :1]),
        required=np.zeros((4, 4, 1), dtype=bool),
        order=REFERENCE["order"],
        price=np.log(499),
        refit=True,
        memory_budget=BUDGET,
    )
    expected = np.zeros((4, 4))
    for target, source, b in REFERENCE["instant"]:
        expected[target, source] = b
    np.testing.assert_allclose(instant[:, :, 0].T, expected, atol=1e-11)
    lagged = (np.eye(4) - expected) @ reduced[:, :, 1]
    for target, source, b in REFERENCE["lagged"]:
        assert lagged[target, source] == pytest.approx(b, abs=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_equals_its_twin_on_any_links(seed):
    n, lags = 4, 3
    values = svar_lingam(seed, N=n, T=250).values * [1.0, 1e3, 1e-4, 1.0] + [0.0, 1e5, 0.0, -3.0]
    links = masked(seed, n, lags)
    found = native(values, links)
    order, coefficients, residuals = naive_lingam.fit(values, links)
    assert found.order == order
    scale = values.std(axis=0)
    np.testing.assert_allclose(found.residuals / scale, residuals / scale, atol=1e-9)
    unit = (scale / scale[:, None])[:, :, None]
    np.testing.assert_allclose(found.coefficients / unit, coefficients / unit, atol=1e-9)
    assert not found.coefficients[~links].any()


def test_with_all_links_the_structure_is_that_of_the_autoregression():
    values = svar_lingam(3, N=5, T=300).values
    found = native(values, all_links(5, 2, tau_min=0))
    instant = found.coefficients[:, :, 0].T
    for lag in (1, 2):
        expected = (np.eye(5) - instant) @ found.reduced[:, :, lag].T
        np.testing.assert_allclose(found.coefficients[:, :, lag].T, expected, atol=1e-12)


def test_a_pruned_link_stays_at_zero_though_the_autoregression_has_it():
    values = svar_lingam(1, N=5, T=500).values
    links = masked(11, 5, 2, share=0.5)
    found = native(values, links)
    refilled = ((np.eye(5) - found.coefficients[:, :, 0].T) @ found.reduced[:, :, 1].T).T
    assert np.abs(refilled[~links[:, :, 1]]).max() > 0.01
    assert not found.coefficients[:, :, 1][~links[:, :, 1]].any()


def test_residuals_do_not_depend_on_the_past_of_ancestors():
    """0 -> 1 at lag 0 and 0's own past: 1's autoregression needs that past though 1 has no lagged link from 0."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1000, 2))
    for t in range(1, 1000):
        x[t, 0] += 0.8 * x[t - 1, 0]
        x[t, 1] += 0.9 * x[t, 0]
    links = np.zeros((2, 2, 2), dtype=bool)
    links[0, 0, 1] = links[0, 1, 0] = True
    residuals = native(x, links).residuals
    assert abs(np.corrcoef(residuals[:, 1], x[:-1, 0])[0, 1]) < 1e-10
    assert largest_equation(links) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_adaptive_lasso_takes_the_best_support_on_the_path(seed):
    n, lags = 5, 2
    values = svar_lingam(seed, N=n, T=300).values
    links = all_links(n, lags, tau_min=0)
    found = native(values, links, True)
    x = naive_lingam.lagged_rows(values, lags)
    price = np.log(298) + 2 * np.log(n * (lags + 1))
    for place, j in enumerate(found.order):
        columns = [(i, a) for i in range(n) for a in range(1, lags + 1)] + [(i, 0) for i in found.order[:place]]
        expected = naive_lingam.adaptive_lasso(x[j, 0], [x[c] for c in columns], price)
        np.testing.assert_allclose([found.coefficients[i, j, a] for i, a in columns], expected, atol=1e-9)


def test_required_links_are_never_pruned_and_decide_the_order():
    values = svar_lingam(2, N=4, T=300).values
    links, required = all_links(4, 1, tau_min=0), np.zeros((4, 4, 2), dtype=bool)
    free = native(values, links, True)
    first, last = free.order[0], free.order[-1]
    required[last, first, 0] = True
    found = native(values, links, True, required)
    assert found.order.index(last) < found.order.index(first) and found.coefficients[last, first, 0] != 0
    required[first, last, 0] = True  # now without a direction
    assert native(values, links, True, required).order == free.order
    absent = np.argwhere(free.coefficients[:, :, 1] == 0)[0]
    required[:] = False
    required[absent[0], absent[1], 1] = True
    assert native(values, links, True, required).coefficients[absent[0], absent[1], 1] != 0


def test_no_lag_crosses_from_one_data_set_into_another():
    values = svar_lingam(4, N=3, T=400).values
    links = all_links(3, 2, tau_min=0)
    parts = [(0, 150), (150, 400)]
    values_t = np.ascontiguousarray(values.T)
    found = fit_lingam(values_t, parts, links, np.zeros_like(links), prune=False)
    rows = np.r_[2:150, 152:400]
    assert len(found.residuals) == len(rows)
    x = {(i, a): values[rows - a, i] for i in range(3) for a in range(3)}
    expected = naive_lingam.least_squares(x[0, 0], [x[i, a] for i in range(3) for a in (1, 2)])[1]
    np.testing.assert_allclose(found.residuals[:, 0], expected, atol=1e-11)


def test_threads_give_the_same_bits():
    values = svar_lingam(5, N=6, T=300).values
    one, two = (native(values, all_links(6, 3, tau_min=0), True, n_jobs=k) for k in (1, 2))
    assert one.order == two.order and (one.coefficients == two.coefficients).all()
    assert (one.residuals == two.residuals).all()


# --- discover ---


def search(values, **options):
    return discover(values, **{"method": "varlingam", "tau_max": 2, "mode": "exact"} | options)


def test_links_within_a_sample_point_from_cause_to_effect():
    simulated = svar_lingam(0)
    result = search(simulated.values)
    assert score(result, simulated).lagged.f1 > 0.95
    instant = result.graph[:, :, 0]
    assert (instant[(instant == "<--")].size) == (instant == "-->").sum() > 0
    assert ((instant == "-->") == (instant == "<--").T).all()
    assert not result.val_matrix[:, :, 0][instant == "<--"].any()
    order = result.extra["causal_order"]
    for source, target in np.argwhere(instant == "-->"):
        assert order.index(f"X{source}") < order.index(f"X{target}")
    assert result.p_matrix is None and result.p_validity == "none" and result.n_samples == 998
    assert not any("order not identified" in note for note in result.notes)


def test_scaling_and_shifting_change_coefficients_and_nothing_else():
    values = svar_lingam(6, N=4, T=400).values
    a = np.array([1.0, -50.0, 0.01, 3.0])
    plain, scaled = search(values, threshold=0.2), search(values * a + 7, threshold=0.2)
    assert (plain.graph == scaled.graph).all() and plain.extra["causal_order"] == scaled.extra["causal_order"]
    unit = (a / a[:, None])[:, :, None]
    np.testing.assert_allclose(scaled.val_matrix, plain.val_matrix * unit, rtol=1e-8, atol=1e-12 * np.abs(unit).max())


def test_relabelling_permutes_everything():
    values = svar_lingam(7, N=5, T=400).values
    new = [3, 1, 4, 0, 2]
    names = np.array([f"X{k}" for k in range(5)])
    plain = search(values, n_boot=3, prune="none")
    frame = pl.DataFrame(values[:, new], schema=list(names[new]))
    other = search(frame, n_boot=3, prune="none")
    at = np.ix_(new, new)
    np.testing.assert_allclose(other.val_matrix, plain.val_matrix[at], atol=1e-10)
    assert (other.graph == plain.graph[at]).all()
    shares = [sorted(map(tuple, result.extra["selection_frequency"])) for result in (plain, other)]
    assert shares[0] == shares[1]


def test_screened_and_plain_find_the_same_system():
    simulated = svar_lingam(1)
    plain, screened = (search(simulated.values, mode=mode, tau_max=5) for mode in ("exact", "screen"))
    assert score(screened, simulated).lagged.f1 > 0.9
    assert screened.n_samples == plain.n_samples == 995
    assert not screened.tested.all() and (screened.status[~screened.tested] != LinkStatus.OK).all()
    assert sum(screened.screening.tests_by_phase.values()) < sum(plain.screening.tests_by_phase.values())


def test_thresholds_are_in_standard_deviations():
    values = svar_lingam(2, N=4, T=300).values * [1, 1e6, 1, 1]
    strict = search(values, prune="none", threshold=0.3)
    sizes = {(i, j, lag): abs(b) for i, j, lag, b in strict.extra["standardised"]}
    marked = strict.links(significant_only=True).select("source", "target", "tau").rows()
    assert {key for key, size in sizes.items() if size > 0.3} == set(marked)


def test_bootstrap_shares_are_high_for_links_that_exist():
    simulated = svar_lingam(8, N=4, T=500)
    result = search(simulated.values, tau_max=1, n_boot=20, seed=1)
    again = search(simulated.values, tau_max=1, n_boot=20, seed=1)
    assert result.extra == again.extra
    share = {(i, j, lag): s for i, j, lag, s in result.extra["selection_frequency"]}
    true = {(f"X{i}", f"X{j}", lag) for i, lag, j in simulated.links}
    assert np.mean([share.get(link, 0) for link in true]) > 0.8
    assert all(s <= 0.3 for link, s in share.items() if link not in true)


def test_an_interrupted_bootstrap_keeps_the_fit():
    series = as_time_series(svar_lingam(0, N=3, T=200).values)

    def stop(phase, done, total):
        if phase == "bootstrap" and done == 2:
            raise KeyboardInterrupt

    links = all_links(3, 1, tau_min=0)
    options = {**BACKENDS[0].defaults, "n_boot": 5}
    task = Task(series, 0, 1, links, np.zeros_like(links), "", 0.05, options, progress=stop)
    with pytest.raises(Interrupted) as interrupt:
        BACKENDS[0].run(task)
    assert interrupt.value.partial.tested.any() and "selection_frequency" not in interrupt.value.partial.extra


def test_explosive_series_are_determined_by_their_past():
    x = np.cumprod(np.full((300, 2), 1.1), axis=0) + np.random.default_rng(0).uniform(-1, 1, (300, 2))
    result = search(x, tau_max=1, n_boot=2)
    assert not result.tested.any() and (result.graph == "").all() and result.extra["causal_order"] == []
    mixed = search(np.column_stack([x[:, 0], svar_lingam(0, N=2, T=300).values]), tau_max=1)
    assert mixed.tested[1:, 1:, 1].all() and (mixed.status[0] != LinkStatus.OK).all()


def test_gaussian_errors_are_said_not_to_tell_the_order():
    x = np.random.default_rng(3).standard_normal((500, 3))
    x[:, 1] += 0.8 * x[:, 0]
    notes = search(x).notes
    assert any(note.startswith("order not identified among X0, X1") for note in notes)


def test_f12_the_requested_and_the_used_lag_are_said():
    values = svar_lingam(0, N=4, T=120).values
    result = search(values, tau_max=20)
    assert result.extra["lags"] == {"requested": 20, "used": 20}
    assert any("tau_max=20 was asked for, 20 is used" in note for note in result.notes)
    screened = search(values, tau_max=20, mode="screen", forbid=[{"source": f"X{k}", "lags": [20]} for k in range(4)])
    assert screened.extra["lags"]["used"] < 20


def test_f9_the_time_of_pruning_is_linear_in_the_samples():
    links = all_links(4, 2, tau_min=0)
    seconds = []
    for T in (2000, 40_000):
        values = np.random.default_rng(0).uniform(-1, 1, (T, 4))
        seconds.append(min(native(values, links, True).timings["structure"] for _ in range(5)))
    # Correlations are linear in T (20 times), the path of the lasso does not look at samples; lingam's is quadratic.
    assert seconds[1] < 200 * seconds[0]


def test_more_coefficients_than_rows_are_refused():
    values = svar_lingam(0, N=8, T=80).values
    with pytest.raises(InvalidDataError, match="up to 167 coefficients"):
        search(values, tau_max=20)


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_f30_copies_are_collinear_and_the_others_go_on(noise):
    values = svar_lingam(9, N=3, T=400).values
    rng = np.random.default_rng(0)
    copied = np.column_stack([values, values[:, 1] + noise * rng.standard_normal(400)])
    plain, result = search(values), search(copied)
    assert (result.status[3, :3] == LinkStatus.COLLINEAR).all()
    np.testing.assert_allclose(result.val_matrix[:3, :3], plain.val_matrix, atol=1e-9)
    assert (result.graph[:3, :3] == plain.graph).all() and (result.graph[3] == "").all()
    assert any("left out: X3" in note for note in result.notes)


def test_a_shifted_copy_is_collinear():
    values = svar_lingam(9, N=3, T=400).values
    shifted = np.column_stack([values[1:], values[:-1, 0]])
    result = search(shifted)
    assert (result.status[:3, 3] == LinkStatus.COLLINEAR).all() and (result.graph[:, 3] == "").all()


@pytest.mark.parametrize(
    ("option", "message"),
    [({"prune": "ols"}, "prune"), ({"threshold": -1}, "threshold=-1"), ({"n_boot": 1.5}, "n_boot=1.5")],
)
def test_options_that_can_not_be_meant(option, message):
    with pytest.raises(InvalidDataError, match=message):
        search(np.random.default_rng(0).uniform(size=(100, 2)), **option)


def test_required_links_at_lag_0_must_not_form_a_cycle():
    values = svar_lingam(0, N=3, T=200).values
    required = np.zeros((3, 3, 2), dtype=bool)
    for i, j in [(0, 1), (1, 2), (2, 0)]:
        required[i, j, 0] = True
    with pytest.raises(ValueError, match="cycle"):
        native(values, all_links(3, 1, tau_min=0), False, required)


def test_coefficients_beyond_the_largest_float_are_refused_by_link():
    x = np.random.default_rng(0).laplace(size=(300, 2))
    x[1:, 1] += x[:-1, 0]
    with pytest.raises(InvalidDataError, match="'X0' -> 'X1' at lag 1 exceeds the largest float"):
        discover(x * [1e-300, 1e300], method="varlingam", tau_max=1)


def test_a_threshold_may_be_any_real_number():
    x = np.random.default_rng(0).laplace(size=(100, 2))
    high = discover(x, method="varlingam", tau_max=1, prune="none", threshold=np.float32(9))
    assert (high.graph == "").all()
