"""A back end of somebody else that answers wrongly: the message names the field, and no result comes of it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from arrow_cd import BackendError, discover, register_backend
from arrow_cd.backends import registry
from arrow_cd.backends.base import Interrupted, PairTests
from fake_backend import Correlation

X = np.random.default_rng(0).standard_normal((60, 3))
SHAPE = (3, 3, 3)
PAIRS = PairTests(np.zeros((3, 3)), np.ones((3, 3)), np.zeros((3, 3), dtype=np.uint8))


class Wrong(Correlation):
    """Answers with some fields replaced, and may stop as if by Ctrl-C."""

    def __init__(self, changes, *, stops=False):
        super().__init__()
        self.changes, self.stops = changes, stops

    def run(self, task):
        outcome = replace(super().run(task), **self.changes)
        if self.stops:
            raise Interrupted(outcome)
        return outcome


@pytest.fixture
def ask(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})

    def asked(backend):
        register_backend("correlation", lambda: backend)
        return discover(X, method="correlation", tau_max=2, mode="exact")

    return asked


WRONG = [
    ("val", np.full(SHAPE, np.nan), "val[0, 0, 0] is nan"),
    ("val", np.zeros((3, 3)), "val is float64 of shape (3, 3), expected an array of floats of shape (3, 3, 3)"),
    ("val", None, "val is NoneType"),
    ("val", np.zeros(SHAPE, dtype=complex), "val is complex128"),
    ("p", np.full(SHAPE, np.inf), "p[0, 0, 0] is inf"),
    ("p", np.full(SHAPE, 2.0), "p leaves the range from 0 to 1"),
    ("p", np.ones((2, 2, 2)), "p is float64 of shape (2, 2, 2)"),
    ("tested", np.ones(SHAPE), "tested is float64"),
    ("status", np.full(SHAPE, 99, dtype=np.uint8), "status has numbers that LinkStatus lacks"),
    ("kept", np.ones((3, 3), dtype=bool), "kept is bool of shape (3, 3)"),
    ("graph", np.full(SHAPE, "->"), "graph has marks other than"),
    ("n_samples", -1, "n_samples=-1, expected a number of rows"),
    ("pairs", 5, "pairs=5, expected PairTests or None"),
    ("pairs", replace(PAIRS, p=np.full((3, 3), np.nan)), "pairs.p[0, 0] is nan"),
    ("pairs", replace(PAIRS, val=np.zeros((2, 2))), "pairs.val is float64 of shape (2, 2)"),
    ("decided_by", "both", "decided_by='both', expected 'links' or 'pairs'"),
    ("decided_by", "pairs", "decided_by='pairs', but there are no pairs"),
    ("p_validity", "none", "p_validity='none'"),
    ("parents", {9: [(0, -1)]}, "parents of 9"),
    ("parents", {0: [(7, -1)]}, "parents of 0 are [(7, -1)]"),
    ("parents", {0: 5}, "parents of 0 are 5"),
    ("tests_by_phase", {"test": "many"}, "tests_by_phase={'test': 'many'}, expected counts"),
    ("timings", {"search": np.nan}, "timings={'search': nan}, expected seconds"),
    ("notes", "hello", "notes='hello', expected a tuple of str"),
    ("extra", 5, "extra=5, expected a dict"),
]


@pytest.mark.parametrize("stops", [False, True], ids=["finished", "stopped"])
@pytest.mark.parametrize(("field", "value", "message"), WRONG)
def test_a_wrong_field_is_named(ask, field, value, message, stops):
    with pytest.raises(BackendError, match=re.escape(f"method 'correlation': {message}")):
        ask(Wrong({field: value}, stops=stops))


@pytest.mark.parametrize(
    ("attribute", "value", "expected"),
    [
        ("tests", "pearson", "a tuple of names"),
        ("tau_min", -1, "0 or 1"),
        ("rows", "all", "'pcmci' or 'lagged'"),
        ("missing", "no", "True or False"),
        ("defaults", ["strength"], "a dict"),
        ("about", None, "a MethodInfo"),
        ("run", None, "a method"),
    ],
)
def test_a_wrong_attribute_of_the_back_end_is_named(ask, attribute, value, expected):
    backend = Correlation()
    setattr(backend, attribute, value)
    with pytest.raises(BackendError, match=re.escape(f"{attribute}={value!r}, expected {expected}")):
        ask(backend)


def test_an_answer_of_another_type_is_named(ask):
    backend = Correlation()
    backend.run = lambda task: (1, 2)
    with pytest.raises(BackendError, match="returned tuple, expected an Outcome"):
        ask(backend)
