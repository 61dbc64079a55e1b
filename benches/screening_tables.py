"""Tables of the screening benchmark: means over seeds, paired differences from the unpruned search, aggregates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from arrow_cd.simulate import Family
from results_page import table

Measurements = dict[tuple[str, int], dict[str, dict[str, float]]]

# A screen is "not worse" where the lower end of the interval of its paired difference in F1 is above this.
MARGIN = -0.02


def report(measured: Measurements, families: dict[str, Family], screens: Sequence[str]) -> str:
    """Everything that RESULTS.md says about screens, as Markdown."""
    names = [name for name in families if any(family == name for family, _ in measured)]
    linked = [name for name in names if not np.isnan(_values(measured, name, screens[0], "f1_fdr")).all()]
    null = [name for name in names if name not in linked]
    parts = [
        "PCMCI with ParCorr, pc_alpha .2, lags 1 to tau_max, one thread; means over seeds. F1 counts links between "
        "series with their exact lag: Benjamini-Hochberg at .05 over all N N L links, pruned ones with p = 1 (FDR), or "
        "p <= .01 without correction. Recall is the share of true links that the screen keeps.\n",
    ]
    if "none" in screens:
        parts += ["### Aggregates\n", _aggregates(measured, names, linked, screens)]
        parts += [
            "### Paired differences in F1 (FDR) from the unpruned search\n",
            f"Mean and 95 % interval (Student t over seeds); bold where its lower end isn't above {MARGIN}.\n",
            _differences(measured, linked, screens),
        ]
    for title, key, digits in (
        ("F1 (FDR)", "f1_fdr", 3),
        ("F1 at p <= .01", "f1_plain", 3),
        ("Recall of links between series", "recall_cross", 3),
        ("Recall of own links", "recall_own", 3),
    ):
        chosen = [name for name in linked if not np.isnan(_values(measured, name, screens[0], key)).all()]
        parts += [f"### {title}\n", _means(measured, chosen, screens, key, digits)]
    if null:
        parts += ["### False links between series where there are none (FDR)\n"]
        parts += [_means(measured, null, screens, "false_fdr", 2)]
    for title, key, digits in (
        ("Candidates a target", "candidates", 1),
        ("Conditional independence tests", "tests", 0),
        ("Seconds", "seconds", 3),
    ):
        parts += [f"### {title}\n", _means(measured, names, screens, key, digits)]
    return "\n".join(parts)


def interval(differences: np.ndarray) -> tuple[float, float, float]:
    """Mean and the ends of its 95 % interval (Student t)."""
    mean, n = float(differences.mean()), len(differences)
    if n < 2:
        return mean, math.nan, math.nan
    half = float(stats.t.ppf(0.975, n - 1) * differences.std(ddof=1) / math.sqrt(n))
    return mean, mean - half, mean + half


def _values(measured: Measurements, name: str, screen: str, key: str) -> np.ndarray:
    runs = [run[screen] for (family, _), run in sorted(measured.items()) if family == name]
    return np.array([run[key] for run in runs], dtype=float)


def _paired(measured: Measurements, name: str, screen: str) -> np.ndarray:
    return _values(measured, name, screen, "f1_fdr") - _values(measured, name, "none", "f1_fdr")


def _aggregates(measured: Measurements, names: list[str], linked: list[str], screens: Sequence[str]) -> str:
    rows = []
    for screen in screens:
        fewer = [_ratio(measured, name, screen, "tests") for name in names]
        faster = [_ratio(measured, name, screen, "seconds") for name in names]
        change = [_paired(measured, name, screen).mean() for name in linked]
        # Differences of zero, as those of "none" itself, have an interval of no width.
        worse = [name for name in linked if not interval(_paired(measured, name, screen))[1] > MARGIN]
        means = [
            np.mean([_values(measured, name, screen, key).mean() for name in linked]) for key in ("f1_fdr", "f1_plain")
        ]
        rows.append(
            [
                screen,
                *(f"{mean:.3f}" for mean in means),
                f"{np.mean(change):+.3f}",
                f"{_geometric_mean(fewer):.1f}",
                f"{_geometric_mean(faster):.1f}",
                ", ".join(worse) or "none",
            ]
        )
    header = ["screen", "F1 (FDR)", "F1 at .01", "F1 (FDR) minus none", "times fewer tests", "times faster"]
    note = "F1 over the families with links; the ratios are geometric means over families of ratios of means.\n"
    return table([*header, f"worse or undecided, of {len(linked)} families"], rows) + "\n" + note


def _ratio(measured: Measurements, name: str, screen: str, key: str) -> float:
    return float(_values(measured, name, "none", key).mean() / _values(measured, name, screen, key).mean())


def _geometric_mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def _differences(measured: Measurements, names: list[str], screens: Sequence[str]) -> str:
    others = [screen for screen in screens if screen != "none"]
    rows = []
    for name in names:
        row = [name, str(len(_paired(measured, name, others[0])))]
        for screen in others:
            mean, low, high = interval(_paired(measured, name, screen))
            cell = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            row.append(cell if low > MARGIN else f"**{cell}**")
        rows.append(row)
    return table(["family", "seeds", *others], rows)


def _means(measured: Measurements, names: list[str], screens: Sequence[str], key: str, digits: int) -> str:
    rows = []
    for name in names:
        rows.append([name, *(f"{_values(measured, name, screen, key).mean():.{digits}f}" for screen in screens)])
    if key in ("f1_fdr", "f1_plain"):
        over_all = [np.mean([_values(measured, name, screen, key).mean() for name in names]) for screen in screens]
        rows.append(["**mean**", *(f"**{mean:.{digits}f}**" for mean in over_all)])
    return table(["family", *screens], rows)
