"""Original and drop-in side by side, and what a test object lets its callers see."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr as TigramiteParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr as TigramiteRobustParCorr

from arrow_cd.tigramite import ParCorr, RobustParCorr

Values = NDArray[np.float64]

PAIRS = [(TigramiteParCorr, ParCorr), (TigramiteRobustParCorr, RobustParCorr)]
TOLERANCE = 1e-10

Pair = tuple[type, type]
CUT_OFFS = ["2xtau_max", "tau_max", "max_lag", "max_lag_or_tau_max", "2xtau_max_future"]
NODES = st.tuples(st.integers(0, 3), st.integers(-4, 0))
X, Y, Z = [(0, -1)], [(1, 0)], [(2, -1), (1, -1)]


def both(pair: tuple[type, type], frame: DataFrame, **options: Any) -> tuple[Any, Any]:
    """The original and the drop-in, on one frame."""
    tests = tuple(kind(**options) for kind in pair)
    for test in tests:
        test.set_dataframe(frame)
    return tests


def same(expected: Any, got: Any) -> bool:
    """Equal structure and equal types of the leaves; numbers to ten digits, NaN equal to NaN."""
    if isinstance(expected, dict):
        return list(expected) == list(got) and all(same(expected[key], got[key]) for key in expected)
    if isinstance(expected, (tuple, list)):
        return len(expected) == len(got) and all(map(same, expected, got))
    if isinstance(expected, (float, np.ndarray)) and np.asarray(expected).dtype.kind == "f":
        return type(expected) is type(got) and np.allclose(expected, got, rtol=0, atol=TOLERANCE, equal_nan=True)
    return type(expected) is type(got) and np.array_equal(expected, got)


def assert_same_tests(original: Any, dropin: Any) -> None:
    """Every test both ran, in the order in which they ran, with its numbers and its decision."""
    assert list(original.ci_results) == list(dropin.ci_results)
    assert same(original.ci_results, dropin.ci_results)


def system(seed: int, T: int = 90, n: int = 4) -> Values:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((T, n))
    for t in range(1, T):
        x[t] += 0.5 * np.roll(x[t - 1], 1)
    return x


def outcome(test: Any, **question: Any) -> Any:
    """What the test returns, or what it raises."""
    try:
        return test.run_test(**question)
    except Exception as error:
        return type(error), str(error)
