"""The generators: frozen by hash, stable, and what their docstrings say they are.

After a deliberate change of a generator: ``python tests/unit/test_simulate.py`` writes the hashes again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from arrow_cd import InvalidDataError, simulate
from arrow_cd.simulate import FAMILIES, Simulated
from arrow_cd.simulate.linear import draw_sparse, run_var, stabilise

HASHES = Path(__file__).with_name("simulated_hashes.json")


def fingerprint(data: Simulated) -> str:
    """Hash of links and values, these to a millionth of the column's largest, so that another libm gives the same."""
    largest = np.nanmax(np.abs(data.values), axis=0)
    rounded = np.rint(np.nan_to_num(data.values / largest, nan=2.0) * 1e6).astype("<i8")
    return hashlib.sha256(rounded.tobytes() + repr(data.links).encode()).hexdigest()[:16]


@pytest.mark.parametrize("family", FAMILIES)
def test_family_is_frozen(family: str) -> None:
    assert fingerprint(FAMILIES[family](0)) == json.loads(HASHES.read_text())[family]


@pytest.mark.parametrize("family", FAMILIES)
def test_family_is_seeded_finite_and_searched_far_enough(family: str) -> None:
    data = FAMILIES[family](1)
    assert not np.isinf(data.values).any()
    assert np.nanstd(data.values, axis=0).min() > 0.01
    assert data.values.shape[1] == len(data.names)
    assert data.lagged_truth(FAMILIES[family].tau_max).sum() == len(data.links)
    assert not np.array_equal(data.values, FAMILIES[family](2).values, equal_nan=True)


def test_truth_arrays() -> None:
    data = simulate.cancelling_chain(0, T=10)
    assert data.links == ((0, 1, 1), (0, 2, 2), (1, 1, 2))
    assert np.argwhere(data.lagged_truth(3)).tolist() == [[0, 1, 1], [0, 2, 2], [1, 2, 1]]
    assert np.argwhere(data.summary_truth()).tolist() == [[0, 1], [0, 2], [1, 2]]
    with pytest.raises(InvalidDataError, match="lag 2: tau_max must be at least that, not 1"):
        data.lagged_truth(1)


@pytest.mark.parametrize("settings", [{}, {"parents": 0.7, "poisson": True}, {"feedforward": True}])
def test_companion_radius_equals_the_full_matrix(settings: dict[str, object]) -> None:
    rng = np.random.default_rng(3)
    N, L = 8, 7
    weights = draw_sparse(rng, N=N, L=L, own=(0.3, 0.8), strength=(0.2, 0.4), **settings)
    full = np.zeros((N * L, N * L))
    full[:N] = weights[:, :, 1:].transpose(1, 2, 0).reshape(N, L * N)
    full[N:, :-N] = np.eye(N * (L - 1))
    assert simulate.companion_radius(weights) == pytest.approx(np.abs(np.linalg.eigvals(full)).max(), rel=1e-9)


def test_stabilise_shrinks_what_it_is_told_to() -> None:
    rng = np.random.default_rng(4)
    weights = draw_sparse(rng, N=8, L=2, own=(0.7, 0.9), strength=(0.4, 0.6))
    assert simulate.companion_radius(weights) > 0.97
    own = np.eye(8, dtype=bool)
    cross_only, everything = stabilise(weights), stabilise(weights, shrink="all")
    assert simulate.companion_radius(cross_only) <= 0.97
    assert simulate.companion_radius(everything) <= 0.97
    assert np.array_equal(cross_only[own], weights[own])
    assert (everything[own] <= weights[own]).all() and everything[own].sum() < weights[own].sum()


def test_run_var_puts_each_weight_at_its_lag() -> None:
    weights = np.zeros((2, 2, 4))
    weights[0, 1, 3] = 0.5
    weights[0, 0, 1] = -0.2
    noise = np.zeros((6, 2))
    noise[0, 0] = 1.0
    x = run_var(weights, noise, burn_in=0)
    assert np.allclose(x[:, 0], (-0.2) ** np.arange(6))
    assert np.allclose(x[:, 1], [0, 0, 0, 0.5, -0.1, 0.02])


@pytest.mark.parametrize("lag", simulate.ARROW_LAGS)
def test_arrow_linear_links(lag: int) -> None:
    data = simulate.arrow_linear_const(5, lag=lag)
    assert {tau for _, tau, _ in data.links} == {lag}
    parents = data.summary_truth().sum(axis=0)
    assert (parents == 2).all() and data.summary_truth().diagonal().all()
    assert len({tau for _, tau, _ in simulate.arrow_linear_multi(5, lag=lag).links}) > 1


def test_arrow_nonlinear_is_acyclic_from_later_to_earlier() -> None:
    data = simulate.arrow_nonlinear_multi(6)
    assert all(source > target for source, _, target in data.links)
    assert {tau for _, tau, _ in data.links} <= set(range(1, 6))


def test_linear_families_follow_their_links() -> None:
    """Regressing each target on its true parents leaves white residuals no other lagged series explains."""
    data = simulate.sparse_var(7, T=4000, N=6, L=4)
    x = data.values - data.values.mean(axis=0)
    for j in range(6):
        parents = [(i, tau) for i, tau, target in data.links if target == j]
        design = np.column_stack([x[4 - tau : len(x) - tau, i] for i, tau in parents])
        coefficients, *_ = np.linalg.lstsq(design, x[4:, j], rcond=None)
        residual = x[4:, j] - design @ coefficients
        assert np.abs(coefficients).min() > 0.05
        for i in range(6):
            for tau in range(1, 5):
                assert abs(np.corrcoef(residual, x[4 - tau : len(x) - tau, i])[0, 1]) < 4.5 / np.sqrt(len(x))


def test_what_the_observer_does() -> None:
    plain, spiked = simulate.sparse_var(8), FAMILIES["var_outliers"](8)
    moved = np.abs(spiked.values - plain.values) > 10 * plain.values.std(axis=0)
    assert 0.007 < moved.mean() < 0.013
    assert 0.04 < np.isnan(FAMILIES["var_missing"](8).values).mean() < 0.06
    assert (FAMILIES["var_zeros"](8).values == 0).mean(axis=0) == pytest.approx(0.8)
    counts = FAMILIES["counts"](8).values
    assert (counts == np.rint(counts)).all() and counts.min() == 0
    assert set(np.unique(FAMILIES["binary"](8).values)) == {0.0, 1.0}
    mixed = FAMILIES["half_binary"](8).values
    assert [len(np.unique(column)) == 2 for column in mixed.T] == [True] * 10 + [False] * 10


def test_cancelling_chain_hides_its_link_from_the_correlation() -> None:
    x = simulate.cancelling_chain(9, T=20_000).values
    now, middle, past = x[2:, 2], x[1:-1, 1], x[:-2, 0]
    assert abs(np.corrcoef(past, now)[0, 1]) < 0.02
    design = np.column_stack([past, middle])
    assert np.linalg.lstsq(design, now, rcond=None)[0] == pytest.approx([-0.64, 0.8], abs=0.03)


def test_pure_noise_shares_its_draw_with_the_linked_one() -> None:
    plain, linked = simulate.pure_noise(10), simulate.pure_noise(10, strength=0.35)
    assert plain.links == () and linked.links == ((0, 2, 1),)
    assert np.array_equal(np.delete(plain.values, 1, axis=1), np.delete(linked.values, 1, axis=1))
    assert linked.values[2:, 1] - plain.values[2:, 1] == pytest.approx(0.35 * plain.values[:-2, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate.structure(0, shape="ring"), "shape must be one of fork, v, mediator, diamond, not 'ring'"),
        (lambda: simulate.discrete_var(0, kind="ternary"), "kind must be one of counts, binary"),
        (lambda: simulate.nonlinear_parents(0, function="exp"), "function must be one of bump, square"),
    ],
)
def test_unknown_choices_are_named(call, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        call()


if __name__ == "__main__":
    HASHES.write_text(json.dumps({name: fingerprint(family(0)) for name, family in FAMILIES.items()}, indent=1) + "\n")
