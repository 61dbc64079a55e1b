"""`arrow-cd bench`: data sets with known graphs through methods, engines and screens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arrow_cd.cli.session import guarded, say
from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    from arrow_cd.bench import Cell

app = typer.Typer(rich_markup_mode=None, help="Run the benchmark, or report on a run.")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@app.callback(invoke_without_command=True)
@guarded
def run(
    context: typer.Context,
    full: Annotated[bool, typer.Option("--full", help="The benchmark: every data set and method.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A minute, to see that all of it works.")] = False,
    datasets: Annotated[str | None, typer.Option(help="Comma-separated; all by default.", show_default=False)] = None,
    methods: Annotated[str | None, typer.Option(help="Comma-separated; pcmci by default.")] = None,
    screens: Annotated[
        str | None, typer.Option(help="Comma-separated; none is the plain run; none,weave by default.")
    ] = None,
    engines: Annotated[
        str | None, typer.Option(help="Comma-separated: native, or libraries; native by default.")
    ] = None,
    vary: Annotated[str | None, typer.Option(help="Sizes to run at, such as tau_max=20,N=50,T=4000.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Seeds of synthetic data; 1 by default.", min=1)] = None,
    budget: Annotated[float, typer.Option(help="Seconds a cell may take.", min=1.0)] = 600.0,
    jobs: Annotated[int, typer.Option(help="Cells at a time, one thread each.", min=1)] = 1,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder for rows and report.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier run ended.")] = False,
) -> None:
    """Run a plan, or every combination of what is named, each in a process of its own.

    A cell that fails or takes too long is a row.
    """
    if context.invoked_subcommand is not None:
        return
    from arrow_cd.bench import run_benchmark
    from arrow_cd.bench.report import report as write_report

    if output is None:
        raise typer.BadParameter("missing --output: the folder for rows and report")
    lists = {"datasets": datasets, "methods": methods, "screens": screens, "engines": engines, "vary": vary}
    chosen = {name: _names(text) for name, text in lists.items() if text is not None}
    plans = [name for name, wanted in (("full", full), ("quick", quick)) if wanted]
    cells = _cells(plans, chosen, repeats)
    try:
        run_benchmark(cells, output, budget=budget, jobs=jobs, resume=resume, progress=_say_cell)
    except KeyboardInterrupt:
        say(f"{output} holds what was finished; go on with the same command and --resume")
        raise
    for path in write_report(output):
        print(path)


def _cells(plans: list[str], chosen: dict[str, list[str]], repeats: int | None) -> list[Cell]:
    from arrow_cd.bench import plan_cells
    from arrow_cd.bench.plans import PLANS

    if not plans:
        return plan_cells(**chosen, repeats=repeats or 1)
    others = [*plans[1:], *chosen, *(["repeats"] if repeats else [])]
    if others:
        raise InvalidDataError(f"--{plans[0]} says what to run: leave out --{others[0]}")
    return PLANS[plans[0]]()


@app.command()
@guarded
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where a run was written to.")],
    into: Annotated[Path | None, typer.Option(help="Markdown page whose section Benchmark is replaced too.")] = None,
) -> None:
    """Write tables (Markdown), a page (HTML) and all rows (Parquet) of a run beside it; print the paths."""
    from arrow_cd.bench.report import report as write_report

    for path in write_report(folder, into):
        print(path)


@app.command()
@guarded
def compare(
    first: Annotated[Path, typer.Argument(metavar="DIR", help="A run.")],
    second: Annotated[Path, typer.Argument(metavar="DIR", help="Another run of the same cells.")],
) -> None:
    """Print what two runs differ in but for times and memory; exit code 1 if there is anything."""
    from arrow_cd.bench.compare import differences

    lines = differences(first, second)
    for line in lines:
        print(line)
    if lines:
        raise typer.Exit(1)
    say("the same, but for times and memory")


def _say_cell(begun: int, total: int, cell: object, left: float) -> None:
    estimate = "" if left != left else f", about {left:.0f} s left"
    say(f"{begun + 1}/{total} {cell}{estimate}")
