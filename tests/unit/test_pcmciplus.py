import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd.backends.native_plus import MARKS, run_native_plus
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from plus_cases import contemporaneous_system
from systems import all_links

N, TAU_MAX = 5, 2
X = contemporaneous_system(np.random.default_rng(0), N, 300, TAU_MAX)
LINKS = all_links(N, TAU_MAX, tau_min=0)


def native(x=X, links=LINKS, **options):
    return run_native_plus(as_time_series(x), links, **options)


def chain(n_samples: int = 2000) -> np.ndarray:
    """0 -> 1 <- 2 and 1 -> 3 within a sample, own lag 1 of series 0."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n_samples, 4))
    for t in range(1, n_samples):
        x[t, 0] += 0.5 * x[t - 1, 0]
    x[:, 1] += 0.7 * x[:, 0] + 0.7 * x[:, 2]
    x[:, 3] += 0.7 * x[:, 1]
    return x


def test_a_collider_and_what_follows_from_it() -> None:
    found = native(chain(), all_links(4, 1, tau_min=0), pc_alpha=0.001)
    expected = np.full((4, 4, 2), "", dtype="<U3")
    expected[0, 0, 1] = "-->"
    for source, target in [(0, 1), (2, 1), (1, 3)]:
        expected[source, target, 0], expected[target, source, 0] = "-->", "<--"
    np.testing.assert_array_equal(found.graph, expected)
    assert found.parents == {0: [(0, -1)], 1: found.parents[1], 2: [], 3: found.parents[3]}
    # 0 and 3 are independent given 1, and 0 and 2 without it.
    assert (1, 0) in found.sepsets[(0, 0), 3] and (1, 0) in found.sepsets[(3, 0), 0]
    assert ((0, 0), 2) not in found.sepsets


def test_nothing_depends_on_the_number_of_threads() -> None:
    one, two = (native(n_jobs=n_jobs, pc_alpha=0.2) for n_jobs in (1, 2))
    for name in ("val", "p", "graph", "status", "pc_val", "pc_p_max", "pc_val_min"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert (one.parents, one.sepsets, one.ambiguous_triples) == (two.parents, two.sepsets, two.ambiguous_triples)
    assert one.tests_by_phase == two.tests_by_phase


def test_tests_on_rows_give_the_same() -> None:
    matrix, rows = (native(memory_budget=budget, pc_alpha=0.2) for budget in (2**30, 0))
    assert (matrix.correlations, rows.correlations) == ("matrix", "rows")
    np.testing.assert_array_equal(matrix.graph, rows.graph)
    np.testing.assert_allclose(matrix.p, rows.p, rtol=0, atol=1e-11)


def test_a_constant_column_is_not_testable_and_changes_nothing_else() -> None:
    others = [0, 1, 3, 4]
    x = X.copy()
    x[:, 2] = 0.1
    found, without = native(x), native(x[:, others], all_links(4, TAU_MAX, tau_min=0))
    within = np.ix_(others, others)
    np.testing.assert_array_equal(found.graph[within], without.graph)
    np.testing.assert_allclose(found.p[within], without.p, rtol=0, atol=1e-12)
    touching = LINKS.copy()
    touching[within] = False
    assert (found.status[touching] == LinkStatus.CONSTANT).all() and (found.p[touching] == 1).all()
    assert (found.graph[touching] == "").all()


def test_too_few_rows_for_the_conditions() -> None:
    found = native(X[:8], pc_alpha=1.0)
    assert found.n_samples == 4
    assert (found.status[LINKS] == LinkStatus.TOO_FEW_ROWS).any()
    assert np.isfinite(found.p).all() and (found.p[found.status == LinkStatus.TOO_FEW_ROWS] == 1).all()


def test_required_links_are_conditions_and_not_tested() -> None:
    links, required = LINKS.copy(), np.zeros_like(LINKS)
    required[3, 0, 2] = required[1, 4, 0] = required[0, 2, 0] = required[2, 0, 0] = True
    found = native(links=links, required=required)
    assert found.parents[0][0] == (3, -2)
    assert (found.graph[3, 0, 2], found.graph[1, 4, 0], found.graph[4, 1, 0]) == ("-->", "-->", "<--")
    assert found.graph[0, 2, 0] in ("o-o", "-->", "<--", "x-x")
    stated = required | np.where(np.arange(TAU_MAX + 1) == 0, required.transpose(1, 0, 2), False)
    assert (found.p[stated] == 0).all() and (found.val[stated] == 1).all()


def test_lagged_links_only() -> None:
    found = native(links=all_links(N, TAU_MAX))
    assert (found.graph[:, :, 0] == "").all() and (found.p[:, :, 0] == 1).all()
    assert set(np.unique(found.graph)) <= {"", "-->"}
    assert found.tests_by_phase["colliders"] == 0


def test_no_lags_at_all() -> None:
    found = native(links=all_links(N, 0, tau_min=0))
    assert found.n_samples == len(X) and found.parents == {j: [] for j in range(N)}
    assert found.tests_by_phase["pc1"] == 0 < found.tests_by_phase["skeleton"]


def test_progress_counts_targets_once_a_level() -> None:
    x = contemporaneous_system(np.random.default_rng(3), 6, 3000, 3)
    x[5, 0] = np.nan  # slow enough to be watched
    seen: list[tuple[str, int, int]] = []
    native(x, all_links(6, 3, 0), pc_alpha=[0.01, 0.05], progress=lambda *step: seen.append(step))
    assert seen
    assert all(phase == "pcmciplus" and 0 < done <= total == 12 for phase, done, total in seen)


def test_an_error_of_the_callback_stops_the_run() -> None:
    x = contemporaneous_system(np.random.default_rng(3), 8, 3000, 3)
    x[5, 0] = np.nan

    def stop(*step: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        native(x, all_links(8, 3, 0), pc_alpha=0.5, progress=stop)


CYCLE = np.zeros_like(LINKS)
CYCLE[0, 1, 0] = CYCLE[1, 2, 0] = CYCLE[2, 0, 0] = True


@pytest.mark.parametrize(
    ("links", "options", "message"),
    [
        (np.ones((N, N, 2), dtype=bool), {}, "linked with itself"),
        (np.zeros((3, 3, 2), dtype=bool), {}, "N = 5, got bool"),
        (np.zeros((N, 3, 2), dtype=bool), {}, "shape"),
        (CYCLE, {}, "cycle"),
        (np.zeros_like(LINKS), {"required": CYCLE}, "cycle"),
        (LINKS, {"pc_alpha": 1.5}, r"expected a number in \[0, 1\]"),
        (LINKS, {"pc_alpha": []}, r"pc_alpha=\[\]"),
        (LINKS, {"max_combinations": 0}, "at least 1"),
        (LINKS, {"contemp_collider_rule": "all"}, "one of majority, conservative, none"),
    ],
)
def test_what_makes_no_sense_is_refused(links, options, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native(links=links, **options)


def test_discover_runs_it_without_tigramite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "tigramite", None)
    result = discover(X, method="pcmciplus", tau_max=TAU_MAX, mode="exact")
    found = native()
    assert result.engine == "native"
    np.testing.assert_array_equal(result.graph, found.graph)
    np.testing.assert_array_equal(result.p_matrix, found.p)
    assert result.parents == found.parents
    assert set(result.timings) >= {"matrix", "pc1", "skeleton", "orientation"}


def test_a_screen_leaves_lag_0_alone() -> None:
    result = discover(X, method="pcmciplus", tau_max=TAU_MAX)
    assert result.tested[:, :, 0][LINKS[:, :, 0]].all()
    assert result.screening.tests_avoided > 0


def test_a_direction_that_is_assumed_is_kept() -> None:
    undirected = {j: {(i, 0): "o?o" for i in range(N) if i != j} for j in range(N)}
    assumed = {**undirected, 0: {}, 4: {}}
    for j in (1, 2, 3):
        del assumed[j][0, 0], assumed[j][4, 0]
    assumed[1][0, 0], assumed[3][4, 0] = "-?>", "-->"
    result = discover(X, method="pcmciplus", tau_max=TAU_MAX, pc_alpha=0.9, link_assumptions=assumed)
    assert (result.graph[0, 1, 0], result.graph[1, 0, 0]) in [("-->", "<--"), ("", "")]
    assert (result.graph[4, 3, 0], result.graph[3, 4, 0]) == ("-->", "<--")
    assert result.status[1, 0, 0] == result.status[4, 3, 0] == LinkStatus.NOT_ASKED


def test_marks_are_numbered_as_in_the_core() -> None:
    assert list(MARKS) == ["", "o-o", "-->", "<--", "x-x"]
