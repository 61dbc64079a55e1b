"""Methods behind one protocol: see `arrow_cd.backends.base`."""

from arrow_cd.backends.base import Backend, Outcome, Task, find_backend, list_methods, register_backend

__all__ = ["Backend", "Outcome", "Task", "find_backend", "list_methods", "register_backend"]
