import sys

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch

from arrow_cd.errors import BackendNotInstalledError, InvalidDataError
from results import empty, example

KINDS = ("summary", "window")


def arrows(figure):
    return [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("kind", KINDS)
def test_figures_are_written(tmp_path, kind, suffix):
    path = tmp_path / f"graph.{suffix}"
    example().plot(path, kind=kind)
    assert path.stat().st_size > 2000


def test_every_link_of_the_table_is_drawn():
    links = example().links(significant_only=True)
    assert len(arrows(example().plot(kind="window"))) == links.height
    cross = links.filter(links["source"] != links["target"]).unique(["source", "target", "mark"])
    assert len(arrows(example().plot())) == cross.height


@pytest.mark.parametrize("kind", KINDS)
def test_a_negative_link_is_blue_and_a_positive_one_red(kind):
    def colour(value):
        shape = (2, 2, 2)
        on = np.zeros(shape, dtype=bool)
        on[0, 1, 1] = True
        result = example(
            var_names=("a", "b"),
            tau_max=1,
            graph=np.where(on, "-->", ""),
            val_matrix=on * value,
            p_matrix=np.where(on, 0.0, 1.0),
            q_matrix=np.where(on, 0.0, 1.0),
            tested=on,
            status=np.where(on, 0, 1),
        )
        return to_rgb(arrows(result.plot(kind=kind))[0].get_edgecolor())

    (red, _, blue), (red_up, _, blue_up) = colour(-0.5), colour(0.5)
    assert blue > red and red_up > blue_up


def test_links_without_direction_have_no_head():
    styles = [type(arrow.get_arrowstyle()).__name__ for arrow in arrows(example().plot(kind="window"))]
    assert styles.count("Curve") == 2  # o-o and x-x


def test_labels_are_lags():
    texts = {text.get_text() for text in example().plot().axes[0].texts}
    assert {"0", "2", "a", "b", "d"} <= texts


def test_the_layout_is_deterministic(tmp_path):
    first, second = tmp_path / "1.png", tmp_path / "2.png"
    example().plot(first)
    example().plot(second)
    assert first.read_bytes() == second.read_bytes()


def test_an_empty_graph_can_be_drawn():
    for kind in KINDS:
        assert arrows(empty(("only",), 0).plot(kind=kind)) == []


def test_bad_kind_format_and_directory_are_named(tmp_path):
    with pytest.raises(InvalidDataError, match="kind='pie': expected one of summary, window"):
        example().plot(kind="pie")
    with pytest.raises(InvalidDataError, match="figures are written as png, svg, pdf"):
        example().plot(tmp_path / "graph.bmp")
    with pytest.raises(InvalidDataError, match="can't be written: No such file"):
        example().plot(tmp_path / "missing" / "graph.png")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendNotInstalledError, match=r"arrow-cd\[viz\]"):
        example().plot()
