"""tigramite's partial correlation tests, replaced by the drop-in ones while tigramite's own code runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tigramite.independence_tests import parcorr, robust_parcorr

from arrow_cd.tigramite.fast_tests import FastTests
from arrow_cd.tigramite.parcorr import ParCorr
from arrow_cd.tigramite.robust_parcorr import RobustParCorr

if TYPE_CHECKING:
    from arrow_cd.tigramite.pcmci import AcceleratedPCMCI

NORMAL_SCORES = {parcorr.ParCorr: False, ParCorr: False, robust_parcorr.RobustParCorr: True, RobustParCorr: True}
"""The classes whose tests are those of the compiled core, and whether they look at normal scores."""

_DROP_INS: dict[type, type[FastTests]] = {parcorr.ParCorr: ParCorr, robust_parcorr.RobustParCorr: RobustParCorr}


@contextmanager
def drop_in(pcmci: AcceleratedPCMCI) -> Iterator[FastTests | None]:
    """Give an object the drop-in form of its test inside the block, if there is one.

    The stand-in has the options of the object's own test, and shares its caches and random state.

    Yields
    ------
    FastTests or None
        The test that runs, with counts that start at 0; None if the object's own does.
    """
    own = pcmci.cond_ind_test
    kind = _DROP_INS.get(type(own), type(own) if isinstance(own, FastTests) else None)
    if kind is None:
        yield None
        return
    test = kind()
    test.__dict__.update({**vars(own), "fast_tests": 0, "slow_tests": 0})
    if pcmci.settings.memory_budget is not None:
        test.memory_budget = pcmci.settings.memory_budget
    pcmci.cond_ind_test = test
    try:
        yield test
    finally:
        pcmci.cond_ind_test = own


def answered(test: FastTests | None) -> str | None:
    """Return how many calls of a drop-in test were fast, as a part of a reason; None if none was."""
    if test is None or not test.fast_tests:
        return None
    return f"drop-in tests answered {test.fast_tests} of {test.fast_tests + test.slow_tests} calls from one matrix"
