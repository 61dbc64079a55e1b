"""The example of a method of one's own runs as it stands, and what it says of itself is true."""

import re

import numpy as np
import pytest

from arrow_cd import discover
from arrow_cd.backends import registry
from arrow_cd.errors import InvalidDataError
from paths import ROOT

BLOCK = re.findall(r"```python\n(.*?)```", (ROOT / "docs/own_method.md").read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def example(monkeypatch) -> dict[str, object]:
    monkeypatch.setattr(registry, "_registered", {})
    names: dict[str, object] = {}
    (block,) = BLOCK
    exec(compile(block, "own_method.md", "exec"), names)
    return names


def test_a_method_of_ones_own_runs_like_a_built_in_one(example) -> None:
    result = example["result"]
    assert result.method == "rank" and result.screening.tests_run == result.tested.sum() < result.family_size
    assert (result.graph == "-->").any() and result.p_validity == "post-selection"


def test_the_example_computes_spearmans_correlation(example) -> None:
    from scipy.stats import spearmanr

    x = example["data"]
    result = discover(x, method="rank", tau_max=2, mode="exact")
    assert result.val_matrix[0, 1, 2] == pytest.approx(spearmanr(x[:-2, 0], x[2:, 1]).statistic, abs=1e-12)


def test_the_example_keeps_data_sets_apart_and_checks_its_option(example) -> None:
    x = example["data"]
    sets = discover([x[:200], x[200:]], method="rank", tau_max=2, mode="exact")
    assert sets.n_samples == len(x) - 4
    assert np.isfinite(sets.p_matrix).all()
    with pytest.raises(InvalidDataError, match="power=0"):
        discover(x, method="rank", tau_max=2, power=0)
