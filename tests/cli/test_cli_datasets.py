"""`arrow-cd datasets`, without a network."""

import hashlib
import json

import polars as pl
import pytest

from arrow_cd.datasets import dataset_info, list_datasets
from shared_data import HOME, shared


@pytest.fixture
def datasets(invoke):
    return lambda *arguments: invoke("datasets", *arguments)


def test_list_has_a_row_for_every_data_set(datasets):
    rows = json.loads(datasets("list", "--format", "json").stdout)
    assert [row["name"] for row in rows] == list(list_datasets())
    found = next(row for row in rows if row["name"] == "dream4")
    assert (found["T"], found["N"], found["members"], found["truth"]) == ("105-210", "10-100", 6, "summary")


def test_show_names_licence_citation_members_and_files(datasets):
    info = dataset_info("dream4")
    shown = datasets("show", "dream4").stdout
    for text in (info.about, info.licence, info.citation, info.orientation, "size10_1: 105 x 10 in 5 data sets"):
        assert text in shown
    assert all(file.url in shown and file.sha256 in shown for file in info.files)
    assert "CO2 after about 3 samples" in datasets("show", "known_lag_pairs").stdout


def test_fetch_checks_what_a_mirror_holds(datasets, monkeypatch, tmp_path):
    monkeypatch.setenv("ARROW_CD_DATA", str(tmp_path))
    result = datasets("fetch", "danube")
    assert result.exit_code == 1 and result.stderr.startswith("error: danube/danube.rda is not in ")
    (tmp_path / "danube").mkdir()
    (tmp_path / "danube" / "danube.rda").write_bytes(b"something else")
    found = hashlib.sha256(b"something else").hexdigest()
    assert f"is not the expected file: sha256 {found}" in datasets("fetch", "danube").stderr


def test_fetch_prints_the_paths(datasets, monkeypatch):
    shared("PROVENANCE.tsv")
    monkeypatch.setenv("ARROW_CD_DATA", str(HOME))
    result = datasets("fetch", "pymicro", "S12_null")
    assert result.stdout.splitlines() == [str(HOME / file.name) for file in dataset_info("pymicro").files]
    assert result.stderr.splitlines() == ["pymicro: 2 files checked", "S12_null: generated, there is nothing to fetch"]


@pytest.mark.parametrize("arguments", [(), ("--all", "danube")])
def test_fetch_wants_names_or_all(datasets, arguments):
    result = datasets("fetch", *arguments)
    assert result.exit_code == 2 and "either names of data sets or --all" in result.stderr


def test_export_writes_a_table_and_its_links(datasets, tmp_path):
    result = datasets("export", "S11_structures", tmp_path, "--member", "S11_v", "--seed", 2)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [str(tmp_path / "S11_v.csv"), str(tmp_path / "S11_v_truth.csv")]
    assert pl.read_csv(tmp_path / "S11_v.csv").shape == (1000, 3)
    assert pl.read_csv(tmp_path / "S11_v_truth.csv")["target"].to_list() == ["X2", "X2"]


def test_an_exported_table_can_be_searched(datasets, discover, tmp_path):
    datasets("export", "S11_structures", tmp_path, "--member", "S11_fork")
    assert discover("--format", "csv", data=tmp_path / "S11_fork.csv").exit_code == 0


def test_mistakes_are_one_line(datasets, tmp_path):
    for arguments, message in [
        (("show", "nothing"), "no data set is called 'nothing'"),
        (("export", "S12_null", tmp_path, "--member", "x"), "S12_null has no member 'x'"),
        (("export", "danube", tmp_path, "--seed", 1), "danube is public data"),
    ]:
        result = datasets(*arguments)
        assert result.exit_code == 1 and len(result.stderr.splitlines()) == 1 and message in result.stderr
