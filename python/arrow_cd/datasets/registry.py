"""`registry.toml`: which data sets there are, what they are and where their files come from."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from arrow_cd.datasets._types import DatasetInfo, MemberInfo, SourceFile
from arrow_cd.errors import InvalidDataError


def list_datasets() -> tuple[str, ...]:
    """Names of all data sets: the synthetic families S1 to S12, then the public ones."""
    return tuple(_registry())


def dataset_info(name: str) -> DatasetInfo:
    """What is known of a data set without loading it; raises InvalidDataError for an unknown name."""
    known = _registry()
    if name not in known:
        raise InvalidDataError(f"no data set is called {name!r}; there are {', '.join(known)}")
    return known[name]


@cache
def _registry() -> dict[str, DatasetInfo]:
    text = files("arrow_cd.datasets").joinpath("registry.toml").read_text(encoding="utf-8")
    return {name: _info(name, row) for name, row in tomllib.loads(text).items()}


def _info(name: str, row: dict[str, Any]) -> DatasetInfo:
    members = tuple(MemberInfo(**member) for member in row.pop("members"))
    found = tuple(
        SourceFile(local, source["repository"], source["commit"], path, size, sha256)
        for source in row.pop("sources", [])
        for local, path, size, sha256 in source["files"]
    )
    return DatasetInfo(name=name, members=members, files=found, **row)
