"""What an accelerated PCMCI object tells about its last run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arrow_cd.screening import Candidates


@dataclass(frozen=True, eq=False)
class ScreeningReport:
    """The `.screening` of an accelerated PCMCI object.

    Attributes
    ----------
    method
        The method that ran, such as "run_pcmci".
    candidates
        What the screen kept; None where there was no lag to screen.
    tested : (N, N, tau_max + 1) bool
        Where a test was run and gave a number, indexed [source, target, tau]. In the returned matrices a link that
        was not tested has p = 1 and val = 0, which alone can't be told from a test with that outcome. A link stated
        by the user ("-->") is not tested either: tigramite reports it as val = 1, p = 0.
    status : (N, N, tau_max + 1) uint8
        `arrow_cd.links.LinkStatus` of every entry: why it was not tested.
    tests_run
        Conditional independence tests run.
    tests_avoided
        Links of the user's question that the screen left out: each is at least one test not run.
    timings
        Seconds: "prefilter" and "search".
    engine
        Who ran the tests: "native" or "tigramite".
    reason
        Why this engine.
    notes
        What the user should hear, such as columns left out because they are constant.
    """

    method: str
    candidates: Candidates | None
    tested: NDArray[np.bool_]
    status: NDArray[np.uint8]
    tests_run: int
    tests_avoided: int
    timings: Mapping[str, float]
    engine: str
    reason: str
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        seconds = ", ".join(f"{phase} {value:.3g} s" for phase, value in self.timings.items())
        lines = [
            f"{self.method}: {self.tests_run} tests run, at least {self.tests_avoided} avoided; {seconds}",
            f"engine {self.engine}: {self.reason}",
            *self.notes,
        ]
        return "\n".join(lines)
