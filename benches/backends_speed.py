"""Every family of methods three times: a library's run, our plain run, our screened run; seconds, tests and F1.

    python benches/backends_speed.py

One process, one thread, fresh objects; ours are medians of several runs, a library runs once, or not at all where the
table says so. The screen's time is part of the screened run. F1 is that of links with their exact lag, or of pairs of
series for Granger tests of a source as a whole; links of a series with itself don't count. F1 over seeds, plain and
screened, on the paper's four settings uses all cores: no result depends on their number.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import stats
from threadpoolctl import threadpool_limits

import library_runs
from arrow_cd import discover, score
from arrow_cd.errors import ArrowCdError
from arrow_cd.simulate import Simulated, arrow_families, sparse_var
from results_page import provenance, table, write_section

RUNS = 5
# A run that takes longer than this is not repeated.
LONG = 2.0
SETTINGS = {
    "N=10, tau_max 5": (10, 5),
    "N=10, tau_max 20": (10, 20),
    "N=10, tau_max 99": (10, 99),
    "N=50, tau_max 5": (50, 5),
}
PAPER = {name: family for name, family in arrow_families(5).items() if "fixed" not in name}


@dataclass(frozen=True)
class Method:
    """One method as the benchmark runs it.

    Attributes
    ----------
    name, method, options
        In the table; what `discover` gets.
    library
        Function of data and tau_max that runs a library's version, None where there is none.
    slow
        Settings on which the library would take hours.
    pairs
        Whether F1 is that of pairs of series.
    tau_max
        At most so many lags for F1 over seeds, where plain runs are slow or impossible.
    """

    name: str
    method: str
    options: dict[str, Any]
    library: Callable[[np.ndarray, int], object] | None = None
    slow: tuple[str, ...] = ()
    pairs: bool = False
    tau_max: int = 10


METHODS = (
    Method("Granger, bivariate", "granger", {"conditional": False}, library_runs.granger_bivariate, pairs=True),
    Method(
        "Granger, conditional",
        "granger",
        {},
        library_runs.granger_conditional,
        slow=("N=10, tau_max 20", "N=10, tau_max 99", "N=50, tau_max 5"),
    ),
    Method("VARLiNGAM", "varlingam", {}, library_runs.varlingam, slow=("N=50, tau_max 5",)),
    Method("PC", "pc", {}, library_runs.lagged_pc, slow=tuple(name for name in SETTINGS if name != "N=10, tau_max 5")),
    Method("SURD", "surd", {"max_agents": 64}, tau_max=5),
    Method("neural Granger", "ngc", {}),
)


def data_of(N: int) -> Simulated:
    """The paper's first setting, or a sparse vector autoregression where more series are wanted."""
    return PAPER["S1_linear_const_L5"](1000) if N == 10 else sparse_var(1000, N=N, T=1000, L=5)


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """Median time of a call, and what it returned; a long one runs once."""
    times: list[float] = []
    while len(times) < RUNS and not (times and times[0] > LONG):
        began = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - began)
    return float(np.median(times)), answer


def run(data: Simulated, method: Method, tau_max: int, mode: str, n_jobs: int = 1) -> Any:
    """`discover` as the method is run here."""
    return discover(data.values, method=method.method, tau_max=tau_max, mode=mode, n_jobs=n_jobs, **method.options)


def f1(result: Any, data: Simulated, method: Method) -> float:
    """F1 against the truth, lag 0 left out."""
    scores = score(result, data.lagged_truth(result.tau_max), tau_min=1)
    return scores.summary.f1 if method.pairs else scores.lagged.f1


def speed_row(method: Method, setting: str) -> list[str]:
    N, tau_max = SETTINGS[setting]
    data = data_of(N)
    library = "none"
    if method.library is not None:
        library = (
            "not run" if setting in method.slow else f"{seconds(partial(method.library, data.values, tau_max))[0]:.3g}"
        )
    print(method.name, setting, library, file=sys.stderr)
    cells = [method.name, setting, library]
    times = {}
    for mode in ("exact", "screen"):
        try:
            times[mode], result = seconds(partial(run, data, method, tau_max, mode))
        except ArrowCdError as error:
            cells += [f"refused: {str(error).partition(':')[0]}", "", ""]
            continue
        cells += [f"{times[mode]:.3g}", f"{result.screening.tests_run:,}", f"{f1(result, data, method):.3f}"]
    ratio = f"{float(library) / times['exact']:.0f}" if library[0].isdigit() and "exact" in times else ""
    pruned = f"{times['exact'] / times['screen']:.1f}" if len(times) == 2 else ""
    return [*cells, ratio, pruned]


def speed() -> str:
    header = ["method", "setting", "library, s", "plain, s", "plain tests", "plain F1", "screened, s", "screened tests"]
    header += ["screened F1", "library / plain", "plain / screened"]
    return table(header, [speed_row(method, setting) for method in METHODS for setting in SETTINGS])


def accuracy(seeds: int, tau_max: int) -> str:
    """F1 of plain and screened runs over seeds, with the interval of their paired difference."""
    rows = []
    for method in METHODS:
        for name, family in PAPER.items():
            pairs = []
            lags = min(tau_max, method.tau_max)
            for seed in range(1000, 1000 + seeds):
                data = family(seed)
                pairs.append(
                    [f1(run(data, method, lags, mode, n_jobs=0), data, method) for mode in ("exact", "screen")]
                )
            plain, screened = np.transpose(pairs)
            gain = screened - plain
            half = stats.t.ppf(0.975, seeds - 1) * gain.std(ddof=1) / seeds**0.5
            verdict = "yes" if gain.mean() - half > -0.02 else "no"
            interval = f"{gain.mean():+.3f} [{gain.mean() - half:+.3f}, {gain.mean() + half:+.3f}]"
            rows.append(
                [
                    method.name,
                    name,
                    f"{seeds}, {lags}",
                    f"{plain.mean():.3f}",
                    f"{screened.mean():.3f}",
                    interval,
                    verdict,
                ]
            )
    header = ["method", "setting", "draws, lags", "plain F1", "screened F1", "screened - plain", "not worse"]
    return table(header, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="draws a setting for F1 (%(default)s)")
    parser.add_argument("--tau-max", type=int, default=10, help="largest lag for F1 over seeds (%(default)s)")
    parser.add_argument("--methods", nargs="+", help="beginnings of names; all by default, else nothing is written")
    options = parser.parse_args()
    if options.methods:
        global METHODS
        METHODS = tuple(method for method in METHODS if method.name.startswith(tuple(options.methods)))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [
            provenance("scipy", "statsmodels", "causal-learn"),
            "### Seconds, tests and F1\n",
            speed(),
            "### What each kernel gains\n",
            table(["step", "library, s", "ours, s", "times faster (least)"], library_runs.ratios()),
            f"### F1 over {options.seeds} seeds, lags to {options.tau_max}\n",
            accuracy(options.seeds, options.tau_max),
        ]
    text = "\n".join(parts)
    print(text)
    if not options.methods:
        write_section("Other families: speed", text)


if __name__ == "__main__":
    main()
