"""A writer of spreadsheets, for tests of the reader: the parts that it looks at, and nothing else."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

_SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(path: Path, sheet: str, shared: str | None = None) -> Path:
    """A file of these rows (XML) and, where given, shared texts."""
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet {_SPACE}><sheetData>{sheet}</sheetData></worksheet>")
        if shared is not None:
            book.writestr("xl/sharedStrings.xml", f"<sst {_SPACE}>{shared}</sst>")
    return path


def spreadsheet(path: Path, table: Sequence[Sequence[float | str]]) -> bytes:
    """The bytes of a file that holds a table of at most 26 columns."""
    texts = sorted({cell for row in table for cell in row if isinstance(cell, str)})

    def cell(value: float | str, reference: str) -> str:
        if isinstance(value, str):
            return f'<c r="{reference}" t="s"><v>{texts.index(value)}</v></c>'
        return f'<c r="{reference}"><v>{value!r}</v></c>'

    rows = [
        "".join(cell(value, f"{chr(ord('A') + k)}{number}") for k, value in enumerate(row))
        for number, row in enumerate(table, 1)
    ]
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    return workbook(path, "".join(f"<row>{row}</row>" for row in rows), shared).read_bytes()
