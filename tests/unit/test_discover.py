import numpy as np
import polars as pl
import pytest

from arrow_cd import assembly, discover, register_backend
from arrow_cd._discover import DiscoveryInterrupted
from arrow_cd.backends import registry
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.export import read
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.links import LinkStatus
from arrow_cd.screening import ScreenConfig
from fake_backend import Correlation

pytestmark = pytest.mark.usefixtures("backend")


@pytest.fixture(scope="module")
def data():
    """Four independent series, but X1 follows X0 two samples later with a minus sign, and X3 is constant."""
    x = np.random.default_rng(6).normal(size=(300, 4))
    x[2:, 1] -= 1.5 * x[:-2, 0]
    x[:, 3] = 0.1
    return x


def run(data, **options):
    return discover(data, **{"method": "correlation", "test": "pearson", "mode": "exact", "tau_max": 3} | options)


def test_the_link_is_found_with_its_sign(data):
    links = run(data).links(significant_only=True)
    assert links.select("source", "target", "tau", "mark").rows() == [("X0", "X1", 2, "-->")]
    assert links["val"][0] < -0.7


def test_default_lags_are_the_methods(data, backend):
    run(data)
    assert backend.tasks[0].tau_min == 0
    assert run(data, tau_min=1).tau_min == 1
    assert not run(data, tau_min=2).tested[:, :, :2].any()


def test_a_series_is_never_tested_with_itself_at_lag_0(data):
    result = run(data)
    assert not result.tested[range(4), range(4), 0].any()
    assert (result.status[range(4), range(4), 0][:3] == LinkStatus.NOT_ASKED).all()


def test_the_correction_is_over_every_lagged_link_asked_about(data):
    result = run(data)
    family = 3 * 3 * 3
    assert result.q_matrix[0, 1, 2] == pytest.approx(result.p_matrix[0, 1, 2] * family)
    assert (result.q_matrix[:, :, 0] == result.p_matrix[:, :, 0]).all()


def test_without_correction_q_is_p(data):
    result = run(data, fdr="none")
    np.testing.assert_array_equal(result.q_matrix, result.p_matrix)


def test_constant_columns_change_nothing_for_the_others(data, backend):
    whole, without = run(data), run(data[:, :3])
    np.testing.assert_array_equal(whole.q_matrix[:3, :3], without.q_matrix)
    assert (whole.status[3, :3, 1:] == LinkStatus.CONSTANT).all()
    assert not whole.tested[3].any() and not whole.tested[:, 3].any()
    assert backend.tasks[0].series.N == 3
    assert any("constant" in note and "X3" in note for note in whole.notes)


def test_constant_columns_in_front_shift_nothing(data):
    moved = run(data[:, [3, 0, 1, 2]])
    assert moved.links(significant_only=True)["source"].to_list() == ["X1"]
    assert (1, -2) in moved.parents[2]


def test_results_say_how_they_came_about(data):
    result = run(data, strength=2.0, seed=11, pc_alpha=0.1)
    assert result.options | {"strength": 2.0, "pc_alpha": 0.1, "mode": "exact", "test": "pearson"} == result.options
    assert result.seed == 11 and result.engine == "fake"
    assert {"arrow_cd", "numpy", "python", "scipy"} <= set(result.versions)
    assert result.timings["total"] > 0
    assert result.screening.tests_run == result.tested.sum() and result.screening.tests_avoided == 0
    assert "correlations only" in result.notes


def test_shared_trends_are_warned_about(data):
    trend = np.linspace(0, 20, len(data))[:, None]
    assert any("columns look like they trend" in note for note in run(data + trend).notes)
    assert not any("trend" in note for note in run(data).notes)
    assert not any("look like" in note for note in run(data + trend, preprocess="detrend").notes)


def test_progress_is_reported_by_phase(data):
    calls = []
    run(data, progress=lambda *call: calls.append(call))
    assert calls[-1] == ("test", 33, 33)


def test_the_callers_array_stays_as_it_is(data):
    copy = data.copy()
    run(data, preprocess="standardise")
    np.testing.assert_array_equal(data, copy)


def test_an_interrupt_gives_what_was_found_until_then(data):
    register_backend("correlation", lambda: Correlation(stop_after=7))
    with pytest.raises(DiscoveryInterrupted) as stop:
        run(data)
    result = stop.value.result
    assert not result.complete and result.tested.sum() == 7
    assert (result.status == LinkStatus.NOT_TESTED).sum() == 33 - 7


def test_an_interrupt_before_the_first_test_gives_an_empty_result(data, backend, monkeypatch):
    def stop(_task):
        raise KeyboardInterrupt

    monkeypatch.setattr(backend, "run", stop)
    with pytest.raises(DiscoveryInterrupted) as raised:
        run(data)
    assert not raised.value.result.complete and not raised.value.result.tested.any()


def test_an_interrupt_after_the_last_test_loses_nothing(data, monkeypatch):
    interrupts = iter([KeyboardInterrupt])

    def correct(*arguments):
        for interrupt in interrupts:
            raise interrupt
        return benjamini_hochberg(*arguments)

    monkeypatch.setattr(assembly, "benjamini_hochberg", correct)
    with pytest.raises(DiscoveryInterrupted) as stop:
        run(data)
    assert stop.value.result.complete and stop.value.result.tested.sum() == 33


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, r"method='magic': expected one of correlation, .*pcmci"),
        ({"test": "magic"}, r"test='magic': method 'correlation' can use pearson"),
        ({"mode": "fast"}, r"mode='fast': expected one of screen, exact"),
        ({"fdr": "holm"}, r"fdr='holm': expected one of bh, none"),
        ({"alpha": 5}, r"alpha=5: expected a level between 0 and 1"),
        ({"alpha": "0.05"}, r"alpha='0.05': expected a level"),
        ({"tau_max": 0}, r"tau_max=0: expected a whole number of at least 1"),
        ({"tau_max": 2.5}, r"tau_max=2.5: expected a whole number"),
        ({"tau_min": -1}, r"tau_min=-1: expected a whole number of at least 0"),
        ({"tau_min": 4}, r"tau_min=4 is larger than tau_max=3"),
        ({"n_jobs": -1}, r"n_jobs=-1: expected a whole number of at least 0"),
        ({"seed": None}, r"seed=None: expected a whole number"),
        ({"memory_budget": 0}, r"memory_budget=0: expected a whole number"),
        ({"weight": 1}, r"unknown option 'weight': method 'correlation' takes pc_alpha, strength"),
        ({"fdr_method": "fdr_bh"}, r'unknown option \'fdr_method\': .* takes pc_alpha, strength; .* is fdr="bh"'),
        ({"na": [-999]}, r"unknown option 'na': .*; it is for as_time_series\(\)"),
        ({"strength": 0}, r"strength=0: expected a positive number"),
        ({"screen": ScreenConfig()}, r"screen=...: mode 'exact' screens nothing"),
        ({"preprocess": "smooth"}, r"smooth"),
    ],
)
def test_bad_options_are_named_before_anything_runs(data, backend, options, message):
    with pytest.raises(InvalidDataError, match=message):
        run(data, **options)
    assert backend.tasks == []


def test_methods_of_lagged_links_refuse_lag_0(data, backend):
    backend.tau_min = 1
    with pytest.raises(InvalidDataError, match="tau_min=0: method 'correlation' finds lagged links only"):
        run(data, tau_min=0)


@pytest.mark.parametrize(("rows", "columns"), [(6, 5), (8, 5), (12, 5), (6, 2)])
def test_too_few_rows_are_refused_at_once(rows, columns):
    with pytest.raises(InvalidDataError, match="too few rows"):
        run(np.random.default_rng(0).normal(size=(rows, columns)))


def test_missing_values_need_a_method_that_takes_them(data, backend):
    holes = data.copy()
    holes[7, 1] = np.nan
    with pytest.raises(BackendError, match="takes complete data only, and values are missing"):
        run(holes)
    able = Correlation()
    able.missing = True
    registry._registered["correlation"].append(lambda: able)
    assert registry.find_backend("correlation", "pearson", missing=True) is able
    assert registry.find_backend("correlation", "pearson") is backend


def test_a_back_end_with_the_options_asked_for_comes_first(backend):
    other = Correlation()
    other.defaults |= {"colour": "blue"}
    registry._registered["correlation"].append(lambda: other)
    assert registry.find_backend("correlation", "pearson", options=["colour", "strength"]) is other
    for options in ([], ["strength"], ["unknown"]):
        assert registry.find_backend("correlation", "pearson", options=options) is backend


def test_the_screen_says_what_it_does_with_missing_values():
    x = np.random.default_rng(0).normal(size=(200, 3))
    x[5, 1] = np.nan
    assert any("degrees of freedom" in note for note in discover(x, tau_max=2).notes)
    assert not any("degrees of freedom" in note for note in discover(x, tau_max=2, mode="exact").notes)


def test_forbidden_links_are_neither_tested_nor_counted(data):
    result = run(data, tau_min=1, forbid=[("X2", "X1"), {"target": "X0", "lags": [1]}])
    assert not result.tested[2, 1].any() and not result.tested[[1, 2], 0, 1].any()
    assert (result.status[2, 1, 1:] == LinkStatus.NOT_ASKED).all()
    assert result.q_matrix[0, 1, 2] == pytest.approx(result.p_matrix[0, 1, 2] * (27 - 3 - 2))
    assert result.options["forbid"] == [["X2", "X1"], {"target": "X0", "lags": [1]}]


def test_stated_links_are_in_the_graph_and_never_tested(data, backend):
    assumptions = {0: {}, 1: {(0, -2): "-?>", (2, -1): "-->"}, 2: {(2, -1): "-?>"}, 3: {}}
    result = run(data, tau_min=1, link_assumptions=assumptions)
    links = {row[:3]: row[3:] for row in result.links().rows()}
    assert set(links) == {("X0", "X1", 2), ("X2", "X1", 1), ("X2", "X2", 1)}
    assert links[("X2", "X1", 1)] == ("-->", None, None, None)
    assert backend.tasks[0].required[2, 1, 1] and not backend.tasks[0].links[2, 1, 1]
    assert result.q_matrix[0, 1, 2] == pytest.approx(result.p_matrix[0, 1, 2] * 2)
    assert ["X2", "X1", 1, "-->"] in result.options["link_assumptions"]


@pytest.mark.parametrize("screen", [ScreenConfig(), ScreenConfig("forward")])
def test_a_screen_drops_tests_but_not_what_the_user_requires(data, backend, screen):
    result = run(data, mode="screen", screen=screen, require=[("X1", "X2", 3)])
    plain = run(data)
    assert result.tested[0, 1, 2] and result.tested[1, 2, 3]
    np.testing.assert_array_equal(result.tested[:, :, 0], plain.tested[:, :, 0])  # lag 0 is never screened
    assert result.tested.sum() < plain.tested.sum()
    assert result.screening.tests_avoided == plain.tested.sum() - result.tested.sum()
    assert (0, -2) in result.screening.candidates[1]
    assert result.screening.config["strategy"] == screen.strategy
    # What was tested has the same p and q as without a screen: the family is the full one.
    lagged = result.tested.copy()
    lagged[:, :, 0] = False
    np.testing.assert_array_equal(result.p_matrix[lagged], plain.p_matrix[lagged])
    assert result.q_matrix[0, 1, 2] == plain.q_matrix[0, 1, 2]


def test_columns_in_another_order_give_the_same_links(data):
    order = [2, 0, 3, 1]
    frame = pl.DataFrame(data[:, order], schema=[f"X{k}" for k in order])
    keys = ("source", "target", "tau", "mark")
    mixed, plain = (run(x, tau_min=1).links().select(keys).sort(keys) for x in (frame, data))
    assert mixed.equals(plain)


def test_a_memory_budget_reaches_the_method(data, backend):
    run(data, memory_budget=1 << 20)
    assert backend.tasks[0].memory_budget == 1 << 20


def test_native_pcmci_is_the_default_and_gives_the_same_in_less_memory(data):
    plain = discover(data, mode="exact")
    assert plain.method == "pcmci" and plain.engine == "native" and plain.tau_min == 1 and plain.tau_max == 5
    assert plain.links(significant_only=True).select("source", "target", "tau").rows() == [("X0", "X1", 2)]
    assert_same_in_less_memory(data, plain, a_column=24)


def test_native_pcmci_on_normal_scores_gives_the_same_in_less_memory(data):
    plain = discover(data, mode="exact", test="robust_parcorr")
    assert plain.engine == "native" and not plain.notes[1:]
    assert plain.links(significant_only=True).select("source", "target", "tau").rows() == [("X0", "X1", 2)]
    assert_same_in_less_memory(data, plain, a_column=8 * plain.n_samples, test="robust_parcorr")


def assert_same_in_less_memory(data, plain, *, a_column, **options):
    """Without room for any form of the lagged correlations; the least takes `a_column` bytes a column."""
    tight = discover(data, mode="exact", memory_budget=700, **options)
    np.testing.assert_allclose(tight.p_matrix, plain.p_matrix, rtol=1e-9)
    columns = 3 * 11  # X3 is constant and left out
    assert any(f"{a_column * columns} bytes, which exceed 700 bytes" in note for note in tight.notes)


def test_native_pcmci_chooses_among_levels(data, tmp_path):
    loose, strict, best = (discover(data, mode="exact", pc_alpha=level) for level in (0.6, 1e-12, [0.6, 1e-12]))
    assert best.parents != loose.parents
    # Only the parent that makes X1 is worth its place.
    assert best.parents[1] == strict.parents[1] == [(0, -2)]
    assert best.options["pc_alpha"] == [0.6, 1e-12]
    best.write(tmp_path / "best.json")
    assert read(tmp_path / "best.json").options == best.options
