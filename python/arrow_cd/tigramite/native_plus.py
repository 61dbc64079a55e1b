"""PCMCI+ of an accelerated object, run by the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.backends.native_plus import run_native_plus
from arrow_cd.links import LinkStatus

if TYPE_CHECKING:
    from arrow_cd.backends.native_plus import NativePlusRun
    from arrow_cd.tigramite.native import NativeSearch

_OPTIONS = ("contemp_collider_rule", "conflict_resolution", "reset_lagged_links", "max_conds_px_lagged")


def run_pcmciplus(search: NativeSearch, options: Mapping[str, Any]) -> dict[str, Any]:
    """Run PCMCI+ at one level; returns and leaves on the object what tigramite's run_pcmciplus does.

    Parameters
    ----------
    search
        The call in progress.
    options
        `pc_alpha` and the limits on conditions.
    """
    pcmci, given = search.pcmci, search.options
    own = {name: given[name] for name in _OPTIONS}
    # The limit on conditions is for PC1 and for the contemporaneous ones that come later, with a default for each.
    limits = dict(options) | {"max_conds_dim": given["max_conds_dim"]}
    found: NativePlusRun = search.on_core(run_native_plus, **limits, **own)
    search.keep_pc1(found)
    search.take_status(found)
    pcmci.all_lagged_parents = found.parents
    pcmci.p_matrix, pcmci.val_matrix = found.p, found.val
    q = found.p
    if given["fdr_method"] != "none":
        failed = search.plan.kept & (found.status > LinkStatus.CONSTANT)
        q = pcmci.get_corrected_pvalues(np.where(failed, np.nan, q), given["fdr_method"], tau_max=given["tau_max"])
        q = np.where(failed, 1.0, q)
    results = {
        "graph": found.graph,
        "p_matrix": q,
        "val_matrix": found.val,
        "sepsets": pcmci._get_sepsets(given["tau_min"], given["tau_max"]) | found.sepsets,
        "ambiguous_triples": found.ambiguous_triples,
        "conf_matrix": None,
    }
    if pcmci.verbosity > 0:
        pcmci.print_results(results, alpha_level=given["pc_alpha"])
    pcmci.results = results
    return results
