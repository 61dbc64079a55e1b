"""Random questions to tigramite's PCMCI: data, rows, method and options, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr
from tigramite.pcmci import PCMCI

from arrow_cd.simulate import sparse_var

Values = NDArray[np.float64]
Options = dict[str, Any]

# tigramite takes 2 to 3 ms a test: most systems get at most this many links, every tenth more, and a few are large.
LINKS, MORE_LINKS = 150, 900
LARGE = {20: (20, 2000, 3), 60: (2, 60, 5), 100: (20, 400, 1), 140: (2, 2000, 20), 180: (8, 500, 20), 220: (12, 300, 9)}
FEWEST_ROWS = 40
MISSING = -7e9

METHODS = (
    "run_pcmci",
    "run_pcmciplus",
    "run_pcmci",
    "run_mci",
    "run_pcmci",
    "run_bivci",
    "run_pc_stable",
    "run_pcmci",
    "run_fullci",
    "run_pcmciplus",
    "get_lagged_dependencies",
    "run_sliding_window_of",
    "run_bootstrap_of",
)


@dataclass(frozen=True)
class Case:
    """One question; `build` makes a fresh object to ask."""

    seed: int
    test: str
    data: str
    rows: str
    method: str
    options: Options
    build: Callable[[], PCMCI]
    size: tuple[int, int, int]
    arguments: tuple[Any, ...] = field(default=())

    def ask(self, pcmci: PCMCI) -> Any:
        return getattr(pcmci, self.method)(*self.arguments, **self.options)

    def __str__(self) -> str:
        n, T, tau_max = self.size
        return (
            f"seed {self.seed}: {self.test}, {self.method}{self.arguments or ''}, N={n}, T={T}, tau_max={tau_max}, "
            f"{self.data} data, {self.rows}, {self.options}"
        )


def _plain(x: Values, rng: Generator) -> Values:
    return x


def _offset(x: Values, rng: Generator) -> Values:
    return x + 1e6 * rng.choice([-1.0, 1.0], x.shape[1])


def _spike(x: Values, rng: Generator) -> Values:
    x[rng.integers(len(x)), rng.integers(x.shape[1])] = 1e8
    return x


def _scaled(x: Values, rng: Generator) -> Values:
    return x * 10.0 ** rng.integers(-12, 13, x.shape[1])


def _heavy(x: Values, rng: Generator) -> Values:
    return np.sinh(1.5 * x)


def _rounded(x: Values, rng: Generator) -> Values:
    return np.round(2 * x)


def _wandering(x: Values, rng: Generator) -> Values:
    return 0.02 * np.cumsum(x, axis=0) + x


DATA: dict[str, Callable[[Values, Generator], Values]] = {
    "plain": _plain,
    "offset 1e6": _offset,
    "one spike of 1e8": _spike,
    "scales 1e-12 to 1e12": _scaled,
    "heavy-tailed": _heavy,
    "rounded": _rounded,
    "wandering": _wandering,
}


def _everything(x: Values, rng: Generator) -> Options:
    return {"data": x}


def _sets(x: Values, rng: Generator) -> Options:
    cuts = np.sort(rng.integers(len(x) // 4, len(x), 2))
    sets = dict(enumerate(np.split(x, cuts)))
    offsets = {key: int(rng.integers(0, 30)) if key else 0 for key in sets}
    return {"data": sets, "analysis_mode": "multiple", "time_offsets": offsets}


def _missing(x: Values, rng: Generator) -> Options:
    x[rng.random(x.shape) < 2 / len(x)] = MISSING
    return {"data": x, "missing_flag": MISSING, "remove_missing_upto_maxlag": False}


def _masked(x: Values, rng: Generator) -> Options:
    block = rng.integers(0, len(x) // 2, x.shape[1])
    time = np.arange(len(x))[:, None]
    return {"data": x, "mask": (time >= block) & (time < block + len(x) // 8)}


def _points(x: Values, rng: Generator) -> Options:
    return {"data": x, "reference_points": np.sort(rng.choice(len(x), 3 * len(x) // 4, replace=False))}


ROWS: dict[str, Callable[[Values, Generator], Options]] = {
    "all rows": _everything,
    "three data sets with offsets": _sets,
    "missing values": _missing,
    "masked": _masked,
    "reference points": _points,
}


def make_case(seed: int, links: int | None = None) -> Case:
    """The question of a seed; `links` bounds N^2 tau_max."""
    rng = np.random.default_rng([20, seed])
    method = METHODS[seed % len(METHODS)]
    repeated = method in ("run_sliding_window_of", "run_bootstrap_of")
    small = links is not None
    links = links or (MORE_LINKS if seed % 10 == 0 else LINKS) // (3 if repeated else 1)
    n, T, tau_max = _size(rng, links, plus=method == "run_pcmciplus")
    if seed in LARGE and not small:
        n, T, tau_max = LARGE[seed]
    kinds = list(ROWS)[: 1 if repeated else None]
    data, rows = list(DATA)[seed % len(DATA)], kinds[int(rng.integers(len(kinds)))]
    x = sparse_var(seed, N=n, T=T, L=tau_max, parents=min(2, n - 1)).values.copy()
    if method == "run_pcmciplus":
        x += 0.5 * np.roll(x, 1, axis=1)
    frame = ROWS[rows](DATA[data](x, rng), rng)
    kind = RobustParCorr if seed % 8 == 5 else ParCorr
    test: Options = {"mask_type": str(rng.choice(["y", "x", "z", "xy", "xyz"])) if rows == "masked" else None}
    if method in ("run_mci", "run_pcmci") and rng.random() < 0.2:
        test["confidence"] = "analytic"
    called = "run_pcmci" if repeated else method
    options = _options(called, n, tau_max, rng)
    arguments: tuple[Any, ...] = ()
    if repeated:
        arguments = (called, options)
        options = {"boot_samples": 3, "boot_blocklength": int(rng.integers(1, 6)), "seed": seed}
        if method == "run_sliding_window_of":
            options = {"window_step": T // 4, "window_length": T // 2 + tau_max}

    def build() -> PCMCI:
        # tigramite marks missing values in the arrays of a dict themselves, so that each frame gets its own.
        own = {key: value.copy() for key, value in frame["data"].items()} if rows.startswith("three") else x.copy()
        given = frame["data"] if not isinstance(frame["data"], dict) else own
        return PCMCI(DataFrame(**{**frame, "data": given}), kind(**test))

    return Case(seed, kind.__name__, data, rows, method, options, build, (n, T, tau_max), arguments)


def _size(rng: Generator, links: int, *, plus: bool) -> tuple[int, int, int]:
    """N from 2 to 20, T from 60 to 2,000 and tau_max from 1 to 20, with few enough links and rows enough."""
    while True:
        n, tau_max = int(np.exp(rng.uniform(np.log(2), np.log(21)))), int(np.exp(rng.uniform(0, np.log(21))))
        T = int(np.exp(rng.uniform(np.log(60), np.log(2001))))
        # PCMCI+ tries many sets of contemporaneous conditions.
        if n * n * tau_max <= (links // 2 if plus else links) and T - 2 * tau_max >= FEWEST_ROWS + 2 * n:
            return n, T, tau_max


def _options(method: str, n: int, tau_max: int, rng: Generator) -> Options:
    options: Options = {"tau_max": tau_max}
    if method != "run_pcmciplus":
        options["tau_min"] = int(rng.integers(0, min(3, tau_max + 1)))
    if method in ("run_pcmci", "run_pc_stable"):
        options["pc_alpha"] = [0.05, 0.2, 0.4, None, [0.3, 0.01]][rng.integers(5)]
        options["max_combinations"] = int(rng.choice([1, 1, 2, 4]))
        options["max_conds_dim"] = [None, None, 0, 2][rng.integers(4)]
    if method == "run_pcmciplus":
        options["pc_alpha"] = [0.01, 0.05, [0.01, 0.1]][rng.integers(3)]
        options["contemp_collider_rule"] = str(rng.choice(["majority", "conservative", "none"]))
        options["reset_lagged_links"] = bool(rng.random() < 0.2)
        options["max_conds_dim"] = 2
    if method == "run_mci":
        options["parents"] = _parents(n, tau_max, rng)
        options["val_only"] = bool(rng.random() < 0.2)
    if method in ("run_pcmci", "run_pcmciplus", "run_mci"):
        options["max_conds_py"] = [None, None, 1, 3][rng.integers(4)]
        options["max_conds_px"] = [None, None, 0, 2][rng.integers(4)]
    if method not in ("run_pc_stable",) and rng.random() < 0.5:
        options["fdr_method"] = "fdr_bh"
    if method not in ("run_pc_stable", "run_pcmciplus"):
        options["alpha_level"] = float(rng.choice([0.01, 0.05, 0.1]))
    if rng.random() < 0.3:
        options["link_assumptions"] = _assumptions(n, options.get("tau_min", 0), tau_max, rng)
    return options


def _parents(n: int, tau_max: int, rng: Generator) -> dict[int, list[tuple[int, int]]]:
    def few() -> list[tuple[int, int]]:
        return [(int(rng.integers(n)), -int(rng.integers(1, tau_max + 1))) for _ in range(rng.integers(0, 4))]

    return {j: list(dict.fromkeys(few())) for j in range(n)}


def _assumptions(n: int, tau_min: int, tau_max: int, rng: Generator) -> dict[int, dict[tuple[int, int], str]]:
    """Two thirds of all links in random order; some stated to exist; at lag 0 some point from lower to higher."""
    chosen: dict[int, dict[tuple[int, int], str]] = {}
    for j in range(n):
        lagged = [(i, -tau) for i in range(n) for tau in range(max(1, tau_min), tau_max + 1)]
        picked = [lagged[k] for k in rng.permutation(len(lagged))[: -(-2 * len(lagged) // 3)]]
        chosen[j] = {link: "-->" if rng.random() < 0.05 else "-?>" for link in picked}
        if tau_min == 0:
            chosen[j] |= {(i, 0): str(rng.choice(["o?o", "-?>", "o-o"])) for i in range(j) if rng.random() < 0.5}
    return chosen
