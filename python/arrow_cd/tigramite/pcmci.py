"""The accelerated PCMCI: tigramite's class, given fewer links to test."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from copy import copy, deepcopy
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from tigramite.pcmci import PCMCI

from arrow_cd.data import as_time_series
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import LinkStatus
from arrow_cd.progress import reporting, steps
from arrow_cd.tigramite.accept import REFUSED_METHODS, check_class, check_data, check_options, refuse
from arrow_cd.tigramite.compat import let_run_with_numpy
from arrow_cd.tigramite.counting import count_tests
from arrow_cd.tigramite.native import NativeSearch, obstacle
from arrow_cd.tigramite.plan import Plan, make_plan
from arrow_cd.tigramite.report import ScreeningReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.screening import ScreenConfig


def _accelerated(name: str) -> Callable[..., Any]:
    """Return tigramite's method `name`, same signature, run on the links that the screen keeps."""
    original = getattr(PCMCI, name)
    signature = inspect.signature(original)

    @wraps(original)
    def method(self: AcceleratedPCMCI, *args: Any, **kwargs: Any) -> Any:
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        options = dict(call.arguments)
        del options["self"]
        if self._plan is not None:  # called by another accelerated method, whose plan holds
            return original(self, **options)
        with reporting(self._progress) as progress:
            return self._run(name, original, options, progress)

    return method


def _refused(name: str) -> Callable[..., NoReturn]:
    """Return a method that says why tigramite's method `name` can't be accelerated."""

    @wraps(getattr(PCMCI, name))
    def method(self: AcceleratedPCMCI, *args: Any, **kwargs: Any) -> NoReturn:
        raise refuse(name, REFUSED_METHODS[name])

    return method


class AcceleratedPCMCI(PCMCI):  # type: ignore[misc]
    """tigramite's PCMCI with a screen in front; made by `arrow_cd.accelerate`.

    Methods, signatures and attributes are tigramite's. `run_pcmci`, `run_pcmciplus`, `run_pc_stable`, `run_mci` and
    `run_bivci` screen the data first and test only the links that the screen keeps; methods that this can't serve
    raise `BackendError`.

    Attributes
    ----------
    screening : ScreeningReport or None
        What the last run tested and left out; None before the first, and if it did not finish.
    """

    run_pcmci = _accelerated("run_pcmci")
    run_pcmciplus = _accelerated("run_pcmciplus")
    run_pc_stable = _accelerated("run_pc_stable")
    run_mci = _accelerated("run_mci")
    run_bivci = _accelerated("run_bivci")

    run_bootstrap_of = _refused("run_bootstrap_of")
    run_sliding_window_of = _refused("run_sliding_window_of")
    run_fullci = _refused("run_fullci")
    get_lagged_dependencies = _refused("get_lagged_dependencies")
    run_pcalg = _refused("run_pcalg")
    run_pcalg_non_timeseries_data = _refused("run_pcalg_non_timeseries_data")

    def __init__(
        self, given: Any, *, screen: ScreenConfig | None, engine: str, n_jobs: int, progress: Progress | bool | None
    ) -> None:
        # Own copies: a run writes to attributes of the data frame and to the test's caches and random state.
        super().__init__(copy(given.dataframe), _fresh_copy(given.cond_ind_test), given.verbosity)
        self._config = screen
        self._engine = engine
        self._n_jobs = n_jobs
        self._progress = progress
        self._plan: Plan | None = None
        self.screening: ScreeningReport | None = None

    def _run(self, name: str, original: Callable[..., Any], options: dict[str, Any], progress: Progress | None) -> Any:
        """Screen, search among the links that are kept, and report."""
        self.screening = None
        began = time.perf_counter()
        plan = self._make_plan(name, options, progress)
        planned = time.perf_counter()
        engine, reason = self._choose_engine(name, options, plan)
        self._plan = plan
        try:
            if engine == "native":
                search = NativeSearch(self, plan, options, self._n_jobs, progress)
                results = getattr(search, name)()
                tests_run, status = search.tests_run, search.status
            else:
                with count_tests(self.cond_ind_test, steps(progress, "search", self.N)) as count:
                    results = self._search(name, original, options | {"link_assumptions": plan.links})
                tests_run, status = count.run, plan.status
        finally:
            self._plan = None
        self._settle(results, status)
        done = time.perf_counter()
        self.screening = ScreeningReport(
            method=name,
            candidates=plan.candidates,
            tested=status == LinkStatus.OK,
            status=status,
            tests_run=tests_run,
            tests_avoided=plan.pruned,
            timings={"prefilter": planned - began, "search": done - planned},
            engine=engine,
            reason=reason,
            notes=plan.series.notes,
        )
        return results

    def _search(self, name: str, original: Callable[..., Any], options: dict[str, Any]) -> Any:
        """Call tigramite's own method."""
        try:
            return original(self, **options)
        except IndexError as error:
            if not self.dataframe.remove_missing_upto_maxlag:
                raise
            raise BackendError(
                f"{name} of tigramite itself fails ({error}): its remove_missing_upto_maxlag steps past the end where "
                "a value is missing in the last rows; leave it False, and a test drops only rows it can't use"
            ) from error

    def _choose_engine(self, name: str, options: dict[str, Any], plan: Plan) -> tuple[str, str]:
        """Return who runs the tests of this call, and why."""
        if self._engine == "tigramite":
            return "tigramite", 'engine="tigramite" was asked for'
        why_not = obstacle(self, name, options, plan)
        if why_not is None:
            return "native", "ParCorr on complete data, which the compiled core computes with tigramite's numbers"
        if self._engine == "native":
            raise BackendError(f'accelerate: engine="native" can\'t run this call of {name}: {why_not}')
        return "tigramite", f"not native because {why_not}"

    def _make_plan(self, name: str, options: dict[str, Any], progress: Progress | None) -> Plan:
        """Check the call and screen the data as they are now."""
        if options["selected_links"] is not None:
            raise InvalidDataError("selected_links no longer exists in tigramite: pass link_assumptions")
        check_data(self.dataframe, self.cond_ind_test)
        series = as_time_series(_plain_view(self.dataframe))
        plan = make_plan(
            series,
            options["link_assumptions"],
            options["tau_min"],
            options["tau_max"],
            lag_zero=name != "run_pc_stable",
            config=self._config,
            n_jobs=self._n_jobs,
            progress=progress,
        )
        if options.get("parents"):  # a constant condition makes a test arbitrary; without it nothing changes
            options["parents"] = {
                j: [link for link in links if not series.constant[link[0]]] for j, links in options["parents"].items()
            }
        return plan

    def get_corrected_pvalues(
        self,
        p_matrix: NDArray[np.float64],
        fdr_method: str = "fdr_bh",
        exclude_contemporaneous: bool = True,
        tau_min: int = 0,
        tau_max: int = 1,
        link_assumptions: Any = None,
    ) -> Any:
        """As tigramite's; inside a run, over every link the user asked about and not over the kept ones alone.

        A pruned link counts with p = 1. Links that can't be tested do not count: one NaN would empty the graph.
        """
        if self._plan is None or fdr_method != "fdr_bh":
            return super().get_corrected_pvalues(
                p_matrix, fdr_method, exclude_contemporaneous, tau_min, tau_max, link_assumptions
            )
        return benjamini_hochberg(p_matrix, self._plan.family & ~np.isnan(p_matrix))

    def _settle(self, results: dict[Any, Any], status: NDArray[np.uint8]) -> None:
        """Give links whose test gave no number val 0, p 1 and a status that says so."""
        if "val_matrix" not in results:  # run_pc_stable returns the parents and leaves the matrices on the object
            results = {"val_matrix": self.val_matrix, "p_matrix": self.p_matrix}
        val, p = results["val_matrix"], results.get("p_matrix")
        ran = status == LinkStatus.OK
        no_value = np.isnan(val)
        no_p = np.zeros_like(ran) if p is None else np.isnan(p)
        if p is not None:  # PCMCI+ keeps its starting values val = 0 and p = 0 where the only test of a link gave NaN
            no_value |= ran & (val == 0) & (p == 0)
            p[no_p | no_value] = 1.0
        status[ran & no_p] = LinkStatus.TOO_FEW_ROWS
        status[ran & no_value] = LinkStatus.NUMERIC
        val[no_p | no_value] = 0.0


def _plain_view(frame: Any) -> Any:
    """Return the data frame as the door takes it: a mask without mask_type has no effect, and the tests drop what
    `remove_missing_upto_maxlag` wants dropped.
    """
    view = copy(frame)
    view.mask = None
    view.remove_missing_upto_maxlag = False
    return view


def _fresh_copy(test: Any) -> Any:
    """Return a copy of a test with empty caches and without its data frame, which PCMCI sets anew."""
    frame = getattr(test, "dataframe", None)
    fresh = deepcopy(test, {id(frame): None})
    for cache in ("cached_ci_results", "ci_results", "residuals"):
        if hasattr(fresh, cache):
            setattr(fresh, cache, {})
    let_run_with_numpy(fresh)
    return fresh


def accelerate(
    given: Any,
    *,
    mode: str = "screen",
    screen: ScreenConfig | None = None,
    engine: str = "auto",
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> AcceleratedPCMCI:
    """Return an accelerated copy of a tigramite PCMCI object; see `arrow_cd.accelerate`."""
    check_options(mode, engine)
    check_class(given, PCMCI, AcceleratedPCMCI)
    check_data(given.dataframe, given.cond_ind_test)
    return AcceleratedPCMCI(given, screen=screen, engine=engine, n_jobs=n_jobs, progress=progress)
