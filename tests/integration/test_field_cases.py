"""Cases from the field that no single module answers for; `tests/FIELD_CASES.md` lists all of them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import Any

import numpy as np
import pytest
from pcmci_cases import pcmci_on
from tigramite.independence_tests.regressionCI import RegressionCI

from arrow_cd import BackendError, ScreenConfig, accelerate, discover, encode, lag_search, screen, simulate
from arrow_cd.backends.base import Task
from arrow_cd.backends.tigramite_pcmci import TigramitePcmci
from arrow_cd.data import as_time_series
from paths import ROOT

WIDE = """
from pathlib import Path
import numpy as np
from arrow_cd import lag_search, lag_search_top
x = np.random.default_rng(0).normal(size=(500, 2500))
x[3:, 7] += x[:-3, 1900]
found = lag_search_top(x, tau_max=5, tau_min=1, k=3, bits=1, n_jobs=0)
assert found.height <= 3 * 2500
assert found.filter(target="X7", rank=1).select("source", "tau").rows() == [("X1900", 3)]
try:
    lag_search(x, tau_max=5, bits=1, memory_budget=200 << 20)
except MemoryError as error:
    print(error)
(peak,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_f5_thousands_of_series_fit_into_little_memory() -> None:
    """A dense array of 2,500 series and 6 lags would take 300 MB; the strongest pairs of every target take little.

    Nor may the door hold tables of all pairs. The peak is read from /proc, because getrusage's starts at the peak
    of the process that started this one.
    """
    done = subprocess.run([sys.executable, "-c", WIDE], capture_output=True, text=True, check=True)
    refused, mebibytes = done.stdout.splitlines()
    assert "takes 300000000 bytes" in refused and "lag_search_top" in refused
    assert int(mebibytes) < 250


def test_f18_lag_search_uses_the_rows_that_each_pair_and_lag_have() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    x[rng.random(x.shape) < 0.2] = np.nan
    found, codes = lag_search(x, tau_max=4, bits=1), encode(x, bits=1).codes
    for i, j, tau in np.ndindex(3, 3, 5):
        source, target = codes[: 200 - tau, i], codes[tau:, j]
        equal = (source == target)[(source >= 0) & (target >= 0)]
        if (i, tau) != (j, 0):
            assert found.score[i, j, tau] == pytest.approx(max(equal.mean(), 1 - equal.mean()))


@pytest.mark.parametrize("missing", [False, True])
def test_f21_f31_data_types_reach_the_test_on_the_same_rows(missing: bool) -> None:
    """RegressionCI on two continuous columns and a binary one: kept links are those of tigramite, row by row."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    x[2:, 1] += 0.8 * x[:-2, 0]
    x[:, 2] = x[:, 2] > 0
    types = np.zeros(x.shape, dtype=int)
    types[:, 2] = 1
    frame: dict[str, Any] = {"data_type": types}
    if missing:
        x[rng.integers(0, 300, 9), 1] = 999.0
        frame["missing_flag"] = 999.0
    fast = accelerate(pcmci_on(x, RegressionCI(), **frame))
    got = fast.run_pcmci(tau_min=1, tau_max=2)
    links = fast.screening.candidates.to_link_assumptions()
    expected = pcmci_on(x, RegressionCI(), **frame).run_pcmci(tau_min=1, tau_max=2, link_assumptions=links)
    np.testing.assert_array_equal(got["p_matrix"], expected["p_matrix"])
    assert got["p_matrix"][0, 1, 2] < 1e-10 and fast.screening.engine == "tigramite"


def test_f22_a_failure_of_tigramite_itself_is_said_to_be_one() -> None:
    x = np.random.default_rng(0).normal(size=(400, 3))
    frame = {"missing_flag": 999.0, "remove_missing_upto_maxlag": True}
    x[397, 1] = 999.0
    with pytest.raises(IndexError):
        pcmci_on(x, **frame).run_pcmci(tau_max=3)
    with pytest.raises(BackendError, match=r"of tigramite itself fails .* leave it False"):
        accelerate(pcmci_on(x, **frame), engine="tigramite").run_pcmci(tau_max=3)
    natively = accelerate(pcmci_on(x, **frame))
    natively.run_pcmci(tau_max=3)
    assert natively.screening.engine == "native"


def test_f32_more_conditions_than_a_table_has_dimensions() -> None:
    symbols = np.random.default_rng(0).integers(0, 2, size=(120, 36)).astype(float)
    links = np.zeros((36, 36, 2), dtype=bool)
    links[0, 0, 1] = True
    required = np.zeros_like(links)
    required[1:, 0, 1] = True
    backend = TigramitePcmci()
    options = {**backend.defaults, "test_options": {"significance": "fixed_thres"}}
    task = Task(as_time_series(symbols), 1, 1, links, required, "cmisymb", 0.05, options)
    with pytest.raises(BackendError, match=r"maximum supported dimension.*max_conds_py, max_conds_px"):
        backend.run(task)


@pytest.mark.parametrize("seed", range(3))
def test_f43_a_marginal_look_loses_what_exact_mode_finds(seed: int) -> None:
    values = simulate.cancelling_chain(seed, T=2000).values
    assert not screen(values, tau_max=3, config=ScreenConfig("marginal")).mask[0, 2, 2]
    for mode in ("exact", "screen"):
        assert discover(values, tau_max=3, mode=mode).graph[0, 2, 2] == "-->"


def test_f50_extras_declare_what_tigramite_does_not() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {"joblib", "numba", "scikit-learn", "scipy"} <= set(extras["pcmci"])
