"""Conditional Granger models behind a screen: it chooses sources, and all lags of these are in the models."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd.backends.base import Outcome, Task
from arrow_cd.backends.granger import Granger
from arrow_cd.backends.native_granger import in_blocks
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from naive_granger import granger as naive_granger
from systems import all_links, linear_system

X = linear_system(0, 4, 200, 3)


def links_of(*links: tuple[int, int, int], N: int = 4, tau_max: int = 3):
    chosen = np.zeros((N, N, tau_max + 1), dtype=bool)
    for link in links:
        chosen[link] = True
    return chosen


def run(x, links, asked=None, **options) -> Outcome:
    tau_max = links.shape[2] - 1
    asked = all_links(x.shape[1], tau_max) if asked is None else asked
    options = {**Granger.defaults, **options}
    none = np.zeros_like(links)
    return Granger().run(
        Task(as_time_series(x), 1, tau_max, links, none, "", 0.05, options, screened=True, asked=asked)
    )


def test_blocks_are_the_lags_of_sources_and_own_lags_that_were_asked_about() -> None:
    links, asked = links_of((0, 1, 2), (2, 1, 1), (3, 3, 1)), all_links(4, 3)
    asked[0, 1, 3] = False
    blocks, over = in_blocks(links, asked, 8)
    expected = links_of((0, 1, 1), (0, 1, 2), *((i, 1, lag) for i in (1, 2) for lag in (1, 2, 3)))
    expected[3, 3, 1:] = True
    np.testing.assert_array_equal(blocks, expected)
    assert not over.any()
    blocks, over = in_blocks(links, asked, 7)
    assert over.tolist() == [False, True, False, False]
    np.testing.assert_array_equal(blocks[:, 1], links[:, 1])
    np.testing.assert_array_equal(blocks[:, 3], expected[:, 3])


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_slow_twin_on_blocks(seed) -> None:
    rng = np.random.default_rng(seed)
    asked = all_links(4, 3) & (rng.random((4, 4, 4)) < 0.8)
    links = asked & (rng.random((4, 4, 4)) < 0.2)
    sources = links.any(axis=2) | (np.eye(4, dtype=bool) & links.any(axis=(0, 2)))
    of_links, of_pairs = naive_granger(X, asked & sources[:, :, None])
    found = run(X, links, asked)
    np.testing.assert_array_equal(found.tested, links)
    assert (found.status[~links] == LinkStatus.NOT_ASKED).all() and (found.p[~links] == 1).all()
    for link in map(tuple, np.argwhere(links).tolist()):
        assert (found.val[link], found.p[link]) == pytest.approx(of_links[link], rel=1e-8)
    records = {(r["source"], r["target"]): r for r in found.extra["pairs"]}
    names = as_time_series(X).names
    assert set(records) == {(names[i], names[j]) for i, j in np.argwhere(links.any(axis=2))}
    for i, j in np.argwhere(links.any(axis=2)):
        val, f, p, df_num, df_denom = of_pairs[i, j]
        assert (found.pairs.val[i, j], found.pairs.p[i, j]) == pytest.approx((val, p), rel=1e-8)
        record = records[names[i], names[j]]
        assert (record["df_num"], record["df_denom"]) == (df_num, df_denom)
        assert record["F"] == pytest.approx(f, rel=1e-8)


def test_no_test_depends_on_which_lag_of_a_source_was_kept() -> None:
    one = run(X, links_of((0, 1, 1), (2, 1, 3), (1, 1, 1)))
    other = run(X, links_of((0, 1, 1), (2, 1, 2), (1, 1, 3)))
    np.testing.assert_array_equal(one.pairs.p, other.pairs.p)
    assert one.p[0, 1, 1] == other.p[0, 1, 1] < 1


def test_all_links_kept_is_the_plain_run() -> None:
    plain, kept = discover(X, method="granger", tau_max=3, mode="exact"), run(X, all_links(4, 3))
    np.testing.assert_array_equal(plain.p_matrix, kept.p)
    np.testing.assert_array_equal(plain.pairs.p, kept.pairs.p)


@pytest.mark.parametrize("conditional", [True, False])
def test_the_best_lag_of_many_is_not_tested_as_if_it_had_been_the_only_one(conditional) -> None:
    """Independent series; the candidate of the pair is the most correlated of 10 lags."""
    p = {"block": [], "mask": []}
    for seed in range(300):
        x = np.random.default_rng(seed).standard_normal((150, 2))
        r = [abs(np.corrcoef(x[10 - lag : 150 - lag, 0], x[10:, 1])[0, 1]) for lag in range(1, 11)]
        links = links_of((0, 1, 1 + int(np.argmax(r))), (1, 1, 1), N=2, tau_max=10)
        for lags, of_form in p.items():
            of_form.append(run(x, links, conditional=conditional, lags=lags).pairs.p[0, 1])
    assert np.mean(np.array(p["block"]) < 0.05) < 0.08
    assert np.mean(np.array(p["mask"]) < 0.05) > 0.25


def test_too_many_lags_for_the_rows_leave_a_model_its_candidates_and_say_so() -> None:
    links = links_of((0, 1, 1), (2, 1, 3), (3, 3, 1))
    # Of 23 - 3 = 20 rows half are 10: three blocks of 3 fit, and of 20 - 3 = 17 rows they don't.
    assert not any("candidate lags only" in note for note in run(X[:23], links).notes)
    short = run(X[:20], links)
    (note,) = [note for note in short.notes if "candidate lags only" in note]
    assert repr(as_time_series(X).names[1]) in note and repr(as_time_series(X).names[3]) not in note
    candidates = run(X[:20], links, lags="mask")
    np.testing.assert_array_equal(short.p[:, 1], candidates.p[:, 1])


def test_a_forbidden_lag_of_a_kept_source_is_in_no_model() -> None:
    x = linear_system(5, 3, 300, 2)
    names = as_time_series(x).names
    asked = {"method": "granger", "tau_max": 4}
    result = discover(x, **asked, forbid=[(names[0], names[1], 3)])
    kept = result.tested[:, 1].any(axis=1)
    assert kept[0], "the source is a candidate"
    (record,) = [r for r in result.extra["pairs"] if (r["source"], r["target"]) == (names[0], names[1])]
    assert record["df_num"] == 3 and record["df_denom"] == 296 - (4 * (kept | [False, True, False]).sum() - 1) - 1
