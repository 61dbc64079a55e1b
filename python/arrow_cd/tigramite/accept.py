"""What can be accelerated in tigramite, and by name what can't yet."""

from __future__ import annotations

from typing import Any

from arrow_cd.errors import BackendError, InvalidDataError

# Classes of tigramite that look like PCMCI but search in another way.
_OTHER_CLASSES = {
    "LPCMCI": "it conditions on default parents from its first test on, so that a screen would change the tests",
    "JPCMCIplus": "its context and dummy nodes must not be screened",
    "RPCMCI": "its regimes change the rows of every test",
}

# Methods of PCMCI that a screen does not fit, with what to do instead.
REFUSED_METHODS = {
    "run_bootstrap_of": "bootstrap draws are not covered",
    "run_sliding_window_of": "sliding windows are not covered",
    "run_fullci": "it conditions on the whole past whatever the screen says; use run_mci or run_pcmci",
    "get_lagged_dependencies": "it looks at every pair and lag alone, which is no more than what a screen does first",
    "run_pcalg": "it is not covered; use run_pcmciplus",
    "run_pcalg_non_timeseries_data": "it has no lags to screen",
}


def refuse(what: str, why: str) -> BackendError:
    """Return the error that says what can't be accelerated, why, and the way out."""
    return BackendError(f"accelerate: {what} is not covered: {why}. The object you gave still runs it, unaccelerated")


def check_class(given: Any, pcmci: type, accelerated: type) -> None:
    """Refuse anything but tigramite's own PCMCI class, by name.

    Parameters
    ----------
    given
        The object to accelerate.
    pcmci, accelerated
        tigramite's class and ours.
    """
    kind = type(given)
    if kind in (pcmci, accelerated):
        return
    why = _OTHER_CLASSES.get(kind.__name__, "it may change how PCMCI searches; give a tigramite.pcmci.PCMCI itself")
    raise refuse(f"the class {kind.__name__}", why)


def check_options(mode: str, engine: str) -> None:
    """Refuse modes and engines that don't exist, or not yet."""
    if mode == "exact":
        raise refuse('mode="exact" on a tigramite object', 'only mode="screen" exists so far')
    if mode != "screen":
        raise InvalidDataError(f'accelerate: mode={mode!r}, expected "screen"')
    if engine not in ("auto", "native", "tigramite"):
        raise InvalidDataError(f'accelerate: engine={engine!r}, expected "auto", "native" or "tigramite"')


def check_data(frame: Any, test: Any) -> None:
    """Refuse data whose rows or columns the screen would not see as the tests do.

    Called at every run as well, because bootstrap and windows are set on the data frame while they run.

    Parameters
    ----------
    frame, test
        A tigramite DataFrame and a conditional independence test.
    """
    if test.mask_type is not None:
        raise refuse(f"a mask (mask_type={test.mask_type!r})", "the screen does not see which rows a test leaves out")
    if not (frame.reference_points_is_none and len(frame.reference_points) == frame.largest_time_step):
        raise refuse("reference_points", "the screen uses all rows from 2 tau_max on")
    if frame.bootstrap is not None:
        raise refuse("a bootstrap draw", REFUSED_METHODS["run_bootstrap_of"])
    if frame.has_vector_data:
        raise refuse("vector_vars", "the screen looks at single columns")
    if test.measure == "oracle_ci":
        raise refuse("OracleCI", "it decides by a known graph, not by the data")
