"""SURD from its formulas: dense tables of probabilities, one subset of agents after another."""

from itertools import combinations

import numpy as np


def states(x, bins, binning):
    """States of one series."""
    distinct = np.unique(x)
    if len(distinct) <= bins:
        return np.searchsorted(distinct, x)
    if binning == "width":
        share = (x - x.min()) / (x.max() - x.min())
        raw = np.minimum((bins * share).astype(int), bins - 1)
    else:
        ranks = np.array([np.sum(x < v) + (np.sum(x == v) + 1) / 2 for v in x])
        raw = np.floor(bins * (ranks - 0.5) / len(x)).astype(int)
    return np.searchsorted(np.unique(raw), raw)


def columns(values, links, target, segments, bins, binning):
    """Agents (source, -lag) of a target, and the states of the target and of each of them on all rows."""
    coded = np.array([states(x, bins, binning) for x in values.T])
    tau_max = links.shape[2] - 1
    rows = np.array([t for start, stop in segments for t in range(start + tau_max, stop)])
    agents = [(int(i), -int(lag)) for i, lag in np.argwhere(links[:, target])]
    return agents, coded[target][rows], [coded[i][rows + lag] for i, lag in agents]


def specific_information(y, agents, miller_madow=False):
    """i(y; C) of every state of the target for the agents C together, and p(y)."""
    n = len(y)
    joint = np.unique(np.column_stack(agents), axis=0, return_inverse=True)[1].ravel()
    counts = np.zeros((y.max() + 1, joint.max() + 1))
    np.add.at(counts, (y, joint), 1)
    p, p_y, p_c = counts / n, counts.sum(axis=1) / n, counts.sum(axis=0) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (p / p_y[:, None]) * np.log2(p / p_c / p_y[:, None])
    information = np.nansum(terms, axis=1)
    if miller_madow:
        seen = (counts > 0).sum(axis=1)
        information -= ((seen - 1) / (n * p_y) - (counts.shape[1] - 1) / n) / (2 * np.log(2))
    return np.maximum(information, 0), p_y


def decompose(y, agents, order, miller_madow=False):
    """Terms {("R" | "U" | "S", positions): bits} of one target."""
    subsets = [c for k in range(1, order + 1) for c in combinations(range(len(agents)), k)]
    found = [specific_information(y, [agents[a] for a in c], miller_madow) for c in subsets]
    terms = {}
    for state in range(y.max() + 1):
        information = {c: i[state] for c, (i, _) in zip(subsets, found, strict=True)}
        p_y = found[0][1][state]
        for size in range(2, order + 1):
            best = max(i for c, i in information.items() if len(c) < size)
            information |= {c: 0.0 for c, i in information.items() if len(c) == size and i < best - 1e-12}
        left = list(range(len(agents)))
        below = 0.0
        for c in sorted(information, key=lambda c: (round(information[c], 12), len(c), c)):
            kind = "S" if len(c) > 1 else "R" if len(left) > 1 else "U"
            key = (kind, c if len(c) > 1 else tuple(left))
            terms[key] = terms.get(key, 0.0) + p_y * (information[c] - below)
            below = information[c]
            if len(c) == 1:
                left.remove(c[0])
    return terms


def credits(terms, n_agents):
    """Bits that each agent is credited with."""
    owned = np.zeros(n_agents)
    for (kind, members), bits in terms.items():
        if kind != "R":
            owned[list(members)] += bits / len(members)
    return owned


def shifted(y, by, lengths):
    """The target with every data set's rows moved around in a circle."""
    ends = np.cumsum(lengths)[:-1]
    return np.concatenate([np.roll(part, -int(d)) for part, d in zip(np.split(y, ends), by, strict=True)])


def p_value(observed, null):
    """Share of shifts that reach the observation, or the exponential tail of their largest quarter."""
    null, tolerance = np.sort(null)[::-1], 1e-11
    reaching = np.sum(null >= observed - tolerance)
    counted = (1 + reaching) / (1 + len(null))
    m = min(len(null) // 4, np.sum(null > tolerance))
    if reaching >= 10 or m < 10:
        return counted
    base = null[m] if m < len(null) else 0.0
    excess = null[:m] - base
    if observed <= base + tolerance or excess.sum() <= tolerance:
        return counted
    return (1 + m) / (1 + len(null)) * (1 + (observed - base) / excess.mean() / m) ** -m
