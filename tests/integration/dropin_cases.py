"""Original and drop-in side by side, and what a test object lets its callers see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr as TigramiteParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr as TigramiteRobustParCorr

from arrow_cd.tigramite import ParCorr, RobustParCorr

Values = NDArray[np.float64]

PAIRS = [(TigramiteParCorr, ParCorr), (TigramiteRobustParCorr, RobustParCorr)]
TOLERANCE = 1e-10


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
