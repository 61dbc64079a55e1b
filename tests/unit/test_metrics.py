from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from arrow_cd import InvalidDataError, discover, simulate
from arrow_cd.metrics import rank_areas, score

NAMES = ("rain", "stage", "flow")


@dataclass
class Result:
    graph: np.ndarray
    var_names: tuple[str, ...]
    p_matrix: np.ndarray


def array(*links: tuple[int, int, int], L: int = 3) -> np.ndarray:
    graph = np.zeros((3, 3, L + 1), dtype=bool)
    for source, tau, target in links:
        graph[source, target, tau] = True
    return graph


def test_counts_by_hand() -> None:
    true = array((0, 1, 1), (1, 2, 2), (0, 3, 2))
    found = array((0, 1, 1), (1, 1, 2), (2, 1, 0), (0, 1, 0))  # the last is an own link and doesn't count
    scores = score(found, true)
    lagged, summary = scores.lagged, scores.summary
    assert (lagged.true_positives, lagged.false_positives, lagged.false_negatives, lagged.hamming) == (1, 2, 2, 4)
    assert (lagged.precision, lagged.recall, lagged.f1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (summary.true_positives, summary.false_positives, summary.false_negatives) == (2, 1, 1)
    assert summary.hamming == 1  # 2 -> 0 instead of 0 -> 2: one link to reverse
    assert scores.lag_accuracy == 0.5
    assert math.isnan(lagged.auroc)


def test_perfect_and_empty() -> None:
    true = array((0, 1, 1))
    assert score(true, true).lagged.f1 == 1 and score(true, true).lag_accuracy == 1
    nothing = score(array(), true).summary
    assert math.isnan(nothing.precision) and nothing.recall == 0 and nothing.f1 == 0 and nothing.hamming == 1
    assert math.isnan(score(array(), array()).summary.f1)
    assert math.isnan(score(array(), array()).lag_accuracy)


def test_every_form_of_the_same_graph_scores_alike() -> None:
    true = array((0, 1, 1), (0, 2, 1), (2, 3, 1))
    found = array((0, 1, 1), (2, 3, 1), (1, 1, 2))
    expected = score(found, true)
    by_index = [(0, 1, 1), (0, 2, 1), (2, 3, 1)]
    by_name = [("rain", 1, "stage"), ("rain", 2, "stage"), ("flow", 3, "stage")]
    frame = pl.DataFrame(by_name, schema=["source", "tau", "target"], orient="row")
    marks = np.where(found, "-->", "")
    marks[0, 2, 0] = marks[2, 0, 0] = "o-o"  # no direction, so no link
    assert score(found, by_index) == score(found.astype(int), frame, names=NAMES) == expected
    assert score(marks, by_name, names=NAMES) == score(found, frame.to_pandas(), names=NAMES) == expected
    assert score(Result(marks, NAMES, np.ones(marks.shape)), by_name).lagged.f1 == expected.lagged.f1


def test_names_decide_the_order() -> None:
    true = array((0, 1, 1), (1, 2, 2))
    order = [2, 0, 1]
    shuffled = Result(
        np.where(true, "-->", "")[np.ix_(order, order)],
        tuple(NAMES[i] for i in order),
        np.where(true, 0.001, 1.0)[np.ix_(order, order)],
    )
    truth = Result(np.where(true, "-->", ""), NAMES, np.ones(true.shape))
    scores = score(shuffled, truth)
    assert scores.lagged.f1 == scores.lag_accuracy == scores.lagged.auroc == scores.summary.auprc == 1
    chain = simulate.cancelling_chain(0, T=5)
    back = chain.lagged_truth(2)[::-1, ::-1]
    assert score(back, chain, names=("X2", "X1", "X0")).lagged.f1 == 1
    assert score(back, chain).lagged.f1 < 1


def test_summary_truth_and_longer_truth() -> None:
    found = array((0, 1, 1), (1, 2, 2))
    by_pair = score(found, [(0, 1), (1, 0)])
    assert by_pair.lagged is None and math.isnan(by_pair.lag_accuracy)
    assert (by_pair.summary.true_positives, by_pair.summary.false_positives) == (1, 1)
    assert score(found, [(0, 1, 1), (1, 2, 2), (0, 9, 2)]).lagged.recall == pytest.approx(2 / 3)


def test_tau_min_leaves_lags_out_on_both_sides() -> None:
    true, found = array((0, 0, 1), (1, 1, 2)), array((1, 0, 0), (1, 1, 2))
    everything = score(found, true)
    assert everything.lagged.hamming == 1 and everything.lagged.false_positives == 1  # lag 0 the wrong way round
    assert score(found, true, tau_min=1).lagged.f1 == score(found, true, tau_min=1).summary.f1 == 1


def test_rank_areas_against_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    true = rng.random(300) < 0.2
    strength = np.round(rng.normal(size=300) + true, 1)  # with ties
    expected = metrics.roc_auc_score(true, strength), metrics.average_precision_score(true, strength)
    assert rank_areas(strength, true) == pytest.approx(expected, rel=1e-12)
    assert all(math.isnan(area) for area in rank_areas(strength, np.zeros(300)))


def test_links_that_no_one_asked_about_are_ties() -> None:
    """Strength -inf: longer than the search went. Their order in the array must not count."""
    strength = np.array([2.0, 1.0, -np.inf, -np.inf])
    true = np.array([True, False, True, False])
    # Of the four pairs of a link and a non-link, two outrank, one is a tie and one is outranked.
    assert rank_areas(strength, true)[0] == rank_areas(strength, true[[0, 1, 3, 2]])[0] == pytest.approx(0.625)


def test_areas_leave_own_links_and_small_lags_out() -> None:
    true = array((0, 1, 1))
    p = np.full(true.shape, 0.5)
    p[0, 1, 1] = 0.1
    p[0, 0, 1] = p[1, 0, 0] = 1e-9
    assert score(Result(np.where(true, "-->", ""), NAMES, p), true, tau_min=1).lagged.auroc == 1
    assert score(Result(np.where(true, "-->", ""), NAMES, p), true).lagged.auroc < 1


@pytest.mark.parametrize(
    ("result", "truth", "names", "message"),
    [
        (array(), [("rain", 1, "snow")], NAMES, "truth: no series is called 'snow'; there are rain, stage, flow"),
        (array(), [("rain", 1, "flow")], None, "truth names the series 'rain': give names"),
        (array(), [(0, 1, 7)], None, "truth has a link of series 7, expected a name or an index from 0 to 2"),
        (array(), [(0, 1, 1), (0, 1)], None, "truth: links must all be"),
        (array(), [(0, -1, 1)], None, "truth: lags must be whole numbers"),
        (array(), np.zeros((2, 2)), None, r"truth has shape \(2, 2\), expected \(3, 3\)"),
        (array(), np.full((3, 3), 0.3), None, "truth must hold True and False"),
        (array(), pl.DataFrame({"cause": ["rain"]}), NAMES, "truth: a frame needs the columns source and target"),
        (array(), 5, None, "truth: expected an array, a frame, a result or tuples of links, not int"),
        ([(0, 1, 1)], [(0, 1, 1)], None, "the number of series is unknown"),
        (Result(array(), NAMES, np.ones((3, 3, 4))), array(), ("a", "b", "c"), "differ from the result's own"),
    ],
)
def test_bad_input_is_named(result, truth, names, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        score(result, truth, names=names)


def test_strength_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidDataError, match="strength has shape"):
        score(array(), array(), strength=np.zeros((3, 3)))


def test_discovered_graph_of_a_simulated_system() -> None:
    chain = simulate.cancelling_chain(0)
    result = discover(chain.values, tau_max=3)
    scores = score(result, chain)
    assert scores.lagged.recall == scores.lagged.auroc == scores.summary.f1 == 1
    assert score(result, simulate.pure_noise(0, N=3)).lagged.true_positives == 0
