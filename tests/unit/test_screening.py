"""Screens keep what matters: against their slow twins, on the cases that break screens, and whatever the threads."""

import numpy as np
import polars as pl
import pytest

from arrow_cd import InvalidDataError, ScreenConfig, screen, simulate
from naive import forward_screen, marginal_screen, paper_screen

EXACT = ("weave", "forward")
ALL = (*EXACT, "marginal", "paper")


def kept(values, *, strategy, tau_max, kappa=1.0, **options):
    return screen(values, tau_max=tau_max, config=ScreenConfig(strategy=strategy, kappa=kappa), **options)


def var(seed, *, T=300, N=4, tau_max=3):
    return simulate.sparse_var(seed, N=N, T=T, L=tau_max).values


@pytest.mark.parametrize("seed", range(4))
def test_forward_equals_its_twin(seed):
    values = var(seed)
    assert kept(values, strategy="forward", tau_max=3).order == forward_screen(values, 3)


@pytest.mark.parametrize(("strategy", "twin"), [("paper", paper_screen), ("marginal", marginal_screen)])
@pytest.mark.parametrize("seed", range(3))
def test_screens_of_single_pairs_equal_their_twins(strategy, twin, seed):
    values = var(seed, N=5)
    assert kept(values, strategy=strategy, tau_max=4).order == twin(values, 4)


@pytest.mark.parametrize("seed", range(10))
def test_weave_and_forward_agree_on_easy_data(seed):
    values = simulate.sparse_var(seed, N=8, T=1000, L=5).values
    weave, forward = (kept(values, strategy=s, tau_max=5).order for s in EXACT)
    assert {j: set(links) for j, links in weave.items()} == {j: set(links) for j, links in forward.items()}


@pytest.mark.parametrize("strategy", EXACT)
@pytest.mark.parametrize("T", [300, 2000])
@pytest.mark.parametrize("seed", range(5))
def test_f43_a_link_that_cancels_marginally_is_kept(strategy, T, seed):
    values = simulate.cancelling_chain(seed, T=T).values
    assert (0, -2) in kept(values, strategy=strategy, tau_max=5).order[2]


@pytest.mark.parametrize("strategy", EXACT)
def test_f1_an_even_link_is_kept(strategy):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((1000, 3))
    x[2:, 1] += 0.8 * x[:-2, 0] ** 2
    assert kept(x, strategy=strategy, tau_max=4).mask[0, 1, 2]


@pytest.mark.parametrize("strategy", ALL)
def test_threads_do_not_matter(strategy):
    values = var(5, N=7)
    one, two = (kept(values, strategy=strategy, tau_max=3, n_jobs=jobs) for jobs in (1, 2))
    assert (one.order, one.scores) == (two.order, two.scores)


# One more column raises the critical value a little; kappa * 5 / 4 takes that back for a fifth column beside four.
FIFTH = 5 / 4


@pytest.mark.parametrize("strategy", EXACT)
@pytest.mark.parametrize("kind", ["spike", "sparse", "all missing"])
def test_columns_that_say_nothing_change_nothing(strategy, kind):
    values = var(6, T=400)
    rng = np.random.default_rng(0)
    spike = np.zeros(400)
    spike[250] = 1e6
    sparse = np.where(rng.random(400) < 0.05, rng.standard_normal(400), np.nan)
    extra = {"spike": spike, "sparse": sparse, "all missing": np.full(400, np.nan)}[kind]
    # Few false candidates, so that chance doesn't let the fifth column in.
    kappa = 0.01 if kind == "all missing" else 0.01 * FIFTH
    more = kept(np.column_stack([values, extra]), strategy=strategy, tau_max=3, kappa=kappa)
    plain = kept(values, strategy=strategy, tau_max=3, kappa=0.01)
    assert {j: more.order[j] for j in range(4)} == plain.order


@pytest.mark.parametrize("strategy", ALL)
def test_constant_columns_are_neither_sources_nor_targets(strategy):
    values = var(7)
    with_constant = np.insert(values, 1, 0.1, axis=1)
    candidates = kept(with_constant, strategy=strategy, tau_max=3)
    assert not candidates.mask[1].any()
    assert not candidates.mask[:, 1].any()
    rest = [0, 2, 3, 4]
    assert (candidates.mask[np.ix_(rest, rest)] == kept(values, strategy=strategy, tau_max=3).mask).all()


@pytest.mark.parametrize("strategy", EXACT)
def test_a_copy_of_a_column_is_chosen_once(strategy):
    values = var(8)
    doubled = kept(np.column_stack([values, values[:, 0]]), strategy=strategy, tau_max=3, kappa=FIFTH)
    plain = kept(values, strategy=strategy, tau_max=3)
    for target in range(1, 4):
        as_one = {(0 if source == 4 else source, lag) for source, lag in doubled.order[target]}
        assert as_one == set(plain.order[target])
        assert len(doubled.order[target]) == len(as_one)


@pytest.mark.parametrize("strategy", EXACT)
def test_own_lags_are_always_kept_and_allowed_is_obeyed(strategy):
    values = np.random.default_rng(3).standard_normal((300, 3))
    config = ScreenConfig(strategy=strategy, own_lags=2)
    candidates = screen(values, tau_max=4, config=config)
    assert all(candidates.mask[j, j, 1] and candidates.mask[j, j, 2] for j in range(3))
    allowed = np.zeros((3, 3, 5), dtype=bool)
    allowed[0, 1, 3] = True
    assert not (screen(values, tau_max=4, config=config, allowed=allowed).mask & ~allowed).any()


@pytest.mark.parametrize("strategy", EXACT)
def test_keep_marginal_adds_the_best_lag_of_the_strongest_sources(strategy):
    values = simulate.cancelling_chain(0, T=500).values
    config = ScreenConfig(strategy=strategy, keep_marginal=1)
    plain, more = kept(values, strategy=strategy, tau_max=3), screen(values, tau_max=3, config=config)
    assert all(set(plain.order[j]) <= set(more.order[j]) for j in range(3))
    assert all(any(source != j for source, _ in more.order[j]) for j in range(3))


@pytest.mark.parametrize("strategy", EXACT)
def test_data_sets_are_pooled_and_no_lag_crosses(strategy):
    values = var(9, T=600)
    halves = [values[:300], values[300:]]
    pooled = kept(halves, strategy=strategy, tau_max=3)
    # The same halves the other way round are the same data.
    assert pooled.order == kept(halves[::-1], strategy=strategy, tau_max=3).order
    alternating = np.arange(40) % 2.0
    sets = [np.column_stack([alternating + k, np.full(40, k % 2.0)]) for k in range(20)]
    assert kept(sets, strategy=strategy, tau_max=2).order[0]


def test_lag_zero_is_never_screened_and_never_lost():
    candidates = kept(var(1), strategy="weave", tau_max=3, tau_min=0)
    assert candidates.tau_min == 1
    assert not candidates.mask[:, :, 0].any()
    assumptions = candidates.to_link_assumptions(tau_min=0)
    assert list(assumptions) == [0, 1, 2, 3]
    for target, links in assumptions.items():
        assert {link for link, mark in links.items() if mark == "o?o"} == {(i, 0) for i in range(4) if i != target}
        assert {link for link, mark in links.items() if mark == "-?>"} == set(candidates.parents[target])
        assert list(links) == sorted(links, key=lambda link: (link[0], -link[1]))


def test_frame_lists_the_candidates_in_order_of_entry():
    data = pl.DataFrame(var(2), schema=["a", "b", "c", "d"])
    candidates = kept(data, strategy="forward", tau_max=3)
    frame = candidates.to_frame()
    assert frame.columns == ["source", "target", "tau", "score", "rank"]
    assert frame.height == len(candidates) == candidates.mask.sum()
    assert frame.row(0)[:3] == ("a", "a", 1)
    np.testing.assert_array_equal(candidates.score != 0, candidates.mask)


def test_progress_counts_up():
    seen = []
    screen(simulate.svar_wide(0).values, tau_max=3, progress=lambda *step: seen.append(step))
    assert seen == sorted(seen) and {(phase, total) for phase, _, total in seen} == {("screen", 100)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "best"}, "strategy='best': expected one of weave, forward, marginal, paper"),
        ({"bits": 4}, "bits=4: expected 1, 2 or 3"),
        ({"kappa": 0.0}, "kappa=0.0: expected a positive number"),
        ({"kappa": float("nan")}, "kappa=nan: expected a positive number"),
        ({"pool": 0}, "pool=0: expected a whole number of at least 1"),
        ({"own_lags": -1}, "own_lags=-1"),
        ({"max_scans": True}, "max_scans=True"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(InvalidDataError, match=message.replace("(", r"\(")):
        ScreenConfig(**options)


def test_bad_lags_rows_and_shapes_are_named():
    values = var(1)
    with pytest.raises(InvalidDataError, match="tau_max=0: expected a whole number of at least 1"):
        screen(values, tau_max=0)
    with pytest.raises(InvalidDataError, match="tau_max=2: a screen needs at least one lag from 3 on"):
        screen(values, tau_max=2, tau_min=3)
    with pytest.raises(InvalidDataError, match="rows='all': expected one of pcmci, lagged"):
        screen(values, tau_max=2, rows="all")
    with pytest.raises(InvalidDataError, match="n_jobs=-1"):
        screen(values, tau_max=2, n_jobs=-1)
    with pytest.raises(InvalidDataError, match="config='forward': expected a ScreenConfig"):
        screen(values, tau_max=2, config="forward")
    with pytest.raises(InvalidDataError, match="too few rows: T=300 with tau_max=149 leaves 2 rows"):
        screen(values, tau_max=149)
    with pytest.raises(InvalidDataError, match=r"allowed is bool of shape \(4, 4\), expected .* \(4, 4, 4\)"):
        screen(values, tau_max=3, allowed=np.ones((4, 4), dtype=bool))


def test_forward_refuses_a_table_over_the_budget():
    with pytest.raises(MemoryError, match="budget"):
        screen(var(1), tau_max=3, config=ScreenConfig(strategy="forward"), memory_budget=1000)
