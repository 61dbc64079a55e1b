"""`arrow-cd backends`: the methods, and what each assumes, gives and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import guarded

if TYPE_CHECKING:
    from arrow_cd.backends.base import Backend


@guarded
def run(format: opt.PrintTable = "table") -> None:
    """List the methods: what each assumes, gives and costs, its options, and whether all it needs is installed."""
    import polars as pl

    from arrow_cd.backends.registry import find_backends, list_methods
    from arrow_cd.cli.tables import print_frame

    rows = [{"method": method, **_about(find_backends(method))} for method in list_methods()]
    if format != "table":
        print_frame(pl.DataFrame(rows), format)
        return
    for row in rows:
        print("\n".join([row.pop("method"), *(f"  {name:<9}  {text}" for name, text in row.items())]))


def _about(backends: list[Backend]) -> dict[str, str]:
    first = backends[0]
    tests = [test for backend in backends for test in backend.tests]
    return {
        "assumes": first.about.assumes,
        "gives": first.about.gives,
        "costs": first.about.cost,
        "tests": ", ".join(dict.fromkeys(tests)) or "no choice",
        "lags from": str(first.tau_min),
        "options": ", ".join(f"{name}={value!r}" for name, value in first.defaults.items()) or "none",
        "installed": "; ".join(dict.fromkeys(map(_state, backends))),
    }


def _state(backend: Backend) -> str:
    from arrow_cd.versions import EXTRAS, library_version

    extra = backend.about.extra
    if extra is None:
        return "yes"
    missing = [name for name in EXTRAS[extra] if library_version(name) is None]
    tests = f" for {', '.join(backend.tests)}" if backend.tests else ""
    return f"no: pip install 'arrow-cd[{extra}]'{tests}" if missing else f"yes, through the extra {extra}{tests}"
