"""`arrow-cd inspect`: what is in the data, and what a search would cost."""

from __future__ import annotations

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import guarded, read_series, say, say_notes


@guarded
def run(
    data: opt.Data,
    tau_max: opt.TauMax = 5,
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
    """Describe every column: missing values, ties, memory, trend, season; and what `discover` would cost.

    Kind is empty, constant, binary, whole or real; ties the share of steps without a change; memory the
    autocorrelation at lag 1; trend the share of variance that a straight line explains; season the likely period in
    samples; outliers the share of values beyond 5 robust standard deviations; copies the columns that equal this one.
    """
    from arrow_cd.cli.tables import print_frame
    from arrow_cd.inspection import inspect_data
    from arrow_cd.planning import plan

    series = read_series(data, columns, drop, time_column, group_by, na, header, preprocess=preprocess, quiet=quiet)
    found = inspect_data(series)
    say_notes(found.warnings, quiet)
    print_frame(found.to_frame(), format)
    if not quiet:
        for line in found.lines():
            say(line)
        say(plan(series, tau_max=tau_max).describe())
