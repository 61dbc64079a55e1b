"""Native PCMCI uses tigramite's rows: reference points, masks, missing values, several data sets, bootstrap draws."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from parity import assert_same_mci, assert_same_pc1, tigramite_object

from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.rows import RowSpec, reference_rows
from arrow_cd.data import as_time_series
from systems import all_links, linear_system

N, TAU_MAX = 3, 2
LINKS = all_links(N, TAU_MAX, tau_min=0)


def assert_same(x, rows: RowSpec, *, alphas=0.2, frame=None, prepare=lambda pcmci: None) -> None:
    """Compare on one data set, or on a list of them."""
    data = x if isinstance(x, np.ndarray) else dict(enumerate(x))
    pcmci = tigramite_object(data, **(frame or {}))
    prepare(pcmci)
    results = pcmci.run_pcmci(tau_min=0, tau_max=TAU_MAX, pc_alpha=alphas)
    found = run_native(as_time_series(x), LINKS, rows=rows, pc_alpha=alphas)
    assert_same_pc1(found, pcmci)
    assert_same_mci(found, results, LINKS)


def gaps(shape, share: float, seed: int, clear: int = 0):
    """Random flags, none in the last `clear` samples."""
    flags = np.random.default_rng(seed).random(shape) < share
    flags[len(flags) - clear :] = False
    return flags


@pytest.mark.parametrize("mask_type", ["x", "y", "z", "xy", "xz", "yz", "xyz", None])
@pytest.mark.parametrize("missing", [0.0, 0.02])
def test_masks_in_every_role(mask_type: str | None, missing: float) -> None:
    x = linear_system(1, N, 140, TAU_MAX)
    x[gaps(x.shape, missing, 2)] = np.nan
    mask = gaps(x.shape, 0.1, 3)
    rows = RowSpec(mask=mask, mask_type=mask_type or "")
    assert_same(x, rows, frame={"mask": mask, "mask_type": mask_type})


def test_a_mask_of_all_targets_alike_keeps_the_matrix() -> None:
    x = linear_system(2, N, 140, TAU_MAX)
    mask = np.tile(np.arange(len(x))[:, None] % 12 < 3, N)
    rows = RowSpec(mask=mask, mask_type="y")
    assert_same(x, rows, frame={"mask": mask, "mask_type": "y"})
    found = run_native(as_time_series(x), LINKS, rows=rows)
    assert found.correlations != "rows" and found.n_samples == (~mask[2 * TAU_MAX :, 0]).sum()


@pytest.mark.parametrize("alphas", [None, [0.05, 0.3, 0.6]])
def test_levels_are_chosen_on_the_same_rows(alphas) -> None:
    x = linear_system(3, N, 140, TAU_MAX)
    x[gaps(x.shape, 0.02, 4)] = np.nan
    mask = gaps(x.shape, 0.1, 5)
    assert_same(x, RowSpec(mask=mask, mask_type="xz"), alphas=alphas, frame={"mask": mask, "mask_type": "xz"})


@pytest.mark.parametrize("missing", [0.0, 0.02])
@pytest.mark.parametrize(
    "points",
    [np.arange(20, 90), np.arange(0, 140, 3), np.array([3, 7, 50, 51, 52, 53, 54, 55, 100, 101, *range(120, 140)])],
)
def test_reference_points(points, missing: float) -> None:
    x = linear_system(4, N, 140, TAU_MAX)
    x[gaps(x.shape, missing, 6)] = np.nan
    assert_same(x, RowSpec(reference=points), frame={"reference_points": points})


@pytest.mark.parametrize("points", [None, np.arange(0, 90, 2)])
def test_time_offsets(points) -> None:
    x = linear_system(5, N, 150, TAU_MAX)
    sets, offsets = [x[:60], x[60:66], x[66:]], [3, 0, 20]
    every = np.arange(200) if points is None else points
    rows = RowSpec(reference=reference_rows(every, as_time_series(sets).segments, offsets))
    assert_same(sets, rows, frame={"time_offsets": dict(enumerate(offsets)), "reference_points": points})


def test_masks_in_several_data_sets() -> None:
    x = linear_system(6, N, 150, TAU_MAX)
    mask = gaps(x.shape, 0.1, 7)
    sets, masks = [x[:60], x[60:]], {0: mask[:60], 1: mask[60:]}
    assert_same(sets, RowSpec(mask=mask, mask_type="yz"), frame={"mask": masks, "mask_type": "yz"})


@pytest.mark.parametrize("mask_type", ["", "xyz"])
@pytest.mark.parametrize("points", [None, np.arange(0, 130, 2)])
def test_what_a_missing_sample_costs_later_rows(mask_type: str, points) -> None:
    x = linear_system(7, N, 140, TAU_MAX)
    # tigramite fails where a missing sample is among the last rows.
    x[gaps(x.shape, 0.01, 8, clear=20)] = np.nan
    mask = gaps(x.shape, 0.1, 9)
    rows = RowSpec(reference=points, mask=mask, mask_type=mask_type, lose_after_missing=True)
    frame = {
        "remove_missing_upto_maxlag": True,
        "mask": mask,
        "mask_type": mask_type or None,
        "reference_points": points,
    }
    assert_same(x, rows, frame=frame)


def test_what_a_missing_sample_costs_ends_with_its_data_set() -> None:
    x = linear_system(8, N, 150, TAU_MAX)
    x[45, 1] = np.nan
    x[100, 2] = np.nan
    assert_same([x[:60], x[60:]], RowSpec(lose_after_missing=True), frame={"remove_missing_upto_maxlag": True})


@pytest.mark.parametrize("block", [1, 7, 40])
@pytest.mark.parametrize("missing", [0.0, 0.01])
def test_bootstrap_draws(block: int, missing: float) -> None:
    x = linear_system(9, N, 140, TAU_MAX)
    x[gaps(x.shape, missing, 10)] = np.nan
    rng = np.random.default_rng(11)
    points = np.arange(2 * TAU_MAX, len(x))
    n_blocks = -(-len(points) // block)
    starts = np.random.default_rng(11).choice(np.arange(len(points) - block), size=n_blocks, replace=True)
    draw = points[(starts[:, None] + np.arange(block)).ravel()[: len(points)]]

    def prepare(pcmci) -> None:
        pcmci.dataframe.bootstrap = {"boot_blocklength": block, "random_state": rng}

    with pytest.warns(UserWarning) if n_blocks < 10 else nullcontext():
        assert_same(x, RowSpec(reference=draw), prepare=prepare)
