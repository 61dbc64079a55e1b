"""Link assumptions in tigramite's form: checked, turned into masks, and pruned without ever being widened.

The form is ``{j: {(i, -tau): mark, …}, …}`` with one key for every target j. A link that is not in it counts as absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError

Links = dict[int, dict[tuple[int, int], str]]

# A middle mark "?" asks for a test; "-" states that the link exists, and tigramite then tests nothing.
LAGGED, CONTEMPORANEOUS = "-?>", "o?o"
_MARKS = ("-?>", "-->", "o?o", "o-o", "<?-", "<--")


def check_assumptions(given: Any, n: int, tau_min: int, tau_max: int, *, lag_zero_ignored: bool) -> Links | None:
    """Return a copy of the user's link assumptions, or None where all links are meant.

    Parameters
    ----------
    given
        What the user passed as `link_assumptions`.
    n, tau_min, tau_max
        Number of variables; smallest and largest lag in samples.
    lag_zero_ignored
        Whether the method drops contemporaneous links by itself, so that lag 0 is allowed below `tau_min`.

    Raises
    ------
    InvalidDataError
        Not a dict of dicts, a target without a key, a variable or lag out of range, or an unknown mark.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InvalidDataError(
            f"link_assumptions: expected a dict {{j: {{(i, -tau): mark}}}}, got {type(given).__name__}"
        )
    missing = [j for j in range(n) if j not in given]
    if missing:
        raise InvalidDataError(
            f"link_assumptions has no key for target {missing[0]}: give every target 0..{n - 1} one, {{}} for no links"
        )
    extra = [j for j in given if j not in range(n)]
    if extra:
        raise InvalidDataError(f"link_assumptions: target {extra[0]!r} is not one of 0..{n - 1}")
    lags = {-tau for tau in range(tau_min, tau_max + 1)} | ({0} if lag_zero_ignored else set())
    return {j: _check_target(j, given[j], n, lags) for j in range(n)}


def _check_target(j: int, links: Any, n: int, lags: set[int]) -> dict[tuple[int, int], str]:
    """Check one target's links; order stays as given, because it decides ties in the search."""
    if not isinstance(links, Mapping):
        raise InvalidDataError(
            f"link_assumptions[{j}]: expected a dict {{(i, -tau): mark}}, got {type(links).__name__}; "
            f"lists belong to tigramite's old selected_links"
        )
    checked: dict[tuple[int, int], str] = {}
    for link, mark in links.items():
        if not (isinstance(link, tuple) and len(link) == 2):
            raise InvalidDataError(f"link_assumptions[{j}]: {link!r} is not a link, expected (i, -tau)")
        source, lag = link
        if source not in range(n):
            raise InvalidDataError(f"link_assumptions[{j}]: source {source!r} in {link!r} is not one of 0..{n - 1}")
        if lag not in lags:
            raise InvalidDataError(
                f"link_assumptions[{j}]: lag {lag!r} in {link!r} is outside [{min(lags)}, {max(lags)}] "
                f"(lags are written as -tau)"
            )
        if mark not in _MARKS:
            raise InvalidDataError(
                f"link_assumptions[{j}]: mark {mark!r} of {link!r} is not one of {', '.join(_MARKS)}"
            )
        checked[int(source), int(lag)] = mark
    return checked


def check_parents(parents: Mapping[int, list[tuple[int, int]]], asked: NDArray[np.bool_], *, of_sources: bool) -> None:
    """Raise InvalidDataError for conditions that lie before the rows of a run, where tigramite reads from the end.

    Parameters
    ----------
    parents
        Conditions of every variable for MCI, as (i, -tau).
    asked : (N, N, tau_max + 1) bool
        The links to test, [source, target, tau].
    of_sources
        Whether parents of a link's source count as conditions, moved back by the link's lag.
    """
    tau_max = asked.shape[2] - 1
    for j, links in parents.items():
        lags = np.flatnonzero(asked[j].any(axis=0)) if of_sources else np.array([0])
        for i, lag in links:
            back = -lag + int(lags.max(initial=0))
            if lag > 0 or back > 2 * tau_max:
                raise InvalidDataError(
                    f"parents[{j}]: {(i, lag)} is a condition {back} samples back for a link from {j}, but rows have "
                    f"only 2 tau_max = {2 * tau_max} samples before them (lags are written as -tau)"
                )


def asked_links(links: Links | None, n: int, tau_min: int, tau_max: int) -> NDArray[np.bool_]:
    """Return the links asked about as a mask (N, N, tau_max + 1), indexed [source, target, tau].

    A contemporaneous link counts in both directions, whichever was written down; (i, i, 0) never counts.
    """
    asked = np.zeros((n, n, tau_max + 1), dtype=bool)
    if links is None:
        asked[:, :, tau_min:] = True
    else:
        for j, sources in links.items():
            for i, lag in sources:
                asked[i, j, -lag] = True
        asked[:, :, 0] |= asked[:, :, 0].T
    asked[range(n), range(n), 0] = False
    return asked


def split_links(links: Links | None, shape: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the links to test (middle mark "?") and those stated to exist ("-"), as masks [source, target, tau].

    A directed contemporaneous link stands in its direction only, an undirected one in both.
    """
    to_test, stated = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for j, sources in (links or {}).items():
        for (i, lag), mark in sources.items():
            mask = stated if mark[1] == "-" else to_test
            if lag or mark[0] != "<":
                mask[i, j, -lag] = True
            if not lag and mark[2] != ">":
                mask[j, i, 0] = True
    return to_test, stated


def keep_links(links: Links | None, keep: NDArray[np.bool_]) -> Links:
    """Return the assumptions restricted to `keep`, marks and order unchanged.

    Where the user gave none, the order is tigramite's own: source first, then lag ascending.

    Parameters
    ----------
    links
        The user's assumptions, or None.
    keep : (N, N, tau_max + 1) bool
        The links that stay, indexed [source, target, tau].
    """
    n = keep.shape[0]
    if links is not None:
        return {j: {link: mark for link, mark in links[j].items() if keep[link[0], j, -link[1]]} for j in range(n)}
    return {
        j: {(i, -tau): LAGGED if tau else CONTEMPORANEOUS for i, tau in np.argwhere(keep[:, j]).tolist()}
        for j in range(n)
    }
