"""The lag search against one BLAS product a lag, one thread; its share of the bare XOR loop; threads; memory.

    python benches/lag_scan.py

All competitors take turns in one process, in random order; in its turn one runs five times, so that none is timed on
the caches that another has filled. A turn counts by its median, times are medians of the turns, ratios medians of the
rounds' ratios. The BLAS side is ``Z[:T - tau].T @ Z[tau:]`` for every lag, on standardised series; the scan starts from
coded series. Both return a new array of every pair and lag. Coding is timed apart; margins of the codes are counted by
the first round, which is left out, as means and standard deviations are on the other side. The bare loops, one for
every instruction set, come from ``cargo bench --bench xor_loop``: popcnt is the plain loop of XOR and popcount.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from arrow_cd import encode, lag_search, lag_search_top
from results_page import provenance, table, write_section

SETTINGS = ((100, 10_000, 20), (50, 1000, 20))
ROUNDS = 31
RUNS = 5
# Series, samples, largest lag, and pairs kept of every target.
LARGE = (2000, 1000, 20, 32)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def turn(call: Callable[[], object]) -> float:
    """Median seconds of a turn's runs."""
    return float(np.median([seconds(call) for _ in range(RUNS)]))


def products(values: np.ndarray, tau_max: int) -> np.ndarray:
    """Sums of products of all pairs at all lags, shape (tau_max + 1, N, N), one BLAS product a lag."""
    T, N = values.shape
    found = np.empty((tau_max + 1, N, N), dtype=values.dtype)
    for tau in range(tau_max + 1):
        np.matmul(values[: T - tau].T, values[tau:], out=found[tau])
    return found


def compare(N: int, T: int, tau_max: int) -> list[str]:
    """One row of the table: milliseconds of every competitor, and how many times faster than float32 the scans are."""
    values = np.random.default_rng(0).standard_normal((T, N))
    single = values.astype(np.float32)
    planes = {bits: encode(values, bits=bits, tau_max=tau_max) for bits in (1, 2)}
    calls = {
        "float32": lambda: products(single, tau_max),
        "float64": lambda: products(values, tau_max),
        "coding": lambda: encode(values, bits=1, tau_max=tau_max),
        "1 bit": lambda: lag_search(planes[1], tau_max=tau_max),
        "2 bits": lambda: lag_search(planes[2], tau_max=tau_max),
        "two threads": lambda: lag_search(planes[2], tau_max=tau_max, n_jobs=2),
    }
    order = np.random.default_rng(1)
    with threadpool_limits(1):
        rounds = [{name: turn(calls[name]) for name in order.permutation(list(calls))} for _ in range(ROUNDS)][1:]

    def ratio(slow: str, fast: str) -> str:
        return f"{np.median([r[slow] / r[fast] for r in rounds]):.1f}"

    times = [f"{1e3 * np.median([r[name] for r in rounds]):.2f}" for name in calls if name != "two threads"]
    faster = [ratio("float32", "1 bit"), ratio("float64", "1 bit"), ratio("float32", "2 bits")]
    return [f"{N}, {T:,}, {tau_max}", *times, *faster, ratio("2 bits", "two threads")]


def bare_loop() -> str:
    """Table of the throughput of the bare loops and the shares of them that the searches keep."""
    command = ["cargo", "bench", "--quiet", "--bench", "xor_loop"]
    root = Path(__file__).parents[1]
    lines = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split() for line in lines if line and line[0].isdigit()]
    header = [
        "N, T, tau_max",
        "bits",
        "bare loop",
        "words/ns",
        "share of it: all z",
        "share of it: strongest 32",
    ]
    return table(header, [[f"{n}, {int(t):,}, {tau}", *rest] for n, t, tau, *rest in rows])


def strongest_of_many() -> str:
    """Time and memory of the sparse search over many series; run in a process of its own."""
    N, T, tau_max, k = LARGE
    values = np.random.default_rng(0).standard_normal((T, N))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took = seconds(lambda: lag_search_top(values, tau_max=tau_max, k=k))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (
        f"N = {N:,}, T = {T:,}, tau_max = {tau_max}, 2 bits, the {k} strongest of every target: {took:.1f} s, coding "
        f"included; {after >> 10} MiB at its peak, {before >> 10} MiB of them before the search."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="only the search over many series, nothing written")
    if parser.parse_args().large:
        print(strongest_of_many())
        return
    large = subprocess.run([sys.executable, __file__, "--large"], capture_output=True, text=True, check=True).stdout
    header = ["N, T, tau_max", "float32, ms", "float64, ms", "coding, ms", "1 bit, ms", "2 bits, ms"]
    header += ["float32 / 1 bit", "float64 / 1 bit", "float32 / 2 bits", "2 bits: two threads, times faster"]
    blas = ", ".join(f"{pool['internal_api']} {pool['version']} ({pool['architecture']})" for pool in threadpool_info())
    parts = [provenance(), f"BLAS: {blas}. Medians of {ROUNDS - 1} rounds, {RUNS} runs in each turn."]
    parts += [table(header, [compare(*setting) for setting in SETTINGS]), bare_loop(), large]
    text = "\n".join(parts)
    print(text)
    write_section("Lag search", text)


if __name__ == "__main__":
    main()
