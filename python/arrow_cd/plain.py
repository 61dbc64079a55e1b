"""Values made of what JSON knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return the same value made of what JSON knows, so that a result read back equals the one written."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | range | set | frozenset | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)
