"""Options of a method as they are written on the command line: ``--option NAME=VALUE``."""

from __future__ import annotations

import tomllib
from collections.abc import Container, Iterable
from typing import Any

from arrow_cd.errors import InvalidDataError


def method_options(settings: Iterable[str], taken: Container[str]) -> dict[str, Any]:
    """Return the options by name; a value is read as TOML (3, 0.5, true, [1, 2]), or else as text.

    Raises
    ------
    InvalidDataError
        A setting has no ``=``, or a name that the command has an option of its own for, or that was given before.
    """
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise InvalidDataError(f"--option {setting}: expected NAME=VALUE")
        if name in taken:
            raise InvalidDataError(f"--option {setting}: write --{name.replace('_', '-')} {text} instead")
        if name in found:
            raise InvalidDataError(f"--option {setting}: {name} was given before")
        found[name] = _value(text)
    return found


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
