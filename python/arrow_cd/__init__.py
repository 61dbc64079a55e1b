"""Fast, honest causal discovery in time series."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arrow_cd.errors import ArrowCdError, BackendError, BackendNotInstalledError, DownloadError, InvalidDataError

if TYPE_CHECKING:
    from arrow_cd._accelerate import accelerate as accelerate
    from arrow_cd._core import __version__ as __version__
    from arrow_cd._discover import DiscoveryInterrupted as DiscoveryInterrupted
    from arrow_cd._discover import discover as discover
    from arrow_cd.backends.registry import list_methods as list_methods
    from arrow_cd.backends.registry import register_backend as register_backend
    from arrow_cd.candidates import Candidates as Candidates
    from arrow_cd.data import TimeSeries as TimeSeries
    from arrow_cd.data import as_time_series as as_time_series
    from arrow_cd.datasets import list_datasets as list_datasets
    from arrow_cd.datasets import load_dataset as load_dataset
    from arrow_cd.export import read as read
    from arrow_cd.lags import LagSearch as LagSearch
    from arrow_cd.lags import lag_search as lag_search
    from arrow_cd.lags import lag_search_top as lag_search_top
    from arrow_cd.metrics import Scores as Scores
    from arrow_cd.metrics import score as score
    from arrow_cd.result import CausalResult as CausalResult
    from arrow_cd.result import Screening as Screening
    from arrow_cd.screening import ScreenConfig as ScreenConfig
    from arrow_cd.screening import screen as screen
    from arrow_cd.weave import Planes as Planes
    from arrow_cd.weave import encode as encode

# Public names and the modules they live in: imported on first use, so that `arrow-cd --help` stays fast.
_HOMES: dict[str, str] = {
    "Candidates": "arrow_cd.candidates",
    "CausalResult": "arrow_cd.result",
    "DiscoveryInterrupted": "arrow_cd._discover",
    "LagSearch": "arrow_cd.lags",
    "Planes": "arrow_cd.weave",
    "Scores": "arrow_cd.metrics",
    "ScreenConfig": "arrow_cd.screening",
    "Screening": "arrow_cd.result",
    "TimeSeries": "arrow_cd.data",
    "__version__": "arrow_cd._core",
    "accelerate": "arrow_cd._accelerate",
    "as_time_series": "arrow_cd.data",
    "discover": "arrow_cd._discover",
    "encode": "arrow_cd.weave",
    "lag_search": "arrow_cd.lags",
    "lag_search_top": "arrow_cd.lags",
    "list_datasets": "arrow_cd.datasets",
    "list_methods": "arrow_cd.backends.registry",
    "load_dataset": "arrow_cd.datasets",
    "read": "arrow_cd.export",
    "register_backend": "arrow_cd.backends.registry",
    "score": "arrow_cd.metrics",
    "screen": "arrow_cd.screening",
}

__all__ = ["ArrowCdError", "BackendError", "BackendNotInstalledError", "DownloadError", "InvalidDataError", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arrow_cd' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
