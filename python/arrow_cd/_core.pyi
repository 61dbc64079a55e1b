"""The compiled core; use the typed wrappers in `arrow_cd` instead."""

from collections.abc import Callable, Sequence
from typing import Literal, Self, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Correlations",
    "Planes",
    "__version__",
    "autoregression",
    "causal_order",
    "correlation_pvalues",
    "encode",
    "f_pvalues",
    "granger",
    "kernels",
    "lag_search",
    "lag_search_top",
    "ngc",
    "partial_correlation",
    "pc",
    "pcmci",
    "pcmciplus",
    "screen",
    "structural_fit",
    "student_t_critical",
    "student_t_pvalues",
    "surd",
]

__version__: str

_Rows = tuple[NDArray[np.uint64] | None, NDArray[np.bool_] | None, str, bool]

class _Pc(TypedDict):
    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    parents: list[list[tuple[int, int]]]
    ends: list[str]
    separators: list[tuple[tuple[int, int], int, list[tuple[int, int]]]]
    tests: int
    n_rows: int
    has_matrix: bool
    interrupted: bool
    seconds: tuple[float, float]

class _NgcFit(TypedDict):
    columns: list[tuple[int, int]]
    norms: list[float]
    end: Literal["converged", "not converged", "numeric"]
    iterations: int
    objective: tuple[float, float]
    r2: float

class _Ngc(TypedDict):
    targets: list[_NgcFit | None]
    n_rows: int
    interrupted: bool

class _Pcmci(TypedDict):
    val: NDArray[np.float64]
    p: NDArray[np.float64]
    df: NDArray[np.uint64]
    status: NDArray[np.uint8]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    parents: list[list[tuple[int, int]] | None]
    pc_alpha: list[float | None]
    n_rows: int
    tests: tuple[int, int]
    correlations: Literal["matrix", "differences", "pairs", "rows"]
    interrupted: bool
    seconds: tuple[float, float, float, float]

class _PcmciPlus(TypedDict):
    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    graph: NDArray[np.uint8]
    pc_val: NDArray[np.float64]
    pc_p_max: NDArray[np.float64]
    pc_val_min: NDArray[np.float64]
    parents: list[list[tuple[int, int]] | None]
    separators: list[tuple[int, int, int, list[int]]]
    ambiguous: list[tuple[int, int, int, int]]
    pc_alpha: float
    n_rows: int
    tests: tuple[int, int, int]
    correlations: Literal["matrix", "differences", "pairs", "rows"]
    interrupted: bool
    seconds: tuple[float, float, float, float]

class _Granger(TypedDict):
    val: NDArray[np.float64]
    p: NDArray[np.float64]
    status: NDArray[np.uint8]
    pair_val: NDArray[np.float64]
    pair_p: NDArray[np.float64]
    pair_status: NDArray[np.uint8]
    f: NDArray[np.float64]
    df_num: NDArray[np.uint64]
    df_denom: NDArray[np.uint64]
    n_rows: int
    interrupted: bool
    seconds: tuple[float, float]

class _SurdTarget(TypedDict):
    agents: list[tuple[int, int]]
    varies: list[bool]
    entropy: float
    information: float
    credits: NDArray[np.float64]
    p: NDArray[np.float64]
    terms: list[tuple[str, list[int], float]]

class _Surd(TypedDict):
    targets: list[_SurdTarget | None]
    order: int
    n_rows: int
    n_sets: int
    interrupted: bool

@final
class Correlations:
    def __new__(
        cls,
        values: NDArray[np.float64],
        segments: Sequence[tuple[int, int]],
        rows: _Rows,
        *,
        max_lag: int,
        normal_scores: bool,
    ) -> Self: ...
    @staticmethod
    def bytes(n_series: int, max_lag: int) -> int: ...
    def test(
        self, x: tuple[int, int], y: tuple[int, int], z: Sequence[tuple[int, int]]
    ) -> tuple[float, float, int] | None: ...

@final
class Planes:
    @property
    def nbytes(self) -> int: ...
    def codes(self) -> NDArray[np.int8]: ...

def autoregression(
    values: NDArray[np.float64],
    segments: Sequence[tuple[int, int]],
    links: NDArray[np.bool_],
    *,
    centred: bool,
    memory_budget: int,
    n_jobs: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[bool]]: ...
def causal_order(
    columns: NDArray[np.float64],
    *,
    rows_less_one: bool,
    before: Sequence[tuple[int, int]],
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[list[int], NDArray[np.float64], int]: ...
def correlation_pvalues(r: NDArray[np.float64], df: NDArray[np.float64]) -> NDArray[np.float64]: ...
def encode(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    *,
    code: str,
    bits: int,
    tau_max: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Planes: ...
def f_pvalues(f: NDArray[np.float64], df1: NDArray[np.uint64], df2: NDArray[np.float64]) -> NDArray[np.float64]: ...
def granger(
    values: NDArray[np.float64],
    segments: Sequence[tuple[int, int]],
    *,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_] | None,
    form: str,
    tau_min: int,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _Granger: ...
def kernels() -> list[str]: ...
def lag_search(
    planes: Planes,
    found: NDArray[np.float64],
    *,
    measure: str,
    tau_min: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> None: ...
def lag_search_top(
    planes: Planes,
    *,
    tau_min: int,
    tau_max: int,
    k: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
def ngc(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    *,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_],
    keys: Sequence[int],
    penalty: str,
    hidden: int,
    lam: float,
    ridge: float,
    lr: float,
    tol: float,
    max_iter: int,
    seed: int,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _Ngc: ...
def partial_correlation(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    rows: _Rows,
    *,
    t0: int,
    normal_scores: bool,
    x: tuple[int, int],
    y: tuple[int, int],
    z: Sequence[tuple[int, int]],
) -> tuple[float, float, int] | None: ...
def pc(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    *,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_] | None,
    pc_alpha: float,
    max_conds_dim: int | None,
    max_tests: int | None,
    normal_scores: bool,
    fisher_z: bool,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _Pc: ...
def pcmci(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    *,
    rows: _Rows,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_] | None,
    order: Sequence[Sequence[tuple[int, int]]] | None,
    parents: Sequence[Sequence[tuple[int, int]]] | None,
    pc_alpha: Sequence[float],
    max_conds_dim: int | None,
    max_combinations: int,
    max_conds_py: int | None,
    max_conds_px: int | None,
    mci: bool,
    normal_scores: bool,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _Pcmci: ...
def pcmciplus(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: Sequence[tuple[int, int]],
    *,
    rows: _Rows,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_] | None,
    order: Sequence[Sequence[tuple[int, int]]] | None,
    pc_alpha: Sequence[float],
    collider_rule: str,
    mark_conflicts: bool,
    reset_lagged_links: bool,
    max_conds_dim: int | None,
    max_combinations: int,
    max_conds_py: int | None,
    max_conds_px: int | None,
    max_conds_px_lagged: int | None,
    normal_scores: bool,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _PcmciPlus: ...
def screen(
    values: NDArray[np.float64],
    valid: NDArray[np.bool_] | None,
    segments: list[tuple[int, int]],
    *,
    strategy: str,
    tau_min: int,
    tau_max: int,
    first_row: int,
    allowed: NDArray[np.bool_] | None,
    bits: int,
    pool: int,
    kappa: float,
    own_lags: int,
    even: bool,
    keep_marginal: int,
    max_add: int,
    max_scans: int,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
def structural_fit(
    values: NDArray[np.float64],
    segments: Sequence[tuple[int, int]],
    links: NDArray[np.bool_],
    *,
    required: NDArray[np.bool_],
    order: Sequence[int],
    price: float | None,
    refit: bool,
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]: ...
def student_t_critical(level: float, df: float) -> float: ...
def student_t_pvalues(t: NDArray[np.float64], df: NDArray[np.float64]) -> NDArray[np.float64]: ...
def surd(
    values: NDArray[np.float64],
    segments: Sequence[tuple[int, int]],
    *,
    links: NDArray[np.bool_],
    required: NDArray[np.bool_] | None,
    bins: int,
    binning: str,
    max_order: int | None,
    unbias: bool,
    shifts: NDArray[np.uint64],
    memory_budget: int,
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> _Surd: ...
