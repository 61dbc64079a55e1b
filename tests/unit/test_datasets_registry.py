"""What the registry says, as far as it can be checked without the files."""

from __future__ import annotations

import csv
import re

import pytest

from arrow_cd import InvalidDataError, list_datasets
from arrow_cd.datasets import dataset_info, load_dataset
from arrow_cd.datasets.readers import READERS
from arrow_cd.simulate import FAMILIES
from shared_data import shared

INFOS = [dataset_info(name) for name in list_datasets()]
SYNTHETIC = [info for info in INFOS if info.kind == "synthetic"]
PUBLIC = [info for info in INFOS if info.kind != "synthetic"]


def test_twelve_families_and_thirteen_public_sets() -> None:
    assert [info.name.split("_")[0] for info in SYNTHETIC] == [f"S{k}" for k in range(1, 13)]
    assert len(PUBLIC) == 13 and {info.kind for info in PUBLIC} == {"real", "simulated"}
    assert len({info.name for info in INFOS}) == 25


def test_every_public_set_has_a_reader_and_files() -> None:
    assert [info.name for info in PUBLIC] == list(READERS)
    assert all(info.files for info in PUBLIC) and not any(info.files for info in SYNTHETIC)


def test_every_family_s1_to_s12_is_a_member_once_and_searched_as_it_asks() -> None:
    members = {member.name: info for info in SYNTHETIC for member in info.members}
    assert sorted(members) == sorted(name for name in FAMILIES if re.match(r"S\d", name))
    assert all(FAMILIES[name].tau_max == info.tau_max for name, info in members.items())


@pytest.mark.parametrize("info", PUBLIC, ids=lambda info: info.name)
def test_sources_are_pinned(info) -> None:
    for file in info.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and re.fullmatch(r"[0-9a-f]{40}", file.commit)
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", file.repository) and file.size > 0
        assert file.url == f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{file.path}"
        assert ".." not in file.name and not file.name.startswith("/")
    assert len({file.name for file in info.files}) == len(info.files)


@pytest.mark.parametrize("info", INFOS, ids=lambda info: info.name)
def test_rows_are_complete(info) -> None:
    assert info.truth in ("lagged", "summary") and info.tau_max >= 1
    assert all((info.about, info.sampling, info.orientation, info.licence, info.citation))
    names = [member.name for member in info.members]
    assert len(set(names)) == len(names) > 0
    # Searches start 2 tau_max into every data set: some rows must be left.
    assert all(member.T // member.sets > 2 * info.tau_max for member in info.members)


def test_files_are_those_whose_provenance_was_recorded() -> None:
    with shared("PROVENANCE.tsv").open() as lines:
        rows = {row["file"]: row for row in csv.DictReader(lines, delimiter="\t")}
    for file in (file for info in PUBLIC for file in info.files):
        row = rows[file.name]
        assert (file.repository, file.commit, file.path) == (row["repository"], row["commit"], row["path"])
        assert (file.size, file.sha256) == (int(row["bytes"]), row["sha256"])


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidDataError, match=r"no data set is called 'Danube'; there are S1_linear_const, .*danube"):
        load_dataset("Danube")


@pytest.mark.parametrize("name", ["S11_structures", "dream4"])
def test_an_unknown_member_is_refused_before_anything_is_read(name: str, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("ARROW_CD_DATA", str(tmp_path))
    with pytest.raises(InvalidDataError, match=f"{name} has no member 'fork'; its members are "):
        load_dataset(name, member="fork")
