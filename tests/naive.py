"""The slow readable twin of every kernel: definitions, not algorithms. One section a room of `rust/`."""

from statistics import NormalDist

import numpy as np
from scipy.stats import t as student_t

# --- screens ---


def normal_scores(x):
    """Standard normal quantiles of (mid-rank - 1/2) / n."""
    ranks = np.array([np.sum(x < v) + (np.sum(x == v) + 1) / 2 for v in x])
    return np.array([NormalDist().inv_cdf(u) for u in (ranks - 0.5) / len(x)])


def prepared(x):
    """Columns y and e of a complete series: see SCREEN's definition in `rust/weave/prepare.rs`."""
    m = np.median(x)
    s = 1.4826 * np.median(np.abs(x - m))
    s = x.std() if s <= 1e-3 * x.std() else s
    w = np.clip(x, m - 5 * s, m + 5 * s)
    phi = np.corrcoef(w[:-1], w[1:])[0, 1]
    y = normal_scores(x) if abs(phi) < 0.8 else w
    e = normal_scores(np.abs(w - m))
    return (y - y.mean()) / y.std(), (e - e.mean()) / e.std() if e.std() > 0 else e * 0


def partial_t(x, y, given):
    """|t| of the partial correlation of x and y given the columns of `given`, by least squares."""
    design = np.column_stack([np.ones(len(x)), *given])
    rx = x - design @ np.linalg.lstsq(design, x, rcond=None)[0]
    ry = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    r = rx @ ry / np.sqrt((rx @ rx) * (ry @ ry))
    return abs(r) * np.sqrt((len(x) - 2 - len(given)) / (1 - r * r))


def forward_screen(values, tau_max, *, kappa=1.0, own_lags=1, max_add=30):
    """Links of every target in order of entry: `forward` from its definition, one least-squares fit a column."""
    T, N = values.shape
    columns = [prepared(x) for x in values.T]
    rows = np.arange(2 * tau_max, T)
    n = len(rows)
    shifted = {
        (s, kind, lag): columns[s][kind][rows - lag]
        for s in range(N)
        for kind in (0, 1)
        for lag in range(1, tau_max + 1)
    }
    found = {}
    for j in range(N):
        target = columns[j][0][rows]
        chosen = [(j, 0, lag) for lag in range(1, own_lags + 1)]
        limit = len(chosen) + min(max_add, n // 5)
        while len(chosen) < limit:
            given = [shifted[c] for c in chosen]
            t = {c: partial_t(x, target, given) for c, x in shifted.items() if c not in chosen}
            best = max(t, key=t.get)
            level = min(0.5, kappa / (2 * N * tau_max))
            if t[best] <= student_t.isf(level / 2, n - len(chosen) - 2):
                break
            chosen.append(best)
        found[j] = list(dict.fromkeys((s, -lag) for s, _, lag in chosen))
    return found
