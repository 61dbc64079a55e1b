"""Hand-made results that the tests of tables, files and figures share."""

import numpy as np

from arrow_cd.links import LinkStatus
from arrow_cd.result import CausalResult, Screening


def example(**changes) -> CausalResult:
    """Four variables, lags 0 to 2: one mark of each kind, a negative link, a required one, a constant column."""
    shape = (4, 4, 3)
    graph = np.full(shape, "", dtype="<U3")
    val, p, q = np.zeros(shape), np.ones(shape), np.ones(shape)
    status = np.full(shape, LinkStatus.NOT_TESTED, dtype=np.uint8)
    status[3] = status[:, 3] = LinkStatus.CONSTANT
    status[range(4), range(4), 0] = LinkStatus.NOT_ASKED

    def link(i, j, tau, mark, numbers):
        graph[i, j, tau] = mark
        val[i, j, tau], p[i, j, tau], q[i, j, tau] = numbers
        status[i, j, tau] = LinkStatus.OK

    link(0, 0, 1, "-->", (0.7, 1e-300, 2e-300))
    link(0, 1, 2, "-->", (-0.4, 1 / 3e9, 2 / 3e9))
    link(1, 0, 1, "", (0.01, 0.8, 0.9))
    for i, j, mark, mirror in ((2, 0, "-->", "<--"), (0, 1, "o-o", "o-o"), (1, 2, "x-x", "x-x")):
        link(i, j, 0, mark, (0.2, 0.001, 0.001))
        link(j, i, 0, mirror, (0.2, 0.001, 0.001))
    graph[2, 1, 2] = "-->"
    status[2, 1, 2] = LinkStatus.NOT_ASKED
    fields = {
        "method": "pcmci",
        "var_names": ("a", "b", 'c "quoted"', "d"),
        "tau_min": 0,
        "tau_max": 2,
        "n_samples": 96,
        "alpha": 0.05,
        "fdr": "bh",
        "graph": graph,
        "val_matrix": val,
        "p_matrix": p,
        "q_matrix": q,
        "tested": status == LinkStatus.OK,
        "status": status,
        "parents": {0: [(0, -1)], 1: [(0, -2), (2, -2)], 2: [], 3: []},
        "screening": Screening(
            config={"strategy": "weave"},
            candidates={0: [(0, -1)], 1: [(0, -2)]},
            tests_run=9,
            tests_avoided=20,
            tests_by_phase={"PC1": 5, "MCI": 4},
            timings={"scan": 0.25},
        ),
        "options": {"pc_alpha": 0.2, "forbid": [["a", "b", 1]]},
        "seed": 7,
        "timings": {"total": 0.5},
        "versions": {"arrow_cd": "0.1.0"},
        "notes": ("column 'd' is constant and was left out",),
    }
    return CausalResult(**(fields | changes))


def empty(names, tau_max) -> CausalResult:
    """A result in which nothing was tested."""
    shape = (len(names), len(names), tau_max + 1)
    return example(
        var_names=names,
        tau_max=tau_max,
        graph=np.full(shape, ""),
        val_matrix=np.zeros(shape),
        p_matrix=np.ones(shape),
        q_matrix=np.ones(shape),
        tested=np.zeros(shape),
        status=np.full(shape, LinkStatus.NOT_TESTED),
        parents={},
        screening=None,
    )
