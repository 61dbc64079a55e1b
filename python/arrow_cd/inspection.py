"""What there is to know about data before a search: columns, traps, cost. `arrow-cd inspect` prints it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.data.checks import near_duplicate_sets
from arrow_cd.data.time_axis import describe_time
from arrow_cd.diagnostics import lag_one_autocorrelation, outlier_share, season_period, tie_share, trend_share
from arrow_cd.errors import InvalidDataError

# Straight lines that explain this share of a column's variance are called a trend.
TREND_SHARE = 0.25
_FLAT_SHARE = 0.5
_OUTLIER_SHARE = 0.001
# Estimated periods this close to a multiple of another one are counted with it.
_SAME_SEASON = 0.03
_SHOWN = 12


@dataclass(frozen=True)
class ColumnReport:
    """One column.

    `kind` is empty, constant, binary, whole numbers or real numbers; `ties` the share of zero first differences;
    `near_duplicates` the columns it is a copy of; `trend` the share of variance a straight line explains; `season` a
    period in samples; `outliers` the share of values beyond 5 robust standard deviations.
    """

    name: str
    kind: str
    distinct: int
    missing: int
    ties: float
    autocorrelation: float
    trend: float
    season: int | None
    outliers: float
    near_duplicates: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """What PCMCI has to do for lags 1 to `tau_max` on the columns that can be tested.

    `links`: N N tau_max. `tests_plain`: the least an unscreened run does, every link once without conditions and once
    in the final step. `tests_screened`: the most a run does with the default screen's limit of candidates c a target:
    N (c (c + 1) / 2 + c). `memory`: bytes of native PCMCI's correlation matrix of N (2 tau_max + 1) lagged columns,
    8 (N (2 tau_max + 1))^2 + 8 N^2 (2 tau_max + 1). `rows`: samples every test uses, those from 2 tau_max on.
    """

    tau_max: int
    links: int
    tests_plain: int
    tests_screened: int
    memory: int
    rows: int


@dataclass(frozen=True)
class Inspection:
    """The report of `inspect_data`."""

    series: TimeSeries
    columns: tuple[ColumnReport, ...]
    time: str
    warnings: tuple[str, ...]
    cost: Cost | None

    def to_frame(self) -> pl.DataFrame:
        """One row per column, with the fields of `ColumnReport`."""
        rows = [{**asdict(column), "near_duplicates": ", ".join(column.near_duplicates)} for column in self.columns]
        return pl.DataFrame(rows, schema_overrides={"season": pl.Int64, "distinct": pl.Int64, "missing": pl.Int64})

    def lines(self) -> list[str]:
        """Everything but the columns, as lines of text."""
        series = self.series
        sets = f" in {len(series.segments)} data sets" if len(series.segments) > 1 else ""
        lines = [
            f"{series.T} rows{sets}, {series.N} columns, {int((~series.valid).sum())} missing values",
            f"time axis: {self.time}",
            *(f"note: {note}" for note in series.notes),
            *(f"warning: {warning}" for warning in self.warnings),
        ]
        if self.cost is not None:
            cost = self.cost
            lines += [
                f"lags 1 to {cost.tau_max}: {cost.links} links, {cost.rows} rows in every test",
                f"PCMCI tests: at least {cost.tests_plain} plain, at most {cost.tests_screened} screened",
                f"memory of native PCMCI: {cost.memory / 2**20:.1f} MiB, "
                "8 (N (2 tau_max + 1))^2 + 8 N^2 (2 tau_max + 1) bytes",
            ]
        return lines


def inspect_data(data: Any, *, tau_max: int | None = None) -> Inspection:
    """Look at data before searching it.

    Parameters
    ----------
    data
        Anything `as_time_series` takes.
    tau_max : int, optional
        Largest lag in samples; with it the cost of a search is estimated.

    Returns
    -------
    Inspection

    Raises
    ------
    InvalidDataError
        If the data can't be read or tau_max isn't a whole number of at least 1.
    """
    if tau_max is not None and (not isinstance(tau_max, int | np.integer) or tau_max < 1):
        raise InvalidDataError(f"tau_max={tau_max!r}: expected a whole number of samples, at least 1")
    series = as_time_series(data)
    copies = {column: group for group in near_duplicate_sets(series.values, series.constant) for column in group}
    columns = tuple(_column_report(series, k, copies.get(k, ())) for k in range(series.N))
    time = "none" if series.time is None else describe_time(series.time, series.segments)
    cost = None if tau_max is None else estimate_cost(series, int(tau_max))
    return Inspection(series, columns, time, tuple(_warnings(columns)), cost)


def estimate_cost(series: TimeSeries, tau_max: int) -> Cost:
    """Count links, tests and bytes of a PCMCI run on the testable columns; see `Cost`."""
    # Imported here: the screen loads the compiled core, which looking at data doesn't need.
    from arrow_cd.screening import ScreenConfig

    config = ScreenConfig()
    n = len(series.active())
    kept = min(config.own_lags + config.max_add, n * tau_max)
    return Cost(
        tau_max=tau_max,
        links=n * n * tau_max,
        tests_plain=2 * n * n * tau_max,
        tests_screened=n * (kept * (kept + 1) // 2 + kept),
        memory=8 * (n * (2 * tau_max + 1)) ** 2 + 8 * n**2 * (2 * tau_max + 1),
        rows=series.sample_rows(tau_max),
    )


def _column_report(series: TimeSeries, k: int, copies: tuple[int, ...]) -> ColumnReport:
    column, segments = np.ascontiguousarray(series.values[:, k]), series.segments
    known = column[series.valid[:, k]]
    distinct = len(np.unique(known))
    testable = not series.constant[k]
    return ColumnReport(
        name=series.names[k],
        kind=_kind(known, distinct, testable),
        distinct=distinct,
        missing=series.T - len(known),
        ties=tie_share(column, segments),
        autocorrelation=lag_one_autocorrelation(column, segments) if testable else float("nan"),
        trend=trend_share(column, segments) if testable else 0.0,
        season=season_period(column, segments) if testable else None,
        outliers=outlier_share(column),
        near_duplicates=tuple(series.names[other] for other in copies if other != k),
    )


def _kind(known: np.ndarray[Any, np.dtype[np.float64]], distinct: int, testable: bool) -> str:
    if not len(known):
        return "empty"
    if not testable:
        return "constant"
    if distinct == 2:
        return "binary"
    return "whole numbers" if (known == np.round(known)).all() else "real numbers"


def _warnings(columns: tuple[ColumnReport, ...]) -> list[str]:
    """What may make links that aren't causal, each with a way out."""
    warnings = []
    trending = [column.name for column in columns if column.trend >= TREND_SHARE]
    if trending:
        warnings.append(
            f"a trend or slow drift in {_listed(trending)}; series that drift together look linked: "
            "consider preprocess=detrend, or differences"
        )
    for period, names in _seasons(columns):
        warnings.append(
            f"a season of {period} samples in {_listed(names)}; series that share a season look linked: "
            f"consider preprocess=deseasonalise:{period}"
        )
    for flagged, text in (
        ([c.name for c in columns if c.kind != "constant" and c.ties > _FLAT_SHARE], "mostly flat (repeated values)"),
        ([c.name for c in columns if c.outliers > _OUTLIER_SHARE], "outliers; consider preprocess=winsorise"),
        ([c.name for c in columns if c.kind == "binary"], "binary; partial correlation assumes real numbers"),
    ):
        if flagged:
            warnings.append(f"{_listed(flagged)}: {text}")
    return warnings


def _seasons(columns: tuple[ColumnReport, ...]) -> list[tuple[int, list[str]]]:
    """Seasonal columns by period, multiples of a more common period with it."""
    found = [(column.season, column.name) for column in columns if column.season is not None]
    groups: dict[int, list[str]] = {}
    counts = Counter(period for period, _ in found)
    for period in sorted(counts, key=lambda period: (-counts[period], period)):
        same = next((known for known in groups if abs(period / known - round(period / known)) < _SAME_SEASON), period)
        groups.setdefault(same, []).extend(name for season, name in found if season == period)
    return list(groups.items())


def _listed(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
