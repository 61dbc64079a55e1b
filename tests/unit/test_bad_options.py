"""Every door refuses options that can't be meant: one clear error, never a panic, a traceback of numpy or a hang."""

import re

import numpy as np
import pytest

from arrow_cd import (
    InvalidDataError,
    ScreenConfig,
    as_time_series,
    discover,
    encode,
    lag_search,
    lag_search_top,
    score,
    screen,
    simulate,
)
from arrow_cd.backends.native_pcmci import run_native
from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.backends.registry import find_backends, list_methods

X = np.random.default_rng(0).standard_normal((80, 3))
HUGE = 10**20
NOT_COUNTS = (-1, 1.5, "3", None, True, np.float64(2), [2], HUGE)

COUNTS = {
    "screen tau_max": lambda v: screen(X, tau_max=v),
    "screen tau_min": lambda v: screen(X, tau_max=3, tau_min=v),
    "screen n_jobs": lambda v: screen(X, tau_max=3, n_jobs=v),
    "encode tau_max": lambda v: encode(X, tau_max=v),
    "encode n_jobs": lambda v: encode(X, n_jobs=v),
    "encode bits": lambda v: encode(X, bits=v),
    "lag_search tau_max": lambda v: lag_search(X, tau_max=v),
    "lag_search tau_min": lambda v: lag_search(X, tau_max=3, tau_min=v),
    "lag_search n_jobs": lambda v: lag_search(X, tau_max=3, n_jobs=v),
    "lag_search memory_budget": lambda v: lag_search(X, tau_max=3, memory_budget=v),
    "lag_search_top k": lambda v: lag_search_top(X, tau_max=3, k=v),
    "discover tau_max": lambda v: discover(X, tau_max=v),
    "discover n_jobs": lambda v: discover(X, tau_max=3, n_jobs=v),
    "discover seed": lambda v: discover(X, tau_max=3, seed=v),
    "discover max_combinations": lambda v: discover(X, tau_max=3, max_combinations=v),
    **{
        f"ScreenConfig {name}": lambda v, name=name: ScreenConfig(**{name: v})
        for name in ("bits", "pool", "own_lags", "keep_marginal", "max_add", "max_scans")
    },
}


@pytest.mark.parametrize("value", NOT_COUNTS, ids=repr)
@pytest.mark.parametrize("door", COUNTS)
def test_a_count_that_is_none_is_named(door, value):
    with pytest.raises(InvalidDataError, match=re.escape(f"{door.split()[1]}={value!r}")):
        COUNTS[door](value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ScreenConfig("nope"), "screen strategy='nope': expected one of weave"),
        (lambda: ScreenConfig(kappa="3"), "kappa='3': expected a positive number"),
        (lambda: ScreenConfig(kappa=np.nan), "kappa=nan: expected a positive number"),
        (lambda: ScreenConfig(even=1), "even=1: expected True or False"),
        (lambda: screen(X, tau_max=3, config="weave"), "config='weave': expected a ScreenConfig"),
        (lambda: screen(X, tau_max=3, rows=["pcmci"]), "expected one of pcmci, lagged"),
        (lambda: screen(X, tau_max=3, allowed=np.ones((3, 3, 4), int)), "expected bool of shape"),
        (lambda: screen(X, tau_max=3, allowed="all"), "expected bool of shape"),
        (lambda: screen(X, tau_max=3, progress=5), "progress=5: expected True, False or a callable"),
        (lambda: encode(X, code=None), "code=None: expected one of level"),
        (lambda: encode(X, tau_max=80), "expected a lag shorter than the 80 rows"),
        (lambda: lag_search(encode(X), tau_max=80), "expected a lag shorter than the 80 rows"),
        (lambda: lag_search_top(encode(X), tau_max=10**9), "expected a lag shorter than the 80 rows"),
        (lambda: lag_search(encode([X, X], tau_max=1), tau_max=2), "coded for lags up to 1"),
        (lambda: discover(X, screen="weave"), "screen='weave': expected a ScreenConfig"),
        (lambda: discover(X, progress=5), "progress=5: expected True, False or a callable"),
        (lambda: discover(X, forbid=5), "forbid must be a list of rules"),
        (lambda: discover(X, link_assumptions=[1]), "link_assumptions: expected a dict"),
        (lambda: discover(X, preprocess=5), "preprocess=5: expected none"),
        (lambda: discover(np.ones((50, 3)), tau_max=2), "all of the 3 columns are constant or empty"),
        (lambda: score([1, 2], np.zeros((2, 2))), "links must be"),
        (lambda: simulate.sparse_var(-1), "seed=-1: expected a whole number"),
        (lambda: simulate.sparse_var(0, N=0), "N=0: expected a whole number of at least 1"),
        (lambda: simulate.lorenz96(0, T=1.5), "T=1.5: expected a whole number"),
        (lambda: simulate.pure_noise(0, N=1), "needs two series"),
        (lambda: as_time_series(X, names=["a", "b", "\x1b[31m"]), "holds a control character"),
        (lambda: as_time_series(X, names=["a", "b", "\ud800"]), "holds a control character or half"),
    ],
)
def test_other_options_are_named(call, message):
    with pytest.raises(InvalidDataError, match=re.escape(message)):
        call()


def test_options_without_end_cost_nothing():
    config = ScreenConfig(pool=10**12, own_lags=10**12, keep_marginal=10**12, max_add=10**12, max_scans=10**12)
    assert len(screen(X, tau_max=3, config=config, n_jobs=10**6)) == 3 * (
        3 + 2
    )  # all own lags, the best lag of each other source
    assert lag_search_top(X, tau_max=3, k=10**12).height == 3 * 12 - 3


def test_numbers_of_numpy_become_plain():
    config = ScreenConfig(bits=np.int64(3), kappa=np.float32(0.5), even=np.bool_(False))
    assert [type(value) for value in (config.bits, config.kappa, config.even)] == [int, float, bool]


@pytest.mark.parametrize("strategy", ["weave", "forward", "marginal", "paper"])
def test_a_screen_of_constants_keeps_nothing(strategy):
    assert len(screen(np.ones((50, 3)), tau_max=3, config=ScreenConfig(strategy))) == 0


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1e-310])
def test_the_scale_of_the_data_does_not_matter(factor):
    plain, scaled = discover(X, tau_max=3), discover(X * factor, tau_max=3)
    np.testing.assert_allclose(scaled.p_matrix, plain.p_matrix, atol=1e-6)
    assert scaled.notes == plain.notes


def test_dense_arrays_beyond_the_budget_are_refused_with_the_numbers():
    wide = np.random.default_rng(0).standard_normal((1300, 1200))
    with pytest.raises(MemoryError, match=re.escape("200 N^2 (tau_max + 1) = 6048000000 bytes for N=1200")):
        discover(wide, tau_max=20)
    with pytest.raises(MemoryError, match="more than memory_budget=200; lag_search_top keeps only"):
        lag_search(X, tau_max=3, memory_budget=200)


NATIVE_LINKS = np.zeros((3, 3, 3), dtype=bool)
NATIVE_LINKS[:, :, 1:] = True
NATIVE_WRONG = {
    "links": (None, "x", np.ones((2, 2, 2), dtype=bool), np.ones((3, 3, 0), dtype=bool), np.ones((3, 3, 3))),
    "required": ([2], np.ones((3, 3, 3))),
    "rows": ("x", [2], np.arange(3)),
    "order": ("x", {5: [(0, -1)]}, {0: [0]}),
    "pc_alpha": ("x", [], [2], {}, np.nan, [None], True),
    "max_conds_dim": (-1, 1.5, HUGE, True),
    "max_combinations": (0, None, np.nan),
    "max_conds_py": ("x", [2]),
    "max_conds_px": (-1, np.nan),
    "memory_budget": (-1, None, 1.5),
    "n_jobs": (-1, None, HUGE),
    "progress": ("x", 1, []),
}
ONLY = {
    run_native: {
        "parents": ({0: [(-1, -1)]}, {0: [(9, -1)]}, {0: [(0, 1)]}, [2]),
        "mci": (None, 1),
        "normal_scores": (1,),
    },
    run_native_plus: {
        "contemp_collider_rule": ("x", 0),
        "conflict_resolution": (1, None),
        "max_conds_px_lagged": (-1,),
    },
}


@pytest.mark.parametrize("search", ONLY, ids=lambda search: search.__name__)
def test_native_searches_name_what_they_can_not_take(search):
    for option, values in (NATIVE_WRONG | ONLY[search]).items():
        for value in values:
            with pytest.raises(InvalidDataError, match=rf"^{option}[=:\[]"):
                search(as_time_series(X), **{"links": NATIVE_LINKS, option: value})


@pytest.mark.parametrize(
    ("method", "option"),
    [(method, name) for method in list_methods() for name in find_backends(method)[0].defaults],
)
def test_an_array_is_no_option_of_a_method(method, option):
    with pytest.raises(InvalidDataError, match=option):
        discover(X, method=method, tau_max=1, **{option: np.zeros(2)})


@pytest.mark.parametrize("method", ["pcmci", "pcmciplus"])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("progress", []),
        ("progress", np.zeros(2)),
        ("test", np.zeros(2)),
        ("preprocess", np.zeros(2)),
        ("preprocess", [None]),
        ("preprocess", {}),
        ("forbid", np.array(0.1)),
    ],
)
def test_arrays_and_empty_things_are_no_options(method, option, value):
    with pytest.raises(InvalidDataError, match=option):
        discover(X, method=method, tau_max=2, **{option: value})
