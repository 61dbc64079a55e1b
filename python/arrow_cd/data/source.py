"""Where a cell came from, in words a user can act on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """Names rows and cells of one input, or of the part of it that became a data set.

    `lines` holds the 1-based line of the file for every data row of the input; None for data that never were a text
    file, whose rows are counted from 0 as Python does. `rows` are the input's rows that a part consists of.
    """

    name: str
    lines: NDArray[np.int64] | None = None
    rows: NDArray[np.intp] | None = None

    def part(self, rows: NDArray[np.intp], label: str = "") -> Source:
        """The source of some rows (0-based, in this source)."""
        return Source(self.name + label, self.lines, rows if self.rows is None else self.rows[rows])

    def row(self, row: int) -> str:
        """Where row `row` (0-based) is."""
        at = row if self.rows is None else int(self.rows[row])
        if self.lines is None:
            return f"{self.name}, row {at} (counting from 0)"
        return f"{self.name}, line {self.lines[at]} (data row {at + 1})"

    def cell(self, row: int, column: str) -> str:
        """Where the cell of row `row` (0-based) in `column` is."""
        return f"{self.row(row)}, column {column!r}"
