"""Decide, before a run, which links it may test: the question, the screen's answer, what can be tested at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_count
from arrow_cd.screening import Candidates, ScreenConfig, screen
from arrow_cd.tigramite.assumptions import Links, asked_links, check_assumptions, keep_links, split_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries


@dataclass(frozen=True, eq=False)
class Plan:
    """The links of one run; masks are (N, N, tau_max + 1) and indexed [source, target, tau].

    Attributes
    ----------
    links
        Link assumptions for the search: the user's, without what the screen left out.
    asked, stated
        The links the user asks about; those that he states to exist, which are never tested nor pruned.
    kept
        The links in `links`.
    testable
        False where source or target is constant.
    series
        The values, as the door understands them.
    candidates
        What the screen kept; None where there was no lag to screen.
    """

    series: TimeSeries
    links: Links
    asked: NDArray[np.bool_]
    stated: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    testable: NDArray[np.bool_]
    candidates: Candidates | None

    @property
    def pruned(self) -> int:
        """Number of links that the screen left out."""
        return int((self.asked & self.testable & ~self.kept).sum())

    @property
    def family(self) -> NDArray[np.bool_]:
        """Links that a correction runs over: all lagged ones the user asks about that can be tested, pruned or not."""
        family = self.asked & self.testable
        family[:, :, 0] = False
        return family

    @property
    def status(self) -> NDArray[np.uint8]:
        """`LinkStatus` of every entry, if every test of the run gives a number."""
        status = np.full(self.asked.shape, LinkStatus.NOT_ASKED, dtype=np.uint8)
        status[self.asked & ~self.stated] = LinkStatus.NOT_TESTED
        status[self.kept & ~self.stated] = LinkStatus.OK
        status[self.asked & ~self.testable] = LinkStatus.CONSTANT
        return status


def make_plan(
    series: TimeSeries,
    link_assumptions: Any,
    tau_min: int,
    tau_max: int,
    *,
    lag_zero: bool,
    config: ScreenConfig | None,
    n_jobs: int,
    progress: Progress | None,
) -> Plan:
    """Screen the data for one run and restrict the user's link assumptions to what the screen keeps.

    The screen runs on the data as they are now, for every call: a choice made on the whole series must not leak into
    a window or a bootstrap draw of it.

    Parameters
    ----------
    series
        The values, as the door understands them.
    link_assumptions
        The user's, in tigramite's form, or None for all links.
    tau_min, tau_max
        Lags of the run, in samples.
    lag_zero
        Whether the run has contemporaneous links; if not, those in `link_assumptions` are ignored.
    config, n_jobs, progress
        Passed to `screen`.
    """
    series.require_varying()
    check_count("tau_min", tau_min, 0)
    check_count("tau_max", tau_max, 0)
    if tau_min > tau_max:
        raise InvalidDataError(f"tau_min={tau_min}, tau_max={tau_max}: expected 0 <= tau_min <= tau_max")
    n = series.N
    first = tau_min if lag_zero else max(1, tau_min)
    given = check_assumptions(link_assumptions, n, first, tau_max, lag_zero_ignored=not lag_zero)
    asked = asked_links(given, n, first, tau_max)
    _, stated = split_links(given, asked.shape)
    stated[:, :, 0] |= stated[:, :, 0].T
    if not lag_zero:
        asked[:, :, 0] = stated[:, :, 0] = False
    varies = ~series.constant
    testable = np.broadcast_to(np.logical_and.outer(varies, varies)[:, :, None], asked.shape)
    candidates = None
    if tau_max >= max(1, tau_min):
        candidates = screen(
            series,
            tau_max=tau_max,
            tau_min=max(1, tau_min),
            config=config,
            rows="pcmci",
            allowed=asked,
            n_jobs=n_jobs,
            progress=progress,
        )
    kept = stated.copy() if candidates is None else stated | candidates.mask
    kept[:, :, 0] = True
    kept &= asked & testable
    return Plan(series, keep_links(given, kept), asked, stated, kept, testable, candidates)
