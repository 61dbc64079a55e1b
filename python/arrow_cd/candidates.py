"""What a screen keeps: a list of links, as masks, tables and tigramite's link assumptions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from arrow_cd.links import link_mask

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from arrow_cd.screening import ScreenConfig


@dataclass(frozen=True)
class Candidates:
    """What a screen keeps.

    Stored as a list of links, so that thousands of series fit; `mask` and `score` unfold it when asked for.

    Attributes
    ----------
    order : dict
        ``{target: [(source, -tau), ...]}`` in order of entry, a key for every target.
    scores : dict
        ``{target: [score, ...]}`` in the same order: how strongly the screen saw the link. |t| at entry (`weave`,
        `forward`; |r| for links that only `keep_marginal` added), |z| (`marginal`) or the agreement (`paper`).
    names : tuple of str
        Names of the N series.
    tau_min, tau_max : int
        Lags that were screened, in samples; lag 0 never is.
    config : ScreenConfig
        The screen that ran.
    timings : dict
        Seconds.
    """

    order: dict[int, list[tuple[int, int]]]
    scores: dict[int, list[float]]
    names: tuple[str, ...]
    tau_min: int
    tau_max: int
    config: ScreenConfig
    timings: dict[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        """Count the links."""
        return sum(map(len, self.order.values()))

    @property
    def parents(self) -> dict[int, list[tuple[int, int]]]:
        """Candidate parents in tigramite's form, in order of entry."""
        return self.order

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        """Kept links, shape (N, N, tau_max + 1), indexed [source, target, tau]."""
        return link_mask(self.order, self._shape)

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """Scores of kept links, 0 elsewhere, shape (N, N, tau_max + 1), indexed [source, target, tau]."""
        dense = np.zeros(self._shape)
        for target, links in self.order.items():
            for (source, lag), score in zip(links, self.scores[target], strict=True):
                dense[source, target, -lag] = score
        return dense

    @property
    def _shape(self) -> tuple[int, int, int]:
        return (len(self.names), len(self.names), self.tau_max + 1)

    def to_link_assumptions(self, *, tau_min: int = 1) -> dict[int, dict[tuple[int, int], str]]:
        """Candidates as tigramite's ``link_assumptions``.

        Parameters
        ----------
        tau_min : {0, 1}
            0 adds every contemporaneous pair as ``o?o``: tigramite takes a missing key for an absent link.

        Returns
        -------
        dict
            ``{target: {(source, -tau): "-?>"}}`` with a key for every target, sources outer and lags inner, which is
            the order tigramite itself tests in.
        """
        n = len(self.names)
        assumptions = {}
        for target, kept in self.order.items():
            pairs = [(source, 0) for source in range(n) if source != target] if tau_min == 0 else []
            links = sorted(pairs + kept, key=lambda link: (link[0], -link[1]))
            assumptions[target] = {link: "-?>" if link[1] else "o?o" for link in links}
        return assumptions

    def to_frame(self) -> pl.DataFrame:
        """Candidates as a frame: source, target, tau, score, rank (1 entered first)."""
        import polars as pl

        rows = [
            (self.names[source], self.names[target], -lag, score, rank)
            for target, links in self.order.items()
            for rank, ((source, lag), score) in enumerate(zip(links, self.scores[target], strict=True), start=1)
        ]
        schema = {"source": pl.String, "target": pl.String, "tau": pl.Int64, "score": pl.Float64, "rank": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")
