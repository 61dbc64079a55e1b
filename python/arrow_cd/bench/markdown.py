"""Markdown tables, and sections of a page that are written by a command."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from arrow_cd.errors import InvalidDataError

ENDED = "ended"
"""In place of a number: the run failed or took longer than it may."""

_NUMBER = re.compile(rf"(\*\*)?[-+<>]?[\d.]|{ENDED}$")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns of numbers to the right."""
    rules = ["---:" if number else "---" for number in numeric_columns(rows, len(header))]
    lines = [header, rules, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def numeric_columns(rows: Sequence[Sequence[str]], width: int) -> list[bool]:
    """Tell which columns hold numbers only, empty cells aside."""
    columns = ([row[k] for row in rows if row[k]] for k in range(width))
    return [all(_NUMBER.match(cell) for cell in column) for column in columns]


def number(value: float | None, form: str = ".3g") -> str:
    """Return a number as text; a thousand or more without decimals, nothing for what is unknown."""
    if value is None or not math.isfinite(value):
        return ""
    if form == ".3g" and abs(value) >= 999.5:
        return f"{value:,.0f}"
    return f"{value:{form}}"


def replace_section(page: Path, name: str, text: str, head: str = "") -> None:
    """Put `text` between the markers ``<!-- begin NAME -->`` and ``<!-- end NAME -->`` of a page.

    What stood between them goes; the rest stays. A page without the markers gets them at its end, a page that doesn't
    exist begins with `head`.

    Raises
    ------
    InvalidDataError
        The page has the first marker without the second behind it.
    """
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    old = page.read_text(encoding="utf-8") if page.exists() else head
    section = f"{begin}\n{text.strip()}\n{end}"
    if begin in old:
        before, rest = old.split(begin, 1)
        if end not in rest:
            raise InvalidDataError(f"{page}: no {end} after {begin}")
        new = before + section + rest.split(end, 1)[1]
    else:
        new = f"{old.rstrip()}\n\n{section}\n".lstrip()
    page.write_text(new, encoding="utf-8", newline="\n")
