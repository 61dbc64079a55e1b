"""The TOML file of constraints that the command line takes."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from arrow_cd.constraints import lag_list
from arrow_cd.errors import InvalidDataError


def read_constraints(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a TOML file of constraints; the result is keyword arguments for `build_constraints` and `discover`.

    ::

        [[forbid]]                  # nothing but itself drives the temperature
        target = "temperature"

        [[forbid]]
        source = ["fan", "pump"]
        target = "pressure"
        lags = [1, 2]

        [[require]]
        source = "valve"
        target = "flow"
        lags = 3

        [link_assumptions.flow]     # if present: the only links that may exist, an entry for every variable
        valve = [1, 2, 3]
        pressure = [1]

    Raises
    ------
    InvalidDataError
        If the file can't be read, isn't TOML or holds anything else.
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidDataError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise InvalidDataError(f"{path}: not TOML: {error}") from error
    unknown = content.keys() - {"forbid", "require", "link_assumptions"}
    if unknown:
        raise InvalidDataError(f"{path}: unknown key {min(unknown)!r}; expected forbid, require or link_assumptions")
    for key in ("forbid", "require"):
        rules = content.get(key, [])
        if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
            raise InvalidDataError(f"{path}: {key} must be tables, each headed [[{key}]]")
    if "link_assumptions" in content:
        content["link_assumptions"] = _assumptions_from_toml(content["link_assumptions"], path)
    return content


def _assumptions_from_toml(tables: Any, path: str | os.PathLike[str]) -> dict[str, dict[tuple[str, int], str]]:
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise InvalidDataError(f"{path}: link_assumptions must be tables, each headed [link_assumptions.TARGET]")
    links: dict[str, dict[tuple[str, int], str]] = {}
    for target, sources in tables.items():
        links[target] = {}
        for source, lags in sources.items():
            for lag in lag_list(lags, f"{path}: link_assumptions.{target}.{source}"):
                links[target][source, -lag] = "-?>" if lag else "o?o"
    return links
