"""The accelerated PCMCI: tigramite's class, given fewer links to test or a faster engine for all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy, deepcopy
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from tigramite.pcmci import PCMCI

from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.tigramite.accept import Settings, check_class, check_settings, check_test
from arrow_cd.tigramite.compat import let_run_with_numpy
from arrow_cd.tigramite.repeats import bootstrap_of, one_draw, sliding_window_of
from arrow_cd.tigramite.run import Run, run_method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.screening import ScreenConfig
    from arrow_cd.tigramite.report import RepeatedReport, ScreeningReport


def _accelerated(name: str) -> Callable[..., Any]:
    """Return tigramite's method `name`, same signature, accelerated."""
    original = getattr(PCMCI, name)
    signature = inspect.signature(original)

    @wraps(original)
    def method(self: AcceleratedPCMCI, *args: Any, **kwargs: Any) -> Any:
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        options = dict(call.arguments)
        del options["self"]
        if self.active_run is not None:  # called by tigramite's code in the middle of a run, whose plan holds
            return self.active_run.call(name, options)
        return run_method(self, name, options)

    return method


class AcceleratedPCMCI(PCMCI):  # type: ignore[misc]
    """tigramite's PCMCI with a screen in front or a faster engine behind; made by `arrow_cd.accelerate`.

    Methods, signatures and attributes are tigramite's. In mode "screen" every method that tests links screens the
    data first and tests only the links that the screen keeps; in mode "exact" all links are tested.

    Attributes
    ----------
    screening : ScreeningReport, RepeatedReport or None
        What the last run tested and left out; None before the first, and if it did not finish.
    settings : Settings
        What `accelerate` was asked for.
    active_run : Run or None
        The run in progress.
    """

    run_pcmci = _accelerated("run_pcmci")
    run_pcmciplus = _accelerated("run_pcmciplus")
    run_pc_stable = _accelerated("run_pc_stable")
    run_mci = _accelerated("run_mci")
    run_bivci = _accelerated("run_bivci")
    run_fullci = _accelerated("run_fullci")
    get_lagged_dependencies = _accelerated("get_lagged_dependencies")
    run_pcalg = _accelerated("run_pcalg")

    def __init__(self, given: Any, settings: Settings) -> None:
        # Own copies: a run writes to attributes of the data frame and to the test's caches and random state.
        test = _Given(_fresh_copy(given.cond_ind_test))
        super().__init__(_own_frame(given.dataframe), test, given.verbosity)
        self.settings = settings
        self.active_run: Run | None = None
        self.screening: ScreeningReport | RepeatedReport | None = None

    run_sliding_window_of = wraps(PCMCI.run_sliding_window_of)(sliding_window_of)
    run_bootstrap_of = wraps(PCMCI.run_bootstrap_of)(bootstrap_of)
    parallelized_bootstraps = wraps(PCMCI.parallelized_bootstraps)(one_draw)

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
        if self.active_run is None or fdr_method != "fdr_bh":
            return super().get_corrected_pvalues(
                p_matrix, fdr_method, exclude_contemporaneous, tau_min, tau_max, link_assumptions
            )
        return benjamini_hochberg(p_matrix, self.active_run.plan.family & ~np.isnan(p_matrix))


def _own_frame(frame: Any) -> Any:
    """Return a copy of a data frame with float values: tigramite subtracts means in place, which integers refuse."""
    own = copy(frame)
    own.values = {key: values.astype(np.float64, copy=False) for key, values in frame.values.items()}
    return own


def _fresh_copy(test: Any) -> Any:
    """Return a copy of a test with empty caches and without its data frame, which PCMCI sets anew."""
    frame = getattr(test, "dataframe", None)
    fresh = deepcopy(test, {id(frame): None})
    for cache in ("cached_ci_results", "ci_results", "residuals"):
        if hasattr(fresh, cache):
            setattr(fresh, cache, {})
    let_run_with_numpy(fresh)
    return fresh


class _Given:
    """A test of our own, which tigramite's constructor takes as it is instead of copying it again."""

    def __init__(self, test: Any) -> None:
        self.test = test

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Return the test itself."""
        return self.test


def accelerate(
    given: Any,
    *,
    mode: str = "screen",
    screen: ScreenConfig | None = None,
    engine: str = "auto",
    memory_budget: int | None = None,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> AcceleratedPCMCI:
    """Return an accelerated copy of a tigramite PCMCI object; see `arrow_cd.accelerate`."""
    settings = Settings(mode, screen, engine, memory_budget, n_jobs, progress)
    check_settings(settings)
    check_class(given, PCMCI, AcceleratedPCMCI)
    check_test(given.cond_ind_test, mode)
    return AcceleratedPCMCI(given, settings)
