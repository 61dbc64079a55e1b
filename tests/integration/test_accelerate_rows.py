"""The screen of an accelerated object sees the rows and variables that its tests use, in every repeat anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pcmci_cases import Values, pcmci_on
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.independence_tests.parcorr_wls import ParCorrWLS
from tigramite.pcmci import PCMCI

from arrow_cd import BackendError, InvalidDataError, ScreenConfig, accelerate
from arrow_cd.tigramite.report import RepeatedReport
from arrow_cd.tigramite.rows import chosen_rows, gather, read_frame

REPEATS: list[tuple[str, dict[str, Any]]] = [
    ("run_sliding_window_of", {"window_step": 60, "window_length": 120}),
    ("run_bootstrap_of", {"boot_samples": 3, "boot_blocklength": 5, "seed": 1}),
]


def driven(T: int, seed: int = 0) -> Values:
    """X0 and X1 noise, X2 driven by X0 at lag 2."""
    x = np.random.default_rng(seed).standard_normal((T, 3))
    x[2:, 2] += x[:-2, 0]
    return x


def kept(pcmci: PCMCI, **options: Any) -> set[tuple[int, int, int]]:
    """Candidates that aren't own lags 1, as (source, target, tau)."""
    fast = accelerate(pcmci, **options)
    fast.run_pcmci(tau_min=1, tau_max=3)
    return {(i, j, t) for i, j, t in np.argwhere(fast.screening.candidates.mask).tolist() if (i, t) != (j, 1)}


def test_rows_and_their_past_are_gathered(values: Values) -> None:
    points = np.array([2, 7, 8, 8, 20, 9])
    frame = pcmci_on(values[:21], reference_points=points).dataframe
    sets = chosen_rows(frame, 4)
    assert [rows.tolist() for rows in sets] == [[7, 8, 8, 9, 20]]
    series = gather(read_frame(frame), sets, 4)
    assert series.segments == ((0, 6), (6, 12), (12, 17))
    np.testing.assert_array_equal(series.values, values[[*range(3, 9), *range(4, 10), *range(16, 21)]])


def test_time_offsets_move_reference_points(values: Values) -> None:
    data = {"a": values[:50], "b": values[50:90]}
    frame: dict[str, Any] = {"analysis_mode": "multiple", "time_offsets": {"a": 0, "b": 30}}
    sets = chosen_rows(pcmci_on(data, reference_points=np.arange(40, 60), **frame).dataframe, 4)
    assert [rows.tolist() for rows in sets] == [list(range(40, 50)), list(range(10, 30))]
    assert chosen_rows(pcmci_on(data, **frame).dataframe, 4) is None


@pytest.mark.parametrize("length", [1, 7, "cube_root"])
def test_draws_are_those_of_tigramite(values: Values, length: Any) -> None:
    frame = pcmci_on({0: values[:80], 1: values[80:150]}, analysis_mode="multiple").dataframe
    frame.bootstrap = {"boot_blocklength": length, "random_state": np.random.default_rng(3)}
    array, _, _ = frame.construct_array([(0, -1)], [(1, 0)], [], tau_max=2)
    (first, second) = chosen_rows(frame, 4)
    rows = np.concatenate([first, second + 80])
    np.testing.assert_array_equal(array, [values[rows - 1, 0], values[rows, 1]])


@pytest.mark.parametrize(("length", "message"), [(100, r"1 block\(s\)"), (0, "boot_blocklength=0"), ("x", "'x'")])
def test_draws_that_can_not_be_made_are_named(values: Values, length: Any, message: str) -> None:
    fast = accelerate(pcmci_on(values[:80]))
    with pytest.raises(InvalidDataError, match=message):
        fast.run_bootstrap_of("run_pcmci", {"tau_max": 2}, boot_samples=2, boot_blocklength=length)
    assert fast.dataframe.bootstrap is None
    assert fast.screening is None


def test_masked_rows_are_not_seen() -> None:
    """The dependence is in the masked rows only, or only outside of them."""
    data, noise = driven(600), np.random.default_rng(1).standard_normal((600, 3))
    half = np.zeros((600, 3), dtype=bool)
    half[:300] = True
    mixed = np.where(half, data, noise)
    for mask_type in ("y", "xyz"):
        seen = kept(pcmci_on(mixed, ParCorr(mask_type=mask_type), mask=~half))
        assert (0, 2, 2) in seen
        assert (0, 2, 2) not in kept(pcmci_on(mixed, ParCorr(mask_type=mask_type), mask=half))
        assert (0, 2, 2) in kept(pcmci_on(mixed, ParCorr(), mask=half))


def test_sources_outside_the_mask_of_the_target_are_seen() -> None:
    """Every other row is masked, as nights are: the source two rows before is never masked, the one before always."""
    x = np.random.default_rng(0).standard_normal((600, 3))
    x[1:, 2] += x[:-1, 0]
    mask = np.zeros((600, 3), dtype=bool)
    mask[::2] = True
    assert (0, 2, 1) in kept(pcmci_on(x, ParCorr(mask_type="y"), mask=mask))
    assert (0, 2, 1) not in kept(pcmci_on(x, ParCorr(mask_type="xyz"), mask=mask))


def test_targets_have_their_own_masks() -> None:
    x = driven(400)
    x[200:, 2] = np.random.default_rng(1).standard_normal(200)
    x[1:200, 1] += x[:199, 0]
    mask = np.zeros((400, 3), dtype=bool)
    mask[:200, 1] = True
    seen = kept(pcmci_on(x, ParCorr(mask_type="y"), mask=mask))
    assert (0, 2, 2) in seen and (0, 1, 1) not in seen
    mask[:, 1] = True
    assert not any(j == 1 for _, j, _ in kept(pcmci_on(x, ParCorr(mask_type="y"), mask=mask)))


def test_reference_points_are_seen() -> None:
    data = np.concatenate([driven(300), np.random.default_rng(1).standard_normal((300, 3))])
    assert (0, 2, 2) in kept(pcmci_on(data, reference_points=np.arange(300)))
    assert (0, 2, 2) not in kept(pcmci_on(data, reference_points=np.arange(306, 600)))


def test_vector_valued_variables_are_screened_by_any_of_their_columns() -> None:
    x = np.column_stack([driven(300), np.random.default_rng(5).standard_normal(300)])
    grouped: dict[str, Any] = {"vector_vars": {0: [(3, 0), (0, 0)], 1: [(1, 0)], 2: [(2, 0)]}}
    assert (0, 2, 2) in kept(pcmci_on(x, **grouped))
    grouped["vector_vars"][0] = [(3, 0)]
    assert (0, 2, 2) not in kept(pcmci_on(x, **grouped))
    lagged: dict[str, Any] = {"vector_vars": {0: [(0, 0), (0, -1)], 1: [(1, 0)], 2: [(2, 0)]}}
    with pytest.raises(BackendError, match="lag inside vector_vars"):
        kept(pcmci_on(x, **lagged))


def test_screens_that_look_at_all_samples_are_refused_on_chosen_rows(values: Values) -> None:
    given = pcmci_on(values, reference_points=np.arange(50, 300))
    with pytest.raises(BackendError, match="'marginal' on chosen rows"):
        kept(given, screen=ScreenConfig("marginal"))
    fast = accelerate(given)
    fast.run_pcmci(tau_min=1, tau_max=3)
    assert fast.screening.candidates.config.strategy == "forward"


@pytest.mark.parametrize(("repeat", "how"), REPEATS)
@pytest.mark.parametrize("name", ["run_pcmci", "run_mci", "run_pcmciplus"])
def test_exact_repeats_equal_tigramite(values: Values, repeat: str, how: dict[str, Any], name: str) -> None:
    given = pcmci_on(values[:250, :3])
    options = {"tau_max": 2}
    fast = accelerate(given, mode="exact")
    expected, got = getattr(given, repeat)(name, options, **how), getattr(fast, repeat)(name, options, **how)
    for part in expected:
        assert set(got[part]) == set(expected[part])
    for key, array in expected["summary_results"].items():
        if array.dtype.kind == "f":
            np.testing.assert_allclose(got["summary_results"][key], array, rtol=0, atol=1e-10)
        else:
            np.testing.assert_array_equal(got["summary_results"][key], array)
    repeats = next(part for part in expected if part != "summary_results")
    np.testing.assert_allclose(got[repeats]["p_matrix"], expected[repeats]["p_matrix"], rtol=0, atol=1e-10)
    report = fast.screening
    assert isinstance(report, RepeatedReport) and report.method == repeat
    assert len(report.runs) == len(expected[repeats]["p_matrix"])
    assert report.tests_run == sum(run.tests_run for run in report.runs) > 0
    assert report.runs[0].method == name and f"{len(report.runs)} runs" in str(report)


def test_every_window_is_screened_on_its_own(values: Values) -> None:
    data = np.concatenate([driven(200), np.random.default_rng(1).standard_normal((201, 3))])
    fast = accelerate(pcmci_on(data))
    before = fast.dataframe.reference_points
    fast.run_sliding_window_of("run_pcmci", {"tau_min": 1, "tau_max": 3}, window_step=200, window_length=200)
    first, second = fast.screening.runs
    assert first.candidates.mask[0, 2, 2] and not second.candidates.mask[0, 2, 2]
    assert fast.dataframe.reference_points is before
    assert fast.screening.tests_avoided > 0


def test_repeats_with_a_slow_test_run_in_processes(values: Values) -> None:
    fast = accelerate(pcmci_on(values[:80, :2], ParCorrWLS()))
    fast.run_bootstrap_of("run_mci", {"tau_max": 1}, boot_samples=2, seed=0)
    assert [run.engine for run in fast.screening.runs] == ["tigramite"] * 2


def test_unknown_methods_of_repeats_are_tigramites_to_refuse(values: Values) -> None:
    with pytest.raises(ValueError, match="method must be one of"):
        accelerate(pcmci_on(values)).run_sliding_window_of("run_magic", {}, window_step=1, window_length=9)
