"""`discover(method="surd")`: what becomes an arrow, what doesn't, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import ScreenConfig, discover, read
from arrow_cd._discover import DiscoveryInterrupted
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.links import LinkStatus

FEW = {"mode": "exact", "tau_max": 1}


def noise(seed: int, T: int = 500, N: int = 5):
    return np.random.default_rng(seed).standard_normal((T, N))


def driven(seed: int, lag: int = 1, T: int = 500, N: int = 3):
    """Noise in which 0 drives 1 at one lag."""
    x = noise(seed, T, N)
    x[lag:, 1] += 1.5 * x[:-lag, 0]
    return x


def arrows(result) -> list[tuple[int, ...]]:
    return [tuple(link) for link in np.argwhere(result.graph == "-->").tolist()]


@pytest.mark.parametrize("n_sets", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_noise_has_next_to_no_arrows(n_sets: int) -> None:
    results = [discover(noise(seed), method="surd", tau_max=5, seed=seed) for seed in range(n_sets)]
    assert sum(bool(arrows(result)) for result in results) <= 0.05 * n_sets
    # Candidates are not taken over as they come: most are tested, and nearly all of those are dropped.
    assert sum(result.tested.sum() for result in results) >= 5 * n_sets


def test_p_values_of_noise_are_uniform() -> None:
    found = [discover(noise(seed, 300, 3), method="surd", seed=seed, **FEW) for seed in range(40)]
    p = np.concatenate([result.p_matrix[result.tested] for result in found])
    assert len(p) == 40 * 9
    for level in (0.05, 0.2, 0.5):
        assert abs(np.mean(p <= level) - level) < 3 * np.sqrt(level * (1 - level) / len(p)) + 0.01


def test_only_the_driving_candidate_is_marked() -> None:
    """A term above a threshold says nothing about the other agents of its target."""
    result = discover(driven(0), method="surd", **FEW)
    assert arrows(result) == [(0, 1, 1)]
    assert result.tested[:, :, 1].all() and result.p_validity == "exact" and result.val_unit == "bits"


@pytest.mark.parametrize("n_shift", [200, 0])
def test_agents_are_the_candidates_and_nothing_else(n_shift: int) -> None:
    """Never the target itself at lag 0, and no own lag that was not asked for."""
    result = discover(driven(1), method="surd", tau_max=2, mode="exact", forbid=[("X1", "X1")], n_shift=n_shift)
    agents = result.extra["targets"]["X1"]["agents"]
    assert agents == [["X0", -1], ["X0", -2], ["X2", -1], ["X2", -2]]
    assert not result.tested[:, :, 0].any() and not result.tested[1, 1].any()
    assert result.extra["targets"]["X1"]["information"] < 0.8 * result.extra["targets"]["X1"]["entropy"]


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_a_link_lands_at_its_lag(lag: int) -> None:
    result = discover(driven(2, lag, N=2), method="surd", mode="exact", tau_max=3)
    assert arrows(result) == [(0, 1, lag)] and result.n_samples == 497
    assert np.unravel_index(result.val_matrix.argmax(), result.val_matrix.shape) == (0, 1, lag)


def test_synergy_without_any_pairwise_dependence_is_found() -> None:
    bits = np.random.default_rng(3).integers(0, 2, (600, 3))
    bits[1:, 2] = bits[:-1, 0] ^ bits[:-1, 1]
    result = discover(bits.astype(float), method="surd", **FEW)
    assert arrows(result) == [(0, 2, 1), (1, 2, 1)]
    term = result.extra["targets"]["X2"]["terms"][0]
    assert term["kind"] == "S" and term["agents"] == [["X0", -1], ["X1", -1]] and term["bits"] > 0.9


def test_a_screened_run_says_so_and_keeps_the_link() -> None:
    result = discover(driven(4), method="surd", tau_max=5)
    assert arrows(result) == [(0, 1, 1)] and result.p_validity == "post-selection"
    assert result.tested.sum() < 15 and result.family_size == 45


def test_nothing_reaches_from_one_data_set_into_the_next() -> None:
    x, y = driven(5, 3, T=120), driven(6, 3, T=150)
    apart = discover([x, y], method="surd", tau_max=3, mode="exact", forbid=[("X2", "X1")])
    joined = discover(np.vstack([x, y]), method="surd", tau_max=3, mode="exact", forbid=[("X2", "X1")])
    assert (apart.n_samples, joined.n_samples) == (117 + 147, 267)
    assert arrows(apart) == [(0, 1, 3)]


def test_without_shifts_a_share_of_the_entropy_decides() -> None:
    quiet = discover(noise(7, T=1000), method="surd", n_shift=0, tau_max=2, mode="exact")
    assert arrows(quiet) == [] and quiet.p_matrix is None and quiet.p_validity == "none"
    strong = discover(driven(8), method="surd", n_shift=0, **FEW)
    assert arrows(strong) == [(0, 1, 1)] and "n_shift=0" in strong.notes[-1]
    everything = discover(driven(8), method="surd", n_shift=0, min_share=0.0, **FEW)
    assert set(arrows(everything)) == {tuple(link) for link in np.argwhere(everything.val_matrix > 0).tolist()}


def test_too_many_agents_are_refused_or_left_out() -> None:
    x = driven(9, N=4)
    with pytest.raises(BackendError, match=r"'X0' has 16 agents .* max_agents=12.* are 136, of up to 3 696"):
        discover(x, method="surd", tau_max=4, mode="exact")
    assert arrows(discover(x, method="surd", tau_max=4, mode="exact", max_agents=16)) == [(0, 1, 1)]
    result = discover(x, method="surd", tau_max=4, max_agents=1, screen=ScreenConfig(own_lags=1))
    over = result.status[:, 1] == LinkStatus.OVER_BUDGET
    assert over[0, 1] and not result.tested[:, 1].any() and (result.p_matrix[:, 1] == 1).all()
    assert "left out: 'X1'" in result.notes[-1] and result.tested.any()
    with pytest.raises(MemoryError, match="16 agents"):
        discover(x, method="surd", tau_max=4, mode="exact", max_agents=16, max_order=9, memory_budget=10**6)


def test_required_links_are_agents_but_not_tested() -> None:
    known = {0: {}, 1: {(0, -1): "-->", (2, -1): "-?>"}, 2: {}}
    result = discover(driven(10), method="surd", link_assumptions=known, **FEW)
    assert result.extra["targets"]["X1"]["agents"] == [["X0", -1], ["X2", -1]]
    assert arrows(result) == [(0, 1, 1)]
    assert not result.tested[0, 1, 1] and result.tested[2, 1, 1]


def test_what_is_constant_on_the_rows_is_not_tested() -> None:
    x = driven(11)
    x[:, 2] = 0.0
    x[0, 2] = 1.0
    result = discover(x, method="surd", mode="exact", tau_max=2)
    assert (result.status[:, 2, 1:] == LinkStatus.CONSTANT).all()
    assert result.status[2, 1, 1] == LinkStatus.CONSTANT and result.status[2, 1, 2] == LinkStatus.OK
    assert arrows(result) == [(0, 1, 1)] and np.isfinite(result.p_matrix).all()
    assert result.extra["targets"]["X2"]["leak"] == 1.0


def test_binary_and_tied_data_have_fewer_states() -> None:
    x = driven(12)
    for coarse in ((x > 0).astype(float), np.round(x)):
        assert (0, 1, 1) in arrows(discover(coarse, method="surd", **FEW))
    binary = discover((x > 0).astype(float), method="surd", **FEW)
    assert binary.extra["targets"]["X1"]["entropy"] == pytest.approx(1, abs=0.01)


def test_short_data_have_no_shifts() -> None:
    x = driven(13, T=50)
    with pytest.raises(
        InvalidDataError, match=r"at least 59 rows in a single data set .* the shortest has 49.*n_shift=0"
    ):
        discover(x, method="surd", **FEW)
    assert discover(x, method="surd", n_shift=0, **FEW).extra["order"] == 1
    result = discover(driven(13, T=100), method="surd", **FEW)
    assert result.extra["n_shift"] == 59 and "only 59 of the n_shift=200" in result.notes[-1]
    with pytest.raises(InvalidDataError, match="41 in each of several"):
        discover([x[:41], driven(14)], method="surd", **FEW)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, "bins=1: expected a whole number from 2 to 256"),
        ({"bins": 2.5}, "bins=2.5"),
        ({"binning": "equal"}, "binning='equal': expected one of quantile, width"),
        ({"max_order": 0}, "max_order=0: expected 'auto' or a whole number from 1 to 20"),
        ({"max_agents": 65}, "max_agents=65: expected at most 64"),
        ({"max_agents": 0}, "max_agents=0"),
        ({"n_shift": 10}, "n_shift=10: expected 0, or at least 19 shifts"),
        ({"n_shift": -1}, "n_shift=-1"),
        ({"min_share": 2}, "min_share=2"),
        ({"miller_madow": 1}, "miller_madow=1: expected True or False"),
        ({"tau_min": 0}, "tau_min=0"),
        ({"test": "parcorr"}, "test='parcorr'"),
        ({"lags": 3}, "unknown option 'lags'"),
    ],
)
def test_options_that_cannot_be_meant(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        discover(driven(15), method="surd", **options)


def test_missing_values_are_refused() -> None:
    x = driven(16)
    x[7, 1] = np.nan
    with pytest.raises(BackendError, match="complete data only"):
        discover(x, method="surd")


def test_a_result_survives_the_file(tmp_path) -> None:
    for n_shift in (60, 0):
        result = discover(driven(17), method="surd", n_shift=n_shift, **FEW)
        result.write(tmp_path / "result.json")
        again = read(tmp_path / "result.json")
        assert again.extra == result.extra and (again.graph == result.graph).all()
        assert again.val_unit == "bits" and (again.val_matrix == result.val_matrix).all()


def test_an_interrupt_hands_back_what_was_found() -> None:
    x = noise(18, N=12)

    def stop(phase: str, done: int, total: int) -> None:
        assert (phase, total) == ("surd", 12)
        if done >= 1:
            raise KeyboardInterrupt

    with pytest.raises(DiscoveryInterrupted) as stopped:
        discover(x, method="surd", progress=stop, **FEW)
    result = stopped.value.result
    finished = result.tested.any(axis=(0, 2))
    assert 1 <= finished.sum() < 12 and not result.complete
    assert (result.status[:, ~finished, 1:] == LinkStatus.NOT_TESTED).all()
    assert len(result.extra["targets"]) == finished.sum()
