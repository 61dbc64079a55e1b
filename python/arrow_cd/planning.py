"""What a run of `discover` would do, before it does it: links, tests, memory, seconds."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass, replace
from typing import Any

from arrow_cd._discover import answer, discover
from arrow_cd.question import Question, dense_bytes, pose

# A trial run on few columns is doubled until it takes this long.
_TRIAL_SECONDS = 0.5


@dataclass(frozen=True)
class Plan:
    """What a run would do.

    Attributes
    ----------
    method, test, screen
        Names; test is "" where the method has no choice, screen is "none" in mode "exact".
    n_columns, n_samples
        Columns that vary, and rows that a test uses.
    links
        Links that were asked about and can be tested: the family of the correction.
    tests
        Conditional independence tests, scaled from the trial.
    memory
        Bytes of the data, the arrays of the run and the largest table of the screen.
    seconds
        Scaled from the trial.
    trial_columns
        Columns of the trial run.
    """

    method: str
    test: str
    screen: str
    n_columns: int
    n_samples: int
    links: int
    tests: int
    memory: int
    seconds: float
    trial_columns: int

    def describe(self) -> str:
        """Return the plan as lines of text."""
        scaled = (
            "" if self.trial_columns == self.n_columns else f", scaled from a trial on {self.trial_columns} columns"
        )
        return "\n".join(
            [
                f"method   {self.method}, {f'test {self.test}, ' if self.test else ''}screen {self.screen}",
                f"data     {self.n_columns} columns that vary, {self.n_samples} rows a test",
                f"links    {self.links}",
                f"tests    about {self.tests}{scaled}",
                f"memory   about {self.memory / 2**20:.3g} MiB",
                f"seconds  about {self.seconds:.2g}{scaled}",
            ]
        )


def plan(data: Any, **options: Any) -> Plan:
    """Say what ``discover(data, **options)`` would do; the options and errors are the same.

    Tests and seconds come from trial runs on the first columns (1, 2, 4, ...; constraints left out), until one takes
    half a second: a screened search grows with the number of columns in tests and with its square in time, an exact
    search with the square in both. Take them as an order of magnitude.
    """
    question = _pose(data, options)
    varying = [question.series.names[k] for k in question.series.active()]
    free = {name: value for name, value in options.items() if name not in ("forbid", "require", "link_assumptions")}
    columns, seconds, tests = 1, 0.0, 0
    while True:
        trial = _pose(question.series.select(varying[:columns]), free)
        began = time.perf_counter()
        result = answer(replace(trial, n_jobs=question.n_jobs), None, began)
        seconds = time.perf_counter() - began
        tests = result.screening.tests_run if result.screening else 0
        if seconds >= _TRIAL_SECONDS or columns >= len(varying):
            break
        columns = min(2 * columns, len(varying))
    growth = len(varying) / columns
    return Plan(
        method=question.backend.method,
        test=question.test,
        screen=question.screen.strategy if question.screen else "none",
        n_columns=len(varying),
        n_samples=question.series.sample_rows(question.tau_max, question.backend.rows),
        links=int(question.testable.sum()),
        tests=round(tests * (growth if question.screen else growth**2)),
        memory=_memory(question),
        seconds=seconds * growth**2,
        trial_columns=columns,
    )


def _pose(data: Any, options: dict[str, Any]) -> Question:
    """Pose the question of ``discover(data, **options)``, whose signature has the defaults."""
    call = inspect.signature(discover).bind(data, **options)
    call.apply_defaults()
    arguments = {name: value for name, value in call.arguments.items() if name != "progress"}
    return pose(arguments.pop("data"), **arguments)


def _memory(question: Question) -> int:
    series = question.series
    table = 0
    if question.screen and question.screen.strategy == "forward":
        table = 8 * (2 * series.N * (question.tau_max + 1)) ** 2
    return 2 * series.values.nbytes + dense_bytes(series.N, question.tau_max) + table
