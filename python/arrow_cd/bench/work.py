"""One cell in this process: `python -m arrow_cd.bench.work`, a cell as JSON on standard input, a line a member out."""

from __future__ import annotations

import json
import sys
import time
import warnings
from typing import Any

from arrow_cd.bench.cells import Cell


def main() -> None:
    """Read the cell and the memory limit, and print what every member of the data set measured."""
    request = json.loads(sys.stdin.read())
    _limit_memory(request["memory"])
    for row in measured(Cell(**request["cell"])):
        print(json.dumps(row), flush=True)


def measured(cell: Cell) -> Any:
    """Yield one row a member: wall and CPU seconds, peak memory, and the measures against the truth."""
    from arrow_cd.bench.measures import audit, measure
    from arrow_cd.bench.searches import run_cell
    from arrow_cd.datasets import dataset_info, load_dataset

    info = dataset_info(cell.dataset)
    seed = cell.repeat if info.kind == "synthetic" else None
    varied = cell.varied()
    tau_max = varied.get("tau_max", info.tau_max)
    _warm_up(cell)
    for member in load_dataset(cell.dataset, seed=seed, N=varied.get("N"), T=varied.get("T")).members:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the libraries: what they print is no result
                found = run_cell(cell, member.series, tau_max)
        except Exception as error:  # a library may raise anything; the other members still count
            yield {"member": member.name, "status": "failed", "why": f"{type(error).__name__}: {error}"[:300]}
            continue
        times = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "peak": _peak_memory()}
        checked = audit(found, member.series, tau_max, cell.repeat) if cell.method == "pcmci" else {}
        size = {"N": member.series.N, "T": member.series.T, "tau_max": tau_max}
        yield {"member": member.name, **size, **times, **measure(found, member.truth), **checked}


def _warm_up(cell: Cell) -> None:
    """Import what the run needs, on a tiny series, so that no import is timed."""
    import numpy as np

    from arrow_cd.bench.searches import run_cell
    from arrow_cd.data import as_time_series

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_cell(cell, as_time_series(np.random.default_rng(0).uniform(size=(120, 2))), 1)


def _peak_memory() -> int | None:
    """Bytes at the peak of this process so far; None where the system doesn't say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _limit_memory(limit: int) -> None:
    """Let allocations beyond `limit` bytes fail, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
