"""The other families against published numbers and independent libraries.

    python benches/backends_exact.py

Each row is one comparison: how many cases, the largest difference found, what is allowed. Exit code 1 if one is larger.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from causallearn.search.FCMBased.lingam import VARLiNGAM

import library_runs
from arrow_cd import _core, accelerate, as_time_series, discover
from arrow_cd.backends.native_surd import run_surd
from arrow_cd.metrics import rank_areas
from arrow_cd.simulate import lorenz96, sparse_var, svar_lingam
from reference_series import lin, ling
from results_page import provenance, table, write_section
from surd_systems import SHARES, dynamical
from systems import all_links, linear_system

BUDGET = 1 << 30
LIN_LAGS = 3
# Conditional F of the reference series at 3 lags by pair, bivariate F by pair: df 3 and 287, 3 and 290.
BIVARIATE = {(0, 1): 2.84655325739, (0, 2): 0.758396957448, (1, 0): 0.159361622233}
BIVARIATE |= {(1, 2): 8.58439858017, (2, 0): 3.08051592068, (2, 1): 0.19773088537}
CONDITIONAL = {(0, 1): 2.94653525039, (0, 2): 1.81781758099, (1, 0): 0.263395656813}
CONDITIONAL |= {(1, 2): 9.64859236863, (2, 0): 3.1575194669, (2, 1): 0.32166937213}
CONDITIONAL |= {(0, 0): 15.2673588023, (1, 1): 16.831300642, (2, 2): 17.4179023718}
BIVARIATE_P = {(0, 1): 0.037898970746, (0, 2): 0.518251585518, (1, 0): 0.923585892502}
BIVARIATE_P |= {(1, 2): 1.77076832048e-5, (2, 0): 0.0278259568491, (2, 1): 0.897894364851}
# Structural coefficients [source, target, tau] of the second reference series.
LING_ORDER = [2, 0, 3, 1]
LING_B = {(2, 0, 0): 0.733059661137, (2, 1, 0): 0.379812928517, (3, 1, 0): 0.535233721753, (0, 3, 0): -0.56968882128}
LING_B |= {(0, 0, 1): 0.409961186453, (3, 1, 1): 0.528398987825, (2, 2, 1): 0.365411275101, (0, 3, 1): 0.141644703912}


@dataclass(frozen=True)
class Check:
    """One comparison."""

    what: str
    cases: int
    difference: float
    allowed: float

    @property
    def holds(self) -> bool:
        return self.difference <= self.allowed

    def row(self) -> list[str]:
        return [
            self.what,
            str(self.cases),
            f"{self.difference:.2g}",
            f"{self.allowed:.2g}",
            "yes" if self.holds else "NO",
        ]


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """Largest relative difference; below 1e-3, where F is what is left of two nearly equal sums, relative to that."""
    return float(np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-3)))


def f_statistics(result, lags: int, df: int) -> np.ndarray:
    """F of every pair, from ln(RSS_r / RSS_f)."""
    return np.expm1(result.pairs.val) * df / lags


def granger_reference() -> Iterator[Check]:
    for name, options, expected, df in (
        ("bivariate", {"conditional": False}, BIVARIATE, 290),
        ("conditional", {}, CONDITIONAL, 287),
    ):
        result = discover(lin(), method="granger", tau_max=LIN_LAGS, mode="exact", **options)
        F = f_statistics(result, LIN_LAGS, df)
        at = tuple(np.transpose(list(expected)))
        difference = relative(F[at], np.array(list(expected.values())))
        yield Check(f"Granger, {name}: F of the reference series", len(expected), difference, 1e-9)
        if name == "bivariate":
            found = result.pairs.p[tuple(np.transpose(list(BIVARIATE_P)))]
            difference = float(np.max(np.abs(found - list(BIVARIATE_P.values()))))
            yield Check("Granger, bivariate: p of the reference series", len(BIVARIATE_P), difference, 1e-12)


def granger_against_statsmodels(systems: int = 50) -> Iterator[Check]:
    worst = dict.fromkeys(("bivariate F", "bivariate p", "conditional F"), 0.0)
    rng = np.random.default_rng(0)
    for seed in range(systems):
        N, lags, T = int(rng.integers(2, 7)), int(rng.integers(1, 8)), int(rng.integers(100, 800))
        x = linear_system(seed, N, T, lags)
        pairs = ~np.eye(N, dtype=bool)
        result = discover(x, method="granger", tau_max=lags, mode="exact", conditional=False)
        df = T - lags - 2 * lags - 1
        expected = library_runs.granger_bivariate(x, lags)
        F = f_statistics(result, lags, df)
        worst["bivariate F"] = max(worst["bivariate F"], relative(F[pairs], expected[pairs]))
        p = stats.f.sf(expected, lags, df)
        worst["bivariate p"] = max(worst["bivariate p"], float(np.abs(result.pairs.p - p)[pairs].max()))
        result = discover(x, method="granger", tau_max=lags, mode="exact")
        df = T - lags - N * lags - 1
        expected = library_runs.granger_conditional(x, lags)
        F = f_statistics(result, lags, df)
        worst["conditional F"] = max(worst["conditional F"], relative(F[pairs], expected[pairs]))
    for name, difference in worst.items():
        yield Check(f"Granger, {name} against statsmodels, N 2 to 6, 1 to 7 lags", systems, difference, 1e-10)


def lingam_reference() -> Iterator[Check]:
    """The steps of `lingam` without its pruning: order, B0 by the adaptive lasso, B1 = (1 - B0) M."""
    x = ling()
    rows = [(0, len(x) - 1)]
    links = all_links(4, 1, tau_min=0)
    reduced, residuals, _ = _core.autoregression(
        np.ascontiguousarray(x.T), [(0, len(x))], links, centred=False, memory_budget=BUDGET
    )
    order, *_ = _core.causal_order(residuals, rows_less_one=False, before=[])
    yield Check("VARLiNGAM: places of the reference order that differ", 4, float(np.sum(order != LING_ORDER)), 0)
    nothing = np.zeros((4, 4, 1), dtype=bool)
    lag0 = np.ascontiguousarray(links[:, :, :1])
    price = np.log(len(x) - 1)
    instant, _ = _core.structural_fit(
        residuals, rows, lag0, required=nothing, order=order, price=price, refit=True, memory_budget=BUDGET
    )
    B = np.stack([instant[:, :, 0], ((np.eye(4) - instant[:, :, 0].T) @ reduced[:, :, 1]).T], axis=2)
    found = np.array([B[at] for at in LING_B])
    difference = float(np.abs(found - list(LING_B.values())).max())
    yield Check("VARLiNGAM: coefficients of the reference series", len(LING_B), difference, 1e-6)


def lingam_against_causal_learn(systems: int = 30) -> Iterator[Check]:
    """`accelerate` of its object; `discover` centres the series, which its regression without a constant does not."""
    different, coefficients = 0, 0.0
    for seed in range(systems):
        x, lags = svar_lingam(seed).values, 1 + seed % 3
        theirs = library_runs.varlingam(x, lags)
        ours = accelerate(VARLiNGAM(lags=lags, criterion=None), mode="exact")
        ours.fit(x)
        different += list(ours.causal_order_) != list(theirs.causal_order_)
        coefficients = max(
            coefficients, float(np.abs(np.subtract(ours.adjacency_matrices_, theirs.adjacency_matrices_)).max())
        )
    yield Check("VARLiNGAM: causal orders that differ from causal-learn's", systems, different, 0)
    yield Check("VARLiNGAM, accelerated object: matrices against causal-learn's", systems, coefficients, 1e-9)


def pc_against_tigramite(systems: int = 30) -> Iterator[Check]:
    different = 0
    rng = np.random.default_rng(1)
    for seed in range(systems):
        N, lags, T = int(rng.integers(2, 8)), int(rng.integers(1, 5)), int(rng.integers(150, 600))
        x = linear_system(seed, N, T, lags)
        ours = discover(x, method="pc", tau_max=lags, mode="exact", fdr="none", alpha=0.01)
        parents = {j: {tuple(node) for node in ours.parents[j]} for j in range(N)}
        theirs = library_runs.tigramite_pc(x, lags)
        different += parents != theirs
    yield Check("PC: systems whose links differ from run_pcalg's (tau_min 1)", systems, different, 0)


def neural_granger(seeds: int = 3) -> Iterator[Check]:
    """Areas under the ROC curve, off the diagonal, of the largest norm of each source; seeds that chose no default."""

    def var(seed: int) -> tuple[np.ndarray, np.ndarray]:
        data = sparse_var(seed, N=8, T=500, L=3)
        return data.values, data.lagged_truth(3).any(axis=2)

    def lorenz(seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Every other sample of a run: 0.1 apart."""
        data = lorenz96(seed, T=1000)
        return data.values[::2], data.lagged_truth(1).any(axis=2)

    for name, system, options in (
        ("a sparse VAR, N=8, T=500, lags to 3", var, {"tau_max": 3}),
        ("Lorenz-96, N=10, T=500, 0.1 apart, lags to 5, lam .05", lorenz, {"tau_max": 5, "lam": 0.05}),
    ):
        shortfall = 0.0
        for seed in range(3000, 3000 + seeds):
            x, truth = system(seed)
            result = discover(x, method="ngc", mode="exact", **options)
            off = ~np.eye(result.N, dtype=bool)
            shortfall = max(shortfall, 1 - rank_areas(result.val_matrix.max(axis=2)[off], truth[off])[0])
        yield Check(f"neural Granger: 1 - AUROC on {name}, worst seed", seeds, shortfall, 0.05)


def surd_systems() -> Iterator[Check]:
    """The published shares of the dynamical systems: T = 1e6, 10 bins of equal width."""
    for name, shares in SHARES.items():
        series = as_time_series(dynamical(name, 10, 1_000_000))
        run = run_surd(series, all_links(3, 1), bins=10, binning="width", max_order=3, n_shift=0)
        worst = 0.0
        for target, kind, agents, share in shares:
            found = run.targets[target - 1]
            key = (kind, tuple((int(agent) - 1, -1) for agent in agents))
            worst = max(worst, abs(found.terms[key] / found.information - share))
        yield Check(f"SURD: shares of the {name.replace('_', ' ')}", len(shares), worst, 0.03)


PARTS: dict[str, Callable[[], Iterator[Check]]] = {
    "granger": lambda: iter([*granger_reference(), *granger_against_statsmodels()]),
    "varlingam": lambda: iter([*lingam_reference(), *lingam_against_causal_learn()]),
    "pc": pc_against_tigramite,
    "surd": surd_systems,
    "ngc": neural_granger,
}


def main() -> None:
    wanted = sys.argv[1:] or list(PARTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = [check for name in wanted for check in PARTS[name]()]
    header = ["comparison", "cases", "largest difference", "allowed", "holds"]
    versions = provenance("scipy", "statsmodels", "causal-learn", "tigramite")
    text = versions + "\n" + table(header, [check.row() for check in checks])
    print(text)
    if wanted == list(PARTS):
        write_section("Other families: exactness", text)
    sys.exit(0 if all(check.holds for check in checks) else 1)


if __name__ == "__main__":
    main()
