"""The slow readable twin of `rust/ngc`: one network, its gradient, the penalties set by set, and the steps."""

import numpy as np
from scipy.optimize import minimize_scalar

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def uniform(seed, keys, n, bound):
    """n numbers of SplitMix64 on [-bound, bound), from a seed and keys."""
    state = mixed(seed + STEP & MASK)
    for key in keys:
        state = mixed(state ^ mixed(key))
    draws = [mixed(state + k * STEP & MASK) >> 40 for k in range(1, n + 1)]
    return np.array(draws) / 2**23 * bound - bound


def initial(seed, target, columns, hidden):
    """Weights (c, H), biases, outgoing weights and offset; `columns` are (key of the source, lag)."""
    first, second = len(columns) ** -0.5, hidden**-0.5
    weights = np.array([uniform(seed, (target, key, lag), hidden, first) for key, lag in columns])
    rest = uniform(seed, (target,), 2 * hidden + 1, 1.0)
    return weights, first * rest[:hidden], second * rest[hidden:-1], second * rest[-1]


def forward(network, z):
    weights, bias, outgoing, offset = network
    return np.maximum(z @ weights + bias, 0) @ outgoing + offset


def gradient(network, z, y):
    """Derivatives of the mean squared error."""
    weights, bias, outgoing, _ = network
    active = np.maximum(z @ weights + bias, 0)
    error = 2 * (forward(network, z) - y) / len(y)
    delta = np.outer(error, outgoing) * (active > 0)
    return z.T @ delta, delta.sum(axis=0), active.T @ error, error.sum()


def sets(penalty, columns, required):
    """Sets of columns with a norm of their own, small ones first."""
    found = []
    for source in dict.fromkeys(key for key, _ in columns):
        group = [k for k, (key, _) in enumerate(columns) if key == source and k not in required]
        group.sort(key=lambda k: -columns[k][1])
        alone = [[k] for k in group] if penalty == "gsgl" else []
        nested = [group[: k + 1] for k in range(len(group) - 1)] if penalty == "h" else []
        found += [*alone, *nested, *([group] if group else [])]
    return found


def fit(z, y, network, groups, required, *, lam, ridge, lr, n_steps):
    """Proximal gradient steps, and every 25 of them the cheapest balance of the two layers."""
    weights, bias, outgoing, offset = network
    for step in range(1, n_steps + 1):
        by = gradient((weights, bias, outgoing, offset), z, y)
        by[0][required] += 2 * ridge * weights[required]
        weights, bias = weights - lr * by[0], bias - lr * by[1]
        outgoing, offset = outgoing - lr * (by[2] + 2 * ridge * outgoing), offset - lr * by[3]
        for group in groups:
            norm = np.linalg.norm(weights[group])
            weights[group] *= max(0.0, 1 - lr * lam / norm) if norm else 0.0
        if step % 25 == 0:
            sparse = lam * sum(np.linalg.norm(weights[group]) for group in groups)
            kept, out = ridge * (weights[required] ** 2).sum(), ridge * (outgoing**2).sum()

            def cost(log, sparse=sparse, kept=kept, out=out):
                return sparse * np.exp(log) + kept * np.exp(2 * log) + out * np.exp(-2 * log)

            scale = np.exp(minimize_scalar(cost, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).x)
            weights, bias, outgoing = weights * scale, bias * scale, outgoing / scale
    return weights, bias, outgoing, offset
