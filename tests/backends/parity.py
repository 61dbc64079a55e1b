"""tigramite's own run beside the native one."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tigramite", reason="tigramite is not installed (extra: pcmci)")

from tigramite.data_processing import DataFrame
from tigramite.independence_tests.parcorr import ParCorr
from tigramite.independence_tests.robust_parcorr import RobustParCorr
from tigramite.pcmci import PCMCI

MISSING = 999.0
TOLERANCE = 1e-10


def tigramite_object(data, *, normal_scores=False, mask_type=None, **frame) -> PCMCI:
    """A PCMCI object of an array, or of a dict of them (several data sets); NaN is a missing value."""
    several = isinstance(data, dict)
    sets = data if several else {0: data}
    missing = MISSING if any(np.isnan(x).any() for x in sets.values()) else None
    filled = {key: np.where(np.isnan(x), MISSING, x) for key, x in sets.items()}
    mode = "multiple" if several else "single"
    frame = DataFrame(filled if several else filled[0], missing_flag=missing, analysis_mode=mode, **frame)
    test = RobustParCorr if normal_scores else ParCorr
    return PCMCI(frame, test(mask_type=mask_type))


def assert_same_pc1(found, pcmci: PCMCI) -> None:
    """Parents in order, and everything that run_pc_stable leaves on the object."""
    assert found.parents == pcmci.all_parents
    np.testing.assert_allclose(found.pc_p_max, pcmci.p_matrix, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.pc_val, pcmci.val_matrix, rtol=0, atol=TOLERANCE)
    for target, strengths in pcmci.val_min.items():
        for (source, lag), strength in strengths.items():
            assert found.pc_val_min[source, target, -lag] == pytest.approx(strength, abs=TOLERANCE)
        chosen = pcmci.iterations[target].get("optimal_pc_alpha")
        assert chosen in (None, found.pc_alpha[target])


def assert_same_mci(found, results, links) -> None:
    """Values, p-values and (at the level tigramite uses by default) the graph."""
    both = found.symmetric(links)
    np.testing.assert_allclose(both.p, results["p_matrix"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(both.val, results["val_matrix"], rtol=0, atol=TOLERANCE)
    significant = found.p <= 0.05
    significant[:, :, 0] |= significant[:, :, 0].T
    np.testing.assert_array_equal(significant, results["graph"] != "")


def assumptions(links, required=None) -> dict:
    """The links as tigramite's link_assumptions."""
    required = np.zeros_like(links) if required is None else required
    n = len(links)
    return {
        j: {
            (i, -tau): "-->" if required[i, j, tau] else "-?>" if tau else "o?o"
            for i, tau in np.argwhere((links | required)[:, j]).tolist()
        }
        for j in range(n)
    }
