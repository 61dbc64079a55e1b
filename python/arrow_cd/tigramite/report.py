"""What an accelerated PCMCI object tells about its last run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arrow_cd.candidates import Candidates


@dataclass(frozen=True, eq=False)
class ScreeningReport:
    """The `.screening` of an accelerated PCMCI object.

    Attributes
    ----------
    method
        The method that ran, such as "run_pcmci".
    mode
        "screen" or "exact".
    candidates
        What the screen kept; None in mode "exact" and where there was no lag to screen.
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
        Seconds: "prefilter" (checks and screen) and "search".
    engine
        Who ran the tests: "native" (the compiled core), "drop-in" (tigramite's search on `arrow_cd.tigramite.ParCorr`
        or `RobustParCorr`) or "tigramite" (its own test). "drop-in + native" and "tigramite + native" where a part of
        the method had a native form.
    reason
        Why this engine, part by part.
    notes
        What the user should hear, such as columns left out because they are constant.
    """

    method: str
    mode: str
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
        avoided = f"at least {self.tests_avoided} avoided" if self.mode == "screen" else "none avoided (mode exact)"
        lines = [
            f"{self.method}: {self.tests_run} tests run, {avoided}; {seconds}",
            f"engine {self.engine}: {self.reason}",
            *self.notes,
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class RepeatedReport:
    """The `.screening` after `run_bootstrap_of` or `run_sliding_window_of`.

    Attributes
    ----------
    method
        "run_bootstrap_of" or "run_sliding_window_of".
    runs
        The report of every draw or window, in order.
    """

    method: str
    runs: tuple[ScreeningReport, ...]

    @property
    def tests_run(self) -> int:
        """Conditional independence tests of all runs."""
        return sum(run.tests_run for run in self.runs)

    @property
    def tests_avoided(self) -> int:
        """Links that the screens of all runs left out."""
        return sum(run.tests_avoided for run in self.runs)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds of all runs, phase by phase."""
        phases = dict.fromkeys(phase for run in self.runs for phase in run.timings)
        return {phase: sum(run.timings.get(phase, 0.0) for run in self.runs) for phase in phases}

    @property
    def engine(self) -> str:
        """Who ran the tests; several if the runs differ."""
        return ", ".join(dict.fromkeys(run.engine for run in self.runs))

    @property
    def reason(self) -> str:
        """Why this engine; several if the runs differ."""
        return "; ".join(dict.fromkeys(run.reason for run in self.runs))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should hear, each once."""
        return tuple(dict.fromkeys(note for run in self.runs for note in run.notes))

    def __str__(self) -> str:
        seconds = ", ".join(f"{phase} {value:.3g} s" for phase, value in self.timings.items())
        counts = f"{len(self.runs)} runs, {self.tests_run} tests run, {self.tests_avoided} avoided"
        lines = [
            f"{self.method}: {counts}; {seconds}",
            f"engine {self.engine}: {self.reason}",
            *self.notes,
        ]
        return "\n".join(lines)
