"""One simulated data set through `discover`, screened or not, and what it costs and finds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from arrow_cd import ScreenConfig, discover, score
from arrow_cd.links import LinkStatus
from arrow_cd.simulate import Simulated

SCREENS = ("none", "paper", "marginal", "forward", "weave")
ALPHA_FDR, ALPHA_PLAIN = 0.05, 0.01


@dataclass(frozen=True)
class Measured:
    """One run of PCMCI (ParCorr, pc_alpha .2, lags from 1) behind one screen.

    Attributes
    ----------
    recall_cross, recall_own : float
        Share of the true links, between series and of a series with itself, that the screen kept; nan without any.
    candidates : float
        Links kept per target.
    tests : int
        Conditional independence tests.
    f1_fdr, f1_plain : float
        F1 of cross links with their exact lag: Benjamini-Hochberg at .05 over all N*N*L links, and p <= .01
        uncorrected; nan without a true link.
    false_fdr, false_plain : int
        Cross links found that don't exist.
    seconds : float
        Screen, search and correction, one thread.
    """

    recall_cross: float
    recall_own: float
    candidates: float
    tests: int
    f1_fdr: float
    f1_plain: float
    false_fdr: int
    false_plain: int
    seconds: float


def measure(data: Simulated, tau_max: int, screen: str) -> Measured:
    """Run PCMCI behind `screen` ("none" for all links) on one thread and compare with the truth."""
    began = time.perf_counter()
    result = find_links(data, tau_max, screen)
    seconds = time.perf_counter() - began
    truth = data.lagged_truth(tau_max)
    truth[:, :, 0] = False  # links within a sample aren't asked for
    kept = ~np.isin(result.status, (LinkStatus.NOT_TESTED, LinkStatus.NOT_ASKED))
    own = np.eye(len(truth), dtype=bool)
    by_fdr = score(result.q_matrix <= ALPHA_FDR, truth, tau_min=1).lagged
    by_p = score(result.p_matrix <= ALPHA_PLAIN, truth, tau_min=1).lagged
    return Measured(
        recall_cross=_share(kept[~own], truth[~own]),
        recall_own=_share(kept[own], truth[own]),
        candidates=float(kept.sum() / len(truth)),
        tests=result.screening.tests_run,
        f1_fdr=by_fdr.f1 if truth[~own].any() else math.nan,
        f1_plain=by_p.f1 if truth[~own].any() else math.nan,
        false_fdr=by_fdr.false_positives,
        false_plain=by_p.false_positives,
        seconds=seconds,
    )


def find_links(data: Simulated, tau_max: int, screen: str):
    """`discover` as a user would call it, on one thread."""
    choice = {"mode": "exact"} if screen == "none" else {"mode": "screen", "screen": ScreenConfig(strategy=screen)}
    return discover(data.values, method="pcmci", tau_max=tau_max, tau_min=1, alpha=ALPHA_FDR, pc_alpha=0.2, **choice)


def _share(kept: np.ndarray, true: np.ndarray) -> float:
    return float(kept[true].mean()) if true.any() else math.nan
