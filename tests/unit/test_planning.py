import numpy as np
import pytest

from arrow_cd.errors import InvalidDataError
from arrow_cd.planning import plan

pytestmark = pytest.mark.usefixtures("backend")


def make(columns, **options):
    data = np.random.default_rng(0).normal(size=(120, columns))
    return plan(data, **{"method": "correlation", "test": "pearson", "mode": "exact", "tau_max": 2} | options)


def test_a_small_run_is_planned_exactly(backend):
    found = make(3)
    assert found.links == found.tests == 9 * 3 - 3
    assert found.n_samples == 116 and found.trial_columns == found.n_columns == 3


def test_a_large_run_is_scaled_from_few_columns(monkeypatch):
    monkeypatch.setattr("arrow_cd.planning._TRIAL_SECONDS", 0.0)
    found = make(10, tau_min=1)
    assert found.trial_columns == 1
    assert found.tests == found.links == 200
    assert "scaled from a trial on 1 columns" in found.describe()


def test_options_are_checked_as_in_a_run():
    with pytest.raises(InvalidDataError, match="alpha=2"):
        make(3, alpha=2)
    with pytest.raises(InvalidDataError, match="unknown option 'tau_maximum'"):
        make(3, tau_maximum=4)
