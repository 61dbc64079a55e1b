"""VARLiNGAM: lagged links and links within a sample, directed by the non-Gaussianity of the errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import Interrupted, MethodInfo, Outcome
from arrow_cd.backends.lingam_bootstrap import selection_frequency
from arrow_cd.backends.native_lingam import fit_lingam, in_own_units, largest_equation
from arrow_cd.backends.native_search import MEMORY_BUDGET
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_choice, check_count
from arrow_cd.scale import near_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_lingam import LingamFit

_PRUNING = ("alasso", "none")
# Skewness and kurtosis within this many of their standard errors are those of a normal law.
_CRITICAL = 1.96


class NativeVarLingam:
    """`discover(method="varlingam")`; the base install is all it needs.

    Options
    -------
    prune : {"alasso", "none"}
        "alasso": an adaptive lasso chooses among the links of every series by the extended Bayesian criterion, least
        squares on the chosen ones gives the coefficients, and all others are exactly 0. "none": least squares on all
        links, hence an arrow on every one that the order allows unless `threshold` is set. The default had the best F1
        on the families S10 and S1 of `arrow_cd.simulate`, with all links and after a screen alike; the plain Bayesian
        criterion keeps most false candidates of a screen, and no one threshold fits all sample sizes.
    threshold : float
        Links get an arrow if their coefficient exceeds this in size, in standard deviations of the target a standard
        deviation of the source.
    n_boot : int
        Bootstrap samples: residual rows are drawn with replacement, the series generated from them and everything but
        the screen repeated. ``extra["selection_frequency"]`` says how often each link was found.
    """

    method = "varlingam"
    tests: tuple[str, ...] = ()
    tau_min = 0
    rows: Literal["pcmci", "lagged"] = "lagged"
    missing = False
    defaults: Mapping[str, Any] = MappingProxyType({"prune": "alasso", "threshold": 0.0, "n_boot": 0})
    about = MethodInfo(
        assumes="stationary, linear, no hidden common causes, no cycle within one sample, errors that are not Gaussian",
        gives="lagged links and directed links within a sample, a coefficient each, and the causal order; no p-values",
        cost="N^3 T for the order, (N L)^3 for the autoregression, or (N c)^3 on c candidates a target",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_choice("prune", options["prune"], _PRUNING)
        check_count("n_boot", options["n_boot"], 0)
        threshold = options["threshold"]
        if isinstance(threshold, bool) or not isinstance(threshold, Real) or not 0 <= float(threshold) < np.inf:
            raise InvalidDataError(f"threshold={threshold!r}: expected a number of at least 0")

    def run(self, task: Task) -> Outcome:
        """Fit on the links of the task; Ctrl-C during the bootstrap raises `Interrupted` with the fit."""
        near, exponents = near_one(task.series.values)
        task = replace(task, series=replace(task.series, values=near))
        values, _, segments = task.series.core_arrays()
        settings: dict[str, Any] = {
            "prune": task.options["prune"] == "alasso",
            "memory_budget": task.memory_budget or MEMORY_BUDGET,
            "n_jobs": task.n_jobs,
        }
        found = fit_lingam(values, segments, task.links, task.required, progress=task.progress, **settings)
        outcome = _outcome(task, found, exponents)
        if not task.options["n_boot"]:
            return outcome
        try:
            share = selection_frequency(task, found, partial(_arrows, task), settings)
        except KeyboardInterrupt as stop:
            raise Interrupted(outcome) from stop
        frequency = _listed(task, share, share > 0)
        return replace(outcome, extra={**outcome.extra, "selection_frequency": frequency})


def _outcome(task: Task, found: LingamFit, exponents: NDArray[np.intc]) -> Outcome:
    """Place a fit of series that were divided by ``2**exponents``."""
    asked = task.links & ~task.required
    asked[:, :, 0] &= ~task.required[:, :, 0].T
    status = np.where(asked, LinkStatus.OK, LinkStatus.NOT_ASKED).astype(np.uint8)
    dependent = found.dependent[:, None] | found.dependent
    status[asked & (found.dependent_links | dependent[:, :, None])] = LinkStatus.COLLINEAR
    tested = status == LinkStatus.OK
    arrows = _arrows(task, found)
    graph = np.where(arrows, "-->", "").astype("<U3")
    backwards = arrows[:, :, 0].T & ~arrows[:, :, 0]
    graph[:, :, 0][backwards] = "<--"
    names, n = task.series.names, task.series.N
    return Outcome(
        val=np.where(tested, in_own_units(found.coefficients, exponents, names), 0.0),
        p=None,
        tested=tested,
        status=status,
        n_samples=len(found.residuals),
        graph=graph,
        val_unit="units of the target a unit of the source",
        extra={
            "causal_order": [names[k] for k in found.order],
            "standardised": _listed(task, _standardised(task, found), found.coefficients != 0),
            "lags": {"requested": task.tau_max, "used": _used_lag(task)},
        },
        parents={j: [(int(i), -int(lag)) for i, lag in np.argwhere(arrows[:, j])] for j in range(n)},
        tests_by_phase={"pairs": found.n_pairs, "coefficients": int(tested.sum())},
        timings=found.timings,
        notes=tuple(_notes(task, found)),
    )


def _used_lag(task: Task) -> int:
    """Longest lag that any link has."""
    links = task.links | task.required
    return int(np.flatnonzero(links.any(axis=(0, 1))).max(initial=0))


def _standardised(task: Task, found: LingamFit) -> NDArray[np.float64]:
    """Coefficients in standard deviations of the target a standard deviation of the source."""
    deviation = task.series.values.std(axis=0)
    scaled: NDArray[np.float64] = found.coefficients * (deviation[:, None] / deviation)[:, :, None]
    return scaled


def _arrows(task: Task, found: LingamFit) -> NDArray[np.bool_]:
    """Links of the graph; required ones always."""
    arrows: NDArray[np.bool_] = (np.abs(_standardised(task, found)) > task.options["threshold"]) | task.required
    return arrows


def _listed(task: Task, numbers: NDArray[np.float64], where: NDArray[np.bool_]) -> list[list[Any]]:
    """Numbers of some links as [source, target, tau, number], by target."""
    names = task.series.names
    places = sorted(np.argwhere(where).tolist(), key=lambda link: (link[1], link[0], link[2]))
    return [[names[i], names[j], tau, float(numbers[i, j, tau])] for i, j, tau in places]


def _notes(task: Task, found: LingamFit) -> list[str]:
    notes, names = [], task.series.names
    n_rows, most = len(found.residuals), largest_equation(task.links | task.required)
    if most > 0.5 * n_rows:
        notes.append(
            f"VARLiNGAM has up to {most} coefficients an equation for {n_rows} rows (tau_max={task.tau_max} was asked "
            f"for, {_used_lag(task)} is used): residuals with so few degrees of freedom hardly tell the order"
        )
    gaussian = [names[k] for k in _gaussian(found)]
    if len(gaussian) > 1:
        notes.append(
            f"order not identified among {', '.join(gaussian)}: their errors look Gaussian (skewness and kurtosis), so "
            "that arrows between them within a sample could as well point the other way"
        )
    if found.dependent.any():
        left_out = ", ".join(names[k] for k in np.flatnonzero(found.dependent))
        notes.append(f"linear combinations of other series or of the past, left out: {left_out}")
    return notes


def _gaussian(found: LingamFit) -> list[int]:
    """Series whose errors have neither skewness nor kurtosis to tell them from normal ones."""
    errors = found.residuals - found.residuals @ found.coefficients[:, :, 0]
    n = len(errors)
    looks = []
    for k in found.order:
        z = (errors[:, k] - errors[:, k].mean()) / errors[:, k].std()
        skewness, kurtosis = np.mean(z**3) / np.sqrt(6 / n), (np.mean(z**4) - 3) / np.sqrt(24 / n)
        if max(abs(skewness), abs(kurtosis)) < _CRITICAL:
            looks.append(k)
    return looks


BACKENDS = (NativeVarLingam(),)
