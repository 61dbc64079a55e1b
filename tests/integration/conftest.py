"""A small system, and a screen whose answer a test chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arrow_cd.screening import Candidates, ScreenConfig
from arrow_cd.simulate import sparse_var

Mask = NDArray[np.bool_]


@pytest.fixture(scope="session")
def values() -> NDArray[np.float64]:
    return sparse_var(3, N=5, T=300, L=3).values


@pytest.fixture
def fix_screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[Mask], None]:
    """Make every accelerated run keep exactly the links of a mask."""

    def fix(mask: Mask) -> None:
        def fake(data: Any, *, tau_max: int, tau_min: int, allowed: Mask, **_: Any) -> Candidates:
            kept = mask & allowed
            kept[:, :, 0] = False
            order = {j: [(int(i), -int(tau)) for i, tau in np.argwhere(kept[:, j])] for j in range(data.N)}
            scores = {j: [1.0] * len(links) for j, links in order.items()}
            return Candidates(order, scores, data.names, tau_min, tau_max, ScreenConfig())

        monkeypatch.setattr("arrow_cd.tigramite.prefilter.screen", fake)

    return fix
