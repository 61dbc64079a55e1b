"""The exactness benchmark asks what it says it asks, and sees a difference when there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benches"))
pytest.importorskip("threadpoolctl")

import exactness
import exactness_cases


def test_cases_cover_all_methods_rows_and_data_within_the_bounds() -> None:
    cases = [exactness_cases.make_case(seed) for seed in range(200)]
    assert {case.method for case in cases} == set(exactness_cases.METHODS)
    assert {case.rows for case in cases} == set(exactness_cases.ROWS)
    assert {case.data for case in cases} == set(exactness_cases.DATA)
    sizes = np.array([case.size for case in cases])
    assert (sizes.min(axis=0) >= (2, 60, 1)).all() and (sizes.max(axis=0) <= (20, 2000, 20)).all()
    assert str(cases[3]) == str(exactness_cases.make_case(3))


@pytest.mark.parametrize("seed", [0, 6, 12])
def test_a_system_is_compared(seed: int) -> None:
    found = exactness.compare(exactness_cases.make_case(seed, 8))
    assert found.passed and found.tests > 0
    assert "| run_" in exactness.systems_section([found])


@pytest.mark.parametrize(
    ("key", "change", "flag"),
    [
        ("p_matrix", 1e-9, "dp"),
        ("val_matrix", 1e-9, "dval"),
        ("graph", "x-x", "graph"),
        ("p_matrix", np.nan, "dp"),
        ("conf_matrix", 0, "keys"),
    ],
)
def test_a_difference_is_seen(key: str, change: Any, flag: str) -> None:
    shape = (2, 2, 2)
    expected: dict[str, Any] = {"p_matrix": np.full(shape, 0.5), "val_matrix": np.zeros(shape), "conf_matrix": None}
    expected["graph"] = np.full(shape, "-->")
    got = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in expected.items()}
    case = exactness_cases.make_case(0, 8)
    found = exactness.Compared(case)
    exactness._compare_results(found, expected, got)
    assert found.passed
    if key == "conf_matrix":
        got[key] = change
    else:
        got[key][0, 1, 1] = got[key][0, 1, 1] + change if key != "graph" else change
    exactness._compare_results(found, expected, got)
    assert not found.passed
    assert not getattr(found, flag) if flag in ("graph", "keys") else getattr(found, flag) > 1e-10


def test_tails_are_compared_with_mpmath() -> None:
    text, worst = exactness.tails_section(3)
    assert worst < exactness.TAIL and "as wanted" in text
