"""Links as arrays, and why an entry of a result holds a number, or doesn't."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


class LinkStatus(IntEnum):
    """State of one entry [source, target, tau] of a result."""

    OK = 0
    """Tested."""
    NOT_TESTED = 1
    """Pruned by the screen."""
    NOT_ASKED = 2
    """Outside the lag range, excluded by the user's assumptions, or a series with itself at lag 0."""
    CONSTANT = 3
    """Source or target is constant."""
    COLLINEAR = 4
    """Source or target is a linear combination of the conditions."""
    TOO_FEW_ROWS = 5
    """Not enough rows for this many conditions."""
    NUMERIC = 6
    """The test gave no finite number."""
    NOT_CONVERGED = 7
    """The method's iterations ended before they settled."""
    OVER_BUDGET = 8
    """Left out to keep to the limit on tests, agents or time that was given."""


def link_mask(parents: Mapping[int, Iterable[tuple[int, int]]], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return ``{target: [(source, -tau), ...]}`` as an array of this shape, indexed [source, target, tau]."""
    mask = np.zeros(shape, dtype=bool)
    for target, chosen in parents.items():
        for source, lag in chosen:
            mask[source, target, -lag] = True
    return mask
