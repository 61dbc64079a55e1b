"""Count the conditional independence tests that a tigramite object really runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# What tigramite's algorithms call on a test object: `get_measure` stands in for `run_test` when only values are wanted.
_CALLS = ("run_test", "get_measure")


@dataclass
class TestCount:
    """How many tests ran.

    Attributes
    ----------
    run
        Calls so far. A call that tigramite answers from its cache counts too: the algorithm asked for that test.
    """

    run: int = 0


@contextmanager
def count_tests(test: Any, report: Callable[[int], object] | None = None) -> Iterator[TestCount]:
    """Count the tests run on `test` inside the `with` block.

    Parameters
    ----------
    test
        A conditional independence test as a PCMCI object holds it (``pcmci.cond_ind_test``). Only this object is
        wrapped, not its class, and only for the length of the block.
    report
        Called with the number of tests so far after each one.

    Yields
    ------
    TestCount
        Updated while the block runs.

    Examples
    --------
    >>> with count_tests(pcmci.cond_ind_test) as count:  # doctest: +SKIP
    ...     pcmci.run_pcmci(tau_max=5)
    >>> count.run  # doctest: +SKIP
    """
    count = TestCount()

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            answer = call(*args, **kwargs)
            count.run += 1
            if report is not None:
                report(count.run)
            return answer

        return wrapper

    for name in _CALLS:
        setattr(test, name, counted(getattr(test, name)))
    try:
        yield count
    finally:
        for name in _CALLS:
            delattr(test, name)
