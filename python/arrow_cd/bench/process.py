"""One cell in a process of its own, with a limit on time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from arrow_cd.bench.cells import Cell

Rows = list[dict[str, Any]]


class Processes:
    """Runs cells in processes of their own, and can end all of them."""

    def __init__(self, budget: float, memory: int, commit: str | None) -> None:
        self.budget, self.memory, self.commit = budget, memory, commit
        self.running: set[subprocess.Popen[str]] = set()
        self.stopped = False

    def run(self, cell: Cell) -> Rows:
        """Rows of one cell: its members, and one more with why it ended if that was not as planned."""
        request = json.dumps({"cell": cell.as_dict(), "memory": self.memory})
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        with subprocess.Popen(
            [sys.executable, "-m", "arrow_cd.bench.work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **threads},
            start_new_session=True,  # Ctrl-C reaches this process alone, so that it makes no row
        ) as process:
            self.running.add(process)
            if self.stopped:
                process.kill()
            ended: dict[str, Any] | None = None
            try:
                out, err = process.communicate(request, timeout=self.budget)
                if process.returncode:
                    ended = {"status": "failed", "why": _last_line(err, process.returncode)}
            except subprocess.TimeoutExpired:
                process.kill()
                out, _ = process.communicate()
                ended = {"status": "timeout", "why": f"more than {self.budget:g} s"}
            finally:
                self.running.discard(process)
        rows = [{"status": "ok", **json.loads(line)} for line in out.splitlines() if line.startswith("{")]
        return [cell.as_dict() | {"commit": self.commit} | row for row in [*rows, *([ended] if ended else [])]]

    def kill(self) -> None:
        """End what is running; what is about to start ends at once."""
        self.stopped = True
        for process in tuple(self.running):
            process.kill()


def _last_line(err: str, code: int) -> str:
    lines = [line for line in err.splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"ended with code {code}"
