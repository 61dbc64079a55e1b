"""What the user knows about links: forbidden ones, required ones, tigramite's link assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError

LinkMask = NDArray[np.bool_]
LinkAssumptions = dict[int, dict[tuple[int, int], str]]

# tigramite's link types, each with the type of the same link seen from its other end.
_MIRROR = {"o-o": "o-o", "o?o": "o?o", "-->": "<--", "<--": "-->", "-?>": "<?-", "<?-": "-?>"}
_LAGGED_TYPES = ("-->", "-?>")
_RULE_KEYS = {"source", "target", "lags"}


@dataclass(frozen=True, eq=False)
class Constraints:
    """Which links may be tested.

    Attributes
    ----------
    names : tuple of str
    tau_min, tau_max : int
        Lags in samples.
    allowed : ndarray of bool, shape (N, N, tau_max + 1), indexed [source, target, tau]
        False for links that are never tested. A pair at lag 0 has both directions, or only the one that
        `link_assumptions` give it.
    required : ndarray of bool, same shape
        Links that stay candidates whatever a screen says.
    types : dict
        The user's link assumptions, `{target: {(source, -tau): type}}` by column number, both directions at lag 0;
        empty without any.
    """

    names: tuple[str, ...]
    tau_min: int
    tau_max: int
    allowed: LinkMask
    required: LinkMask
    types: LinkAssumptions


def all_links(n_series: int, *, tau_min: int, tau_max: int) -> LinkMask:
    """Every legal link: lags tau_min to tau_max, a variable never linked to itself at lag 0."""
    mask = np.zeros((n_series, n_series, tau_max + 1), dtype=bool)
    mask[:, :, tau_min:] = True
    mask[range(n_series), range(n_series), 0] = False
    return mask


def build_constraints(
    names: Sequence[str],
    *,
    tau_min: int,
    tau_max: int,
    forbid: Iterable[Any] = (),
    require: Iterable[Any] = (),
    link_assumptions: Mapping[Any, Mapping[Any, str]] | None = None,
) -> Constraints:
    """Turn the user's knowledge into masks of links.

    Parameters
    ----------
    names : sequence of str
        The variables.
    tau_min, tau_max : int
        Lags in samples that are asked about.
    forbid : iterable of rules
        Links that are never tested. A rule is `(source, target)`, `(source, target, lags)` or a dict with the keys
        `source`, `target` and `lags`. Variables are names or column numbers; a list of them stands for each. A source
        or target left out of a dict means every *other* variable; lags left out mean all lags asked about. A rule at
        lag 0 is about the pair, whatever its direction.
    require : iterable of rules
        Links that are always candidates, even where a screen would drop them. They are still tested: requiring a link
        does not make it significant.
    link_assumptions : dict, optional
        tigramite's form, `{target: {(source, -tau): type}}`, with an entry for every target; links that are absent are
        never tested. Types are `-?>` and `-->` at lags above 0, and `o?o`, `o-o`, `-?>`, `<?-`, `-->`, `<--` at lag 0.
        Links stated to exist (`-->`, `<--`, `o-o`) are required too. Rules narrow this further and never widen it.

    Returns
    -------
    Constraints

    Raises
    ------
    InvalidDataError
        For unknown variables, lags out of range, a variable linked to itself at lag 0, unknown or contradictory types,
        targets without an entry, and links that are both required and forbidden.
    """
    index = _Index(tuple(names), tau_min, tau_max)
    allowed = all_links(len(names), tau_min=tau_min, tau_max=tau_max)
    required = np.zeros_like(allowed)
    types: LinkAssumptions = {}
    if link_assumptions is not None:
        types = _checked_assumptions(link_assumptions, index)
        assumed = np.zeros_like(allowed)
        for target, links in types.items():
            for (source, lag), kind in links.items():
                if not kind.startswith("<"):
                    assumed[source, target, -lag] = True
                    required[source, target, -lag] = "?" not in kind
        allowed &= assumed
    forbidden = index.mask(forbid, "forbid")
    required |= index.mask(require, "require")
    either_way = allowed.copy()
    either_way[:, :, 0] |= allowed[:, :, 0].T
    for mask, why in ((forbidden, "forbidden"), (~either_way, "left out of link_assumptions")):
        clash = np.argwhere(required & mask)
        if len(clash):
            source, target, tau = clash[0].tolist()
            raise InvalidDataError(
                f"the link {names[source]!r} -> {names[target]!r} at lag {tau} is required and {why}"
            )
    return Constraints(tuple(names), tau_min, tau_max, allowed & ~forbidden, required & allowed, types)


def lag_list(lags: Any, where: str) -> list[int]:
    """One lag or a sequence of them as a list of int."""
    listed = lags if isinstance(lags, list | tuple | range) else [lags]
    if not all(isinstance(lag, int | np.integer) and not isinstance(lag, bool) for lag in listed):
        raise InvalidDataError(f"{where}: lags must be whole numbers of samples, not {lags!r}")
    return [int(lag) for lag in listed]


@dataclass(frozen=True)
class _Index:
    """Variables by name or number, and the lags asked about."""

    names: tuple[str, ...]
    tau_min: int
    tau_max: int

    def variable(self, key: Any, where: str) -> int:
        if isinstance(key, str) and key in self.names:
            return self.names.index(key)
        if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < len(self.names):
            return int(key)
        shown = ", ".join(map(repr, self.names[:12])) + (", …" if len(self.names) > 12 else "")
        raise InvalidDataError(f"{where}: unknown variable {key!r}; the variables are {shown}")

    def check(self, source: int, target: int, tau: int, where: str) -> None:
        if not self.tau_min <= tau <= self.tau_max:
            raise InvalidDataError(f"{where}: lag {tau} is outside tau_min={self.tau_min} to tau_max={self.tau_max}")
        if source == target and tau == 0:
            raise InvalidDataError(f"{where}: {self.names[source]!r} can't have a link to itself at lag 0")

    def mask(self, rules: Iterable[Any], option: str) -> LinkMask:
        """Links that any of the rules names."""
        mask = np.zeros((len(self.names), len(self.names), self.tau_max + 1), dtype=bool)
        if isinstance(rules, str | Mapping) or not isinstance(rules, Iterable) or getattr(rules, "ndim", 1) == 0:
            raise InvalidDataError(f"{option} must be a list of rules, not {rules!r}")
        for number, rule in enumerate(rules, start=1):
            where = f"{option} rule {number}"
            given = _as_dict(rule, where)
            sources, targets = (self._variables(given.get(role), where) for role in ("source", "target"))
            for source in sources or range(len(self.names)):
                for target in targets or range(len(self.names)):
                    if source != target or (sources and targets):
                        self._mark(mask, source, target, given.get("lags"), where)
        return mask

    def _variables(self, keys: Any, where: str) -> list[int]:
        listed = keys if isinstance(keys, list | tuple) else [] if keys is None else [keys]
        return [self.variable(key, where) for key in listed]

    def _mark(self, mask: LinkMask, source: int, target: int, lags: Any, where: str) -> None:
        if lags is None:
            first = max(1, self.tau_min) if source == target else self.tau_min
            lags = range(first, self.tau_max + 1)
        for tau in lag_list(lags, where):
            self.check(source, target, tau, where)
            mask[source, target, tau] = True
            if tau == 0:
                mask[target, source, 0] = True


def _as_dict(rule: Any, where: str) -> Mapping[str, Any]:
    if isinstance(rule, Mapping):
        if rule.keys() - _RULE_KEYS or not rule.keys() & {"source", "target"}:
            raise InvalidDataError(f"{where}: expected source, target or both, and optionally lags; got {dict(rule)!r}")
        return rule
    if isinstance(rule, tuple | list) and len(rule) in (2, 3):
        return dict(zip(("source", "target", "lags"), rule, strict=False))
    raise InvalidDataError(f"{where}: expected (source, target), (source, target, lags) or a dict, not {rule!r}")


def _checked_assumptions(given: Mapping[Any, Any], index: _Index) -> LinkAssumptions:
    """tigramite's dict with numbers for names and both directions at lag 0."""
    if not isinstance(given, Mapping):
        raise InvalidDataError(f"link_assumptions: expected a dict {{target: {{(source, -tau): type}}}}, not {given!r}")
    types: LinkAssumptions = {}
    for target_key, links in given.items():
        target = index.variable(target_key, "link_assumptions")
        where = f"link_assumptions of {index.names[target]!r}"
        if not isinstance(links, Mapping):
            raise InvalidDataError(f"{where}: expected a dict {{(source, -tau): type}}, not {links!r}")
        types[target] = {}
        for key, kind in links.items():
            if not isinstance(key, tuple) or len(key) != 2:
                raise InvalidDataError(f"{where}: expected keys (source, -tau), not {key!r}")
            source, (lag,) = index.variable(key[0], where), lag_list([key[1]], where)
            if lag > 0:
                raise InvalidDataError(f"{where}: lags are written as -tau, so {key!r} must be ({key[0]!r}, {-lag})")
            index.check(source, target, -lag, where)
            if kind not in (_LAGGED_TYPES if lag else _MIRROR):
                expected = " ".join(_LAGGED_TYPES if lag else _MIRROR)
                raise InvalidDataError(f"{where}: {key!r} has type {kind!r}; expected one of {expected}")
            types[target][source, lag] = kind
    absent = [name for k, name in enumerate(index.names) if k not in types]
    if absent:
        raise InvalidDataError(
            f"link_assumptions has no entry for {', '.join(map(repr, absent))}; every variable needs one, "
            "{} for a variable without parents"
        )
    _mirror_contemporaneous(types, index)
    return types


def _mirror_contemporaneous(types: LinkAssumptions, index: _Index) -> None:
    for target, links in list(types.items()):
        for (source, lag), kind in list(links.items()):
            if lag == 0 and types[source].setdefault((target, 0), _MIRROR[kind]) != _MIRROR[kind]:
                pair = f"{index.names[source]!r} and {index.names[target]!r}"
                raise InvalidDataError(f"link_assumptions: the types of {pair} at lag 0 contradict each other")
