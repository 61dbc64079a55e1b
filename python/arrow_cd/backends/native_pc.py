"""The PC algorithm on lagged variables, run by the compiled core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_checks import check_limits, check_masks
from arrow_cd.backends.native_search import MEMORY_BUDGET, InterruptedRun
from arrow_cd.options import check_call, check_choice, check_count, check_probability
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries

TESTS = {"parcorr": (False, False), "robust_parcorr": (True, False), "fisherz": (False, True)}
"""The tests of the core: whether they look at normal scores, and whether p is Fisher's approximation."""

Separators = dict[tuple[tuple[int, int], int], list[tuple[int, int]]]
"""``{((source, -tau), target): [(condition, -lag), ...]}``."""


@dataclass(frozen=True)
class PcRun:
    """What the core found; arrays are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    val, p
        Partial correlation and two-sided p-value of the link's least significant test, the one with the largest p of
        those that were run; 1 and 0 for required links, 0 and 1 where no test could tell.
    status : uint8
        `LinkStatus` of every entry; required links are OK. OVER_BUDGET, and after an interrupt NOT_TESTED: the search
        for this target ended before the link was decided. COLLINEAR: the source repeats an earlier one of the target
        (all but 1e-10 of its variance) or is a combination of such, or conditions explain the target completely.
    parents
        Links that no test dropped, ``{target: [(source, -tau), ...]}``, the strongest first (by smallest abs(r)).
        Where the status is OVER_BUDGET or NOT_TESTED, tests that are still missing might have dropped them.
    separators
        Conditions given which a dropped link was not significant. Links that were not significant without any are left
        out.
    ends
        Why the search for each target ended: "exhausted" (no test was left), "max_conds_dim", "max_tests", "stopped".
    n_samples
        Rows of a test in which nothing is missing.
    tests
        Number of tests.
    timings
        Seconds of "matrix" and "search".
    has_matrix
        Whether tests read correlations of the lagged columns; otherwise each read its own rows.
    """

    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    parents: dict[int, list[tuple[int, int]]]
    separators: Separators
    ends: tuple[str, ...]
    n_samples: int
    tests: int
    timings: dict[str, float]
    has_matrix: bool


def run_native_pc(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_] | None = None,
    test: str = "parcorr",
    pc_alpha: float = 0.01,
    max_conds_dim: int | None = None,
    max_tests: int | None = None,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> PcRun:
    """Search the parents of every series among its lagged links: PC's stable skeleton phase, oriented by time.

    A link is dropped once a test of it given any set of the other links into its target is not significant. Tests use
    the rows t in [2 tau_max, T) of every data set, without those where one of their own samples is missing.

    Parameters
    ----------
    series
        The data.
    links : (N, N, tau_max + 1) bool
        Links to test, indexed [source, target, tau], none of them at lag 0. No other node is ever a condition.
    required : (N, N, tau_max + 1) bool, optional
        Links that are present without a test, and conditions to the end.
    test
        "parcorr": p from Student's t with n - |S| - 2 degrees of freedom, as in tigramite; "robust_parcorr": the same
        of normal scores; "fisherz": from sqrt(n - |S| - 3) |atanh r|, about standard normal, as in causal-learn.
    pc_alpha
        A link with a larger p-value in any test is dropped.
    max_conds_dim
        Most conditions of a test. None: any number, but 3 for a target with more than 40 candidates.
    max_tests
        Most tests a target; one that needs more is left undecided.
    memory_budget
        Bytes for the lagged correlation matrix, 8 C^2 for C = N (L + 1) columns, L the largest lag of a link, and 8 C
        more for every row with normal scores. A larger one is not made, and every test reads its rows.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("pc", done, total)``, counted in targets.

    Raises
    ------
    InvalidDataError
        An argument has the wrong type or shape, or an option is out of range.
    ValueError
        A link at lag 0, or no row is left.
    InterruptedRun
        Ctrl-C; it has what was found until then.

    References
    ----------
    Spirtes, P., Glymour, C., Scheines, R. (2000). Causation, Prediction, and Search, 2nd ed. MIT Press.

    Colombo, D., Maathuis, M. H. (2014). Order-independent constraint-based causal structure learning. Journal of
    Machine Learning Research 15, 3921-3962.
    """
    check_masks(links, required, series.N)
    check_choice("test", test, tuple(TESTS))
    check_probability("pc_alpha", pc_alpha)
    check_limits({"max_conds_dim": max_conds_dim, "max_tests": max_tests})
    check_count("memory_budget", memory_budget, 0)
    check_call(n_jobs, progress)
    values, valid, segments = series.core_arrays()
    normal_scores, fisher_z = TESTS[test]
    found = _core.pc(
        values,
        valid,
        segments,
        links=np.ascontiguousarray(links),
        required=None if required is None else np.ascontiguousarray(required),
        pc_alpha=float(pc_alpha),
        max_conds_dim=max_conds_dim,
        max_tests=max_tests,
        normal_scores=normal_scores,
        fisher_z=fisher_z,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=steps(progress, "pc", series.N),
    )
    run = PcRun(
        val=found["val"],
        p=found["p"],
        status=found["status"],
        parents={j: [(i, -lag) for i, lag in kept] for j, kept in enumerate(found["parents"])},
        separators={((i, -lag), j): [(k, -a) for k, a in given] for (i, lag), j, given in found["separators"]},
        ends=tuple(found["ends"]),
        n_samples=found["n_rows"],
        tests=found["tests"],
        timings=dict(zip(("matrix", "search"), found["seconds"], strict=True)),
        has_matrix=found["has_matrix"],
    )
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run
