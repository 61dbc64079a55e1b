"""Spreadsheets (``.xlsx``): the cells of the first sheet, nothing more."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from arrow_cd.errors import InvalidDataError

_NS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Cell = float | str | None


def read_xlsx(path: Path) -> list[list[Cell]]:
    """Rows of the sheet that the file stores first, all as long as the longest one.

    Numbers are float, text is str, empty cells are None.

    Raises
    ------
    InvalidDataError
        If the file is no spreadsheet, or a cell is neither a number nor text.
    """
    try:
        with zipfile.ZipFile(path) as book:
            sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
            names = book.namelist()
            shared = ElementTree.fromstring(book.read(_SHARED)) if _SHARED in names else ElementTree.Element("none")
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise InvalidDataError(f"{path.name}: not a spreadsheet ({error})") from error
    texts = ["".join(part.text or "" for part in item.iter(f"{_NS}t")) for item in shared.iter(f"{_NS}si")]
    rows = [_row(row, texts, path.name) for row in sheet.iter(f"{_NS}row")]
    width = max((max(row, default=-1) for row in rows), default=-1) + 1
    return [[row.get(column) for column in range(width)] for row in rows]


_SHARED = "xl/sharedStrings.xml"


def _row(row: ElementTree.Element, texts: list[str], name: str) -> dict[int, Cell]:
    """Cells by column; empty ones needn't be there."""
    return {_column(cell.get("r", "")): _value(cell, texts, name) for cell in row.iter(f"{_NS}c")}


def _column(reference: str) -> int:
    """Column number, from 0, of a reference such as AB12."""
    number = 0
    for letter in re.sub(r"\d", "", reference):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _value(cell: ElementTree.Element, texts: list[str], name: str) -> Cell:
    kind, value = cell.get("t", "n"), cell.findtext(f"{_NS}v")
    if value is None:
        return None
    if kind == "s":
        return texts[int(value)]
    if kind == "n":
        return float(value)
    raise InvalidDataError(f"{name}: cell {cell.get('r')} is of type {kind!r}; expected a number or text")
