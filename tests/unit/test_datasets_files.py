"""Files from the mirror, the cache and the source, which is a server in this process here."""

from __future__ import annotations

import hashlib
import http.server
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from arrow_cd import ArrowCdError, datasets
from arrow_cd.datasets import SourceFile, _types, cache_folder, dataset_info
from arrow_cd.datasets.files import locate
from arrow_cd.errors import DownloadError

CONTENT = b"cause,effect\n1,2\n"
FILE = SourceFile("set/a file.csv", "some/where", "c" * 40, "data/a file.csv", 17, hashlib.sha256(CONTENT).hexdigest())


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    monkeypatch.delenv("ARROW_CD_DATA", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "arrow_cd"


class Source(http.server.ThreadingHTTPServer):
    """Answers every request with `content` (404 without) and records the paths."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.content: bytes | None = CONTENT
        super().__init__(("127.0.0.1", 0), Answer)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        content = self.server.content
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Tests stay quiet."""


@pytest.fixture
def source(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Source() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setattr(_types, "_ADDRESS", f"http://127.0.0.1:{server.server_address[1]}")
        yield server
        server.shutdown()
        thread.join()


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(cache, source) -> None:
    path = locate(FILE)
    assert path == cache / "set" / "a file.csv" and path.read_bytes() == CONTENT
    assert source.asked == [f"/some/where/{'c' * 40}/data/a%20file.csv"]
    assert locate(FILE) == path and len(source.asked) == 1
    assert files_in(cache) == ["a file.csv"]


def test_a_file_that_changed_in_the_cache_is_downloaded_again(cache, source) -> None:
    locate(FILE).write_bytes(b"half a fi")
    assert locate(FILE).read_bytes() == CONTENT and len(source.asked) == 2


@pytest.mark.parametrize("content", [b"something else", b"", CONTENT + b"3,4\n"])
def test_content_that_is_not_the_expected_one_is_never_kept(cache, source, content: bytes) -> None:
    source.content = content
    with pytest.raises(DownloadError, match=rf"http://.*a%20file.csv is not the expected file: .*{FILE.sha256}"):
        locate(FILE)
    assert files_in(cache.parent) == []


def test_a_file_that_the_source_no_longer_has(cache, source) -> None:
    source.content = None
    with pytest.raises(DownloadError, match=r"can't be downloaded from http.*Not Found"):
        locate(FILE)


def test_without_a_network_both_ways_are_named(cache, monkeypatch) -> None:
    monkeypatch.setattr(_types, "_ADDRESS", "http://127.0.0.1:9")  # the port nobody answers at
    with pytest.raises(
        DownloadError, match=r"connect to the internet, or set ARROW_CD_DATA to a folder that holds it as set/a"
    ) as error:
        locate(FILE)
    assert isinstance(error.value, ArrowCdError) and FILE.url in str(error.value)


def test_a_mirror_is_used_alone(cache, source, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("ARROW_CD_DATA", str(tmp_path / "mirror"))
    with pytest.raises(DownloadError, match=r"a file.csv is not in .*mirror, .*; put http.* or unset ARROW_CD_DATA"):
        locate(FILE)
    path = tmp_path / "mirror" / "set" / "a file.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert locate(FILE) == path
    path.write_bytes(b"another version")
    with pytest.raises(DownloadError, match=r"mirror/set/a file.csv is not the expected file: sha256 "):
        locate(FILE)
    assert source.asked == [] and not cache.exists()


def test_a_cache_that_cannot_be_written_is_named(cache, source) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    with pytest.raises(DownloadError, match=r"can't be written to .*arrow_cd.*ARROW_CD_DATA"):
        locate(FILE)


def test_a_write_that_is_stopped_leaves_nothing(cache, source, monkeypatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        locate(FILE)
    assert files_in(cache) == []


def test_fetching_tells_how_far_it_is(cache, source, monkeypatch) -> None:
    info = replace(dataset_info("dream4"), files=(FILE, replace(FILE, name="set/b.csv")))
    monkeypatch.setattr(datasets, "dataset_info", lambda _: info)
    told: list[tuple[str, int, int]] = []
    paths = datasets.fetch_dataset("dream4", progress=lambda *done: told.append(done))
    assert paths == (cache / "set" / "a file.csv", cache / "set" / "b.csv")
    assert told == [("dream4", 1, 2), ("dream4", 2, 2)]


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "given/arrow_cd"),
        ("linux", None, "home/.cache/arrow_cd"),
        ("darwin", None, "home/Library/Caches/arrow_cd"),
        ("win32", "LOCALAPPDATA", "given/arrow_cd"),
        ("win32", None, "home/AppData/Local/arrow_cd"),
    ],
)
def test_the_cache_is_where_the_system_keeps_caches(monkeypatch, tmp_path, platform, variable, expected) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "given"))
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == tmp_path / expected
