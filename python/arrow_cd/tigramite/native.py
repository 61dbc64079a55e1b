"""The methods of an accelerated PCMCI object, run by the compiled core instead of tigramite's own test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from tigramite.independence_tests.parcorr import ParCorr

from arrow_cd.backends.pcmci import run_native
from arrow_cd.links import LinkStatus
from arrow_cd.tigramite.assumptions import split_links

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.backends.pcmci import NativeRun
    from arrow_cd.tigramite.assumptions import Links
    from arrow_cd.tigramite.pcmci import AcceleratedPCMCI
    from arrow_cd.tigramite.plan import Plan

_PC1_OPTIONS = ("pc_alpha", "max_conds_dim", "max_combinations")


def obstacle(pcmci: AcceleratedPCMCI, name: str, options: Mapping[str, Any], plan: Plan) -> str | None:
    """Return why the core can't give tigramite's numbers for this call, or None if it can."""
    test = pcmci.cond_ind_test
    if type(test) is not ParCorr:
        return f"the test is {type(test).__name__}, not ParCorr"
    pc_alpha = options.get("pc_alpha", 0.2)
    lags = [-lag for links in (options.get("parents") or {}).values() for _, lag in links]
    reasons = {
        f"{name} has no native form": not hasattr(NativeSearch, name),
        f"significance is {test.significance!r}": test.significance != "analytic",
        f"confidence is {test.confidence!r}": bool(test.confidence),
        "values are missing": not plan.series.complete,
        "verbosity above 1 prints every test": max(pcmci.verbosity, test.verbosity) > 1,
        "save_iterations is set": bool(options.get("save_iterations")),
        "val_only is set": bool(options.get("val_only")),
        "pc_alpha is to be chosen from several": pc_alpha is None or np.ndim(pc_alpha) > 0,
        "link_assumptions are not in order of source and lag, which decides ties": not _in_order(plan.links),
        "parents have lags outside 1 to tau_max": any(not 1 <= lag <= options["tau_max"] for lag in lags),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def _in_order(links: Links) -> bool:
    return all(list(sources) == sorted(sources, key=lambda link: (link[0], -link[1])) for sources in links.values())


class NativeSearch:
    """One call of one method; writes the attributes that tigramite's method would write.

    Attributes
    ----------
    tests_run
        Tests so far.
    status : (N, N, tau_max + 1) uint8
        `LinkStatus` of every link the core was asked to test.
    """

    def __init__(
        self, pcmci: AcceleratedPCMCI, plan: Plan, options: Mapping[str, Any], n_jobs: int, progress: Progress | None
    ) -> None:
        self.pcmci, self.plan, self.options = pcmci, plan, options
        self.n_jobs, self.progress = n_jobs, progress
        self.links, self.stated = split_links(plan.links, plan.kept.shape)
        self.tests_run = 0
        self.status = plan.status

    def run_pcmci(self) -> dict[str, Any]:
        """PC1, then MCI, in one run of the core where one run gives both directions of every lag-0 link."""
        if self._two_sided:
            return self._mci(self.run_pc_stable(), **self._limits())
        found = self._core(self.links, **self._pc1_options(), **self._limits())
        self._keep_pc1(found)
        return self._conclude(self._full(found.val, 0.0), self._full(found.p, 1.0))

    def run_pc_stable(self) -> dict[int, list[tuple[int, int]]]:
        """PC1 alone."""
        lagged = self.links.copy()
        lagged[:, :, 0] = False
        found = self._core(lagged, **self._pc1_options())
        self.tests_run -= found.tests_by_phase["mci"]
        self._keep_pc1(found)
        parents: dict[int, list[tuple[int, int]]] = self.pcmci.all_parents
        return parents

    def run_mci(self) -> dict[str, Any]:
        """MCI given the user's parents."""
        return self._mci(self.options["parents"] or {}, **self._limits())

    def run_bivci(self) -> dict[str, Any]:
        """MCI given the target's own past."""
        lags = range(max(1, self.options["tau_min"]), self.options["tau_max"] + 1)
        own = {j: [(j, -tau) for tau in lags] for j in range(self.plan.series.N)}
        return self._mci(own, max_conds_px=0)

    @property
    def _two_sided(self) -> bool:
        """Whether the two directions of a lag-0 link are different tests, because conditions are limited."""
        limited = any(self.options.get(name) is not None for name in ("max_conds_py", "max_conds_px"))
        return limited and bool(self.links[:, :, 0].any())

    def _limits(self) -> dict[str, int]:
        return {name: self._limit(name, self.options["tau_min"]) for name in ("max_conds_py", "max_conds_px")}

    def _pc1_options(self) -> dict[str, Any]:
        options = {name: self.options[name] for name in _PC1_OPTIONS}
        options["max_conds_dim"] = self._limit("max_conds_dim", max(1, self.options["tau_min"]))
        return options

    def _limit(self, name: str, tau_min: int) -> int:
        """A limit as tigramite understands it, its default included."""
        return int(self.pcmci._set_max_condition_dim(self.options[name], tau_min, self.options["tau_max"]))

    def _mci(self, parents: Mapping[int, list[tuple[int, int]]], **limits: int) -> dict[str, Any]:
        """Test every link given these parents: one direction of each lag-0 link, then the other.

        A run of the core gives both directions of an undirected link one result; tigramite marks the link by both.
        """
        first = self.links.copy()
        first[:, :, 0] = np.triu(first[:, :, 0])
        found = self._core(first, parents=parents, **limits)
        val, p = self._full(found.val, 0.0), self._full(found.p, 1.0)
        second = self.links & ~first
        if second.any():
            found = self._core(second, parents=parents, **limits)
            val[second], p[second] = self._full(found.val, 0.0)[second], self._full(found.p, 1.0)[second]
        return self._conclude(val, p)

    def _core(self, links: NDArray[np.bool_], parents: Any = None, **options: Any) -> NativeRun:
        """Run the core on the columns that vary; count its tests and keep what it says about links it couldn't test."""
        series = self.plan.series
        active = series.active()
        at = {int(column): k for k, column in enumerate(active)}
        if parents is not None:
            parents = {at[j]: [(at[i], lag) for i, lag in parents.get(j, ())] for j in at}
        within = np.ix_(active, active)
        found = run_native(
            series.select([series.names[k] for k in active]),
            links[within],
            required=self.stated[within],
            parents=parents,
            n_jobs=self.n_jobs,
            progress=self.progress,
            **options,
        )
        self.tests_run += sum(found.tests_by_phase.values())
        tested = links & (self.status == LinkStatus.OK)
        self.status[tested] = self._full(found.status, LinkStatus.OK)[tested]
        return found

    def _full(self, array: NDArray[Any], rest: float) -> NDArray[Any]:
        """Put an array over the columns that vary into one over all columns."""
        active = self.plan.series.active()
        full = np.full(self.links.shape, rest, dtype=array.dtype)
        full[np.ix_(active, active)] = array
        return full

    def _keep_pc1(self, found: NativeRun) -> None:
        """Write what tigramite's run_pc_stable leaves on the object."""
        pcmci = self.pcmci
        active = self.plan.series.active().tolist()
        parents: dict[int, list[tuple[int, int]]] = {j: [] for j in range(self.plan.series.N)}
        for k, sources in found.parents.items():
            parents[active[k]] = [(active[i], lag) for i, lag in sources]
        val_min, p_max = self._full(found.pc_val_min, 0.0), self._full(found.pc_p_max, 1.0)
        pcmci.all_parents = parents
        pcmci.val_min = {j: {(i, lag): val_min[i, j, -lag] for i, lag in chosen} for j, chosen in parents.items()}
        pcmci.pval_max = {
            j: {(i, lag): p_max[i, j, -lag] for i, lag in chosen if lag} for j, chosen in self.plan.links.items()
        }
        pcmci.iterations = {j: {} for j in parents}
        pcmci.val_matrix, pcmci.p_matrix = self._full(found.pc_val, 0.0), p_max
        if pcmci.verbosity > 0:
            pcmci._print_parents(parents, pcmci.val_min, pcmci.pval_max)

    def _conclude(self, val: NDArray[np.float64], p: NDArray[np.float64]) -> dict[str, Any]:
        """Correct, threshold and symmetrise, in tigramite's order, and leave the results on the object."""
        pcmci, options = self.pcmci, self.options
        lags = {"tau_min": options["tau_min"], "tau_max": options["tau_max"]}
        assumed = pcmci._set_link_assumptions(self.plan.links, **lags)
        p[(self.status != LinkStatus.OK) & self.links] = np.nan  # left out of the correction, p = 1 in the end
        if options["fdr_method"] != "none":
            p = pcmci.get_corrected_pvalues(p, fdr_method=options["fdr_method"], **lags)
        results = {"graph": pcmci.convert_to_string_graph(p <= options["alpha_level"])}
        results |= pcmci.symmetrize_p_and_val_matrix(p_matrix=p, val_matrix=val, link_assumptions=assumed)
        if pcmci.verbosity > 0:
            pcmci.print_significant_links(**results, alpha_level=options["alpha_level"])
        pcmci.results = results
        return results
