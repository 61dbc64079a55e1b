"""The methods of an accelerated PCMCI object, run by the compiled core instead of tigramite's own test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.native_pcmci import PC_ALPHAS, run_native
from arrow_cd.backends.native_search import MEMORY_BUDGET
from arrow_cd.links import LinkStatus
from arrow_cd.tigramite.confidence import analytic_bounds
from arrow_cd.tigramite.native_plus import run_pcmciplus
from arrow_cd.tigramite.stand_in import NORMAL_SCORES
from arrow_cd.tigramite.varying import inward, over_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.native_pcmci import NativeRun
    from arrow_cd.backends.native_search import SearchRun
    from arrow_cd.tigramite.pcmci import AcceleratedPCMCI
    from arrow_cd.tigramite.run import Run
    from arrow_cd.tigramite.varying import Parents


def has_native_form(pcmci: AcceleratedPCMCI, name: str) -> bool:
    """Whether a method may run natively on some data with this object's test and engine."""
    natively = pcmci.settings.engine != "tigramite" and type(pcmci.cond_ind_test) in NORMAL_SCORES
    return natively and hasattr(NativeSearch, name)


def obstacle(run: Run, name: str, options: Mapping[str, Any]) -> str | None:
    """Return why the core can't give tigramite's numbers for this call, or None if it can."""
    test, frame = run.pcmci.cond_ind_test, run.pcmci.dataframe
    if type(test) not in NORMAL_SCORES:
        return f"the test is {type(test).__name__}, not ParCorr or RobustParCorr"
    confidence = test.confidence if "alpha_level" in options else None  # other methods give no bounds
    several = name == "run_pcmciplus" and (options["pc_alpha"] is None or np.ndim(options["pc_alpha"]) > 0)
    reasons = {
        f"{name} has no native form": not hasattr(NativeSearch, name),
        f"significance is {test.significance!r}": test.significance != "analytic",
        "recycle_residuals ranks residuals in place of samples": NORMAL_SCORES[type(test)] and test.recycle_residuals,
        f"confidence is {confidence!r}": bool(confidence) and confidence != "analytic",
        "stated links are to get confidence bounds": bool(confidence) and bool(run.plan.stated.any()),
        "stated links are to be measured (val_only)": bool(options.get("val_only")) and bool(run.plan.stated.any()),
        "tigramite's code chooses among several pc_alpha": several,
        "vector_vars are given": frame.has_vector_data,
        "verbosity above 1 prints every test": max(run.pcmci.verbosity, test.verbosity) > 1,
        "save_iterations is set": bool(options.get("save_iterations")),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


class NativeSearch:
    """One call of one method; writes the attributes that tigramite's method would write.

    Attributes
    ----------
    tests_run
        Tests so far.
    """

    def __init__(self, run: Run, options: Mapping[str, Any]) -> None:
        self.run, self.pcmci, self.plan, self.options = run, run.pcmci, run.plan, options
        self.tests_run = 0

    def run_pcmci(self) -> dict[str, Any]:
        """PC1, then MCI."""
        found = self._core(**self._pc1_options(), **self._mci_options())
        self.keep_pc1(found, self._levels(found))
        return self._conclude(found)

    def run_pc_stable(self) -> dict[int, list[tuple[int, int]]]:
        """PC1 alone."""
        found = self._core(**self._pc1_options(), mci=False)
        self.keep_pc1(found, self._levels(found))
        return found.parents

    def run_pcmciplus(self) -> dict[str, Any]:
        """PCMCI+."""
        return run_pcmciplus(self, {**self._pc1_options(), **self._mci_options()})

    def run_mci(self) -> dict[str, Any]:
        """MCI given the user's parents."""
        return self._conclude(self._core(parents=self.options["parents"] or {}, **self._mci_options()))

    def run_bivci(self) -> dict[str, Any]:
        """MCI given the target's own past."""
        own = {j: [(j, lag) for lag in self._past] for j in range(self.pcmci.N)}
        return self._conclude(self._core(parents=own, max_conds_px=0))

    def run_fullci(self) -> dict[str, Any]:
        """MCI given the past of all variables."""
        everything = [(i, lag) for i in range(self.pcmci.N) for lag in self._past]
        return self._conclude(self._core(parents=dict.fromkeys(range(self.pcmci.N), everything), max_conds_px=0))

    def get_lagged_dependencies(self) -> dict[str, Any]:
        """MCI without conditions."""
        return self._conclude(self._core(parents={}))

    @property
    def _past(self) -> list[int]:
        return [-tau for tau in range(max(1, self.options["tau_min"]), self.options["tau_max"] + 1)]

    def _levels(self, found: NativeRun) -> dict[int, float] | None:
        """The level that PC1 chose for every target, if there were several; a constant target takes the first."""
        given = self.options["pc_alpha"]
        if given is not None and np.ndim(given) == 0:
            return None
        first = (PC_ALPHAS if given is None else given)[0]
        return {j: found.pc_alpha.get(j, first) for j in range(self.pcmci.N)}

    def _mci_options(self) -> dict[str, Any]:
        return {name: self._limit(name, self.options["tau_min"]) for name in ("max_conds_py", "max_conds_px")}

    def _pc1_options(self) -> dict[str, Any]:
        return {
            "pc_alpha": self.options["pc_alpha"],
            "max_combinations": self.options["max_combinations"],
            "max_conds_dim": self._limit("max_conds_dim", max(1, self.options["tau_min"])),
        }

    def _limit(self, name: str, tau_min: int) -> int:
        """A limit as tigramite understands it, its default included."""
        return int(self.pcmci._set_max_condition_dim(self.options[name], tau_min, self.options["tau_max"]))

    def _core(self, *, parents: Parents | None = None, **options: Any) -> NativeRun:
        """Run PC1, MCI or both."""
        given = None if parents is None else inward(parents, self.run.series.active().tolist())
        found: NativeRun = self.on_core(run_native, parents=given, **options)
        return found

    def on_core(self, search: Callable[..., Any], **options: Any) -> Any:
        """Run a search of the core on the columns that vary, count its tests and give its results for all columns."""
        plan, series, settings = self.plan, self.run.series, self.pcmci.settings
        active = series.active().tolist()
        within = np.ix_(active, active)
        found = search(
            series.select([series.names[k] for k in active]),
            plan.to_test[within],
            rows=self.run.rows(active),
            required=plan.to_take[within],
            normal_scores=NORMAL_SCORES[type(self.pcmci.cond_ind_test)],
            order=None if plan.in_order else inward({j: plan.sources(j) for j in active}, active),
            memory_budget=settings.memory_budget or MEMORY_BUDGET,
            n_jobs=settings.n_jobs,
            progress=self.run.progress,
            **options,
        )
        self.tests_run += sum(found.tests_by_phase.values())
        if found.correlations == "rows":
            self.run.notes.append(
                "there are no lagged correlations, because the rows differ from test to test or they exceed the memory "
                "budget: every test read its rows, which is slower"
            )
        return over_all(found, active, self.pcmci.N)

    def keep_pc1(self, found: SearchRun, levels: Mapping[int, float] | None = None) -> None:
        """Write what tigramite's run_pc_stable leaves on the object; `levels` are the targets' if it chose them."""
        pcmci = self.pcmci
        pcmci.all_parents, pcmci.val_matrix, pcmci.p_matrix = found.parents, found.pc_val, found.pc_p_max
        pcmci.iterations = {j: {} if levels is None else {"optimal_pc_alpha": levels[j]} for j in found.parents}
        pcmci.val_min, pcmci.pval_max = {}, {}
        for j, chosen in found.parents.items():
            lagged, kept = self.plan.lagged_sources(j), set(chosen)
            val_min, p_max = found.pc_val_min[:, j].tolist(), found.pc_p_max[:, j].tolist()
            pcmci.val_min[j] = {(i, lag): val_min[i][-lag] for i, lag in filter(kept.__contains__, lagged)}
            pcmci.pval_max[j] = {link: p_max[link[0]][-link[1]] for link in lagged}
        if pcmci.verbosity > 0:
            pcmci._print_parents(found.parents, pcmci.val_min, pcmci.pval_max)

    def take_status(self, found: SearchRun) -> None:
        """Note which of the links to test could not be tested."""
        tested = self.plan.kept & (self.run.status == LinkStatus.OK)
        self.run.status[tested] = found.status[tested]

    def _conclude(self, found: NativeRun) -> dict[str, Any]:
        """Put the results together as tigramite does, and leave them on the object."""
        pcmci, test = self.pcmci, self.pcmci.cond_ind_test
        results: dict[str, Any] = {}
        if not self.options.get("val_only"):
            found, results["graph"] = self._decide(found)
            results["p_matrix"] = found.p
        results["val_matrix"] = found.val
        results["conf_matrix"] = analytic_bounds(found, self.plan.kept, test.conf_lev) if test.confidence else None
        self.take_status(found)
        if pcmci.verbosity > 0 and "graph" in results:
            pcmci.print_significant_links(**results, alpha_level=self.options["alpha_level"])
        pcmci.results = results
        return results

    def _decide(self, found: NativeRun) -> tuple[NativeRun, NDArray[np.str_]]:
        """Correct, threshold, then symmetrise: in this order a graph can tell the two directions of a pair apart."""
        options, links = self.options, self.plan.to_test | self.plan.to_take
        if options["fdr_method"] != "none":
            # Left out of the correction: tests that could not be done. Those of constants count with p = 1.
            p = np.where(links & (found.status > LinkStatus.CONSTANT), np.nan, found.p)
            q = self.pcmci.get_corrected_pvalues(p, fdr_method=options["fdr_method"], tau_max=options["tau_max"])
            found = replace(found, p=np.where(np.isnan(q), 1.0, q))
        graph = self.pcmci.convert_to_string_graph(found.p <= options["alpha_level"])
        return _both_directions(found, links[:, :, 0]), graph


def _both_directions(found: NativeRun, links: NDArray[np.bool_]) -> NativeRun:
    """Give both directions of a pair at lag 0 one result: of a directed link its own, else that of the larger p."""
    found = found.symmetric(links[:, :, None])
    for array in (found.val, found.p, found.df, found.status):
        array[:, :, 0] = np.where(links.T & ~links, array[:, :, 0].T, array[:, :, 0])
    return found
