"""The families that benchmarks run through, each with the largest lag to search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

from arrow_cd.simulate._types import Simulated
from arrow_cd.simulate.arrow import (
    arrow_linear_const,
    arrow_linear_multi,
    arrow_nonlinear_const,
    arrow_nonlinear_multi,
)
from arrow_cd.simulate.dynamics import henon_chain, lorenz96
from arrow_cd.simulate.regimes import (
    cancelling_chain,
    censored,
    discrete_var,
    missing,
    nonlinear_parents,
    outliers,
    sparse_var,
    trend_and_season,
)
from arrow_cd.simulate.structural import (
    STRUCTURES,
    null_ar1,
    structure,
    svar_autocorrelated,
    svar_lingam,
    svar_long,
    svar_wide,
)


@dataclass(frozen=True)
class Family:
    """A generator with its settings; calling it with a seed gives a `Simulated`.

    Attributes
    ----------
    generate : callable
        ``generate(seed) -> Simulated``; takes `N` and `T` by name where they can be chosen.
    tau_max : int
        Largest lag to search, in samples; no link is longer.
    """

    generate: Callable[..., Simulated]
    tau_max: int

    @property
    def sizes(self) -> tuple[str, ...]:
        """Those of "N" and "T" that the family leaves open: its generator takes them and it has not set them itself."""
        fixed = getattr(self.generate, "keywords", {})
        return tuple(name for name in ("N", "T") if name in signature(self.generate).parameters and name not in fixed)

    def __call__(self, seed: int, **sizes: int) -> Simulated:
        """Generate the series of `seed`, of other `sizes` than the generator's own where it is told."""
        return self.generate(seed, **sizes)


# The lags of S1-S4; benchmarks take 5 and, when time is no matter, all of them.
ARROW_LAGS = (3, 5, 7, 9, 15, 20)


def arrow_families(lag: int) -> dict[str, Family]:
    """S1-S4 at one lag, searched up to twice that lag."""
    return {
        f"S1_linear_const_L{lag}": Family(partial(arrow_linear_const, lag=lag), 2 * lag),
        f"S2_linear_multi_L{lag}": Family(partial(arrow_linear_multi, lag=lag), 2 * lag),
        f"S3_nonlinear_const_L{lag}": Family(partial(arrow_nonlinear_const, lag=lag), 2 * lag),
        f"S3_fixed_functions_L{lag}": Family(partial(arrow_nonlinear_const, lag=lag, redraw_functions=False), 2 * lag),
        f"S4_nonlinear_multi_L{lag}": Family(partial(arrow_nonlinear_multi, lag=lag), 2 * lag),
    }


_STRUCTURAL: dict[str, Family] = {
    "S5_svar_wide": Family(svar_wide, 3),
    "S6_svar_long": Family(svar_long, 10),
    "S7_autocorrelated": Family(svar_autocorrelated, 5),
    "S8_lorenz96_10": Family(lorenz96, 5),
    "S8_lorenz96_20": Family(partial(lorenz96, N=20, forcing=40.0), 5),
    "S9_henon_chain": Family(henon_chain, 5),
    "S10_svar_lingam": Family(svar_lingam, 5),
    **{f"S11_{shape}": Family(partial(structure, shape=shape), 25) for shape in STRUCTURES},
    "S12_null": Family(null_ar1, 10),
    "S12_null_shared": Family(partial(null_ar1, trend_and_season=True), 10),
}

# Feedback has to shrink a lot beside strong own lags or over long lags: links would be too weak for any method.
_VAR_SETTINGS: dict[str, dict[str, Any]] = {
    "var": {},
    "var_T300": {"T": 300},
    "var_T100": {"T": 100},
    "var_weak": {"strength": (0.1, 0.2)},
    "var_tiny_T10000": {"T": 10_000, "strength": (0.03, 0.08)},
    "var_own_80_95": {"own": (0.8, 0.95), "feedforward": True},
    "var_own_94_96": {"own": (0.94, 0.96), "feedforward": True},
    "var_heavy_tails": {"heavy_tails": True},
    "var_outliers": {"distort": outliers},
    "var_trend_season": {"distort": trend_and_season},
    "var_two_lags": {"parents": 1, "lags_per_parent": 2},
    "var_missing": {"distort": missing},
    "var_zeros": {"distort": censored},
    "var_N50": {"N": 50},
    "var_N100_L20": {"N": 100, "L": 20, "feedforward": True},
    "var_L100": {"L": 100, "feedforward": True},
}


FAMILIES: dict[str, Family] = {
    **arrow_families(5),
    **_STRUCTURAL,
    **{
        name: Family(partial(sparse_var, **settings), settings.get("L", 10)) for name, settings in _VAR_SETTINGS.items()
    },
    **{kind: Family(partial(discrete_var, kind=kind), 10) for kind in ("counts", "binary", "half_binary")},
    **{
        f"parents_{function}": Family(partial(nonlinear_parents, function=function), 10)
        for function in ("bump", "square", "abs", "cos")
    },
    "cancelling_chain_T300": Family(partial(cancelling_chain, T=300), 5),
    "cancelling_chain_T2000": Family(partial(cancelling_chain, T=2000), 5),
}
