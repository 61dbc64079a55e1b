"""Granger causality against reference values, statsmodels and its slow twin."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd.backends.native_granger import run_granger
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from naive_granger import granger as naive_granger
from reference_series import lin
from systems import all_links, linear_system

FORMS = {
    "conditional": {},
    "block": {"conditional": False},
    "mask": {"conditional": False, "lags": "mask"},
}

# F and p at L = 3 for every ordered pair: of two series, and given the third.
BIVARIATE = {
    (0, 1): (2.84655325739, 0.037898970746),
    (0, 2): (0.758396957448, 0.518251585518),
    (1, 0): (0.159361622233, 0.923585892502),
    (1, 2): (8.58439858017, 1.77076832048e-5),
    (2, 0): (3.08051592068, 0.0278259568491),
    (2, 1): (0.19773088537, 0.897894364851),
}
CONDITIONAL = {
    (0, 1): (2.94653525039, 0.0332350643765),
    (0, 2): (1.81781758099, 0.14401816155),
    (1, 0): (0.263395656813, 0.851744239778),
    (1, 2): (9.64859236863, 4.35363556402e-6),
    (2, 0): (3.1575194669, 0.0251443323583),
    (2, 1): (0.32166937213, 0.8097043654),
}
OWN = (15.2673588023, 16.831300642, 17.4179023718)


def run(x, links, form="conditional", **options):
    return run_granger(as_time_series(x), links, **FORMS[form], **options)


@pytest.mark.parametrize(("form", "table", "df"), [("block", BIVARIATE, 290), ("conditional", CONDITIONAL, 287)])
def test_reference_values(form, table, df):
    found = run(lin(), all_links(3, 3), form)
    assert found.n_samples == 297
    for (i, j), (f, p) in table.items():
        assert found.f[i, j] == pytest.approx(f, rel=1e-9)
        assert found.pairs.p[i, j] == pytest.approx(p, rel=1e-9, abs=1e-12)
        assert (found.df_num[i, j], found.df_denom[i, j]) == (3, df)
        assert found.pairs.val[i, j] == pytest.approx(np.log1p(3 * f / df), rel=1e-9)


def test_reference_values_of_own_lags_and_single_lags():
    found = run(lin(), all_links(3, 3))
    np.testing.assert_allclose(np.diag(found.f), OWN, rtol=1e-9)
    assert found.p[0, 1, 2] == pytest.approx(0.007155369384, rel=1e-9)
    assert found.p[1, 1, 1] == pytest.approx(3.062320045e-10, rel=1e-8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_slow_twin(form, seed):
    rng = np.random.default_rng(seed)
    x = linear_system(seed, 4, 160, 3) * [1.0, 50.0, 1e-4, 1.0] + [0.0, 1e5, 0.0, -3.0]
    links = all_links(4, 3) & (rng.random((4, 4, 4)) < (1.0 if seed == 0 else 0.5))
    segments = [(0, 70), (70, 75), (75, 160)]
    series = as_time_series({"a": x[:70], "b": x[70:75], "c": x[75:]})
    found = run_granger(series, links, **FORMS[form])
    of_links, of_pairs = naive_granger(x, links, segments=segments, form=form)
    assert set(map(tuple, np.argwhere(found.status == LinkStatus.OK).tolist())) == set(of_links)
    for link, (r, p) in of_links.items():
        assert found.val[link] == pytest.approx(r, rel=1e-8, abs=1e-10)
        assert found.p[link] == pytest.approx(p, rel=1e-8)
    assert set(map(tuple, np.argwhere(found.pairs.status == LinkStatus.OK).tolist())) == set(of_pairs)
    for pair, (val, f, p, df_num, df_denom) in of_pairs.items():
        assert found.f[pair] == pytest.approx(f, rel=1e-9)
        assert found.pairs.val[pair] == pytest.approx(val, rel=1e-9)
        assert found.pairs.p[pair] == pytest.approx(p, rel=1e-9)
        assert (found.df_num[pair], found.df_denom[pair]) == (df_num, df_denom)


@pytest.mark.parametrize("form", FORMS)
def test_rows_instead_of_one_matrix(form):
    """The memory budget decides where correlations come from, not what they are."""
    x = linear_system(3, 3, 120, 2)
    links = all_links(3, 4)
    one, other = run(x, links, form), run(x, links, form, memory_budget=0)
    np.testing.assert_allclose(one.val, other.val, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(one.f, other.f, rtol=1e-10)


def test_equals_statsmodels_source_by_source():
    """F to 1e-10 and p on 50 random systems."""
    stattools = pytest.importorskip("statsmodels.tsa.stattools", reason="statsmodels is not installed")
    for seed in range(50):
        lag = 1 + seed % 4
        x = linear_system(seed, 2, 80 + 5 * seed, 3)
        found = run(x, all_links(2, lag), "block")
        for source, target in ((0, 1), (1, 0)):
            (f, p, df_denom, df_num) = stattools.grangercausalitytests(x[:, [target, source]], [lag])[lag][0][
                "ssr_ftest"
            ]
            assert found.f[source, target] == pytest.approx(f, rel=1e-10)
            assert found.pairs.p[source, target] == pytest.approx(p, rel=1e-9)
            assert (found.df_denom[source, target], found.df_num[source, target]) == (df_denom, df_num)


@pytest.mark.parametrize("seed", range(3))
def test_equals_statsmodels_given_all_others(seed):
    """F only: statsmodels takes p from F with k times as many degrees of freedom."""
    api = pytest.importorskip("statsmodels.tsa.api", reason="statsmodels is not installed")
    x = linear_system(seed, 4, 200, 3)
    fitted = api.VAR(x).fit(3, trend="c")
    found = run(x, all_links(4, 3))
    for i in range(4):
        for j in range(4):
            if i != j:
                theirs = fitted.test_causality(f"y{j + 1}", [f"y{i + 1}"], kind="f").test_statistic
                assert found.f[i, j] == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_equals_statsmodels_on_candidates(seed):
    regression = pytest.importorskip("statsmodels.api", reason="statsmodels is not installed")
    x = linear_system(seed, 4, 150, 3)
    links = all_links(4, 3) & (np.random.default_rng(seed).random((4, 4, 4)) < 0.4)
    found = run(x, links)
    rows = np.arange(3, 150)
    for j in range(4):
        nodes = [(i, lag) for i in range(4) for lag in range(1, 4) if links[i, j, lag]]

        def fit(nodes, j=j):
            design = np.column_stack([np.ones(147), *(x[rows - lag, i] for i, lag in nodes)])
            return regression.OLS(x[rows, j], design).fit()

        full = fit(nodes)
        for i in {i for i, _ in nodes}:
            f, p, df_num = full.compare_f_test(fit([node for node in nodes if node[0] != i]))
            assert found.f[i, j] == pytest.approx(f, rel=1e-9)
            assert found.pairs.p[i, j] == pytest.approx(p, rel=1e-9)
            assert found.df_num[i, j] == df_num
        for k, (i, lag) in enumerate(nodes):
            assert found.p[i, j, lag] == pytest.approx(full.pvalues[k + 1], rel=1e-8)
