"""The slow readable twin of `rust/lingam`: definitions, not algorithms."""

import numpy as np


def entropy(u):
    """Maximum entropy approximation for a standardised u, in nats."""
    log_cosh, odd = np.mean(np.log(np.cosh(u))), np.mean(u * np.exp(-(u**2) / 2))
    return (1 + np.log(2 * np.pi)) / 2 - 79.047 * (log_cosh - 0.37457) ** 2 - 7.4129 * odd**2


def standardised(x):
    return (x - x.mean()) / x.std()


def residual(x, y):
    """What y leaves of x."""
    return x - np.cov(x, y, bias=True)[0, 1] / np.var(y) * y


def effect_score(x, others):
    """How much x looks like an effect of the others."""
    total = 0.0
    for y in others:
        u, v = standardised(x), standardised(y)
        difference = entropy(v) + entropy(standardised(residual(u, v))) - entropy(u)
        total += min(0.0, difference - entropy(standardised(residual(v, u)))) ** 2
    return total


def causal_order(columns):
    """DirectLiNGAM's order of the columns (n, N), and the scores of the columns that were left in every round."""
    left, order, rounds = dict(enumerate(columns.T)), [], []
    while left:
        scores = {k: effect_score(x, [y for j, y in left.items() if j != k]) for k, x in left.items()}
        rounds.append(scores)
        root = min(scores, key=scores.get)
        order.append(root)
        cause = left.pop(root)
        left = {k: residual(x, cause) for k, x in left.items()}
    return order, rounds


def lagged_rows(values, lags):
    """Columns (i, a) on rows t >= lags as a dict."""
    T, n = values.shape
    return {(i, a): values[lags - a : T - a, i] for i in range(n) for a in range(lags + 1)}


def least_squares(target, columns):
    """Coefficients and residual of a regression with a constant."""
    design = np.column_stack([np.ones(len(target)), *columns])
    solution = np.linalg.lstsq(design, target, rcond=None)[0]
    return solution[1:], target - design @ solution


def ancestors(links, target):
    """The target and everything from which links at lag 0 lead to it."""
    found = {target}
    while True:
        more = {i for j in found for i in range(len(links)) if links[i, j, 0]} - found
        if not more:
            return found
        found |= more


def fit(values, links, order=None):
    """Order, B [source, target, tau] and residuals (n, N) by least squares, one equation after the other."""
    n, lags = values.shape[1], links.shape[2] - 1
    x = lagged_rows(values, lags)
    residuals = []
    for j in range(n):
        past = {(i, a) for k in ancestors(links, j) for i in range(n) for a in range(1, lags + 1) if links[i, k, a]}
        residuals.append(least_squares(x[j, 0], [x[c] for c in sorted(past)])[1])
    residuals = np.column_stack(residuals)
    order = causal_order(residuals)[0] if order is None else order
    coefficients = np.zeros(links.shape)
    for place, j in enumerate(order):
        columns = [(i, 0) for i in order[:place] if links[i, j, 0]]
        columns += [(i, a) for i in range(n) for a in range(1, lags + 1) if links[i, j, a]]
        for (i, a), b in zip(columns, least_squares(x[j, 0], [x[c] for c in columns])[0], strict=True):
            coefficients[i, j, a] = b
    return order, coefficients, residuals


def adaptive_lasso(target, columns, price):
    """Refit of that support on the path of the adaptive lasso with the smallest RSS / s^2 + k price."""
    from sklearn.linear_model import lars_path

    design = np.column_stack([c - c.mean() for c in columns])
    y = target - target.mean()
    weights = np.abs(least_squares(y, design.T)[0])
    rest = least_squares(y, design.T)[1]
    variance = rest @ rest / (len(y) - design.shape[1] - 1)
    _, _, path = lars_path(design * weights, y, method="lasso")
    best, chosen = np.inf, np.zeros(design.shape[1])
    for knot in path.T:
        support = np.flatnonzero(np.abs(knot) > 1e-12)
        b, left = least_squares(y, design.T[support])
        criterion = left @ left / variance + len(support) * price
        if criterion < best:
            best, chosen = criterion, np.zeros(design.shape[1])
            chosen[support] = b
    return chosen
