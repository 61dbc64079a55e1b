import io
import json

import numpy as np
import polars as pl
import pytest

from arrow_cd import read, register_backend
from arrow_cd._discover import discover as run_discover
from fake_backend import Correlation


def one_line(result, *parts):
    """Exit code 1, nothing on standard output, one line on standard error that has all parts, no traceback."""
    assert result.exit_code == 1 and result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ") and "Traceback" not in line
    for part in parts:
        assert part in line
    return True


def test_the_graph_is_a_table_with_a_legend(discover):
    result = discover()
    assert result.exit_code == 0
    header, rule, *rows = result.stdout.splitlines()
    assert header.split() == ["source", "target", "tau", "mark", "val", "p", "q"] and not rule.strip(" ─━")
    (link,) = (row.split() for row in rows if row.startswith("wind"))
    assert link[:4] == ["wind", "waves", "2", "-->"] and link[4].startswith("-0.")
    assert "  -->  source causes target" in rows


def test_messages_go_to_standard_error(discover):
    messages = discover().stderr
    assert "'date'" in messages  # the time column it took
    assert "anchor" in messages  # constant
    assert (
        "correlation (fake), screen none, 4 columns, 294 rows a test: 27 tests run (test 27), 0 links left" in messages
    )
    assert "1 link found in " in messages


def test_quiet_says_nothing(discover):
    assert discover("-q").stderr == discover("-q", "-v").stderr == ""


def test_verbose_adds_links_not_found_and_seconds(discover):
    result = discover("-v")
    assert "blank  tested, no link" in result.stdout
    assert len([line for line in result.stdout.splitlines() if line.startswith(("wind", "waves", "noise"))]) == 27
    assert "seconds: search 0, total " in result.stderr


def test_json_on_standard_output_is_nothing_but_json(discover, csv):
    document = json.loads(discover("--format", "json").stdout)
    assert document["var_names"] == ["wind", "waves", "noise", "anchor"]
    assert document["legend"]["marks"]["-->"] == "source causes target"
    assert "arrow_cd" in document["versions"] and document["complete"] is True


def test_csv_and_parquet_and_graphs_on_standard_output(discover):
    table = pl.read_csv(discover("--format", "csv").stdout.encode())
    assert table.height == 27
    assert pl.read_parquet(io.BytesIO(discover("--format", "parquet").stdout_bytes)).equals(table)
    assert discover("--format", "dot").stdout.startswith("digraph {")
    assert "<graphml" in discover("--format", "graphml").stdout


def test_the_output_file_holds_what_the_library_finds(discover, csv, tmp_path):
    path = tmp_path / "result.json"
    assert discover("--output", path, "--seed", 3).exit_code == 0
    expected = run_discover(csv, method="correlation", test="pearson", mode="exact", tau_min=1, tau_max=3, seed=3)
    result = read(path)
    assert result.links().equals(expected.links())
    assert result.notes == expected.notes and result.options == expected.options and result.seed == 3


def test_outputs_in_several_formats_at_once(discover, tmp_path):
    paths = [tmp_path / f"out.{suffix}" for suffix in ("json", "csv", "parquet", "graphml", "dot", "png")]
    assert discover(*(part for path in paths for part in ("-o", path))).exit_code == 0
    assert all(path.stat().st_size for path in paths)


def test_two_runs_agree_but_for_the_seconds(discover):
    first, second = (json.loads(discover("--format", "json").stdout) for _ in range(2))
    first.pop("timings"), second.pop("timings")
    assert first == second


@pytest.mark.parametrize(
    ("name", "part"),
    [("missing/out.json", "there is no directory"), (".", "is a directory"), ("out.xlsx", "the suffix must be one of")],
)
def test_an_output_that_cannot_be_written_stops_the_run_before_it_starts(discover, backend, tmp_path, name, part):
    assert one_line(discover("--output", tmp_path / name), "--output", part)
    assert backend.tasks == []


def test_columns_can_be_chosen_and_dropped(discover):
    assert "9 tests run" not in discover("--columns", "wind,waves").stderr
    assert "12 tests run" in discover("--columns", "wind,waves").stderr
    assert "12 tests run" in discover("--drop", "noise", "--drop", "anchor").stderr


def test_slow_searches_are_warned_of_and_the_fast_way_named(discover, invoke, csv):
    said = discover().stderr
    assert "tests about 27 links, each at least once" in said and "--mode screen tests far fewer" in said
    assert "each at least once" not in invoke("discover", csv, "--mode", "exact").stderr
    modes = " ".join(invoke("discover", "--help").stdout.split())
    assert "Test what the screen keeps (much faster), or everything." in modes


def test_preprocessing_is_said(discover):
    result = discover("--preprocess", "standardise", "--format", "json")
    assert json.loads(result.stdout)["options"]["preprocess"] == "standardise"
    assert "standardised" in result.stderr


def test_dry_run_tests_nothing_of_the_real_question(discover, tmp_path):
    result = discover("--dry-run", "--output", tmp_path / "out.json")
    assert result.exit_code == 0 and not (tmp_path / "out.json").exists()
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["links"] == "27" and lines["tests"] == "about 27"
    assert "MiB" in lines["memory"] and float(lines["seconds"].split()[1]) >= 0


def test_bad_data_are_one_line_with_file_row_and_column(discover, csv, tmp_path):
    lines = csv.read_text().splitlines()
    lines[41] = lines[41].replace(lines[41].split(",")[2], "broken")
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines))
    assert one_line(discover(data=bad), str(bad), "42", "'waves'", "'broken' is not a number")


def test_a_text_cell_among_650_columns_is_found(discover, tmp_path):
    values = np.round(np.random.default_rng(0).normal(size=(310, 650)), 2).astype(str)
    values[300, 600] = "oops"
    wide = tmp_path / "wide.csv"
    wide.write_text("\n".join([",".join(f"v{k}" for k in range(650)), *map(",".join, values)]))
    assert one_line(discover(data=wide), "wide.csv", "302", "'v600'", "'oops'")


def test_missing_markers_can_be_added(discover, csv, tmp_path):
    lines = csv.read_text().splitlines()
    lines[41] = lines[41].replace(lines[41].split(",")[2], "out of order")
    holes = tmp_path / "holes.csv"
    holes.write_text("\n".join(lines))
    one_line(discover("--na", "out of order", "-q", data=holes), "takes complete data only")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--alpha", 5], ["alpha=5", "between 0 and 1"]),
        (["--method", "magic"], ["method='magic'", "correlation"]),
        (["--tau-max", 0], ["tau_max=0"]),
        (["--tau-max", 149], ["too few rows", "tau_max=149"]),
        (["--columns", "wind,sand"], ["'sand'", "'waves'"]),
        (["--constraints", "nowhere.toml"], ["nowhere.toml"]),
        (["--jobs", -2], ["n_jobs=-2"]),
    ],
)
def test_options_found_wrong_at_run_time_are_one_line(discover, arguments, parts):
    assert one_line(discover("-q", *arguments), *parts)


def test_a_file_that_is_not_there(discover, tmp_path):
    assert one_line(discover(data=tmp_path / "none.csv"), "none.csv", "No such file")


@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--taumax", 3], ["--tau-max", "three"], ["--fdr", "holm"]])
def test_wrong_usage_is_exit_code_2(discover, arguments):
    result = discover(*arguments)
    assert result.exit_code == 2 and result.stdout == "" and "Usage:" in result.stderr


def test_an_interrupt_writes_what_was_found(discover, tmp_path):
    register_backend("correlation", lambda: Correlation(stop_after=5))
    path = tmp_path / "part.json"
    result = discover("-q", "--output", path)
    assert result.exit_code == 130 and result.stdout == ""
    assert result.stderr == "interrupted; files hold what was found until then\n"
    part = read(path)
    assert not part.complete and part.tested.sum() == 5


def test_constraints_come_from_a_toml_file(discover, tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('[[forbid]]\nsource = "wind"\ntarget = "waves"\nlags = 2\n')
    result = discover("--constraints", path, "--format", "json")
    document = json.loads(result.stdout)
    assert ("wind", "waves", 2) not in {(link["source"], link["target"], link["tau"]) for link in document["links"]}
    assert document["options"]["forbid"] == [{"source": "wind", "target": "waves", "lags": 2}]
    path.write_text('[[forbid]]\nsource = "sand"\n')
    assert one_line(discover("--constraints", path, "-q"), "forbid rule 1", "'sand'")


def test_a_file_without_a_time_column_or_header_works_as_well(discover, csv, tmp_path):
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(line.split(",", 1)[1] for line in csv.read_text().splitlines()[1:]))
    result = discover("--no-header", "--format", "csv", data=bare)
    found, named = (pl.read_csv(r.stdout.encode()) for r in (result, discover("--format", "csv")))
    assert "time axis" not in result.stderr
    assert found.select("tau", "mark", "val").equals(named.select("tau", "mark", "val"))
    assert not set(found["source"]) & set(named["source"])


def test_no_lag_crosses_from_one_data_set_into_another(discover, csv, tmp_path, backend):
    frame = pl.read_csv(csv).with_columns(station=pl.Series(["north"] * 200 + ["south"] * 100))
    both = tmp_path / "both.csv"
    frame.write_csv(both)
    assert discover("--group-by", "station", data=both).exit_code == 0
    assert backend.tasks[-1].series.segments == ((0, 200), (200, 300))


def test_a_mode_without_a_screen_takes_no_screen(discover):
    assert one_line(discover("--screen", "forward", "-q"), "mode 'exact' screens nothing")


def test_options_of_the_method_are_given_by_name(discover, backend):
    discover("--option", "strength=2.5")
    assert backend.tasks[-1].options["strength"] == 2.5


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("strength", "--option strength: expected NAME=VALUE"),
        ("alpha=0.1", "--option alpha=0.1: write --alpha 0.1 instead"),
        ("colour=blue", "unknown option 'colour': method 'correlation' takes pc_alpha, strength"),
    ],
)
def test_wrong_options_of_the_method_are_named(discover, setting, message):
    run = discover("--option", setting)
    assert run.exit_code == 1 and message in run.stderr
