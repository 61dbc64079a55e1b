"""What a look at the data tells before a search: columns, time axis, traps. `arrow-cd inspect` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.data.checks import near_duplicate_sets
from arrow_cd.data.time_axis import describe_time
from arrow_cd.diagnostics import lag_one_autocorrelation, outlier_share, tie_share, trends_and_seasons

if TYPE_CHECKING:
    import polars as pl

# Straight lines that explain this share of a column's variance are called a trend.
_TREND = 0.25
_FLAT = 0.5
_OUTLIERS = 0.001
# Estimated periods this close to a multiple of another one are counted with it.
_SAME_SEASON = 0.03
_SHOWN = 12


@dataclass(frozen=True)
class ColumnReport:
    """One column; None where a number does not exist.

    `kind` is empty, constant, binary, whole or real; `ties` the share of steps without a change; `memory` the
    autocorrelation at lag 1; `trend` the share of variance that a straight line explains; `season` the most likely
    period in samples; `outliers` the share of values beyond 5 robust standard deviations; `copies` the columns that
    equal this one up to sign, scale and tiny noise.
    """

    column: str
    kind: str
    missing: int
    distinct: int
    ties: float | None
    sd: float | None = None
    memory: float | None = None
    trend: float | None = None
    season: int | None = None
    outliers: float | None = None
    copies: str = ""


@dataclass(frozen=True)
class Inspection:
    """The report of `inspect_data`.

    Attributes
    ----------
    series : TimeSeries
    columns : tuple of ColumnReport
    time : str
        The time axis in words: regular or not, and its step.
    warnings : tuple of str
        What may make links that aren't causal, each with a way out.
    """

    series: TimeSeries
    columns: tuple[ColumnReport, ...]
    time: str
    warnings: tuple[str, ...]

    def to_frame(self) -> pl.DataFrame:
        """One row per column, with the fields of `ColumnReport`."""
        import polars as pl

        types = {
            "column": pl.String,
            "kind": pl.String,
            "missing": pl.Int64,
            "distinct": pl.Int64,
            "season": pl.Int64,
            "copies": pl.String,
        }
        numbers = dict.fromkeys(("ties", "sd", "memory", "trend", "outliers"), pl.Float64)
        return pl.DataFrame([asdict(column) for column in self.columns], schema_overrides={**types, **numbers})

    def lines(self) -> list[str]:
        """The size of the data and its time axis, as lines of text."""
        series = self.series
        sets = f" in {len(series.segments)} data sets" if len(series.segments) > 1 else ""
        return [
            f"{series.T} rows{sets}, {series.N} columns, {int((~series.valid).sum())} missing values",
            f"time axis: {self.time}",
        ]


def inspect_data(data: Any) -> Inspection:
    """Look at data before searching it.

    Parameters
    ----------
    data
        Anything that `as_time_series` takes.

    Returns
    -------
    Inspection
        Its `series.notes` say what was noticed on reading.

    Raises
    ------
    InvalidDataError
        If the data can't be read.
    """
    series = as_time_series(data)
    copies = {column: group for group in near_duplicate_sets(series.values, series.constant) for column in group}
    drifts = _drifts(series)
    columns = tuple(_report(series, k, drifts.get(k, (0.0, None)), copies.get(k, ())) for k in range(series.N))
    time = "none" if series.time is None else describe_time(series.time, series.segments)
    warnings = (
        *_shared([(series.names[k], *drift) for k, drift in drifts.items()]),
        *_others(columns),
    )
    return Inspection(series, columns, time, warnings)


def trend_notes(series: TimeSeries) -> tuple[str, ...]:
    """Warn of trends and seasons that several columns share: they make everything look linked to everything."""
    return _shared([(series.names[k], *drift) for k, drift in _drifts(series).items()])


def _drifts(series: TimeSeries) -> dict[int, tuple[float, int | None]]:
    """Share of the trend and period of the season of every column that varies."""
    active = series.active()
    trends, seasons = trends_and_seasons(series.values.T[active], series.segments)
    return dict(zip(active.tolist(), zip(trends.tolist(), seasons, strict=True), strict=True))


def _report(series: TimeSeries, k: int, drift: tuple[float, int | None], copies: tuple[int, ...]) -> ColumnReport:
    column, segments = np.ascontiguousarray(series.values[:, k]), series.segments
    known = column[series.valid[:, k]]
    distinct = len(np.unique(known))
    name, missing, ties = series.names[k], series.T - len(known), tie_share(column, segments)
    if series.constant[k]:
        return ColumnReport(name, "constant" if len(known) else "empty", missing, distinct, ties)
    whole = bool((known == np.round(known)).all())
    return ColumnReport(
        column=name,
        kind="binary" if distinct == 2 else "whole" if whole else "real",
        missing=missing,
        distinct=distinct,
        ties=ties,
        sd=_deviation(known),
        memory=lag_one_autocorrelation(column, segments),
        trend=drift[0],
        season=drift[1],
        outliers=outlier_share(column),
        copies=", ".join(series.names[other] for other in copies if other != k),
    )


def _deviation(known: NDArray[np.float64]) -> float:
    """Standard deviation, of values over the largest one: squares of values near the largest float overflow."""
    size = float(np.abs(known).max())
    return size * float((known / size).std()) if size > 1 else float(known.std())


def _shared(drifts: list[tuple[str, float, int | None]]) -> tuple[str, ...]:
    """Warnings of a trend or a season in at least two columns, given as (name, share of the trend, period)."""
    warnings = []
    trending = [name for name, share, _ in drifts if share >= _TREND]
    if len(trending) > 1:
        warnings.append(
            f"{len(trending)} columns look like they trend or drift ({_listed(trending)}): links may be the trend's; "
            "see preprocess detrend"
        )
    for period, names in _by_period([(name, period) for name, _, period in drifts if period is not None]):
        if len(names) > 1:
            warnings.append(
                f"{len(names)} columns share a season of about {period} samples ({_listed(names)}): links may be the "
                f"season's; see preprocess deseasonalise:{period}"
            )
    return tuple(warnings)


def _by_period(found: list[tuple[str, int]]) -> list[tuple[int, list[str]]]:
    """Seasonal columns by period, multiples of a more common period with it."""
    groups: dict[int, list[str]] = {}
    counts = Counter(period for _, period in found)
    for period in sorted(counts, key=lambda period: (-counts[period], period)):
        same = next((known for known in groups if _is_multiple(period / known)), period)
        groups.setdefault(same, []).extend(name for name, other in found if other == period)
    return list(groups.items())


def _is_multiple(ratio: float) -> bool:
    return round(ratio) >= 1 and abs(ratio - round(ratio)) < _SAME_SEASON


def _others(columns: tuple[ColumnReport, ...]) -> list[str]:
    """Warnings of columns that linear tests handle badly."""
    varying = [column for column in columns if column.sd is not None]
    traps = (
        ([c.column for c in varying if (c.ties or 0.0) > _FLAT], "mostly repeat the value before"),
        ([c.column for c in varying if (c.outliers or 0.0) > _OUTLIERS], "outliers; see preprocess winsorise"),
        (
            [c.column for c in varying if c.kind == "binary"],
            "two values only; partial correlation assumes real numbers",
        ),
    )
    return [f"{_listed(names)}: {what}" for names, what in traps if names]


def _listed(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
