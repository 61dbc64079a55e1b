"""The report on a benchmark says what its rows say."""

import json
import math
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from scipy import stats
from typer.testing import CliRunner

from arrow_cd.bench.baselines import baselines_section, screens_section
from arrow_cd.bench.curves import curves, curves_section, exponent, sizes_section
from arrow_cd.bench.families import families_section, libraries_section
from arrow_cd.bench.losses import cause, losses_section
from arrow_cd.bench.markdown import number, replace_section, table
from arrow_cd.bench.pcmci_table import pcmci_sections
from arrow_cd.bench.picture import Axis, covering
from arrow_cd.bench.report import report, sections
from arrow_cd.bench.results import compared, interval, scored, ways, with_all_columns
from arrow_cd.bench.scatters import speed_against_change
from arrow_cd.cli import app
from arrow_cd.errors import InvalidDataError

ACCOUNT = {"versions": {"numpy": "2.0", "tigramite": None}, "budget": 60.0, "memory": 2**31, "cores": 2}
ACCOUNT |= {
    "platform": "linux",
    "command": "arrow-cd bench -o out",
    "commit": "abc",
    "start": "May 1",
    "seconds": 7200.0,
}


def row(dataset, screen, *, method="pcmci", engine="native", f1=0.5, wall=1.0, **more):
    """A run of ten series that found as many links as there are, half of them right unless said otherwise."""
    cell = {"dataset": dataset, "method": method, "engine": engine, "screen": screen, "repeat": 0}
    size = {"member": "all", "N": 10, "T": 200, "tau_max": 5, "wall": wall, "tests": 100 if screen == "none" else 10}
    kept = {} if screen == "none" else {"candidates": 5.0, "screen_recall": 0.9, "audited": 200, "audit_lost": 1.5}
    found = {"summary_precision": f1, "summary_recall": f1, "summary_f1": f1, "summary_false_links": 4}
    counts = {"summary_found_links": 8, "summary_true_links": 8}
    return {**cell, "status": "ok", **size, **kept, **found, **counts, **more}


def empty_truth(screen, false_links):
    """F1 is 0 as soon as a false link is found, and undefined otherwise: false links are what counts."""
    found = {"summary_recall": None, "summary_false_links": false_links, "summary_true_links": 0}
    return row("null", screen, f1=0.0 if false_links else None, summary_found_links=false_links, **found)


@pytest.fixture
def rows():
    """Screened is higher, equal, lower and, without true links, of fewer false ones; twice, four times ... as fast."""
    runs = []
    for name, f1, wall in (("up", 0.7, 0.5), ("same", 0.505, 0.25), ("down", 0.3, 2.0)):
        runs += [row(name, "none"), row(name, "weave", f1=f1, wall=wall)]
    return [*runs, empty_truth("none", 3), empty_truth("weave", 1)]


def frame(rows):
    return with_all_columns(pl.from_dicts(rows, infer_schema_length=None))


def cells(section):
    return [dict(zip(section.header, line, strict=True)) for line in section.rows]


def write(folder, rows, account=ACCOUNT):
    folder.mkdir(exist_ok=True)
    (folder / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rows))
    (folder / "run.json").write_text(json.dumps(account))
    return folder


def test_wins_ties_and_losses_of_a_family(rows):
    (family,) = cells(families_section(scored(frame(rows))))
    assert [family[word] for word in ("data sets", "higher", "equal", "lower")] == ["4", "2", "1", "1"]
    changes = [0.2, 0.005, -0.2]
    low, high = stats.ttest_1samp(changes, 0).confidence_interval(0.95)
    assert family["mean change of F1"] == f"{np.mean(changes):+.3f}"
    assert family["95 % interval"] == f"{low:+.3f} to {high:+.3f}" and family["not worse"] == "no"
    assert family["times faster"] == number((2 * 4 * 0.5) ** (1 / 4)) and family["best"] == "4"
    assert family["fewer"] == "10"


def test_an_interval_needs_two_values():
    assert interval(np.array([0.1]))[0] == 0.1 and math.isnan(interval(np.array([0.1]))[1])
    assert all(math.isnan(value) for value in interval(np.array([])))


def test_false_links_judge_where_no_link_is_true(rows):
    accuracy, _ = pcmci_sections(scored(frame(rows)), frame(rows).clear())
    null = cells(accuracy)[-1]
    assert [null[name] for name in ("judged by", "plain", "screened", "change", "verdict")] == [
        *("false links", "3.000", "1.000", "-2.000", "fewer")
    ]
    assert "Not lower on 3 of 4 data sets, higher on 2, lower on 1 (down)" in accuracy.after
    assert "Mean change of F1: +0.002 (n = 3)" in accuracy.after


def test_lagged_f1_judges_where_there_is_one():
    lagged = {"lagged_f1": 0.0, "lagged_precision": None, "lagged_recall": 0.0, "lagged_false_links": 0}
    lagged |= {"lagged_true_links": 9, "lagged_found_links": 0}
    (run,) = scored(frame([row("lags", "none", **lagged)])).iter_rows(named=True)
    assert (run["judged"], run["score"], run["precision"]) == ("lagged F1", 0.0, None)
    assert run["possible"] == 10 * 9 * 5 and run["chance"] == 0


def test_only_runs_on_the_same_data_are_compared():
    """The plain run failed on seed 1, the easy one, so that the screened run of that seed counts nowhere."""
    runs = [row("a", "none"), row("a", "weave"), row("a", "weave", f1=1.0, wall=100.0) | {"repeat": 1}]
    runs += [{**row("a", "none"), "repeat": 1, "status": "failed", "why": "memory"}]
    scores = scored(frame(runs))
    (pair,) = compared(ways(scores, "pcmci", "native", "weave"), ways(scores, "pcmci", "native", "none")).iter_rows(
        named=True
    )
    assert (pair["common"], pair["change"], pair["speed_up"]) == (1, 0.0, 1.0)


def test_speed_ups_are_by_engine_and_ended_runs_are_said(rows):
    runs = [*rows, row("up", "none", engine="tigramite", wall=100.0), row("up", "weave", engine="tigramite", wall=5.0)]
    runs += [{**row("down", "none", engine="tigramite"), "status": "timeout", "why": "more than 60 s"}]
    every = frame(runs)
    _, time = pcmci_sections(scored(every), every.filter(pl.col("status") != "ok"))
    lines = {line["data set"]: line for line in cells(time)}
    assert [lines["up"][name] for name in time.header[-3:]] == ["20", "200", "2"]
    assert lines["down"]["s: tigramite plain"] == "ended" and lines["same"]["s: tigramite plain"] == ""
    assert "native plain / native screened: best 4 times (same), geometric mean 1.41 (n = 4)." in time.after
    assert "It pays on up, same; elsewhere screening takes longer" in time.after


def test_libraries_are_compared_on_all_links(rows):
    assert libraries_section(scored(frame(rows))) is None
    runs = [*rows, row("up", "none", engine="tigramite", f1=0.52, wall=100.0)]
    (line,) = cells(libraries_section(scored(frame(runs))))
    assert (line["library"], line["data sets"], line["mean difference"], line["times faster"]) == (
        *("tigramite", "1", "-0.020", "100"),
    )


def test_baselines_are_compared_where_all_ran(rows):
    var = {"method": "var", "engine": "numpy"}
    runs = [*rows, row("up", "none", **var, f1=0.6), row("down", "none", **var, f1=0.2)]
    section = baselines_section(scored(frame(runs)))
    lines = {line["run"]: line for line in cells(section)}
    assert "2 data sets with F1 of the 2" in section.text
    assert [lines[name]["mean F1"] for name in ("pcmci plain", "pcmci weave", "var")] == ["0.500", "0.500", "0.400"]
    assert lines["pcmci weave"]["> var"] == "2 : 0" and lines["var"]["> pcmci plain"] == "1 : 1"
    assert lines["var"]["> var"] == ""


def test_what_screens_keep(rows):
    runs = [*rows, row("up", "paper", screen_recall=0.2, candidates=10.0)]
    lines = {line["screen"]: line for line in cells(screens_section(scored(frame(runs))))}
    assert (lines["paper"]["share kept"], lines["paper"]["lowest"], lines["paper"]["data set"]) == (
        "0.200",
        "0.20",
        "up",
    )
    assert lines["weave"]["recall: mean"] == "0.900" and lines["weave"]["estimated lost"] == "1.5"
    assert float(lines["weave"]["share of pruned"]) == pytest.approx(1.5 / (10 * (50 - 5)), rel=1e-2)


def test_exponents_are_those_of_power_laws():
    sizes = pl.Series([10.0, 20.0, 50.0])
    assert exponent(sizes, 3 * sizes**1.7) == pytest.approx(1.7)
    assert exponent(sizes[:1], sizes[:1]) is None
    assert exponent(sizes, pl.Series([4.0, None, None], dtype=pl.Float64)) is None


def test_a_curve_holds_what_varies_and_the_usual_size():
    runs = [row("a", screen, wall=wall) for screen, wall in (("none", 1.0), ("weave", 2.0))]
    for n in (20, 40):
        runs.append({**row("a", "none", wall=(n / 10) ** 2), "N": n, "vary": f"N={n}"})
        runs.append({**row("a", "weave", wall=2 * n / 10), "N": n, "vary": f"N={n}"})
    runs.append({**row("a", "none"), "vary": "N=80", "status": "timeout", "why": "more than 60 s"})
    scores = scored(frame(runs))
    assert curves(scores).filter(pl.col("screen") == "none")["size"].to_list() == [10, 20, 40]
    lines = {line["screen"]: line for line in cells(curves_section(scores))}
    assert lines["none"]["exponent of time"] == "2.00" and lines["weave"]["exponent of time"] == "1.00"
    assert [line["times faster"] for line in cells(sizes_section(scores))] == ["1", "2"]
    assert curves_section(scores.filter(pl.col("vary") == "")) is None


def test_f1_of_guessing_is_that_of_random_graphs():
    true, found, possible = 8, 20, 90
    (run,) = scored(frame([row("a", "none", summary_found_links=found)])).iter_rows(named=True)
    hits = np.random.default_rng(0).permuted(np.tile(np.arange(possible) < true, (20_000, 1)), axis=1)[:, :found]
    f1 = 2 * hits.sum(axis=1) / (true + found)
    assert run["possible"] == possible
    assert run["chance"] == pytest.approx(f1.mean(), abs=0.002)
    assert run["chance_variance"] == pytest.approx(f1.var(), rel=0.05)


def test_losses_are_listed_with_their_cause(rows):
    section = losses_section(scored(frame(rows)))
    (line,) = cells(section)
    assert "1 of 4" in section.text and line["data set"] == "down" and line["change"] == "-0.200"
    assert line["guessing"] == number(8 / 90, ".3f") == line["density of plain"]
    assert line["precision"] == line["recall"] == "0.50 to 0.30"
    assert "after the screen, which kept 0.90: recall 0.50 to 0.30" in line["cause"]
    assert losses_section(scored(frame(rows[:4]))).header == ()


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"judged": "false links", "plain_score": -1.0, "score": -2.5}, ["false links rose from 1.00 to 2.50"]),
        ({"screen_recall": 0.1, "recall": 0.1}, ["the screen dropped true links: it kept 0.10, plain found 0.50"]),
        ({"precision": 0.2}, ["more false links among those found: precision 0.50 to 0.20"]),
        ({"plain_chance": 0.45, "recall": 0.3}, ["no clear signal to keep", "recall 0.50 to 0.30"]),
        ({"plain_chance": None, "plain_chance_variance": None}, ["no single cause"]),
    ],
)
def test_causes_follow_from_the_numbers(facts, said):
    usual = {"judged": "summary F1", "plain_score": 0.5, "score": 0.4, "plain_chance": 0.1, "common": 4}
    usual |= {"plain_chance_variance": 0.01, "plain_recall": 0.5, "recall": 0.5, "screen_recall": 0.9}
    usual |= {"plain_precision": 0.5, "precision": 0.5}
    parts = cause(usual | facts).split("; ")
    assert len(parts) == len(said) and all(text in part for text, part in zip(said, parts, strict=True))


def test_missing_engines_and_columns_leave_no_section_and_no_crash(rows):
    assert [part.heading for part in sections(frame([row("a", "none")]))] == []
    only = frame([row("a", "weave", engine="tigramite")])
    assert [part.heading for part in sections(only)] == ["What the screens keep"]


class Tags(HTMLParser):
    """Counts opened and closed tags."""

    def __init__(self, page):
        super().__init__()
        self.open, self.closed = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        self.closed.append(tag)


def test_a_report_is_written_as_markdown_page_and_section(tmp_path, rows):
    folder = write(tmp_path / "run", rows)
    page = tmp_path / "RESULTS.md"
    page.write_text("# Results\n\n<!-- begin Benchmark -->\nold\n<!-- end Benchmark -->\nkept\n")
    markdown, html, parquet, into = report(folder, page)
    assert into == page and "old" not in page.read_text() and page.read_text().endswith("-->\nkept\n")
    assert "## Benchmark\n" in page.read_text() and "### Where it loses and why" in page.read_text()
    text = markdown.read_text()
    assert "`arrow-cd bench -o out`" in text and "May 1, 120 minutes" in text and "commit abc" in text
    assert "8 cells, 8 runs of a member" in text and "tigramite None" not in text
    assert pl.read_parquet(parquet).height == 8
    tags = Tags(html.read_text())
    assert all(tags.open.count(tag) == tags.closed.count(tag) for tag in ("svg", "g", "table", "tr", "td", "p", "ul"))
    assert "script" not in tags.open and "link" not in tags.open


def test_runs_with_failed_cells_alone_are_reported(tmp_path):
    cell = {"dataset": "a", "method": "pc", "engine": "native", "screen": "none", "repeat": 0}
    ended = {"status": "failed", "why": "a | b"}
    rows = [cell | ended | {"member": "x"}, cell | ended | {"member": "y"}, cell | ended | {"repeat": 1}]
    text = report(write(tmp_path / "run", rows))[0].read_text()
    assert "2 cells, 0 runs of a member" in text and "2 cells ended early (2 failed; see the last table)" in text
    assert "| a |  | pc | native | none | 0, 1 | x, y | failed | a \\| b |" in text


def test_a_page_must_be_there_and_whole(tmp_path, rows):
    folder = write(tmp_path / "run", rows)
    with pytest.raises(InvalidDataError, match="there is no such page"):
        report(folder, tmp_path / "missing.md")
    page = tmp_path / "broken.md"
    page.write_text("<!-- end Benchmark --> <!-- begin Benchmark -->")
    with pytest.raises(InvalidDataError, match="no <!-- end Benchmark --> after"):
        replace_section(page, "Benchmark", "new")
    done = CliRunner().invoke(app, ["bench", "report", str(folder), "--into", str(tmp_path / "missing.md")])
    assert done.exit_code != 0 and "there is no such page" in done.output


def test_pictures_put_points_where_they_belong(rows):
    picture = ElementTree.fromstring(speed_against_change(scored(frame(rows))))
    circles = [mark for mark in picture.iter() if mark.tag.endswith("circle")]
    said = {circle[0].text.split(",")[0]: circle for circle in circles}
    assert set(said) == {"up", "same", "down"}
    x, y = ({name: float(mark.get(axis)) for name, mark in said.items()} for axis in ("cx", "cy"))
    assert x["same"] > x["up"] > x["down"] and y["up"] < y["same"] < y["down"]


def test_axes():
    assert Axis("a", 1, 100, log=True).share(10) == pytest.approx(0.5)
    assert Axis("a", 0.9, 60, log=True).ticks() == [1, 2, 5, 10, 20, 50]
    assert Axis("a", 0.2, 5e4, log=True).ticks() == [1, 10, 100, 1000, 10000]
    assert Axis("a", 1e-5, 1e5, log=True).ticks() == pytest.approx([1e-4, 1e-2, 1, 1e2, 1e4])
    assert Axis("a", -0.28, 0.13).ticks() == [-0.2, 0]
    every = covering("a", [3.0, 3.0])
    assert every.low < 3 < every.high


def test_tables_put_numbers_to_the_right():
    lines = table(["a", "b", "c"], [["x", "1", "a|b"], ["2", "", "-1.5"], ["y", "ended", "3"]]).splitlines()
    assert lines[1] == "| --- | ---: | --- |" and lines[2] == "| x | 1 | a\\|b |"
    assert [number(value) for value in (None, math.nan, 0.01234, 1234.5)] == ["", "", "0.0123", "1,234"]
