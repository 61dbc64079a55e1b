"""Count the conditional independence tests that a tigramite object really runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

# What tigramite's algorithms call on a test object: `get_measure` stands in for `run_test` when only values are wanted.
_CALLS = ("run_test", "get_measure")


@contextmanager
def wrapped_call(owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Iterator[None]:
    """Replace one method of one object by `wrap(method)` inside the block; blocks can be nested."""
    outer = vars(owner).get(name)
    setattr(owner, name, wrap(getattr(owner, name)))
    try:
        yield
    finally:
        if outer is None:
            delattr(owner, name)
        else:
            setattr(owner, name, outer)


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
        Called with a target's index when the search comes to it for the first time: as many targets are done.

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
    reached = -1

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(X: Any, Y: Any, *args: Any, **kwargs: Any) -> Any:
            nonlocal reached
            if report is not None and Y[0][0] > reached:
                reached = Y[0][0]
                report(reached)
            count.run += 1
            return call(X, Y, *args, **kwargs)

        return wrapper

    with ExitStack() as stack:
        for name in _CALLS:
            stack.enter_context(wrapped_call(test, name, counted))
        yield count
