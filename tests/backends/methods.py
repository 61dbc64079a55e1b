"""What the conformance suite needs to know about each method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """One way of running a method.

    Attributes
    ----------
    method, options
        What `discover` gets; options keep a run short.
    scaled
        Whether `val` scales with target over source, as a regression coefficient does.
    exactly
        Whether scale and shift leave results alike to rounding; False where an iteration starts from them.
    resolved
        Whether a link's lag is found, not just its source.
    drawn
        Whether p-values come from random draws: other draws give others, and 300 samples show strong links only.
    sources
        Whether a screen chooses sources: all lags of theirs stay in the models.
    """

    method: str
    options: dict[str, Any] = field(default_factory=dict)
    scaled: bool = False
    exactly: bool = True
    resolved: bool = True
    drawn: bool = False
    sources: bool = False


CASES: dict[str, Case] = {
    "pc": Case("pc"),
    "pc-fisherz": Case("pc", {"test": "fisherz"}),
    "granger": Case("granger", sources=True),
    "granger-candidates": Case("granger", {"lags": "mask"}),
    "granger-bivariate": Case("granger", {"conditional": False}, resolved=False),
    "granger-kept-lags": Case("granger", {"conditional": False, "lags": "mask"}, resolved=False),
    "ngc": Case("ngc", exactly=False),
    "ngc-gl": Case("ngc", {"penalty": "gl", "lam": 0.3}, exactly=False, resolved=False),
    "ngc-gsgl": Case("ngc", {"penalty": "gsgl"}, exactly=False),
    "pcmci": Case("pcmci"),
    "pcmci-robust": Case("pcmci", {"test": "robust_parcorr"}),
    "pcmciplus": Case("pcmciplus"),
    "surd": Case("surd", {"max_agents": 16}, drawn=True),
    "varlingam": Case("varlingam", scaled=True),
}
