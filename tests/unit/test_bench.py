"""The benchmark harness on data small enough for a unit test."""

import json

import numpy as np
import polars as pl
import pytest

from arrow_cd import as_time_series
from arrow_cd.bench import Cell, plan_cells, run_benchmark, runner
from arrow_cd.bench.measures import audit, measure
from arrow_cd.bench.report import report
from arrow_cd.bench.results import compared, read_rows, scored, ways
from arrow_cd.bench.searches import Found, correlated_links, run_cell
from arrow_cd.bench.work import measured
from arrow_cd.datasets import Truth
from arrow_cd.errors import InvalidDataError
from arrow_cd.fdr import benjamini_hochberg
from arrow_cd.simulate import sparse_var

PLAIN = Cell("S11_structures", "pcmci", "native", "none")
SCREENED = Cell("S11_structures", "pcmci", "native", "weave")
TIMES = {"wall", "cpu", "peak"}


@pytest.fixture(scope="module")
def simulated():
    return sparse_var(3, N=5, T=400, L=3)


def untimed(rows):
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def test_cells_are_every_combination_that_an_engine_can_run():
    cells = plan_cells(["S12_null"], ["pcmci", "granger"], ["none", "weave"], ["native", "statsmodels"], repeats=2)
    assert len(cells) == len(set(cells)) == 2 * (2 + 2 + 1)
    assert Cell("S12_null", "granger", "statsmodels", "none", 1) in cells
    assert all(cell.screen == "none" for cell in cells if cell.engine == "statsmodels")


def test_public_data_are_not_repeated():
    assert {cell.repeat for cell in plan_cells(["danube"], repeats=5)} == {0}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"methods": ["magic"]}, "methods: 'magic' is none of pcmci"),
        ({"screens": ["sieve"]}, "screens: 'sieve' is none of none"),
        ({"engines": ["warp"]}, "engines: 'warp' is none of native"),
        ({"datasets": ["atlantis"]}, "atlantis"),
        ({"methods": ["surd"], "engines": ["tigramite"]}, "nothing to run"),
    ],
)
def test_unknown_names_are_refused(choice, message):
    with pytest.raises(InvalidDataError, match=message):
        plan_cells(**choice)


def test_a_cell_measures_every_member_and_repeats_itself():
    rows = list(measured(SCREENED))
    assert len(rows) == 4
    for row in rows:
        assert row["summary_f1"] is None or 0 <= row["summary_f1"] <= 1
        assert row["wall"] > 0 and row["tests"] > 0 and 0 <= row["screen_recall"] <= 1
        assert row["audited"] > 0 and row["audit_lost"] >= 0
    assert untimed(rows) == untimed(measured(SCREENED))


def test_measures_of_a_known_graph(simulated):
    truth = simulated.lagged_truth(4)
    found = Found(truth.copy(), truth.astype(float), 7, kept=truth.copy())
    measures = measure(found, Truth(simulated.names, truth))
    assert measures["lagged_f1"] == measures["summary_f1"] == measures["screen_recall"] == 1
    assert measures["lagged_hamming"] == 0 and measures["tests"] == 7
    summary = measure(found, Truth(simulated.names, truth.any(axis=2)))
    assert summary["summary_f1"] == 1 and "lagged_f1" not in summary


def test_an_audit_finds_what_a_blind_screen_lost(simulated):
    """All links between series pruned: the audit must see that significant ones are among them."""
    series = as_time_series(simulated.values)
    truth = simulated.lagged_truth(4)
    kept = np.zeros(truth.shape, dtype=bool)
    kept[range(5), range(5), 1] = True
    blind = Found(kept, -np.where(kept, 1e-6, 1.0), 5, kept, {j: [(j, -1)] for j in range(5)})
    others = ~np.eye(5, dtype=bool)
    assert audit(blind, series, 4, 0)["audit_lost"] >= 0.5 * truth[others].sum()
    everything = np.ones(truth.shape, dtype=bool)
    assert audit(Found(kept, -kept.astype(float), 5, everything, {}), series, 4, 0)["audited"] == 0


def test_the_naive_screen_keeps_as_many_links_as_weave_and_the_strongest(simulated):
    series = as_time_series(simulated.values)
    links = correlated_links(series, 4)
    weave = run_cell(Cell("any", "pcmci", "native", "weave"), series, 4).kept
    np.testing.assert_array_equal(links.sum(axis=(0, 2)), weave.sum(axis=(0, 2)))
    x = simulated.values - simulated.values.mean(axis=0)
    strength = [abs(np.corrcoef(x[:-tau, i], x[tau:, 0])[0, 1]) for i in range(1, 5) for tau in range(1, 5)]
    kept = [links[i, 0, tau] for i in range(1, 5) for tau in range(1, 5)]
    assert min(np.array(strength)[kept], default=1) >= max(np.array(strength)[~np.array(kept)]) - 1e-3


def test_the_naive_screen_is_corrected_over_all_links_as_the_others_are(simulated):
    series = as_time_series(simulated.values)
    found = run_cell(Cell("any", "pcmci", "native", "correlation"), series, 4)
    assert found.kept is not None
    p = -found.strength
    assert (p[~found.kept] == 1).all()
    family = np.ones_like(found.kept)
    family[:, :, 0] = False
    np.testing.assert_array_equal(found.graph, benjamini_hochberg(p, family) <= 0.05)
    assert found.kept[:, :, 1:].sum() < family.sum() / 2
    plus = run_cell(Cell("any", "pcmciplus", "native", "correlation"), series, 4)
    assert (plus.strength[:, :, 0][~np.eye(5, dtype=bool)] > -1).any()


def test_a_run_is_written_resumed_and_reported(tmp_path):
    run_benchmark([PLAIN], tmp_path)
    with pytest.raises(InvalidDataError, match="holds results already"):
        run_benchmark([PLAIN], tmp_path)
    seen = []
    run_benchmark([PLAIN, SCREENED], tmp_path, resume=True, progress=lambda *call: seen.append(call[2]))
    assert seen == [SCREENED]
    rows = read_rows(tmp_path)
    assert rows.height == 8 and set(rows["status"]) == {"ok"}
    plain, screened = (ways(scored(rows), "pcmci", "native", screen) for screen in ("none", "weave"))
    (pair,) = compared(screened, plain).iter_rows(named=True)
    assert pair["common"] == 4 and pair["change"] is not None and 0 < pair["chance"] < 1
    markdown, page, table = report(tmp_path)
    assert "S11_structures" in markdown.read_text() and "<svg" in page.read_text()
    assert pl.read_parquet(table).height == 8
    assert json.loads((tmp_path / "run.json").read_text())["versions"]["numpy"] == np.__version__


def test_a_cell_that_takes_too_long_or_fails_is_a_row(tmp_path):
    run_benchmark([PLAIN], tmp_path / "slow", budget=0.05)
    assert read_rows(tmp_path / "slow").select("status", "why").rows() == [("timeout", "more than 0.05 s")]
    run_benchmark([Cell("S11_structures", "pcmci", "nobody", "none")], tmp_path / "wrong")
    (row,) = read_rows(tmp_path / "wrong").iter_rows(named=True)
    assert row["status"] == "failed" and "nobody" in row["why"]
    assert "Ended early" in report(tmp_path / "wrong")[0].read_text()


def test_results_of_other_versions_are_not_mixed(tmp_path, monkeypatch):
    run_benchmark([PLAIN], tmp_path, budget=0.05)
    account = json.loads((tmp_path / "run.json").read_text())
    account["versions"]["polars"] = "0.0.1"
    (tmp_path / "run.json").write_text(json.dumps(account))
    with pytest.raises(InvalidDataError, match=r"begun with polars 0\.0\.1"):
        run_benchmark([PLAIN], tmp_path, resume=True)


def test_a_folder_that_can_not_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidDataError, match=r"file: can't write there \(File exists\)"):
        run_benchmark([], tmp_path / "file")


def test_a_folder_without_a_run_is_said_to_be_one(tmp_path):
    with pytest.raises(InvalidDataError, match="holds no benchmark"):
        read_rows(tmp_path)
    (tmp_path / runner.ROWS).write_text("")
    with pytest.raises(InvalidDataError, match="is empty"):
        report(tmp_path)
