"""RESULTS.md: one section per benchmark, each with what it takes to get its numbers again."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from arrow_cd import __version__
from arrow_cd.bench.account import processor
from arrow_cd.bench.markdown import replace_section, table

__all__ = ["code_hash", "provenance", "table", "write_section"]

PAGE = Path(__file__).with_name("RESULTS.md")
HEAD = "# Results\n\nEvery section is written by the command it names; run that to write it again.\n"


def commit() -> str:
    """The commit that is measured, marked when anything but the page of results differs from it."""
    changed = _git("status", "--porcelain", "--", ".", f":!benches/{PAGE.name}")
    return _git("rev-parse", "--short=10", "HEAD") + ("-dirty" if changed else "")


def _git(*arguments: str) -> str:
    root = Path(__file__).parents[1]
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def code_hash() -> str:
    """Hash of the package as imported and of these scripts: results of other code aren't to be mixed with these."""
    package = find_spec("arrow_cd")
    assert package is not None and package.submodule_search_locations
    files = [Path(folder) for folder in package.submodule_search_locations] + [Path(__file__).parent]
    digest = hashlib.sha256()
    for path in sorted(path for folder in files for path in folder.rglob("*") if path.suffix in (".py", ".so", ".pyd")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def provenance(*packages: str) -> str:
    """Command, versions, commit and machine, as the lines that open a section."""
    versions = ["arrow_cd " + __version__, *(f"{package} {version(package)}" for package in ("numpy", *packages))]
    command = " ".join(["python", f"benches/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    return (
        f"`{command}`\n\n"
        f"{date.today().isoformat()}, commit {commit()}, Python {platform.python_version()}, {', '.join(versions)}; "
        f"{processor()}, {os.cpu_count()} cores.\n"
    )


def write_section(name: str, text: str, page: Path = PAGE) -> None:
    """Put `text` under the heading `name`, in place of what stood there before; other sections stay."""
    replace_section(page, name, f"## {name}\n\n{text.strip()}", HEAD)
