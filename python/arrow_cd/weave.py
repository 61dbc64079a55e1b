"""Codes: each series as a few bits a sample, packed 64 samples to a word."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from arrow_cd import _core
from arrow_cd.data import as_time_series
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_call, check_choice, check_count
from arrow_cd.progress import reporting, steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arrow_cd.backends.base import Progress

Code = Literal["level", "innovation", "even", "trend"]


@dataclass(frozen=True, eq=False)
class Planes:
    """Coded series, made by `encode` and searched by `lag_search`.

    Attributes
    ----------
    code : str
        What the bits say.
    bits : int
        Bits a sample.
    largest_lag : int
        Largest lag at which the planes can be searched: several data sets have that many unused bits between them.
    names : tuple of str
        Names of the N series.
    n_samples : int
        Number of rows T, all data sets together.
    active : ndarray of int
        Indices of the series that are coded: all that aren't constant.
    core : arrow_cd._core.Planes
        The packed rows.
    """

    code: Code
    bits: int
    largest_lag: int
    names: tuple[str, ...]
    n_samples: int
    active: NDArray[np.intp]
    core: _core.Planes

    @property
    def nbytes(self) -> int:
        """Bytes that the packed rows take."""
        return self.core.nbytes

    @property
    def codes(self) -> NDArray[np.int8]:
        """Codes as numbers from 0 to 2^bits - 1, shape (T, N); -1 where a sample has none."""
        found = self.core.codes()
        codes = np.full((found.shape[1], len(self.names)), -1, dtype=np.int8)
        codes[:, self.active] = found.T
        return codes

    def __repr__(self) -> str:
        return f"Planes(code={self.code!r}, bits={self.bits}, N={len(self.names)}, {self.nbytes} bytes)"


def encode(
    data: Any,
    *,
    code: Code = "level",
    bits: int = 2,
    tau_max: int = 0,
    n_jobs: int = 1,
    progress: Progress | bool | None = None,
) -> Planes:
    """Code every series with a few bits a sample.

    Parameters
    ----------
    data : TimeSeries, array of shape (T, N), data frame, path or tigramite data frame
        The series; see `as_time_series`.
    code : {"level", "innovation", "even", "trend"}
        `level`: levels of equal probability by mid-ranks, as natural binary numbers. `innovation`: the same of
        ``y(t) - phi y(t-1)``, y the normal scores of the series (clipped values where ``|phi| >= 0.8``). `even`: the
        same of ``|x - median|``, x clipped at five robust standard deviations. `trend`: whether the series rises from t
        to t + 1 (first bit) and from t + 1 to t + 2 (second bit), strictly.
    bits : {1, 2, 3}
        Bits a sample; `trend` has 2. A series with at most ``2^bits`` different values spreads them over all levels.
    tau_max : int
        Largest lag, in samples, at which several data sets will be searched; one data set has no limit.
    n_jobs : int
        Threads, 0 for one per core.
    progress : callable or bool, optional
        Callback ``(phase, done, total)`` counted in series, or True for a bar on standard error.

    Returns
    -------
    Planes
        Missing values have no code, nor have samples whose code would need a missing value or one of another data set.
        Constant series are left out.

    Raises
    ------
    InvalidDataError
        An option is out of range.
    """
    check_code(code, bits)
    check_count("tau_max", tau_max, 0)
    check_call(n_jobs, progress)
    series = as_time_series(data)
    # A longer lag than the rows finds no samples in common; the bits that keep data sets apart grow with tau_max.
    if tau_max >= series.T:
        raise InvalidDataError(f"tau_max={tau_max}: expected a lag shorter than the {series.T} rows")
    active = series.active()
    with reporting(progress) as report:
        core = _core.encode(
            *series.core_arrays(active),
            code=code,
            bits=bits,
            tau_max=tau_max,
            n_jobs=n_jobs,
            progress=steps(report, "encode", len(active)),
        )
    largest_lag = tau_max if len(series.segments) > 1 else sys.maxsize
    return Planes(code, bits, largest_lag, series.names, series.T, active, core)


def check_code(code: str, bits: int) -> None:
    """Raise InvalidDataError unless there is such a code with so many bits."""
    check_choice("code", code, get_args(Code))
    check_count("bits", bits, 1)
    allowed = (2,) if code == "trend" else (1, 2, 3)
    if bits not in allowed:
        raise InvalidDataError(f"bits={bits!r}: {code} codes have {' or '.join(map(str, allowed))} bits")
