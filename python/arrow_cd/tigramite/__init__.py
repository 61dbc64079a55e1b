"""tigramite, accelerated: PCMCI with a screen in front, fast partial correlation tests, and its tests for `discover`.

tigramite is an optional package under GPL-3 and is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from arrow_cd.errors import BackendNotInstalledError

_HOMES = {
    "AcceleratedPCMCI": "arrow_cd.tigramite.pcmci",
    "ParCorr": "arrow_cd.tigramite.parcorr",
    "RobustParCorr": "arrow_cd.tigramite.robust_parcorr",
    "ScreeningReport": "arrow_cd.tigramite.report",
    "count_tests": "arrow_cd.tigramite.counting",
}

# What has a class of tigramite's as its base.
_SUBCLASSES = ("AcceleratedPCMCI", "ParCorr", "RobustParCorr")

__all__ = list(_HOMES)


def require_tigramite() -> None:
    """Raise BackendNotInstalledError, naming the extra to install, if tigramite can't be imported."""
    try:
        import_module("tigramite.pcmci")
    except ImportError as error:
        raise BackendNotInstalledError(
            f'tigramite can\'t be imported ({error}); install it with: pip install "arrow-cd[pcmci]"'
        ) from error


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arrow_cd.tigramite' has no attribute {name!r}")
    if name in _SUBCLASSES:
        require_tigramite()
    return getattr(import_module(_HOMES[name]), name)
