"""What a look at the data tells before a search: ties, trend, season, memory of every column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.data import TimeSeries, as_time_series

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

# A straight line that explains this share of the variance is called a trend.
TREND = 0.5
# A season is a peak of the autocorrelation this high, and this far above the lowest point before it.
PEAK, RISE = 0.3, 0.3


def inspect_data(data: Any) -> pl.DataFrame:
    """Describe every column.

    Parameters
    ----------
    data
        Anything that `as_time_series` takes.

    Returns
    -------
    polars.DataFrame
        One row per column: name; missing and distinct values; ties (share of steps without a change); sd; memory
        (autocorrelation at lag 1); trend (share of variance that a straight line explains); season (the most likely
        period in samples, null without one); constant. Data sets are described together, gaps between them included.
    """
    import polars as pl

    series = as_time_series(data)
    rows = [_describe(name, series, k) for k, name in enumerate(series.names)]
    return pl.DataFrame(
        rows,
        schema={
            "column": pl.String,
            "missing": pl.Int64,
            "distinct": pl.Int64,
            "ties": pl.Float64,
            "sd": pl.Float64,
            "memory": pl.Float64,
            "trend": pl.Float64,
            "season": pl.Int64,
            "constant": pl.Boolean,
        },
    )


def trend_notes(series: TimeSeries) -> tuple[str, ...]:
    """Warn if at least two columns share what looks like a trend: it makes everything look linked to everything."""
    trending = [series.names[k] for k in series.active() if _trend(series.values[:, k]) >= TREND]
    if len(trending) < 2:
        return ()
    shown = ", ".join(trending[:5]) + (f" and {len(trending) - 5} more" if len(trending) > 5 else "")
    return (
        f"{len(trending)} columns look like they trend ({shown}): links may be the trend's; see preprocess detrend",
    )


def _describe(name: str, series: TimeSeries, k: int) -> dict[str, Any]:
    x = series.values[:, k]
    known = x[series.valid[:, k]]
    row: dict[str, Any] = {"column": name, "missing": len(x) - len(known), "distinct": len(np.unique(known))}
    if series.constant[k]:
        return row | {"constant": True}
    acf = _autocorrelation(x)
    return row | {
        "ties": float(np.mean(np.diff(known) == 0)),
        "sd": float(known.std()),
        "memory": float(acf[1]),
        "trend": _trend(x),
        "season": _season(x),
        "constant": False,
    }


def _line(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least-squares line through the known values, about their mean."""
    known = ~np.isnan(x)
    t = np.arange(len(x), dtype=float)
    t -= t[known].mean()
    line: NDArray[np.float64] = t * (t[known] @ (x[known] - x[known].mean())) / (t[known] @ t[known])
    return line


def _trend(x: NDArray[np.float64]) -> float:
    return float(np.nanvar(np.where(np.isnan(x), np.nan, _line(x))) / np.nanvar(x))


def _autocorrelation(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Autocorrelation at all lags, missing values as the mean; the usual estimate, biased towards 0."""
    centred = np.nan_to_num(x - np.nanmean(x))
    power = np.abs(np.fft.rfft(centred, 2 * len(x))) ** 2
    products = np.fft.irfft(power)[: len(x)]
    acf: NDArray[np.float64] = products / products[0]
    return acf


def _season(x: NDArray[np.float64]) -> int | None:
    """Period of the clearest peak of the autocorrelation after removing a line; None if nothing stands out."""
    rest = x - _line(x)
    if np.nanvar(rest) <= 1e-12 * np.nanvar(x):
        return None
    acf = _autocorrelation(rest)[: len(x) // 3]
    lowest = np.minimum.accumulate(acf)
    peaks = np.flatnonzero((acf[1:-1] >= acf[:-2]) & (acf[1:-1] > acf[2:])) + 1
    clear = [k for k in peaks if k > 1 and acf[k] >= PEAK and acf[k] - lowest[k] >= RISE]
    return int(max(clear, key=lambda k: acf[k])) if clear else None
