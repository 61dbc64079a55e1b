"""Constraints: masks of what may be tested, and messages for knowledge that can't be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrow_cd.constraints import Constraints, all_links, build_constraints
from arrow_cd.constraints_file import read_constraints
from arrow_cd.errors import InvalidDataError

NAMES = ("rain", "river", "sea")


def build(tau_min: int = 1, tau_max: int = 3, **rules: Any) -> Constraints:
    return build_constraints(NAMES, tau_min=tau_min, tau_max=tau_max, **rules)


def pairs(mask: np.ndarray) -> list[tuple[int, int, int]]:
    return [tuple(link) for link in np.argwhere(mask).tolist()]


def test_without_knowledge_all_legal_links_are_allowed() -> None:
    for tau_min in (0, 1, 2):
        given = build(tau_min)
        assert given.allowed.sum() == 9 * (3 - max(tau_min, 1) + 1) + (6 if tau_min == 0 else 0)
        assert not given.required.any()
        assert not given.allowed[:, :, :tau_min].any() and not given.allowed[range(3), range(3), 0].any()


def test_f42_forbidden_links_by_name_number_lag_and_wildcard() -> None:
    gone = all_links(3, tau_min=1, tau_max=3)
    gone &= ~build(forbid=[("rain", 2, 1), {"source": "sea", "lags": [2, 3]}, ("river", "river")]).allowed
    expected = [(0, 2, 1), (1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 0, 2), (2, 0, 3), (2, 1, 2), (2, 1, 3)]
    assert pairs(gone) == expected
    only_target = build(forbid=[{"target": "rain"}])
    assert not only_target.allowed[1:, 0].any() and only_target.allowed[0, 0, 1:].all()


def test_lag_0_is_about_the_pair() -> None:
    given = build(0, forbid=[("rain", "sea", 0)], require=[("river", "sea", 0)])
    assert not given.allowed[0, 2, 0] and not given.allowed[2, 0, 0] and given.allowed[0, 2, 1]
    assert pairs(given.required) == [(1, 2, 0), (2, 1, 0)]


def test_required_links_stay_candidates_and_may_not_be_forbidden() -> None:
    assert pairs(build(require=[("rain", ["river", "sea"], 2)]).required) == [(0, 1, 2), (0, 2, 2)]
    with pytest.raises(InvalidDataError, match="'rain' -> 'sea' at lag 2 is required and forbidden"):
        build(require=[("rain", "sea", 2)], forbid=[{"source": "rain"}])
    with pytest.raises(InvalidDataError, match="'sea' -> 'sea' at lag 1 is required and left out of link_assumptions"):
        build(require=[("sea", "sea", 1)], link_assumptions={0: {}, 1: {}, 2: {}})


def test_f42_link_assumptions_are_the_only_links_and_rules_only_narrow() -> None:
    assumptions = {0: {(0, -1): "-?>"}, 1: {(0, -1): "-?>", (0, -2): "-->"}, "sea": {("river", -1): "-?>"}}
    given = build(link_assumptions=assumptions, forbid=[("rain", "river", 1)])
    assert pairs(given.allowed) == [(0, 0, 1), (0, 1, 2), (1, 2, 1)]
    assert pairs(given.required) == [(0, 1, 2)]
    assert given.types == {0: {(0, -1): "-?>"}, 1: {(0, -1): "-?>", (0, -2): "-->"}, 2: {(1, -1): "-?>"}}


def test_link_assumptions_at_lag_0_are_mirrored_as_tigramite_does() -> None:
    given = build(0, link_assumptions={0: {(1, 0): "-?>"}, 1: {}, 2: {(0, 0): "o?o", (0, -3): "-?>"}})
    assert pairs(given.allowed) == [(0, 2, 0), (0, 2, 3), (1, 0, 0), (2, 0, 0)]  # 1 -> 0 in its direction only
    assert given.types == {
        0: {(1, 0): "-?>", (2, 0): "o?o"},
        1: {(0, 0): "<?-"},
        2: {(0, 0): "o?o", (0, -3): "-?>"},
    }


def test_a_directed_pair_at_lag_0_is_required_and_stated_in_its_direction() -> None:
    stated = build(0, link_assumptions={0: {(1, 0): "-->"}, 1: {}, 2: {}})
    assert pairs(stated.required) == pairs(stated.allowed) == [(1, 0, 0)]
    kept = build(0, require=[(0, 1, 0)], link_assumptions={0: {(1, 0): "-?>"}, 1: {}, 2: {}})
    assert pairs(kept.required) == [(1, 0, 0)]


def test_link_assumptions_mean_what_they_mean_to_tigramite() -> None:
    pcmci = pytest.importorskip("tigramite.pcmci")
    frame = pytest.importorskip("tigramite.data_processing").DataFrame
    test = pytest.importorskip("tigramite.independence_tests.parcorr").ParCorr
    data = np.random.default_rng(0).normal(size=(100, 3))
    run = pcmci.PCMCI(frame(data), test(), verbosity=0)
    given = {0: {(1, 0): "-?>", (2, -3): "-->"}, 1: {}, 2: {(0, 0): "o?o", (0, -3): "-?>"}}
    assert build(0, link_assumptions=given).types == run._set_link_assumptions(given, tau_min=0, tau_max=3)
    everything = run._set_link_assumptions(None, tau_min=0, tau_max=3)
    np.testing.assert_array_equal(build(0, link_assumptions=everything).allowed, build(0).allowed)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            {"forbid": [("rain", "lake")]},
            r"forbid rule 1: unknown variable 'lake'; the variables are 'rain', 'river', 'sea'",
        ),
        ({"forbid": [("rain", 3)]}, "unknown variable 3"),
        ({"forbid": [("rain", "sea"), ("rain", "sea", 4)]}, "forbid rule 2: lag 4 is outside tau_min=1 to tau_max=3"),
        ({"require": [("rain", "sea", 0)]}, "require rule 1: lag 0 is outside"),
        ({"require": [("rain", "sea", "1")]}, "lags must be whole numbers"),
        ({"require": ["rain"]}, r"expected \(source, target\)"),
        ({"require": "rain"}, "require must be a list of rules"),
        ({"require": [{"lags": 1}]}, "expected source, target or both"),
        ({"require": [{"source": "rain", "lag": 1}]}, "expected source, target or both"),
        ({"link_assumptions": {0: {}, 2: {}}}, "no entry for 'river'; every variable needs one"),
        ({"link_assumptions": {0: {(1, 1): "-?>"}}}, r"lags are written as -tau, so \(1, 1\) must be \(1, -1\)"),
        ({"link_assumptions": {0: {(1, -4): "-?>"}}}, "link_assumptions of 'rain': lag 4 is outside"),
        ({"link_assumptions": {0: {(1, -1): "o?o"}}}, r"type 'o\?o'; expected one of --> -\?>"),
        ({"link_assumptions": {0: {(1, -1): "->"}}}, "expected one of"),
        ({"link_assumptions": {0: [(1, -1)]}}, "expected a dict"),
        ({"link_assumptions": {0: {1: "-?>"}}}, r"expected keys \(source, -tau\), not 1"),
    ],
)
def test_f42_what_can_not_be_meant_is_named(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidDataError, match=message):
        build(**rules)


def test_f42_contradictions_at_lag_0_are_named() -> None:
    with pytest.raises(InvalidDataError, match="'rain' can't have a link to itself at lag 0"):
        build(0, forbid=[("rain", "rain", 0)])
    with pytest.raises(InvalidDataError, match="'rain' can't have a link to itself at lag 0"):
        build(0, link_assumptions={0: {(0, 0): "o?o"}, 1: {}, 2: {}})
    with pytest.raises(InvalidDataError, match="'river' and 'rain' at lag 0 contradict"):
        build(0, link_assumptions={0: {(1, 0): "-->"}, 1: {(0, 0): "-->"}, 2: {}})


FILE = """
[[forbid]]
target = "rain"

[[forbid]]
source = ["rain", "river"]
target = "sea"
lags = [1, 2]

[[require]]
source = "river"
target = "sea"
lags = 3
"""


def test_a_toml_file_says_the_same_as_the_call(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(FILE)
    given = build(**read_constraints(tmp_path / "rules.toml"))
    same = build(forbid=[{"target": 0}, (0, 2, [1, 2]), (1, 2, (1, 2))], require=[(1, 2, 3)])
    np.testing.assert_array_equal(given.allowed, same.allowed)
    np.testing.assert_array_equal(given.required, same.required)


def test_link_assumptions_from_toml(tmp_path: Path) -> None:
    text = "[link_assumptions.rain]\n[link_assumptions.river]\nrain = [0, 1]\n[link_assumptions.sea]\nriver = 2\n"
    (tmp_path / "rules.toml").write_text(text)
    given = build(0, **read_constraints(tmp_path / "rules.toml"))
    assert pairs(given.allowed) == [(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 2, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forbid = 3", r"forbid must be tables, each headed \[\[forbid\]\]"),
        ("forbidden = []", "unknown key 'forbidden'"),
        ("[[forbid]\n", "not TOML"),
        ("link_assumptions = 1", r"each headed \[link_assumptions.TARGET\]"),
        ("[link_assumptions.sea]\nriver = 'x'", "link_assumptions.sea.river: lags must be whole numbers"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(InvalidDataError, match=message) as error:
        read_constraints(path)
    assert str(path) in str(error.value)
    with pytest.raises(InvalidDataError, match="cannot be read"):
        read_constraints(tmp_path / "none.toml")
