"""How often VARLiNGAM finds a link in series generated from its own fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.native_lingam import fit_lingam

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from arrow_cd.backends.base import Task
    from arrow_cd.backends.native_lingam import LingamFit


def selection_frequency(
    task: Task, found: LingamFit, arrows: Callable[[LingamFit], NDArray[np.bool_]], settings: Mapping[str, Any]
) -> NDArray[np.float64]:
    """Return the share of bootstrap samples in which each link gets an arrow, (N, N, L + 1).

    Rows of residuals are drawn with replacement, all series of a row together, so that the order of columns does not
    matter. Each data set starts from its own first L samples and goes on by the fitted autoregression.

    Parameters
    ----------
    task, found
        The question and its fit; the links are those of the task in every sample.
    arrows
        The links that a fit puts into the graph.
    settings
        Of `fit_lingam`.
    """
    rng = np.random.default_rng(task.seed)
    n_boot = task.options["n_boot"]
    counts = np.zeros(task.links.shape)
    values, segments = task.series.values, list(task.series.segments)
    constant = values[_rows(segments, task.tau_max)] - found.residuals - _predicted(values, segments, found)
    for done in range(n_boot):
        drawn = rng.integers(0, len(found.residuals), len(found.residuals))
        sample = _generate(values, segments, found, constant.mean(axis=0) + found.residuals[drawn])
        fit = fit_lingam(np.ascontiguousarray(sample.T), segments, task.links, task.required, **settings)
        counts += arrows(fit)
        if task.progress is not None:
            task.progress("bootstrap", done + 1, n_boot)
    share: NDArray[np.float64] = counts / n_boot
    return share


def _rows(segments: list[tuple[int, int]], lags: int) -> NDArray[np.intp]:
    rows: NDArray[np.intp] = np.concatenate(
        [np.arange(start + lags, stop) for start, stop in segments if stop > start + lags]
    )
    return rows


def _weights(found: LingamFit) -> NDArray[np.float64]:
    """M as (N L, N): lag 1 of all sources first."""
    n, _, n_lags = found.reduced.shape
    weights: NDArray[np.float64] = found.reduced[:, :, 1:].transpose(2, 0, 1).reshape(n * (n_lags - 1), n)
    return weights


def _predicted(values: NDArray[np.float64], segments: list[tuple[int, int]], found: LingamFit) -> NDArray[np.float64]:
    lags = found.reduced.shape[2] - 1
    rows = _rows(segments, lags)
    predicted: NDArray[np.float64] = np.hstack([values[rows - lag] for lag in range(1, lags + 1)]) @ _weights(found)
    return predicted


def _generate(
    values: NDArray[np.float64],
    segments: list[tuple[int, int]],
    found: LingamFit,
    drive: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Run the autoregression from the first samples of every data set, a row of `drive` a step."""
    lags = found.reduced.shape[2] - 1
    weights = _weights(found)
    sample = values.copy()
    for row, t in zip(drive, _rows(segments, lags), strict=True):
        sample[t] = row + sample[t - lags : t][::-1].reshape(-1) @ weights
    return sample
