"""`arrow-cd discover`: a table of data in, a causal graph out."""

from __future__ import annotations

import typer

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import INTERRUPTED, guarded, read_series, say, say_notes, show_progress


@guarded
def run(
    data: opt.Data,
    tau_max: opt.TauMax = 5,
    tau_min: opt.TauMin = None,
    alpha: opt.Alpha = 0.05,
    pc_alpha: opt.PcAlpha = None,
    fdr: opt.Correction = "bh",
    method: opt.Method = "pcmci",
    mode: opt.HowMuch = "screen",
    screen: opt.Screen = None,
    test: opt.Test = None,
    option: opt.MethodOption = None,
    constraints: opt.Constraints = None,
    jobs: opt.Jobs = 0,
    seed: opt.Seed = 0,
    memory_budget: opt.Memory = None,
    columns: opt.Columns = None,
    drop: opt.Drop = None,
    time_column: opt.TimeColumn = None,
    group_by: opt.GroupBy = None,
    na: opt.NA = None,
    header: opt.Header = None,
    preprocess: opt.Preprocess = "none",
    format: opt.Print = "table",
    output: opt.Output = None,
    dry_run: opt.DryRun = False,
    quiet: opt.Quiet = False,
    verbose: opt.Verbose = False,
) -> None:
    """Find which series drives which, and after how many samples.

    The graph goes to standard output, messages and progress to standard error.
    """
    from arrow_cd._discover import DiscoveryInterrupted, discover
    from arrow_cd.backends.registry import find_backend
    from arrow_cd.cli import show
    from arrow_cd.cli.method_options import method_options
    from arrow_cd.constraints_file import read_constraints
    from arrow_cd.planning import plan
    from arrow_cd.screening import ScreenConfig

    outputs = output or []
    show.check_outputs(outputs)
    series = read_series(data, columns, drop, time_column, group_by, na, header, quiet=quiet)
    question = {
        "method": method,
        "tau_max": tau_max,
        "tau_min": tau_min,
        "alpha": alpha,
        "pc_alpha": pc_alpha,
        "fdr": fdr,
        "mode": mode,
        "screen": ScreenConfig(screen) if screen else None,
        "test": test,
        "preprocess": preprocess,
        "n_jobs": jobs,
        "seed": seed,
        "memory_budget": memory_budget,
        **(read_constraints(constraints) if constraints else {}),
    }
    question |= method_options(option or [], taken=question)
    slow = not find_backend(method, test).about.compiled  # minutes to days
    if dry_run:
        if not quiet and slow:
            say("the estimate takes a trial run on a few columns, which is slow where single tests are; Ctrl-C ends it")
        print(plan(series, **question).describe())
        return
    if mode == "exact" and slow:
        links = len(series.active()) ** 2 * tau_max
        cost = f"mode exact tests about {links} links, each at least once"
        say_notes([cost, "--mode screen tests far fewer; --dry-run estimates tests and time"], quiet)
    try:
        result = discover(series, progress=show_progress(quiet), **question)
    except DiscoveryInterrupted as stop:
        show.write_outputs(stop.result, outputs)
        say("interrupted; files hold what was found until then" if outputs else "interrupted")
        raise typer.Exit(INTERRUPTED) from stop
    show.write_outputs(result, outputs)
    show.print_result(result, format, every_tested=verbose)
    if not quiet:
        say_notes(result.notes[len(series.notes) :], quiet)
        show.say_account(result, seconds=verbose)
