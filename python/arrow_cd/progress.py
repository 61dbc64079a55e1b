"""Progress of long runs: one callback ``(phase, done, total)``, and a bar for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arrow_cd.backends.base import Progress
from arrow_cd.errors import InvalidDataError


@contextmanager
def reporting(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Yield the callback to use: the given one, a bar on standard error for True, None for False or None.

    Only the outermost function opens a bar; what it calls gets the callback.
    """
    if progress is True:
        with _bar() as callback:
            yield callback
    elif callable(progress):
        yield progress
    elif progress is None or progress is False:
        yield None
    else:
        raise InvalidDataError(f"progress={progress!r}: expected True, False or a callable")


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def callback(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total or None)
            bar.update(tasks[phase], completed=done)

        yield callback


def steps(progress: Progress | None, phase: str, total: int) -> Callable[[int], object] | None:
    """Return the callback of one phase for the compiled core, which knows only how many steps are done."""
    if progress is None:
        return None
    return lambda done: progress(phase, done, total)
