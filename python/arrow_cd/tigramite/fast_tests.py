"""What makes a partial correlation test of tigramite fast: one lagged correlation matrix instead of an array a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from tigramite.independence_tests.independence_tests_base import CondIndTest

from arrow_cd.tigramite.compat import autocorrelation
from arrow_cd.tigramite.windows import Windows

if TYPE_CHECKING:
    from arrow_cd.tigramite.window import Answer, Node, Window


class _Question(NamedTuple):
    """A test as tigramite runs it, once duplicates and overlaps are gone."""

    x: Node
    y: Node
    z: tuple[Node, ...]
    window: Window

    def answer(self) -> Answer | None:
        """Partial correlation, p and degrees of freedom, None where tigramite's code has to look."""
        return self.window.test(self.x, self.y, self.z)


class FastTests(CondIndTest):  # type: ignore[misc]
    """Answers tests in the compiled core; goes before the class of tigramite whose tests it answers.

    What the core can't answer to ten digits runs in tigramite's own code, test by test.

    Attributes
    ----------
    fast_tests, slow_tests
        How many calls of `run_test`, `get_measure` and `get_confidence` the core and tigramite answered so far.
    memory_budget
        Bytes for lagged correlations, 8 (N (past + 1))^2 for N columns and `past` samples before the first row.
        Tests of a frame that needs more read their rows, as they do where samples are missing or masked.
    """

    memory_budget: int = 1 << 30
    _normal_scores: ClassVar[bool]
    _get_acf = staticmethod(autocorrelation)

    def __init__(self, **kwargs: Any) -> None:
        self.fast_tests = 0
        self.slow_tests = 0
        self._windows: Windows | None = None
        super().__init__(**kwargs)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the matrices behind: a copy makes its own when it needs them."""
        return self.__dict__ | {"_windows": None}

    def set_dataframe(self, dataframe: Any) -> None:
        """Take a data frame, as in tigramite; its values are read anew."""
        self._windows = None
        super().set_dataframe(dataframe)

    def run_test(
        self,
        X: Sequence[Node],
        Y: Sequence[Node],
        Z: Sequence[Node] | None = None,
        tau_max: int = 0,
        cut_off: str = "2xtau_max",
        alpha_or_thres: float | None = None,
    ) -> tuple[Any, ...]:
        """Test X and Y given Z, with tigramite's arguments, return values and caches."""
        by_threshold = self.significance == "fixed_thres" and alpha_or_thres is not None
        covered = self.significance == "analytic" or by_threshold
        question = self._ask(X, Y, Z, tau_max, cut_off) if covered else None
        answer = None if question is None else self._look_up(question)
        if question is None or answer is None:
            self.slow_tests += 1
            slow: tuple[Any, ...] = super().run_test(
                X=X, Y=Y, Z=Z, tau_max=tau_max, cut_off=cut_off, alpha_or_thres=alpha_or_thres
            )
            return slow
        self.fast_tests += 1
        val, pval, cached = answer
        dependent = None
        if alpha_or_thres is not None:
            dependent = np.abs(val) >= np.abs(alpha_or_thres) if by_threshold else pval <= alpha_or_thres
        if by_threshold:
            pval = 0.0 if dependent else 1.0
        self.ci_results[(question.x,), (question.y,), question.z] = (val, pval, dependent)
        if self.verbosity > 1:
            self._print_cond_ind_results(val=val, pval=pval, cached=cached, dependent=dependent, conf=None)
        return (val, pval) if alpha_or_thres is None else (val, pval, dependent)

    def get_measure(
        self,
        X: Sequence[Node],
        Y: Sequence[Node],
        Z: Sequence[Node] | None = None,
        tau_max: int = 0,
        data_type: Any = None,
    ) -> Any:
        """Return the partial correlation of X and Y given Z."""
        answer = self._answer(X, Y, Z, tau_max)
        if answer is None:
            return super().get_measure(X=X, Y=Y, Z=Z, tau_max=tau_max, data_type=data_type)
        return np.float64(answer[0])

    def get_confidence(
        self,
        X: Sequence[Node],
        Y: Sequence[Node],
        Z: Sequence[Node] | None = None,
        tau_max: int = 0,
        data_type: Any = None,
    ) -> Any:
        """Return the confidence interval that `confidence` asks for, None without one."""
        if not self.confidence:
            return None
        covered = self.confidence == "analytic" and 0.5 <= self.conf_lev < 1
        answer = self._answer(X, Y, Z, tau_max, covered)
        if answer is None:
            return super().get_confidence(X=X, Y=Y, Z=Z, tau_max=tau_max, data_type=data_type)
        val, _, df = answer
        self.conf = self.get_analytic_confidence(value=val, df=df, conf_lev=self.conf_lev)
        return self.conf

    def _answer(
        self,
        X: Sequence[Node],
        Y: Sequence[Node],
        Z: Sequence[Node] | None,
        tau_max: int,
        covered: bool = True,
    ) -> Answer | None:
        """Return and count the core's answer, or None, counted too, where tigramite's code has to look."""
        question = self._ask(X, Y, Z, tau_max, "2xtau_max") if covered else None
        answer = None if question is None else question.answer()
        if answer is None:
            self.slow_tests += 1
        else:
            self.fast_tests += 1
        return answer

    def _ask(
        self, X: Sequence[Node], Y: Sequence[Node], Z: Sequence[Node] | None, tau_max: int, cut_off: str
    ) -> _Question | None:
        """Return the question that tigramite's test asks, or None if no window can answer it."""
        frame = self.dataframe
        if frame is None or self.recycle_residuals or self.verbosity > 2 or len(X) != 1 or len(Y) != 1:
            return None
        if frame.has_vector_data:
            X, Y, Z = (_components(frame, nodes) for nodes in (X, Y, Z or ()))
            if len(X) != 1 or len(Y) != 1:
                return None
        nodes: tuple[Any, ...] = tuple(dict.fromkeys(map(tuple, (*X, *Y, *(Z or ())))))
        past = _past(nodes, tau_max, cut_off)
        if past is None or past < 0 or len(nodes) < 2 or nodes[1] != tuple(Y[0]):
            return None
        if self.mask_type is not None and nodes[1][1] != 0:
            return None  # a mask of the target moves with its lag
        if self._windows is None or not self._windows.describe(frame, self.mask_type):
            self._windows = Windows(
                frame, self.mask_type, normal_scores=self._normal_scores, memory_budget=self.memory_budget
            )
        window = self._windows.get(past)
        return None if window is None else _Question(nodes[0], nodes[1], nodes[2:], window)

    def _look_up(self, question: _Question) -> tuple[Any, Any, bool] | None:
        """Return value, p and whether they were known, or None where tigramite's code has to look."""
        key = question.window.key(question.x, question.y, question.z)
        found = self.cached_ci_results.get(key)
        if found is not None:
            return *found, True
        answer = question.answer()
        if answer is None:
            return None
        val, p = np.float64(answer[0]), np.float64(answer[1])
        self.cached_ci_results[key] = val, p
        return val, p, False


def _components(frame: Any, nodes: Sequence[Node]) -> list[Node]:
    """The columns of vector-valued variables, each at its own lag on top of the variable's."""
    return [(column, lag + own) for variable, lag in nodes for column, own in frame.vector_vars[variable]]


def _past(nodes: tuple[Node, ...], tau_max: int, cut_off: str) -> int | None:
    """Samples that tigramite leaves out at the beginning; None for "2xtau_max_future", which cuts at the end too."""
    if cut_off == "2xtau_max":
        return 2 * tau_max
    if cut_off == "tau_max":
        return tau_max
    longest = -min(lag for _, lag in nodes)
    if cut_off == "max_lag":
        return longest
    return max(longest, tau_max) if cut_off == "max_lag_or_tau_max" else None
