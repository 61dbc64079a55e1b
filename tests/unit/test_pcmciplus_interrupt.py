"""Ctrl-C in every phase of native PCMCI+: it stops within a second and hands back what it has."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd._discover import DiscoveryInterrupted
from arrow_cd.backends.native_plus import NativePlusRun, run_native_plus
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from plus_cases import contemporaneous_system
from systems import all_links

N = 24
X = contemporaneous_system(np.random.default_rng(0), N, 200, 1)
LINKS = all_links(N, 1, tau_min=0)


def many_causes() -> np.ndarray:
    """Series 0 has all others but the last as causes within a sample, and the last is a cause of series 1."""
    x = np.random.default_rng(1).standard_normal((3000, N))
    x[:, 1] += x[:, -1]
    x[:, 0] = 0.3 * x[:, 0] + x[:, 1:-1].sum(axis=1)
    return x


@contextmanager
def interrupted(after: float = 0.5) -> Iterator[None]:
    """Ctrl-C after so many seconds; what is inside must raise within another one."""
    fired = []

    def interrupt(*_: object) -> None:
        fired.append(time.monotonic())
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        yield
        assert time.monotonic() - fired[0] < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def stopped(x: np.ndarray, links: np.ndarray, **options) -> NativePlusRun:
    with interrupted(), pytest.raises(InterruptedRun) as stop:
        run_native_plus(as_time_series(x), links, **options)
    return stop.value.partial


pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


def test_pc1() -> None:
    partial = stopped(X, LINKS, pc_alpha=1.0, max_combinations=10**9)
    assert len(partial.parents) < N
    assert (partial.status[:, :, 0][LINKS[:, :, 0]] == LinkStatus.NOT_TESTED).all()
    assert (partial.graph == "").all()
    assert partial.tests_by_phase["skeleton"] == 0


def test_skeleton() -> None:
    partial = stopped(X, LINKS, pc_alpha=1.0)  # every subset of 23 neighbours
    assert len(partial.parents) == N
    assert (partial.status[LINKS] == LinkStatus.OK).all()  # sweep 0 took a moment
    np.testing.assert_array_equal(partial.graph != "", LINKS)
    assert set(np.unique(partial.graph[:, :, 0])) == {"", "o-o"}
    assert partial.tests_by_phase["colliders"] == 0


def test_colliders() -> None:
    x, links = many_causes(), all_links(N, 0, tau_min=0)
    partial = stopped(x, links, pc_alpha=1e-6, max_conds_dim=1)
    whole = run_native_plus(as_time_series(x), links, pc_alpha=1e-6, max_conds_dim=1, contemp_collider_rule="none")
    np.testing.assert_array_equal(partial.graph != "", whole.graph != "")
    np.testing.assert_array_equal(partial.p, whole.p)
    assert (partial.graph[0, 1:-1, 0] == "o-o").all() and (whole.graph[0, 1:-1, 0] == "<--").all()
    assert partial.ambiguous_triples == []


def test_the_levels_that_were_finished_count() -> None:
    partial = stopped(X, LINKS, pc_alpha=[1e-6, 1.0])
    first = run_native_plus(as_time_series(X), LINKS, pc_alpha=1e-6)
    assert partial.pc_alpha == 1e-6
    np.testing.assert_array_equal(partial.graph, first.graph)


def test_discover_says_what_it_has() -> None:
    with interrupted(), pytest.raises(DiscoveryInterrupted) as stop:
        discover(X, method="pcmciplus", tau_max=1, pc_alpha=1.0, mode="exact")
    result = stop.value.result
    assert not result.complete
    assert result.tested[LINKS].all() and (result.p_matrix[LINKS] < 1).any()
