"""One call of one method of an accelerated PCMCI object: plan, engines, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from tigramite.pcmci import PCMCI

from arrow_cd.backends.native_checks import check_nodes
from arrow_cd.backends.rows import RowSpec
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.progress import reporting, steps
from arrow_cd.tigramite.accept import check_method, check_options, check_test
from arrow_cd.tigramite.assumptions import check_parents
from arrow_cd.tigramite.counting import count_tests
from arrow_cd.tigramite.native import NativeSearch, obstacle
from arrow_cd.tigramite.plan import make_plan
from arrow_cd.tigramite.prefilter import prefilter
from arrow_cd.tigramite.report import ScreeningReport
from arrow_cd.tigramite.rows import chosen_rows, masked_samples, read_frame, variables_vary
from arrow_cd.tigramite.stand_in import answered, drop_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.candidates import Candidates
    from arrow_cd.tigramite.pcmci import AcceleratedPCMCI


def run_method(pcmci: AcceleratedPCMCI, name: str, options: dict[str, Any]) -> Any:
    """Plan, run and report one call; `options` are all arguments of tigramite's method `name`."""
    pcmci.screening = None
    with reporting(pcmci.settings.progress) as progress:
        began = time.perf_counter()
        run = Run(pcmci, name, options, progress)
        planned = time.perf_counter()
        pcmci.active_run = run
        try:
            results = run.call(name, options)
        finally:
            pcmci.active_run = None
        _settle(pcmci, results, run.status)
        timings = {"prefilter": planned - began, "search": time.perf_counter() - planned}
        pcmci.screening = run.report(timings)
        return results


class Run:
    """A call by the user, with all calls of tigramite's methods among each other that it leads to.

    Attributes
    ----------
    series, plan
        The samples as the door understands them, and the links of this run.
    notes
        What the user should hear.
    status : (N, N, tau_max + 1) uint8
        `LinkStatus` of every entry.
    """

    def __init__(self, pcmci: AcceleratedPCMCI, name: str, options: dict[str, Any], progress: Progress | None) -> None:
        if options["selected_links"] is not None:
            raise InvalidDataError("selected_links no longer exists in tigramite: pass link_assumptions")
        check_test(pcmci.cond_ind_test, pcmci.settings.mode)
        check_options(name, options, by_threshold=pcmci.cond_ind_test.significance == "fixed_thres")
        check_method(name, options, pcmci.settings.mode)
        self.pcmci, self.name, self.progress = pcmci, name, progress
        self.tau_max: int = options["tau_max"]
        self.series = read_frame(pcmci.dataframe)
        self.series.require_varying()
        varies = variables_vary(pcmci.dataframe, self.series)
        self.plan = make_plan(
            varies,
            options["link_assumptions"],
            options["tau_min"],
            self.tau_max,
            lag_zero=name != "run_pc_stable",
            prefilter=self._screen if pcmci.settings.mode == "screen" else None,
        )
        if options.get("parents") is not None:
            check_nodes("parents", options["parents"], pcmci.N)
            check_parents(options["parents"], self.plan.asked, of_sources=options["max_conds_px"] != 0)
            # A constant condition makes a test arbitrary; without it nothing changes.
            options["parents"] = {
                j: [link for link in links if varies[link[0]]] for j, links in options["parents"].items()
            }
        self.status = self.plan.status
        self._native_tests = self._other_tests = 0
        self.notes = list(self.series.notes)
        self._engine: tuple[str, str] | None = None
        self._native_parts: dict[str, None] = {}

    def rows(self, columns: Sequence[int]) -> RowSpec:
        """Return the rows of this run's tests, with the masks of these columns."""
        frame, mask_type = self.pcmci.dataframe, self.pcmci.cond_ind_test.mask_type
        sets = chosen_rows(frame, 2 * self.tau_max)
        reference = None
        if sets is not None:
            reference = np.concatenate([rows + k for rows, (k, _) in zip(sets, self.series.segments, strict=True)])
        return RowSpec(
            reference=reference,
            mask=None if mask_type is None else masked_samples(frame)[:, columns],
            mask_type="" if mask_type is None else "".join(mask_type),
            lose_after_missing=bool(frame.remove_missing_upto_maxlag),
        )

    def _screen(self, asked: NDArray[np.bool_], tau_min: int) -> Candidates:
        pcmci = self.pcmci
        return prefilter(
            pcmci.dataframe,
            pcmci.cond_ind_test.mask_type,
            self.series,
            asked,
            tau_min=tau_min,
            tau_max=self.tau_max,
            config=pcmci.settings.screen,
            memory_budget=pcmci.settings.memory_budget,
            n_jobs=pcmci.settings.n_jobs,
            progress=self.progress,
        )

    def call(self, name: str, options: dict[str, Any]) -> Any:
        """Run the user's method, or one that tigramite's own code calls in turn, by whom it can be run."""
        engine, reason = self._choose_engine(name, options)
        outermost = self._engine is None
        if outermost:
            self._engine = engine, reason
        if engine == "native":
            if not outermost:
                self._native_parts[name] = None
            search = NativeSearch(self, options)
            results = getattr(search, name)()
            self._native_tests += search.tests_run
            return results
        if not outermost:  # its tests are counted by the one that called it
            return getattr(PCMCI, name)(self.pcmci, **options)
        with drop_in(self.pcmci) if engine == "drop-in" else nullcontext() as quick:
            results = self._tigramite(name, options | {"link_assumptions": self.plan.links})
        fast = answered(quick)
        self._engine = ("tigramite", reason) if fast is None else ("drop-in", f"{reason}; {fast}")
        return results

    def _tigramite(self, name: str, options: dict[str, Any]) -> Any:
        """Call tigramite's own method and count its tests."""
        report = steps(self.progress, "search", self.pcmci.N)
        try:
            with count_tests(self.pcmci.cond_ind_test, report) as count:
                return getattr(PCMCI, name)(self.pcmci, **options)
        except IndexError as error:
            if not self.pcmci.dataframe.remove_missing_upto_maxlag:
                raise
            raise BackendError(
                f"{name} of tigramite itself fails ({error}): its remove_missing_upto_maxlag steps past the end where "
                "a value is missing in the last rows; leave it False, and a test drops only rows it can't use"
            ) from error
        finally:
            self._other_tests = count.run

    def _choose_engine(self, name: str, options: dict[str, Any]) -> tuple[str, str]:
        """Return who is to run the tests of this call, and why; a drop-in test may find that it can't."""
        wanted = self.pcmci.settings.engine
        if wanted == "tigramite":
            return "tigramite", 'engine="tigramite" was asked for'
        why_not = obstacle(self, name, options)
        if why_not is None:
            kind = type(self.pcmci.cond_ind_test).__name__
            return "native", f"{kind}, which the compiled core computes with tigramite's numbers"
        if wanted == "native" and self._engine is None:
            raise BackendError(f'accelerate: engine="native" can\'t run this call of {name}: {why_not}')
        return "drop-in", f"not native because {why_not}"

    def report(self, timings: dict[str, float]) -> ScreeningReport:
        """Return what the user is told."""
        assert self._engine is not None
        engine, reason = self._engine
        if self._native_parts:
            engine = f"{engine} + native" if self._other_tests else "native"
            reason += f"; {', '.join(self._native_parts)} natively"
        elif engine == "tigramite" and self.pcmci.settings.mode == "exact":
            reason += "; mode exact leaves nothing out, so that nothing is saved"
        return ScreeningReport(
            method=self.name,
            mode=self.pcmci.settings.mode,
            candidates=self.plan.candidates,
            tested=self.status == LinkStatus.OK,
            status=self.status,
            tests_run=self._native_tests + self._other_tests,
            tests_avoided=self.plan.pruned,
            timings=timings,
            engine=engine,
            reason=reason,
            notes=tuple(dict.fromkeys(self.notes)),
        )


def _settle(pcmci: AcceleratedPCMCI, results: dict[Any, Any], status: NDArray[np.uint8]) -> None:
    """Give links whose test gave no number val 0, p 1 and a status that says so."""
    if "val_matrix" not in results:  # run_pc_stable returns the parents and leaves the matrices on the object
        results = {"val_matrix": pcmci.val_matrix, "p_matrix": pcmci.p_matrix}
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
