"""`arrow-cd info`: versions, processor, extras."""

from __future__ import annotations

from arrow_cd.cli.session import guarded


@guarded
def run() -> None:
    """Show versions, the kernel chosen for this processor, and which extras are installed."""
    from arrow_cd.backends.registry import list_methods
    from arrow_cd.versions import EXTRAS, kernels, library_version, versions

    for name, text in versions("polars", "networkx").items():
        print(f"{name:<12} {text}")
    *others, chosen = kernels()
    print(f"{'kernel':<12} {chosen} (also able to run: {', '.join(others) or 'none'})")
    print(f"{'methods':<12} {', '.join(list_methods())}")
    for extra, libraries in EXTRAS.items():
        found = {name: library_version(name) for name in libraries}
        missing = [name for name, text in found.items() if text is None]
        state = f"missing: {', '.join(missing)}" if missing else ", ".join(f"{k} {v}" for k, v in found.items())
        print(f"extra {extra:<12} {state}")
