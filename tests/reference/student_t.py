"""Write student_t.csv, the table that the core's Student-t tails and critical values are tested against.

Run `python tests/reference/student_t.py` (needs mpmath).
"""

from __future__ import annotations

import math
import random
from pathlib import Path

import mpmath as mp

TABLE = Path(__file__).with_name("student_t.csv")
DEGREES = (1, 2, 3, 4, 5, 7, 10, 15, 29, 30, 31, 32, 33, 47, 64, 100, 200, 500, 975, 3_000, 10_000, 100_000, 1_000_000)


def beta_tail(a: mp.mpf, y: mp.mpf) -> mp.mpf:
    """I_(1-y)(a, 1/2) by whichever power series converges: in 1-y, or 1 minus the one in y (both DLMF 8.17.8)."""
    half = mp.mpf(1) / 2
    direct = y > half
    x, first = (1 - y, a) if direct else (y, half)
    term = total = mp.mpf(1)
    n = 0
    while term > mp.eps * total:
        term *= x * (a + half + n) / (first + 1 + n)
        total += term
        n += 1
    value = (1 - y) ** a * y**half / (first * mp.beta(a, half)) * total
    return value if direct else 1 - value


def correlation_tail(r: float, df: float) -> mp.mpf:
    """Two-sided p-value of the double `r` as it is."""
    return beta_tail(mp.mpf(df) / 2, mp.mpf(r) ** 2)


def student_tail(t: float, df: float) -> mp.mpf:
    """Two-sided p-value of the double `t` as it is."""
    square = mp.mpf(t) ** 2
    return beta_tail(mp.mpf(df) / 2, square / (df + square))


def rows() -> list[tuple[str, float, int, str]]:
    """Arguments spread over the whole range, and around the places where a formula changes."""
    draw = random.Random(0)
    out: list[tuple[str, float, int, str]] = []

    def add(kind: str, x: float, df: int) -> None:
        log_rest = math.log1p(-x * x) if kind == "r" else -math.log1p(x * x / df)
        if 0.5 * df * log_rest > -690:  # p above 1e-300
            p = correlation_tail(x, df) if kind == "r" else student_tail(x, df)
            out.append((kind, x, df, mp.nstr(p, 20)))

    for df in DEGREES:
        edges = [1e-8, 0.1, 0.5**0.5, 0.87, 0.999, 1 - 1e-9, 1 - 2**-53, (6 / (6 + df)) ** 0.5]
        for r in [
            *edges,
            *(draw.random() for _ in range(6)),
            *(draw.uniform(0, min(1, 38 / df**0.5)) for _ in range(12)),
        ]:
            add("r", r, df)
        for t in [
            1e-8,
            1.0,
            6**0.5,
            1e9,
            *(draw.uniform(0, 10) for _ in range(6)),
            *(10 ** draw.uniform(0, 4) for _ in range(6)),
        ]:
            add("t", t, df)
    return out


def main() -> None:
    """Write the table beside this file."""
    mp.mp.dps = 350  # 1 minus a number that may differ from 1 by 1e-300
    lines = ["kind,argument,df,p", *(f"{kind},{argument!r},{df},{p}" for kind, argument, df, p in rows())]
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
