"""Write f.csv, the table that the core's tails of Fisher's F are tested against.

Run `python tests/reference/f.py` (needs mpmath).
"""

from __future__ import annotations

import random
from pathlib import Path

import mpmath as mp

TABLE = Path(__file__).with_name("f.csv")
DF1 = (1, 2, 3, 4, 5, 6, 7, 20, 33, 100, 999)
DF2 = (1, 2, 3, 10, 31, 32, 287, 1_000, 100_001, 1_000_000)


def tail(f: float, df1: int, df2: int) -> mp.mpf:
    """I_x(df2 / 2, df1 / 2) with x = df2 / (df2 + df1 f), by the continued fraction DLMF 8.17.22.

    The one of x where that is below the mean of the beta distribution, else 1 minus the one of 1 - x.
    """
    f = mp.mpf(f)
    x, rest = df2 / (df2 + df1 * f), df1 * f / (df2 + df1 * f)
    a, b = mp.mpf(df2) / 2, mp.mpf(df1) / 2
    direct = x < (a + 1) / (a + b + 2)
    if not direct:
        x, rest, a, b = rest, x, b, a
    value = x**a * rest**b / (a * mp.beta(a, b)) * fraction(x, a, b)
    return value if direct else 1 - value


def fraction(x: mp.mpf, a: mp.mpf, b: mp.mpf) -> mp.mpf:
    """1 / (1 + d1 / (1 + d2 / (1 + ...))) from its approximants, until they stay the same."""
    last, now = (mp.mpf(0), mp.mpf(1)), (mp.mpf(1), mp.mpf(1))
    m = 0
    while True:
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        before = now[0] / now[1]
        for d in (odd, even):
            last, now = now, (now[0] + d * last[0], now[1] + d * last[1])
        if abs(now[0] / now[1] - before) <= mp.eps * 16 * abs(before):
            return now[0] / now[1]


def main() -> None:
    """Write the table beside this file: arguments from the middle far into the tail."""
    mp.mp.dps = 50
    draw = random.Random(0)
    lines = ["f,df1,df2,p"]
    for df1 in DF1:
        for df2 in DF2:
            deep = (mp.mpf(10) ** (mp.mpf(580) / df2) - 1) * df2 / df1  # x^(df2 / 2) is 1e-290
            arguments = [1e-3, 0.5, 1.0, 6.0 / df1, 1.5, 4.0, *(10 ** draw.uniform(-1, 3) for _ in range(3))]
            for f in [*arguments, *(float(deep) * share for share in (1.0, draw.random()) if deep < 1e300)]:
                p = tail(f, df1, df2)
                if p > mp.mpf(10) ** -300:
                    lines.append(f"{f!r},{df1},{df2},{mp.nstr(p, 20)}")
    TABLE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
