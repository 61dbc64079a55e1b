"""Median microseconds a test of tigramite's ParCorr and RobustParCorr and of the drop-in tests, into RESULTS.md."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr as TigramiteParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr as TigramiteRobustParCorr

from arrow_cd.simulate import sparse_var
from arrow_cd.tigramite import ParCorr, RobustParCorr
from results_page import provenance, table, write_section

N, T, TAU_MAX, TESTS = 20, 1000, 10, 300

Question = tuple[list[tuple[int, int]], ...]


def questions(rng: np.random.Generator) -> list[Question]:
    """Random X, Y and up to eight conditions; no question comes twice."""
    asked: dict[str, Question] = {}
    while len(asked) < TESTS:
        drawn = {(int(rng.integers(N)), -int(rng.integers(1, TAU_MAX + 1))) for _ in range(rng.integers(1, 10))}
        x, *z = drawn
        question = ([x], [(int(rng.integers(N)), 0)], z)
        asked[repr(question)] = question
    return list(asked.values())


def microseconds(test: Any, frame: DataFrame, asked: list[Question]) -> tuple[float, float]:
    """Time of the first test, and median time of the others."""
    test.set_dataframe(frame)
    times = []
    for question in asked:
        start = time.perf_counter()
        test.run_test(*question, tau_max=TAU_MAX)
        times.append((time.perf_counter() - start) * 1e6)
    return times[0], float(np.median(times[1:]))


def main() -> None:
    """Time both classes of both kinds on the same questions."""
    frame = DataFrame(sparse_var(0, N=N, T=T, L=5).values)
    asked = questions(np.random.default_rng(0))
    rows = []
    for original, dropin in [(TigramiteParCorr(), ParCorr()), (TigramiteRobustParCorr(), RobustParCorr())]:
        _, slow = microseconds(original, frame, asked)
        first, fast = microseconds(dropin, frame, asked)
        rows.append([type(dropin).__name__, f"{slow:,.0f}", f"{fast:.1f}", f"{slow / fast:,.0f}", f"{first:,.0f}"])
    setting = (
        f"N = {N}, T = {T:,}, tau_max = {TAU_MAX}, {TESTS} random tests with up to eight conditions; microseconds."
    )
    header = ["test", "tigramite, median", "drop-in, median", "ratio", "drop-in, first test with the matrix"]
    text = "\n".join([provenance("scipy", "tigramite"), setting, "", table(header, rows)])
    print(text)
    write_section("Drop-in tests", text)


if __name__ == "__main__":
    main()
