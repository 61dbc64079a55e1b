"""Median microseconds a test of tigramite's ParCorr and RobustParCorr and of the drop-in tests.

python benches/dropin.py [--N 20] [--T 1000] [--tau-max 10] [--tests 300]
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version
from typing import Any

import numpy as np
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr as TigramiteParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr as TigramiteRobustParCorr

from arrow_cd.simulate import sparse_var
from arrow_cd.tigramite import ParCorr, RobustParCorr

Question = tuple[list[tuple[int, int]], ...]


def questions(rng: np.random.Generator, n: int, tau_max: int, count: int) -> list[Question]:
    """Random X, Y and up to eight conditions; no question comes twice."""
    asked: dict[str, Question] = {}
    while len(asked) < count:
        drawn = {(int(rng.integers(n)), -int(rng.integers(1, tau_max + 1))) for _ in range(rng.integers(1, 10))}
        x, *z = drawn
        question = ([x], [(int(rng.integers(n)), 0)], z)
        asked[repr(question)] = question
    return list(asked.values())


def microseconds(test: Any, frame: DataFrame, asked: list[Question], tau_max: int) -> tuple[float, float]:
    """Time of the first test, and median time of the others."""
    test.set_dataframe(frame)
    times = []
    for question in asked:
        start = time.perf_counter()
        test.run_test(*question, tau_max=tau_max)
        times.append((time.perf_counter() - start) * 1e6)
    return times[0], float(np.median(times[1:]))


def main() -> None:
    """Print one line a test class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"N": 20, "T": 1000, "tau-max": 10, "tests": 300}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    frame = DataFrame(sparse_var(0, N=options.N, T=options.T, L=5).values)
    asked = questions(np.random.default_rng(0), options.N, options.tau_max, options.tests)
    print(f"{vars(options)}, numpy {version('numpy')}, scipy {version('scipy')}, tigramite {version('tigramite')}")
    print(f"{'test':<14}{'tigramite':>12}{'drop-in':>12}{'ratio':>8}{'first drop-in':>16}   (microseconds)")
    for original, dropin in [(TigramiteParCorr(), ParCorr()), (TigramiteRobustParCorr(), RobustParCorr())]:
        _, slow = microseconds(original, frame, asked, options.tau_max)
        first, fast = microseconds(dropin, frame, asked, options.tau_max)
        print(f"{type(dropin).__name__:<14}{slow:>12.0f}{fast:>12.1f}{slow / fast:>8.0f}{first:>16.0f}")


if __name__ == "__main__":
    main()
