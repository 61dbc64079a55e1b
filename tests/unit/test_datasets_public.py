"""The public sets as they are: sizes, known edges of every truth against its source file, and the traps on the way.

Skipped where the files are missing; `test_datasets_readers.py` runs everywhere.
"""

from __future__ import annotations

import csv
from functools import cache

import numpy as np
import pytest

from arrow_cd import score
from arrow_cd.datasets import Dataset, dataset_info, load_dataset
from arrow_cd.datasets.rda import read_rda
from arrow_cd.datasets.readers import READERS
from arrow_cd.datasets.xlsx import read_xlsx
from shared_data import HOME, shared


@pytest.fixture(scope="module")
def load():
    shared("PROVENANCE.tsv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARROW_CD_DATA", str(HOME))
        yield cache(load_dataset)


def summary(data: Dataset, member: str) -> set[tuple[str, str]]:
    (truth,) = (each.truth for each in data.members if each.name == member)
    return {(truth.names[i], truth.names[j]) for i, j in np.argwhere(truth.summary)}


@pytest.mark.parametrize("name", READERS)
def test_loaded_as_the_registry_says(load, name: str) -> None:
    data = load(name)
    assert data.info == dataset_info(name) and data.seed is None
    for member, info in zip(data.members, data.info.members, strict=True):
        series, truth = member.series, member.truth
        assert (member.name, series.T, series.N, len(series.segments)) == (info.name, info.T, info.N, info.sets)
        assert truth.names == series.names and truth.has_lags is (data.info.truth == "lagged")
        assert not series.constant.any() and not np.isnan(series.values[series.valid]).any()
        perfect = score(truth.links(), truth, names=series.names)
        assert perfect.summary.f1 == 1.0


# Links as the sources count them, those of a series to itself included.
COUNTS = {
    "petshop_latency": [38, 30],
    "Web_Activity": [14, 14],
    "Antivirus_Activity": [16, 16],
    "Storm_Ingestion_Activity": [9],
    "causalrivers_flood": [42],
    "tcdf_finance": [20, 20, 40],
    "dream3_size100": [125, 166, 389],
    "dream4": [15, 16, 15, 176, 249, 195],
    "netsim_sim3": [18 + 15],
    "feedbacks_bold": [6, 7, 19, 5, 8, 10],
    "pymicro": [19],
    "danube": [25],
    "known_lag_pairs": [1] * 6,
}


@pytest.mark.parametrize("name", READERS)
def test_every_link_of_the_source_is_there(load, name: str) -> None:
    assert [int(member.truth.graph.sum()) for member in load(name).members] == COUNTS[name]


@pytest.mark.parametrize("traffic", ["high_traffic", "low_traffic"])
def test_petshop_calls_are_turned_round(load, traffic: str) -> None:
    with shared(f"petshop/{traffic}/graph.csv").open(newline="") as lines:
        graph = {row[""]: row for row in csv.DictReader(lines)}
    links = summary(load("petshop_latency"), traffic)
    assert all(graph[caller][callee] == "1.0" for callee, caller in links)
    assert ("petInfo_AWS::DynamoDB::Table", "PetSearch_AWS::ECS::Fargate") in links


@pytest.mark.parametrize(
    ("name", "edge"),
    [
        ("Web_Activity", ("Net_In_Global", "Nb_process_http")),
        ("Antivirus_Activity", ("Chargement_IE", "Default_Transaction")),
        ("Storm_Ingestion_Activity", ("metric_bolt", "capacity_last_metric_bolt")),
    ],
)
def test_it_monitoring_edges(load, name: str, edge: tuple[str, str]) -> None:
    (path,) = (file.name for file in dataset_info(name).files if file.name.endswith("structure.txt"))
    lines = {tuple(line.split()) for line in shared(path).read_text().splitlines() if line}
    for member in load(name).members:
        assert summary(load(name), member.name) == lines and edge in lines


def test_flood_is_effect_cause(load) -> None:
    matrix = np.load(shared("causalrivers_flood/summary_matrix.npy"))
    data = load("causalrivers_flood")
    assert matrix[4, 5] == 1 and matrix[5, 4] == 0  # the effect is the fifth column, the cause the sixth
    assert data.truth.summary[5, 4] and not data.truth.summary[4, 5]
    np.testing.assert_array_equal(data.truth.graph, matrix.T.astype(bool))


def test_flood_has_digits_for_names(load) -> None:
    series = load("causalrivers_flood").series
    assert series.names[:3] == ("59", "77", "119")
    np.testing.assert_array_equal(series.values[0, :3], [0.032, 0.161, 0.048])


def test_storm_leaves_its_index_column_out(load) -> None:
    series = load("Storm_Ingestion_Activity").series
    assert series.names[0] == "capacity_last_metric_bolt" and series.time[0] == 45683


def test_finance_lags_are_the_third_number_of_every_line(load) -> None:
    for member in load("tcdf_finance").members:
        lines = shared(f"tcdf_finance/random-rels_{member.name}.csv").read_bytes().split(b"\r")
        rows = [tuple(map(int, line.split(b","))) for line in lines]
        assert len(rows) == member.truth.graph.sum()
        assert all(member.truth.graph[cause, effect, lag] for cause, effect, lag in rows)
        lags = set(np.argwhere(member.truth.graph)[:, 2].tolist())
        assert lags == ({1} if member.name == "20_1A" else {1, 2, 3})
    own = [source for source, _, target in load("tcdf_finance").members[0].truth.links() if source == target]
    assert len(own) == 2


def test_finance_correlations_peak_at_lag_zero_all_the_same(load) -> None:
    member = load("tcdf_finance").members[1]
    values = (member.series.values - member.series.values.mean(axis=0)) / member.series.values.std(axis=0)
    T = len(values)
    peaks = []
    for source, _, target in np.argwhere(member.truth.graph)[:, [0, 2, 1]]:
        sizes = [abs(values[: T - lag, source] @ values[lag:, target]) / (T - lag) for lag in range(4)]
        peaks.append(int(np.argmax(sizes)))
    assert np.mean(np.array(peaks) == 0) > 0.5


def test_dream_edges(load) -> None:
    assert ("G2", "G1") in summary(load("dream3_size100"), "ecoli1")
    assert shared("dream3_size100/ecoli1_gt.txt").read_text().startswith("G2\tG1\t1")
    links = summary(load("dream4"), "size10_1")
    assert ("G9", "G10") in links and ("G10", "G9") not in links


def test_dream_trajectories_start_anew_where_the_segments_do(load) -> None:
    for name, start in (("dream3_size100", 0.0), ("dream4", None)):
        for member in load(name).members:
            assert {stop - begin for begin, stop in member.series.segments} == {21}
            if start is not None:
                assert all(member.series.time[begin] == start for begin, _ in member.series.segments)


def test_netsim_is_effect_cause_and_arrays_lie_on_their_side(load) -> None:
    data = load("netsim_sim3")
    with np.load(shared("netsim_sim3/sim3_subject_1.npz")) as arrays:
        np.testing.assert_array_equal(data.series.values[200:400], arrays["X_np"].T)
        assert arrays["Gref"][4, 0] == 1 and arrays["Gref"][0, 4] == 0
    assert data.truth.summary[0, 4] and not data.truth.summary[4, 0]
    assert data.truth.summary.diagonal().all()


def test_feedbacks_have_loops(load) -> None:
    links = summary(load("feedbacks_bold"), "Network1_amp")
    assert links == {("X1", "X2"), ("X1", "X5"), ("X2", "X1"), ("X2", "X3"), ("X3", "X4"), ("X4", "X5")}


def test_pymicro_calls_are_turned_round(load) -> None:
    data = load("pymicro")
    calls = np.array(read_xlsx(shared("pymicro/true_callgraph.xlsx")), dtype=float)
    assert calls[3, 0] == 1  # service4 calls service1
    assert ("service1", "service4") in summary(data, "pymicro")
    # The repository also has the graph the other way round, which is ours.
    access = np.array(read_xlsx(shared("pymicro/true_access.xlsx")), dtype=float)
    np.testing.assert_array_equal(data.truth.graph, access.astype(bool))
    assert data.series.names[0] == "service1" and data.series.values[0, 0] == 5529


def test_danube_is_the_derived_file(load) -> None:
    data = load("danube")
    with np.load(shared("danube/derived_aligned27.npz")) as derived:
        np.testing.assert_array_equal(data.series.values.astype(np.float32), derived["X"])
        assert data.series.names == tuple(map(str, derived["stations"]))
        edges = {(str(cause), str(effect)) for cause, effect in derived["edges"]}
    assert summary(data, "danube") == edges and {("19", "17"), ("29", "31")} <= edges


def test_danube_rows_as_stored_are_not_days() -> None:
    # Neighbours in the flow, 10 -> 9, agree where their ends are put together and not where their rows are.
    raw = read_rda(shared("danube/danube.rda"))["danube"].items()["data_raw"].array()
    upper, lower = (column[~np.isnan(column)] for column in (raw[:, 9], raw[:, 8]))
    days = min(len(upper), len(lower))
    together = np.corrcoef(upper[-days:], lower[-days:])[0, 1]
    as_stored = np.corrcoef(upper[:days], lower[:days])[0, 1]
    assert together > 0.8 and together > as_stored + 0.3


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("Web_Activity", [0.24, 0.11]),
        ("Antivirus_Activity", [0.64, 0.50]),
        ("Storm_Ingestion_Activity", [0.28]),
        ("causalrivers_flood", [0.84]),
    ],
)
def test_flat_stretches_stay_flat(load, name: str, shares: list[float]) -> None:
    # Strict codes rank true links below chance on such series: no reader may blur ties.
    flat = [float((np.diff(member.series.values, axis=0) == 0).mean()) for member in load(name).members]
    np.testing.assert_allclose(flat, shares, atol=0.01)


def test_pairs_reach_their_strongest_correlation_at_the_known_delay(load) -> None:
    delays = {}
    for member in load("known_lag_pairs").members:
        cause, effect = (int(k) for k in np.argwhere(member.truth.graph)[0])
        step = np.diff if member.name == "sales" else np.asarray  # a random walk: its changes
        x, y = step(member.series.values[:, cause]), step(member.series.values[:, effect])
        if np.isnan(x).any():
            continue
        sizes = [abs(np.corrcoef(x[: len(x) - lag], y[lag:])[0, 1]) for lag in range(10)]
        delays[member.name] = int(np.argmax(sizes))
    assert delays["sales"] == 3 and delays["soi_rec"] in (5, 6) and delays["gas_furnace"] in (3, 4, 5)
