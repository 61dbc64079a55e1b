"""`TimeSeries`: checked values, names, time axis, validity and data sets; what every method of the package takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arrow_cd.errors import InvalidDataError

Segments = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """T samples of N variables, in one or several data sets; made by `as_time_series`.

    Attributes
    ----------
    values : ndarray of float64, shape (T, N)
        A read-only copy of the data, NaN where a value is missing, never infinite.
    names : tuple of str
        One name per column, all different.
    time : ndarray of shape (T,) or None
        Time stamps (datetime64 or numbers), increasing within every data set.
    valid : ndarray of bool, shape (T, N)
        False where a value is missing.
    segments : tuple of (start, stop)
        The data sets as half-open row ranges, in order; no lag reaches from one into another.
    constant : ndarray of bool, shape (N,)
        Columns that no method can test: constant (range at most 1e-12 of the largest magnitude) or all missing.
    notes : tuple of str
        What was noticed or decided on the way in, each worth telling the user.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    time: NDArray[Any] | None
    valid: NDArray[np.bool_]
    segments: Segments
    constant: NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    @property
    def T(self) -> int:  # noqa: N802
        """Number of samples, all data sets together."""
        return int(self.values.shape[0])

    @property
    def N(self) -> int:  # noqa: N802
        """Number of variables."""
        return int(self.values.shape[1])

    @property
    def complete(self) -> bool:
        """Whether no value is missing."""
        return bool(self.valid.all())

    def __repr__(self) -> str:
        sets = f", {len(self.segments)} data sets" if len(self.segments) > 1 else ""
        return f"TimeSeries(T={self.T}, N={self.N}{sets})"

    def active(self) -> NDArray[np.intp]:
        """Indices of the columns that can be analysed: those that aren't `constant`."""
        return np.flatnonzero(~self.constant)

    def on_all_columns(self, part: NDArray[Any], neutral: Any) -> NDArray[Any]:
        """Place an array (n, n, ...) over the n `active` columns among all N; pairs with another one get `neutral`."""
        active = self.active()
        if len(active) == self.N:
            return part.copy()
        whole = np.full((self.N, self.N, *part.shape[2:]), neutral, dtype=part.dtype)
        whole[np.ix_(active, active)] = part
        return whole

    def index(self, name: str) -> int:
        """Index of the column called `name`; raises InvalidDataError if there is none."""
        if name not in self.names:
            raise InvalidDataError(unknown_columns([name], self.names))
        return self.names.index(name)

    def core_arrays(
        self, columns: Sequence[int] | NDArray[np.intp] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None, list[tuple[int, int]]]:
        """What the compiled core takes.

        Parameters
        ----------
        columns : sequence of int, optional
            Columns to hand over, in this order; all by default.

        Returns
        -------
        values : ndarray of float64, shape (n, T), C-contiguous
            0 where a value is missing.
        valid : ndarray of bool, shape (n, T), or None
            None if nothing is missing.
        segments : list of (start, stop)
        """
        wanted = slice(None) if columns is None else np.asarray(columns, dtype=np.intp)
        values = np.ascontiguousarray(self.values.T[wanted])
        valid = np.ascontiguousarray(self.valid.T[wanted])
        segments = list(self.segments)
        if valid.all():
            return values, None, segments
        return np.where(valid, values, 0.0), valid, segments

    def sample_rows(self, tau_max: int, rows: Literal["pcmci", "lagged"] = "pcmci") -> int:
        """Rows left once the first ones of every data set serve as the past.

        `rows="pcmci"` starts a data set at 2 tau_max (tigramite's window), `"lagged"` at tau_max. Missing values are
        not counted here: they differ from test to test.
        """
        start = 2 * tau_max if rows == "pcmci" else tau_max
        return sum(max(0, stop - begin - start) for begin, stop in self.segments)

    def require_rows(self, tau_max: int, needed: int, rows: Literal["pcmci", "lagged"] = "pcmci") -> int:
        """Return `sample_rows`, or raise InvalidDataError if they are fewer than the `needed` ones."""
        left = self.sample_rows(tau_max, rows)
        if left < needed:
            window = "2*tau_max" if rows == "pcmci" else "tau_max"
            sets = f" in {len(self.segments)} data sets" if len(self.segments) > 1 else ""
            raise InvalidDataError(
                f"too few rows: T={self.T}{sets} with tau_max={tau_max} leaves {left} rows "
                f"(the first {window} of each data set are the past), but {needed} are needed for N={self.N} columns; "
                "give more rows, fewer columns or a smaller tau_max"
            )
        return left

    def require_varying(self) -> None:
        """Raise InvalidDataError if no column varies."""
        if self.constant.all():
            raise InvalidDataError(f"nothing to test: all of the {self.N} columns are constant or empty")

    def select(self, names: Iterable[str]) -> TimeSeries:
        """The same rows with only these columns, in this order."""
        names = tuple(names)
        at = [self.index(name) for name in names]
        if len(set(at)) != len(at) or not at:
            raise InvalidDataError("columns must name at least one column, and each once")
        values, valid = self.values.T[at].T, self.valid.T[at].T
        return TimeSeries(values, names, self.time, valid, self.segments, self.constant[at], self.notes)


def unknown_columns(wanted: Sequence[str], known: Sequence[str]) -> str:
    """Message for names that are not columns."""
    shown = ", ".join(repr(name) for name in known[:12]) + (", …" if len(known) > 12 else "")
    return f"no column named {', '.join(repr(name) for name in wanted)}; the columns are {shown}"
