"""Between all variables of an object and those that vary, which are all that the compiled core gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from arrow_cd.backends.native_plus import NativePlusRun
from arrow_cd.links import LinkStatus

if TYPE_CHECKING:
    from arrow_cd.backends.native_pcmci import NativeRun

Parents = Mapping[int, Sequence[tuple[int, int]]]
Found = TypeVar("Found", "NativeRun", NativePlusRun)

# What the arrays of a run hold where a variable is constant.
_NOTHING: dict[str, Any] = {
    "val": 0.0,
    "p": 1.0,
    "df": 0,
    "status": LinkStatus.CONSTANT,
    "graph": "",
    "pc_val": 0.0,
    "pc_p_max": 1.0,
    "pc_val_min": 0.0,
}


def inward(lists: Parents, active: Sequence[int]) -> Parents:
    """Return lists of links with variables counted among the `active` ones, the others left out."""
    at = {variable: k for k, variable in enumerate(active)}
    return {at[j]: [(at[i], lag) for i, lag in lists.get(j, ()) if i in at] for j in active}


def over_all(found: Found, active: Sequence[int], n: int) -> Found:
    """Return a run on the `active` variables as one on all n: nothing is tested on the others."""
    if len(active) == n:
        return found
    within = np.ix_(active, active)
    changed: dict[str, Any] = {}
    for name in _NOTHING.keys() & vars(found).keys():
        array = getattr(found, name)
        changed[name] = np.full((n, n, array.shape[2]), _NOTHING[name], dtype=array.dtype)
        changed[name][within] = array

    def outward(links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        return [(active[i], lag) for i, lag in links]

    changed["parents"] = {j: [] for j in range(n)} | {active[k]: outward(at) for k, at in found.parents.items()}
    if isinstance(found.pc_alpha, dict):  # a level for each target
        changed["pc_alpha"] = {active[k]: level for k, level in found.pc_alpha.items()}
    if isinstance(found, NativePlusRun):
        sets, triples = found.sepsets.items(), found.ambiguous_triples
        changed["sepsets"] = {((active[i], lag), active[j]): outward(nodes) for ((i, lag), j), nodes in sets}
        changed["ambiguous_triples"] = [((active[i], lag), active[k], active[j]) for (i, lag), k, j in triples]
    return replace(found, **changed)
