"""tigramite's ParCorr with tests that read one lagged correlation matrix."""

from __future__ import annotations

from tigramite.independence_tests.parcorr import ParCorr as _ParCorr

from arrow_cd.tigramite.fast_tests import FastTests

__all__ = ["ParCorr"]


class ParCorr(FastTests, _ParCorr):  # type: ignore[misc]
    """Partial correlation test: tigramite's ParCorr, equal to ten digits, fast.

    It goes wherever tigramite's own goes, with the same arguments: PCMCI, PCMCI+, LPCMCI, J-PCMCI+, RPCMCI, bootstrap
    and sliding windows. Tests that share their rows read one lagged correlation matrix.

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

    Examples
    --------
    >>> from arrow_cd.tigramite import ParCorr  # doctest: +SKIP
    >>> pcmci = PCMCI(dataframe, ParCorr())  # doctest: +SKIP
    """

    _normal_scores = False
