"""Data sets written as CSV, and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from arrow_cd import InvalidDataError, as_time_series, load_dataset
from arrow_cd.datasets import Dataset, Member, Truth, dataset_info, export_dataset


def dataset(*members: Member) -> Dataset:
    return Dataset("pymicro", dataset_info("pymicro"), members)


def one(data, **options) -> Member:
    series = as_time_series(data, **options)
    return Member("it", series, Truth(series.names, np.eye(series.N, k=1, dtype=bool)))


def test_a_synthetic_set_comes_back(tmp_path: Path) -> None:
    data = load_dataset("S11_structures", seed=4)
    paths = export_dataset(data, tmp_path / "new" / "folder")
    assert [path.name for path in paths[:2]] == ["S11_fork.csv", "S11_fork_truth.csv"] and len(paths) == 8
    for member, table, truth in zip(data.members, paths[::2], paths[1::2], strict=True):
        np.testing.assert_array_equal(as_time_series(table).values, member.series.values)
        found = pl.read_csv(truth)
        assert found.columns == ["source", "tau", "target"] and found.rows() == member.truth.links()


def test_trajectories_time_and_holes_come_back(tmp_path: Path) -> None:
    days = np.arange("2020-01-01", "2020-01-13", dtype="M8[D]")
    frame = pl.DataFrame(
        {
            "day": np.concatenate([days, days + 40]),
            "site": ["a"] * 12 + ["b"] * 12,
            "x": np.arange(24.0),
            "y": [None, *np.linspace(1, 2, 23)],
        }
    )
    member = one(frame, time_column="day", group_by="site")
    table, truth = export_dataset(dataset(member), tmp_path)
    again = as_time_series(table, group_by="data_set", time_column="time")
    assert again.segments == member.series.segments == ((0, 12), (12, 24)) and again.names == ("x", "y")
    np.testing.assert_array_equal(again.values, member.series.values)
    np.testing.assert_array_equal(again.time, member.series.time)
    assert pl.read_csv(truth).rows() == [("x", "y")] and table.read_text().splitlines()[1].endswith(",0.0,")


def test_a_truth_without_links_keeps_its_header(tmp_path: Path) -> None:
    series = as_time_series(np.random.default_rng(0).normal(size=(20, 2)))
    member = Member("none", series, Truth(series.names, np.zeros((2, 2, 3), dtype=bool)))
    assert export_dataset(dataset(member), tmp_path)[1].read_text() == "source,tau,target\n"


def test_a_series_named_as_an_added_column_is_refused(tmp_path: Path) -> None:
    parts = [np.random.default_rng(k).normal(size=(20, 2)) for k in range(2)]
    with pytest.raises(InvalidDataError, match="a series is called 'data_set', as the column that export adds"):
        export_dataset(dataset(one(parts, names=["data_set", "b"])), tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidDataError, match=r"file/folder: can't write there \(Not a directory\)"):
        export_dataset(load_dataset("S11_structures"), tmp_path / "file" / "folder")
