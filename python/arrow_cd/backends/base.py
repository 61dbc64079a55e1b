"""What a method must offer to be run by `discover`, and where methods are registered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol

from arrow_cd.errors import BackendError, InvalidDataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arrow_cd.data import TimeSeries

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
        Name of the conditional independence test.
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


@dataclass(frozen=True)
class Outcome:
    """What a method found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Test statistic and p-value; 0 and 1 where nothing was tested.
    tested
        Where a test was run and could be evaluated.
    status : uint8
        `arrow_cd.links.LinkStatus` of every entry.
    n_samples
        Rows that a test used.
    graph
        Edge marks of a method that orients edges; None where the graph follows from the corrected p-values alone.
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
    p: NDArray[np.float64]
    tested: NDArray[np.bool_]
    status: NDArray[np.uint8]
    n_samples: int
    graph: NDArray[np.str_] | None = None
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


class Backend(Protocol):
    """A method that `discover` can run.

    Attributes
    ----------
    method
        The name users write.
    tests
        Conditional independence tests it can use.
    tau_min
        Its smallest meaningful lag: 0 for methods with contemporaneous links, else 1.
    rows
        "pcmci" when tests use t >= 2 tau_max, "lagged" when they use t >= tau_max.
    missing
        Whether it takes missing values.
    defaults
        Its own options and their default values.
    """

    method: str
    tests: tuple[str, ...]
    tau_min: int
    rows: Literal["pcmci", "lagged"]
    missing: bool
    defaults: Mapping[str, Any]

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""

    def run(self, task: Task) -> Outcome:
        """Run the method; raises BackendError when it can't finish, `Interrupted` on Ctrl-C if it has something."""


# Built-in methods, imported on first use: each module has a tuple BACKENDS.
_MODULES: dict[str, tuple[str, ...]] = {
    "pcmci": ("arrow_cd.backends.pcmci", "arrow_cd.backends.tigramite_pcmci"),
    "pcmciplus": ("arrow_cd.backends.pcmciplus",),
}
_registered: dict[str, list[Backend]] = {}


def register_backend(backend: Backend) -> None:
    """Make a method of your own known to `discover`; it goes before built-in ones of the same name."""
    _registered.setdefault(backend.method, []).insert(0, backend)


def list_methods() -> list[str]:
    """Return the names that `discover(method=...)` understands."""
    return sorted({*_MODULES, *_registered})


def find_backend(method: str, test: str, *, missing: bool = False, options: Collection[str] = ()) -> Backend:
    """Return the first back end that runs `method` with `test`, on data with missing values if need be.

    One that has all of the `options` comes before one that lacks some.

    Raises
    ------
    InvalidDataError
        No such method, or it has no such test.
    BackendError
        Missing values, and no back end of this method and test takes them.
    """
    if not isinstance(method, str) or method not in list_methods():
        raise InvalidDataError(f"method={method!r}: expected one of {', '.join(list_methods())}")
    known = list(_registered.get(method, []))
    for module in _MODULES.get(method, ()):
        known += import_module(module).BACKENDS
    able = [backend for backend in known if isinstance(test, str) and test in backend.tests]
    if not able:
        tests = dict.fromkeys(name for backend in known for name in backend.tests)
        raise InvalidDataError(f"test={test!r}: method {method!r} can use {', '.join(tests)}")
    able = [backend for backend in able if backend.missing or not missing]
    if not able:
        raise BackendError(f"method {method!r} with test {test!r} takes complete data only, and values are missing")
    return next((backend for backend in able if set(options) <= set(backend.defaults)), able[0])
