"""Rows of a native run: what can't be meant is refused, and what is meant is used."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd.backends.native_pcmci import NativeRun, run_native
from arrow_cd.backends.rows import RowSpec, reference_rows
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from systems import all_links, linear_system

T, N, TAU_MAX = 120, 3, 2
X = linear_system(0, N, T, TAU_MAX)
LINKS = all_links(N, TAU_MAX)
NO_MASK = np.zeros((T, N), dtype=bool)


def native(x=X, **options) -> NativeRun:
    return run_native(as_time_series(x), LINKS, **options)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (RowSpec(mask=NO_MASK, mask_type="xw"), "mask_type='xw': expected letters of 'xyz'"),
        (RowSpec(mask_type="y"), "mask_type='y' without a mask"),
        (RowSpec(mask=NO_MASK[1:], mask_type="y"), r"mask has shape \(119, 3\), expected \(T, N\) = \(120, 3\)"),
        (RowSpec(reference=np.array([5.0])), "array of integers"),
        (RowSpec(reference=np.array([[5]])), "one-dimensional"),
        (RowSpec(reference=np.array([5, 120])), "rows outside 0 to T - 1 = 119"),
        (RowSpec(reference=np.array([-1, 5])), "rows outside 0"),
        (RowSpec(reference=np.arange(4)), "no rows to test on"),
        (RowSpec(reference=np.array([], dtype=int)), "no rows to test on"),
    ],
)
def test_rows_that_cannot_be_meant(rows: RowSpec, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native(rows=rows)


def test_all_rows_named_are_all_rows() -> None:
    plain, named = native(), native(rows=RowSpec(reference=np.arange(T)))
    assert named.n_samples == plain.n_samples and named.parents == plain.parents
    np.testing.assert_array_equal(named.p, plain.p)


def test_a_window_is_the_shorter_series() -> None:
    window = native(rows=RowSpec(reference=np.arange(50, 90)))
    cut = native(X[50 - 2 * TAU_MAX : 90])
    assert window.n_samples == 40 and window.parents == cut.parents
    np.testing.assert_allclose(window.p, cut.p, rtol=0, atol=1e-12)


def test_every_row_twice_adds_rows_but_no_correlation() -> None:
    once = native(parents={}, rows=RowSpec(reference=np.arange(T)))
    twice = native(parents={}, rows=RowSpec(reference=np.repeat(np.arange(T), 2)))
    np.testing.assert_allclose(twice.val, once.val, rtol=0, atol=1e-12)
    assert (twice.df[LINKS] == 2 * once.df[LINKS] + 2).all()


@pytest.mark.parametrize("mask_type", ["x", "y", "z"])
def test_a_mask_counts_in_its_roles_only(mask_type: str) -> None:
    mask = NO_MASK.copy()
    mask[60, 1] = True
    given = {0: [(2, -1)], 1: [(2, -1)], 2: [(1, -1)]}
    found = native(rows=RowSpec(mask=mask, mask_type=mask_type), parents=given, max_conds_px=0)
    rows = found.df + 2 + np.array([[[0, 1, 1]] * N] * N)
    rows[2, :2, 1] -= 1  # the condition is the link itself
    rows[1, 2, 1] -= 1
    lost = np.where(LINKS, T - 2 * TAU_MAX - rows, 0) == 1
    uses = {"x": LINKS & (np.arange(N) == 1)[:, None, None], "y": LINKS & (np.arange(N) == 1)[:, None]}
    uses["z"] = LINKS & (np.arange(N) == 2)[:, None]
    uses["z"][1, 2, 1] = False
    np.testing.assert_array_equal(lost, uses[mask_type])


def test_everything_masked_leaves_nothing_testable() -> None:
    found = native(rows=RowSpec(mask=~NO_MASK, mask_type="x"))
    assert np.isin(found.status[LINKS], [LinkStatus.CONSTANT, LinkStatus.TOO_FEW_ROWS]).all()
    assert (found.p == 1).all() and all(found.parents[j] == [] for j in range(N))


@pytest.mark.parametrize("kind", ["offset", "spike"])
def test_rows_of_their_own_keep_their_digits(kind: str) -> None:
    x = X.copy()
    if kind == "offset":
        x += 1e6
    else:
        x[40, 1] = 1e8
    mask = np.random.default_rng(1).random(x.shape) < 0.05
    # On the same rows for all tests the matrix is read; with the other roles every test gathers its own.
    same = np.tile(mask[:, :1], N)
    matrix = native(x, rows=RowSpec(mask=same, mask_type="y"))
    gathered = native(x, rows=RowSpec(mask=same, mask_type="y"), memory_budget=0)
    assert (matrix.correlations, gathered.correlations) == ("matrix", "rows")
    assert matrix.parents == gathered.parents
    np.testing.assert_allclose(matrix.p, gathered.p, rtol=0, atol=1e-10)


def test_reference_points_of_data_sets_that_start_at_different_times() -> None:
    rows = reference_rows(np.array([4, 9, 3]), [(0, 5), (5, 12)], [0, 3])
    assert rows.tolist() == [3, 4, 5, 6, 11]


def test_rows_one_by_one_count_in_the_memory_budget() -> None:
    """Sums by lag difference take the memory of the rows as well, columns to be multiplied pair by pair do not."""
    columns, rows = N * (2 * TAU_MAX + 1), RowSpec(reference=np.arange(0, T, 2))
    matrix, gathered = 8 * (columns**2 + columns * N), 8 * columns * len(range(2 * TAU_MAX, T, 2))
    assert native(rows=rows, memory_budget=matrix + gathered).correlations == "matrix"
    assert native(rows=rows, memory_budget=gathered).correlations == "pairs"
    assert native(memory_budget=matrix).correlations == "matrix"
