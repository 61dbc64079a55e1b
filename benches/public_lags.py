"""What lagged links can tell about the known graphs of the public data sets.

    python benches/public_lags.py [--datasets NAME ...]

For every set: at which lag the true pairs correlate most, and PCMCI's links, plain and screened, beside links drawn at
random. RESULTS.md is written when no set was left out. Files as for `arrow_cd.datasets`.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from arrow_cd.bench.cells import Cell
from arrow_cd.bench.searches import lagged_correlations, run_cell
from arrow_cd.data import TimeSeries
from arrow_cd.datasets import dataset_info, list_datasets, load_dataset
from arrow_cd.metrics import rank_areas
from results_page import provenance, table, write_section

SCREENS = ("none", "weave", "correlation")
NOTES = """True pairs are taken whatever their lag, and members of a set are counted together. "Lag 0 strongest":
true pairs whose absolute correlation at lag 0 exceeds that at every lag searched. AUROC: how well the absolute
correlation, at lag 0 or the largest at a lag searched, tells true pairs from others, whichever way round. Then PCMCI's
lagged links without a screen, with the default one and with the naive one: pairs found, right ones, pairs that are
right the other way round, right ones expected of as many pairs drawn at random, and the probability of at least as many
right ones then.
"""


@dataclass
class Guess:
    """Pairs that a search found, beside as many drawn at random from those of series that vary."""

    found: int = 0
    right: int = 0
    backward: int = 0
    expected: float = 0.0
    chances: NDArray[np.float64] | tuple[float, ...] = (1.0,)

    def add(self, found: NDArray[np.bool_], true: NDArray[np.bool_], possible: NDArray[np.bool_]) -> None:
        """Count another member; `chances` is the distribution of the number of right pairs at random."""
        pairs, links, drawn = int(possible.sum()), int((true & possible).sum()), int((found & possible).sum())
        self.found += drawn
        self.right += int((found & true).sum())
        self.backward += int((found.T & true).sum())
        self.expected += drawn * links / pairs
        self.chances = np.convolve(self.chances, hypergeom(pairs, links, drawn).pmf(np.arange(links + 1)))

    def cells(self) -> list[str]:
        """Table cells."""
        tail = float(np.sum(self.chances[self.right :]))
        return [str(self.found), str(self.right), str(self.backward), f"{self.expected:.1f}", f"{tail:.3f}"]


def measure(name: str) -> list[str]:
    """One table row."""
    tau_max = dataset_info(name).tau_max
    at_zero, links, ranks = 0, 0, []
    guesses = {screen: Guess() for screen in SCREENS}
    for member in load_dataset(name).members:
        series = member.series
        true = member.truth.graph.any(axis=2) if member.truth.has_lags else member.truth.graph.copy()
        np.fill_diagonal(true, False)
        possible = ~(np.eye(series.N, dtype=bool) | series.constant | series.constant[:, None])
        zero, lagged = strengths(series, tau_max)
        at_zero += int((zero > lagged)[true].sum())
        links += int(true.sum())
        either = (true | true.T)[possible]
        ranks.append([rank_areas(np.maximum(r, r.T)[possible], either)[0] for r in (zero, lagged)])
        for screen, guess in guesses.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                found = run_cell(Cell(name, "pcmci", "native", screen), series, tau_max).graph[:, :, 1:].any(axis=2)
            guess.add(found & possible, true, possible)
    areas = [f"{area:.2f}" for area in np.nanmean(ranks, axis=0)]
    return [
        name,
        str(tau_max),
        f"{at_zero} of {links}",
        *areas,
        *(c for guess in guesses.values() for c in guess.cells()),
    ]


def strengths(series: TimeSeries, tau_max: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Absolute correlations [source, target] at lag 0, and the largest at lags 1 to tau_max."""
    by_lag = lagged_correlations(series, tau_max)
    return by_lag[:, :, 0], by_lag[:, :, 1:].max(axis=2)


def main() -> None:
    """Measure and print every set, and write the section if none was left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", metavar="NAME", help="public sets; all by default")
    chosen = parser.parse_args().datasets
    names = chosen or [name for name in list_datasets() if dataset_info(name).kind != "synthetic"]
    header = ["data set", "tau_max", "lag 0 strongest", "AUROC lag 0", "lagged"]
    for what in ("plain", "screened", "naive"):
        header += [f"{what}: found", "right", "backward", "by chance", "P"]
    text = f"{provenance('scipy')}\n{NOTES}\n{table(header, [measure(name) for name in names])}"
    print(text)
    if chosen is None:
        write_section("Lagged links of public data", text)


if __name__ == "__main__":
    main()
