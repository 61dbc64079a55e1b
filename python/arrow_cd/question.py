"""What is asked: data, lags, constraints and method, checked before anything long runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.base import Backend
from arrow_cd.backends.registry import default_test, find_backend, find_backends
from arrow_cd.constraints import Constraints, build_constraints
from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.options import FDRS, MODES, Fdr, Mode, check_choice, check_count, check_lags, check_level, method_options
from arrow_cd.plain import plain
from arrow_cd.screening import ScreenConfig, check_screening

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


DENSE_BUDGET = 4 << 30
"""Bytes the arrays of a run may take by default."""
# Bytes per (source, target, lag) at the peak of a run, measured: masks of the question, arrays of the back end and of
# the result, and their copies on the way.
_ENTRY_BYTES = 200


@dataclass(frozen=True, eq=False)
class Question:
    """A run of `discover` before it starts; masks are (N, N, tau_max + 1), indexed [source, target, tau].

    Attributes
    ----------
    series
        The data, constant columns included.
    backend
        The method.
    asked, kept, stated
        Links the user asks about; those of them that no screen may drop; those that he states to exist, which are in
        the graph and in every condition but never tested.
    marks
        Marks of the stated links, '' elsewhere.
    screen
        The screen to use, None in mode "exact".
    options
        The method's options, defaults filled in.
    record
        All options as they go into the result.
    """

    series: TimeSeries
    backend: Backend
    tau_min: int
    tau_max: int
    asked: Mask
    kept: Mask
    stated: Mask
    marks: NDArray[np.str_]
    screen: ScreenConfig | None
    test: str
    alpha: float
    fdr: Fdr
    options: Mapping[str, Any]
    record: Mapping[str, Any]
    memory_budget: int | None
    seed: int
    n_jobs: int

    @property
    def testable(self) -> Mask:
        """Links the user asks about, between columns that vary."""
        varies = ~self.series.constant
        testable: Mask = self.asked & ~self.stated & (varies[:, None] & varies)[:, :, None]
        return testable

    @property
    def family(self) -> Mask:
        """Links over which p-values are corrected: the testable ones from lag 1 on."""
        family = self.testable
        family[:, :, 0] = False
        return family


def pose(
    data: Any,
    *,
    method: str,
    tau_max: int,
    tau_min: int | None,
    alpha: float,
    pc_alpha: float | Sequence[float] | None,
    fdr: Fdr,
    mode: Mode,
    screen: ScreenConfig | None,
    test: str | None,
    forbid: Any,
    require: Any,
    link_assumptions: Any,
    preprocess: Any,
    n_jobs: int,
    seed: int,
    memory_budget: int | None,
    options: Mapping[str, Any],
) -> Question:
    """Check the arguments of `discover` and return what they ask; they are explained there."""
    check_choice("mode", mode, MODES)
    check_choice("fdr", fdr, FDRS)
    check_level("alpha", alpha)
    check_count("n_jobs", n_jobs, 0)
    check_count("seed", seed, 0)
    check_screening(mode, screen, memory_budget)
    test = default_test(find_backends(method)) if test is None else test
    find_backend(method, test)  # names a wrong test before the data are read
    series = as_time_series(data, preprocess=preprocess)
    backend = find_backend(method, test, missing=not series.complete, options=options)
    tau_min = backend.tau_min if tau_min is None else tau_min
    check_lags(tau_min, tau_max, method, backend.tau_min)
    given = dict(options) if pc_alpha is None else {"pc_alpha": pc_alpha, **options}
    settings = method_options(method, backend.defaults, given)
    backend.check(settings)
    # Fewer rows than this leave no test with enough degrees of freedom once a few conditions are in.
    series.require_rows(tau_max, 2 * min(series.N, 20) + 4, backend.rows)
    series.require_varying()
    _check_memory(series.N, tau_max, max(memory_budget or 0, DENSE_BUDGET))
    constraints = build_constraints(
        series.names,
        tau_min=tau_min,
        tau_max=tau_max,
        forbid=forbid,
        require=require,
        link_assumptions=link_assumptions,
    )
    marks = _stated_marks(constraints)
    knowledge = {"forbid": forbid, "require": require, "link_assumptions": _listed(constraints)}
    record = {"mode": mode, "test": test, "preprocess": preprocess, **settings, **knowledge}
    return Question(
        series=series,
        backend=backend,
        tau_min=tau_min,
        tau_max=tau_max,
        asked=constraints.allowed,
        kept=constraints.required,
        stated=marks != "",
        marks=marks,
        screen=(screen or ScreenConfig()) if mode == "screen" else None,
        test=test,
        alpha=float(alpha),
        fdr=fdr,
        options=settings,
        record=plain(record),
        memory_budget=memory_budget,
        seed=int(seed),
        n_jobs=n_jobs,
    )


def dense_bytes(n_columns: int, tau_max: int) -> int:
    """Bytes that the (N, N, tau_max + 1) arrays of a run take at its peak."""
    return _ENTRY_BYTES * n_columns**2 * (tau_max + 1)


def _check_memory(n_columns: int, tau_max: int, budget: int) -> None:
    needed = dense_bytes(n_columns, tau_max)
    if needed > budget:
        raise MemoryError(
            f"the arrays of a run take about {_ENTRY_BYTES} N^2 (tau_max + 1) = {needed} bytes for N={n_columns} "
            f"columns and tau_max={tau_max}, more than {budget}; give fewer columns, a smaller tau_max or a larger "
            "memory_budget, or look at candidates only with screen()"
        )


def _stated_marks(constraints: Constraints) -> NDArray[np.str_]:
    """Marks of links that the user's link assumptions state to exist: those without a question mark."""
    marks = np.full(constraints.allowed.shape, "", dtype="<U3")
    for target, links in constraints.types.items():
        for (source, lag), kind in links.items():
            if "?" not in kind and constraints.allowed[source, target, -lag]:
                marks[source, target, -lag] = kind
    return marks


def _listed(constraints: Constraints) -> list[list[Any]]:
    names = constraints.names
    return [
        [names[source], names[target], -lag, kind]
        for target, links in constraints.types.items()
        for (source, lag), kind in links.items()
    ]
