"""tigramite objects and masks that the tests of `accelerate` share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

from arrow_cd import accelerate
from arrow_cd.tigramite import AcceleratedPCMCI

Mask = NDArray[np.bool_]
Values = NDArray[np.float64]

METHODS = ["run_pcmci", "run_pcmciplus", "run_pc_stable", "run_mci", "run_bivci"]
WITH_FDR: dict[str, dict[str, Any]] = {
    name: {} if name == "run_pc_stable" else {"fdr_method": "fdr_bh"} for name in METHODS
}


def pcmci_on(values: Any, test: Any = None, **frame_options: Any) -> PCMCI:
    return PCMCI(DataFrame(values, **frame_options), test or ParCorr())


def on_tigramite(pcmci: PCMCI, **options: Any) -> AcceleratedPCMCI:
    fast: AcceleratedPCMCI = accelerate(pcmci, engine="tigramite", **options)
    return fast


def random_mask(n: int, tau_max: int, share: float = 0.3) -> Mask:
    mask = np.random.default_rng(0).random((n, n, tau_max + 1)) < share
    mask[:, :, 0] = False
    mask[range(n), range(n), 1] = True
    return mask


def assumptions(tau_min: int, kept: Mask) -> dict[int, dict[tuple[int, int], str]]:
    """`kept`, and all of lag 0 if tau_min is 0, in tigramite's words."""
    n, _, lags = kept.shape
    return {
        j: {
            (i, -tau): "-?>" if tau else "o?o"
            for i in range(n)
            for tau in range(tau_min, lags)
            if (kept[i, j, tau] if tau else i != j)
        }
        for j in range(n)
    }


def matrices(pcmci: PCMCI, results: dict[Any, Any]) -> dict[str, Any]:
    """The returned matrices, or those that run_pc_stable leaves on the object."""
    return results if "val_matrix" in results else vars(pcmci)
