"""Methods behind one protocol: see `arrow_cd.backends.base`."""

from arrow_cd.backends.base import Backend, Interrupted, MethodInfo, Outcome, PairTests, Task
from arrow_cd.backends.registry import find_backend, list_methods, register_backend

__all__ = [
    "Backend",
    "Interrupted",
    "MethodInfo",
    "Outcome",
    "PairTests",
    "Task",
    "find_backend",
    "list_methods",
    "register_backend",
]
