"""The compiled core; use the typed wrappers in `arrow_cd` instead."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__version__: str

def screen(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: list[tuple[int, int]],
    *,
    strategy: str,
    tau_min: int,
    tau_max: int,
    first_row: int,
    allowed: NDArray[np.bool_] | None,
    bits: int,
    pool: int,
    kappa: float,
    own_lags: int,
    even: bool,
    keep_marginal: int,
    max_add: int,
    max_scans: int,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
