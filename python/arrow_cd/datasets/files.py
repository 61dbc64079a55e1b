"""Files of public data sets: from a local mirror, from the cache, or downloaded; never without checking the hash."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path

from arrow_cd.datasets._types import SourceFile
from arrow_cd.errors import DownloadError

MIRROR = "ARROW_CD_DATA"
_TIMEOUT = 60  # seconds without an answer


def cache_folder() -> Path:
    """The folder for downloaded files: below the user's cache folder, as the operating system has it."""
    home = Path.home()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(base) / "arrow_cd"


def locate(file: SourceFile) -> Path:
    """Path of a file whose content has been checked.

    The folder that ``ARROW_CD_DATA`` names is used alone where it is set. Otherwise a file is downloaded on first use
    into `cache_folder`; one that has changed there since is downloaded again.

    Raises
    ------
    DownloadError
        If the mirror lacks the file, the source can't be reached, or the content isn't the expected one.
    """
    mirror = os.environ.get(MIRROR)
    if mirror:
        return _from_mirror(file, Path(mirror))
    path = cache_folder() / file.name
    if not (path.is_file() and _matches(path.read_bytes(), file)):
        _write(path, _download(file), file)
    return path


def _from_mirror(file: SourceFile, mirror: Path) -> Path:
    path = mirror / file.name
    if not path.is_file():
        raise DownloadError(
            f"{file.name} is not in {mirror}, the folder that {MIRROR} names; "
            f"put {file.url} there under this name, or unset {MIRROR} to have it downloaded"
        )
    _check(path.read_bytes(), file, str(path))
    return path


def _download(file: SourceFile) -> bytes:
    try:
        with urllib.request.urlopen(file.url, timeout=_TIMEOUT) as answer:
            content: bytes = answer.read(file.size + 1)
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DownloadError(
            f"{file.name} can't be downloaded from {file.url} ({reason}); connect to the internet, "
            f"or set {MIRROR} to a folder that holds it as {file.name}"
        ) from error
    _check(content, file, file.url)
    return content


def _matches(content: bytes, file: SourceFile) -> bool:
    return hashlib.sha256(content).hexdigest() == file.sha256


def _check(content: bytes, file: SourceFile, where: str) -> None:
    if not _matches(content, file):
        raise DownloadError(
            f"{where} is not the expected file: sha256 {hashlib.sha256(content).hexdigest()}, "
            f"expected {file.sha256} ({file.size} bytes)"
        )


def _write(path: Path, content: bytes, file: SourceFile) -> None:
    """Write all or nothing: other processes may be reading or writing the same file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DownloadError(
            f"{file.name} can't be written to {path.parent} ({error.strerror or error}); "
            f"or set {MIRROR} to a folder that holds it"
        ) from error
