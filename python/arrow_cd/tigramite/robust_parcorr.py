"""tigramite's RobustParCorr with tests that read one matrix of lagged normal-score correlations."""

from __future__ import annotations

from tigramite.independence_tests.robust_parcorr import RobustParCorr as _RobustParCorr

from arrow_cd.tigramite.fast_tests import FastTests

__all__ = ["RobustParCorr"]


class RobustParCorr(FastTests, _RobustParCorr):  # type: ignore[misc]
    """Partial correlation of normal scores: tigramite's RobustParCorr, equal to ten digits, fast.

    tigramite ranks each variable on the rows of each test. Tests that share their rows therefore share the scores, and
    with them one matrix.

    Parameters
    ----------
    **kwargs
        Arguments of tigramite's class: `significance`, `mask_type`, `confidence`, `verbosity`, ...

    Attributes
    ----------
    fast_tests, slow_tests : int
        Calls answered from the matrix, and calls that ran in tigramite's own code.
    memory_budget : int
        Bytes that matrices may take, 1 GiB unless set.
    """

    _normal_scores = True
