import pytest

from arrow_cd import register_backend
from arrow_cd.backends import registry
from fake_backend import Correlation


@pytest.fixture
def backend(monkeypatch):
    """A quick method called "correlation", with the test "pearson"."""
    monkeypatch.setattr(registry, "_registered", {})
    backend = Correlation()
    register_backend("correlation", lambda: backend)
    return backend
