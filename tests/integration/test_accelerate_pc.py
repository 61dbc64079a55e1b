"""`accelerate(pc, tau_max=...)`: causal-learn's call and graph, and where its own run on lag-unrolled data differs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

pytest.importorskip("causallearn", reason="causal-learn is not installed (extra: causallearn)")

from causallearn.graph.GraphClass import CausalGraph
from causallearn.search.ConstraintBased.PC import pc
from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

from arrow_cd import BackendError, InvalidDataError, accelerate, discover
from arrow_cd.causallearn.unrolled import links_into_present, unroll
from systems import linear_system

TAU_MAX = 2
X = linear_system(1, 4, 500, TAU_MAX)
NAMES = ["a", "b", "c", "d"]


def fast(x=X, alpha=0.01, *, mode="exact", **options):
    return accelerate(pc, tau_max=TAU_MAX, mode=mode)(x, alpha, show_progress=False, **options)


def plain(x, tau_max: int, alpha: float = 0.01) -> CausalGraph:
    columns, names = unroll(x, tau_max)
    return pc(columns, alpha, "fisherz", show_progress=False, node_names=names)


def test_it_is_the_graph_of_pc_at_one_level() -> None:
    graph = fast()
    options = {"test": "fisherz", "pc_alpha": 0.01, "alpha": 0.01, "fdr": "none", "mode": "exact"}
    result = discover(X, method="pc", tau_max=TAU_MAX, **options)
    np.testing.assert_array_equal(graph.result.p_matrix, result.p_matrix)
    assert isinstance(graph, CausalGraph)
    np.testing.assert_array_equal(links_into_present(graph, TAU_MAX), result.graph == "-->")
    assert graph.PC_elapsed > 0


def test_links_are_drawn_at_every_shift_and_never_against_time() -> None:
    graph = fast(node_names=NAMES)
    n_lags = TAU_MAX + 1
    names = [node.get_name() for node in graph.G.nodes]
    assert names[: n_lags + 1] == ["a(t)", "a(t-1)", "a(t-2)", "b(t)"]
    links = np.argwhere(graph.result.graph == "-->").tolist()
    expected = {(i * n_lags + tau + shift, j * n_lags + shift) for i, j, tau in links for shift in range(n_lags - tau)}
    edges = [(int(a), int(b)) for a, b in graph.find_fully_directed()]
    assert set(edges) == expected and len(edges) == len(expected)
    assert all(a % n_lags > b % n_lags for a, b in edges)
    assert graph.find_undirected() == [] and graph.find_bi_directed() == []


def test_what_causal_learn_reads_from_a_graph_is_there() -> None:
    graph = fast(node_names=NAMES)
    graph.to_nx_graph()
    own = nx.DiGraph(graph.find_fully_directed())
    nodes = graph.G.nodes
    for a in range(len(nodes)):
        for b in range(len(nodes)):
            leads = a == b or (a in own and b in own and nx.has_path(own, a, b))
            assert graph.G.is_ancestor_of(nodes[a], nodes[b]) == leads
    present = [k for k in range(len(nodes)) if k % (TAU_MAX + 1) == 0]
    for j in present:
        causes = {nodes.index(node) for node in graph.G.get_parents(nodes[j])}
        assert causes == {a for a, b in own.edges if b == j}


def test_separating_sets_are_those_of_the_result() -> None:
    graph, n_lags = fast(), TAU_MAX + 1
    names = [node.get_name() for node in graph.G.nodes]
    sepsets = graph.result.extra["sepsets"]
    assert sepsets
    for i, j, tau in np.argwhere(graph.result.tested).tolist():
        a, b = i * n_lags + tau, j * n_lags
        if graph.result.graph[i, j, tau]:
            assert graph.sepset[a, b] is None
        else:
            given = sepsets.get(f"X{j}", {}).get(f"X{i}(t-{tau})", [])
            assert graph.sepset[a, b] == graph.sepset[b, a] == [tuple(names.index(name) for name in given)]


def test_a_screened_run_leaves_pruned_pairs_apart_without_a_separating_set() -> None:
    graph = fast(mode="screen")
    result, n_lags = graph.result, TAU_MAX + 1
    pruned = np.argwhere(~result.tested[:, :, 1:]).tolist()
    assert pruned and result.p_validity == "post-selection"
    for i, j, k in pruned:
        a, b = i * n_lags + k + 1, j * n_lags
        assert graph.G.graph[a, b] == graph.G.graph[b, a] == 0 and graph.sepset[a, b] is None


@pytest.mark.parametrize("seed", range(6))
def test_causal_learn_on_unrolled_data_drops_few_links_more_and_keeps_no_others(seed: int) -> None:
    """It also conditions on neighbours of the source and on other series at the same time."""
    n, tau_max = [(3, 2), (4, 2), (5, 2), (3, 3), (3, 2), (4, 2)][seed]
    x = linear_system(seed, n, 500, tau_max)
    theirs = links_into_present(plain(x, tau_max), tau_max)
    ours = links_into_present(accelerate(pc, tau_max=tau_max, mode="exact")(x, 0.01, show_progress=False), tau_max)
    assert not (theirs & ~ours).any()
    assert (ours & ~theirs).sum() <= 1
    assert theirs.sum() >= 2


def test_a_link_that_causal_learn_drops_more_is_dropped_given_what_is_no_link_into_the_target() -> None:
    """N = 5, tau_max = 2: X1(t-1) --> X3(t) goes given X1(t), which no time-ordered search would condition on."""
    x = linear_system(2, 5, 500, TAU_MAX)
    graph = plain(x, TAU_MAX)
    more = links_into_present(fast(x), TAU_MAX) & ~links_into_present(graph, TAU_MAX)
    assert np.argwhere(more).tolist() == [[1, 3, 1]]
    n_lags = TAU_MAX + 1
    separators = graph.sepset[1 * n_lags + 1, 3 * n_lags]
    assert 1 * n_lags in {k for given in separators for k in given}


def test_a_constant_column_is_left_out() -> None:
    """causal-learn's own run does not end."""
    graph = fast(np.insert(X, 1, 0.1, axis=1))
    np.testing.assert_array_equal(graph.result.graph[np.ix_([0, 2, 3, 4], [0, 2, 3, 4])], fast().result.graph)
    assert any("constant" in note for note in graph.result.notes)
    assert (graph.G.graph[TAU_MAX + 1 : 2 * (TAU_MAX + 1)] == 0).all()


def test_copies_do_not_stop_it() -> None:
    graph = fast(np.column_stack([X, X[:, 0]]))
    np.testing.assert_array_equal(graph.result.graph[:4, :4], fast().result.graph)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mvpc": True}, "mvpc=True: missing-value PC is not covered"),
        ({"background_knowledge": BackgroundKnowledge()}, r"background_knowledge=BackgroundKnowledge: .*forbid="),
        ({"indep_test": "kci"}, "indep_test='kci': only partial correlation"),
        ({"stable": False}, "stable=False: only the stable variant"),
        ({"verbose": True}, "verbose=True"),
        ({"verbose": np.zeros(2)}, "verbose=array"),
        ({"background_knowledge": np.zeros(2)}, "background_knowledge=ndarray"),
        ({"indep_test": np.array(["fisherz", "kci"])}, "indep_test=array"),
    ],
)
def test_what_is_not_covered_is_refused_by_name(options, message: str) -> None:
    with pytest.raises(BackendError, match=message):
        fast(**options)


def test_missing_values_are_refused_by_name() -> None:
    x = X.copy()
    x[::3, 1] = np.nan
    with pytest.raises(BackendError, match=r"missing values: .*discover\(method='pc'\)"):
        fast(x)


def test_bad_options_are_named() -> None:
    with pytest.raises(InvalidDataError, match="give tau_max="):
        accelerate(pc)
    with pytest.raises(InvalidDataError, match="tau_max=0"):
        accelerate(pc, tau_max=0)
    with pytest.raises(InvalidDataError, match="engine='tigramite'"):
        accelerate(pc, tau_max=2, engine="tigramite")
    with pytest.raises(InvalidDataError, match="screen='weave': expected a ScreenConfig"):
        accelerate(pc, tau_max=2, screen="weave")
    with pytest.raises(InvalidDataError, match="memory_budget=-1"):
        accelerate(pc, tau_max=2, memory_budget=-1)
    with pytest.raises(TypeError, match="takes no option 'tau_min'"):
        accelerate(pc, tau_max=2, tau_min=1)
    with pytest.raises(InvalidDataError, match="alpha=2"):
        fast(alpha=2)
    with pytest.raises(InvalidDataError, match="max_k=-1"):
        fast(max_k=-1)
