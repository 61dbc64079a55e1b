"""What is run: one cell is a data set, a method, who computes it, a screen, a repeat, and a size that is varied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arrow_cd.datasets import DatasetInfo, dataset_info, list_datasets
from arrow_cd.errors import InvalidDataError

ENGINES: dict[str, tuple[str, ...]] = {
    "pcmci": ("native", "tigramite", "antecedent"),
    "pcmciplus": ("native", "tigramite"),
    "granger": ("native", "statsmodels"),
    "varlingam": ("native", "causal-learn"),
    "pc": ("native", "causal-learn"),
    "surd": ("native",),
    "ngc": ("native",),
    "var": ("numpy",),
}
"""Who can run a method: our core, or a library. "var", least squares with t-tests, is what any of them must beat."""

SCREENS = ("none", "paper", "marginal", "forward", "weave", "correlation")
"""Screens, "none" for all links. "correlation" keeps as many links of each target as `weave`, by absolute lagged
correlation."""

SCREENED_ENGINES = ("native", "tigramite")
"""Engines that can be handed candidates; the other libraries run on all links only."""

VARIED = ("tau_max", "N", "T")
"""Sizes that a cell can set away from the registry's."""


@dataclass(frozen=True)
class Cell:
    """One run.

    Attributes
    ----------
    dataset, method, engine, screen
        Names. Screen "none" is the plain run.
    repeat
        Synthetic data are generated with this seed; on public data repeats only measure time again.
    vary
        One size set away from the registry's, such as "tau_max=99", "N=50" or "T=4000", for curves over that size;
        empty for the benchmark itself.
    """

    dataset: str
    method: str
    engine: str
    screen: str
    repeat: int = 0
    vary: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def varied(self) -> dict[str, int]:
        """Return the size that is set, by name; empty if none is.

        Raises
        ------
        InvalidDataError
            `vary` is not one of tau_max, N and T, an equals sign and a positive whole number.
        """
        if not self.vary:
            return {}
        name, _, value = self.vary.partition("=")
        if name not in VARIED or not value.isdecimal() or int(value) < 1:
            raise InvalidDataError(f"vary={self.vary!r}: expected {', '.join(VARIED)}, then = and a number from 1")
        return {name: int(value)}

    def __str__(self) -> str:
        vary = f", {self.vary}" if self.vary else ""
        return f"{self.dataset}{vary}, {self.method} ({self.engine}), screen {self.screen}, repeat {self.repeat}"


def plan_cells(
    datasets: Sequence[str] = (),
    methods: Sequence[str] = ("pcmci",),
    screens: Sequence[str] = ("none", "weave"),
    engines: Sequence[str] = ("native",),
    repeats: int = 1,
    vary: Sequence[str] = ("",),
) -> list[Cell]:
    """Return the cells in order: data set by data set, so that an interrupted run has whole ones, screens side by side.

    Raises
    ------
    InvalidDataError
        A name is unknown, a data set can't vary a size, or no cell is left.
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
        Cell(info.name, method, engine, screen, repeat, size)
        for info in chosen
        for size in vary
        for repeat in range(repeats if info.kind == "synthetic" else 1)
        for method in methods
        for engine in engines
        if engine in ENGINES[method]
        for screen in screens
        if screen == "none" or engine in SCREENED_ENGINES
    ]
    if not cells:
        raise InvalidDataError(f"nothing to run: none of {', '.join(engines)} can run {', '.join(methods)} that way")
    for info in chosen:
        _check_sizes(info, [cell for cell in cells if cell.dataset == info.name])
    return cells


def _check_sizes(info: DatasetInfo, cells: Sequence[Cell]) -> None:
    """Raise InvalidDataError now, and not in the middle of a run, for a size that the data set can't vary."""
    for varied in {cell.vary: cell.varied() for cell in cells}.values():
        sizes = {name: value for name, value in varied.items() if name != "tau_max"}
        if not sizes:
            continue
        if info.kind != "synthetic":
            raise InvalidDataError(f"vary: {info.name} is public data of one size; only tau_max can be varied")
        from arrow_cd.datasets.synthetic import check_sizes

        for member in info.members:
            check_sizes(member.name, sizes)
