"""The slow readable twin of `rust/granger`: one least-squares fit a model, one restricted fit a block."""

import numpy as np
from scipy import stats


def rows_of(segments, tau_max):
    return np.concatenate([np.arange(min(start + tau_max, stop), stop) for start, stop in segments])


def unexplained(y, columns):
    """Residual sum of squares of a fit with an intercept; columns centred first, which changes nothing but rounding."""
    design = np.array(columns).reshape(len(columns), len(y)).T
    design = design - design.mean(axis=0)
    y = y - y.mean()
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return residual @ residual


def block_test(y, inside, outside):
    """ln(RSS_r / RSS_f), F, its p-value and degrees of freedom for the columns `inside` given those `outside`."""
    q, df = len(inside), len(y) - len(inside) - len(outside) - 1
    full, restricted = unexplained(y, [*inside, *outside]), unexplained(y, outside)
    f = (restricted - full) / q / (full / df)
    return np.log(restricted / full), f, stats.f.sf(f, q, df), q, df


def link_test(y, column, others):
    """Partial correlation of a column and y given the others, and the p-value of its t."""
    given = np.column_stack([np.ones(len(y)), *others])
    x, y = (v - given @ np.linalg.lstsq(given, v, rcond=None)[0] for v in (column, y))
    r, df = x @ y / np.sqrt((x @ x) * (y @ y)), len(y) - given.shape[1] - 1
    return r, 2 * stats.t.sf(abs(r) * np.sqrt(df / (1 - r * r)), df)


def granger(values, links, *, segments=None, form="conditional", tau_min=1):
    """(links, pairs): {(source, target, lag): (r, p)} and {(source, target): (val, F, p, df_num, df_denom)}."""
    T, N = values.shape
    tau_max = links.shape[2] - 1
    rows = rows_of(segments or [(0, T)], tau_max)
    of_links, of_pairs = {}, {}
    for j in range(N):
        y = values[rows, j]
        for i in range(N):
            tested = [lag for lag in range(tau_max + 1) if links[i, j, lag]]
            if not tested:
                continue
            if form == "conditional":
                nodes = [(k, lag) for k in range(N) for lag in range(tau_max + 1) if links[k, j, lag]]
            else:
                pairs = {(j, lag) for lag in range(1, tau_max + 1)} | {(i, lag) for lag in range(tau_min, tau_max + 1)}
                nodes = [(k, lag) for k, lag in sorted(pairs) if form == "block" or links[k, j, lag]]
                nodes = [node for node in nodes if i != j or node[0] == j]
            column = {(k, lag): values[rows - lag, k] for k, lag in nodes}
            inside = [column[node] for node in nodes if node[0] == i]
            outside = [column[node] for node in nodes if node[0] != i]
            of_pairs[i, j] = block_test(y, inside, outside)
            for lag in tested:
                others = [column[node] for node in nodes if node != (i, lag)]
                of_links[i, j, lag] = link_test(y, column[i, lag], others)
    return of_links, of_pairs
