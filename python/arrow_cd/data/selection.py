"""Which columns the caller asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from arrow_cd.data.series import unknown_columns
from arrow_cd.errors import InvalidDataError


@dataclass(frozen=True)
class Selection:
    """Roles given to columns by name; see `as_time_series`."""

    columns: tuple[str, ...] | None
    drop: tuple[str, ...]
    time_column: str | Literal[False] | None
    group_by: str | None

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | None,
        drop: Sequence[str] | None,
        *,
        time_column: str | Literal[False] | None = None,
        group_by: str | None = None,
    ) -> Selection:
        """Check that no column is named twice or in two roles."""
        for option, names in (("columns", columns), ("drop", drop)):
            if isinstance(names, str):
                raise InvalidDataError(f"{option} must be a sequence of names, not the string {names!r}")
        wanted = None if columns is None else tuple(columns)
        roles = [*(wanted or ()), *(drop or ())]
        roles += [name for name in (time_column, group_by) if isinstance(name, str)]
        repeated = [name for k, name in enumerate(roles) if name in roles[:k]]
        if repeated:
            raise InvalidDataError(
                f"column {repeated[0]!r} is named twice among columns, drop, time_column and group_by"
            )
        return cls(wanted, tuple(drop or ()), time_column, group_by)

    def check(self, known: Sequence[str]) -> None:
        """Raise InvalidDataError for names that are not among `known`."""
        asked = [*(self.columns or ()), *self.drop, self.time_column, self.group_by]
        missing = [name for name in asked if isinstance(name, str) and name not in known]
        if missing:
            raise InvalidDataError(unknown_columns(missing, known))


def chosen(names: Sequence[str], selection: Selection) -> list[int]:
    """Positions of the columns asked for among `names`."""
    selection.check(names)
    if selection.columns is not None:
        return [names.index(name) for name in selection.columns]
    left = [k for k, name in enumerate(names) if name not in selection.drop]
    if not left:
        raise InvalidDataError("no column is left to analyse")
    return left
