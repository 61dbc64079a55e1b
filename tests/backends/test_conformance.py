"""What every method keeps to, whatever it computes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from methods import CASES

from arrow_cd import DiscoveryInterrupted, as_time_series, discover, read
from arrow_cd.backends.registry import find_backend, find_backends, list_methods
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.links import LinkStatus
from reference_series import lin

TRUE_LINKS = ((0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 2), (1, 2, 1))


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture(scope="module")
def data():
    return lin()


def run(case, data, **options):
    return discover(data, **{"method": case.method, "tau_max": 3, "mode": "exact"} | case.options | options)


def arrays(result):
    """Every array of a result by name, those of pairs included."""
    found = {name: value for name, value in vars(result).items() if isinstance(value, np.ndarray)}
    if result.pairs is not None:
        found |= {f"pairs.{name}": value for name, value in vars(result.pairs).items() if value is not None}
    return found


def assert_same(one, other, at=np.index_exp[:]):
    for name, value in arrays(one).items():
        np.testing.assert_array_equal(value[at], arrays(other)[name][at], err_msg=name)


def assert_alike(one, other, *, rtol=1e-7, atol=1e-9):
    for name, value in arrays(one).items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, arrays(other)[name], rtol=rtol, atol=atol, err_msg=name)
        else:
            np.testing.assert_array_equal(value, arrays(other)[name], err_msg=name)


def only(*links, tau_min=1):
    """Link assumptions that allow these links and no others, for three series."""
    allowed = {target: {} for target in range(3)}
    for source, target, tau in links:
        allowed[target][(source, -tau)] = "-?>" if tau else "o?o"
    return allowed


def test_every_method_is_under_test():
    assert {case.method for case in CASES.values()} == set(list_methods())


def test_every_method_says_what_it_assumes_gives_and_costs():
    for method in list_methods():
        for backend in find_backends(method):
            assert backend.about.assumes and backend.about.gives and backend.about.cost


def test_results_are_whole_and_survive_a_file(case, data, tmp_path):
    result = run(case, data)
    assert result.graph.shape == (3, 3, 4)
    assert result.val_unit and result.p_validity in ("exact", "post-selection", "none")
    without_p = result.p_matrix is None and (result.pairs is None or result.pairs.p is None)
    assert (result.p_validity == "none") == without_p
    assert result.family_size == (9 if result.decided_by == "pairs" else 27)
    assert result.screening.tests_run > 0
    assert_same(result, read(result.write(tmp_path / "result.json")))
    assert read(tmp_path / "result.json").extra == result.extra


def test_links_outside_the_question_are_not_tested(case, data):
    kept = only((0, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 2), (2, 1, 1))
    result = run(case, data, link_assumptions=kept, tau_min=1)
    outside = np.ones((3, 3, 4), dtype=bool)
    for target, links in kept.items():
        for source, lag in links:
            outside[source, target, -lag] = False
    assert not result.tested[outside].any() and not result.val_matrix[outside].any()
    assert (result.graph[outside] == "").all()
    assert result.p_matrix is None or (result.p_matrix[outside] == 1).all()
    assert result.tested[~outside].all()
    assert result.screening.tests_run < run(case, data, tau_min=1).screening.tests_run


def test_naming_every_link_changes_nothing(case, data):
    tau_min = find_backend(case.method).tau_min
    every = only(*((i, j, tau) for i in range(3) for j in range(3) for tau in range(tau_min, 4) if tau or i != j))
    assert_same(run(case, data), run(case, data, link_assumptions=every))


@pytest.mark.parametrize("lag", [2, 3, 5])
def test_a_link_lands_at_its_lag_and_in_its_direction(case, lag):
    x = np.random.default_rng(lag).uniform(-1, 1, size=(600, 2))
    x[lag:, 1] += 0.8 * x[:-lag, 0]
    result = run(case, x, tau_max=6, alpha=0.001)
    assert result.summary_graph().tolist() == [[False, True], [False, False]]
    if case.resolved:
        assert np.argwhere(result.graph == "-->").tolist() == [[0, 1, lag]]


def test_white_noise_has_no_causes(case):
    """At most 6 of 270 lagged links: what a level of .01 a link, the most that any method takes, rarely exceeds."""
    noise = [np.random.default_rng(seed).uniform(-1, 1, (300, 3)) for seed in range(10)]
    assert sum((run(case, x).graph[:, :, 1:] != "").sum() for x in noise) <= 6 * (1 if case.resolved else 3)


def test_order_of_columns_is_order_of_results(case, data):
    order = [2, 0, 1]
    names = np.array(["a", "b", "c"])
    result = run(case, frame(data, names))
    moved = run(case, frame(data[:, order], names[order]))
    for name, value in arrays(result).items():
        there = arrays(moved)[name]
        at = np.ix_(order, order)
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value[at], there, rtol=1e-6, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(value[at], there, err_msg=name)


def frame(data, names):
    return pl.DataFrame({str(name): data[:, k] for k, name in enumerate(names)})


def test_units_and_offsets_do_not_matter(case, data):
    scale = np.array([1000.0, 0.01, 7.0])
    result, rescaled = run(case, data), run(case, data * scale + [5.0, -300.0, 1e4])
    np.testing.assert_array_equal(result.graph, rescaled.graph)
    tolerance = {"rtol": 1e-6, "atol": 1e-8} if case.exactly else {"rtol": 0.05, "atol": 0.02}
    factor = (scale / scale[:, None])[:, :, None] if case.scaled else 1.0
    np.testing.assert_allclose(result.val_matrix * factor, rescaled.val_matrix, **tolerance)
    if result.p_matrix is not None:
        np.testing.assert_allclose(result.p_matrix, rescaled.p_matrix, **tolerance)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-1010, 1015])
def test_units_at_the_ends_of_the_range_of_floats_do_not_matter(case, data, exponent):
    assert_same(run(case, data), run(case, np.ldexp(data, exponent)))


def test_threads_and_repetition_do_not_matter(case, data):
    result = run(case, data, n_jobs=1, seed=3)
    assert_same(result, run(case, data, n_jobs=2, seed=3))
    assert_same(result, run(case, data, n_jobs=1, seed=3))
    assert result.extra == run(case, data, n_jobs=2, seed=3).extra


@pytest.mark.parametrize("mode", ["exact", "screen"])
def test_input_is_left_alone_in_whatever_form_it_comes(case, data, mode):
    single = data.astype(np.float32)
    single.flags.writeable = False
    before = single.copy()
    result = run(case, single, mode=mode)
    np.testing.assert_array_equal(single, before)
    assert_same(result, run(case, np.asfortranarray(single.astype(float)), mode=mode))


def test_a_constant_column_is_set_aside(case, data):
    result = run(case, np.column_stack([data, np.full(len(data), 0.1)]))
    assert_same(run(case, data), result, np.index_exp[:3, :3])
    assert (result.status[3, :3, 1:] == LinkStatus.CONSTANT).all() and not result.tested[:, 3].any()


def test_a_copied_column_spoils_nothing_else(case, data):
    """The copy and its twin can't be told apart; the others have finite numbers and a reason where there are none."""
    result = run(case, np.column_stack([data, data[:, 0]]))
    assert result.N == 4
    strange = (result.status != LinkStatus.OK) & (result.status != LinkStatus.NOT_ASKED)
    assert set(np.unique(result.status[strange])) <= {
        LinkStatus.COLLINEAR,
        LinkStatus.NUMERIC,
        LinkStatus.NOT_TESTED,
        LinkStatus.NOT_CONVERGED,
    }
    assert result.tested[1:3, 1:3, 1:].any()


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities_are_refused_by_place(case, data, value):
    broken = data.copy()
    broken[7, 1] = value
    with pytest.raises(InvalidDataError, match=r"row [78]"):
        run(case, broken)


def test_missing_values_are_taken_or_refused_by_name(case, data):
    broken = data.copy()
    broken[7, 1] = np.nan
    if any(backend.missing for backend in find_backends(case.method)):
        assert run(case, broken).tested.any()
    else:
        with pytest.raises(BackendError, match=f"method '{case.method}'.* takes complete data only"):
            run(case, broken)


@pytest.mark.parametrize("rows", [4, 9, 12])
def test_too_few_rows_are_refused_with_the_number_needed(case, data, rows):
    with pytest.raises(InvalidDataError, match="rows"):
        run(case, data[:rows])


def test_a_target_without_candidates_is_no_obstacle(case, data):
    kept = only(*((i, j, tau) for i in range(3) for j in (0, 2) for tau in (1, 2, 3)))
    result = run(case, data, link_assumptions=kept, tau_min=1)
    assert not result.tested[:, 1].any() and result.tested[:, [0, 2], 1:].all()


def test_the_number_of_rows_depends_on_no_mask(case, data):
    masked = run(case, data, link_assumptions=only((0, 1, 1)), tau_min=1)
    assert masked.n_samples == run(case, data).n_samples


def test_true_links_alone_are_found(case, data):
    """The weakest has p = .007 given the others, which PCMCI+ does not take as it tests at .01 twice."""
    result = run(case, data, link_assumptions=only(*TRUE_LINKS), tau_min=1)
    found = {tuple(link) for link in np.argwhere(result.graph != "").tolist()}
    needed = set() if case.drawn else set(TRUE_LINKS) - {(0, 1, 2)}
    assert needed <= found <= set(TRUE_LINKS)


def test_a_stated_link_is_in_the_graph_and_never_tested(case, data):
    stated = only(*TRUE_LINKS, (2, 0, 3))
    stated[0][2, -3] = "-->"
    result = run(case, data, link_assumptions=stated, tau_min=1)
    assert result.graph[2, 0, 3] == "-->"
    assert not result.tested[2, 0, 3] and result.val_matrix[2, 0, 3] == 0
    assert result.tested[0, 0, 1]


def test_a_screened_run_is_the_run_on_its_candidates(case, data):
    screened = run(case, data, mode="screen", tau_min=1)
    candidates = [(i, j, -lag) for j, kept in screened.screening.candidates.items() for i, lag in kept]
    modelled = candidates
    if case.sources:
        modelled = [(i, j, lag) for i, j in {(i, j) for i, j, _ in candidates} for lag in range(1, 4)]
    by_hand = run(case, data, link_assumptions=only(*modelled), tau_min=1)
    kept = np.zeros_like(screened.tested)
    kept[tuple(np.transpose(candidates))] = True
    np.testing.assert_array_equal(screened.val_matrix, np.where(kept, by_hand.val_matrix, 0))
    np.testing.assert_array_equal(screened.tested, kept & by_hand.tested)
    assert screened.p_validity != "exact" or screened.decided_by == "pairs"


def test_no_lag_crosses_from_one_data_set_into_the_next(case):
    """The end of the first set and the start of the second are far apart; only a lag across them would see it."""
    rng = np.random.default_rng(5)
    first, second = rng.uniform(-1, 1, size=(2, 200, 2))
    x = np.concatenate([first, second + 3.0])
    groups = np.repeat(["a", "b"], 200)
    table = pl.DataFrame({"set": groups, "x": x[:, 0], "y": x[:, 1]})
    swapped = pl.concat([table.filter(pl.col("set") == "b"), table.filter(pl.col("set") == "a")])
    one, other = (as_time_series(part, group_by="set") for part in (table, swapped))
    found, swapped = run(case, one), run(case, other)
    if case.drawn:
        np.testing.assert_allclose(found.val_matrix, swapped.val_matrix, atol=1e-9)
    else:
        assert_alike(found, swapped, rtol=1e-6, atol=1e-6 if case.exactly else 0.02)


def test_ctrl_c_hands_back_what_was_found(case, data):
    def stop(_phase, done, _total):
        if done >= 1:
            raise KeyboardInterrupt

    try:
        result = run(case, data, progress=stop)
    except DiscoveryInterrupted as stopped:
        result = stopped.result
        assert not result.complete
    assert (result.status == LinkStatus.OK).tolist() == result.tested.tolist()
