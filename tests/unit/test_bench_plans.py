"""What a benchmark runs: named plans, and cells of other sizes than the registry's."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import load_dataset
from arrow_cd.bench import Cell, plan_cells
from arrow_cd.bench.plans import PLANS, full
from arrow_cd.bench.work import measured
from arrow_cd.datasets import list_datasets
from arrow_cd.errors import InvalidDataError


def test_the_full_plan_has_every_method_on_every_data_set_once():
    cells = full()
    assert len(cells) == len(set(cells))
    for dataset in list_datasets():
        ways = {(cell.method, cell.engine) for cell in cells if cell.dataset == dataset and not cell.vary}
        native = {(method, "native") for method in ("pcmci", "pcmciplus", "granger", "varlingam", "surd")}
        assert ways >= native | {("var", "numpy")}
    curves = {cell.vary.partition("=")[0] for cell in cells if cell.vary}
    assert curves == {"tau_max", "N", "T"}


@pytest.mark.parametrize("name", PLANS)
def test_a_screened_cell_has_its_plain_one_on_the_same_data(name):
    """But where a method can't go without a screen, or takes hours."""
    cells = set(PLANS[name]())
    for cell in cells:
        plain = Cell(cell.dataset, cell.method, cell.engine, "none", cell.repeat, cell.vary)
        assert plain in cells or cell.method in ("surd", "ngc"), str(cell)


def test_a_cell_can_vary_one_size():
    cells = plan_cells(["S5_svar_wide"], vary=["N=6", "T=300", "tau_max=2"], screens=["none"])
    rows = [row for cell in cells for row in measured(cell)]
    assert [(row["N"], row["T"], row["tau_max"]) for row in rows] == [(6, 1000, 3), (100, 300, 3), (100, 1000, 2)]
    assert "N=6" in str(cells[0])


@pytest.mark.parametrize(
    ("dataset", "vary", "message"),
    [
        ("S5_svar_wide", "N", "vary='N': expected tau_max, N, T"),
        ("S5_svar_wide", "N=0", "vary='N=0'"),
        ("S5_svar_wide", "L=3", "vary='L=3'"),
        ("S11_structures", "N=5", "S11_fork has a fixed N; it can vary T"),
        ("S8_lorenz96", "N=30", "S8_lorenz96_20 has a fixed N; it can vary T"),
        ("danube", "T=100", "danube is public data"),
    ],
)
def test_a_size_that_cannot_vary_is_refused_before_anything_runs(dataset, vary, message):
    with pytest.raises(InvalidDataError, match=message):
        plan_cells([dataset], vary=[vary])


def test_load_dataset_takes_sizes_of_synthetic_data_only():
    wide = load_dataset("S5_svar_wide", N=7, T=50, seed=2)
    assert wide.series.values.shape == (50, 7) and wide.truth.graph.shape[:2] == (7, 7)
    np.testing.assert_array_equal(
        load_dataset("S9_henon_chain", N=5).series.values, load_dataset("S9_henon_chain").series.values
    )
    with pytest.raises(InvalidDataError, match="T=3: danube is public data"):
        load_dataset("danube", T=3)
    with pytest.raises(InvalidDataError, match="N=5: S11_v has a fixed N"):
        load_dataset("S11_structures", member="S11_v", N=5)
