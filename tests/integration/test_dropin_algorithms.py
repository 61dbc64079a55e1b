"""Whole searches give the same results with the drop-in tests as with tigramite's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from dropin_cases import PAIRS, Values, assert_same_tests, same
from joblib import parallel_config
from tigramite.data_processing import DataFrame
from tigramite.jpcmciplus import JPCMCIplus
from tigramite.lpcmci import LPCMCI
from tigramite.pcmci import PCMCI

from paths import ROOT
from systems import linear_system

Pair = tuple[type, type]
Run = Callable[[Any], Any]

pytestmark = pytest.mark.parametrize("pair", PAIRS, ids=["parcorr", "robust"])

RUNS: dict[str, Run] = {
    "pcmci": lambda pcmci: pcmci.run_pcmci(tau_max=2, pc_alpha=0.2, fdr_method="fdr_bh"),
    "pcmci, aic": lambda pcmci: pcmci.run_pcmci(tau_max=1, pc_alpha=None),
    "pcmciplus": lambda pcmci: pcmci.run_pcmciplus(tau_max=2, pc_alpha=0.1),
    "bivci": lambda pcmci: pcmci.run_bivci(tau_max=2),
    "fullci": lambda pcmci: pcmci.run_fullci(tau_max=2, val_only=False),
    "lagged dependencies": lambda pcmci: pcmci.get_lagged_dependencies(tau_max=2, val_only=True),
    "pcalg": lambda pcmci: pcmci.run_pcalg(tau_max=1, pc_alpha=0.1),
}


@pytest.fixture(scope="module")
def values() -> Values:
    return linear_system(1, n=4, T=120, tau_max=2)


def compare(make: Callable[[Any], Any], run: Run, pair: Pair, **options: Any) -> Any:
    """Run with both tests, compare results and every single test; returns the drop-in."""
    original, dropin = (make(kind(**options)) for kind in pair)
    expected, got = run(original), run(dropin)
    assert same(expected, got)
    assert_same_tests(original.cond_ind_test, dropin.cond_ind_test)
    return dropin.cond_ind_test


@pytest.mark.parametrize("name", RUNS)
def test_pcmci_and_its_relatives(pair: Pair, values: Values, name: str) -> None:
    test = compare(lambda test: PCMCI(DataFrame(values), test), RUNS[name], pair)
    assert test.fast_tests > 0
    assert test.slow_tests == 0


def test_pcmci_with_confidence_and_thresholds(pair: Pair, values: Values) -> None:
    frame = DataFrame(values)
    test = compare(lambda test: PCMCI(frame, test), RUNS["bivci"], pair, confidence="analytic")
    assert test.slow_tests == 0
    run: Run = lambda pcmci: pcmci.run_bivci(tau_max=2, alpha_level=0.2)  # noqa: E731
    test = compare(lambda test: PCMCI(frame, test), run, pair, significance="fixed_thres")
    assert test.slow_tests == 0


def test_lpcmci(pair: Pair, values: Values) -> None:
    run: Run = lambda lpcmci: lpcmci.run_lpcmci(tau_max=1, pc_alpha=0.05)  # noqa: E731
    test = compare(lambda test: LPCMCI(DataFrame(values[:, :3]), test), run, pair)
    assert test.fast_tests > 0
    assert test.slow_tests == 0


def test_jpcmciplus_with_contexts_and_dummies(pair: Pair) -> None:
    rng = np.random.default_rng(0)
    T, sets = 12, 4
    data = {}
    for m in range(sets):
        context = rng.standard_normal((T, 1))
        system = rng.standard_normal((T, 2)) + context
        system[1:, 1] += system[:-1, 0]
        dummies = np.identity(T), np.tile(np.identity(sets)[m], (T, 1))
        data[m] = np.hstack((system, context, *dummies))
    columns = range(3 + T + sets)
    vectors = {i: [(i, 0)] for i in range(3)}
    vectors |= {3: [(i, 0) for i in columns[3 : 3 + T]], 4: [(i, 0) for i in columns[3 + T :]]}
    kinds = {0: "system", 1: "system", 2: "time_context", 3: "time_dummy", 4: "space_dummy"}

    def make(test: Any) -> JPCMCIplus:
        frame = DataFrame(data, vector_vars=vectors, analysis_mode="multiple")
        return JPCMCIplus(dataframe=frame, cond_ind_test=test, node_classification=kinds)

    test = compare(make, lambda joint: joint.run_jpcmciplus(tau_min=0, tau_max=1, pc_alpha=0.05), pair)
    assert test.fast_tests > 0


def test_regimes_as_rpcmci_masks_them(pair: Pair, values: Values) -> None:
    """RPCMCI masks the target, the same for all series, and puts each regime's mask on the frame before it searches."""
    regimes = np.arange(len(values)) % 60 < 30

    def run(pcmci: PCMCI) -> list[Any]:
        results = []
        for regime in (regimes, ~regimes):
            pcmci.dataframe.mask[0] = np.tile(~regime[:, None], values.shape[1])
            results.append(pcmci.run_pcmci(tau_min=1, tau_max=1, pc_alpha=0.2))
        return results

    def make(test: Any) -> PCMCI:
        frame = DataFrame(values)
        frame.mask = {0: np.zeros(values.shape, dtype=bool)}
        return PCMCI(frame, test)

    test = compare(make, run, pair, mask_type="y")
    assert test.fast_tests > 0
    assert test.slow_tests == 0


@pytest.mark.parametrize("backend", ["sequential", "loky"])
def test_bootstrap(pair: Pair, values: Values, backend: str) -> None:
    def run(pcmci: PCMCI) -> Any:
        arguments = {"tau_max": 1, "pc_alpha": 0.2}
        with parallel_config(backend=backend, n_jobs=1):
            return pcmci.run_bootstrap_of("run_pcmci", arguments, boot_samples=3, boot_blocklength=3, seed=4)

    original, dropin = (PCMCI(DataFrame(values), kind()) for kind in pair)
    assert same(run(original), run(dropin))


def test_sliding_windows(pair: Pair, values: Values) -> None:
    def run(pcmci: PCMCI) -> Any:
        return pcmci.run_sliding_window_of(
            "run_pcmci", {"tau_max": 1, "pc_alpha": 0.2}, window_step=40, window_length=60
        )

    test = compare(lambda test: PCMCI(DataFrame(values), test), run, pair)
    assert test.slow_tests == 0


def test_two_searches_with_one_object(pair: Pair, values: Values) -> None:
    def run(pcmci: PCMCI) -> list[Any]:
        return [pcmci.run_pcmci(tau_max=tau_max, pc_alpha=0.2) for tau_max in (2, 1, 2)]

    compare(lambda test: PCMCI(DataFrame(values), test), run, pair)


def test_the_example_of_the_documentation_runs(pair: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    section = (ROOT / "docs" / "accelerate.md").read_text(encoding="utf-8").split("## Drop-in tests")[1]
    (code,) = re.findall(r"```python\n(.*?)```", section.split("\n## ")[0], flags=re.DOTALL)
    exec(compile(code.replace("ParCorr", pair[1].__name__), "accelerate.md", "exec"), {})
    assert re.fullmatch(
        r"\d+ tests by the core, 0 by tigramite's own code\n", capsys.readouterr().out.splitlines(True)[-1]
    )
