"""The command `arrow-cd`: one file per command, nothing heavy imported before a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from arrow_cd.cli import backends, bench, datasets, discover, info, inspect, lags, screen

app = typer.Typer(
    name="arrow-cd",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich alone would take a third of the half second that --help may take
)
for command in (discover, screen, lags, inspect, backends, info):
    app.command(command.__name__.rpartition(".")[2])(command.run)
app.add_typer(datasets.app, name="datasets")
app.add_typer(bench.app, name="bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        from arrow_cd import __version__

        print(f"arrow-cd {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Causal graphs of time series: which series drives which, and after how many samples."""


def main() -> None:
    """Run the command line; exit code 0, 1 (one line says what and where), 2 (usage) or 130 (Ctrl-C)."""
    app()
