"""What holds for every run of native PCMCI+."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.data import as_time_series
from plus_cases import contemporaneous_system
from systems import all_links

MIRROR = {"": "", "o-o": "o-o", "-->": "<--", "<--": "-->", "x-x": "x-x"}
SIZES = {"seed": st.integers(0, 10**6), "n": st.integers(2, 6), "tau_max": st.integers(0, 3)}
RULES = st.sampled_from(["majority", "conservative"])
LEVELS = st.sampled_from([0.01, 0.1, 0.4])


@settings(deadline=None, max_examples=40)
@given(**SIZES, rule=st.sampled_from(["majority", "conservative", "none"]), level=LEVELS, conflicts=st.booleans())
def test_marks_and_numbers_of_a_pair_agree(
    seed: int, n: int, tau_max: int, rule: str, level: float, conflicts: bool
) -> None:
    rng = np.random.default_rng(seed)
    links = all_links(n, tau_max, tau_min=0)
    dropped = rng.random(links.shape) < 0.2
    links &= ~dropped
    links[:, :, 0] &= np.triu(links[:, :, 0]) | links[:, :, 0].T  # a pair is open, or points to the later series
    series = as_time_series(contemporaneous_system(rng, n, 100, tau_max))
    options = {"pc_alpha": level, "contemp_collider_rule": rule, "conflict_resolution": conflicts}
    found = run_native_plus(series, links, **options)
    for i, j in np.ndindex(n, n):
        assert found.graph[j, i, 0] == MIRROR[str(found.graph[i, j, 0])]
        assert found.p[i, j, 0] == found.p[j, i, 0]
    assert np.isin(found.graph[:, :, 1:], ["", "-->"]).all()
    assert conflicts or "x-x" not in found.graph
    reachable = links.copy()
    reachable[:, :, 0] |= links[:, :, 0].T
    assert (found.graph[~reachable] == "").all() and (found.p[~reachable] == 1).all()
    assert (found.p[found.graph != ""] <= level).all()


@settings(deadline=None, max_examples=40)
@given(**SIZES, rule=RULES, level=LEVELS)
def test_the_graph_does_not_depend_on_the_order_of_the_series(
    seed: int, n: int, tau_max: int, rule: str, level: float
) -> None:
    """With these rules and conflicts marked; p-values at lag 0 do, for a removed pair is tested one way only."""
    rng = np.random.default_rng(seed)
    x = contemporaneous_system(rng, n, 100, tau_max)
    order = rng.permutation(n)
    links = all_links(n, tau_max, tau_min=0)
    options = {"pc_alpha": level, "contemp_collider_rule": rule}
    plain, moved = (run_native_plus(as_time_series(values), links, **options) for values in (x, x[:, order]))
    within = np.ix_(order, order)
    np.testing.assert_array_equal(moved.graph, plain.graph[within])
    np.testing.assert_allclose(moved.p[:, :, 1:], plain.p[within][:, :, 1:], rtol=0, atol=1e-10)
