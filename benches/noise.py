"""False links in pure noise, and one weak true link found, with and without the screen on the same draws.

    python benches/noise.py

The link is X0(t - 2) -> X1(t) of weight .35, added to the same noise.
"""

from __future__ import annotations

import argparse

import numpy as np

from arrow_cd.simulate import pure_noise
from pipeline import ALPHA_FDR, SCREENS, find_links
from results_page import provenance, table, write_section

FIRST_SEED = 2000
DRAWS, TAU_MAX, STRENGTH = 100, 5, 0.35
ABOUT = (
    "White noise N(0, 1), N = 8, T = 200, lags 1 to 5, PCMCI with ParCorr, Benjamini-Hochberg at .05 over all 320 "
    f"links. A false link is any, own links included. The true link, X0(t - 2) -> X1(t) of weight {STRENGTH}, is added "
    "to the same draws.\n"
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + DRAWS)
    rows = []
    for screen in SCREENS:
        noise = [find_links(pure_noise(seed), TAU_MAX, screen) for seed in seeds]
        linked = [find_links(pure_noise(seed, strength=STRENGTH), TAU_MAX, screen) for seed in seeds]
        false_draws = sum(bool((result.q_matrix[:, :, 1:] <= ALPHA_FDR).any()) for result in noise)
        found = sum(bool(result.q_matrix[0, 1, 2] <= ALPHA_FDR) for result in linked)
        tests = np.mean([result.screening.tests_run for result in noise])
        rows.append([screen, f"{false_draws} of {DRAWS}", f"{found} of {DRAWS}", f"{tests:.0f}"])
    header = ["screen", "draws with a false link", f"link of {STRENGTH} found", "tests a draw"]
    text = f"{provenance()}\n{ABOUT}\n{table(header, rows)}"
    print(text)
    write_section("Pure noise", text)


if __name__ == "__main__":
    main()
