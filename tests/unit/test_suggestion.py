"""The suggested tau_max on systems whose largest lag is known."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import simulate
from arrow_cd.errors import InvalidDataError
from arrow_cd.suggestion import suggest_tau_max


def chain(T: int = 1000, seed: int = 0) -> np.ndarray:
    """X0 -> X1 at lag 2, X1 -> X2 at lag 3, all autocorrelated."""
    x = np.random.default_rng(seed).normal(size=(T, 3))
    for t in range(3, T):
        x[t] += 0.6 * x[t - 1]
        x[t, 1] += 0.5 * x[t - 2, 0]
        x[t, 2] += 0.5 * x[t - 3, 1]
    return x


@pytest.mark.parametrize("seed", range(3))
def test_f11_the_largest_true_lag_is_suggested_and_not_the_fading_of_associations(seed: int) -> None:
    found = suggest_tau_max(chain(seed=seed))
    assert found.tau_max == 3 and found.largest == 50 and found.notes == ()


def test_f11_longer_lags_of_a_published_family() -> None:
    assert [suggest_tau_max(simulate.arrow_linear_const(seed, lag=7).values).tau_max for seed in range(3)] == [7, 7, 7]


def test_f11_the_curve_shows_why() -> None:
    curve = suggest_tau_max(chain(), largest=12).curve
    assert curve["tau"].to_list() == list(range(1, 13)) and curve.columns == [
        "tau",
        "links",
        "source",
        "target",
        "score",
    ]
    assert curve["links"].to_list() == [3, 1, 1] + [0] * 9
    assert curve.select("source", "target").row(1) == ("X0", "X1")
    assert curve.select("source", "target").row(2) == ("X1", "X2")
    assert curve["score"].null_count() == 9


def test_noise_suggests_the_smallest_and_says_that_it_is_no_finding() -> None:
    found = suggest_tau_max(np.random.default_rng(1).normal(size=(400, 6)))
    assert found.tau_max == 1 and "no lag from 1 to 40 stands out" in found.notes[0]


def test_links_at_the_end_of_the_range_ask_for_a_longer_look() -> None:
    found = suggest_tau_max(chain(), largest=3)
    assert found.tau_max == 3 and "look further" in found.notes[0]


def test_constants_are_left_out_and_bad_ranges_are_named() -> None:
    data = chain()
    data[:, 0] = 4.0
    assert suggest_tau_max(data).tau_max == 3
    for bad in (0, 1.5, True):
        with pytest.raises(InvalidDataError, match="largest="):
            suggest_tau_max(data, largest=bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidDataError, match="T=1000 with tau_max=998 leaves 2 rows"):
        suggest_tau_max(data, largest=998)
