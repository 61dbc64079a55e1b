"""What each screen keeps, costs and finds on every family of simulated series.

    python benches/screening.py --jobs 2

Finished (family, seed) pairs are appended to --output at once, and an interrupted run goes on from there. RESULTS.md is
written when nothing was left out; with --families or --screens the tables are only printed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from arrow_cd.simulate import ARROW_LAGS, FAMILIES, Family, arrow_families
from pipeline import SCREENS, measure
from results_page import code_hash, provenance, write_section
from screening_tables import report

# No test and no other benchmark uses seeds from here on.
FIRST_SEED = 1000
# Families on which the unpruned search is slow get as many seeds at most.
SLOW_SEEDS = 5
SLOW = ("S5_svar_wide", "S6_svar_long", "S8_lorenz96_20", "var_tiny_T10000", "var_N50", "var_N100_L20", "var_L100")


def main() -> None:
    options = _options()
    families = _families(options)
    output: Path = options.output
    done = _load(output)
    wanted = [
        (name, seed)
        for name in sorted(families, key=lambda name: name in SLOW)  # an interrupted run lacks the slow ones
        for seed in range(FIRST_SEED, FIRST_SEED + min(options.seeds, SLOW_SEEDS if name in SLOW else options.seeds))
    ]
    missing = [
        (name, seed, families[name], screens)
        for name, seed in wanted
        if (screens := [screen for screen in options.screens if screen not in done.get((name, seed), {})])
    ]
    _run(missing, output, done, options.jobs)
    measured = {key: {screen: done[key][screen] for screen in options.screens} for key in wanted}
    text = provenance("scipy") + "\n" + report(measured, families, options.screens)
    print(text)
    if options.families is None and tuple(options.screens) == SCREENS:
        write_section("Screening", text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", help="beginnings of family names; all by default")
    parser.add_argument(
        "--seeds", type=int, default=20, help=f"draws a family, at most {SLOW_SEEDS} of slow ones (%(default)s)"
    )
    parser.add_argument("--screens", nargs="+", choices=SCREENS, default=list(SCREENS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path("out/screening.jsonl"), help="(%(default)s)")
    parser.add_argument("--slow", action="store_true", help=f"S1-S4 at lags {ARROW_LAGS} instead of 5 alone")
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds must be at least 2: one draw has no interval")
    return options


def _families(options: argparse.Namespace) -> dict[str, Family]:
    families = dict(FAMILIES)
    if options.slow:
        for lag in ARROW_LAGS:
            families |= arrow_families(lag)
    if options.families is None:
        return families
    chosen = {name: family for name, family in families.items() if name.startswith(tuple(options.families))}
    if not chosen:
        sys.exit(f"no family begins with {' or '.join(options.families)}; there are {', '.join(families)}")
    return chosen


def _load(output: Path) -> dict[tuple[str, int], dict[str, dict[str, float]]]:
    """What an earlier run of the same code finished."""
    done: dict[tuple[str, int], dict[str, dict[str, float]]] = {}
    code = code_hash()
    if output.exists():
        for line in output.read_text().splitlines():
            record = json.loads(line)
            if record["code"] != code:
                sys.exit(f"{output} holds results of other code: remove it, or give another --output")
            done.setdefault((record["family"], record["seed"]), {}).update(record["screens"])
    return done


def _run(missing: list, output: Path, done: dict, jobs: int) -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    output.parent.mkdir(parents=True, exist_ok=True)
    code = code_hash()
    spawn = multiprocessing.get_context("spawn")
    with output.open("a") as file, ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        pending = [pool.submit(_measure, *task) for task in missing]
        for count, future in enumerate(as_completed(pending), start=1):
            name, seed, screens = future.result()
            done.setdefault((name, seed), {}).update(screens)
            record = {"family": name, "seed": seed, "code": code, "screens": screens}
            file.write(json.dumps(record) + "\n")
            file.flush()
            print(f"{count}/{len(pending)} {name} seed {seed}", file=sys.stderr)


def _measure(name: str, seed: int, family: Family, screens: list[str]) -> tuple[str, int, dict[str, dict[str, float]]]:
    data = family(seed)
    return name, seed, {screen: asdict(measure(data, family.tau_max, screen)) for screen in screens}


if __name__ == "__main__":
    main()
