"""The screen in front of a tigramite run, on the rows and variables that the run's tests use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.candidates import Candidates
from arrow_cd.data.checks import constant_columns
from arrow_cd.screening import ScreenConfig, screen
from arrow_cd.tigramite.accept import refuse
from arrow_cd.tigramite.rows import chosen_rows, gather, masked_samples, rows_without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress
    from arrow_cd.data import TimeSeries
    from arrow_cd.tigramite.rows import RowSets

    Mask = NDArray[np.bool_]
    Kept = list[tuple[tuple[int, int], float]]


def prefilter(
    frame: Any,
    mask_type: str | None,
    series: TimeSeries,
    asked: Mask,
    *,
    tau_min: int,
    tau_max: int,
    config: ScreenConfig | None,
    memory_budget: int | None,
    n_jobs: int,
    progress: Progress | None,
) -> Candidates:
    """Screen the data of one run as its tests will see them.

    The screen runs on the data as they are now, for every call: a choice made on the whole series must not leak into
    a window or a bootstrap draw of it. What it sees:

    - a row (time of the target) counts if the tests use it: reference points, the current window or draw, and, with
      "y" in `mask_type`, only where the target itself is not masked. Targets with different masks are screened apart.
      Such rows are gathered and screened by `forward`, which reads nothing else;
    - with "x" or "z" in `mask_type` a masked sample is missing to the screen. It can't tell a tested source from a
      condition, so with only one of them, or without "y", it sees fewer samples than the tests;
    - a variable of several columns (`vector_vars`) has a candidate where any of its columns has one.

    Parameters
    ----------
    frame, mask_type
        A tigramite DataFrame and the mask type of its test.
    series
        All its samples, as `read_frame` returns them.
    asked : (N, N, tau_max + 1) bool
        Links that may be kept, [source, target, tau].
    tau_min, tau_max
        Lags to screen, from 1 on, in samples.
    config, memory_budget, n_jobs, progress
        Passed to `screen`.

    Raises
    ------
    BackendError
        The strategy can't look at chosen rows only, or a column of `vector_vars` has a lag of its own.
    """
    config = config or ScreenConfig()
    columns = _columns(frame)
    allowed = np.einsum("vc,vwt,wd->cdt", columns, asked, columns, optimize=True) if frame.has_vector_data else asked
    masked = None if mask_type is None else masked_samples(frame)
    if masked is not None and {"x", "z"} & set(mask_type or ""):
        series = _without(series, masked)
    kept: dict[int, Kept] = {}
    for targets, sets in _row_sets(frame, masked if "y" in (mask_type or "") else None, series, tau_max):
        if sets is not None:
            config = _for_chosen_rows(config)
        found = screen(
            series if sets is None else gather(series, sets, 2 * tau_max),
            tau_max=tau_max,
            tau_min=tau_min,
            config=config,
            rows="pcmci",
            allowed=allowed & targets[:, None],
            memory_budget=memory_budget,
            n_jobs=n_jobs,
            progress=progress,
        )
        kept |= {j: list(zip(found.order[j], found.scores[j], strict=True)) for j in np.flatnonzero(targets).tolist()}
    best = _by_variable(kept, columns)
    order = {target: list(links) for target, links in best.items()}
    scores = {target: list(links.values()) for target, links in best.items()}
    names = tuple(str(frame.var_names[v]) for v in range(frame.N))
    return Candidates(order, scores, names, tau_min, tau_max, config)


def _without(series: TimeSeries, masked: Mask) -> TimeSeries:
    """Return the series with the masked samples missing."""
    values = np.where(masked, np.nan, series.values)
    return replace(series, values=values, valid=series.valid & ~masked, constant=constant_columns(values))


def _columns(frame: Any) -> Mask:
    """Return which columns belong to which variable, (N, columns)."""
    columns = np.zeros((frame.N, frame.Ndata), dtype=bool)
    for variable, members in frame.vector_vars.items():
        for column, lag in members:
            if lag:
                raise refuse(
                    f'mode="screen" with a lag inside vector_vars ({variable}: {column, lag})',
                    "the screen looks at all columns of a variable at one time",
                )
            columns[variable, column] = True
    return columns


def _for_chosen_rows(config: ScreenConfig) -> ScreenConfig:
    """Return the same settings with the screen that looks at chosen rows only."""
    if config.strategy not in ("weave", "forward"):
        raise refuse(
            f"the screen {config.strategy!r} on chosen rows (a mask, reference points, windows, bootstrap)",
            'it looks at every sample of a data set; choose "weave" or "forward"',
        )
    return replace(config, strategy="forward")


def _row_sets(
    frame: Any, masked: Mask | None, series: TimeSeries, tau_max: int
) -> Iterator[tuple[Mask, RowSets | None]]:
    """Yield targets (as flags of columns) that share their rows, and these rows; None for all from 2 tau_max on."""
    everything = np.ones(series.N, dtype=bool)
    sets = chosen_rows(frame, 2 * tau_max)
    if masked is None or not masked.any():
        yield everything, sets
        return
    if sets is None:
        sets = [np.arange(2 * tau_max, max(2 * tau_max, frame.T[key])) for key in frame.datasets]
    patterns, group = np.unique(masked, axis=1, return_inverse=True)
    for k, pattern in enumerate(patterns.T):
        left = rows_without(sets, pattern, series.segments)
        if any(map(len, left)):  # targets that are masked on all rows can't be tested, let alone screened
            yield group.ravel() == k, left


def _by_variable(kept: dict[int, Kept], columns: Mask) -> dict[int, dict[tuple[int, int], float]]:
    """Return the candidates of variables, with scores: where any column of a variable has one, the best of them."""
    best: dict[int, dict[tuple[int, int], float]] = {target: {} for target in range(len(columns))}
    for target, links in best.items():
        for column in np.flatnonzero(columns[target]).tolist():
            for (source, lag), score in kept.get(column, ()):
                for variable in np.flatnonzero(columns[:, source]).tolist():
                    links[variable, lag] = max(score, links.get((variable, lag), 0.0))
    return best
