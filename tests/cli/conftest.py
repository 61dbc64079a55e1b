import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from arrow_cd.cli import app


@pytest.fixture(scope="session")
def csv(tmp_path_factory):
    """300 days of wind, waves (which follow the wind, with a minus sign, two days later), noise and a constant."""
    rng = np.random.default_rng(6)
    wind, noise = rng.normal(size=(2, 300))
    waves = rng.normal(size=300)
    waves[2:] -= 1.5 * wind[:-2]
    path = tmp_path_factory.mktemp("data") / "sea.csv"
    pl.DataFrame(
        {
            "date": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 10, 26), eager=True),
            "wind": wind,
            "waves": waves,
            "noise": noise,
            "anchor": np.full(300, 0.1),
        }
    ).write_csv(path)
    return path


@pytest.fixture
def invoke(backend):
    """Run `arrow-cd` in this process."""

    def invoke(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def discover(invoke, csv):
    """Run `arrow-cd discover` on the sea with the quick method."""

    def discover(*arguments, data=csv):
        fixed = ("--method", "correlation", "--test", "pearson", "--mode", "exact", "--tau-min", 1, "--tau-max", 3)
        return invoke("discover", data, *fixed, *arguments)

    return discover


@pytest.fixture
def command():
    """The command line of `arrow-cd` as a process of its own."""
    return [sys.executable, "-m", "arrow_cd"]
