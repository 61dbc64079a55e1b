"""The native engine against tigramite and antecedent: seconds, threads, memory, and where the time goes.

    python benches/engine.py

T=1,000, sparse vector autoregressions, fresh objects, one thread. Engines take turns in one process; in its turn each
runs up to ten times, for as long as these take a second, and the median counts: so tigramite runs once. Of several
turns the median is told, and ratios compare the same turn. tigramite runs only at N=20 (about a minute a run); for more
series its seconds are extrapolated from its cost per test. That the numbers are tigramite's is checked here at N=20,
and by `exactness.py` on random systems.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from antecedent import discovery
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

from arrow_cd import accelerate
from arrow_cd.backends.native_pcmci import NativeRun, run_native
from arrow_cd.backends.native_plus import NativePlusRun, run_native_plus
from arrow_cd.data import as_time_series
from arrow_cd.simulate import sparse_var
from results_page import provenance, table, write_section

Values = NDArray[np.float64]
T = 1000
# What is timed: number of series, largest lag, pc_alpha.
SMALL = ((20, 10, 0.05), (20, 10, 0.2))
LARGE = ((50, 10, 0.05), (100, 10, 0.05))
THREADS = (100, 20, 0.05)
PLUS = ((10, 10, 0.01), (20, 10, 0.01))


def main() -> None:
    options = _options()
    if options.peak:
        n, tau_max, pc_alpha = options.peak
        _native(_data(int(n), int(tau_max)), int(tau_max), pc_alpha)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    parts = [provenance("tigramite", "antecedent", "scipy"), f"{RULE}\n"]
    with threadpool_limits(1):
        small, seconds_a_test = _small(options.runs)
        for part in (small, _large(options.runs, seconds_a_test), _threads(options.runs), _plus(options.runs)):
            parts.append(part)
            print(part, flush=True)
    write_section("Native engine", "\n".join(parts))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="turns of each engine (%(default)s)")
    parser.add_argument("--peak", nargs=3, type=float, help=argparse.SUPPRESS)
    return parser.parse_args()


def _data(n: int, tau_max: int) -> Values:
    return sparse_var(0, N=n, T=T, L=tau_max).values


def _links(n: int, tau_max: int, tau_min: int = 1) -> NDArray[np.bool_]:
    links = np.ones((n, n, tau_max + 1), dtype=bool)
    links[:, :, :tau_min] = False
    links[range(n), range(n), 0] = False
    return links


def _native(x: Values, tau_max: int, pc_alpha: float, n_jobs: int = 1) -> NativeRun:
    return run_native(as_time_series(x), _links(x.shape[1], tau_max), pc_alpha=pc_alpha, n_jobs=n_jobs)


def _native_plus(x: Values, tau_max: int, pc_alpha: float) -> NativePlusRun:
    return run_native_plus(as_time_series(x), _links(x.shape[1], tau_max, tau_min=0), pc_alpha=pc_alpha)


def _tigramite(x: Values, tau_max: int, pc_alpha: float) -> Values:
    return PCMCI(DataFrame(x), ParCorr()).run_pcmci(tau_min=1, tau_max=tau_max, pc_alpha=pc_alpha)["p_matrix"]


def _object(x: Values, tau_max: int, pc_alpha: float) -> Values:
    pcmci = accelerate(PCMCI(DataFrame(x), ParCorr()), mode="exact")
    return pcmci.run_pcmci(tau_min=1, tau_max=tau_max, pc_alpha=pc_alpha)["p_matrix"]


def _antecedent(x: Values, tau_max: int, alpha: float, kind: str = "PCMCI") -> Any:
    method = getattr(discovery, kind)(max_lag=tau_max, alpha=alpha, fdr=False, max_cond_size=100)
    return method.run({f"x{k}": x[:, k] for k in range(x.shape[1])}, threads=1)


RUNS_A_TURN = 10
SECONDS_A_TURN = 1.0
RULE = (
    f"In its turn an engine runs up to {RUNS_A_TURN} times, but not again once {SECONDS_A_TURN:g} s have passed; times "
    "are medians of a turn's runs, and of the turns."
)


class Race:
    """Engines that take turns; `wall` and `cpu` are seconds of every turn, `ratio` compares the same turn."""

    def __init__(self, engines: dict[str, Callable[[], Any]], runs: int) -> None:
        self.wall: dict[str, list[float]] = {name: [] for name in engines}
        self.cpu: dict[str, list[float]] = {name: [] for name in engines}
        self.results: dict[str, Any] = {}
        for _ in range(runs):
            for name, engine in engines.items():
                self._turn(name, engine)

    def _turn(self, name: str, engine: Callable[[], Any]) -> None:
        walls: list[float] = []
        cpus: list[float] = []
        while len(walls) < RUNS_A_TURN and sum(walls) < SECONDS_A_TURN:
            wall, cpu = time.perf_counter(), time.process_time()
            self.results[name] = engine()
            walls.append(time.perf_counter() - wall)
            cpus.append(time.process_time() - cpu)
        self.wall[name].append(float(np.median(walls)))
        self.cpu[name].append(float(np.median(cpus)))

    def seconds(self, name: str) -> float:
        return float(np.median(self.wall[name]))

    def ratio(self, slow: str, fast: str) -> float:
        return float(np.median(np.array(self.wall[slow]) / self.wall[fast]))


def _small(runs: int) -> tuple[str, float]:
    """All engines at N=20, and tigramite's seconds a test."""
    rows = []
    for n, tau_max, pc_alpha in SMALL:
        x = _data(n, tau_max)
        race = Race(
            {
                "tigramite": partial(_tigramite, x, tau_max, pc_alpha),
                "antecedent": partial(_antecedent, x, tau_max, pc_alpha),
                "object": partial(_object, x, tau_max, pc_alpha),
                "native": partial(_native, x, tau_max, pc_alpha),
            },
            runs,
        )
        native = race.results["native"]
        difference = np.abs(native.p - race.results["tigramite"]).max()
        if difference > 1e-10:
            sys.exit(f"p-values differ from tigramite's by {difference:.1e}")
        tests = sum(native.tests_by_phase.values())
        rows.append(
            [
                f"{n}, {tau_max}, {pc_alpha:g}",
                f"{tests:,}",
                *(f"{1e3 * race.seconds(name):,.1f}" for name in race.wall),
                *(
                    f"{race.ratio(slow, fast):,.0f}"
                    for fast in ("object", "native")
                    for slow in ("tigramite", "antecedent")
                ),
                f"{difference:.1e}",
            ]
        )
    header = [
        "N, tau_max, pc_alpha",
        "tests",
        "tigramite, ms",
        "antecedent, ms",
        "accelerated object, ms",
        "core alone, ms",
    ]
    header += ["object faster than tigramite", "than antecedent", "core faster than tigramite", "than antecedent"]
    note = (
        '`run_pcmci`. "Accelerated object" is `accelerate(pcmci, mode="exact").run_pcmci(...)`, making the objects '
        'included; "core alone" is `run_native`, which `discover` calls.\n\n'
    )
    return note + table([*header, "max abs dp"], rows), race.seconds("tigramite") / tests


def _large(runs: int, seconds_a_test: float) -> str:
    rows = []
    for n, tau_max, pc_alpha in LARGE:
        x = _data(n, tau_max)
        race = Race(
            {
                "antecedent": partial(_antecedent, x, tau_max, pc_alpha),
                "native": partial(_native, x, tau_max, pc_alpha),
            },
            runs,
        )
        native = race.results["native"]
        tests = sum(native.tests_by_phase.values())
        rows.append(
            [
                f"{n}, {tau_max}, {pc_alpha:g}",
                f"{tests:,}",
                f"{seconds_a_test * tests:,.0f}",
                f"{race.seconds('antecedent'):.2f}",
                f"{race.seconds('native'):.3f}",
                f"{np.median(race.cpu['native']):.3f}",
                f"{race.ratio('antecedent', 'native'):,.0f}",
                ", ".join(f"{phase} {1e3 * value:.0f}" for phase, value in native.timings.items()),
                _peak(n, tau_max, pc_alpha),
            ]
        )
    header = ["N, tau_max, pc_alpha", "tests", "tigramite, s (extrapolated)", "antecedent, s", "core, s", "core, CPU s"]
    header += ["faster than antecedent", "split, ms", "peak MiB"]
    note = f"tigramite's seconds: the tests times the {1e3 * seconds_a_test:.2f} ms a test that it took at N=20.\n\n"
    return note + table(header, rows)


def _peak(n: int, tau_max: int, pc_alpha: float) -> str:
    """Peak memory of a process that does nothing else, its start included."""
    command = [sys.executable, __file__, "--peak", str(n), str(tau_max), str(pc_alpha)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return f"{int(out) / 1024:.0f}"


def _threads(runs: int) -> str:
    n, tau_max, pc_alpha = THREADS
    x = _data(n, tau_max)
    race = Race({str(jobs): partial(_native, x, tau_max, pc_alpha, jobs) for jobs in (1, 2)}, runs)
    one, two = race.results["1"], race.results["2"]
    if one.p.tobytes() != two.p.tobytes():
        sys.exit("two threads give other numbers than one")
    return (
        f"N={n}, tau_max={tau_max}, pc_alpha {pc_alpha:g}: one thread {race.seconds('1'):.2f} s, two threads "
        f"{race.seconds('2'):.2f} s, {race.ratio('1', '2'):.2f} times faster, same bits; peak {_peak(*THREADS)} MiB.\n"
    )


def _plus(runs: int) -> str:
    rows = []
    for n, tau_max, pc_alpha in PLUS:
        x = _data(n, tau_max)
        race = Race(
            {
                "antecedent": partial(_antecedent, x, tau_max, pc_alpha, "PCMCIPlus"),
                "native": partial(_native_plus, x, tau_max, pc_alpha),
            },
            runs,
        )
        tests = sum(race.results["native"].tests_by_phase.values())
        seconds = [f"{1e3 * race.seconds(name):,.1f}" for name in race.wall]
        rows.append(
            [f"{n}, {tau_max}, {pc_alpha:g}", f"{tests:,}", *seconds, f"{race.ratio('antecedent', 'native'):,.0f}"]
        )
    return "PCMCI+:\n\n" + table(["N, tau_max, pc_alpha", "tests", "antecedent, ms", "core, ms", "times faster"], rows)


if __name__ == "__main__":
    main()
