"""`accelerate`: the same kind of object back, faster."""

from __future__ import annotations

import inspect
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from arrow_cd.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arrow_cd.backends.base import Progress
    from arrow_cd.screening import ScreenConfig

# One entry per kind of object: full name of a function, of a class or of a base of it, and the module whose
# `accelerate` takes it, with those of the keywords below that mean something for the kind. Names instead of classes, so
# that nothing heavy is imported before an object of that kind turns up.
_KINDS: dict[str, str] = {
    "causallearn.search.ConstraintBased.PC.pc": "arrow_cd.causallearn.pc",
    "statsmodels.tsa.stattools.grangercausalitytests": "arrow_cd.statsmodels",
    "statsmodels.tsa.stattools._stattools.grangercausalitytests": "arrow_cd.statsmodels",  # from 0.15 on
    "tigramite.pcmci_base.PCMCIbase": "arrow_cd.tigramite.pcmci",
    "causallearn.search.FCMBased.lingam.var_lingam.VARLiNGAM": "arrow_cd.causallearn.varlingam",
    "lingam.var_lingam.VARLiNGAM": "arrow_cd.causallearn.varlingam",
}


def accelerate(
    obj: Any,
    *,
    mode: Literal["screen", "exact"] = "screen",
    screen: ScreenConfig | None = None,
    engine: Literal["auto", "native", "tigramite"] = "auto",
    memory_budget: int | None = None,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Any:
    """Return an accelerated copy of `obj`; `obj`, its data and its test stay as they are.

    Parameters
    ----------
    obj : tigramite.pcmci.PCMCI, VARLiNGAM, function or str
        A PCMCI object, a VARLiNGAM object of causal-learn or lingam, causal-learn's function `pc` (with
        ``tau_max=...``, for it has no lags), statsmodels' `grangercausalitytests` (never screened), or the name of a
        method that `discover` knows.
    mode : {"screen", "exact"}
        "screen": only links that a screen keeps are tested. Any other link counts as absent, with p = 1 in every
        correction, so that the family stays the one that was asked about. "exact": every link is tested, and the
        answer is that of `obj` itself, sooner. A test that draws random numbers is then refused.
    screen : ScreenConfig, optional
        Which screen; `weave` by default. Only with mode "screen".
    engine : {"auto", "native", "tigramite"}
        Who runs the conditional independence tests of a PCMCI object. "auto": natively where that gives tigramite's
        numbers (ParCorr and RobustParCorr with analytic p-values), else tigramite's search on a drop-in test of these
        two or on its own. "native" raises where that is not possible; "tigramite" uses nothing but tigramite's own
        test.
    memory_budget : int, optional
        Bytes for the correlations of the C = N (2 tau_max + 1) lagged columns of all links, 2 GiB by default: 8 C^2 as
        one matrix, about 8 C N as sums by lag difference, 24 C as columns to be multiplied pair by pair; with
        RobustParCorr on R rows 8 C (C + R) as a matrix and 8 C R as columns. Of those that fit the likely fastest is
        made. If none fits, every test reads its rows, which is slower, and the report says so. Also for the table of
        the screen `forward`, 8 (2 N (tau_max + 1))^2 bytes, 4 GiB by default; a larger one is refused.
    n_jobs : int
        Threads for screen and native engine, 0 for one per core. Results do not depend on it.
    progress : callable or bool, optional
        Callback ``(phase, done, total)`` counted in targets, or True for a bar on standard error.
    **options
        With a method's name: options of `discover`, kept for every call. With another object: what its kind takes.

    Returns
    -------
    object
        For a PCMCI object an instance of a subclass of `tigramite.pcmci.PCMCI` with the same methods and, after a
        run, `.screening`. For a VARLiNGAM object one of a subclass of its class, with `fit` and what it sets; see
        `arrow_cd.causallearn.varlingam.AcceleratedFit`. For a method's name
        ``functools.partial(discover, method=obj, ...)``.

    Raises
    ------
    BackendError
        What was asked is not covered; the message names it.
    InvalidDataError
        `obj` is of no known kind or names no method, or an option has a value that can't be meant.

    Examples
    --------
    >>> fast = accelerate(pcmci)  # doctest: +SKIP
    >>> results = fast.run_pcmci(tau_max=20, fdr_method="fdr_bh")  # doctest: +SKIP
    >>> print(fast.screening)  # doctest: +SKIP
    """
    if isinstance(obj, str):
        if engine != "auto":
            raise InvalidDataError(f"engine={engine!r} goes with a PCMCI object; a method's name takes test=...")
        options |= {"mode": mode, "screen": screen, "memory_budget": memory_budget}
        return _accelerate_method(obj, n_jobs=n_jobs, progress=progress, **options)
    settings = {"screen": screen, "engine": engine, "memory_budget": memory_budget, "progress": progress}
    for name in _names(obj):
        if name in _KINDS:
            accelerator = import_module(_KINDS[name]).accelerate
            return accelerator(obj, **_fitting(accelerator, obj, {"mode": mode, "n_jobs": n_jobs}, settings, options))
    raise InvalidDataError(f"accelerate can't take {_describe(obj)}: expected {_accepted()}")


def _names(obj: Any) -> list[str]:
    """Full names under which the kind of an object may be known."""
    if inspect.isfunction(obj):
        return [f"{obj.__module__}.{obj.__qualname__}"]
    return [f"{base.__module__}.{base.__qualname__}" for base in type(obj).__mro__]


def _fitting(
    accelerator: Callable[..., Any],
    obj: Any,
    common: Mapping[str, Any],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Arguments that the kind of object takes; any other that was given is refused, options as unknown arguments."""
    taken = inspect.signature(accelerator).parameters
    for name in options:
        if name not in taken:
            raise TypeError(f"accelerate of {_describe(obj)} takes no option {name!r}")
    for name, value in settings.items():
        if name not in taken and value not in (None, "auto"):
            raise InvalidDataError(f"{name}={value!r} means nothing for {_describe(obj)}")
    return {name: value for name, value in {**common, **settings, **options}.items() if name in taken}


def _accelerate_method(name: str, **options: Any) -> Callable[..., Any]:
    from arrow_cd._discover import discover
    from arrow_cd.backends.registry import list_methods

    if name not in list_methods():
        raise InvalidDataError(f"accelerate: no method {name!r}: expected {_accepted()}")
    return partial(discover, method=name, **{key: value for key, value in options.items() if value is not None})


def _describe(obj: Any) -> str:
    if inspect.isfunction(obj):
        return f"the function {obj.__name__}"
    return f"the class {obj.__qualname__}; give an instance" if isinstance(obj, type) else f"a {type(obj).__name__}"


def _accepted() -> str:
    from arrow_cd.backends.registry import list_methods

    return (
        "a tigramite.pcmci.PCMCI object, a VARLiNGAM object of causal-learn or lingam, causal-learn's function pc, "
        f"statsmodels' grangercausalitytests, or a method's name ({', '.join(list_methods())})"
    )
