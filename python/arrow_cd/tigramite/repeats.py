"""Bootstrap draws and sliding windows: tigramite's loops around an accelerated object, with one report a repeat.

tigramite puts the rows of a repeat on the data frame and calls the method by its name, so that every repeat is planned
and screened on its own rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from joblib import parallel_config
from tigramite.pcmci import PCMCI

from arrow_cd.tigramite.counting import wrapped_call
from arrow_cd.tigramite.native import has_native_form
from arrow_cd.tigramite.report import RepeatedReport

if TYPE_CHECKING:
    from arrow_cd.tigramite.pcmci import AcceleratedPCMCI

# Under this key a repeat's report travels with its results.
_REPORT = "screening"


def sliding_window_of(pcmci: AcceleratedPCMCI, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Run tigramite's `run_sliding_window_of`; arguments and results are tigramite's."""
    method = _argument("run_sliding_window_of", "method", pcmci, args, kwargs)
    pcmci.screening = None
    frame = pcmci.dataframe
    reference_points = frame.reference_points

    def with_report(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **options: call(**options) | {_REPORT: pcmci.screening}

    try:
        with wrapped_call(pcmci, method, with_report) if hasattr(pcmci, method) else nullcontext():
            results = PCMCI.run_sliding_window_of(pcmci, *args, **kwargs)
    finally:
        frame.reference_points = reference_points
    return _take_reports(pcmci, "run_sliding_window_of", results, results["window_results"])


def bootstrap_of(pcmci: AcceleratedPCMCI, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Run tigramite's `run_bootstrap_of`; arguments, draws and results are tigramite's.

    Natively a draw takes less time than a process takes to start, so that draws then run one after the other in this
    process.
    """
    method = _argument("run_bootstrap_of", "method", pcmci, args, kwargs)
    pcmci.screening = None
    try:
        with parallel_config(backend="sequential") if has_native_form(pcmci, method) else nullcontext():
            results = PCMCI.run_bootstrap_of(pcmci, *args, **kwargs)
    finally:
        pcmci.dataframe.bootstrap = None
    return _take_reports(pcmci, "run_bootstrap_of", results, results["boot_results"])


def one_draw(pcmci: AcceleratedPCMCI, method: str, method_args: dict[str, Any], boot_seed: Any) -> dict[str, Any]:
    """Run one bootstrap draw, perhaps in a process of its own, and send its report along."""
    results: dict[str, Any] = PCMCI.parallelized_bootstraps(pcmci, method, method_args, boot_seed)
    return results | {_REPORT: pcmci.screening}


def _take_reports(
    pcmci: AcceleratedPCMCI, name: str, results: dict[str, Any], repeats: dict[str, Any]
) -> dict[str, Any]:
    """Put the reports of all repeats on the object and leave tigramite's results alone."""
    reports = repeats.pop(_REPORT)
    pcmci.screening = RepeatedReport(name, tuple(reports[k] for k in sorted(reports)))
    return results


def _argument(name: str, which: str, pcmci: AcceleratedPCMCI, args: Any, kwargs: Any) -> Any:
    call = inspect.signature(getattr(PCMCI, name)).bind(pcmci, *args, **kwargs)
    return call.arguments[which]
