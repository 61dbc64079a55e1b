"""Which methods there are: the built-in ones, imported on first use, and those that users register."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from arrow_cd.backends.base import Backend, MethodInfo
from arrow_cd.errors import BackendError, InvalidDataError

# Built-in methods, imported on first use: each module has a tuple BACKENDS.
_MODULES: dict[str, tuple[str, ...]] = {
    "granger": ("arrow_cd.backends.granger",),
    "ngc": ("arrow_cd.backends.ngc",),
    "pc": ("arrow_cd.backends.pc",),
    "pcmci": ("arrow_cd.backends.pcmci", "arrow_cd.backends.tigramite_pcmci"),
    "pcmciplus": ("arrow_cd.backends.pcmciplus",),
    "varlingam": ("arrow_cd.backends.varlingam",),
    "surd": ("arrow_cd.backends.surd",),
}
_registered: dict[str, list[Callable[[], Backend]]] = {}


def register_backend(name: str, factory: Callable[[], Backend]) -> None:
    """Make a method of your own known to `discover`.

    Parameters
    ----------
    name
        What users write as ``method=``. It goes before a built-in method of that name.
    factory
        Called once, without arguments, when the method is first asked for: import what it needs there. It returns a
        `Backend` whose `method` is `name`.
    """
    if not isinstance(name, str) or not name:
        raise InvalidDataError(f"name={name!r}: expected the name of a method")
    if not callable(factory):
        raise InvalidDataError(f"factory={factory!r}: expected a function that returns a back end")
    _registered.setdefault(name, []).insert(0, cache(factory))


def list_methods() -> list[str]:
    """Return the names that `discover(method=...)` understands."""
    return sorted({*_MODULES, *_registered})


def find_backends(method: str) -> list[Backend]:
    """Return every back end of a method, those registered by users first; raises InvalidDataError for no method."""
    if not isinstance(method, str) or method not in list_methods():
        raise InvalidDataError(f"method={method!r}: expected one of {', '.join(list_methods())}")
    found = [_checked(method, factory()) for factory in _registered.get(method, [])]
    for module in _MODULES.get(method, ()):
        found += import_module(module).BACKENDS
    return found


def find_backend(
    method: str, test: str | None = None, *, missing: bool = False, options: Collection[str] = ()
) -> Backend:
    """Return the first back end that runs `method` with `test`, on data with missing values if need be.

    Without a test the method's default is meant. A back end that has all of the `options` comes before one that lacks
    some.

    Raises
    ------
    InvalidDataError
        No such method, or it has no such test.
    BackendError
        Missing values, and no back end of this method and test takes them.
    """
    known = find_backends(method)
    test = default_test(known) if test is None else test
    if not isinstance(test, str):
        raise InvalidDataError(f"test={test!r}: expected the name of a test")
    able = [backend for backend in known if test in backend.tests or (not test and not backend.tests)]
    if not able:
        tests = dict.fromkeys(name for backend in known for name in backend.tests)
        choice = f"can use {', '.join(tests)}" if tests else "has no choice of tests"
        raise InvalidDataError(f"test={test!r}: method {method!r} {choice}")
    able = [backend for backend in able if backend.missing or not missing]
    if not able:
        with_test = f" with test {test!r}" if test else ""
        raise BackendError(
            f"method {method!r}{with_test} takes complete data only, and values are missing (holes in the time axis "
            "count): fill them first, or use one that takes them, such as pcmci, pcmciplus or pc"
        )
    return next((backend for backend in able if set(options) <= set(backend.defaults)), able[0])


def default_test(backends: Sequence[Backend]) -> str:
    """Return the first test of the first back end, "" where a method has no choice of tests."""
    return backends[0].tests[0] if backends[0].tests else ""


def _checked(name: str, backend: Backend) -> Backend:
    """Return a user's back end if it has what the protocol asks for."""
    lacking = [attribute for attribute in _NEEDED if not hasattr(backend, attribute)]
    if lacking:
        raise BackendError(f"method {name!r}: the registered back end {backend!r} has no {', '.join(lacking)}")
    if backend.method != name:
        raise BackendError(f"method {name!r}: the registered back end calls itself {backend.method!r}")
    for attribute, (holds, expected) in _EXPECTED.items():
        if not holds(getattr(backend, attribute)):
            raise BackendError(
                f"method {name!r}: the registered back end has {attribute}={getattr(backend, attribute)!r}, expected "
                f"{expected}"
            )
    return backend


def _are_names(given: object, kind: type) -> bool:
    return isinstance(given, kind) and all(isinstance(name, str) for name in given)  # type: ignore[attr-defined]


_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "tests": (lambda given: _are_names(given, tuple), "a tuple of names"),
    "tau_min": (lambda given: given in (0, 1), "0 or 1"),
    "rows": (lambda given: given in ("pcmci", "lagged"), "'pcmci' or 'lagged'"),
    "missing": (lambda given: isinstance(given, bool), "True or False"),
    "defaults": (lambda given: _are_names(given, Mapping), "a dict {option: value}"),
    "about": (lambda given: isinstance(given, MethodInfo), "a MethodInfo"),
    "check": (callable, "a method"),
    "run": (callable, "a method"),
}
"""What the attributes of a back end must be."""
_NEEDED = ("method", *_EXPECTED)
