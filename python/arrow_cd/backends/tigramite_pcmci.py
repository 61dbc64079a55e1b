"""PCMCI with tigramite's tests: what the native engine does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from arrow_cd.backends.pcmci import PCMCI
from arrow_cd.options import check_common

if TYPE_CHECKING:
    from arrow_cd.backends.base import Outcome, Task


TIGRAMITE_TESTS = ("robust_parcorr", "parcorr_wls", "gpdc", "cmiknn", "cmisymb", "gsquared")
"""Names of the tests; robust_parcorr comes here with test options, else the native engine has it."""


class TigramitePcmci:
    """`discover(method="pcmci", test=...)` for tests and test options that only tigramite has."""

    method = "pcmci"
    tests = TIGRAMITE_TESTS
    tau_min = 1
    rows: Literal["pcmci", "lagged"] = "pcmci"
    missing = True
    defaults: Mapping[str, Any] = MappingProxyType(
        {
            "pc_alpha": 0.2,
            "max_conds_dim": None,
            "max_combinations": 1,
            "max_conds_py": None,
            "max_conds_px": None,
            "test_options": {},
        }
    )
    about = replace(PCMCI, extra="pcmci", compiled=False)

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_common(options)

    def run(self, task: Task) -> Outcome:
        """Run PC1 and MCI; raises BackendNotInstalledError without tigramite."""
        from arrow_cd.tigramite.search import search_pcmci

        return search_pcmci(task)


BACKENDS = (TigramitePcmci(),)
