"""What only a process of its own can show: speed of the help, pipes, signals, the exit codes of a shell."""

import json
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

HEAVY = ("numpy", "polars", "matplotlib", "networkx", "pandas", "tigramite", "rich")


def test_help_takes_less_than_half_a_second(command):
    def seconds():
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--help"], check=True, capture_output=True)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime

    assert min(seconds() for _ in range(5)) < 0.5  # of the processor, whatever else the machine does


@pytest.mark.parametrize("arguments", ["", "discover"])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys\nfrom arrow_cd.cli import main\n"
        f"sys.argv = ['arrow-cd', *{arguments.split()}, '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


@pytest.fixture
def slow(tmp_path):
    """Data whose exact search takes far longer than this test waits."""
    x = np.random.default_rng(0).normal(size=(1500, 150))
    for t in range(1, len(x)):
        x[t] += 0.9 * x[t - 1]
    path = tmp_path / "slow.csv"
    pl.DataFrame(x, schema=[f"v{k}" for k in range(150)]).with_row_index("step").write_csv(path)
    return path


def test_ctrl_c_ends_a_long_run_with_130_and_a_partial_file(command, slow, tmp_path):
    path = tmp_path / "part.json"
    arguments = ["discover", slow, "--mode", "exact", "--tau-max", "20", "--output", path]
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "time axis" in process.stderr.readline()  # said once the data are read
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130 and stdout == ""
    assert stderr == "interrupted; files hold what was found until then\n"
    assert json.loads(path.read_text())["complete"] is False


def test_a_reader_that_leaves_early_is_no_error(command, slow):
    line = shlex.join([*command, "inspect", str(slow), "--format", "csv", "-q"])
    done = subprocess.run(f"{line} | head -n 1", shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("column,kind") and done.stderr == ""


def test_exit_codes_reach_the_shell(command, tmp_path):
    def run(*arguments):
        return subprocess.run([*command, *arguments], capture_output=True, text=True)

    assert run("info").returncode == 0
    assert run("discover", "--nonsense").returncode == 2
    failed = run("discover", str(tmp_path / "none.csv"))
    assert failed.returncode == 1 and failed.stdout == ""
    assert failed.stderr.count("\n") == 1 and "none.csv" in failed.stderr


def test_a_picture_and_a_table_from_the_sample(command, tmp_path):
    sample = Path(__file__).parents[2] / "datasets" / "river.csv"
    arguments = ["discover", sample, "--tau-max", "6", "--output", tmp_path / "river.svg"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    found = {tuple(line.split()[:3]) for line in done.stdout.splitlines()[2:-1]}
    truth = {tuple(row) for row in pl.read_csv(sample.with_name("river_truth.csv"), infer_schema=False).rows()}
    assert found == truth
    assert "upper" in (tmp_path / "river.svg").read_text()
