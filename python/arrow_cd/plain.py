"""Values made of what JSON knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

# Nearly all values are of exactly these types. They are asked for first, and tuples of types are made once, because
# results have thousands of values.
_ATOMS = frozenset((str, int, float, bool, type(None)))
_MAPPINGS = (dict, Mapping)
_LISTS = (list, tuple, range, set, frozenset, np.ndarray)


def plain(value: Any) -> Any:
    """Return the same value made of what JSON knows, so that a result read back equals the one written."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, _MAPPINGS):
        return {str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    if isinstance(value, _LISTS):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
