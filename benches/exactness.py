"""Does `accelerate(pcmci, mode="exact")` give tigramite's answer? Random systems, all options, all kinds of rows.

    python benches/exactness.py

Every system is asked twice, plain and accelerated, with fresh objects: parents in order, graphs, values, p-values (and
bounds where the test gives some) are compared. Then p-values as functions of (r, df) against mpmath, and the systems on
which the two differ on purpose: duplicated, constant and dependent columns. Ends with status 1 if anything is not as
wanted. RESULTS.md is written when no option is given.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tigramite.pcmci import PCMCI

from arrow_cd import accelerate
from arrow_cd.tails import correlation_pvalue
from arrow_cd.tigramite import count_tests
from exactness_cases import Case, make_case
from exactness_degenerate import degenerate_section
from results_page import provenance, table, write_section

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "reference"))
from student_t import correlation_tail

Values = NDArray[np.float64]
ABSOLUTE, RELATIVE, DISTINCT, TAIL = 1e-10, 1e-6, 1e-6, 1e-12
SMALLEST = 1e-300
# Systems of --quick: every method and every kind of data once, with few links.
QUICK, QUICK_LINKS = 14, 12


@dataclass
class Compared:
    """What one system gave."""

    case: Case
    parents: bool = True
    graph: bool = True
    keys: bool = True
    dp: float = 0.0
    dval: float = 0.0
    relative: float = 0.0
    tests: int = 0
    seconds: float = 0.0
    ours: float = 0.0
    engine: str = ""

    @property
    def passed(self) -> bool:
        near = self.dp <= ABSOLUTE and self.dval <= ABSOLUTE and self.relative <= RELATIVE
        return self.parents and self.graph and self.keys and near


def main() -> None:
    options = _options()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        compared = []
        for seed in range(options.systems):
            compared.append(compare(make_case(seed, QUICK_LINKS if options.quick else None)))
            if not compared[-1].passed:
                print(f"NOT AS WANTED: {compared[-1]}", file=sys.stderr, flush=True)
        tails, worst = tails_section(20 if options.quick else 300)
        parts = [provenance("tigramite", "scipy", "mpmath"), systems_section(compared), tails, degenerate_section()]
    print("\n".join(parts))
    if len(sys.argv) == 1:
        write_section("Exactness", "\n".join(parts))
    sys.exit(0 if all(c.passed for c in compared) and worst <= TAIL else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=None, help="random systems (260)")
    parser.add_argument("--quick", action="store_true", help="a few small systems, to see that the bench works")
    options = parser.parse_args()
    options.systems = options.systems or (QUICK if options.quick else 260)
    return options


def compare(case: Case) -> Compared:
    """Ask plain and accelerated objects the same question."""
    found = Compared(case)
    plain = case.build()
    began = time.perf_counter()
    # Draws one after the other for both, so that no process has to start.
    with parallel_config(backend="sequential"):
        with count_tests(plain.cond_ind_test) as count:
            expected = case.ask(plain)
        found.seconds, found.tests = time.perf_counter() - began, count.run
        fast = accelerate(case.build(), mode="exact")
        began = time.perf_counter()
        got = case.ask(fast)
    found.ours, found.engine = time.perf_counter() - began, fast.screening.engine
    if case.method not in ("run_bootstrap_of", "run_sliding_window_of"):
        found.parents = getattr(plain, "all_parents", None) == getattr(fast, "all_parents", None)
        _compare_results(found, _results(plain, expected), _results(fast, got))
    else:
        for part in expected:
            _compare_results(found, expected[part], got[part])
    return found


def _results(pcmci: PCMCI, returned: dict[Any, Any]) -> dict[str, Any]:
    """The arrays that a method returns; those it leaves on the object where it returns none."""
    return returned if "val_matrix" in returned else {key: vars(pcmci)[key] for key in ("p_matrix", "val_matrix")}


def _compare_results(found: Compared, expected: dict[str, Any], got: dict[str, Any]) -> None:
    found.keys &= list(expected) == list(got)
    for key, theirs in expected.items():
        ours = got.get(key)
        if not isinstance(theirs, np.ndarray):
            found.keys &= ours == theirs
        elif theirs.dtype.kind == "U":
            found.graph &= np.array_equal(ours, theirs)
        elif key == "p_matrix":
            found.dp = max(found.dp, _largest(np.abs(ours - theirs)))
            # Nearer to |r| = 1, and below the smallest number that p-values promise, digits can't be compared.
            clear = (theirs >= SMALLEST) & (1 - expected["val_matrix"] ** 2 > DISTINCT)
            found.relative = max(found.relative, _largest((np.abs(ours - theirs) / theirs)[clear]))
        else:
            found.dval = max(found.dval, _largest(np.abs(ours - theirs)))


def _largest(differences: Values) -> float:
    """Largest difference; one that is no number counts as infinite."""
    return float(np.nan_to_num(differences, nan=np.inf).max(initial=0.0))


def systems_section(compared: list[Compared]) -> str:
    """The verdict, and tables by method, by kind of rows and by kind of data."""
    passed = sum(c.passed for c in compared)
    sizes = np.array([c.case.size for c in compared])
    (n_low, t_low, tau_low), (n_high, t_high, tau_high) = sizes.min(axis=0), sizes.max(axis=0)
    verdict = "as wanted" if passed == len(compared) else "**not as wanted**"
    text = (
        f"{len(compared)} random systems, N {n_low} to {n_high}, T {t_low:,} to {t_high:,}, tau_max {tau_low} to "
        f"{tau_high}, {sum(c.tests for c in compared):,} tests of tigramite: {passed} with the same parents (in "
        f"order), graphs and keys, every |dp| and |dval| at most {ABSOLUTE:.0e}, relative error of p at most "
        f"{RELATIVE:.0e} where 1 - r^2 > {DISTINCT:.0e} and p >= {SMALLEST:.0e}: {verdict}. p are q-values where a "
        'correction was asked for. One thread; seconds of tigramite and of `accelerate(pcmci, mode="exact")`.\n'
    )
    tables = [
        _table("method", compared, [c.case.method for c in compared]),
        _table("rows", compared, [c.case.rows for c in compared]),
        _table("data", compared, [c.case.data for c in compared]),
        _table("test and engine", compared, [f"{c.case.test}, {c.engine}" for c in compared]),
    ]
    return "\n".join([text, *tables])


def _table(name: str, compared: list[Compared], labels: list[str]) -> str:
    rows = []
    for label in dict.fromkeys(labels):
        group = [c for c, own in zip(compared, labels, strict=True) if own == label]
        seconds, ours = sum(c.seconds for c in group), sum(c.ours for c in group)
        rows.append(
            [
                label,
                str(len(group)),
                f"{sum(c.tests for c in group):,}",
                str(sum(c.parents and c.graph and c.keys for c in group)),
                f"{max(c.dp for c in group):.1e}",
                f"{max(c.relative for c in group):.1e}",
                f"{max(c.dval for c in group):.1e}",
                f"{seconds:,.1f}",
                f"{ours:.3f}",
            ]
        )
    header = [
        name,
        "systems",
        "tests",
        "identical",
        "max abs dp",
        "max rel dp",
        "max abs dval",
        "tigramite, s",
        "ours, s",
    ]
    return table(header, rows)


def tails_section(pairs: int) -> tuple[str, float]:
    """p-values as functions of (r, df) against mpmath, down to 1e-300; returns the largest relative error too."""
    rng = np.random.default_rng(0)
    df = np.floor(np.exp(rng.uniform(0, np.log(2000), pairs)))
    # t spread so that p goes from 1 down to beyond the smallest number asked about.
    t = np.sqrt(df * np.expm1(2 * rng.uniform(0, 690, pairs) * rng.random(pairs) / (df + 1)))
    r = np.clip(t / np.hypot(t, np.sqrt(df)), 0, 1 - 1e-9)
    ours = correlation_pvalue(r, df)
    with mpmath.workdps(400):
        exact = [correlation_tail(float(value), float(free)) for value, free in zip(r, df, strict=True)]
        asked = [(p, x) for p, x in zip(ours, exact, strict=True) if x >= SMALLEST]
        errors = [float(abs(mpmath.mpf(float(p)) - x) / x) for p, x in asked]
    worst = max(errors)
    verdict = "as wanted" if worst <= TAIL else "**not as wanted**"
    smallest = float(min(x for _, x in asked))
    text = (
        f"p(r, df) against mpmath at {len(errors)} random pairs, df 1 to 2,000, p 1 to {smallest:.0e}: largest "
        f"relative error {worst:.1e} (at most {TAIL:.0e} wanted): {verdict}.\n"
    )
    return text, worst


if __name__ == "__main__":
    main()
