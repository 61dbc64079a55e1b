"""`arrow-cd bench`: data sets with known graphs through methods, engines and screens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arrow_cd.cli.session import guarded, say

app = typer.Typer(rich_markup_mode=None, help="Run the benchmark, or report on a run.")

_QUICK = ("S1_linear_const", "S9_henon_chain", "S11_structures")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@app.callback(invoke_without_command=True)
@guarded
def run(
    context: typer.Context,
    datasets: Annotated[str, typer.Option(help="Comma-separated; all by default.", show_default=False)] = "",
    methods: Annotated[str, typer.Option(help="Comma-separated.")] = "pcmci",
    screens: Annotated[str, typer.Option(help="Comma-separated; none is the plain run.")] = "none,weave",
    engines: Annotated[str, typer.Option(help="Comma-separated: native, or libraries.")] = "native",
    repeats: Annotated[int, typer.Option(help="Seeds of synthetic data.", min=1)] = 1,
    budget: Annotated[float, typer.Option(help="Seconds a cell may take.", min=1.0)] = 600.0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder for rows and report.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier run ended.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A few small data sets, to see that it works.")] = False,
) -> None:
    """Run every combination, each in a process of its own; a cell that fails or takes too long is a row."""
    if context.invoked_subcommand is not None:
        return
    from arrow_cd.bench import plan_cells, run_benchmark
    from arrow_cd.bench.report import report as write_report

    if output is None:
        raise typer.BadParameter("missing --output: the folder for rows and report")
    cells = plan_cells(
        _names(datasets) or (_QUICK if quick else ()), _names(methods), _names(screens), _names(engines), repeats
    )
    try:
        run_benchmark(cells, output, budget=budget, resume=resume, progress=_say_cell)
    except KeyboardInterrupt:
        say(f"interrupted: {output} holds what was finished; go on with --resume")
        raise
    for path in write_report(output):
        print(path)


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


def _say_cell(done: int, total: int, cell: object, left: float) -> None:
    estimate = "" if left != left else f", about {left:.0f} s left"
    say(f"{done + 1}/{total} {cell}{estimate}")
