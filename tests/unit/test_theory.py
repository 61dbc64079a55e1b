"""docs/theory.md, statement by statement: theorems against brute force, counter-examples by their numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats


def table(x: np.ndarray, y: np.ndarray) -> tuple[int, int, int, int]:
    """n11, n10, n01, n00 of two boolean series, counted one by one."""
    return tuple(int(np.sum((x == p) & (y == q))) for p, q in ((1, 1), (1, 0), (0, 1), (0, 0)))


def table_from_counts(n: int, a: int, b: int, d: int) -> tuple[float, float, float, float]:
    """T1: the same from lengths and popcounts alone."""
    return (a + b - d) / 2, (a - b + d) / 2, (b - a + d) / 2, n - (a + b + d) / 2


def information(n: int, a: int, b: int, d: float) -> float:
    """Mutual information of the table, in nats."""
    cells = table_from_counts(n, a, b, d)
    margins = (a * b, a * (n - b), (n - a) * b, (n - a) * (n - b))
    return sum(k / n * math.log(k * n / m) for k, m in zip(cells, margins, strict=True) if k > 0)


def independent_distance(n: int, a: int, b: int) -> float:
    return a + b - 2 * a * b / n


def attainable(n: int, a: int, b: int) -> range:
    """Every XOR count two series with `a` and `b` ones can have."""
    return range(abs(a - b), min(a + b, 2 * n - a - b) + 1, 2)


# --- T1


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_t1_table_from_the_xor_count(n: int) -> None:
    rng = np.random.default_rng(n)
    for share in (0.1, 0.5, 0.8):
        x, y = rng.random((2, n)) < share
        assert table(x, y) == table_from_counts(n, x.sum(), y.sum(), (x ^ y).sum())


def test_t1_independence_is_one_distance() -> None:
    n11, n10, n01, n00 = table_from_counts(60, 20, 15, independent_distance(60, 20, 15))
    assert n11 * n00 == n10 * n01


# --- T2


@pytest.mark.parametrize(("n", "a", "b"), [(100, 20, 20), (100, 50, 13), (64, 32, 32), (97, 60, 41)])
def test_t2_information_is_convex_with_its_zero_at_independence(n: int, a: int, b: int) -> None:
    d0 = independent_distance(n, a, b)
    d = np.array(attainable(n, a, b))
    value = np.array([information(n, a, b, k) for k in d])
    assert (np.diff(value, 2) > 0).all()
    assert (np.diff(value[d <= d0]) < 0).all() and (np.diff(value[d >= d0]) > 0).all()
    assert information(n, a, b, d0) == pytest.approx(0, abs=1e-15)


def test_t2_derivatives() -> None:
    n, a, b, h = 100, 37, 45, 1e-3
    for d in (20, 34, 50):
        # One more of n11 is two fewer of d.
        before, here, after = (information(n, a, b, d - 2 * step) for step in (-h, 0, h))
        n11, n10, n01, n00 = table_from_counts(n, a, b, d)
        assert (after - before) / (2 * h) == pytest.approx(math.log(n11 * n00 / (n10 * n01)) / n, abs=1e-8)
        curvature = (1 / n11 + 1 / n10 + 1 / n01 + 1 / n00) / n
        assert (after - 2 * here + before) / h**2 == pytest.approx(curvature, rel=1e-3)


def test_t2_chi_square_from_the_distance() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 300)) < 0.3
    n, a, b, d = 300, x.sum(), y.sum(), (x ^ y).sum()
    cells = np.array(table(x, y)).reshape(2, 2)
    expected = stats.chi2_contingency(cells, correction=False).statistic
    d0 = independent_distance(n, a, b)
    assert n**3 * (d - d0) ** 2 / (4 * a * b * (n - a) * (n - b)) == pytest.approx(expected, rel=1e-12)


def test_t2_one_balanced_margin_is_enough_for_symmetry() -> None:
    for b in (10, 33, 50):
        for d in attainable(100, 50, b):
            assert information(100, 50, b, d) == pytest.approx(information(100, 50, b, 100 - d), abs=1e-15)
    assert information(100, 20, 20, 40) == pytest.approx(0.0505, abs=5e-5)  # 8 above d0
    assert information(100, 20, 20, 24) == pytest.approx(0.0276, abs=5e-5)  # 8 below


# --- T3


def test_t3_best_lag_from_prefix_counts() -> None:
    rng = np.random.default_rng(1)
    T, lag, tau_max = 500, 7, 12
    x = rng.random(T) < 0.3
    y = np.roll(x, lag) ^ (rng.random(T) < 0.25)
    ones_x, ones_y = np.append(0, np.cumsum(x)), np.append(0, np.cumsum(y))
    scores, counted = [], []
    for tau in range(tau_max + 1):
        n, d = T - tau, int((x[: T - tau] ^ y[tau:]).sum())
        scores.append(information(n, ones_x[T - tau], ones_y[T] - ones_y[tau], d))
        n11, n10, n01, _ = table(x[: T - tau], y[tau:])
        counted.append(information(n, n11 + n10, n11 + n01, n10 + n01))
    assert scores == counted and int(np.argmax(scores)) == lag


def test_t3_with_balanced_margins_the_distance_from_one_half_orders_lags_of_any_length() -> None:
    lags = [(n, d) for n in (90, 96, 100) for d in attainable(n, n // 2, n // 2)]
    for (n1, d1), (n2, d2) in itertools.product(lags, lags):
        far1, far2 = abs(2 * d1 - n1) * n2, abs(2 * d2 - n2) * n1  # integers: |d/n - 1/2| up to a common factor
        if far1 > far2:
            assert information(n1, n1 // 2, n1 // 2, d1) > information(n2, n2 // 2, n2 // 2, d2)


def test_t3_counter_example_unbalanced_margins() -> None:
    assert independent_distance(100, 20, 20) == 32
    assert information(100, 20, 20, 32) == pytest.approx(0, abs=1e-15)
    assert information(100, 20, 20, 40) == pytest.approx(0.0505, abs=5e-5)
    assert abs(32 - 50) == 18 > abs(40 - 50) == 10  # one half prefers the independent lag


def test_t3_counter_example_distance_from_independence() -> None:
    assert abs(22 - 32) == 10 > abs(40 - 32) == 8
    assert information(100, 20, 20, 22) == pytest.approx(0.0425, abs=5e-5)
    assert information(100, 20, 20, 22) < information(100, 20, 20, 40)


def test_t3_counter_example_second_margin_varies() -> None:
    assert abs(40 - 50) == 10 > abs(42 - 50) == 8
    assert information(100, 50, 50, 40) == pytest.approx(0.0201, abs=5e-5)
    assert information(100, 50, 10, 42) == pytest.approx(0.0404, abs=5e-5)


def test_t3_best_of_many_lags_is_not_one_test() -> None:
    rng = np.random.default_rng(2)
    T, L, draws = 400, 10, 4000
    x, y = rng.random((2, draws, T)) < 0.5
    best = np.zeros(draws)
    for tau in range(1, L + 1):
        early, late = x[:, : T - tau], y[:, tau:]
        n, a, b, d = T - tau, early.sum(1), late.sum(1), (early ^ late).sum(1)
        best = np.maximum(best, n**3 * (d - (a + b - 2 * a * b / n)) ** 2 / (4 * a * b * (n - a) * (n - b)))
    as_if_fixed = (best > stats.chi2.isf(0.05, 1)).mean()
    counting_trials = (best > stats.chi2.isf(1 - 0.95 ** (1 / L), 1)).mean()
    assert as_if_fixed == pytest.approx(1 - 0.95**L, abs=0.03)  # 0.40, not 0.05
    assert counting_trials == pytest.approx(0.05, abs=0.015)


# --- T4


def walsh(K: int) -> np.ndarray:
    """Walsh functions (K, K): row u at level i is (-1)^popcount(u & i)."""
    return np.array([[(-1) ** (u & i).bit_count() for i in range(K)] for u in range(K)])


def planes(levels: np.ndarray, bits: int) -> list[np.ndarray]:
    return [(levels >> (bits - 1 - k)) & 1 for k in range(bits)]


def walsh_sum(x: np.ndarray, y: np.ndarray, bits: int) -> float:
    """Sum of (n - 2 D_uv)^2 / n over non-trivial products of planes, by XOR and counting."""
    n, total = len(x), 0.0
    subsets = [s for size in range(1, bits + 1) for s in itertools.combinations(range(bits), size)]
    for u, v in itertools.product(subsets, subsets):
        product_x = np.bitwise_xor.reduce([planes(x, bits)[k] for k in u])
        product_y = np.bitwise_xor.reduce([planes(y, bits)[k] for k in v])
        total += (n - 2 * int((product_x ^ product_y).sum())) ** 2 / n
    return total


def contingency(x: np.ndarray, y: np.ndarray, K: int) -> np.ndarray:
    counts = np.zeros((K, K), dtype=int)
    np.add.at(counts, (x, y), 1)
    return counts


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_t4_chi_square_is_a_sum_over_plane_products(bits: int) -> None:
    K, n = 2**bits, 64 * 2**bits
    rng = np.random.default_rng(bits)
    x = np.argsort(np.argsort(rng.normal(size=n))) * K // n
    y = np.argsort(np.argsort(x + rng.normal(size=n))) * K // n
    assert (contingency(x, y, K).sum(0) == n // K).all()
    expected = stats.chi2_contingency(contingency(x, y, K), correction=False).statistic
    assert walsh_sum(x, y, bits) == pytest.approx(expected, rel=1e-12)
    assert expected > 15


def test_t4_hadamard_rows_are_orthogonal() -> None:
    for K in (2, 4, 8):
        assert np.array_equal(walsh(K) @ walsh(K).T, K * np.eye(K))


def test_t4_uneven_margins_break_the_equality() -> None:
    rng = np.random.default_rng(5)
    n, K, lag = 1000, 4, 7
    series = rng.normal(size=n)
    follower = np.roll(series, lag) + rng.normal(size=n)
    x, y = (np.argsort(np.argsort(s)) * K // n for s in (series, follower))
    x, y = x[:-lag], y[lag:]  # the lag cuts the margins: no longer exactly a quarter each
    exact = stats.chi2_contingency(contingency(x, y, K), correction=False).statistic
    assert exact == pytest.approx(455.03, abs=5e-3)
    assert walsh_sum(x, y, 2) == pytest.approx(458.86, abs=5e-3)


def test_t4_parity_under_reflection() -> None:
    for K in (2, 4, 8):
        for u, row in enumerate(walsh(K)):
            assert np.array_equal(row[::-1], (-1) ** u.bit_count() * row)


@pytest.mark.parametrize(
    ("make", "kept"),
    [
        (lambda x, e: 0.8 * x + 0.6 * e, "same parity"),
        (lambda x, e: np.abs(x) + 0.5 * e, "even source"),
        (lambda x, e: x * e, "even both"),
    ],
)
def test_t4_parity_tells_kinds_of_dependence_apart(make, kept: str) -> None:
    rng = np.random.default_rng(6)
    n, K = 2**16, 4
    x, e = rng.normal(size=(2, n))
    levels = [np.argsort(np.argsort(series)) * K // n for series in (x, make(x, e))]
    W = walsh(K) @ contingency(*levels, K) @ walsh(K).T / math.sqrt(n)  # standard normal where nothing depends
    odd = np.array([u.bit_count() % 2 == 1 for u in range(K)])
    vanishing = {
        "same parity": odd[:, None] != odd[None, :],
        "even source": np.broadcast_to(odd[:, None], (K, K)),
        "even both": odd[:, None] | odd[None, :],
    }[kept][1:, 1:]
    W = np.abs(W[1:, 1:])
    assert W[vanishing].max() < 4 < 20 < W[~vanishing].max()


# --- T5


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.4, 0.9])
def test_t5_van_vleck(rho: float) -> None:
    rng = np.random.default_rng(7)
    n, draws = 500, 4000
    x, e = rng.normal(size=(2, draws, n))
    y = rho * x + math.sqrt(1 - rho**2) * e
    ones = [series > np.median(series, axis=1, keepdims=True) for series in (x, y)]
    estimate = np.sin(math.pi / 2 * (1 - 2 * (ones[0] ^ ones[1]).mean(axis=1)))
    p = math.acos(rho) / math.pi
    sd = math.sqrt((math.pi / 2) ** 2 * (1 - rho**2) * 4 * p * (1 - p) / n)
    assert estimate.mean() == pytest.approx(rho, abs=0.005)
    assert estimate.std() == pytest.approx(sd, rel=0.06)


# --- T6


def normal_plane_weights(bits: int) -> np.ndarray:
    """w_a = E[x A_a(x)] of equal-probability planes of a standard normal, from the densities at the cuts."""
    K = 2**bits
    density = stats.norm.pdf(stats.norm.ppf(np.arange(K + 1) / K))
    mean = density[:-1] - density[1:]  # E[x 1{level i}]
    return np.array([sum(mean[i] * (1 if (i >> (bits - 1 - k)) & 1 else -1) for i in range(K)) for k in range(bits)])


def test_t6_weights_and_efficiencies_of_a_normal_series() -> None:
    w = normal_plane_weights(3)
    assert w == pytest.approx([0.798, 0.473, 0.271], abs=5e-4)
    assert normal_plane_weights(2) == pytest.approx(w[:2])
    square = w**2
    assert square[0] ** 2 == pytest.approx((2 / math.pi) ** 2) == pytest.approx(0.405, abs=5e-4)
    assert square[:2].sum() ** 2 == pytest.approx(0.741, abs=1e-3)
    six = sum(square[a] * square[b] for a in range(3) for b in range(3) if a + b <= 2)
    assert six == pytest.approx(0.834, abs=1e-3)
    assert square.sum() ** 2 == pytest.approx(0.873, abs=1e-3)


def test_t6_signal_to_noise_by_simulation() -> None:
    rng = np.random.default_rng(8)
    n, draws, rho = 1024, 3000, 0.1
    x, e = rng.normal(size=(2, draws, n))
    y = rho * x + math.sqrt(1 - rho**2) * e
    signs = [[2 * p - 1 for p in planes(np.argsort(np.argsort(s, axis=1), axis=1) * 4 // n, 2)] for s in (x, y)]
    S = np.array([[(A * B).mean(axis=1) for B in signs[1]] for A in signs[0]])
    w = normal_plane_weights(2)

    def efficiency(weights: np.ndarray) -> float:
        combined = np.tensordot(weights, S)
        return float((combined.mean() / combined.std()) ** 2 / (n * rho**2))

    best = efficiency(np.outer(w, w))
    assert best == pytest.approx(0.741, abs=0.05)
    assert efficiency(np.diag([1.0, 0.0])) == pytest.approx(0.405, abs=0.04)
    assert efficiency(np.outer([3, 2], [3, 2])) == pytest.approx(best, abs=0.01)  # 3 : 2 is close enough
    assert efficiency(np.ones((2, 2))) < best - 0.02
    null = np.corrcoef([(A * B).mean(axis=1) for A in signs[0] for B in np.roll(signs[1], 1, axis=1)])
    assert np.abs(null[~np.eye(4, dtype=bool)]).max() < 0.07  # plane pairs are uncorrelated, so efficiencies add


# --- T7


def forward_t(columns: np.ndarray, y: np.ndarray, chosen: list[int]) -> np.ndarray:
    """The t of every column given `chosen`, by the orthogonal updates of forward selection."""
    n = len(y)
    z = (columns - columns.mean(0)) / columns.std(0)
    w = (y - y.mean()) / y.std()
    G, g, v, vy = z.T @ z / n, z.T @ w / n, np.ones(columns.shape[1]), 1.0
    Q: list[np.ndarray] = []
    for c in chosen:
        q = (G[:, c] - sum((row * row[c] for row in Q), np.zeros(len(G)))) / math.sqrt(v[c])
        step = g[c] / math.sqrt(v[c])
        g, v, vy = g - step * q, v - q**2, vy - step**2
        Q.append(q)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.abs(g) / np.sqrt(v * vy - g**2) * math.sqrt(n - len(chosen) - 2)


def partial_correlation_t(columns: np.ndarray, y: np.ndarray, chosen: list[int], c: int) -> float:
    """The same from two least-squares regressions."""
    given = np.column_stack([np.ones(len(y)), columns[:, chosen]])
    left, right = (s - given @ np.linalg.lstsq(given, s, rcond=None)[0] for s in (columns[:, c], y))
    r = left @ right / math.sqrt((left @ left) * (right @ right))
    return abs(r) * math.sqrt((len(y) - len(chosen) - 2) / (1 - r**2))


def test_t7_forward_t_is_the_partial_correlation_t() -> None:
    rng = np.random.default_rng(9)
    columns = np.cumsum(rng.normal(size=(300, 9)), axis=0) * 0.2 + rng.normal(size=(300, 9))
    y = columns @ rng.normal(size=9) * 0.2 + rng.normal(size=300)
    for chosen in ([], [3], [3, 0, 7], [8, 1, 2, 5, 6]):
        t = forward_t(columns, y, chosen)
        for c in set(range(9)) - set(chosen):
            assert t[c] == pytest.approx(partial_correlation_t(columns, y, chosen, c), rel=1e-9)


def test_t7_counter_example_matching_pursuit() -> None:
    """y = x(t-3) + 0.15 w(t-1) + e with x an AR(0.95): after the neighbour x(t-2), which column comes next?"""
    rng = np.random.default_rng(10)
    T = 20_000
    x, w = np.zeros(T), rng.normal(size=T)
    for t in range(1, T):
        x[t] = 0.95 * x[t - 1] + math.sqrt(1 - 0.95**2) * rng.normal()
    y = x[:-3] + 0.15 * w[2:-1] + rng.normal(size=T - 3)
    columns = np.column_stack([x[1:-2], x[:-3], w[2:-1]])  # x(t-2), x(t-3), w(t-1)
    given = np.column_stack([np.ones(T - 3), columns[:, 0]])
    residual = y - given @ np.linalg.lstsq(given, y, rcond=None)[0]
    pursuit = [abs(np.corrcoef(residual, columns[:, c])[0, 1]) for c in (1, 2)]
    orthogonal = forward_t(columns, y, [0])[1:]
    assert pursuit[1] > pursuit[0]
    assert orthogonal[0] > orthogonal[1]
    v = 1 - 0.95**2
    assert orthogonal[0] / orthogonal[1] == pytest.approx(math.sqrt(v) / 0.15, rel=0.15)
