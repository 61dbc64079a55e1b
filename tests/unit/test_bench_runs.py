"""Runs of several cells at a time: their order, what they say of themselves, Ctrl-C, and running them again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from arrow_cd.bench import Cell, run_benchmark
from arrow_cd.bench.account import commit
from arrow_cd.bench.compare import differences
from arrow_cd.bench.process import Processes
from arrow_cd.bench.runner import ROWS, read_records
from arrow_cd.bench.work import measured
from arrow_cd.cli import app
from arrow_cd.errors import InvalidDataError

CELLS = [
    Cell("S9_henon_chain", "pcmci", "native", "weave"),
    Cell("S9_henon_chain", "var", "numpy", "none"),
    Cell("S9_henon_chain", "pcmci", "native", "none", vary="T=200"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench") / "first"
    run_benchmark(CELLS, folder, jobs=2)
    return folder


def test_rows_come_in_the_order_of_the_cells_and_say_their_code(folder, monkeypatch, tmp_path):
    records = read_records(folder / ROWS)
    assert [(record["method"], record["vary"]) for record in records] == [(cell.method, cell.vary) for cell in CELLS]
    assert {record["commit"] for record in records} == {commit()}
    account = json.loads((folder / "run.json").read_text())
    assert account["jobs"] == 2 and account["machine"] and account["cores"] and account["command"]
    assert account["start"] <= account["end"] and account["seconds"] > 0

    def late_first(_self, cell):
        time.sleep(0.2 if cell == CELLS[0] else 0)
        return [cell.as_dict() | {"status": "ok"}]

    monkeypatch.setattr(Processes, "run", late_first)
    run_benchmark(CELLS, tmp_path, jobs=3)
    assert [record["method"] for record in read_records(tmp_path / ROWS)] == [cell.method for cell in CELLS]


def test_the_same_run_twice_gives_the_same_but_for_times(folder, tmp_path):
    again = run_benchmark(CELLS, tmp_path / "again", jobs=2).parent
    assert differences(folder, again) == []
    records = read_records(again / ROWS)
    records[0]["lagged_f1"] = -1.0
    (again / ROWS).write_text("".join(json.dumps(record) + "\n" for record in records[:-1]))
    changed, lacking = differences(folder, again)
    assert "lagged_f1" in changed and changed.endswith("and -1.0")
    assert lacking.startswith(str(CELLS[-1])) and f"only in {folder}" in lacking
    told = CliRunner().invoke(app, ["bench", "compare", str(folder), str(again)])
    assert told.exit_code == 1 and "and -1.0" in told.stdout
    assert CliRunner().invoke(app, ["bench", "compare", str(folder), str(folder)]).exit_code == 0
    with pytest.raises(InvalidDataError, match="holds no benchmark"):
        differences(folder, tmp_path)


def test_a_run_of_another_commit_is_not_gone_on_with(folder, monkeypatch):
    monkeypatch.setattr("arrow_cd.bench.account.commit", lambda: "0000000")
    with pytest.raises(InvalidDataError, match=r"begun with commit .*, this is 0000000: results of different code"):
        run_benchmark(CELLS, folder, resume=True)


def test_a_member_that_fails_leaves_the_others():
    """Least squares has more coefficients than rows at T=100 for four series and 25 lags, not for three."""
    rows = list(measured(Cell("S11_structures", "var", "numpy", "none", vary="T=105")))
    assert [row["member"] for row in rows] == ["S11_fork", "S11_v", "S11_mediator", "S11_diamond"]
    assert ["wall" in row for row in rows] == [True, True, True, False]
    assert rows[3]["status"] == "failed" and rows[3]["why"].startswith("BackendError: least squares has 80 complete")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as a terminal does")
def test_ctrl_c_keeps_what_finished_ends_the_rest_and_says_how_to_go_on(tmp_path):
    # Networks over 99 lags train for minutes: one is running when the signal comes, and nothing waits for it.
    # A test worker may ignore the signal, and what it starts then would too.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from arrow_cd.cli import app; app()"
    )
    command = ["bench", "--datasets", "S12_null", "--methods", "ngc", "--vary", "tau_max=99", "--output", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-c", program, *command], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("1/2 S12_null, tau_max=99")
        time.sleep(1)  # by then it waits for the cell
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130 and time.monotonic() - began < 15
    assert "go on with the same command and --resume" in said
    assert read_records(tmp_path / ROWS) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--full", "--quick"], "--full says what to run: leave out --quick"),
        (["--quick", "--methods", "pcmci"], "--quick says what to run: leave out --methods"),
        (["--quick", "--repeats", "2"], "leave out --repeats"),
    ],
)
def test_a_plan_leaves_nothing_else_to_choose(arguments, message, tmp_path):
    told = CliRunner().invoke(app, ["bench", *arguments, "--output", str(tmp_path / "none")])
    assert told.exit_code == 1 and message in told.stderr
