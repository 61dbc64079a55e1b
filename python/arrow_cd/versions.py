"""Versions of what took part in a result."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from arrow_cd import _core


@cache
def library_version(name: str) -> str | None:
    """Return the installed version of a distribution, None if it is not installed. Imports nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def versions(*extra: str) -> dict[str, str]:
    """Return the versions of arrow_cd, Python, numpy and of the `extra` distributions that are installed."""
    found = {name: library_version(name) for name in ("numpy", *extra)}
    own = {"arrow_cd": _core.__version__, "python": platform.python_version()}
    return own | {name: text for name, text in found.items() if text}


def kernels() -> list[str]:
    """Return the XOR kernels that this processor can run, the one in use last."""
    return _core.kernels()


EXTRAS: dict[str, tuple[str, ...]] = {
    "pcmci": ("tigramite", "joblib", "numba", "scikit-learn", "scipy"),
    "causallearn": ("causal-learn",),
    "viz": ("matplotlib",),
}
"""Optional extras and the distributions they bring."""
