"""`arrow-cd lags`: which tau_max the data ask for."""

from __future__ import annotations

from typing import Annotated

import typer

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import guarded, read_series, say, say_notes


@guarded
def run(
    data: opt.Data,
    tau_max: Annotated[
        int | None, typer.Option("--tau-max", help="Largest lag to look at.", show_default="T/10, at most 50")
    ] = None,
    jobs: opt.Jobs = 0,
    columns: opt.Columns = None,
    drop: opt.Drop = None,
    time_column: opt.TimeColumn = None,
    group_by: opt.GroupBy = None,
    na: opt.NA = None,
    header: opt.Header = None,
    preprocess: opt.Preprocess = "none",
    format: opt.PrintTable = "table",
    quiet: opt.Quiet = False,
) -> None:
    """Suggest a --tau-max: up to which lag series still help to predict each other."""
    from arrow_cd.cli.tables import print_frame
    from arrow_cd.suggestion import suggest_tau_max

    series = read_series(data, columns, drop, time_column, group_by, na, header, preprocess=preprocess, quiet=quiet)
    found = suggest_tau_max(series, largest=tau_max, n_jobs=jobs)
    # Beyond the suggestion nothing stands out: a person needn't read those rows, a program gets them.
    print_frame(found.curve.head(found.tau_max) if format == "table" else found.curve, format)
    say_notes(found.notes, quiet)
    if not quiet:
        say(f"suggested --tau-max {found.tau_max}, of the lags up to {found.largest}")
