"""Every row of `tests/FIELD_CASES.md` names tests that exist, or says why there is none yet."""

import re

import pytest

from paths import ROOT

ROW = re.compile(r"^\| F(\d+) \| (.+) \| (.+) \|$", flags=re.MULTILINE)
ROWS = ROW.findall((ROOT / "tests/FIELD_CASES.md").read_text(encoding="utf-8"))


def test_all_cases_are_there() -> None:
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 53))


@pytest.mark.parametrize(("number", "where"), [(number, where) for number, _, where in ROWS])
def test_named_tests_exist(number: str, where: str) -> None:
    named = re.findall(r"`([\w/.]+)::(\w+)`", where)
    assert named or where.startswith("not touched yet: ")
    for path, name in named:
        text = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"^\s*(def|fn) {name}\b", text, flags=re.MULTILINE), f"F{number}: {path} has no {name}"
