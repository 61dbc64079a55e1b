"""The committed sample is what its script writes, and what its README says."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import polars as pl
import pytest

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def river() -> pl.DataFrame:
    return pl.read_csv(DATASETS / "river.csv")


def test_script_writes_the_committed_files(tmp_path: Path) -> None:
    runpy.run_path(str(DATASETS / "make_sample.py"))["write"](tmp_path)
    for name in ("river.csv", "river_truth.csv"):
        assert (tmp_path / name).read_bytes() == (DATASETS / name).read_bytes()


def test_shape_and_time(river: pl.DataFrame) -> None:
    assert river.columns == ["time", "rain", "soil", "upper", "dam", "lower", "mouth"]
    hours = river["time"].str.to_datetime()
    assert river.height == 3000 and hours.diff().drop_nulls().n_unique() == 1
    assert river.null_count().sum_horizontal().item() == 0


def test_upper_is_hidden_from_lower_until_the_dam_is_given(river: pl.DataFrame) -> None:
    upper, dam, lower = (river[name].to_numpy() for name in ("upper", "dam", "lower"))
    for lag in range(1, 11):
        assert abs(np.corrcoef(upper[:-lag], lower[lag:])[0, 1]) < 0.1
    design = np.column_stack([upper[:-3], dam[1:-2], lower[2:-1], np.ones(len(upper) - 3)])
    weights, *_ = np.linalg.lstsq(design, lower[3:], rcond=None)
    assert weights[:3] == pytest.approx([0.48 * 8 / 9, 0.6 * 8 / 5, 0.5], abs=0.06)


def test_every_true_link_is_significant_and_nothing_else_stands_out(river: pl.DataFrame) -> None:
    names = river.columns[1:]
    x = river.select(names).to_numpy()
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    L = 5
    design = np.column_stack([z[L - tau : len(z) - tau] for tau in range(1, L + 1)])
    beta, *_ = np.linalg.lstsq(design, z[L:], rcond=None)
    sd = np.sqrt(((z[L:] - design @ beta) ** 2).sum(axis=0) / (len(design) - design.shape[1]))
    t = np.abs(beta) / np.sqrt(np.diag(np.linalg.inv(design.T @ design)))[:, None] / sd
    t = t.reshape(L, len(names), len(names))  # [tau - 1, source, target]
    truth = np.zeros_like(t, dtype=bool)
    for source, target, tau in pl.read_csv(DATASETS / "river_truth.csv").iter_rows():
        truth[tau - 1, names.index(source), names.index(target)] = True
    assert t[truth].min() > 6 and t[~truth].max() < 4
