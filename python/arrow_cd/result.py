"""What a method found: one typed object that every table, file and figure is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus
from arrow_cd.pairs import PairResult, check_numbers
from arrow_cd.result_tables import links_table, sources_table

if TYPE_CHECKING:
    import networkx as nx
    import polars as pl
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Parents = Mapping[int, list[tuple[int, int]]]

MARKS: dict[str, str] = {
    "-->": "source causes target",
    "<--": "target causes source (lag 0; the same link as --> seen from the other side)",
    "o-o": "linked, direction not decided",
    "x-x": "linked, the orientation rules contradict each other",
    "": "tested, no link",
}
"""Legend of edge marks, as tigramite uses them; they are exported as they are, never made stronger."""


@dataclass(frozen=True)
class Screening:
    """What was left out before the search, and what that saved.

    Attributes
    ----------
    config
        Settings of the screen, by name.
    candidates
        ``{target: [(source, -tau), ...]}`` in order of entry.
    tests_run
        Conditional independence tests of the whole run.
    tests_avoided
        Links of the user's question that the screen left out: each is at least one test not run.
    tests_by_phase
        Tests run, by phase.
    timings
        Seconds, by phase of the screen.
    """

    config: Mapping[str, Any]
    candidates: Parents
    tests_run: int
    tests_avoided: int
    tests_by_phase: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class CausalResult:
    """A causal graph over time-lagged variables, with the numbers behind it.

    Arrays have shape (N, N, tau_max + 1) and are indexed [source, target, tau], tau in samples. Where `tested` is
    False, `val_matrix` is 0 and `p_matrix` and `q_matrix` are 1, and `status` says why; tables and files have nulls
    there.

    Attributes
    ----------
    method
        Name of the method, such as "pcmci".
    var_names
        Names of the N variables.
    tau_min, tau_max
        Smallest and largest lag that was looked at.
    n_samples
        Rows that a test used.
    alpha, fdr
        Level of the decision and the correction before it, "bh" or "none".
    graph : '<U3'
        Edge marks, see `MARKS`.
    val_matrix, p_matrix, q_matrix : float64
        Test statistic, p-value, and p-value corrected over the whole family (lag 0 is left uncorrected). p_matrix and
        q_matrix are None for a method without p-values.
    tested : bool
        Where a test was run and could be evaluated.
    status : uint8
        `LinkStatus` of every entry.
    pairs
        Tests of whole sources, for methods that have them.
    decided_by
        Whose corrected p-values made the graph: every link's own ("links") or its source's ("pairs").
    p_validity
        "exact", "post-selection" (the screen has looked at the same data before the test), or "none".
    family_size
        Number of links, or pairs, that the correction counts.
    val_unit
        What `val_matrix` measures.
    extra
        What else the method gives, by name.
    parents
        ``{target: [(source, -tau), ...]}`` as the method's own selection left them.
    engine
        Who did the arithmetic.
    screening
        What the screen left out; None if nothing was screened.
    options, seed
        Everything the result depends on besides the data.
    timings
        Seconds by phase, and "total".
    versions
        Versions of arrow_cd and of the libraries that took part.
    notes
        What the reader should know: columns left out, holes, trends.
    complete
        False if the run was interrupted.
    """

    method: str
    var_names: tuple[str, ...]
    tau_min: int
    tau_max: int
    n_samples: int
    alpha: float
    fdr: str
    graph: NDArray[np.str_]
    val_matrix: NDArray[np.float64]
    p_matrix: NDArray[np.float64] | None
    q_matrix: NDArray[np.float64] | None
    tested: NDArray[np.bool_]
    status: NDArray[np.uint8]
    pairs: PairResult | None = None
    decided_by: str = "links"
    p_validity: str = "exact"
    family_size: int = 0
    val_unit: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    parents: Parents = field(default_factory=dict)
    engine: str = "native"
    screening: Screening | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    complete: bool = True

    def __post_init__(self) -> None:
        shape = (len(self.var_names), len(self.var_names), self.tau_max + 1)
        for name, dtype in _ARRAYS.items():
            if getattr(self, name) is None and name in ("p_matrix", "q_matrix"):
                continue
            array = np.asarray(getattr(self, name), dtype=dtype).view()
            if array.shape != shape:
                raise InvalidDataError(f"{name}: expected shape {shape} (N, N, tau_max + 1), got {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        untested = ~self.tested
        for name, neutral in (("val_matrix", 0.0), ("p_matrix", 1.0), ("q_matrix", 1.0)):
            if getattr(self, name) is not None:
                check_numbers(name, getattr(self, name), untested, neutral, probability=name != "val_matrix")
        if ((self.status == LinkStatus.OK) != self.tested).any():
            raise InvalidDataError("status must be OK exactly where tested is True")

    @property
    def N(self) -> int:  # noqa: N802
        """Number of variables."""
        return len(self.var_names)

    def __repr__(self) -> str:
        """One line, not the arrays: `links` shows what was found."""
        found = self.links(significant_only=True).height
        state = "" if self.complete else ", interrupted"
        lags = f"lags {self.tau_min} to {self.tau_max}"
        level = "no p-values" if self.p_matrix is None else f"alpha {self.alpha:g}"
        return f"CausalResult({self.method}: {found} links among {self.N} series, {lags}, {level}{state})"

    def links(self, significant_only: bool = False) -> pl.DataFrame:
        """Return one row per link that was tested or that the user stated to exist.

        Parameters
        ----------
        significant_only
            Keep only links of the graph. Where `decided_by` is "pairs", a source is in the graph as a whole, with
            every lag that was tested, however large the q of a single lag; see `source_tests`.

        Returns
        -------
        polars.DataFrame
            Columns source, target, tau, mark, val, p, q, by target, source and lag. A stated link was not tested: its
            val, p and q are null, as p and q are for a method without p-values. A pair at lag 0 has one row, its arrow
            from source to target if it has one.
        """
        return links_table(self, significant_only)

    def source_tests(self, significant_only: bool = False) -> pl.DataFrame:
        """Return one row per source and target that a method tested over all lags at once.

        Parameters
        ----------
        significant_only
            Keep only pairs with a link in the graph.

        Returns
        -------
        polars.DataFrame
            Columns source, target, val, p, q, by target and source; no rows if the method has no such tests.
        """
        return sources_table(self, significant_only)

    def summary_graph(self) -> NDArray[np.bool_]:
        """Return the graph without its lags.

        Returns
        -------
        (N, N) bool array
            True at [source, target] if a link at any lag leads from source to target; auto-links are on the diagonal,
            and a link without direction counts both ways.
        """
        away = np.char.startswith(self.graph, "<") & ~np.char.endswith(self.graph, ">")
        summary: NDArray[np.bool_] = ((self.graph != "") & ~away).any(axis=2)
        return summary

    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """Return the graph as a networkx ``MultiDiGraph``.

        Nodes are variable names. An edge has tau and mark, and val, p and q if it was tested. A link without direction
        is a pair of edges, so that neither direction is claimed.
        """
        import networkx as nx

        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_nodes_from(self.var_names)
        for row in self.links(significant_only=True).iter_rows(named=True):
            attributes = {key: row[key] for key in ("tau", "mark", "val", "p", "q") if row[key] is not None}
            graph.add_edge(row["source"], row["target"], **attributes)
            if not row["mark"].endswith(">") or row["mark"].startswith("<"):
                graph.add_edge(row["target"], row["source"], **attributes)
        return graph

    def plot(self, path: str | Path | None = None, *, kind: str = "summary", title: str | None = None) -> Figure:
        """Draw the graph; see `arrow_cd.plotting.draw`."""
        from arrow_cd.plotting import draw

        return draw(self, path, kind=kind, title=title)

    def write(self, path: str | Path, format: str | None = None) -> Path:
        """Write to a file in the format of its suffix; see `arrow_cd.export.write`."""
        from arrow_cd.export import write

        return write(self, path, format)


_ARRAYS: dict[str, Any] = {
    "graph": "<U3",
    "val_matrix": np.float64,
    "p_matrix": np.float64,
    "q_matrix": np.float64,
    "tested": np.bool_,
    "status": np.uint8,
}
