"""Where a cell came from, in words a user can act on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """Names rows and cells of one input.

    `lines` holds the 1-based line of the file for every data row; None for data that never were a text file, whose
    rows are counted from 0 as Python does.
    """

    name: str
    lines: NDArray[np.int64] | None = None

    def row(self, row: int) -> str:
        """Where row `row` (0-based) is."""
        if self.lines is None:
            return f"{self.name}, row {row} (counting from 0)"
        return f"{self.name}, line {self.lines[row]} (data row {row + 1})"

    def cell(self, row: int, column: str) -> str:
        """Where the cell of row `row` (0-based) in `column` is."""
        return f"{self.row(row)}, column {column!r}"
