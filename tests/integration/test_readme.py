"""The README's Python runs as it stands."""

import re

import matplotlib as mpl
import pytest

from paths import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=[f"block{k}" for k in range(len(BLOCKS))])
def test_block_runs(block, tmp_path, monkeypatch):
    if "tigramite" in block:
        pytest.importorskip("tigramite")
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").mkdir()
    sample = tmp_path / "datasets" / "river.csv"
    sample.write_bytes((ROOT / "datasets" / "river.csv").read_bytes())
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)
    assert "result" in names or "results" in names


def test_every_command_of_the_readme_exists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = set(re.findall(r"^arrow-cd ([a-z]+)", text, flags=re.MULTILINE))
    files = {path.stem for path in (ROOT / "python" / "arrow_cd" / "cli").glob("*.py")}
    assert used <= files
    targets = set(re.findall(r"^make ([a-z]+)", text, flags=re.MULTILINE))
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert targets <= rules
