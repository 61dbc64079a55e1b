"""What Granger causality does with columns, rows and links that allow no test, and what must not matter to it."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd.backends.base import Task
from arrow_cd.backends.granger import Granger
from arrow_cd.backends.native_granger import GrangerRun, run_granger
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import LinkStatus
from arrow_cd.tails import f_pvalue
from systems import all_links, linear_system

X = linear_system(0, 4, 200, 3)
LINKS = all_links(4, 3)
FORMS = ({}, {"conditional": False}, {"conditional": False, "lags": "mask"})
forms = pytest.mark.parametrize("form", FORMS, ids=("conditional", "block", "mask"))


def granger(x, links=LINKS, **options) -> GrangerRun:
    return run_granger(as_time_series(x), links, **options)


def assert_equal(one: GrangerRun, other: GrangerRun, at=np.index_exp[:], **tolerance: float) -> None:
    """The same numbers at some [source, target]; exactly, unless there is a tolerance."""
    for got, expected in (
        (one.val, other.val),
        (one.p, other.p),
        (one.f, other.f),
        (one.pairs.val, other.pairs.val),
        (one.pairs.p, other.pairs.p),
    ):
        if tolerance:
            np.testing.assert_allclose(got[at], expected[at], **tolerance)
        else:
            np.testing.assert_array_equal(got[at], expected[at])


@forms
def test_units_and_offsets_do_not_matter(form) -> None:
    plain = granger(X, **form)
    # Powers of two change no bit, other factors only the last ones.
    assert_equal(granger(X * [4.0, 1.0, 0.125, 2.0**40], **form), plain)
    assert_equal(granger(X * [1e-9, 3.0, 7e5, 1.0] + [0.0, 1e6, -1e6, 0.0], **form), plain, rtol=1e-8, atol=1e-10)


@forms
def test_a_spike_costs_other_series_no_digits(form) -> None:
    """1e8 in the last row of series 3 adds to sums of squares what would drown everything else."""
    spiked = X.copy()
    spiked[-1, 3] = 1e8
    links = LINKS.copy()
    links[3] = links[:, 3] = False
    assert_equal(granger(spiked, links, **form), granger(X, links, **form))


@forms
def test_threads_do_not_matter(form) -> None:
    assert_equal(granger(X, n_jobs=1, **form), granger(X, n_jobs=2, **form))


@forms
def test_the_last_value_of_a_series_is_a_target_and_never_an_input(form) -> None:
    """Nothing that predicts other series changes: a leak of x(t) into the inputs of x(t) would show."""
    changed = X.copy()
    changed[-1, 1] += 5.0
    one, other = granger(X, **form), granger(changed, **form)
    others = np.array([0, 2, 3])
    assert_equal(one, other, np.index_exp[:, others], rtol=1e-11, atol=1e-13)
    assert (one.f[:, 1] != other.f[:, 1]).all()


@forms
def test_no_lag_reaches_into_another_data_set(form) -> None:
    sets = [X[:90], X[90:]]
    one, other = granger(sets, **form), granger(sets[::-1], **form)
    assert one.n_samples == 200 - 2 * 3
    assert_equal(one, other, rtol=1e-9, atol=1e-12)


def test_a_kept_source_has_the_same_numbers_whatever_else_is_kept() -> None:
    kept = LINKS & (np.random.default_rng(0).random(LINKS.shape) < 0.3)
    whole, some = granger(X, conditional=False), granger(X, kept, conditional=False)
    np.testing.assert_array_equal(some.p[kept], whole.p[kept])
    pairs = kept.any(axis=2)
    np.testing.assert_array_equal(some.pairs.p[pairs], whole.pairs.p[pairs])
    assert (some.pairs.p[~pairs] == 1).all() and (some.p[~kept] == 1).all()


def test_a_copy_is_left_out_of_models_and_the_others_stay_as_they_are() -> None:
    plain = granger(X)
    found = granger(np.column_stack([X, X[:, 0]]), all_links(5, 3))
    assert (found.status[4, :, 1:] == LinkStatus.COLLINEAR).all()
    assert (found.pairs.status[4] == LinkStatus.COLLINEAR).all() and (found.pairs.p[4] == 1).all()
    assert_equal(found, plain, np.index_exp[:4, :4], rtol=1e-11, atol=1e-13)


def test_a_copy_is_collinear_with_its_original_source_by_source() -> None:
    found = granger(np.column_stack([X, X[:, 0] + 1e-9 * np.sin(np.arange(200.0))]), all_links(5, 3), conditional=False)
    assert (found.status[4, 0, 1:] == LinkStatus.COLLINEAR).all()
    assert found.pairs.status[4, 0] == LinkStatus.COLLINEAR
    assert (found.pairs.status[4, 1:4] == LinkStatus.OK).all()


@forms
def test_a_shifted_copy_is_predicted_perfectly(form) -> None:
    x = np.column_stack([X[1:], X[:-1, 0]])
    found = granger(x, all_links(5, 3), **form)
    # x_4(t) = x_0(t - 1): given x_0 nothing is left of it.
    assert found.pairs.status[0, 4] == LinkStatus.COLLINEAR
    assert (found.status[0, 4, 1:] == LinkStatus.COLLINEAR).all()
    assert found.pairs.status[0, 1] == found.pairs.status[1, 2] == LinkStatus.OK
    # Of its own lags only the longest says something that lags of x_0 don't.
    if not form:
        assert found.status[4, 1].tolist()[1:] == [LinkStatus.COLLINEAR, LinkStatus.COLLINEAR, LinkStatus.OK]
        assert found.df_num[4, 1] == 1


@forms
def test_a_column_that_moves_only_before_the_rows(form) -> None:
    x = np.column_stack([X, np.zeros(200)])
    x[0, 4] = 1.0
    found = granger(x, all_links(5, 3), **form)
    # Row 3 reads sample 0 at lag 3 alone.
    assert (found.status[4, 0, 1:3] == LinkStatus.CONSTANT).all() and found.status[4, 0, 3] == LinkStatus.OK
    assert found.df_num[4, 0] == 1
    assert (found.status[:, 4, 1:] == LinkStatus.CONSTANT).all() and (found.pairs.p[:, 4] == 1).all()


@forms
def test_parameters_and_rows(form) -> None:
    n_columns = 12 if not form else 6
    enough, too_few = (granger(X[: 3 + n_columns + 1 + df], **form) for df in (1, 0))
    assert enough.df_denom[0, 1] == 1 and enough.status[0, 1, 1] == LinkStatus.OK
    assert too_few.status[0, 1, 1] == too_few.pairs.status[0, 1] == LinkStatus.TOO_FEW_ROWS
    assert too_few.p[0, 1, 1] == too_few.pairs.p[0, 1] == 1


@forms
def test_required_links_are_in_every_model_and_not_tested(form) -> None:
    required = np.zeros_like(LINKS)
    required[3, 0, 2] = required[0, 0, 1] = True
    found = granger(X, LINKS & ~required, required=required, **form)
    rows = np.arange(3, 200)
    names = [(0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]
    others = [(2, 1), (2, 2), (2, 3), (3, 1), (3, 3)] if not form else []
    given = [(3, 2), (0, 1)]

    def rss(nodes):
        design = np.column_stack([np.ones(197), *(X[rows - lag, i] for i, lag in nodes)])
        return np.linalg.lstsq(design, X[rows, 0], rcond=None)[1][0]

    full = rss([*given, *names, *others])
    restricted = rss([*given, *names[:2], *others])
    df = 197 - 1 - len(given) - len(names) - len(others)
    assert found.f[1, 0] == pytest.approx((restricted / full - 1) / 3 * df, rel=1e-9)
    assert found.df_num[0, 0] == found.df_num[3, 0] == 2
    assert (found.val[required] == 0).all() and (found.p[required] == 1).all()
    assert (found.status[required] == LinkStatus.NOT_ASKED).all()


def test_a_user_hears_of_required_links_that_they_were_not_tested() -> None:
    stated = {0: {(3, -2): "-->", (0, -1): "-?>"}, 1: {}, 2: {}, 3: {}}
    result = discover(X, method="granger", tau_max=3, mode="exact", link_assumptions=stated)
    assert result.graph[3, 0, 2] == "-->" and not result.tested[3, 0, 2]
    assert result.tested[0, 0, 1]


def test_no_rows_at_all() -> None:
    with pytest.raises(ValueError, match="too short"):
        granger(X[:3])


def test_missing_values_are_refused() -> None:
    x = X.copy()
    x[5, 1] = np.nan
    with pytest.raises(ValueError, match="complete data only"):
        granger(x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lags": "all"}, "lags='all': expected one of block, mask"),
        ({"conditional": 1}, "conditional=1"),
    ],
)
def test_options_that_make_no_sense(options, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        discover(X, method="granger", tau_max=3, **options)


def task(x, tau_max: int = 3, **options) -> Task:
    links = all_links(x.shape[1], tau_max)
    return Task(
        series=as_time_series(x),
        tau_min=1,
        tau_max=tau_max,
        links=links,
        required=np.zeros_like(links),
        test="",
        alpha=0.05,
        options={**Granger.defaults, **options},
    )


def test_more_parameters_than_rows_for_every_target_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(InvalidDataError, match=r"^140 rows .* up to 240 lagged columns .*: screen the links"):
        Granger().run(task(X, 60))


def test_few_degrees_of_freedom_are_pointed_out() -> None:
    (note,) = Granger().run(task(X[:20])).notes
    assert "fewer than 10 residual degrees of freedom" in note and "4 left of 17 rows" in note
    assert not Granger().run(task(X)).notes


def test_every_f_comes_with_its_degrees_of_freedom() -> None:
    result = discover(X, method="granger", tau_max=3, mode="exact")
    records = {(record["source"], record["target"]): record for record in result.extra["pairs"]}
    assert len(records) == 16
    record = records[result.var_names[0], result.var_names[1]]
    assert (record["df_num"], record["df_denom"]) == (3, 197 - 12 - 1)
    assert f_pvalue(record["F"], 3, 184) == result.pairs.p[0, 1]


def test_validity_of_p() -> None:
    def validity(**options) -> str:
        return discover(X, method="granger", tau_max=3, **options).p_validity

    assert validity(mode="exact") == validity(mode="exact", conditional=False, lags="mask") == "exact"
    assert validity(conditional=False) == "exact"
    assert validity() == validity(conditional=False, lags="mask") == "post-selection"


def test_an_arrow_goes_on_every_kept_lag_of_a_significant_source() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((400, 2))
    x[1:, 1] += 0.5 * x[:-1, 0]
    result = discover(x, method="granger", tau_max=3, conditional=False)
    assert result.decided_by == "pairs"
    kept = result.tested[0, 1]
    assert kept[1] and (result.graph[0, 1] == "-->").tolist() == kept.tolist()
    assert not (result.graph[1, 0] == "-->").any()


def test_one_lag_of_many_is_not_tested_as_if_it_had_been_the_only_one() -> None:
    """One true link at lag 1: more lags weaken the F test of the pair, and nothing takes the smallest p over lags."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((150, 2))
    x[1:, 0] += 0.3 * x[:-1, 1]
    few, many = (discover(x, method="granger", tau_max=lags, mode="exact", conditional=False) for lags in (2, 10))
    df = [(r.extra["pairs"][2]["df_num"], r.extra["pairs"][2]["df_denom"]) for r in (few, many)]
    assert df == [(2, 148 - 5), (10, 140 - 21)]
    assert few.pairs.p[1, 0] < many.pairs.p[1, 0]
    assert many.pairs.p[1, 0] > many.p_matrix[1, 0].min()


def noise(seed: int):
    return np.random.default_rng(seed).standard_normal((300, 5))


@pytest.mark.parametrize("conditional", [True, False])
def test_p_values_of_white_noise_are_uniform(conditional) -> None:
    """200 sets: own lags included, and corrected p-values reject in few of them."""
    links, family = all_links(5, 5), all_links(5, 5)
    p, rejected = [], 0
    for seed in range(200):
        found = granger(noise(seed), links, conditional=conditional)
        p += [found.p[family], found.pairs.p.ravel()]
        of_pairs = benjamini_hochberg(found.pairs.p, np.ones((5, 5), dtype=bool))
        of_links = benjamini_hochberg(found.p, family)[family]
        rejected += bool((of_links if conditional else of_pairs).min() <= 0.05)
    assert 0.035 <= np.mean(np.concatenate(p) < 0.05) <= 0.065
    assert rejected <= 0.08 * 200


@pytest.mark.slow
@pytest.mark.parametrize("conditional", [True, False])
def test_links_chosen_on_white_noise_are_corrected_for_all_that_were_looked_at(conditional) -> None:
    results = [discover(noise(seed), method="granger", tau_max=5, conditional=conditional) for seed in range(200)]
    assert all(result.family_size == (125 if conditional else 25) for result in results)
    assert sum((result.graph == "-->").any() for result in results) <= 0.08 * 200


def test_ctrl_c_keeps_what_was_found() -> None:
    def stop(_phase: str, done: int, _total: int) -> None:
        raise KeyboardInterrupt

    x = np.random.default_rng(1).standard_normal((1000, 24))  # slow enough to be watched
    with pytest.raises(InterruptedRun) as stopped:
        run_granger(as_time_series(x), all_links(24, 99), conditional=False, progress=stop)
    partial = stopped.value.partial
    seen = np.unique(partial.pairs.status).tolist()
    assert LinkStatus.NOT_TESTED in seen and set(seen) <= {LinkStatus.OK, LinkStatus.NOT_TESTED}
    assert (partial.pairs.p[partial.pairs.status == LinkStatus.NOT_TESTED] == 1).all()
