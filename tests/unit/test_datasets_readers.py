"""Every reader on small files of the same form as the source's: orientation of the truth, line ends, headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arrow_cd import InvalidDataError
from arrow_cd.datasets import Member
from arrow_cd.datasets.readers import READERS
from rda_writer import Attributed, matrix, named_list, save
from xlsx_writer import spreadsheet

Read = Callable[[str, str, dict[str, str | bytes]], Member]
RNG = np.random.default_rng(8)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a member of a data set from files given by name and content."""

    def read(dataset: str, member: str, files: dict[str, str | bytes]) -> Member:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return READERS[dataset](member, lambda name: tmp_path / name)

    return read


def lines(table: np.ndarray, separator: str = ",", header: str = "") -> str:
    rows = [separator.join(map(repr, row)) for row in table.tolist()]
    return "\n".join([header, *rows] if header else rows) + "\n"


def edges(member: Member) -> list[tuple[str, str]]:
    names = member.truth.names
    assert names == member.series.names
    return [(names[i], names[j]) for i, j in np.argwhere(member.truth.summary)]


def test_it_monitoring_is_cause_effect_by_name(read: Read) -> None:
    found = read(
        "Web_Activity",
        "preprocessed_2",
        {
            "it_monitoring/Web_Activity/preprocessed_2.csv": "timestamp,b,a\n2021-10-23 22:00:00,1.0,2.0\n"
            "2021-10-23 22:05:00,3.0,1.0\n2021-10-23 22:10:00,0.5,2.5\n",
            "it_monitoring/Web_Activity/structure.txt": "a b\n\n",
        },
    )
    assert found.series.names == ("b", "a") and found.series.time is not None
    assert edges(found) == [("a", "b")]


def test_storm_has_an_index_column_without_name(read: Read) -> None:
    found = read(
        "Storm_Ingestion_Activity",
        "storm_data_normal",
        {
            "it_monitoring/Storm_Ingestion_Activity/storm_data_normal.csv": ",x,y\n45683,0.8,0.1\n45684,0.7,0.3\n"
            "45685,0.9,0.2\n",
            "it_monitoring/Storm_Ingestion_Activity/storm_structure.txt": "y x\n",
        },
    )
    assert found.series.names == ("x", "y") and edges(found) == [("y", "x")]
    np.testing.assert_array_equal(found.series.time, [45683, 45684, 45685])


def test_a_truth_that_names_no_series_is_refused(read: Read) -> None:
    files = {
        "it_monitoring/Web_Activity/preprocessed_1.csv": "timestamp,a,b\n2021-10-23,1.0,2.0\n2021-10-24,2.0,2.5\n",
        "it_monitoring/Web_Activity/structure.txt": "a c\n",
    }
    with pytest.raises(InvalidDataError, match=r"the truth has a link of 'c', which is not a series: a, b"):
        read("Web_Activity", "preprocessed_1", files)


PETSHOP = """microservice,db,web,idle,db,web
metric,latency,latency,latency,latency,requests
statistic,Average,Average,Average,p90,Sum
unix_timestamp,,,,,
1693922400.0,0.1,1.1,,9.0,5
1693922700.0,0.3,1.2,,9.0,6
1693923000.0,0.2,1.4,0.5,9.0,7
"""


def test_petshop_latency_goes_from_callee_to_caller(read: Read) -> None:
    found = read(
        "petshop_latency",
        "high_traffic",
        {
            "petshop/high_traffic/noissue/metrics.csv": PETSHOP,
            "petshop/high_traffic/graph.csv": ",client,db,web\nclient,0.0,0.0,1.0\ndb,0.0,0.0,0.0\nweb,0.0,1.0,0.0\n",
        },
    )
    # idle is mostly missing, the call by the client has no latency; web calls db.
    assert found.series.names == ("db", "web") and edges(found) == [("db", "web")]
    np.testing.assert_array_equal(found.series.values, [[0.1, 1.1], [0.3, 1.2], [0.2, 1.4]])
    assert found.series.time[0] == np.datetime64("2023-09-05T14:00:00")


def test_pymicro_lies_on_its_side_and_latency_goes_from_callee_to_caller(read: Read, tmp_path: Path) -> None:
    found = read(
        "pymicro",
        "pymicro",
        {
            "pymicro/rawdata.xlsx": spreadsheet(tmp_path / "a", [["db", 1, 2.5, 4], ["view", 7, 6, 5]]),
            "pymicro/true_callgraph.xlsx": spreadsheet(tmp_path / "b", [[0, 0], [1, 0]]),  # view calls db
        },
    )
    np.testing.assert_array_equal(found.series.values, [[1, 7], [2.5, 6], [4, 5]])
    assert edges(found) == [("db", "view")]


def test_the_flood_has_digits_for_names_and_effect_cause(read: Read, tmp_path: Path) -> None:
    np.save(tmp_path / "matrix.npy", np.array([[0, 1], [0, 0]], dtype=np.int32))  # 59 is the effect of 77
    found = read(
        "causalrivers_flood",
        "flood",
        {
            "causalrivers_flood/rivers_ts_flood_preprocessed.csv": "59,77\n61,80\n60,79\n58,78\n",
            "causalrivers_flood/summary_matrix.npy": (tmp_path / "matrix.npy").read_bytes(),
        },
    )
    assert found.series.names == ("59", "77") and found.series.T == 3
    assert edges(found) == [("77", "59")]


def test_danube_is_aligned_at_the_end_and_joined_over_stations_left_out(read: Read) -> None:
    flow = np.array([[19, 18], [18, 17], [17, 16], [13, 1], [2, 1], [15, 13], [14, 2]])
    days = {station: 5 + station % 3 for station in range(1, 20)}
    raw = np.full((7, 19), np.nan)
    for station, length in days.items():
        raw[:length, station - 1] = 100 * station + np.arange(7 - length, 7)  # 100 station + day
    content = save(3, danube=named_list(flow_edges=matrix(flow.astype(float)), data_raw=matrix(raw)))
    found = read("danube", "danube", {"danube/danube.rda": content})
    kept = [station for station in range(1, 20) if station not in (1, 13, 18)]
    assert found.series.names == tuple(map(str, kept))
    np.testing.assert_array_equal(found.series.values, 100.0 * np.array(kept) + np.arange(2, 7)[:, None])
    # 19 -> 18 -> 17 is joined; 15 -> 13 -> 1 and 2 -> 1 end outside.
    assert set(edges(found)) == {("19", "17"), ("17", "16"), ("14", "2")}


def test_finance_has_bare_carriage_returns_and_its_lags(read: Read) -> None:
    found = read(
        "tcdf_finance",
        "20_1_3",
        {
            "tcdf_finance/random-rels_20_1_3_returns30007000_header.csv": "S0,S1,S2\r\n"
            + lines(RNG.normal(size=(9, 3))).replace("\n", "\r\n"),
            "tcdf_finance/random-rels_20_1_3.csv": "2,0,3\r0,1,1\r1,1,2",
        },
    )
    assert found.truth.links() == [("S0", 1, "S1"), ("S1", 2, "S1"), ("S2", 3, "S0")]
    assert found.truth.graph.shape == (3, 3, 4)


def test_dream3_trajectories_are_data_sets(read: Read) -> None:
    tables = [lines(np.column_stack([10.0 * np.arange(4), RNG.random((4, 2))]), "\t") for _ in range(3)]
    found = read(
        "dream3_size100",
        "yeast1",
        {
            "dream3_size100/yeast1.tsv": '"Time"\t"G1"\t"G2"\n' + "\n".join(tables),
            "dream3_size100/yeast1_gt.txt": "G2\tG1\t1\r\nG1\tG2\t0\r\n",
        },
    )
    assert found.series.names == ("G1", "G2") and found.series.segments == ((0, 4), (4, 8), (8, 12))
    assert edges(found) == [("G2", "G1")]


def test_dream4_trajectories_of_21_points_follow_without_a_mark(read: Read) -> None:
    values = RNG.random((63, 2))
    found = read(
        "dream4",
        "size100_2",
        {
            "dream4/DREAM100/insilico_size100_2_timeseries.txt": lines(values, "\t", "G1\tG2"),
            "dream4/DREAM100/DREAM4_GoldStandard_InSilico_Size100_2.tsv": "G2\tG1\t1\nG1\tG2\t0",
        },
    )
    assert found.series.segments == ((0, 21), (21, 42), (42, 63)) and edges(found) == [("G2", "G1")]
    np.testing.assert_array_equal(found.series.values, values)


def netsim_files(folder: Path, *, other: bool = False) -> tuple[np.ndarray, dict[str, str | bytes]]:
    values = RNG.normal(size=(50, 3, 20))
    graph = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])  # [effect, cause]: 2 drives 0
    files: dict[str, str | bytes] = {}
    for k, subject in enumerate(values):
        np.savez(folder / "one.npz", X_np=subject, Gref=graph.T if other and k == 7 else graph)
        files[f"netsim_sim3/sim3_subject_{k}.npz"] = (folder / "one.npz").read_bytes()
    return values, files


def test_netsim_is_effect_cause_and_subjects_are_data_sets(read: Read, tmp_path: Path) -> None:
    values, files = netsim_files(tmp_path)
    found = read("netsim_sim3", "sim3", files)
    assert len(found.series.segments) == 50 and found.series.segments[1] == (20, 40)
    np.testing.assert_array_equal(found.series.values[20:40], values[1].T)
    assert [edge for edge in edges(found) if edge[0] != edge[1]] == [("X2", "X0")]


def test_netsim_subjects_must_share_their_graph(read: Read, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="subjects' graphs differ"):
        read("netsim_sim3", "sim3", netsim_files(tmp_path, other=True)[1])


def test_feedbacks_are_ten_data_sets_and_may_be_cyclic(read: Read) -> None:
    values = RNG.normal(size=(10, 8, 2))
    folder = "feedbacks_bold/data/Network1_amp"
    files: dict[str, str | bytes] = {
        f"{folder}/sim-{k:02}.Network1_amp.continuous.txt": lines(table, "\t", "X1\tX2")
        for k, table in enumerate(values, 1)
    }
    files["feedbacks_bold/ground.truth/Network1_amp/Network1_amp.ground.truth.graph.txt"] = (
        "Graph Nodes:\nX1,X2\n\nGraph Edges:\n1. X1 --> X2\n10. X2 --> X1\n"
    )
    found = read("feedbacks_bold", "Network1_amp", files)
    assert len(found.series.segments) == 10 and edges(found) == [("X1", "X2"), ("X2", "X1")]
    np.testing.assert_array_equal(found.series.values, values.reshape(80, 2))


def minutes(*names: str) -> str:
    """A table of 60 minutes of which the 31st is left out; its index has no name."""
    stamps = [f"2020-09-11 19:{minute:02}:00" for minute in range(60) if minute != 30]
    rows = [f"{stamp},{x!r},{y!r}" for stamp, (x, y) in zip(stamps, RNG.random((59, 2)).tolist(), strict=True)]
    return "\n".join([f",{','.join(names)}", *rows]) + "\n"


PAIRS: dict[str, tuple[dict[str, str | bytes], tuple[str, str]]] = {
    "gas_furnace": ({"gas-furnace.csv": "InputGasRate,CO2\r-0.109,53.8\r0,53.6\r0.2,53.5"}, ("InputGasRate", "CO2")),
    "sales": (
        {
            "BJsales.csv": "rownames,time,value\n1,1,200.1\n2,2,199.5\n3,3,199.4\n",
            "BJsales.lead.csv": "rownames,time,value\n1,1,10.01\n2,2,10.07\n3,3,10.32\n",
        },
        ("lead", "sales"),
    ),
    "temperature": (
        {
            "temperature.csv": "time_index,Indoor temperature,Outdoor temperature\n1,25.3,15.6\n2,25.1,14.9\n"
            "3,25.0,14.1\n"
        },
        ("Outdoor temperature", "Indoor temperature"),
    ),
    "http_cpu": ({"http_process_cpu.csv": minutes("Nb process http", "Cpu http")}, ("Nb process http", "Cpu http")),
    "php_cpu": ({"cpus.csv": minutes("Cpu php", "Cpu global")}, ("Cpu php", "Cpu global")),
    "soi_rec": (
        {
            f"{name}.rda": save(**{name: Attributed(RNG.random(3), tsp=np.array([1950, 1950 + 2 / 12, 12.0]))})
            for name in ("soi", "rec")
        },
        ("soi", "rec"),
    ),
}


@pytest.mark.parametrize("member", PAIRS)
def test_pairs_name_their_cause(read: Read, member: str) -> None:
    files, edge = PAIRS[member]
    found = read("known_lag_pairs", member, {f"known_lag_pairs/{name}": text for name, text in files.items()})
    assert found.series.N == 2 and edges(found) == [edge]
    if "cpu" in member:  # the minute left out is a missing sample
        assert found.series.T == 60 and np.flatnonzero(~found.series.valid[:, 0]).tolist() == [30]
    else:
        assert found.series.T == 3 and found.series.complete


def test_months_are_months(read: Read) -> None:
    files = {f"known_lag_pairs/{name}": content for name, content in PAIRS["soi_rec"][0].items()}
    time = read("known_lag_pairs", "soi_rec", files).series.time
    assert time.astype("M8[D]").tolist() == np.array(["1950-01-01", "1950-02-01", "1950-03-01"], "M8[D]").tolist()
