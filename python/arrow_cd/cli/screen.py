"""`arrow-cd screen`: only the screen, its candidates as a table."""

from __future__ import annotations

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import guarded, read_series, say


@guarded
def run(
    data: opt.Data,
    tau_max: opt.TauMax = 5,
    tau_min: opt.TauMin = None,
    screen: opt.Screen = None,
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
    """List candidate causes: which source and lag are worth a test, for every target."""
    from arrow_cd.cli.tables import print_frame
    from arrow_cd.screening import ScreenConfig
    from arrow_cd.screening import screen as find

    series = read_series(data, columns, drop, time_column, group_by, na, header, preprocess=preprocess, quiet=quiet)
    config = ScreenConfig(screen) if screen else ScreenConfig()
    candidates = find(series, tau_max=tau_max, tau_min=tau_min or 1, config=config, n_jobs=jobs)
    print_frame(candidates.to_frame(), format)
    if not quiet:
        links = series.N**2 * (tau_max + 1 - candidates.tau_min)
        kept, seconds = int(candidates.mask.sum()), sum(candidates.timings.values())
        say(f"screen {config.strategy}: kept {kept} of {links} links in {seconds:.3g} s")
