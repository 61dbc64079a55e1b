"""Results depend on the data alone: not on the order or scale of columns, on threads, or on how the call is made."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from arrow_cd import ScreenConfig, discover, lag_search, screen, simulate

STRATEGIES = ("weave", "forward", "marginal", "paper")
X = simulate.sparse_var(3, N=8, T=300, L=4).values
HOLES = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.nan, X)
ORDER = np.array([5, 2, 7, 0, 1, 6, 4, 3])


def find(values, strategy, **options):
    return discover(values, tau_max=4, screen=ScreenConfig(strategy), **options)


def assert_same(found, expected, *, atol=0.0):
    np.testing.assert_array_equal(found.graph, expected.graph)
    np.testing.assert_array_equal(found.tested, expected.tested)
    np.testing.assert_allclose(found.p_matrix, expected.p_matrix, rtol=0, atol=atol)


@pytest.mark.parametrize("values", [X, HOLES], ids=["complete", "holes"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_of_columns_does_not_matter(strategy, values):
    at = np.ix_(ORDER, ORDER)
    plain, moved = find(values, strategy), find(values[:, ORDER], strategy)
    np.testing.assert_array_equal(moved.graph, plain.graph[at])
    np.testing.assert_array_equal(moved.tested, plain.tested[at])
    np.testing.assert_allclose(moved.p_matrix, plain.p_matrix[at], rtol=0, atol=1e-9)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_scale_offset_and_sign_do_not_matter(strategy):
    scale = np.array([1e3, -1, 2, 1e-5, -7, 0.1, 1e6, 3])
    offset = np.array([0, 5, 1, 0, -100, 3, 1e6, 2])
    assert_same(find(X * scale + offset, strategy), find(X, strategy), atol=1e-7)


@pytest.mark.parametrize("values", [X, HOLES], ids=["complete", "holes"])
@pytest.mark.parametrize("method", ["pcmci", "pcmciplus"])
def test_only_the_order_of_samples_matters_to_normal_scores(method, values):
    options = {"method": method, "test": "robust_parcorr", "tau_max": 2, "mode": "exact"}
    plain, bent = (discover(x, **options) for x in (values[:, :4], np.exp(values[:, :4])))
    assert plain.engine == "native"
    assert_same(bent, plain)


@pytest.mark.parametrize("values", [X, HOLES], ids=["complete", "holes"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_threads_and_memory_layout_do_not_matter(strategy, values):
    plain = find(values, strategy)
    for n_jobs in (2, 0):
        assert_same(find(np.asfortranarray(values), strategy, n_jobs=n_jobs), plain)


def test_float32_is_the_same_numbers_in_float64():
    small = X.astype(np.float32)
    assert_same(find(small, "weave"), find(small.astype(float), "weave"))


def test_read_only_input_is_taken_and_left_alone():
    values = X.copy()
    values.flags.writeable = False
    find(values, "weave")
    np.testing.assert_array_equal(values, X)


def test_calls_from_several_python_threads_agree():
    found = []
    threads = [threading.Thread(target=lambda: found.append(find(X, "weave", n_jobs=2))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_same(found[1], found[0])
    assert_same(found[2], found[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_does_not_hang():
    find(X, "weave", n_jobs=2)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            find(X, "weave", n_jobs=2)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


LONG = {
    "screen": lambda noise, **o: screen(noise(1000, 600), tau_max=20, **o),
    "discover": lambda noise, **o: discover(noise(2000, 100), tau_max=20, mode="exact", **o),
    "lag_search": lambda noise, **o: lag_search(noise(40_000, 300), tau_max=80, bits=3, **o),
}


def noise(rows, columns):
    return np.random.default_rng(0).standard_normal((rows, columns))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_stops_a_long_run_and_the_next_call_works(name):
    fired = []

    def interrupt(*_):
        fired.append(time.monotonic())
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        with pytest.raises(KeyboardInterrupt):
            LONG[name](noise)
        # Far more than it takes on an idle machine, far less than the run would take.
        assert time.monotonic() - fired[0] < 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert find(X, "weave").complete


def test_a_callback_that_raises_stops_the_run():
    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        screen(noise(1000, 600), tau_max=20, progress=fail)
