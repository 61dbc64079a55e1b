"""Ctrl-C stops a native run of PCMCI soon and hands back what it has; forks and threads do no harm."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd._discover import DiscoveryInterrupted
from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.native_search import InterruptedRun
from arrow_cd.data import as_time_series
from arrow_cd.links import LinkStatus
from systems import all_links, linear_system

N, TAU_MAX = 40, 5
SERIES = as_time_series(linear_system(0, N, 800, TAU_MAX))
LINKS = all_links(N, TAU_MAX)
ONE_TARGET = LINKS & (np.arange(N) == 3)[:, None]
EVERY = [(i, -tau) for i in range(N) for tau in range(1, TAU_MAX + 1)]

LONG = {
    "PC1 of one target": {"links": ONE_TARGET, "pc_alpha": 1.0, "max_combinations": 10**9},
    "PC1 of one target on its rows": {"links": ONE_TARGET, "pc_alpha": 1.0, "memory_budget": 0},
    "MCI of one target": {"links": ONE_TARGET, "parents": {3: EVERY}, "max_conds_px": 0, "memory_budget": 0},
}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", LONG)
def test_the_tests_of_one_target_stop_within_a_second(name: str, n_jobs: int) -> None:
    fired = []

    def interrupt(*_: object) -> None:
        fired.append(time.monotonic())
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(InterruptedRun) as stop:
            run_native(SERIES, n_jobs=n_jobs, **LONG[name])
        assert time.monotonic() - fired[0] < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    status = stop.value.partial.status
    assert (status == LinkStatus.NOT_TESTED).any() and (status[~ONE_TARGET] == LinkStatus.NOT_ASKED).all()


def stop_after(targets: int):
    """A progress callback that interrupts once so many targets are done."""

    def progress(_phase: str, done: int, _total: int) -> None:
        if done >= targets:
            raise KeyboardInterrupt

    return progress


def test_what_pc1_found_is_handed_back() -> None:
    with pytest.raises(InterruptedRun) as stop:
        run_native(SERIES, LINKS, memory_budget=0, progress=stop_after(1))
    partial = stop.value.partial
    whole = run_native(SERIES, LINKS, mci=False)
    assert 1 <= len(partial.parents) < N and partial.pc_alpha.keys() == partial.parents.keys()
    assert all(partial.parents[j] == whole.parents[j] for j in partial.parents)
    assert (partial.status[LINKS] == LinkStatus.NOT_TESTED).all()
    assert (partial.p == 1).all() and (partial.val == 0).all()


def test_what_mci_found_is_handed_back() -> None:
    given = {"parents": dict.fromkeys(range(N), EVERY[::10])}
    with pytest.raises(InterruptedRun) as stop:
        run_native(SERIES, LINKS, memory_budget=0, progress=stop_after(2), **given)
    partial = stop.value.partial
    whole = run_native(SERIES, LINKS, **given)
    done = partial.status == LinkStatus.OK
    assert 0 < done.sum() == partial.tests_by_phase["mci"] < LINKS.sum()
    np.testing.assert_allclose(partial.p[done], whole.p[done], rtol=0, atol=1e-10)
    assert (partial.status[LINKS & ~done] == LinkStatus.NOT_TESTED).all()


def test_discover_says_what_it_has() -> None:
    with pytest.raises(DiscoveryInterrupted) as stop:
        discover(SERIES, tau_max=TAU_MAX, mode="exact", memory_budget=1, progress=stop_after(1))
    result = stop.value.result
    assert not result.complete and result.parents
    assert (result.status[LINKS] == LinkStatus.NOT_TESTED).all() and not result.tested.any()


def test_two_threads_at_once() -> None:
    expected = run_native(SERIES, LINKS)
    found = {}

    def work(k: int) -> None:
        found[k] = run_native(SERIES, LINKS, n_jobs=2)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for run in found.values():
        assert run.parents == expected.parents
        np.testing.assert_array_equal(run.p, expected.p)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_hang() -> None:
    run_native(SERIES, LINKS, n_jobs=2)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            run_native(SERIES, LINKS, n_jobs=2)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
