"""What `discover(method="pc")` adds to the search: correction, survival, limits, copies, constant columns, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest

from arrow_cd import discover, read
from arrow_cd._discover import DiscoveryInterrupted
from arrow_cd.backends.native_pc import run_native_pc
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import LinkStatus
from systems import all_links, linear_system

N, TAU_MAX = 5, 2
X = linear_system(0, N, 300, TAU_MAX)


def run(x=X, **options):
    return discover(x, **{"method": "pc", "tau_max": TAU_MAX, "mode": "exact", **options})


def kept(result) -> np.ndarray:
    mask = np.zeros(result.graph.shape, dtype=bool)
    for j, parents in result.parents.items():
        for i, lag in parents:
            mask[i, j, -lag] = True
    return mask


@pytest.mark.parametrize(("pc_alpha", "alpha"), [(1e-8, 0.2), (0.3, 1e-4), (0.01, 0.05)])
def test_an_arrow_was_not_dropped_and_is_significant_after_correction(pc_alpha: float, alpha: float) -> None:
    result = run(pc_alpha=pc_alpha, alpha=alpha)
    np.testing.assert_array_equal(result.graph == "-->", kept(result) & (result.q_matrix <= alpha))
    assert ((result.p_matrix <= pc_alpha) == kept(result))[result.tested].all()
    np.testing.assert_array_equal(result.q_matrix, benjamini_hochberg(result.p_matrix, all_links(N, TAU_MAX)))
    assert result.tested[all_links(N, TAU_MAX)].all() and result.family_size == N * N * TAU_MAX


def test_each_of_the_two_levels_leaves_links_out() -> None:
    strict, lenient = run(pc_alpha=1e-8, alpha=0.2), run(pc_alpha=0.3, alpha=1e-4)
    assert ((strict.q_matrix <= 0.2) & (strict.graph == "")).any()
    assert (kept(lenient) & (lenient.graph == "")).any()


def test_without_correction_and_at_one_level_it_is_the_graph_of_pc_alone() -> None:
    result = run(pc_alpha=0.1, alpha=0.1, fdr="none")
    np.testing.assert_array_equal(result.graph == "-->", kept(result))
    assert result.p_validity == "exact" and result.val_unit == "partial correlation" and result.engine == "native"


def test_a_screen_decides_what_is_tested_and_what_is_a_condition() -> None:
    result = run(mode="screen", pc_alpha=0.2)
    candidates = result.screening.candidates
    assert result.p_validity == "post-selection" and result.family_size == N * N * TAU_MAX
    for i, j, tau in np.argwhere(result.tested):
        assert (i, -tau) in candidates[j]
    for j, target in enumerate(result.var_names):
        known = {f"X{i}(t-{-lag})" for i, lag in candidates[j]}
        for source, given in result.extra["sepsets"].get(target, {}).items():
            assert {source, *given} <= known and given
    untested = all_links(N, TAU_MAX) & ~result.tested
    assert untested.any() and (result.status[untested] == LinkStatus.NOT_TESTED).all()
    assert (result.graph[untested] == "").all() and (result.p_matrix[untested] == 1).all()
    assert result.screening.tests_run < run(pc_alpha=0.2).screening.tests_run


def test_a_pruned_pair_makes_no_collider() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1000, 3))
    for t in range(1, 1000):
        x[t, 1:] += 0.8 * x[t - 1, :2]
    chain = {(0, 1, 1), (1, 2, 1)}
    for forbid in [(), [("X0", "X2", 2)], [("X0", "X2")]]:
        found = run(x, forbid=forbid, pc_alpha=1e-4)
        assert {tuple(link) for link in np.argwhere(found.graph != "").tolist()} == chain
        assert set(np.unique(found.graph)) == {"", "-->"}


def test_thousands_of_forbidden_links_cost_nothing() -> None:
    x = np.random.default_rng(0).standard_normal((200, 60))
    names = [f"X{k}" for k in range(60)]
    forbid = [(a, b) for a in names for b in names if a != b]
    result = discover(x, method="pc", tau_max=1, mode="exact", forbid=forbid)
    assert result.screening.tests_run < 100 and result.family_size == 60


def test_a_constant_column_is_left_out_and_changes_nothing_else() -> None:
    x = np.insert(X, 2, 1 / 3, axis=1)
    others = np.ix_([0, 1, 3, 4, 5], [0, 1, 3, 4, 5])
    result, without = run(x), run()
    np.testing.assert_array_equal(result.graph[others], without.graph)
    np.testing.assert_array_equal(result.p_matrix[others], without.p_matrix)
    assert (result.status[2, :, 1:] == LinkStatus.CONSTANT).all() and (result.graph[:, 2] == "").all()


@pytest.mark.parametrize("off", [0.0, 1e-9])
@pytest.mark.parametrize("late", [0, 1])
def test_a_copy_is_not_testable_and_the_original_is(late: int, off: float) -> None:
    noise = np.random.default_rng(1).standard_normal(len(X))
    x = np.column_stack([X, np.roll(X[:, 0], late) + off * noise])[1:]
    result, without = run(x), run(X[1:])
    sources = result.status[N, :N, 1 : TAU_MAX + 1 - late]
    assert (sources == LinkStatus.COLLINEAR).all()
    np.testing.assert_array_equal(kept(result)[:N, :N], kept(without))


def test_of_a_total_and_its_parts_the_last_column_is_not_testable() -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((500, 3))
    x[1:, 2] += 2 * x[:-1, 0] + x[:-1, 1]
    result = run(np.column_stack([x, x[:, 0] + x[:, 1]]), pc_alpha=1e-4)
    assert np.argwhere(result.graph[:, 2] != "").tolist() == [[0, 1], [1, 1]]
    assert result.status[3, 2, 1] == LinkStatus.COLLINEAR and not result.tested[3, 2, 1]


def test_max_tests_leaves_links_undecided_and_says_where() -> None:
    whole = run(pc_alpha=0.3)
    result = run(pc_alpha=0.3, max_tests=15)
    open_links = result.status == LinkStatus.OVER_BUDGET
    assert open_links.any() and (result.p_matrix[open_links] == 1).all() and (result.graph[open_links] == "").all()
    targets = [result.var_names[j] for j in np.flatnonzero(open_links.any(axis=(0, 2)))]
    assert f"undecided links after max_tests=15 tests: {', '.join(targets)}" in result.notes
    assert result.screening.tests_run <= 15 * N
    decided = result.tested & ~open_links.any(axis=(0, 2))[:, None]
    np.testing.assert_array_equal(result.p_matrix[decided], whole.p_matrix[decided])


def test_many_candidates_limit_the_conditions_and_a_note_says_so() -> None:
    x = np.random.default_rng(0).standard_normal((400, 21))
    x[1:, 0] += x[:-1, 1:7].sum(axis=1)
    limited = run(x, pc_alpha=1e-6)
    assert "more than 40 candidates, so that at most 3 conditions were tried: X0" in limited.notes
    assert not any("conditions were tried" in note for note in run(x, pc_alpha=1e-6, max_conds_dim=5).notes)


def test_missing_values_leave_rows_out_test_by_test() -> None:
    x = X.copy()
    x[50, 1] = np.nan
    result = run(x)
    assert any("left out of a test" in note for note in result.notes)
    no_part = [link for link in np.argwhere(result.tested) if 1 not in link[:2]]
    assert len(no_part) == (N - 1) ** 2 * TAU_MAX


def test_separating_sets_come_back_from_a_file(tmp_path) -> None:
    result = run(pc_alpha=0.1)
    assert result.extra["sepsets"]
    assert read(result.write(tmp_path / "pc.json")).extra == result.extra


def test_reordered_columns_give_reordered_results() -> None:
    order = [3, 1, 4, 0, 2]
    plain, moved = run(pc_alpha=0.1), run(X[:, order], pc_alpha=0.1)
    np.testing.assert_array_equal(moved.graph, plain.graph[np.ix_(order, order)])
    np.testing.assert_allclose(moved.p_matrix, plain.p_matrix[np.ix_(order, order)], rtol=1e-9)


def test_white_noise_is_conservative() -> None:
    p, any_found = [], 0
    for seed in range(200):
        noise = np.random.default_rng(seed).standard_normal((300, 5))
        links = all_links(5, 2)
        found = run_native_pc(as_time_series(noise), links).p
        p.append(found[links])
        any_found += (benjamini_hochberg(found, links) <= 0.05).any()
    assert 0.03 <= np.mean(np.concatenate(p) < 0.05) <= 0.055
    assert any_found / 200 <= 0.08


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau_min": 0}, "finds lagged links only"),
        ({"pc_alpha": 1.5}, r"pc_alpha=1.5: expected a number in \[0, 1\]"),
        ({"pc_alpha": [0.01, 0.05]}, "pc_alpha="),
        ({"max_conds_dim": -1}, "max_conds_dim=-1"),
        ({"max_tests": 0}, "max_tests=0: expected a whole number of at least 1"),
        ({"test": "cmiknn"}, "can use parcorr, robust_parcorr, fisherz"),
        ({"max_combinations": 2}, "unknown option 'max_combinations'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        run(**options)


def test_a_link_at_lag_0_has_no_place() -> None:
    with pytest.raises(ValueError, match="lagged links only"):
        run_native_pc(as_time_series(X), all_links(N, TAU_MAX, tau_min=0))


HARD = as_time_series(np.random.default_rng(0).standard_normal((500, 30)))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_hands_back_what_was_found(n_jobs: int) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    links = all_links(30, 2)
    links[:, :25] = False  # targets without a link are done at once, the others never
    with pytest.raises(InterruptedRun) as interrupt:
        run_native_pc(HARD, links, pc_alpha=1.0, max_conds_dim=30, n_jobs=n_jobs, progress=stop)
    partial = interrupt.value.partial
    assert set(partial.ends[:12]) == {"exhausted"} and set(partial.ends[25:]) == {"stopped"}
    assert (partial.status[links] == LinkStatus.NOT_TESTED).all() and (partial.p == 1).all()


def test_an_interrupted_discover_has_the_links_that_were_dropped() -> None:
    def stop(_phase: str, done: int, total: int) -> None:
        assert total == 30
        raise KeyboardInterrupt

    # One target's tests never end, with all sources to condition on; the others have only themselves.
    assumed = {j: {(j, -1): "-?>"} for j in range(29)} | {29: {(i, -1): "-?>" for i in range(30)}}
    options = {"pc_alpha": 0.9, "max_conds_dim": 30, "link_assumptions": assumed, "progress": stop}
    with pytest.raises(DiscoveryInterrupted) as interrupt:
        discover(HARD, method="pc", tau_max=1, mode="exact", **options)
    result = interrupt.value.result
    assert not result.complete and result.tested[range(29), range(29), 1].all()
    last = result.status[:, 29, 1]
    assert (last == LinkStatus.NOT_TESTED).any() and set(last) <= {LinkStatus.NOT_TESTED, LinkStatus.OK}
