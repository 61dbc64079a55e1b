"""Neural Granger causality on the common protocol."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd.backends.base import MethodInfo, Outcome, PairTests
from arrow_cd.backends.native_ngc import check_network, run_ngc
from arrow_cd.backends.native_search import run_task
from arrow_cd.links import LinkStatus
from arrow_cd.options import check_count, check_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_ngc import NgcRun

    Mask = NDArray[np.bool_]

_STATUS = {
    "converged": LinkStatus.OK,
    "not converged": LinkStatus.NOT_CONVERGED,
    "numeric": LinkStatus.NUMERIC,
}


class NativeNgc:
    """`discover(method="ngc")`: which inputs keep weight in a sparse network of each target.

    ``val`` is the norm of a column's weights, of a pair the norm of all its lags' weights. There are no p-values: an
    arrow goes where a norm is above 0 and at least `min_share` of the target's largest. Norms rank links rightly long
    before those without effect reach 0, so arrows on every norm above 0 would be mostly false ones. What a share costs
    is a weak link beside a strong one (usually the target's own past): it has no arrow, but still its ``val``.

    Options are those of `run_ngc`, and

    min_share
        Share of the target's largest norm that an arrow needs; with ``penalty="gl"``, which finds sources but not their
        lags, of its largest source's norm, and every tested lag of the source gets the arrow.
    """

    method = "ngc"
    tests: tuple[str, ...] = ()
    tau_min = 1
    rows: Literal["pcmci", "lagged"] = "lagged"
    missing = False
    defaults: Mapping[str, Any] = MappingProxyType(
        {
            "penalty": "h",
            "lam": None,
            "ridge": 0.01,
            "hidden": 16,
            "lr": 0.05,
            "tol": 1e-4,
            "max_iter": 20_000,
            "min_share": 0.25,
        }
    )
    about = MethodInfo(
        assumes="stationary, all causes observed, links lagged; any smooth dependence, additive or not",
        gives="weight of each lagged link, no p-values; how well each target is explained",
        cost="4 T c hidden operations a step and target, some thousand steps",
    )

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise InvalidDataError if an option has a value that can't be meant."""
        check_network(options)
        check_count("max_iter", options["max_iter"], 1)
        check_probability("min_share", options["min_share"])

    def run(self, task: Task) -> Outcome:
        """Fit every target; Ctrl-C raises `Interrupted` with the targets that were finished."""
        options = {name: value for name, value in task.options.items() if name != "min_share"}
        return run_task(run_ngc, task, _outcome, links=task.links & ~task.required, seed=task.seed, **options)


def _outcome(task: Task, found: NgcRun) -> Outcome:
    by_target = np.full(task.series.N, LinkStatus.NOT_TESTED, dtype=np.uint8)
    for target, fit in found.fits.items():
        by_target[target] = _STATUS[fit.end]
    asked = task.links & ~task.required
    status = np.where(asked, by_target[:, None], LinkStatus.NOT_ASKED).astype(np.uint8)
    tested = status == LinkStatus.OK
    val = np.where(tested, found.norms, 0.0)
    pairs = PairTests(
        val=np.sqrt((val**2).sum(axis=2)),
        p=None,
        status=np.where(asked.any(axis=2), by_target, LinkStatus.NOT_ASKED).astype(np.uint8),
    )
    arrows = _arrows(task, found.norms, tested)
    return Outcome(
        val=val,
        p=None,
        tested=tested,
        status=status,
        n_samples=found.n_samples,
        graph=np.where(arrows, "-->", "").astype("<U3"),
        pairs=pairs,
        decided_by="pairs" if task.options["penalty"] == "gl" else "links",
        val_unit="norm of weights, standardised",
        extra=_account(task, found),
        parents={target: _parents(found.norms[:, target], arrows[:, target]) for target in found.fits},
        tests_by_phase={"fit": int(tested.sum())},
        notes=_notes(task, found),
    )


def _arrows(task: Task, norms: NDArray[np.float64], tested: Mask) -> Mask:
    """Tested links with enough weight; required columns count among those they are compared with."""
    if task.options["penalty"] == "gl":
        norms = np.broadcast_to(np.sqrt((norms**2).sum(axis=2, keepdims=True)), norms.shape)
    largest = norms.max(axis=(0, 2))[:, None]
    arrows: Mask = tested & (norms > 0) & (norms >= task.options["min_share"] * largest)
    return arrows


def _parents(norms: NDArray[np.float64], arrows: Mask) -> list[tuple[int, int]]:
    """Sources (i, -tau) of one target's arrows, the heaviest first."""
    found = [(int(i), int(tau)) for i, tau in np.argwhere(arrows)]
    return [(i, -tau) for i, tau in sorted(found, key=lambda link: -norms[link])]


def _account(task: Task, found: NgcRun) -> dict[str, Any]:
    """The factor of the penalty, and how each fit went."""
    fits = {
        task.series.names[target]: {
            "converged": fit.end == "converged",
            "iterations": fit.iterations,
            "objective": list(fit.objective) if np.isfinite(fit.objective).all() else None,
            "r2": fit.r2 if np.isfinite(fit.r2) else None,
        }
        for target, fit in found.fits.items()
    }
    return {"lam": found.lam, "fits": fits}


def _notes(task: Task, found: NgcRun) -> tuple[str, ...]:
    """Targets that have no result, and what to do about it."""
    advice = {
        "not converged": f"did not settle within max_iter={task.options['max_iter']} steps: give more, or a larger tol",
        "numeric": f"has no finite objective at any learning rate below lr={task.options['lr']}",
    }
    ends = ((task.series.names[target], fit.end) for target, fit in found.fits.items())
    return tuple(f"the network of {name!r} {advice[end]}" for name, end in ends if end in advice)


BACKENDS = (NativeNgc(),)
