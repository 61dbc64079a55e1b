"""Plain and accelerated PCMCI on tigramite's own ParCorr: seconds, tests and what is found, on S1-S4 at lag 5.

    python benches/accelerate_pcmci.py

Every timed run has fresh objects and includes the prefilter; plain tigramite at tau_max 99 takes minutes a run. The
accuracy over more seeds comes from the native engine, after every timed run has checked that it gives tigramite's
numbers. RESULTS.md gets a section per tau_max as soon as it is measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.pcmci import PCMCI

from arrow_cd import ScreenConfig, accelerate, score
from arrow_cd.simulate import Simulated, arrow_families
from arrow_cd.tigramite import count_tests
from pipeline import ALPHA_FDR, Measured, find_links, measure
from results_page import provenance, table, write_section
from screening_tables import MARGIN, interval

FAMILIES = arrow_families(5)
SCREENS = ("none", "paper", "weave")
# No test and no other benchmark uses seeds from here on.
FIRST_SEED = 2000


@dataclass(frozen=True)
class Timed:
    """Seconds, tests and F1 (FDR) of one run_pcmci."""

    seconds: float
    tests: int
    f1: float
    p: np.ndarray


def main() -> None:
    options = _options()
    names = [name for name in FAMILIES if options.settings is None or name.startswith(tuple(options.settings))]
    if not names:
        sys.exit(f"no setting begins with {' or '.join(options.settings)}; there are {', '.join(FAMILIES)}")
    for tau_max in options.tau_max:
        # Threads of BLAS only get in each other's way on problems this small, and would slow plain runs most.
        with threadpool_limits(1):
            timing = _timing(names, tau_max, options.timed_seeds)
        parts = [provenance("tigramite", "scipy"), timing]
        text = "\n".join([*parts, _accuracy(names, tau_max, options.seeds)])
        print(text)
        write_section(f"Accelerated PCMCI, tau_max {tau_max}", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tau-max", type=int, nargs="+", default=[20, 99], help="(%(default)s)")
    parser.add_argument("--settings", nargs="+", help="beginnings of names, such as S1 S4; all by default")
    parser.add_argument("--seeds", type=int, default=20, help="draws for the accuracy (%(default)s)")
    parser.add_argument("--timed-seeds", type=int, default=1, help="draws that plain tigramite runs on (%(default)s)")
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds must be at least 2: one draw has no interval")
    return options


def _timing(names: list[str], tau_max: int, seeds: int) -> str:
    rows = []
    for name in names:
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            data = FAMILIES[name](seed)
            plain = _run(data, tau_max, None)
            screened = {screen: _run(data, tau_max, "tigramite", screen) for screen in ("paper", "weave")}
            native = _run(data, tau_max, "native", "weave")
            _check_equal(screened["weave"].p, native.p, name, seed)
            _check_equal(plain.p, _plain_native(data, tau_max), name, seed)
            weave = screened["weave"]
            runs = (plain, screened["paper"], weave, native)
            rows.append(
                [
                    f"{name}, seed {seed}",
                    *(f"{run.seconds:.3g}" for run in runs),
                    *(f"{plain.seconds / run.seconds:,.0f}" for run in runs[1:]),
                    *(f"{run.tests:,}" for run in runs[:3]),
                    *(f"{run.f1:.3f}" for run in runs[:3]),
                ]
            )
            print(f"tau_max {tau_max}: {' | '.join(rows[-1])}", file=sys.stderr, flush=True)
    header = ["setting", *(f"{what}, s" for what in ("plain", "paper", "weave", "weave native"))]
    header += ["times faster: paper", "weave", "weave native", "tests: plain", "paper", "weave"]
    header += ["F1-FDR: plain", "paper", "weave"]
    note = (
        "Seconds of `run_pcmci` (N=10, T=1,000, pc_alpha .2, tau_min 1, Benjamini-Hochberg at .05) and of making its "
        "objects, one thread. Plain, paper and weave test with tigramite's own ParCorr, weave native with the compiled "
        "core.\n"
    )
    return note + "\n" + table(header, rows)


def _run(data: Simulated, tau_max: int, engine: str | None, screen: str = "weave") -> Timed:
    """Run PCMCI from new objects; `engine` None is plain tigramite."""
    began = time.perf_counter()
    pcmci = PCMCI(DataFrame(data.values), ParCorr())
    if engine is not None:
        pcmci = accelerate(pcmci, engine=engine, screen=ScreenConfig(strategy=screen))
    with count_tests(pcmci.cond_ind_test) as count:
        results = pcmci.run_pcmci(tau_min=1, tau_max=tau_max, pc_alpha=0.2, alpha_level=ALPHA_FDR, fdr_method="fdr_bh")
    seconds = time.perf_counter() - began
    tests = count.run if engine is None else pcmci.screening.tests_run
    truth = data.lagged_truth(tau_max)
    return Timed(seconds, tests, score(results["graph"], truth, tau_min=1).lagged.f1, results["p_matrix"])


def _plain_native(data: Simulated, tau_max: int) -> np.ndarray:
    """Corrected p-values of the unpruned search, by the native engine."""
    return find_links(data, tau_max, "none").q_matrix


def _check_equal(tigramite: np.ndarray, native: np.ndarray, name: str, seed: int) -> None:
    """Stop unless the native engine gives tigramite's corrected p-values: the accuracy table relies on it."""
    difference = np.abs(tigramite - native)[:, :, 1:].max()
    if difference > 1e-9:
        sys.exit(f"{name}, seed {seed}: native and tigramite's p-values differ by {difference:.1e}")


def _accuracy(names: list[str], tau_max: int, seeds: int) -> str:
    rows, gains = [], {screen: [] for screen in SCREENS[1:]}
    for name in names:
        draws = [FAMILIES[name](seed) for seed in range(FIRST_SEED, FIRST_SEED + seeds)]
        runs = {screen: [measure(data, tau_max, screen) for data in draws] for screen in SCREENS}
        row = [name, *(f"{_mean(runs[screen]):.3f}" for screen in SCREENS)]
        for screen in SCREENS[1:]:
            paired = np.array([a.f1_fdr - b.f1_fdr for a, b in zip(runs[screen], runs["none"], strict=True)])
            gains[screen].append(paired)
            row.append(_cell(paired))
        rows.append([*row, *(f"{np.mean([run.tests for run in runs[screen]]):,.0f}" for screen in SCREENS)])
        print(f"tau_max {tau_max}: {' | '.join(rows[-1])}", file=sys.stderr, flush=True)
    over_all = [_cell(np.concatenate(gains[screen])) for screen in SCREENS[1:]]
    rows.append(["**all**", "", "", "", *over_all, "", "", ""])
    header = ["setting", *(f"F1-FDR: {screen}" for screen in SCREENS), "paper minus none", "weave minus none"]
    note = (
        f"Lagged F1-FDR over {seeds} seeds, native engine (its p-values equal tigramite's to 1e-9 on every timed run); "
        f"paired differences with 95 % intervals, bold where the lower end isn't above {MARGIN}.\n"
    )
    return note + "\n" + table([*header, *(f"tests: {screen}" for screen in SCREENS)], rows)


def _mean(runs: list[Measured]) -> float:
    return float(np.nanmean([run.f1_fdr for run in runs]))


def _cell(paired: np.ndarray) -> str:
    mean, low, high = interval(paired[np.isfinite(paired)])
    cell = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
    return cell if low > MARGIN else f"**{cell}**"


if __name__ == "__main__":
    main()
