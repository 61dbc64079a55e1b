"""Screens: which (source, lag) pairs of each target are worth a causal search."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from arrow_cd import _core
from arrow_cd.candidates import Candidates
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_choice, check_count
from arrow_cd.progress import reporting, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress

Strategy = Literal["weave", "forward", "marginal", "paper"]
Rows = Literal["pcmci", "lagged"]

# One own lag, an intercept, a slope and a degree of freedom.
MIN_ROWS = 4


@dataclass(frozen=True)
class ScreenConfig:
    """Which screen, and how generous.

    Parameters
    ----------
    strategy : {"weave", "forward", "marginal", "paper"}
        `weave`: XOR scans of coded residuals propose, exact least squares decides. `forward`: the same decision over
        every lagged column; its table takes ``8 (2 N (tau_max + 1))^2`` bytes. `marginal`: every pair and lag alone, on
        AR(1) innovations; misses links that cancel. `paper`: ARROW's own rule, the baseline. It keeps lags
        ``1 .. min(tau_max, 0.1 T - 1)`` with trend agreement above .33, which passes 0.75 % of unrelated pairs a lag at
        T = 1,000, 14 % at 300 and 38 % at 100; own lags are kept only if they score.
    bits : {1, 2, 3}
        Bits of a code (`weave`).
    pool : int
        Proposals per group and scan (`weave`).
    kappa : float
        Expected number of false candidates a target (`weave`, `forward`).
    own_lags : int
        Own lags 1 to `own_lags` are always candidates (`weave`, `forward`).
    even : bool
        Let |x - median| compete as a source as well (`weave`, `forward`): finds even dependence such as x^2.
    keep_marginal : int
        Also keep the best lag of this many most correlated sources (`weave`, `forward`).
    max_add : int
        Columns that may join the own lags, never more than a fifth of the rows (`weave`, `forward`).
    max_scans : int
        Scans at most (`weave`).

    Raises
    ------
    InvalidDataError
        An option is outside its range.
    """

    strategy: Strategy = "weave"
    bits: int = 2
    pool: int = 32
    kappa: float = 1.0
    own_lags: int = 1
    even: bool = True
    keep_marginal: int = 0
    max_add: int = 30
    max_scans: int = 8

    def __post_init__(self) -> None:
        check_choice("screen strategy", self.strategy, get_args(Strategy))
        counts = {"bits": 1, "pool": 1, "own_lags": 0, "keep_marginal": 0, "max_add": 0, "max_scans": 1}
        for name, least in counts.items():
            check_count(f"screen option {name}", getattr(self, name), least)
        if self.bits > 3:
            raise InvalidDataError(f"screen option bits={self.bits!r}: expected 1, 2 or 3")
        kappa = self.kappa
        if isinstance(kappa, bool) or not isinstance(kappa, Real) or not 0 < float(kappa) < np.inf:
            raise InvalidDataError(f"screen option kappa={kappa!r}: expected a positive number")
        if not isinstance(self.even, bool | np.bool_):
            raise InvalidDataError(f"screen option even={self.even!r}: expected True or False")
        # numpy's numbers would neither go through JSON nor equal those read back.
        plain = {name: int(getattr(self, name)) for name in counts} | {"kappa": float(kappa), "even": bool(self.even)}
        for name, value in plain.items():
            object.__setattr__(self, name, value)


def check_screening(mode: str, config: object, memory_budget: object) -> None:
    """Raise unless `config` is None or a ScreenConfig with mode "screen", and the budget None or a number of bytes."""
    if config is not None and not isinstance(config, ScreenConfig):
        raise InvalidDataError(f"screen={config!r}: expected a ScreenConfig")
    if config is not None and mode == "exact":
        raise InvalidDataError("screen=...: mode 'exact' screens nothing; leave one of the two out")
    if memory_budget is not None:
        check_count("memory_budget", memory_budget, 1)


def screen(
    data: Any,
    *,
    tau_max: int,
    tau_min: int = 1,
    config: ScreenConfig | None = None,
    rows: Rows = "pcmci",
    allowed: NDArray[np.bool_] | None = None,
    memory_budget: int | None = None,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> Candidates:
    """Choose candidate parents for every series.

    Parameters
    ----------
    data : TimeSeries, array of shape (T, N), data frame, path or tigramite data frame
        The series; see `as_time_series`.
    tau_max, tau_min : int
        Lags to screen, in samples. Lag 0 is never screened: `tau_min=0` screens from lag 1.
    config : ScreenConfig, optional
        Which screen; `weave` by default.
    rows : {"pcmci", "lagged"}
        Rows of the exact decision: ``t >= 2 tau_max`` as PCMCI uses, or ``t >= tau_max``.
    allowed : ndarray of bool, shape (N, N, tau_max + 1), optional
        Links that may be chosen or conditioned on, [source, target, tau]; all by default.
    memory_budget : int, optional
        Bytes that the table of `forward` may take; 4 GiB by default.
    n_jobs : int
        Threads, 0 for one per core. The result does not depend on it.
    progress : callable or bool, optional
        Callback ``(phase, done, total)`` counted in targets, or True for a bar on standard error.

    Returns
    -------
    Candidates
        Constant series are left out: they are neither sources nor targets.

    Raises
    ------
    InvalidDataError
        Lags out of range, or too few rows for `tau_max`.
    MemoryError
        The table of `forward` would exceed `memory_budget`.

    Notes
    -----
    Missing values: codes use pairwise-complete samples; the exact sums take standardised values with 0 for missing,
    so their degrees of freedom are a little optimistic.
    """
    config = ScreenConfig() if config is None else config
    if not isinstance(config, ScreenConfig):
        raise InvalidDataError(f"config={config!r}: expected a ScreenConfig")
    check_count("tau_max", tau_max, 1)
    check_count("tau_min", tau_min, 0)
    check_choice("rows", rows, get_args(Rows))
    check_call(n_jobs, progress)
    if memory_budget is not None:
        check_count("memory_budget", memory_budget, 1)
    series = as_time_series(data)
    tau_min = max(1, tau_min)
    if tau_max < tau_min:
        raise InvalidDataError(f"tau_max={tau_max}: a screen needs at least one lag from {tau_min} on")
    series.require_rows(tau_max, MIN_ROWS, rows)
    shape = (series.N, series.N, tau_max + 1)
    if allowed is not None and (np.shape(allowed) != shape or np.asarray(allowed).dtype != bool):
        raise InvalidDataError(
            f"allowed is {np.asarray(allowed).dtype} of shape {np.shape(allowed)}, expected bool of shape "
            f"(N, N, tau_max + 1) = {shape}"
        )
    began = time.perf_counter()
    active = series.active()
    with reporting(progress) as report:
        targets, sources, lags, scores = _core.screen(
            *series.core_arrays(active),
            **asdict(config),
            tau_min=tau_min,
            tau_max=tau_max,
            first_row=2 * tau_max if rows == "pcmci" else tau_max,
            allowed=None if allowed is None else np.ascontiguousarray(np.asarray(allowed)[np.ix_(active, active)]),
            memory_budget=memory_budget or 4 << 30,
            n_jobs=n_jobs,
            progress=steps(report, "screen", len(active)),
        )
    order: dict[int, list[tuple[int, int]]] = {target: [] for target in range(series.N)}
    kept: dict[int, list[float]] = {target: [] for target in range(series.N)}
    links = (active[targets].tolist(), active[sources].tolist(), lags.tolist(), scores.tolist())
    for target, source, lag, score in zip(*links, strict=True):
        order[target].append((source, -lag))
        kept[target].append(score)
    timings = {"screen": time.perf_counter() - began}
    return Candidates(order, kept, series.names, tau_min, tau_max, config, timings)
