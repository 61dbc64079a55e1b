import numpy as np
import pytest

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from results import empty, example


def rows(frame):
    return {(r["source"], r["target"], r["tau"]): r for r in frame.iter_rows(named=True)}


def test_links_are_those_tested_or_required():
    links = rows(example().links())
    assert set(links) == {
        ("a", "a", 1),
        ("a", "b", 2),
        ("b", "a", 1),
        ('c "quoted"', "a", 0),
        ("a", "b", 0),
        ("b", 'c "quoted"', 0),
        ('c "quoted"', "b", 2),
    }
    assert links[("a", "b", 2)]["val"] == -0.4
    assert links[("b", "a", 1)]["mark"] == ""


def test_a_required_link_has_no_numbers():
    required = rows(example().links())[('c "quoted"', "b", 2)]
    assert required["mark"] == "-->"
    assert required["val"] is required["p"] is required["q"] is None


def test_links_at_lag_0_appear_once_and_keep_their_raw_mark():
    links = rows(example().links().filter(tau=0))
    assert {key[:2]: row["mark"] for key, row in links.items()} == {
        ('c "quoted"', "a"): "-->",
        ("a", "b"): "o-o",
        ("b", 'c "quoted"'): "x-x",
    }


def test_significant_links_are_those_with_a_mark():
    assert ("b", "a", 1) not in rows(example().links(significant_only=True))
    assert (example().links(significant_only=True)["mark"] != "").all()


def test_a_result_without_links_keeps_the_columns_of_the_table():
    table = empty(("a", "b"), 1).links()
    assert table.height == 0
    assert table.schema == example().links().schema


def test_summary_graph_follows_arrows_and_leaves_open_links_open():
    summary = example().summary_graph()
    assert summary[0, 0] and summary[0, 1] and summary[2, 0] and summary[2, 1]
    assert not summary[0, 2]  # only "<--", seen from the other side
    assert summary[1, 2] and summary[1, 0]  # x-x and o-o claim no direction
    assert not summary[3].any() and not summary[:, 3].any()


def test_networkx_graph_has_numbers_only_where_something_was_tested():
    graph = example().to_networkx()
    assert list(graph) == ["a", "b", 'c "quoted"', "d"]
    assert {(e["tau"], e["val"]) for e in graph["a"]["b"].values()} == {(2, -0.4), (0, 0.2)}
    assert graph['c "quoted"']["b"][0] == {"tau": 2, "mark": "-->"} or graph['c "quoted"']["b"][1] == {
        "tau": 2,
        "mark": "-->",
    }
    assert graph.has_edge("b", "a") and not graph.has_edge("a", 'c "quoted"')


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        example().p_matrix[0, 0, 0] = 0


@pytest.mark.parametrize("name", ["val_matrix", "p_matrix", "q_matrix"])
def test_nan_never_gets_in(name):
    array = getattr(example(), name).copy()
    array[0, 1, 2] = np.nan
    with pytest.raises(InvalidDataError, match=rf"{name}\[0, 1, 2\] is not finite"):
        example(**{name: array})


def test_untested_entries_hold_no_evidence():
    p = example().p_matrix.copy()
    p[3, 0, 1] = 0.01
    with pytest.raises(InvalidDataError, match="p_matrix must be 1 wherever nothing was tested"):
        example(p_matrix=p)


def test_status_and_tested_agree():
    status = example().status.copy()
    status[0, 0, 1] = LinkStatus.COLLINEAR
    with pytest.raises(InvalidDataError, match="status must be OK exactly where"):
        example(status=status)


def test_wrong_shape_is_named():
    with pytest.raises(InvalidDataError, match=r"graph: expected shape \(4, 4, 3\).*got \(4, 4, 2\)"):
        example(graph=np.full((4, 4, 2), ""))


def test_repr_is_one_line_that_says_what_was_found():
    assert repr(empty(("a", "b"), 1)).startswith("CausalResult(")
    assert "0 links among 2 series" in repr(empty(("a", "b"), 1))
    assert repr(example(complete=False)).endswith("alpha 0.05, interrupted)")
    assert repr(example(p_matrix=None, q_matrix=None)).endswith("no p-values)")
    assert "\n" not in repr(example())
