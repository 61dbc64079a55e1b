"""S1 to S12 as data sets, and what is common to all of them."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import InvalidDataError, load_dataset, score
from arrow_cd.datasets import Truth
from arrow_cd.simulate import FAMILIES


@pytest.mark.parametrize("name", ["S1_linear_const", "S7_autocorrelated", "S9_henon_chain", "S10_svar_lingam"])
def test_a_family_with_its_default_seed_and_another(name: str) -> None:
    data, again, other = load_dataset(name), load_dataset(name, seed=0), load_dataset(name, seed=1)
    assert (data.seed, other.seed) == (0, 1) and data.name == name
    np.testing.assert_array_equal(data.series.values, again.series.values)
    assert not np.array_equal(data.series.values, other.series.values)
    made = FAMILIES[data.members[0].name](0)
    np.testing.assert_array_equal(data.series.values, made.values)
    assert [(i, tau, j) for i, j, tau in np.argwhere(data.truth.graph)] == sorted(
        made.links, key=lambda k: (k[0], k[2])
    )


@pytest.mark.parametrize("name", ["S3_nonlinear_const", "S8_lorenz96", "S11_structures", "S12_null"])
def test_families_of_several_members_are_as_the_registry_says(name: str) -> None:
    data = load_dataset(name)
    for member, info in zip(data.members, data.info.members, strict=True):
        assert (member.name, member.series.T, member.series.N) == (info.name, info.T, info.N)
        assert member.truth.has_lags and member.truth.names == member.series.names


def test_the_structures_are_what_they_are_called() -> None:
    edges = {
        member.name: np.argwhere(member.truth.summary).tolist() for member in load_dataset("S11_structures").members
    }
    assert edges == {
        "S11_fork": [[0, 1], [0, 2]],
        "S11_v": [[0, 2], [1, 2]],
        "S11_mediator": [[0, 1], [0, 2], [1, 2]],
        "S11_diamond": [[0, 1], [0, 2], [1, 3], [2, 3]],
    }


def test_the_null_has_no_link_between_series() -> None:
    for member in load_dataset("S12_null").members:
        assert np.array_equal(member.truth.summary, np.eye(member.series.N, dtype=bool))


def test_links_of_lag_zero_are_part_of_the_truth() -> None:
    assert load_dataset("S10_svar_lingam").truth.graph[:, :, 0].any()


def test_one_member_gives_series_and_truth_several_have_to_be_chosen() -> None:
    both = load_dataset("S12_null")
    for attribute in ("series", "truth"):
        with pytest.raises(InvalidDataError, match=r"member= one of S12_null, S12_null_shared, or use \.members"):
            getattr(both, attribute)
    one = load_dataset("S12_null", member="S12_null_shared")
    np.testing.assert_array_equal(one.series.values, both.members[1].series.values)


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_bad_seeds(seed: object) -> None:
    with pytest.raises(InvalidDataError, match="seed"):
        load_dataset("S1_linear_const", seed=seed)


def test_public_data_take_no_seed() -> None:
    with pytest.raises(InvalidDataError, match=r"seed=0: danube is public data"):
        load_dataset("danube", seed=0)


def test_score_takes_a_truth_with_lags_by_name() -> None:
    truth = load_dataset("S11_structures", member="S11_v").truth
    links = truth.links()
    assert [(source, target) for source, _, target in links] == [("X0", "X2"), ("X1", "X2")]
    scores = score(links, truth)
    assert scores.lagged is not None and scores.lagged.f1 == 1.0 and scores.lag_accuracy == 1.0
    later = [(source, tau + 1, target) for source, tau, target in links]
    assert score(later, truth).summary.f1 == 1.0 and score(later, truth).lagged.f1 == 0.0


def test_score_takes_a_truth_without_lags_and_the_direction_counts() -> None:
    truth = Truth(("a", "b"), np.array([[True, True], [False, False]]))
    assert truth.links() == [("a", "a"), ("a", "b")] and not truth.has_lags
    assert score([("a", 3, "b")], truth).summary.f1 == 1.0
    assert score([("b", 3, "a")], truth).summary.f1 == 0.0
