"""Write river.csv and river_truth.csv: hourly readings along an invented river, with known causes.

Run ``python datasets/make_sample.py``; it needs arrow_cd installed and writes beside itself, or into the folder given.
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from arrow_cd.simulate.linear import Floats, companion_radius, run_var

SEED = 20240101
T = 3000
BURN_IN = 500
START = datetime(2024, 1, 1)

# Column: (usual value, size of one unit of the process).
COLUMNS = {
    "rain": (4.0, 0.8),
    "soil": (35.0, 1.5),
    "upper": (140.0, 9.0),
    "dam": (60.0, 5.0),
    "lower": (210.0, 8.0),
    "mouth": (95.0, 6.0),
}

# (source, lag in hours, target, weight). What `upper` sends to `lower` by the other branch, 0.48 after three hours, the
# dam holds back: -0.8 after one hour times 0.6 after two more. No correlation between the two gauges is left.
LINKS = (
    ("rain", 1, "rain", 0.5),
    ("rain", 1, "soil", 0.3),
    ("soil", 1, "soil", 0.85),
    ("rain", 2, "upper", 0.5),
    ("soil", 1, "upper", 0.2),
    ("upper", 1, "upper", 0.6),
    ("upper", 1, "dam", -0.8),
    ("upper", 3, "lower", 0.48),
    ("dam", 2, "lower", 0.6),
    ("lower", 1, "lower", 0.5),
    ("lower", 4, "mouth", 0.5),
    ("mouth", 1, "mouth", 0.3),
)


def river() -> Floats:
    """The process behind the readings, shape (T, 6), in units of its noise."""
    names = list(COLUMNS)
    weights = np.zeros((len(names), len(names), 1 + max(lag for _, lag, _, _ in LINKS)))
    for source, lag, target, weight in LINKS:
        weights[names.index(source), names.index(target), lag] = weight
    assert companion_radius(weights) < 1
    noise = np.random.default_rng(SEED).standard_normal((BURN_IN + T, len(names)))
    return run_var(weights, noise, burn_in=BURN_IN)


def write(folder: Path) -> None:
    """Write both files into `folder`."""
    usual, unit = (np.array(column) for column in zip(*COLUMNS.values(), strict=True))
    readings = usual + unit * river()
    lines = [",".join(["time", *COLUMNS])]
    for hour, row in enumerate(readings):
        stamp = (START + timedelta(hours=hour)).isoformat(sep=" ")
        lines.append(",".join([stamp, *(f"{value:.3f}" for value in row)]))
    (folder / "river.csv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    truth = ["source,target,tau", *(f"{source},{target},{lag}" for source, lag, target, _ in LINKS)]
    (folder / "river_truth.csv").write_text("\n".join(truth) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
