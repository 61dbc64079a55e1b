"""The terms of SURD: truth tables, reference values, the dense twin, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_surd as naive
from arrow_cd.backends.native_surd import count_sets, draw_shifts, run_surd
from arrow_cd.data import as_time_series
from reference_series import lin
from surd_systems import SHARES, dynamical, table
from systems import all_links

A, B, C = (0, -1), (1, -1), (2, -1)

# Bits of every term that isn't zero.
TOYS = {
    "xor": (2, lambda a, b: a ^ b, {("S", (A, B)): 1.0}),
    "and": (2, lambda a, b: a & b, {("R", (A, B)): 0.311278, ("S", (A, B)): 0.5}),
    "or": (2, lambda a, b: a | b, {("R", (A, B)): 0.311278, ("S", (A, B)): 0.5}),
    "copy": (2, lambda a, b: a, {("U", (A,)): 1.0}),
    "both": (2, lambda a, b: 2 * a + b, {("R", (A, B)): 1.0, ("S", (A, B)): 1.0}),
    "xor of three": (3, lambda a, b, c: a ^ b ^ c, {("S", (A, B, C)): 1.0}),
}


def into(target: int, *agents: tuple[int, int], n: int, tau_max: int):
    links = np.zeros((n, n, tau_max + 1), dtype=bool)
    for source, lag in agents:
        links[source, target, -lag] = True
    return links


def decompose(values, links, target, **options):
    run = run_surd(as_time_series(values), links, **{"n_shift": 0, **options})
    return run.targets[target]


@pytest.mark.parametrize("name", TOYS)
def test_truth_tables(name: str) -> None:
    n, function, expected = TOYS[name]
    values = table(n, function)
    found = decompose(values, into(n, *(A, B, C)[:n], n=n + 1, tau_max=1), n, max_order=n)
    assert found.terms == pytest.approx(expected, abs=1e-6)
    assert found.leak == pytest.approx(0, abs=1e-12)


def test_a_copied_agent_is_redundant() -> None:
    values = table(1, lambda a: a)
    values = np.column_stack([values[:, 0], values])
    found = decompose(values, into(2, A, B, n=3, tau_max=1), 2, max_order=2)
    assert found.terms == {("R", (A, B)): 1.0}
    assert found.credits.tolist() == [0, 0]


def test_reference_values_of_trend_codes() -> None:
    rises = np.diff(lin(), axis=0) > 0
    codes = (2 * rises[:-1] + rises[1:]).astype(float)
    found = decompose(codes, into(1, (1, -1), (0, -2), (2, -1), n=3, tau_max=2), 1, max_order=3)
    every = found.agents
    assert found.information == pytest.approx(1.116518027383, abs=1e-11)
    assert found.terms["U", ((1, -1),)] == pytest.approx(0.980944344828, abs=1e-11)
    assert found.terms["R", every] == pytest.approx(0.017345195018, abs=1e-11)
    assert found.terms["S", every] == pytest.approx(0.073020542855, abs=1e-11)


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("T", [60_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_dynamical_toys(name: str, T: int) -> None:
    series = as_time_series(dynamical(name, 10, T))
    run = run_surd(series, all_links(3, 1), bins=10, binning="width", max_order=3, n_shift=0)
    largest = {}
    for target, kind, agents, share in SHARES[name]:
        found = run.targets[target - 1]
        key = (kind, tuple((int(a) - 1, -1) for a in agents))
        largest.setdefault(target, key)
        if T == 1_000_000:
            assert found.terms[key] / found.information == pytest.approx(share, abs=0.001), (target, kind, agents)
    for target, key in largest.items():
        terms = run.targets[target - 1].terms
        assert max(terms, key=terms.get) == key


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    bins=st.integers(2, 6),
    order=st.integers(1, 3),
    binning=st.sampled_from(["quantile", "width"]),
    miller_madow=st.booleans(),
    kind=st.sampled_from(["normal", "ties", "binary"]),
)
def test_terms_equal_the_dense_twin(seed, bins, order, binning, miller_madow, kind) -> None:
    rng = np.random.default_rng(seed)
    values = system(rng, kind)
    links = rng.random((3, 3, 3)) < 0.6
    links[:, :, 0] = False
    series = as_time_series([values[:70], values[70:]])
    run = run_surd(series, links, bins=bins, binning=binning, max_order=order, miller_madow=miller_madow, n_shift=0)
    for target, found in enumerate(run.targets):
        agents, y, pasts = naive.columns(values, links, target, [(0, 70), (70, 160)], bins, binning)
        assert found.agents == tuple(agents)
        if not agents:
            assert found.terms == {} and found.information == 0
            continue
        terms = naive.decompose(y, pasts, min(order, len(agents)), miller_madow)
        named = {(k, tuple(agents[a] for a in c)): bits for (k, c), bits in terms.items() if bits > 1e-12}
        assert {k: v for k, v in found.terms.items() if v > 1e-12} == pytest.approx(named, abs=1e-12)
        assert found.credits == pytest.approx(naive.credits(terms, len(agents)), abs=1e-12)
        assert found.entropy == pytest.approx(naive.specific_information(y, [y])[0] @ np.bincount(y) / len(y))


@pytest.mark.parametrize("kind", ["normal", "binary"])
def test_p_values_equal_the_twin(kind: str) -> None:
    values = system(np.random.default_rng(9), kind)
    links = into(1, (0, -1), (1, -1), (2, -2), n=3, tau_max=2)
    series = as_time_series([values[:70], values[70:]])
    found = run_surd(series, links, max_order=2, n_shift=60, seed=9).targets[1]
    agents, y, pasts = naive.columns(values, links, 1, [(0, 70), (70, 160)], 4, "quantile")
    null = []
    for by in draw_shifts(series, 2, 60, 9)[1]:
        assert (by >= 20).all() and (by <= [68 - 22, 88 - 22]).all()
        null.append(naive.credits(naive.decompose(naive.shifted(y, by, [68, 88]), pasts, 2), 3))
    expected = [naive.p_value(credit, of) for credit, of in zip(found.credits, np.transpose(null), strict=True)]
    assert found.p == pytest.approx(expected, rel=1e-6)
    assert found.agents == tuple(agents) and found.p.min() < 0.05 < found.p.max()


def system(rng, kind: str, T: int = 160):
    x = rng.standard_normal((T, 3))
    for t in range(2, T):
        x[t, 1] += 0.8 * x[t - 1, 0] * x[t - 2, 2]
        x[t, 2] += 0.6 * x[t - 1, 2]
    return {"normal": x, "ties": np.round(x), "binary": (x > 0).astype(float)}[kind]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_terms_are_positive_and_add_up(order: int) -> None:
    values = system(np.random.default_rng(3), "normal", 400)
    links = into(1, (0, -1), (2, -2), (1, -1), (0, -2), n=3, tau_max=2)
    found = decompose(values, links, 1, max_order=order)
    assert all(bits > 0 for bits in found.terms.values())
    assert sum(found.terms.values()) == pytest.approx(found.information, rel=1e-14)
    _, y, pasts = naive.columns(values, links, 1, [(0, 400)], 4, "quantile")
    joint, p_y = naive.specific_information(y, pasts)
    if order == 4:
        assert found.information == pytest.approx(joint @ p_y, abs=1e-12)
    else:
        assert found.information < joint @ p_y
    assert found.leak == pytest.approx(1 - found.information / found.entropy)


def test_the_order_of_columns_and_threads_change_nothing() -> None:
    values = system(np.random.default_rng(4), "normal", 300)
    names, links = ["a", "b", "c"], all_links(3, 2)
    first = run_surd(as_time_series(values, names=names), links, n_shift=60, max_order=3)
    for n_jobs in (1, 2):
        again = run_surd(as_time_series(values, names=names), links, n_shift=60, max_order=3, n_jobs=n_jobs)
        for one, other in zip(first.targets, again.targets, strict=True):
            assert one.terms == other.terms and one.p.tolist() == other.p.tolist()
    new = [2, 0, 1]
    moved = run_surd(as_time_series(values[:, new], names=[names[k] for k in new]), links, n_shift=60, max_order=3)
    for j, target in enumerate(moved.targets):
        old = first.targets[new[j]]
        at = [old.agents.index((new[i], lag)) for i, lag in target.agents]
        assert target.credits.tolist() == old.credits[at].tolist()
        assert target.p.tolist() == old.p[at].tolist()
        renamed = {(k, frozenset((new[i], lag) for i, lag in c)): bits for (k, c), bits in target.terms.items()}
        assert renamed == {(k, frozenset(c)): bits for (k, c), bits in old.terms.items()}


def test_quantile_bins_do_not_see_monotone_changes() -> None:
    values = system(np.random.default_rng(5), "normal")
    links = all_links(3, 1)
    one, other = (run_surd(as_time_series(x), links, n_shift=0) for x in (values, np.exp(values)))
    assert all(a.terms == b.terms for a, b in zip(one.targets, other.targets, strict=True))


def test_miller_madow_takes_off_what_chance_adds() -> None:
    values = np.random.default_rng(6).standard_normal((1000, 4))
    links = into(0, (1, -1), (2, -1), (3, -1), n=4, tau_max=1)
    plain, corrected = (decompose(values, links, 0, max_order=2, miller_madow=on).information for on in (False, True))
    assert plain > 0.03 and corrected < 0.6 * plain


@pytest.mark.parametrize(("T", "bins", "order"), [(301, 4, 1), (1001, 4, 2), (10_001, 4, 4), (1001, 2, 7)])
def test_the_order_follows_the_rows(T: int, bins: int, order: int) -> None:
    values = np.random.default_rng(7).standard_normal((T, 2))
    run = run_surd(as_time_series(values), into(0, (1, -1), n=2, tau_max=1), bins=bins, n_shift=0)
    assert run.order == order

    def chance(k: int) -> float:
        return (bins**k - 1) * (bins - 1) / (2 * (T - 1) * np.log(2))

    assert (order == 1 or chance(order) <= 0.1) and chance(order + 1) > 0.1


def test_sets_are_counted() -> None:
    values = np.random.default_rng(8).standard_normal((200, 3))
    run = run_surd(as_time_series(values), all_links(3, 2), max_order=2, n_shift=19)
    assert run.n_sets == 3 * 20 * count_sets(6, 2) == 3 * 20 * 21
