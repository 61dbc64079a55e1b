"""docs/datasets.md: its Python and its commands run as they stand."""

from __future__ import annotations

import re
import shlex

import pytest
from typer.testing import CliRunner

from arrow_cd.cli import app
from paths import ROOT
from shared_data import HOME, shared

TEXT = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    exec(compile(block, "docs/datasets.md", "exec"), {})
    assert 0 <= float(capsys.readouterr().out) <= 1


def test_the_commands_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    shared("PROVENANCE.tsv")
    monkeypatch.setenv("ARROW_CD_DATA", str(HOME))
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^arrow-cd ([^#\n]*)", TEXT, flags=re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command))
        assert result.exit_code == 0, result.output
