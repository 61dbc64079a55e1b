"""Screened PCMCI on many series: seconds, memory, and how the cost grows with N, T and tau_max.

    python benches/scale.py

Sparse vector autoregressions (own lag .5, two parents of +-.2 a series), `discover` with its defaults on all cores.
Each run is a process of its own, so that its peak memory is its own; seconds are those of the analysis. Exponents are
slopes of least-squares lines through logarithms.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from numpy.typing import NDArray

from arrow_cd import discover, score
from results_page import provenance, table, write_section

# Number of series, samples, largest lag; the first is the one that others vary around.
LARGEST = (1000, 2000, 10)
BY_N = ((100, 2000, 10), (300, 2000, 10), LARGEST)
BY_T = ((300, 1000, 10), (300, 2000, 10), (300, 4000, 10))
BY_TAU_MAX = ((300, 2000, 5), (300, 2000, 10), (300, 2000, 20))


def main() -> None:
    options = _options()
    if options.run:
        print(json.dumps(_run(*options.run)))
        return
    settings = sorted({*BY_N, *BY_T, *BY_TAU_MAX})
    runs = {}
    for setting in settings:
        runs[setting] = _in_process(setting)
        print(setting, runs[setting], file=sys.stderr, flush=True)
    header = [
        "N, T, tau_max",
        "screen, s",
        "PCMCI, s",
        "all, s",
        "peak MiB",
        "CI tests",
        "links left out",
        "F1, lagged",
    ]
    rows = [
        [
            f"{n:,}, {t:,}, {tau_max}",
            f"{run['screen']:.2f}",
            f"{run['search']:.2f}",
            f"{run['total']:.2f}",
            f"{run['peak'] / 1024:,.0f}",
            f"{run['tests']:,}",
            f"{run['avoided']:,}",
            f"{run['f1']:.3f}",
        ]
        for (n, t, tau_max), run in runs.items()
    ]
    fits = [
        ["N", *_exponents(BY_N, 0, runs)],
        ["T", *_exponents(BY_T, 1, runs)],
        ["tau_max", *_exponents(BY_TAU_MAX, 2, runs)],
    ]
    growth = table(["grows with", "screen", "PCMCI", "all", "peak memory"], fits)
    text = "\n".join([provenance(), table(header, rows), "Exponents:\n", growth])
    print(text)
    write_section("Scale", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs=3, type=int, help="N, T and tau_max of a single run, which prints JSON")
    return parser.parse_args()


def _run(n: int, t: int, tau_max: int) -> dict[str, float]:
    values, truth = _system(n, t, tau_max)
    began = time.perf_counter()
    result = discover(values, tau_max=tau_max, n_jobs=0)
    total = time.perf_counter() - began
    screen = sum(result.screening.timings.values())
    return {
        "screen": screen,
        "search": total - screen,
        "total": total,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "tests": result.screening.tests_run,
        "avoided": result.screening.tests_avoided,
        "f1": score(result, truth, tau_min=1).lagged.f1,
    }


def _system(n: int, t: int, tau_max: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values (T, N) and true links [source, target, tau].

    Absolute weights into a series sum to .9, so that it can't explode; `simulate.sparse_var` would look at eigenvalues
    of a matrix with N tau_max rows.
    """
    rng = np.random.default_rng(0)
    parents, lags = rng.integers(n, size=(2, n)), rng.integers(1, tau_max + 1, size=(2, n))
    weights = rng.choice([-0.2, 0.2], size=(2, n))
    burn_in = 20 * tau_max
    x = rng.standard_normal((burn_in + t, n))
    for now in range(tau_max, burn_in + t):
        x[now] += 0.5 * x[now - 1] + (weights * x[now - lags, parents]).sum(axis=0)
    truth = np.zeros((n, n, tau_max + 1), dtype=bool)
    truth[range(n), range(n), 1] = True
    truth[parents, np.arange(n), lags] = True
    return x[burn_in:], truth


def _in_process(setting: tuple[int, int, int]) -> dict[str, float]:
    command = [sys.executable, __file__, "--run", *map(str, setting)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def _exponents(settings: tuple[tuple[int, int, int], ...], axis: int, runs: dict) -> list[str]:
    """Slopes of log cost against log of one size, the others held."""
    sizes = np.log([setting[axis] for setting in settings])
    costs = [[runs[setting][key] for setting in settings] for key in ("screen", "search", "total", "peak")]
    return [f"{np.polyfit(sizes, np.log(cost), 1)[0]:.1f}" for cost in costs]


if __name__ == "__main__":
    main()
