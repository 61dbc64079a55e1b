"""Checks of the options that `discover` takes; every message names the option, its value and what was expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal

from arrow_cd.errors import InvalidDataError

Mode = Literal["screen", "exact"]
Fdr = Literal["bh", "none"]
MODES: tuple[Mode, ...] = ("screen", "exact")
# Whole numbers go to the compiled core, which has 64 bits for them.
_LARGEST = 2**63 - 1
FDRS: tuple[Fdr, ...] = ("bh", "none")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidDataError(f"{name}={value!r}: expected one of {', '.join(choices)}")


def check_level(name: str, value: object) -> None:
    """Raise unless `value` is a number between 0 and 1, both excluded."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InvalidDataError(f"{name}={value!r}: expected a level between 0 and 1")


def check_probability(name: str, value: object) -> None:
    """Raise unless `value` is a number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InvalidDataError(f"{name}={value!r}: expected a number in [0, 1]")


def check_pc_alpha(value: object) -> None:
    """Raise unless `value` is a number in [0, 1], several of them, or None (the method's list) to choose from."""
    levels = [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
    allowed = all(isinstance(v, Real) and not isinstance(v, bool) and 0 <= float(v) <= 1 for v in levels)
    if not allowed or (not levels and value is not None):
        raise InvalidDataError(f"pc_alpha={value!r}: expected a number in [0, 1], a list of such, or None")


def check_flag(name: str, value: object) -> None:
    """Raise unless `value` is True or False."""
    if not isinstance(value, bool):
        raise InvalidDataError(f"{name}={value!r}: expected True or False")


def check_count(name: str, value: object, least: int) -> None:
    """Raise unless `value` is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidDataError(f"{name}={value!r}: expected a whole number of at least {least}")
    if int(value) > _LARGEST:
        raise InvalidDataError(f"{name}={value!r}: expected a whole number of at most 2^63 - 1")


def check_call(n_jobs: object, progress: object = None) -> None:
    """Raise unless `n_jobs` is a number of threads and `progress` can be called, or is True, False or None."""
    check_count("n_jobs", n_jobs, 0)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InvalidDataError(f"progress={progress!r}: expected True, False or a callable")


def check_lags(tau_min: object, tau_max: object, method: str, least: int) -> None:
    """Raise unless least <= tau_min <= tau_max, where `least` is what the method can do; at least one lag is needed."""
    check_count("tau_max", tau_max, 1)
    check_count("tau_min", tau_min, 0)
    if tau_min < least:  # type: ignore[operator]
        raise InvalidDataError(
            f"tau_min={tau_min}: method {method!r} finds lagged links only, from tau_min={least} on "
            "(pcmciplus finds others)"
        )
    if tau_min > tau_max:  # type: ignore[operator]
        raise InvalidDataError(f"tau_min={tau_min} is larger than tau_max={tau_max}")


# Names that people bring along, from tigramite or from the reading of data, and what is asked for in their place.
_ELSEWHERE = {
    "alpha_level": "the level is alpha= here",
    "fdr_method": 'the correction is fdr="bh" or fdr="none" here',
    "cond_ind_test": "the test is test= here, by name",
} | dict.fromkeys(
    ("names", "time_column", "columns", "drop", "group_by", "na", "header"),
    "it is for as_time_series(), whose result discover takes",
)


def method_options(method: str, defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the method's options with those given; raises for one that the method doesn't have."""
    for name in given:
        if name not in defaults:
            hint = f"; {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
            taken = ", ".join(defaults) or "none"
            raise InvalidDataError(f"unknown option {name!r}: method {method!r} takes {taken}{hint}")
    return {**defaults, **given}


def check_common(options: Mapping[str, Any]) -> None:
    """Raise InvalidDataError for values that PCMCI and PCMCI+ can't take."""
    check_pc_alpha(options["pc_alpha"])
    for name in options:
        value = options[name]
        if name.startswith("max_conds") and value is not None:
            check_count(name, value, 0)
    check_count("max_combinations", options["max_combinations"], 1)
    test_options = options.get("test_options", {})
    if not isinstance(test_options, Mapping):
        raise InvalidDataError(f"test_options={test_options!r}: expected a dict of arguments of the test")
