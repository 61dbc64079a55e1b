"""A tau_max to start from, where the user knows none. It never overrides one that is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.screening import MIN_ROWS, ScreenConfig, screen

if TYPE_CHECKING:
    import polars as pl

# Expected number of links, of all pairs and lags together, that are seen although there is nothing.
_FALSE_LINKS = 0.05
# Lags looked at by default: one for so many rows of the longest data set, and no more than this.
_ROWS_PER_LAG = 10
_MOST_LAGS = 50


@dataclass(frozen=True)
class LagSuggestion:
    """What `suggest_tau_max` found.

    Attributes
    ----------
    tau_max : int
        The largest lag, in samples, at which some series still helps to predict another or itself; 1 if none does.
    largest : int
        The largest lag that was looked at.
    curve : polars.DataFrame
        tau, links (pairs that stand out at that lag given all chosen before), and the strongest of them: source,
        target, score (|t|); null where there is none.
    notes : tuple of str
        What to mind.
    """

    tau_max: int
    largest: int
    curve: pl.DataFrame
    notes: tuple[str, ...]


def suggest_tau_max(data: Any, *, largest: int | None = None, n_jobs: int = 1) -> LagSuggestion:
    """Suggest the largest lag worth searching.

    The `weave` screen chooses predictors of every series over all lags up to `largest`, so strictly that .05 of them
    are expected by chance in all; the suggestion is the largest lag among them. A predictor has to add to those chosen
    before: the lag at which associations fade would say much more, because autocorrelation spreads every link over
    the lags after it.

    Parameters
    ----------
    data
        Anything that `as_time_series` takes.
    largest : int, optional
        Largest lag to look at, in samples; by default a tenth of the longest data set, at most 50.
    n_jobs : int
        Threads, 0 for one per core.

    Returns
    -------
    LagSuggestion

    Raises
    ------
    InvalidDataError
        `largest` is no whole number of at least 1, or leaves too few rows.
    """
    series = as_time_series(data)
    if largest is None:
        longest = max(stop - start for start, stop in series.segments)
        largest = min(_MOST_LAGS, max(1, longest // _ROWS_PER_LAG))
    if not isinstance(largest, int | np.integer) or isinstance(largest, bool) or largest < 1:
        raise InvalidDataError(f"largest={largest!r}: expected a whole number of samples, at least 1")
    largest = int(largest)
    series.require_rows(largest, MIN_ROWS, "lagged")
    strict = ScreenConfig(kappa=_FALSE_LINKS / max(1, series.N), own_lags=0)
    found = screen(series, tau_max=largest, rows="lagged", config=strict, n_jobs=n_jobs).to_frame()
    tau_max = max(found["tau"].to_list(), default=0)
    return LagSuggestion(max(1, tau_max), largest, _curve(found, largest), _notes(tau_max, largest))


def _curve(found: pl.DataFrame, largest: int) -> pl.DataFrame:
    import polars as pl

    strongest = pl.col("source", "target", "score").sort_by("score", descending=True).first()
    by_lag = found.group_by("tau").agg(strongest, links=pl.len().cast(pl.Int64))
    lags = pl.DataFrame({"tau": np.arange(1, largest + 1)})
    curve = lags.join(by_lag, on="tau", how="left").with_columns(pl.col("links").fill_null(0)).sort("tau")
    return curve.select("tau", "links", "source", "target", "score")


def _notes(tau_max: int, largest: int) -> tuple[str, ...]:
    if tau_max == 0:
        return (f"no lag from 1 to {largest} stands out: tau_max=1 is the smallest possible, not a finding",)
    if tau_max > 0.9 * largest and largest > 1:
        return (f"links reach the largest lag looked at ({largest}): look further, or remove a season or trend first",)
    return ()
