"""Native PCMCI against tigramite and antecedent: are the numbers the same, and what do they cost?

    python benches/pcmci_parity.py

First 50 random systems: parents, and the largest difference of p-values. Then seconds at N=20, tau_max=10, T=1,000 on
one thread, medians of runs that take turns, with fresh objects each time. Plain tigramite takes about a minute a run.
RESULTS.md is written when no option is given.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from antecedent import discovery
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

from arrow_cd.backends.pcmci import NativeRun, run_native
from arrow_cd.data import as_time_series
from arrow_cd.simulate import sparse_var
from results_page import provenance, table, write_section

Values = NDArray[np.float64]
# tigramite itself moves more than this under rescaling once conditions explain all but 1e-6 of the variance.
TOLERANCE = 1e-10
N, T, TAU_MAX = 20, 1000, 10


def main() -> None:
    options = _options()
    parts = [provenance("tigramite", "antecedent", "scipy"), _parity(options.systems)]
    print("\n".join(parts), flush=True)
    for pc_alpha in (0.05, 0.2):
        parts.append(_speed(pc_alpha, options.runs))
        print(parts[-1], flush=True)
    if len(sys.argv) == 1:
        write_section("Native PCMCI", "\n".join(parts))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=50, help="random systems to compare on (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="timed runs of the slow ones (%(default)s)")
    return parser.parse_args()


def _native(x: Values, tau_max: int, **options: Any) -> NativeRun:
    n = x.shape[1]
    links = np.ones((n, n, tau_max + 1), dtype=bool)
    links[:, :, 0] = False
    return run_native(as_time_series(x), links, **options)


def _tigramite(x: Values, tau_max: int, **options: Any) -> tuple[PCMCI, Values]:
    pcmci = PCMCI(DataFrame(x), ParCorr())
    return pcmci, pcmci.run_pcmci(tau_min=1, tau_max=tau_max, **options)["p_matrix"]


def _antecedent(x: Values, tau_max: int, pc_alpha: float) -> dict[tuple[int, int, int], float]:
    """p-values of the links it reports, those up to its only level, as {(source, target, tau): p}."""
    method = discovery.PCMCI(max_lag=tau_max, alpha=pc_alpha, fdr=False, max_cond_size=100)
    names = {f"x{k}": k for k in range(x.shape[1])}
    found = method.run({name: x[:, k] for name, k in names.items()}, threads=1)
    return {(names[link.source], names[link.target], int(link.source_lag)): link.p_value for link in found.links}


def _parity(systems: int) -> str:
    same, tests, worst = 0, 0, 0.0
    for seed in range(systems):
        rng = np.random.default_rng(seed)
        n, tau_max, length = (int(rng.integers(low, high)) for low, high in [(2, 7), (1, 6), (60, 600)])
        options = {"pc_alpha": float(rng.choice([0.05, 0.2, 0.4])), "max_combinations": int(rng.integers(1, 3))}
        x = sparse_var(seed, N=n, T=length, L=tau_max, parents=1).values
        native = _native(x, tau_max, **options)
        pcmci, p = _tigramite(x, tau_max, **options)
        same += native.parents == pcmci.all_parents
        tests += sum(native.tests_by_phase.values())
        worst = max(worst, float(np.abs(native.p - p).max()))
    verdict = "as wanted" if same == systems and worst <= TOLERANCE else "**not as wanted**"
    return (
        f"{systems} random systems (N 2 to 6, tau_max 1 to 5, T 60 to 599; {tests:,} tests): parents identical to "
        f"tigramite's in {same}, max |dp| {worst:.1e} (at most {TOLERANCE:.0e} wanted): {verdict}.\n"
    )


def _speed(pc_alpha: float, runs: int) -> str:
    x = sparse_var(0, N=N, T=T, L=TAU_MAX).values
    engines: dict[str, Callable[[], Any]] = {
        "tigramite": lambda: _tigramite(x, TAU_MAX, pc_alpha=pc_alpha)[1],
        "antecedent": lambda: _antecedent(x, TAU_MAX, pc_alpha),
        "arrow_cd": lambda: _native(x, TAU_MAX, pc_alpha=pc_alpha),
        "arrow_cd, two threads": lambda: _native(x, TAU_MAX, pc_alpha=pc_alpha, n_jobs=2),
    }
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    results: dict[str, Any] = {}
    for _ in range(runs):
        for name, engine in engines.items():
            for _ in range(10 if name.startswith("arrow_cd") else 1):
                began = time.perf_counter()
                results[name] = engine()
                seconds[name].append(time.perf_counter() - began)
    native = results["arrow_cd"]
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    differences = {
        "tigramite": float(np.abs(native.p - results["tigramite"]).max()),
        "antecedent": max(abs(native.p[link] - p) for link, p in results["antecedent"].items()),
    }
    rows = [
        [
            name,
            f"{1e3 * median:,.1f}",
            f"{median / medians['arrow_cd']:,.1f}",
            f"{differences[name]:.1e}" if name in differences else "",
        ]
        for name, median in medians.items()
    ]
    split = ", ".join(f"{phase} {1e3 * value:.1f}" for phase, value in native.timings.items())
    counts = " + ".join(f"{count:,} {phase}" for phase, count in native.tests_by_phase.items())
    header = ["engine", "median, ms", "times arrow_cd's", "max abs dp"]
    return (
        f"N={N}, tau_max={TAU_MAX}, T={T}, pc_alpha {pc_alpha:g} (antecedent: max_cond_size=100, fdr off): "
        f"{counts} tests; one thread, last run's split in ms: {split}.\n\n" + table(header, rows)
    )


if __name__ == "__main__":
    main()
