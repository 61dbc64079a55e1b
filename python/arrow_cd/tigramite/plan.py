"""Decide, before a run, which links it may test: the question, the screen's answer, what can be tested at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_count
from arrow_cd.tigramite.assumptions import Links, asked_links, check_assumptions, keep_links, split_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.candidates import Candidates

    Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Plan:
    """The links of one run; masks are (N, N, tau_max + 1) and indexed [source, target, tau].

    Attributes
    ----------
    given
        The user's link assumptions, or None where all links are meant.
    asked, stated
        The links the user asks about; those that he states to exist, which are never tested nor pruned.
    kept
        The links that may be tested: those asked about, without what the screen left out and what can't be tested.
    testable
        False where source or target is constant.
    family
        Links that a correction runs over: all lagged ones asked about, pruned or not. Constant columns count in mode
        "exact", as in tigramite, and not in mode "screen".
    candidates
        What the screen kept; None in mode "exact" and where there was no lag to screen.
    """

    given: Links | None
    asked: Mask
    stated: Mask
    kept: Mask
    testable: Mask
    family: Mask
    candidates: Candidates | None

    @cached_property
    def links(self) -> Links | None:
        """Link assumptions for tigramite's own code; None where all links are left."""
        if self.given is None and bool((self.kept == self.asked).all()):
            return None
        return keep_links(self.given, self.kept)

    @cached_property
    def to_test(self) -> Mask:
        """The kept links that a native run tests; a directed contemporaneous link stands in its direction only."""
        return self.kept if self.given is None else split_links(self.links, self.kept.shape)[0]

    @cached_property
    def to_take(self) -> Mask:
        """The kept links that a native run takes as existing."""
        return self.stated if self.given is None else split_links(self.links, self.kept.shape)[1]

    def lagged_sources(self, j: int) -> list[tuple[int, int]]:
        """Kept lagged links into target j in the order that tigramite goes through them, as (i, -tau)."""
        if self.given is None:
            sources, before = self.kept[:, j, 1:].nonzero()
            return list(zip(sources.tolist(), (-1 - before).tolist(), strict=True))
        return [(i, lag) for i, lag in self.given[j] if lag and self.kept[i, j, -lag]]

    def sources(self, j: int) -> list[tuple[int, int]]:
        """All links into target j that a native run tests or takes, those at lag 0, whose order says nothing, last."""
        now = np.flatnonzero((self.to_test | self.to_take)[:, j, 0]).tolist()
        return self.lagged_sources(j) + [(i, 0) for i in now]

    @property
    def in_order(self) -> bool:
        """Whether the links come by source, then lag: the native order, which decides ties."""
        return self.given is None or all(
            list(links) == sorted(links, key=lambda link: (link[0], -link[1])) for links in self.given.values()
        )

    @property
    def pruned(self) -> int:
        """Number of links that the screen left out."""
        return int((self.asked & self.testable & ~self.kept).sum())

    @property
    def status(self) -> NDArray[np.uint8]:
        """`LinkStatus` of every entry, if every test of the run gives a number."""
        status = np.full(self.asked.shape, LinkStatus.NOT_ASKED, dtype=np.uint8)
        status[self.asked & ~self.stated] = LinkStatus.NOT_TESTED
        status[self.kept & ~self.stated] = LinkStatus.OK
        status[self.asked & ~self.testable] = LinkStatus.CONSTANT
        return status


def make_plan(
    varies: NDArray[np.bool_],
    link_assumptions: Any,
    tau_min: int,
    tau_max: int,
    *,
    lag_zero: bool,
    prefilter: Callable[[Mask, int], Candidates] | None,
) -> Plan:
    """Check the question of one run and restrict it to what can be tested and what the screen keeps.

    Parameters
    ----------
    varies : (N,) bool
        The variables that aren't constant.
    link_assumptions
        The user's, in tigramite's form, or None for all links.
    tau_min, tau_max
        Lags of the run, in samples.
    lag_zero
        Whether the run has contemporaneous links; if not, those in `link_assumptions` are ignored.
    prefilter
        Called with the links asked about and the smallest lag to screen; None for mode "exact".
    """
    check_count("tau_min", tau_min, 0)
    check_count("tau_max", tau_max, 0)
    if tau_min > tau_max:
        raise InvalidDataError(f"tau_min={tau_min}, tau_max={tau_max}: expected 0 <= tau_min <= tau_max")
    n = len(varies)
    first = tau_min if lag_zero else max(1, tau_min)
    given = check_assumptions(link_assumptions, n, first, tau_max, lag_zero_ignored=not lag_zero)
    asked = asked_links(given, n, first, tau_max)
    _, stated = split_links(given, asked.shape)
    stated[:, :, 0] |= stated[:, :, 0].T
    if not lag_zero:
        asked[:, :, 0] = stated[:, :, 0] = False
    testable = np.broadcast_to(np.logical_and.outer(varies, varies)[:, :, None], asked.shape)
    kept, family, candidates = asked & testable, asked.copy(), None
    family[:, :, 0] = False
    if prefilter is not None:
        family &= testable
        if tau_max >= max(1, tau_min):
            candidates = prefilter(asked, max(1, tau_min))
        lagged = stated if candidates is None else stated | candidates.mask
        kept[:, :, 1:] &= lagged[:, :, 1:]
    return Plan(given, asked, stated, kept, testable, family, candidates)
