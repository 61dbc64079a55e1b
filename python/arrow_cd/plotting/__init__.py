"""Figures of causal graphs (extra `viz`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from arrow_cd.errors import BackendNotInstalledError, InvalidDataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arrow_cd.result import CausalResult

KINDS = ("summary", "window")
FORMATS = ("png", "svg", "pdf")


def require_matplotlib() -> None:
    """Raise BackendNotInstalledError, naming the extra to install, if figures can't be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise BackendNotInstalledError('figures need matplotlib: pip install "arrow-cd[viz]"') from error


def draw(
    result: CausalResult, path: str | Path | None = None, *, kind: str = "summary", title: str | None = None
) -> Figure:
    """Draw the graph of a result.

    Parameters
    ----------
    path
        Where to save the figure: .png, .svg or .pdf. None only returns it.
    kind
        "summary": one node per variable, edges labelled with their lags. "window": one node per variable and lag,
        links ending at the present.
    title
        Heading of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        Colour is the sign and size of `val_matrix`, width its size; auto-links colour the node. The layout depends on
        nothing but the result.

    Raises
    ------
    BackendNotInstalledError
        matplotlib is missing.
    InvalidDataError
        Unknown kind or format, or the file can't be written.
    """
    if kind not in KINDS:
        raise InvalidDataError(f"kind={kind!r}: expected one of {', '.join(KINDS)}")
    if path is not None and Path(path).suffix.lower().removeprefix(".") not in FORMATS:
        raise InvalidDataError(f"{path}: figures are written as {', '.join(FORMATS)}")
    require_matplotlib()
    from arrow_cd.plotting import summary, window

    figure = {"summary": summary.figure, "window": window.figure}[kind](result, title)
    if path is not None:
        try:
            figure.savefig(path, dpi=160)
        except OSError as error:
            raise InvalidDataError(f"{path}: can't be written: {error.strerror or error}") from error
    return figure
