"""causal-learn's `pc` on lagged variables, natively."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arrow_cd._discover import discover
from arrow_cd.causallearn.graph import LaggedCausalGraph
from arrow_cd.data import as_time_series
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.options import MODES, Mode, check_call, check_choice, check_count
from arrow_cd.screening import check_screening

if TYPE_CHECKING:
    from arrow_cd.backends.base import Progress
    from arrow_cd.screening import ScreenConfig


def accelerate(
    obj: Callable[..., Any],
    *,
    tau_max: int | None = None,
    mode: Mode = "screen",
    screen: ScreenConfig | None = None,
    memory_budget: int | None = None,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> AcceleratedPC:
    """Return a fast `pc` of lagged variables in place of `obj`, causal-learn's function, which knows no lags."""
    if tau_max is None:
        raise InvalidDataError("accelerate(pc): causal-learn's pc knows no lags; give tau_max=...")
    return AcceleratedPC(tau_max, mode, screen, memory_budget, n_jobs, progress)


@dataclass(frozen=True)
class AcceleratedPC:
    """PC of the lagged links of a multivariate time series, called as causal-learn's `pc` is called on a table.

    Time orders every pair and links are the same at all times, so that only links into the present are tested, given
    subsets of the other links into the same variable. causal-learn's `pc` on lag-unrolled data (`unrolled.unroll`) also
    tests pairs within the past and within one time, and takes conditions from the neighbours of either end, which may
    drop a few links more.

    Attributes
    ----------
    tau_max
        Largest lag in samples.
    mode, screen, memory_budget, n_jobs, progress
        As in `arrow_cd.accelerate`.
    """

    tau_max: int
    mode: Mode = "screen"
    screen: ScreenConfig | None = None
    memory_budget: int | None = None
    n_jobs: int = 1
    progress: Progress | bool | None = None

    def __post_init__(self) -> None:
        check_count("tau_max", self.tau_max, 1)
        check_choice("mode", self.mode, MODES)
        check_call(self.n_jobs, self.progress)
        check_screening(self.mode, self.screen, self.memory_budget)

    def __call__(
        self,
        data: Any,
        alpha: float = 0.05,
        indep_test: str = "fisherz",
        stable: bool = True,
        uc_rule: int = 0,
        uc_priority: int = 2,
        mvpc: bool = False,
        correction_name: str = "MV_Crtn_Fisher_Z",
        background_knowledge: Any = None,
        verbose: bool = False,
        show_progress: bool = True,
        node_names: Sequence[str] | None = None,
        max_k: int | None = None,
    ) -> LaggedCausalGraph:
        """Run PC on series (T, N).

        Parameters
        ----------
        data : array of shape (T, N), data frame, path or TimeSeries
            The series themselves, not unrolled; see `as_time_series`.
        alpha
            A link with a larger p-value in any test is dropped. Not corrected for the number of links, as
            `discover(method="pc")` does.
        node_names
            Names of the N series; X0, X1, ... by default.
        max_k
            Most conditions of a test. None: any number, but 3 for a variable with more than 40 candidates.
        show_progress
            Show a bar if `progress` was not given to `accelerate`.
        indep_test, stable, mvpc, background_knowledge, verbose
            Only "fisherz", True, False, None and False are covered.
        uc_rule, uc_priority, correction_name
            No effect: time orients every edge, and nothing is missing.

        Raises
        ------
        BackendError
            An option that is not covered, or missing values.
        InvalidDataError
            The data or an option can't be used as given.
        """
        given = {
            "indep_test": indep_test,
            "stable": stable,
            "mvpc": mvpc,
            "background_knowledge": background_knowledge,
            "verbose": verbose,
        }
        _refuse(given)
        if max_k is not None:
            check_count("max_k", max_k, 0)
        series = as_time_series(data, names=node_names)
        if not series.complete:
            raise BackendError(
                "missing values: an accelerated pc takes complete data; discover(method='pc') leaves a row out of a "
                "test where one of the test's own samples is missing"
            )
        result = discover(
            series,
            method="pc",
            test="fisherz",
            tau_max=self.tau_max,
            alpha=alpha,
            pc_alpha=alpha,
            max_conds_dim=max_k,
            fdr="none",
            mode=self.mode,
            screen=self.screen,
            memory_budget=self.memory_budget,
            n_jobs=self.n_jobs,
            progress=show_progress if self.progress is None else self.progress,
        )
        return LaggedCausalGraph(result)


_COVERED: Mapping[str, tuple[Any, str]] = {
    "indep_test": ("fisherz", "only partial correlation with Fisher's z is native"),
    "stable": (True, "only the stable variant, which does not depend on the order of the series, is native"),
    "mvpc": (False, "missing-value PC is not covered"),
    "background_knowledge": (
        None,
        "knowledge of links goes to discover(method='pc', forbid=..., require=...), whatever its amount",
    ),
    "verbose": (False, "the compiled search prints no tests; the graph's .result has their numbers"),
}
"""The value of each option that is covered, and what to say of others."""


def _refuse(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        covered, why = _COVERED[name]
        if not (value is covered or (isinstance(value, (str, bool)) and value == covered)):
            shown = type(value).__name__ if name == "background_knowledge" else repr(value)
            raise BackendError(f"accelerated pc: {name}={shown}: {why}")
