"""Public data sets on this machine: `ARROW_CD_DATA`, else ../shared/data beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from paths import ROOT

HOME = Path(os.environ.get("ARROW_CD_DATA") or ROOT.parent / "shared" / "data")


def shared(name: str) -> Path:
    """Path of a file; the test is skipped where it is missing."""
    path = HOME / name
    if not path.exists():
        pytest.skip(f"{path} is not here; set ARROW_CD_DATA to the folder of public data sets")
    return path
