"""The slow readable twin of every kernel: definitions, not algorithms. One section a room of `rust/`."""

from itertools import combinations, islice
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

# --- what is noted before a search: one column at a time ---


def trend_share(x, segments):
    """1 - (sum of squared residuals of a line) / (sum of squares about the mean), both summed over data sets."""
    total = left = 0.0
    for start, stop in segments:
        time = samples(x[start:stop])
        if len(time) >= 3:
            y = x[start:stop][time]
            total += np.sum((y - y.mean()) ** 2)
            left += np.sum((y - np.polyval(np.polyfit(time, y, 1), time)) ** 2)
    return 1 - left / total if total > 0 else 0.0


def season_period(x, segments):
    """First high peak of the detrended longest data set's autocorrelation, past its first dip below 0."""
    start, stop = max(segments, key=lambda segment: segment[1] - segment[0])
    x, n = x[start:stop], stop - start
    time = samples(x)
    if len(time) < 6 or n < 6:
        return None
    level = np.zeros(n)
    level[time] = x[time] - np.polyval(np.polyfit(time, x[time], 1), time)
    r = np.array([np.mean(level[: n - lag] * level[lag:]) for lag in range(n)])
    r = r / r[0] if r[0] > 0 else r * 0
    dip = next((lag for lag in range(n // 3 + 1) if r[lag] < 0), None)
    if dip is None:
        return None
    late = r[dip : n // 3 + 1]
    if late.max() <= 0.3:
        return None
    first = dip + next(k for k, value in enumerate(late) if value >= 0.85 * late.max())
    period = max(range(first, min(first + first // 4, n // 3) + 1), key=lambda lag: r[lag])
    return period if r[2 * period] > 0.15 else None


# --- screens ---


def normal_scores(x):
    """Standard normal quantiles of (mid-rank - 1/2) / n."""
    ranks = np.array([np.sum(x < v) + (np.sum(x == v) + 1) / 2 for v in x])
    return np.array([NormalDist().inv_cdf(u) for u in (ranks - 0.5) / len(x)])


def samples(x, back=0, segments=None):
    """Every t such that x is known from t - back to t, all in one data set."""
    sets = segments or [(0, len(x))]
    ends = [t for start, stop in sets for t in range(start + back, stop)]
    return np.array([t for t in ends if not np.isnan(x[t - back : t + 1]).any()], dtype=int)


def prepared(x, segments=None):
    """Columns y and e: see the definition in `rust/weave/prepare.rs`."""
    known = samples(x, 0, segments)
    v = x[known]
    m = np.median(v)
    s = 1.4826 * np.median(np.abs(v - m))
    s = v.std() if s <= 1e-3 * v.std() else s
    w = np.clip(x, m - 5 * s, m + 5 * s)
    later = samples(x, 1, segments)
    phi = np.corrcoef(w[later - 1], w[later])[0, 1]
    y, e = np.zeros((2, len(x)))
    y[known] = standardised(normal_scores(v) if abs(phi) < 0.8 else w[known])
    e[known] = standardised(normal_scores(np.minimum(np.abs(v - m), 5 * s)))
    return y, e


def standardised(x):
    return (x - x.mean()) / x.std() if x.std() > 0 else x * 0


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


# --- weave and lags --- codes are numbers of b bits, plane 0 the most significant; -1 is no code

WEIGHTS = {"level": (3, 2, 1), "innovation": (3, 2, 1), "even": (3, 2, 1), "trend": (1, 1)}


def levels(values, bits):
    """Levels of equal probability by mid-ranks; few distinct values spread over all levels."""
    distinct = np.unique(values)
    if len(values) < 4 or len(distinct) == 1:
        return np.zeros(len(values), dtype=int)
    if len(distinct) <= 2**bits:
        spread = [int(k * (2**bits - 1) / (len(distinct) - 1) + 0.5) for k in range(len(distinct))]
        return np.array([spread[k] for k in np.searchsorted(distinct, values)])
    ranks = np.array([np.sum(values < v) + (np.sum(values == v) + 1) / 2 for v in values])
    return ((ranks - 0.5) * 2**bits / len(values)).astype(int)


def codes(x, code, bits, segments=None):
    """Code of every sample of one series."""
    found = np.full(len(x), -1)
    if code == "trend":
        at = samples(x, 2, segments) - 2
        found[at] = 2 * (x[at + 1] > x[at]) + (x[at + 2] > x[at + 1])
        return found
    at = samples(x, 0, segments)
    values = x
    if code in ("innovation", "even"):
        values, even = prepared(x, segments)
        if code == "even":
            values = even
        else:
            at = samples(x, 1, segments)
            phi = np.corrcoef(values[at - 1], values[at])[0, 1]
            values = values - phi * np.roll(values, 1)
    found[at] = levels(values[at], bits)
    return found


def common(x, y, lag, segments=None):
    """Codes x(t - lag) and y(t) wherever both are known, in one data set."""
    sets = segments or [(0, len(x))]
    pairs = [(x[t - lag], y[t]) for start, stop in sets for t in range(start + lag, stop)]
    return np.array([pair for pair in pairs if min(pair) >= 0], dtype=int).reshape(-1, 2).T


def signs(code, bits):
    """Planes of codes as +1 and -1, shape (bits, n)."""
    return np.array([2 * (code >> (bits - 1 - a) & 1) - 1 for a in range(bits)])


def association_z(x, y, bits, weights):
    """SCREEN's sum over plane pairs, with d and s counted one by one."""
    n = len(x)
    planes_x, planes_y, w = signs(x, bits), signs(y, bits), weights[:bits]
    sd_x, sd_y = (np.std(np.tensordot(w, planes, 1)) if n else 0.0 for planes in (planes_x, planes_y))
    if min(sd_x, sd_y) < 1e-12:
        return 0.0
    total = sum(
        w[a] * w[b] * (n - 2 * np.sum(planes_x[a] != planes_y[b]) - planes_x[a].sum() * planes_y[b].sum() / n)
        for a in range(bits)
        for b in range(bits)
    )
    return total / (sd_x * sd_y * np.sqrt(n))


def agreement(x, y, bits, joint):
    """Share of samples on which the leading (or all) bits agree or are opposite."""
    planes = slice(None) if joint else slice(1)
    differ = signs(x, bits)[planes] != signs(y, bits)[planes]
    return max((~differ).all(axis=0).mean(), differ.all(axis=0).mean()) if len(x) else 0.0


def information(x, y, bits):
    """Mutual information of the leading bits, in nats."""
    a, b = signs(x, bits)[0], signs(y, bits)[0]
    total = 0.0
    for p in (-1, 1):
        for q in (-1, 1):
            both = np.mean((a == p) & (b == q)) if len(x) else 0.0
            total += both * np.log(both / (np.mean(a == p) * np.mean(b == q))) if both else 0.0
    return total


def pair_codes(values, code):
    """Two-bit codes of every pair of series at a lag: a function of source, target and lag."""
    coded = [codes(x, code, 2) for x in values.T]
    return lambda i, j, lag: common(coded[i], coded[j], lag)


def paper_screen(values, tau_max):
    """Links of every target, strongest first: `paper` from its definition."""
    T, N = values.shape
    pairs = pair_codes(values, "trend")
    lags = range(1, min(tau_max, T // 10 - 1) + 1)
    score = {(i, j, k): agreement(*pairs(i, j, k), 2, joint=True) for i in range(N) for j in range(N) for k in lags}
    best = [max(((i, j, k) for k in lags), key=score.get) for j in range(N) for i in range(N)]
    kept = sorted((link for link in best if score[link] > 0.33), key=lambda link: -score[link])[: N * N // 4]
    kept_lags = [k for _, _, k in kept]
    fallback = range(min(kept_lags), max(kept_lags) + 1)
    found = {j: [(i, -k) for i, target, k in kept if target == j] for j in range(N)}
    return {j: links or [(i, -k) for i in range(N) for k in fallback] for j, links in found.items()}


def marginal_screen(values, tau_max):
    """Links of every target, strongest first: `marginal` from its definition."""
    N = values.shape[1]
    pairs = pair_codes(values, "innovation")

    def z(i, j, lag):
        return association_z(*pairs(i, j, lag), 2, WEIGHTS["innovation"])

    def r(i):
        return np.array([z(i, i, k) / np.sqrt(pairs(i, i, k).shape[1]) for k in range(1, 2 * tau_max + 1)])

    own = [r(i) for i in range(N)]
    critical = -NormalDist().inv_cdf((1 - 0.95 ** (1 / tau_max)) / 2)
    found = {}
    for j in range(N):
        factor = [max(0.1, 1 + 2 * own[i] @ own[j]) for i in range(N)]
        size = {(i, -k): abs(z(i, j, k)) / np.sqrt(factor[i]) for i in range(N) for k in range(1, tau_max + 1)}
        kept = [link for link in size if size[link] >= critical or link == (j, -1)]
        found[j] = sorted(kept, key=lambda link: -size[link])
    return found


# --- pcmci --- a node is (series, lag): x_series(t - lag)

Node = tuple[int, int]


def rows_of(segments: list[tuple[int, int]], first: int) -> NDArray[np.intp]:
    """Rows t >= start + first of every data set."""
    return np.concatenate([np.arange(min(start + first, stop), stop) for start, stop in segments])


def in_roles(values, mask, mask_type: str):
    """The values as source, target and condition see them: NaN where a mask counts in that role."""
    return tuple(np.where(mask & (role in mask_type), np.nan, values) for role in "xyz")


def partial_correlation(roles, rows, x: Node, y: Node, z: list[Node]) -> tuple[float, int]:
    """Correlation of least-squares residuals, and its degrees of freedom; rows with a NaN are left out."""
    of_x, of_y, of_z = roles
    seen = [(of_x, *x), (of_y, *y), *((of_z, *node) for node in z)]
    table = np.array([values[rows - lag, i] for values, i, lag in seen]).T
    table = table[~np.isnan(table).any(axis=1)]
    table = table - table.mean(axis=0)
    x_column, y_column, conditions = table[:, 0], table[:, 1], table[:, 2:]
    if z:
        fit = np.linalg.lstsq(conditions, table[:, :2], rcond=None)[0]
        x_column, y_column = (table[:, :2] - conditions @ fit).T
    r = (x_column @ y_column) / np.sqrt((x_column @ x_column) * (y_column @ y_column))
    return r, len(table) - 2 - len(z)


def p_value(r: float, df: int) -> float:
    """Two-sided, from Student's t."""
    return float(2 * student_t.sf(abs(r) * np.sqrt(df / ((1 - r) * (1 + r))), df))


def lagged_parents(roles, rows, target: int, links, pc_alpha: float, max_combinations: int = 1) -> list[Node]:
    """PC1 for one target."""
    n, _, lags = links.shape
    parents = [(i, lag) for i in range(n) for lag in range(1, lags) if links[i, target, lag]]
    order = {node: k for k, node in enumerate(parents)}
    weakest = dict.fromkeys(parents, np.inf)
    size = 0
    while len(parents) > size:
        dropped = set()
        for x in parents:
            others = [node for node in parents if node != x]
            for z in islice(combinations(others, size), max_combinations):
                r, df = partial_correlation(roles, rows, x, (target, 0), list(z))
                weakest[x] = min(weakest[x], abs(r))
                if p_value(r, df) > pc_alpha:
                    dropped.add(x)
                    break
        parents = sorted(set(parents) - dropped, key=lambda node: (-weakest[node], order[node]))
        size += 1
    return parents


def pcmci(values, segments, links, pc_alpha: float = 0.2, reference=None, mask=None, mask_type="", **options: int):
    """Parents, and val and p of MCI as (N, N, tau_max + 1) arrays; lag 0 is left as tested."""
    n, _, lags = links.shape
    rows = rows_of(segments, 2 * (lags - 1))
    if reference is not None:
        rows = reference[np.isin(reference, rows)]
    roles = in_roles(values, np.zeros_like(values, dtype=bool) if mask is None else mask, mask_type)
    parents = [lagged_parents(roles, rows, j, links, pc_alpha, **options) for j in range(n)]
    val, p = np.zeros(links.shape), np.ones(links.shape)
    for i, j, tau in np.argwhere(links):
        shifted = [(k, lag + tau) for k, lag in parents[i]]
        z = [node for node in dict.fromkeys([*parents[j], *shifted]) if node not in [(i, tau), (j, 0)]]
        r, df = partial_correlation(roles, rows, (i, tau), (j, 0), z)
        val[i, j, tau], p[i, j, tau] = r, p_value(r, df)
    return parents, val, p
