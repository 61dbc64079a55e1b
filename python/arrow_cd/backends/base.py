"""What a method must offer to be run by `discover`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

DecidedBy = Literal["links", "pairs"]
Progress = Callable[[str, int, int], object]
"""Called as ``progress(phase, done, total)``; a total of 0 is unknown."""


@dataclass(frozen=True)
class Task:
    """One method's work on columns that all vary.

    Attributes
    ----------
    series
        The original values, constant columns removed.
    tau_min, tau_max
        Smallest and largest lag in samples.
    links : (N, N, tau_max + 1) bool
        The links that may be tested, indexed [source, target, tau]; everything else counts as absent.
    required : (N, N, tau_max + 1) bool
        Links the user states to exist: in every condition as if found, never tested.
    test
        Name of the conditional independence test, "" for a method that has no choice.
    alpha
        Level of the final decision (methods that orient edges need it while they run).
    options
        Every option of the method, defaults filled in.
    seed, n_jobs
        Random seed; number of threads, 0 for all cores.
    memory_budget
        Bytes that a table of the method may take; None for the method's own limit.
    progress
        Callback ``(phase, done, total)`` or None.
    screened
        Whether a screen chose the links on these data.
    asked : (N, N, tau_max + 1) bool, optional
        The links among which it chose, for methods whose conditions may be more than what is tested.
    """

    series: TimeSeries
    tau_min: int
    tau_max: int
    links: NDArray[np.bool_]
    required: NDArray[np.bool_]
    test: str
    alpha: float
    options: Mapping[str, Any]
    seed: int = 0
    n_jobs: int = 1
    memory_budget: int | None = None
    progress: Progress | None = None
    screened: bool = False
    asked: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class PairTests:
    """Tests of a source as a whole, over all of its lags; arrays are (N, N), indexed [source, target].

    Attributes
    ----------
    val, p
        Statistic and p-value, 0 and 1 where nothing was tested; p is None for a method without p-values.
    status : uint8
        `arrow_cd.links.LinkStatus` of every entry.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64] | None
    status: NDArray[np.uint8]


@dataclass(frozen=True)
class Outcome:
    """What a method found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Test statistic and p-value; 0 and 1 where nothing was tested. p is None for a method without p-values, which
        must then draw its `graph`.
    tested
        Where a test was run and could be evaluated.
    status : uint8
        `arrow_cd.links.LinkStatus` of every entry.
    n_samples
        Rows that a test used.
    graph
        Edge marks of a method that decides on them itself; None where the graph follows from corrected p-values alone.
    pairs
        Tests of whole sources, for methods that have them.
    decided_by
        Whose corrected p-values make the graph if the method doesn't: every link's own ("links"), or its source's
        ("pairs": each lag that was tested gets an arrow).
    kept
        Links that the method's own search left; only these get an arrow, however small the corrected p-value of others.
        None: no search left any out.
    p_validity
        "exact": p-values hold as they are. "post-selection": the screen has looked at the same data before. None: the
        first without a screen, the second with one.
    val_unit
        What `val` measures, such as "partial correlation".
    extra
        What else the method gives, by name, made of what JSON knows.
    parents
        ``{target: [(source, -tau), ...]}`` as the method's own selection left them.
    tests_by_phase
        Number of conditional independence tests a phase ran.
    timings
        Seconds a phase took.
    engine
        Who did the arithmetic: "native" or a library and its version.
    versions
        Versions of the libraries that took part.
    notes
        What the user should hear.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64] | None
    tested: NDArray[np.bool_]
    status: NDArray[np.uint8]
    n_samples: int
    graph: NDArray[np.str_] | None = None
    pairs: PairTests | None = None
    decided_by: DecidedBy = "links"
    kept: NDArray[np.bool_] | None = None
    p_validity: Literal["exact", "post-selection"] | None = None
    val_unit: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    parents: Mapping[int, list[tuple[int, int]]] = field(default_factory=dict)
    tests_by_phase: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    engine: str = "native"
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `partial` is what had been found until then."""

    def __init__(self, partial: Outcome) -> None:
        super().__init__("interrupted")
        self.partial = partial


@dataclass(frozen=True)
class MethodInfo:
    """What a user should know before choosing a method; one line each.

    Attributes
    ----------
    assumes
        What has to hold for the graph to be right.
    gives
        What the result contains.
    cost
        How the work grows with series (N), samples (T), lags (L) and candidates a target (c).
    extra
        The optional part of the package that it needs; None for the base install.
    compiled
        Whether compiled code runs it: microseconds a test, instead of milliseconds.
    """

    assumes: str
    gives: str
    cost: str
    extra: str | None = None
    compiled: bool = True


class Backend(Protocol):
    """A method that `discover` can run.

    Attributes
    ----------
    method
        The name users write.
    tests
        Conditional independence tests it can use, the default first; empty if there is nothing to choose.
    tau_min
        Its smallest meaningful lag: 0 for methods with contemporaneous links, else 1.
    rows
        "pcmci" when tests use t >= 2 tau_max, "lagged" when they use t >= tau_max.
    missing
        Whether it takes missing values.
    defaults
        Its own options and their default values.
    about
        What it assumes, gives and costs.
    """

    method: str
    tests: tuple[str, ...]
    tau_min: int
    rows: Literal["pcmci", "lagged"]
    missing: bool
    defaults: Mapping[str, Any]
    about: MethodInfo

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""

    def run(self, task: Task) -> Outcome:
        """Run the method; raises BackendError when it can't finish, `Interrupted` on Ctrl-C if it has something."""
