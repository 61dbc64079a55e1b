"""What is run: one cell is a data set, a method, who computes it, a screen and a repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arrow_cd.datasets import dataset_info, list_datasets
from arrow_cd.errors import InvalidDataError

ENGINES: dict[str, tuple[str, ...]] = {
    "pcmci": ("native", "tigramite", "antecedent"),
    "pcmciplus": ("native", "tigramite"),
    "granger": ("native", "statsmodels"),
    "varlingam": ("native", "causal-learn"),
    "pc": ("native", "causal-learn"),
    "surd": ("native",),
    "ngc": ("native",),
}
"""Who can run a method: our core, or a library."""

SCREENS = ("none", "paper", "marginal", "forward", "weave", "correlation")
"""Screens, "none" for all links. "correlation" keeps as many links of each target as `weave`, by absolute lagged
correlation."""

SCREENED_ENGINES = ("native", "tigramite")
"""Engines that can be handed candidates; the other libraries run on all links only."""


@dataclass(frozen=True)
class Cell:
    """One run.

    Attributes
    ----------
    dataset, method, engine, screen
        Names. Screen "none" is the plain run.
    repeat
        Synthetic data are generated with this seed; on public data repeats only measure time again.
    """

    dataset: str
    method: str
    engine: str
    screen: str
    repeat: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.dataset}, {self.method} ({self.engine}), screen {self.screen}, repeat {self.repeat}"


def plan_cells(
    datasets: Sequence[str] = (),
    methods: Sequence[str] = ("pcmci",),
    screens: Sequence[str] = ("none", "weave"),
    engines: Sequence[str] = ("native",),
    repeats: int = 1,
) -> list[Cell]:
    """Return the cells in order: data set by data set, so that an interrupted run has whole ones.

    Raises
    ------
    InvalidDataError
        A name is unknown, or no cell is left.
    """
    for what, names, known in (
        ("methods", methods, tuple(ENGINES)),
        ("screens", screens, SCREENS),
        ("engines", engines, tuple(dict.fromkeys(engine for able in ENGINES.values() for engine in able))),
    ):
        for name in names:
            if name not in known:
                raise InvalidDataError(f"{what}: {name!r} is none of {', '.join(known)}")
    chosen = [dataset_info(name) for name in datasets or list_datasets()]
    cells = [
        Cell(info.name, method, engine, screen, repeat)
        for info in chosen
        for repeat in range(repeats if info.kind == "synthetic" else 1)
        for method in methods
        for engine in engines
        if engine in ENGINES[method]
        for screen in screens
        if screen == "none" or engine in SCREENED_ENGINES
    ]
    if not cells:
        raise InvalidDataError(f"nothing to run: none of {', '.join(engines)} can run {', '.join(methods)} that way")
    return cells
