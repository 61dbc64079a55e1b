"""What can be accelerated in tigramite, and by name what can't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.native_checks import check_limits
from arrow_cd.backends.native_plus import COLLIDER_RULES
from arrow_cd.errors import BackendError
from arrow_cd.options import (
    MODES,
    check_call,
    check_choice,
    check_count,
    check_flag,
    check_pc_alpha,
    check_probability,
)
from arrow_cd.screening import ScreenConfig, check_screening

if TYPE_CHECKING:
    from arrow_cd.backends.base import Progress

ENGINES = ("auto", "native", "tigramite")
_CORRECTIONS = ("none", "fdr_bh")
_FLAGS = {"val_only", "conflict_resolution", "reset_lagged_links", "save_iterations"}

# Classes of tigramite that look like PCMCI but search in another way.
_OTHER_CLASSES = {
    "LPCMCI": "it conditions on default parents from its first test on, so that a screen would change the tests",
    "JPCMCIplus": "its context and dummy nodes must not be screened",
    "RPCMCI": "its regimes change the rows of every test",
}

# Tests that draw random numbers even where their p-values come from no shuffles.
_RANDOM_MEASURES = {
    "cmi_knn": "it adds random noise to the samples",
    "cmi_knn_mixed": "it adds random noise to the samples",
    "gp_dc": "it draws its null distributions at random",
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
    if kind.__name__ in _OTHER_CLASSES:
        drop_in = f"{kind.__name__}(..., cond_ind_test=arrow_cd.tigramite.ParCorr()) makes its tests fast instead"
        raise refuse(f"the class {kind.__name__}", f"{_OTHER_CLASSES[kind.__name__]}; {drop_in}")
    raise refuse(f"the class {kind.__name__}", "it may change how PCMCI searches; give a tigramite.pcmci.PCMCI itself")


@dataclass(frozen=True)
class Settings:
    """What `accelerate` was asked for; see there."""

    mode: str
    screen: ScreenConfig | None
    engine: str
    memory_budget: int | None
    n_jobs: int
    progress: Progress | bool | None


def check_settings(settings: Settings) -> None:
    """Refuse options that don't exist or don't go together."""
    check_choice("accelerate: mode", settings.mode, MODES)
    check_choice("accelerate: engine", settings.engine, ENGINES)
    check_call(settings.n_jobs, settings.progress)
    check_screening(settings.mode, settings.screen, settings.memory_budget)


def check_options(name: str, options: Mapping[str, Any], *, by_threshold: bool) -> None:
    """Refuse values of a method's options that can't be meant, before anything runs.

    Parameters
    ----------
    name
        tigramite's method.
    options
        All its arguments.
    by_threshold
        Whether levels are thresholds on the test statistic (significance "fixed_thres") and may exceed 1.
    """
    given = options.get("pc_alpha")
    if not by_threshold:
        check_pc_alpha(given.tolist() if isinstance(given, np.ndarray) and given.ndim else given)
        if "alpha_level" in options:
            check_probability("alpha_level", options["alpha_level"])
    check_limits({limit: options[limit] for limit in options if limit.startswith("max_conds_")})
    combinations = options.get("max_combinations")
    if "max_combinations" in options and not (combinations is None and name == "run_pcalg"):
        check_count("max_combinations", combinations, 1)
    if "fdr_method" in options:
        check_choice("fdr_method", options["fdr_method"], _CORRECTIONS)
    if options.get("contemp_collider_rule") is not None:
        check_choice("contemp_collider_rule", options["contemp_collider_rule"], COLLIDER_RULES)
    for flag in _FLAGS & options.keys():
        check_flag(flag, options[flag])


def check_method(name: str, options: Mapping[str, Any], mode: str) -> None:
    """Refuse calls whose result a screen would change for another reason than that links are missing."""
    if mode == "screen" and name == "run_pcalg" and options["tau_max"] and options["contemp_collider_rule"] == "none":
        raise refuse(
            'run_pcalg with contemp_collider_rule="none" in mode="screen"',
            "it reads the sets that separate pairs, and a pruned pair has none; the other rules test anew",
        )


def check_test(test: Any, mode: str) -> None:
    """Refuse tests that a mode can't keep its promise for.

    Parameters
    ----------
    test
        A conditional independence test.
    mode
        "screen" or "exact".
    """
    if test.measure == "oracle_ci":
        raise refuse("OracleCI", "it decides by a known graph, not by the data")
    why = randomness(test)
    if mode == "exact" and why is not None:
        raise refuse(
            f'mode="exact" with {type(test).__name__}',
            f"{why}, and all tests of an object draw from one stream, so that its numbers are those of one particular "
            "sequence of calls and can't be promised again",
        )


def randomness(test: Any) -> str | None:
    """Return what a test draws random numbers for, or None if its values and p-values are deterministic."""
    if test.significance == "shuffle_test":
        return "its p-values come from random shuffles"
    return _RANDOM_MEASURES.get(test.measure)
