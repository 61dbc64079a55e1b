"""The benchmark: data sets with known graphs, every family of methods, with and without a screen.

`arrow-cd bench` is its command line. `run_benchmark` runs cells, each in a process of its own with a time and memory
limit, and appends what they measured to a folder; `report` makes tables and a page of such a folder.
"""

from __future__ import annotations

from arrow_cd.bench.cells import Cell, plan_cells
from arrow_cd.bench.runner import run_benchmark

__all__ = ["Cell", "plan_cells", "run_benchmark"]
