"""Values made of what JSON knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# Most values are of exactly these types; asking for them first spares results with thousands of numbers seven questions
# a number.
_ATOMS = (str, int, float, bool, type(None))


def plain(value: Any) -> Any:
    """Return the same value made of what JSON knows, so that a result read back equals the one written."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, Mapping):
        return {str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    if isinstance(value, list | tuple | range | set | frozenset | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
