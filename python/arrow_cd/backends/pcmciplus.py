"""PCMCI+: lagged and contemporaneous links, through tigramite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from arrow_cd.backends.tigramite_pcmci import check_common
from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    from arrow_cd.backends.base import Outcome, Task

_COLLIDER_RULES = ("majority", "conservative", "none")


class PcmciPlus:
    """`discover(method="pcmciplus")`."""

    method = "pcmciplus"
    tests = ("parcorr", "robust_parcorr", "parcorr_wls", "gpdc", "cmiknn", "cmisymb", "gsquared")
    tau_min = 0
    rows: Literal["pcmci", "lagged"] = "pcmci"
    missing = True
    defaults: Mapping[str, Any] = MappingProxyType(
        {
            "pc_alpha": 0.01,
            "contemp_collider_rule": "majority",
            "conflict_resolution": True,
            "reset_lagged_links": False,
            "max_conds_dim": None,
            "max_combinations": 1,
            "max_conds_py": None,
            "max_conds_px": None,
            "max_conds_px_lagged": None,
            "test_options": {},
        }
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_common(options)
        rule = options["contemp_collider_rule"]
        if rule not in _COLLIDER_RULES:
            raise InvalidDataError(f"contemp_collider_rule={rule!r}: expected one of {', '.join(_COLLIDER_RULES)}")

    def run(self, task: Task) -> Outcome:
        """Run all phases; raises BackendNotInstalledError without tigramite."""
        from arrow_cd.tigramite.search import search_pcmciplus

        return search_pcmciplus(task)


BACKENDS = (PcmciPlus(),)
