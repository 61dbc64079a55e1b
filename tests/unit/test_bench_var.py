"""The least-squares baseline: statsmodels' numbers on one series, and rows that stay within data sets and whole."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import as_time_series
from arrow_cd.bench import Cell
from arrow_cd.bench.least_squares import var_pvalues
from arrow_cd.bench.searches import run_cell
from arrow_cd.errors import BackendError
from arrow_cd.simulate import sparse_var

TAU_MAX = 3


@pytest.fixture(scope="module")
def values():
    return sparse_var(1, N=4, T=300, L=TAU_MAX).values


def test_p_values_are_those_of_statsmodels(values):
    api = pytest.importorskip("statsmodels.tsa.api")
    fitted = api.VAR(values).fit(TAU_MAX, trend="c")
    # Its rows: the intercept, then every series at lag 1, at lag 2, ...; its columns: the equations.
    expected = np.asarray(fitted.pvalues)[1:].reshape(TAU_MAX, 4, 4).transpose(1, 2, 0)
    found = var_pvalues(as_time_series(values), TAU_MAX)
    # statsmodels takes the normal tail for Student's: compare statistics, each by its own tail.
    from scipy import stats

    df = len(values) - TAU_MAX - 4 * TAU_MAX - 1
    np.testing.assert_allclose(stats.t.isf(found[:, :, 1:] / 2, df), stats.norm.isf(expected / 2), rtol=1e-8)
    assert (found[:, :, 0] == 1).all()


def by_hand(past, present):
    """p-values of one regression after the other, by normal equations."""
    from scipy import stats

    inverse = np.linalg.inv(past.T @ past)
    p = []
    for y in present.T:
        b = inverse @ past.T @ y
        df = len(y) - past.shape[1]
        s2 = ((y - past @ b) ** 2).sum() / df
        p.append(2 * stats.t.sf(abs(b) / np.sqrt(s2 * np.diag(inverse)), df))
    return np.array(p)


def test_rows_stay_within_data_sets_and_leave_out_missing_values(values):
    gaps = values.copy()
    gaps[50, 1] = gaps[200, 3] = np.nan
    series = as_time_series([gaps[:120], gaps[120:]])
    rows = [
        t
        for start, stop in ((0, 120), (120, 300))
        for t in range(start + TAU_MAX, stop)
        if not np.isnan(gaps[t - TAU_MAX : t + 1]).any()
    ]
    past = np.array([[1.0, *gaps[t - 1], *gaps[t - 2], *gaps[t - 3]] for t in rows])
    p = by_hand(past, gaps[rows])
    expected = p[:, 1:].reshape(4, TAU_MAX, 4).transpose(2, 0, 1)
    np.testing.assert_allclose(var_pvalues(series, TAU_MAX)[:, :, 1:], expected, rtol=1e-6)


def test_too_few_rows_and_dependent_columns_are_refused(values):
    with pytest.raises(BackendError, match="12 complete rows for 13 coefficients"):
        var_pvalues(as_time_series(values[:15]), TAU_MAX)
    with pytest.raises(BackendError, match="can't tell lagged columns apart"):
        var_pvalues(as_time_series(np.column_stack([values, values[:, 0] - values[:, 1]])), TAU_MAX)


def test_it_finds_the_links_of_a_linear_system_and_no_links_of_a_constant(values):
    made = sparse_var(1, N=4, T=300, L=TAU_MAX)
    series = as_time_series(np.column_stack([np.ones(300), values]))
    found = run_cell(Cell("any", "var", "numpy", "none"), series, TAU_MAX)
    assert found.tests == 48 and not found.graph[0].any() and not found.graph[:, 0].any()
    truth = made.lagged_truth(TAU_MAX)
    assert (found.graph[1:, 1:] & truth).sum() >= 0.7 * truth.sum()
    assert (found.graph[1:, 1:] & ~truth).sum() <= 0.2 * truth.sum()
