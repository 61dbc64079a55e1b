"""Methods without p-values, and methods that test a source over all of its lags at once."""

from dataclasses import replace

import numpy as np
import pytest

from arrow_cd import discover, read, register_backend, score
from arrow_cd.backends.base import PairTests
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import LinkStatus
from fake_backend import Correlation

pytestmark = pytest.mark.usefixtures("backend")


class Strengths(Correlation):
    """Correlation without p-values: an arrow wherever it is above a half."""

    method = "strengths"
    tests = ()

    def run(self, task):
        found = super().run(task)
        graph = np.where(np.abs(found.val) > 0.5, "-->", "").astype("<U3")
        return replace(found, p=None, graph=graph, val_unit="correlation", extra={"norms": np.arange(2.0)})


class Sources(Correlation):
    """Tests a source by its largest correlation, corrected for the number of lags."""

    method = "sources"
    tests = ()
    tau_min = 1

    def run(self, task):
        found = super().run(task)
        asked = task.links.any(axis=2)
        p = np.where(asked, np.minimum(found.p.min(axis=2) * task.tau_max, 1.0), 1.0)
        val = np.abs(found.val).max(axis=2)
        status = np.where(asked, LinkStatus.OK, LinkStatus.NOT_TESTED).astype(np.uint8)
        return replace(found, pairs=PairTests(val, p, status), decided_by="pairs", p_validity="exact")


@pytest.fixture
def data():
    """Four series, X1 follows X0 after two samples, X3 is constant."""
    x = np.random.default_rng(6).normal(size=(300, 4))
    x[2:, 1] -= 1.5 * x[:-2, 0]
    x[:, 3] = 0.1
    return x


def run(data, backend, **options):
    register_backend(backend.method, lambda: backend)
    return discover(data, **{"method": backend.method, "mode": "exact", "tau_max": 3} | options)


def assert_same(left, right):
    for name, value in vars(left).items():
        other = getattr(right, name)
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(other, value, strict=True)
        elif name == "pairs" and value is not None:
            assert_same(value, other)
        else:
            assert other == value, name


def test_a_method_without_p_values_has_none_anywhere(data, tmp_path):
    result = run(data, Strengths())
    assert result.p_matrix is None and result.q_matrix is None and result.p_validity == "none"
    links = result.links()
    assert links["p"].null_count() == links["q"].null_count() == links.height
    assert result.links(significant_only=True).select("source", "target", "tau").rows() == [("X0", "X1", 2)]
    assert result.val_unit == "correlation" and result.extra == {"norms": [0.0, 1.0]}
    assert "p" not in result.to_networkx().get_edge_data("X0", "X1")[0]
    assert_same(read(result.write(tmp_path / "result.json")), result)
    result.plot(tmp_path / "graph.svg")


def test_without_p_values_links_are_ranked_by_their_size(data):
    scores = score(run(data, Strengths()), [("X0", 2, "X1")], tau_min=1)
    assert (scores.lagged.auroc, scores.summary.auroc) == pytest.approx((1.0, 1.0))


def test_a_method_must_give_p_values_or_a_graph(data):
    class Neither(Strengths):
        def run(self, task):
            return replace(super().run(task), graph=None)

    with pytest.raises(BackendError, match="'strengths' gave neither p-values nor a graph"):
        run(data, Neither())


def test_sources_are_corrected_over_all_pairs_asked_about(data):
    result = run(data, Sources())
    family = np.zeros((4, 4), dtype=bool)
    family[:3, :3] = True
    np.testing.assert_array_equal(result.pairs.q, benjamini_hochberg(result.pairs.p, family))
    assert result.family_size == 9 and result.decided_by == "pairs"
    assert (result.pairs.status[3] == LinkStatus.CONSTANT).all() and (result.pairs.p[3] == 1).all()
    table = result.source_tests()
    assert table.height == 9 and table.columns == ["source", "target", "val", "p", "q"]
    assert result.source_tests(significant_only=True).select("source", "target").rows() == [("X0", "X1")]


def test_every_tested_lag_of_a_significant_source_gets_an_arrow(data):
    result = run(data, Sources(), forbid=[("X0", "X1", 3)])
    assert (result.graph[0, 1] == ["", "-->", "-->", ""]).all()
    assert result.summary_graph().sum() == 1


def test_tests_of_sources_survive_a_file(data, tmp_path):
    result = run(data, Sources())
    assert_same(read(result.write(tmp_path / "result.json")), result)


def test_p_values_after_a_screen_are_said_to_be_selected(data):
    options = {"method": "correlation", "test": "pearson", "tau_max": 3, "tau_min": 1}
    assert discover(data, mode="exact", **options).p_validity == "exact"
    assert discover(data, **options).p_validity == "post-selection"
    assert run(data, Sources(), mode="screen").p_validity == "exact"


def test_without_a_choice_of_tests_a_test_is_refused(data):
    with pytest.raises(InvalidDataError, match="test='pearson': method 'strengths' has no choice of tests"):
        run(data, Strengths(), test="pearson")


def test_the_first_test_is_the_default(data):
    assert discover(data, method="correlation", mode="exact").options["test"] == "pearson"


def test_a_factory_is_called_once_and_only_when_needed(data):
    made = []
    register_backend("correlation", lambda: made.append(Correlation()) or made[-1])
    assert not made
    for _ in range(2):
        discover(data, method="correlation", mode="exact")
    assert len(made) == 1


@pytest.mark.parametrize(
    ("name", "factory", "error", "message"),
    [
        ("mine", 3, InvalidDataError, "factory=3: expected a function"),
        ("", Correlation, InvalidDataError, "name='': expected the name of a method"),
        ("mine", Correlation, BackendError, "calls itself 'correlation'"),
        ("mine", object, BackendError, "has no method, tests, tau_min"),
    ],
)
def test_a_wrong_registration_is_told_what_it_lacks(data, name, factory, error, message):
    with pytest.raises(error, match=message):
        register_backend(name, factory)
        discover(data, method=name)
