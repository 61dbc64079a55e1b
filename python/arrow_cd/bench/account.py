"""What a run says of itself: code, versions, limits, machine, dates. ``run.json`` beside its rows."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arrow_cd.errors import InvalidDataError
from arrow_cd.versions import versions

ACCOUNT = "run.json"

_LIBRARIES = ("scipy", "polars", "tigramite", "causal-learn", "statsmodels", "antecedent")


def open_account(folder: Path, limits: Mapping[str, Any], resume: bool) -> dict[str, Any]:
    """Return the account of a run that begins now, or of the one in `folder` that goes on, and write it there.

    Raises
    ------
    InvalidDataError
        The run in `folder` was of another commit or other versions: results are of one code.
    """
    account: dict[str, Any] = {
        "commit": commit(),
        "versions": versions(*_LIBRARIES),
        "machine": processor(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "command": _command(),
        **limits,
        "start": _now(),
        "end": None,
        "seconds": 0.0,
    }
    path = folder / ACCOUNT
    if resume and path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        _check_same(folder, before, account)
        account |= {name: before[name] for name in ("command", "start", "seconds")}
    _write(folder, account)
    return account


def close_account(folder: Path, account: Mapping[str, Any], seconds: float) -> None:
    """Write when the run ended, and how long it took, earlier runs into the same folder included."""
    _write(folder, {**account, "end": _now(), "seconds": account["seconds"] + seconds})


def _write(folder: Path, account: Mapping[str, Any]) -> None:
    (folder / ACCOUNT).write_text(json.dumps(account, indent=1) + "\n", encoding="utf-8")


def _check_same(folder: Path, before: Mapping[str, Any], account: Mapping[str, Any]) -> None:
    was, now = ({"commit": each["commit"], **each["versions"]} for each in (before, account))
    for name in dict.fromkeys([*now, *was]):
        if was.get(name) != now.get(name):
            raise InvalidDataError(
                f"{folder} was begun with {name} {was.get(name)}, this is {now.get(name)}: results of different code "
                "are not mixed; give another folder"
            )


def commit() -> str | None:
    """Return the short git commit of this package, "-dirty" behind it after changes; None outside its repository."""
    package = Path(__file__).parent

    def git(*command: str) -> str | None:
        try:
            done = subprocess.run(["git", "-C", package, *command], capture_output=True, text=True, check=False)
        except OSError:  # no git
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    # An installed package may lie in an environment inside a repository of something else.
    if git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None
    return git("describe", "--always", "--dirty", "--exclude=*")


def _command() -> str:
    program = Path(sys.argv[0]).name
    return shlex.join(["arrow-cd" if program == "__main__.py" else program, *sys.argv[1:]])


def processor() -> str:
    """Return the name of the processor; Linux alone has it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _now() -> str:
    """Return date and time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
