"""tigramite's conditional independence tests by name, with a random stream of its own for every test."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.errors import BackendNotInstalledError, InvalidDataError
from arrow_cd.tigramite import require_tigramite
from arrow_cd.tigramite.compat import let_run_with_numpy
from arrow_cd.tigramite.counting import wrapped_call

if TYPE_CHECKING:
    from arrow_cd.data import TimeSeries

# name -> (module below tigramite.independence_tests, class)
_CLASSES = {
    "parcorr": ("parcorr", "ParCorr"),
    "robust_parcorr": ("robust_parcorr", "RobustParCorr"),
    "parcorr_wls": ("parcorr_wls", "ParCorrWLS"),
    "gpdc": ("gpdc", "GPDC"),
    "cmiknn": ("cmiknn", "CMIknn"),
    "cmisymb": ("cmisymb", "CMIsymb"),
    "gsquared": ("gsquared", "Gsquared"),
}
TESTS = tuple(_CLASSES)
_SYMBOLIC = {"cmisymb", "gsquared"}
_THREADED = {"cmiknn"}


def make_test(name: str, *, seed: int, n_jobs: int, options: Mapping[str, Any]) -> Any:
    """Return a new conditional independence test of tigramite.

    Parameters
    ----------
    name
        One of `TESTS`.
    seed, n_jobs
        Random seed; threads for tests that have some, 0 for one per core.
    options
        Arguments of tigramite's class, such as ``{"sig_samples": 200}``.

    Raises
    ------
    BackendNotInstalledError
        tigramite, or a package that this test needs, is missing.
    InvalidDataError
        The class does not take these options.
    """
    require_tigramite()
    module, kind = _CLASSES[name]
    try:
        test_class = getattr(import_module(f"tigramite.independence_tests.{module}"), kind)
    except ImportError as error:
        raise BackendNotInstalledError(
            f"test={name!r} needs {error.name}; install it with: pip install {error.name}"
        ) from error
    own: dict[str, Any] = {"seed": seed}
    if name in _THREADED:
        own["workers"] = n_jobs or -1
    try:
        test = test_class(**own | dict(options))
    except TypeError as error:
        raise InvalidDataError(f"test_options of {name!r}: {error}") from error
    let_run_with_numpy(test)
    return test


def check_values(name: str, series: TimeSeries) -> None:
    """Raise InvalidDataError if a test of symbols is given numbers that are none."""
    if name not in _SYMBOLIC:
        return
    broken = np.where(series.valid, series.values % 1 != 0, False)
    if broken.any():
        row, column = np.argwhere(broken)[0]
        raise InvalidDataError(
            f"test={name!r} needs symbols (whole numbers), but column {series.names[column]!r}, row {row} "
            f"(counting from 0) is {series.values[row, column]:g}"
        )


@contextmanager
def own_streams(test: Any, seed: int, names: Sequence[str]) -> Iterator[None]:
    """Give every test that runs inside the block a random stream made from `seed` and the variables it is about.

    tigramite draws all shuffles of a run from one stream, so that leaving out one link changes the p-values of the
    others. With this a test's p-value depends neither on what ran before it nor on the order of the columns.
    """

    def seeded(run_test: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(X: Any, Y: Any, Z: Any = None, **options: Any) -> Any:
            # Names and lags, sorted: the same variables in another order are the same test.
            key = [sorted((names[i], int(lag)) for i, lag in links) for links in (X, Y, Z or [])]
            test.random_state = np.random.default_rng([seed, zlib.crc32(repr(key).encode())])
            return run_test(X=X, Y=Y, Z=Z, **options)

        return wrapper

    with wrapped_call(test, "run_test", seeded):
        yield
