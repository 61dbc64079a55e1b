"""The tables of the screening benchmark say what their numbers say."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from arrow_cd.simulate import FAMILIES

sys.path.insert(0, str(Path(__file__).parents[2] / "benches"))
import results_page
import screening_tables


def measurements() -> dict:
    """Two families with links and one without; `weave` is a constant .01 better in one and scattered in the other."""
    base = {"recall_cross": 1.0, "recall_own": 1.0, "candidates": 3.0, "f1_plain": 0.5, "false_fdr": 1, "seconds": 1.0}
    measured = {}
    for family, shifts in (("var", (0.01, 0.01, 0.01)), ("counts", (-0.2, 0.0, 0.35))):
        for seed, shift in enumerate(shifts):
            none = base | {"f1_fdr": 0.7, "tests": 400}
            measured[family, seed] = {"none": none, "weave": base | {"f1_fdr": 0.7 + shift, "tests": 4}}
    for seed in range(3):
        nothing = base | {"f1_fdr": float("nan"), "recall_cross": float("nan"), "tests": 400}
        measured["S12_null", seed] = {"none": nothing, "weave": nothing | {"tests": 400, "false_fdr": 0}}
    return measured


def test_interval_is_students() -> None:
    draws = np.array([0.1, -0.2, 0.05, 0.3])
    mean, low, high = screening_tables.interval(draws)
    expected = stats.ttest_1samp(draws, 0).confidence_interval(0.95)
    assert (mean, low, high) == pytest.approx((draws.mean(), *expected))


def test_report() -> None:
    families = {name: FAMILIES[name] for name in ("var", "counts", "S12_null")}
    text = screening_tables.report(measurements(), families, ["none", "weave"])
    # Tests: 100, 100 and 1 times fewer, geometric mean 21.5; mean F1 .73, .03 above none.
    assert "| weave | 0.730 | 0.500 | +0.030 | 21.5 | 1.0 | counts |" in text
    assert "| var | 3 | +0.010 [+0.010, +0.010] |" in text
    assert "| counts | 3 | **+0.050 [-0.642, +0.742]** |" in text
    assert "| S12_null | 1.00 | 0.00 |" in text


def test_a_section_replaces_itself_alone(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    for name, text in (("A", "one"), ("B", "two"), ("A", "three")):
        results_page.write_section(name, text, page)
    written = page.read_text()
    assert "one" not in written and written.index("three") < written.index("two")
    assert written.count("## A") == written.count("## B") == 1
