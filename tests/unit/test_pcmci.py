import numpy as np
import pytest

from arrow_cd.backends.base import Task
from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.pcmci import NativePcmci
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from systems import all_links, linear_system

X = linear_system(0, 4, 200, 3)
LINKS = all_links(4, 3)


def native(x, links=None, **options):
    series = as_time_series(x)
    return run_native(series, all_links(series.N, 3) if links is None else links, **options)


def same_but_for(column: int, x, **options):
    """Status of links that touch a column, and whether all others are as without it."""
    with_it = native(x, **options)
    others = [k for k in range(x.shape[1]) if k != column]
    without = native(x[:, others], **options)
    within = np.ix_(others, others)
    np.testing.assert_array_equal(with_it.status[within], without.status)
    np.testing.assert_allclose(with_it.p[within], without.p, rtol=0, atol=1e-12)
    touching = LINKS.copy()
    touching[within] = False
    return with_it, touching


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6])
@pytest.mark.parametrize("missing", [False, True])
def test_a_constant_column_is_not_testable_and_changes_nothing_else(value: float, missing: bool) -> None:
    x = X.copy()
    x[:, 2] = value
    if missing:
        x[50, 0] = np.nan
    found, touching = same_but_for(2, x)
    assert (found.status[touching] == LinkStatus.CONSTANT).all()
    assert (found.p[touching] == 1).all() and (found.val[touching] == 0).all()
    assert found.parents[2] == []


def test_a_column_that_is_constant_only_on_some_lags() -> None:
    x = X.copy()
    x[:, 2] = 1.0
    x[3, 2] = 5.0  # lag 3 alone reads it: the first row is t = 6
    found = native(x)
    assert (found.status[2, :, 1:3] == LinkStatus.CONSTANT).all()
    assert found.status[2, 0, 3] == LinkStatus.OK
    assert (found.status[:, 2, 1:] == LinkStatus.CONSTANT).all()


@pytest.mark.parametrize("budget", [0, 2**30])
def test_a_copy_is_explained_by_its_original(budget: int) -> None:
    x = np.column_stack([X, X[:, 0]])
    given = {j: [(0, -1)] for j in range(5)}
    found = native(x, parents=given, max_conds_px=0, memory_budget=budget)
    # Given x_0(t-1), nothing is left of its copy.
    assert (found.status[4, 1:4, 1] == LinkStatus.COLLINEAR).all()
    assert (found.p[4, 1:4, 1] == 1).all()
    assert found.status[4, 1, 2] == LinkStatus.OK
    assert np.isfinite(found.p).all() and np.isfinite(found.val).all()


@pytest.mark.parametrize("budget", [0, 2**30])
def test_a_dependent_condition_changes_the_degrees_of_freedom_only(budget: int) -> None:
    x = np.column_stack([X, X[:, 0] + X[:, 1]])
    links = np.zeros((5, 5, 4), dtype=bool)
    links[2, 3, 2] = True
    plain, twice = (
        native(x, links, parents={3: [(k, -1) for k in conditions]}, memory_budget=budget)
        for conditions in ([0, 1], [0, 1, 4])
    )
    assert twice.val[2, 3, 2] == pytest.approx(plain.val[2, 3, 2], abs=1e-12)
    assert twice.p[2, 3, 2] != plain.p[2, 3, 2]


def test_nearly_the_same_columns_keep_their_digits() -> None:
    rng = np.random.default_rng(1)
    x = np.column_stack([X, X[:, 0] + 1e-7 * rng.standard_normal(len(X))])
    parents = {j: [(0, -1)] for j in range(5)}
    fast, rows = (native(x, parents=parents, memory_budget=budget) for budget in (2**30, 0))
    assert fast.status[4, 1, 1] == LinkStatus.OK
    np.testing.assert_allclose(fast.p, rows.p, rtol=0, atol=1e-10)


def test_too_few_rows_for_the_conditions() -> None:
    x = X[:10]  # four rows
    parents = {j: [(j, -1), (j, -2)] for j in range(4)}
    found = native(x, parents=parents, max_conds_px=0)
    assert found.n_samples == 4
    # Two conditions leave no degree of freedom, and one (the link is the other) leaves one.
    assert found.status[0, 1, 1] == LinkStatus.TOO_FEW_ROWS and found.p[0, 1, 1] == 1
    assert found.status[1, 1, 1] == LinkStatus.OK


def test_a_column_with_hardly_any_values() -> None:
    x = X.copy()
    x[4:, 1] = np.nan
    found, touching = same_but_for(1, x)
    assert np.isin(found.status[touching], [LinkStatus.TOO_FEW_ROWS, LinkStatus.CONSTANT]).all()


def test_no_rows_at_all() -> None:
    with pytest.raises(ValueError, match="no rows to test on"):
        native(X[:6])


def test_required_links_are_conditions_and_not_tested() -> None:
    required = np.zeros_like(LINKS)
    required[3, 0, 2] = True
    found = native(X, LINKS & ~required, required=required)
    assert (found.val[3, 0, 2], found.p[3, 0, 2]) == (1, 0)
    assert found.parents[0][0] == (3, -2)
    assert found.tests_by_phase["mci"] == LINKS.sum() - 1


def test_links_left_out_are_not_asked() -> None:
    links = LINKS.copy()
    links[1, 2] = False
    found = native(X, links)
    assert (found.status[1, 2] == LinkStatus.NOT_ASKED).all() and (found.p[1, 2] == 1).all()
    assert (found.status[links] == LinkStatus.OK).all()


def test_contemporaneous_pairs() -> None:
    links = all_links(4, 3, tau_min=0)
    links[0, 1, 0] = False
    found = native(X, links, max_conds_py=1, max_conds_px=0)
    undirected = [(0, 2), (1, 3)]
    assert any(found.p[i, j, 0] != found.p[j, i, 0] for i, j in undirected)
    both = found.symmetric(links)
    larger = np.maximum(found.p, found.p.transpose(1, 0, 2))
    assert all(both.p[i, j, 0] == both.p[j, i, 0] == larger[i, j, 0] < 1 for i, j in undirected)
    assert all(both.val[i, j, 0] == both.val[j, i, 0] for i, j in undirected)
    np.testing.assert_array_equal(both.p[:, :, 1:], found.p[:, :, 1:])
    # One direction only: the other stays as it is.
    assert both.p[0, 1, 0] == 1 and both.p[1, 0, 0] < 1


def test_parents_only_matter_as_far_as_the_limits_let_them() -> None:
    parents = {0: [(0, -1), (1, -2)], 1: [(1, -1)]}
    none = native(X, parents={}, max_conds_px=None)
    limited = native(X, parents=parents, max_conds_py=0, max_conds_px=0)
    np.testing.assert_allclose(none.p, limited.p, rtol=1e-12)
    assert none.tests_by_phase["pc1"] == 0


def test_progress_counts_targets_of_both_phases() -> None:
    seen: list[tuple[str, int, int]] = []
    x = linear_system(1, 6, 3000, 3)
    x[5, 0] = np.nan  # slow enough to be watched
    native(x, all_links(6, 3), progress=lambda *step: seen.append(step))
    assert all(phase == "pcmci" and 0 < done <= total == 12 for phase, done, total in seen)


@pytest.mark.parametrize(
    ("links", "options", "message"),
    [
        (np.ones((4, 4, 4), dtype=bool), {}, "linked with itself"),
        (np.zeros((3, 3, 4), dtype=bool), {}, "N = 4, got bool"),
        (np.zeros((4, 3, 4), dtype=bool), {}, "shape"),
        (LINKS, {"required": np.zeros((4, 4, 3), dtype=bool)}, "shape"),
        (LINKS, {"pc_alpha": 1.5}, r"expected a number in \[0, 1\]"),
        (LINKS, {"max_combinations": 0}, "at least 1"),
        (LINKS, {"parents": {0: [(7, -1)]}}, r"parents\[0\]: source 7"),
        (LINKS, {"parents": {0: [(1, -4)]}}, "lag 7 reaches before the first row 6"),
        (LINKS, {"parents": {0: [(1, 1)]}}, "a lag is positive"),
        (LINKS, {"pc_alpha": []}, r"pc_alpha=\[\]"),
        (LINKS, {"order": {0: [(1, -1)]}}, "sources of every target"),
    ],
)
def test_what_makes_no_sense_is_refused(links, options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native(X, links, **options)


def task(x, **options) -> Task:
    return Task(
        series=as_time_series(x),
        tau_min=1,
        tau_max=3,
        links=LINKS,
        required=np.zeros_like(LINKS),
        test="parcorr",
        alpha=0.05,
        options={**NativePcmci.defaults, **options},
    )


def test_back_end_says_what_it_tested() -> None:
    outcome = NativePcmci().run(task(X))
    assert (outcome.tested == LINKS).all()
    assert outcome.n_samples == 194
    assert outcome.notes == ()
    assert set(outcome.timings) == {"matrix", "pc1", "mci", "p_values"}


def test_back_end_says_how_it_treats_missing_values() -> None:
    x = X.copy()
    x[9, 1] = np.nan
    assert "missing" in NativePcmci().run(task(x)).notes[0]


@pytest.mark.parametrize(
    "option",
    [
        {"pc_alpha": []},
        {"pc_alpha": [0.1, 2]},
        {"pc_alpha": 2},
        {"max_combinations": None},
        {"max_conds_dim": -1},
        {"max_conds_px": 1.5},
    ],
)
def test_back_end_checks_its_options(option: dict[str, object]) -> None:
    with pytest.raises(InvalidDataError, match=next(iter(option))):
        NativePcmci().check({**NativePcmci.defaults, **option})
