"""Seeded generators of time series with known links, for tests and benchmarks.

Each takes a seed for `numpy.random.default_rng` and keyword settings and returns a `Simulated`. `FAMILIES` names the
settings that the benchmarks run through.
"""

from __future__ import annotations

from arrow_cd.simulate._types import Link, Simulated
from arrow_cd.simulate.arrow import (
    arrow_linear_const,
    arrow_linear_multi,
    arrow_nonlinear_const,
    arrow_nonlinear_multi,
)
from arrow_cd.simulate.dynamics import henon_chain, lorenz96
from arrow_cd.simulate.families import ARROW_LAGS, FAMILIES, Family, arrow_families
from arrow_cd.simulate.linear import companion_radius
from arrow_cd.simulate.regimes import cancelling_chain, discrete_var, nonlinear_parents, sparse_var
from arrow_cd.simulate.structural import (
    null_ar1,
    pure_noise,
    structure,
    svar_autocorrelated,
    svar_lingam,
    svar_long,
    svar_wide,
)

__all__ = [
    "ARROW_LAGS",
    "FAMILIES",
    "Family",
    "Link",
    "Simulated",
    "arrow_families",
    "arrow_linear_const",
    "arrow_linear_multi",
    "arrow_nonlinear_const",
    "arrow_nonlinear_multi",
    "cancelling_chain",
    "companion_radius",
    "discrete_var",
    "henon_chain",
    "lorenz96",
    "nonlinear_parents",
    "null_ar1",
    "pure_noise",
    "sparse_var",
    "structure",
    "svar_autocorrelated",
    "svar_lingam",
    "svar_long",
    "svar_wide",
]
