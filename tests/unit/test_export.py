import json

import networkx as nx
import numpy as np
import polars as pl
import pytest

from arrow_cd.errors import InvalidDataError
from arrow_cd.export import FORMATS, read, to_dot, to_graphml, to_json
from arrow_cd.result import MARKS
from results import example

ARRAYS = ("graph", "val_matrix", "p_matrix", "q_matrix", "tested", "status")


def test_json_round_trip_loses_nothing(tmp_path):
    result = example(complete=False)
    back = read(result.write(tmp_path / "result.json"))
    for name, value in vars(result).items():
        if name in ARRAYS:
            np.testing.assert_array_equal(getattr(back, name), value, strict=True)
        else:
            assert getattr(back, name) == value, name


def test_json_has_a_legend_of_every_mark_in_use_and_versions():
    document = json.loads(to_json(example()))
    assert document["legend"]["marks"] == MARKS
    assert {link["mark"] for link in document["links"]} <= set(MARKS)
    assert document["versions"] == {"arrow_cd": "0.1.0"}
    assert document["schema_version"] == 1 and document["complete"] is True


def test_json_has_nulls_where_nothing_was_tested():
    links = json.loads(to_json(example()))["links"]
    (required,) = (link for link in links if link["tau"] == 2 and link["source"] == 'c "quoted"')
    assert required["val"] is required["p"] is required["q"] is None
    assert not any(link["p"] == 1 for link in links)


def test_writing_twice_gives_the_same_bytes():
    assert to_json(example()) == to_json(example())


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_hold_the_links(tmp_path, suffix):
    path = example().write(tmp_path / f"links.{suffix}")
    table = pl.read_csv(path) if suffix == "csv" else pl.read_parquet(path)
    expected = example().links()
    assert table.columns == expected.columns
    assert table["val"].to_list() == expected["val"].to_list()
    assert table["p"].to_list() == expected["p"].to_list()
    assert table["p"].null_count() == 1 and table["p"].is_nan().sum() == 0


def test_graphml_can_be_read_back_with_signs(tmp_path):
    path = example().write(tmp_path / "graph.graphml")
    graph = nx.read_graphml(path, force_multigraph=True)
    assert set(graph) == set(example().var_names)
    assert {e["val"] for e in graph["a"]["b"].values()} == {-0.4, 0.2}
    assert "nan" not in to_graphml(example()).lower()


def test_dot_quotes_names_and_shows_open_directions():
    dot = to_dot(example())
    assert '"a" -> "b" [label="lag 2, -0.4"];' in dot
    assert '"a" -> "b" [label="lag 0, 0.2", dir=none, style=dashed, comment="o-o"];' in dot
    assert r'"c \"quoted\"" -> "b" [label="lag 2"];' in dot
    assert '"d";' in dot


def test_format_overrides_the_suffix(tmp_path):
    path = example().write(tmp_path / "links.txt", "csv")
    assert path.read_text().startswith("source,target,tau,mark,val,p,q\n")


@pytest.mark.parametrize("name", ["graph.xlsx", "graph"])
def test_unknown_suffix_lists_the_formats(tmp_path, name):
    with pytest.raises(InvalidDataError, match=", ".join(FORMATS)):
        example().write(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidDataError, match=r"missing.result\.json: can't be written: No such file"):
        example().write(tmp_path / "missing" / "result.json")


def test_only_json_is_a_whole_result(tmp_path):
    path = example().write(tmp_path / "links.csv")
    with pytest.raises(InvalidDataError, match=r"'csv' is not a whole result; read\(\) takes json"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a result of arrow_cd"),
        ("[1]", "not a result of arrow_cd"),
        ('{"schema_version": 99}', "schema_version 99: this release reads version 1"),
        ('{"schema_version": 1}', "'complete' is missing"),
    ],
)
def test_files_that_are_no_result_are_refused(tmp_path, text, message):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InvalidDataError, match=message):
        read(path)


def _broken(path, change):
    """The example's file with one thing changed."""
    document = json.loads(to_json(example()))
    change(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("value", [None, -1, 5.5], ids=repr)
@pytest.mark.parametrize(
    "key", ["complete", "method", "tau_min", "tau_max", "var_names", "links", "status", "parents", "timings", "notes"]
)
def test_a_field_of_another_kind_is_refused(tmp_path, key, value):
    with pytest.raises(InvalidDataError, match="result"):
        read(_broken(tmp_path / "result.json", lambda document: document.update({key: value})))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("tau", value) for value in (-1, 99, "x", None, True)),
        *(("mark", value) for value in (None, 5, "----")),
        *(("source", value) for value in ([], "nobody")),
        *(("p", value) for value in (5, -0.1, "x")),
        *(("val", value) for value in ("x", float("inf"))),
    ],
)
def test_a_broken_link_is_refused(tmp_path, key, value):
    with pytest.raises(InvalidDataError, match="result"):
        read(_broken(tmp_path / "result.json", lambda document: document["links"][0].update({key: value})))


@pytest.mark.parametrize("text", ["", "{", "[1]", "NaN", "null", "[" * 100_000, "1" * 5000, '{"schema_version": 1}'])
def test_what_is_no_result_is_refused(tmp_path, text):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(InvalidDataError, match="result"):
        read(path)


def test_a_path_with_a_nul_is_refused():
    with pytest.raises(InvalidDataError, match="null byte"):
        read("\0.json")
    with pytest.raises(InvalidDataError, match="null byte"):
        example().write("\0.json")
