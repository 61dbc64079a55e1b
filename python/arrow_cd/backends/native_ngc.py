"""Neural Granger causality with one small network a target, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrow_cd import _core
from arrow_cd.backends.native_checks import check_masks
from arrow_cd.backends.native_search import MEMORY_BUDGET, InterruptedRun
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_choice, check_count
from arrow_cd.progress import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries

PENALTIES = ("gl", "gsgl", "h")
"""Group lasso, group-sparse group lasso, hierarchical group lasso."""

Penalty = Literal["gl", "gsgl", "h"]
End = Literal["converged", "not converged", "numeric"]


@dataclass(frozen=True)
class TargetFit:
    """How the fit of one target's network went.

    Attributes
    ----------
    end
        "converged"; "not converged" when `max_iter` came first; "numeric" when the objective would not stay finite at
        any learning rate.
    iterations
        Steps taken.
    objective
        At the start and at the end.
    r2
        Share of the target's variance that the network explains on the rows it was fitted to.
    """

    end: End
    iterations: int
    objective: tuple[float, float]
    r2: float


@dataclass(frozen=True)
class NgcRun:
    """What the core found.

    Attributes
    ----------
    norms : (N, N, tau_max + 1) float64
        Norm of the weights that leave each column for the hidden units, on standardised series, indexed
        [source, target, tau]; 0 where there is no column.
    fits
        Of every target that was fitted; one without candidates isn't.
    lam
        The factor of the penalty.
    n_samples
        Rows.
    """

    norms: NDArray[np.float64]
    fits: dict[int, TargetFit]
    lam: float
    n_samples: int


# The least factor, and the one for a single row.
_LAM = {"gl": (0.15, 100.0), "gsgl": (0.05, 60.0), "h": (0.1, 50.0)}


def default_lam(penalty: Penalty, rows: int) -> float:
    """Return the factor of the penalty that is used when none is given: 0.1 for "h", and 50 / rows where that is more.

    What a column of noise can gain falls with 1 / rows, and 50 / rows keeps most white noise out. A factor far above
    0.1 loses links of chaotic systems, which are many and of equal strength. For "gsgl" the two numbers are 0.05 and
    60, as a column that is alone counts twice; for "gl" 0.15 and 100, as noise may pick among all lags at one price.
    """
    least, by_rows = _LAM[penalty]
    return max(least, by_rows / rows)


def run_ngc(
    series: TimeSeries,
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_] | None = None,
    penalty: Penalty = "h",
    lam: float | None = None,
    ridge: float = 0.01,
    hidden: int = 16,
    lr: float = 0.05,
    tol: float = 1e-4,
    max_iter: int = 20_000,
    seed: int = 0,
    memory_budget: int = MEMORY_BUDGET,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> NgcRun:
    """Fit a component-wise perceptron to every target and say how much weight each lagged input has.

    The network of target j, ``d + v' relu(W z + b)``, reads the columns z(t) = x_i(t - tau) of the links into j and
    nothing else. It minimises ``mean squared error + ridge |v|^2 + lam * penalty(W)`` by proximal gradient steps, on
    series of mean 0 and variance 1.

    Parameters
    ----------
    series
        The data, complete. Rows are t in [tau_max, T) of every data set.
    links : (N, N, tau_max + 1) bool
        The columns of every target, indexed [source, target, tau], tau from 1 on.
    required : (N, N, tau_max + 1) bool, optional
        More columns, which no sparsity penalty pulls at: their weights are in the ridge instead. (With no penalty at
        all they would grow while v shrinks, for ever.)
    penalty
        "gl": the norms of all weights of a source. "gsgl": these and the norms of every column. "h": of a source the
        norms of all lags, of all but the shortest, and so on to the longest alone, so that short lags come in first.
    lam
        Factor of the penalty; None for `default_lam`.
    ridge
        Factor of the squares of v (and of the weights of required columns).
    hidden
        Units of the hidden layer.
    lr
        Learning rate. It is halved, and steps taken back, whenever the objective rises by more than `tol`.
    tol
        A target has converged once its objective changes by less than this share at five looks in a row, 25 steps
        apart.
    max_iter
        Most steps of a target.
    seed
        Initial weights follow from it and from the names of the series, so that the order of columns does not matter.
    memory_budget
        Bytes for the inputs and weights of one target, about ``4 c (T + 3 hidden)`` for c columns.
    n_jobs
        Threads, 0 for all cores; results are identical for any number.
    progress
        Called as ``("fit", done, total)`` in targets.

    Raises
    ------
    InvalidDataError
        An argument has the wrong type, shape or value.
    ValueError
        A value is missing, a series does not vary, a link is at lag 0, or no row is left.
    MemoryError
        A target has more columns than `memory_budget` allows.
    InterruptedRun
        Ctrl-C; it has the targets that were finished.

    References
    ----------
    Tank, A., Covert, I., Foti, N., Shojaie, A., Fox, E. B. (2022). Neural Granger causality. IEEE Transactions on
    Pattern Analysis and Machine Intelligence 44, 4267-4279.
    """
    check_masks(links, required, series.N)
    required = np.zeros_like(links) if required is None else required
    check_network({"penalty": penalty, "lam": lam, "ridge": ridge, "hidden": hidden, "lr": lr, "tol": tol})
    check_count("max_iter", max_iter, 1)
    check_count("seed", seed, 0)
    check_count("memory_budget", memory_budget, 0)
    check_call(n_jobs, progress)
    rows = series.sample_rows(links.shape[2] - 1, "lagged")
    lam = default_lam(penalty, max(rows, 1)) if lam is None else float(lam)
    values, valid, segments = series.core_arrays()
    found = _core.ngc(
        values,
        valid,
        segments,
        links=np.ascontiguousarray(links),
        required=np.ascontiguousarray(required),
        keys=[_key(name) for name in series.names],
        penalty=penalty,
        hidden=hidden,
        lam=lam,
        ridge=float(ridge),
        lr=float(lr),
        tol=float(tol),
        max_iter=max_iter,
        seed=seed,
        memory_budget=memory_budget,
        n_jobs=n_jobs,
        progress=steps(progress, "fit", series.N),
    )
    norms, fits = np.zeros(links.shape), {}
    for target, fit in enumerate(found["targets"]):
        if fit is not None:
            sources, lags = np.array(fit["columns"], dtype=np.intp).T
            norms[sources, target, lags] = fit["norms"]
            fits[target] = TargetFit(fit["end"], fit["iterations"], fit["objective"], fit["r2"])
    run = NgcRun(norms, fits, lam, found["n_rows"])
    if found["interrupted"]:
        raise InterruptedRun(run)
    return run


def check_network(options: Mapping[str, Any]) -> None:
    """Raise InvalidDataError for an option of the network or its training that can't be meant."""
    check_choice("penalty", options["penalty"], PENALTIES)
    check_count("hidden", options["hidden"], 1)
    for name in ("lam", "ridge", "lr", "tol"):
        value = options[name]
        if name == "lam" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
            # Without lam or ridge the scale of one layer has no bound, for the other takes it back.
            raise InvalidDataError(f"{name}={value!r}: expected a positive number")


def _key(name: str) -> int:
    """64 bits that stand for a name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
