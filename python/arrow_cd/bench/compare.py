"""Whether two runs of the same cells found the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arrow_cd.bench.cells import Cell
from arrow_cd.bench.runner import cell_of, records_of

FREE = ("wall", "cpu", "peak", "commit")
"""What may differ from one run to the next."""


def differences(first: str | Path, second: str | Path) -> list[str]:
    """Return a line for every row of one run that the other hasn't, and for every value that isn't the same.

    Times, memory and the commit are left out. Cells that ran out of time in either run are lines too: how far they
    came is up to the machine.

    Raises
    ------
    InvalidDataError
        A folder holds no run.
    """
    one, other = _rows(first), _rows(second)
    lines = []
    for cell, member in {**one, **other}:
        name = f"{cell}{member and f', member {member}'}"
        if (cell, member) not in one or (cell, member) not in other:
            lines.append(f"{name}: only in {first if (cell, member) in one else second}")
            continue
        left, right = one[cell, member], other[cell, member]
        lines += [
            f"{name}: {field} {left.get(field)} and {right.get(field)}"
            for field in {**left, **right}
            if field not in FREE and left.get(field) != right.get(field)
        ]
    return lines


def _rows(folder: str | Path) -> dict[tuple[Cell, str], dict[str, Any]]:
    return {(cell_of(row), row.get("member", "")): row for row in records_of(folder)}
