"""The readers of R's data files and of spreadsheets, on files made here."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from pathlib import Path

import numpy as np
import pytest

from arrow_cd import InvalidDataError
from arrow_cd.datasets.rda import read_rda
from arrow_cd.datasets.xlsx import read_xlsx
from rda_writer import NIL, Attributed, matrix, named_list, save
from xlsx_writer import workbook

TABLE = np.array([[1.5, -2.0, np.nan], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("version", [2, 3])
def test_rda_of_every_compression_and_version(tmp_path: Path, pack, version: int) -> None:
    path = tmp_path / "table.rda"
    path.write_bytes(pack(save(version, table=matrix(TABLE))))
    found = read_rda(path)
    assert list(found) == ["table"]
    np.testing.assert_array_equal(found["table"].array(), TABLE)


def test_rda_of_nested_lists_text_and_series(tmp_path: Path) -> None:
    path = tmp_path / "all.rda"
    inner = matrix(TABLE, dimnames=[["monday", "Žofín"], None])
    months = Attributed(np.array([0.1, 0.2]), tsp=np.array([1950.0, 1950 + 1 / 12, 12.0]), **{"class": ["ts"]})
    # Names seen before are written as references, "dim" and "names" here.
    path.write_bytes(save(outer=named_list(one=inner, two=named_list(three=matrix(TABLE))), months=months))
    found = read_rda(path)
    parts = found["outer"].items()
    assert list(parts) == ["one", "two"]
    assert parts["one"].attributes["dimnames"].value[0].value == ["monday", "Žofín"]
    np.testing.assert_array_equal(parts["two"].items()["three"].array(), TABLE)
    assert found["months"].attributes["class"].value == ["ts"]
    assert found["months"].attributes["tsp"].value[2] == 12.0


def test_rda_whole_numbers_that_are_missing_become_nan(tmp_path: Path) -> None:
    path = tmp_path / "counts.rda"
    path.write_bytes(save(counts=np.array([3, -(2**31), 5])))
    np.testing.assert_array_equal(read_rda(path)["counts"].array(), [3.0, np.nan, 5.0])


def test_rda_missing_text_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "text.rda"
    missing = struct.pack(">ii", 9, -1)
    content = save(text=["a", "b"])
    path.write_bytes(content[: -len(NIL) - 9] + missing + NIL)
    assert read_rda(path)["text"].value == ["a", ""]


def test_rda_refuses_what_it_is_not_made_for(tmp_path: Path) -> None:
    path = tmp_path / "other.rda"
    path.write_bytes(b"RDA2\nA\n2\n")
    with pytest.raises(InvalidDataError, match=r"other.rda: not a binary R data file"):
        read_rda(path)
    function = save(f=np.array([1]))
    path.write_bytes(function.replace(struct.pack(">ii", 13, 1), struct.pack(">ii", 3, 1)))
    with pytest.raises(InvalidDataError, match=r"other.rda: an object of kind 3 at byte \d+"):
        read_rda(path)


def test_xlsx_cells_lie_where_their_references_say(tmp_path: Path) -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="AB1"><v>2.5</v></c></row>'
        '<row r="2"><c r="B2"><v>-1e3</v></c><c r="C2"/></row>'
    )
    shared = "<si><t>other</t></si><si><r><t>ser</t></r><r><t>vice</t></r></si>"
    found = read_xlsx(workbook(tmp_path / "cells.xlsx", rows, shared))
    assert [len(row) for row in found] == [28, 28]
    assert found[0][0] == "service" and found[0][27] == 2.5 and found[0][1:27] == [None] * 26
    assert found[1][:3] == [None, -1000.0, None]


def test_xlsx_refuses_what_it_is_not_made_for(tmp_path: Path) -> None:
    path = tmp_path / "no.xlsx"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidDataError, match=r"no.xlsx: not a spreadsheet"):
        read_xlsx(path)
    with pytest.raises(InvalidDataError, match=r"flag.xlsx: cell B1 is of type 'b'; expected a number or text"):
        read_xlsx(workbook(tmp_path / "flag.xlsx", '<row r="1"><c r="B1" t="b"><v>1</v></c></row>'))
