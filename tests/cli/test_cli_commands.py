import json

import polars as pl
import pytest

COMMANDS = ("discover", "screen", "lags", "inspect", "info")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(invoke, name):
    result = invoke(name, "--help")
    assert result.exit_code == 0 and "Usage:" in result.stdout


def test_without_a_command_the_help_is_shown(invoke):
    result = invoke()
    assert all(name in result.output for name in COMMANDS)


def test_the_version_is_shown(invoke):
    from arrow_cd import __version__

    assert invoke("--version").stdout == f"arrow-cd {__version__}\n"


def test_info_names_versions_kernel_and_extras(invoke):
    result = invoke("info")
    assert result.exit_code == 0
    lines = {line.split()[0] for line in result.stdout.splitlines()}
    assert {"arrow_cd", "python", "numpy", "kernel", "methods", "extra"} <= lines
    assert "scalar" in result.stdout and "extra viz" in result.stdout and "pcmci" in result.stdout


def test_screen_lists_candidates_by_target_and_rank(invoke, csv):
    result = invoke("screen", csv, "--tau-max", 3, "--format", "csv")
    found = pl.read_csv(result.stdout.encode())
    assert ("wind", "waves", 2) in found.select("source", "target", "tau").rows()
    assert found["rank"].min() == 1 and "anchor" not in found["source"]
    kept = f"screen weave: kept {found.height} of 48 links in "
    assert kept in result.stderr and "'date'" in result.stderr


def test_screen_takes_another_strategy(invoke, csv):
    assert "screen forward: " in invoke("screen", csv, "--screen", "forward").stderr
    assert invoke("screen", csv, "--screen", "magic").exit_code == 2


def test_lags_suggests_and_shows_the_curve(invoke, csv):
    result = invoke("lags", csv, "--tau-max", 6, "--format", "json")
    curve = json.loads(result.stdout)
    assert [row["tau"] for row in curve] == [1, 2, 3, 4, 5, 6]
    assert (curve[1]["source"], curve[1]["target"]) == ("wind", "waves")
    assert "suggested --tau-max 2, of the lags up to 6" in result.stderr


def test_inspect_describes_every_column_and_what_a_search_costs(invoke, csv):
    result = invoke("inspect", csv, "--format", "json")
    assert [row["column"] for row in json.loads(result.stdout)] == ["wind", "waves", "noise", "anchor"]
    assert "300 rows, 4 columns" in result.stderr and "tests    about" in result.stderr


@pytest.mark.parametrize("name", ["screen", "lags", "inspect"])
def test_every_command_reads_through_the_same_door(invoke, csv, tmp_path, name):
    missing = invoke(name, tmp_path / "none.csv")
    assert missing.exit_code == 1 and missing.stdout == "" and missing.stderr.count("\n") == 1
    unknown = invoke(name, csv, "--columns", "wind,sand", "-q")
    assert unknown.exit_code == 1 and "'sand'" in unknown.stderr


@pytest.mark.parametrize("name", ["screen", "lags", "inspect"])
def test_quiet_leaves_standard_error_empty(invoke, csv, name):
    result = invoke(name, csv, "-q")
    assert result.exit_code == 0 and result.stderr == "" and result.stdout


def test_backends_tells_what_each_method_assumes_gives_and_costs(invoke):
    shown = invoke("backends").stdout
    for text in ("correlation\n", "pcmciplus\n", "nothing but a common clock", "parcorr, robust_parcorr"):
        assert text in shown
    table = json.loads(invoke("backends", "--format", "json").stdout)
    assert {"method", "assumes", "gives", "costs", "tests", "options", "installed"} <= set(table[0])
