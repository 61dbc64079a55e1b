"""The runs that have a name: "full", the benchmark, and "quick", to see that all of it works."""

from __future__ import annotations

from arrow_cd.bench.cells import SCREENS, Cell, plan_cells
from arrow_cd.datasets import DatasetInfo, dataset_info, list_datasets

_BOTH = ("none", "weave")
_PLAIN = ("none",)


def full() -> list[Cell]:
    """Return every family of methods on all data sets, plain, screened and by the libraries, and scaling curves.

    Data set by data set, so that what is compared runs within minutes; curves last. Left out, because a cell would take
    tens of minutes: causal-learn's PC on more than 160 lagged columns, and networks on these or on more than 1,500
    samples.
    """
    cells = [
        *plan_cells(methods=["pcmci"], screens=SCREENS, repeats=5),
        *plan_cells(methods=["pcmci"], screens=_BOTH, engines=["tigramite"]),
        *plan_cells(methods=["pcmci"], screens=_PLAIN, engines=["antecedent"]),
        *plan_cells(methods=["pcmciplus", "granger", "varlingam", "pc"], screens=_BOTH, repeats=3),
        *plan_cells(methods=["granger", "varlingam"], screens=_PLAIN, engines=["statsmodels", "causal-learn"]),
        *plan_cells(_up_to(160), methods=["pc"], screens=_PLAIN, engines=["causal-learn"]),
        *plan_cells(methods=["surd"], screens=_BOTH),
        *plan_cells(_up_to(160, samples=1500), methods=["ngc"], screens=_BOTH),
        *plan_cells(methods=["var"], screens=_PLAIN, engines=["numpy"], repeats=5),
    ]
    order = {name: at for at, name in enumerate(list_datasets())}
    return sorted(cells, key=lambda cell: order[cell.dataset]) + scaling()


def _up_to(columns: int, samples: int | None = None) -> list[str]:
    """Data sets whose members all have at most so many lagged columns, the present included, and samples."""

    def small(info: DatasetInfo) -> bool:
        sizes = [(member.N * (info.tau_max + 1), member.T) for member in info.members]
        return all(width <= columns and (samples is None or length <= samples) for width, length in sizes)

    return [name for name in list_datasets() if small(dataset_info(name))]


def scaling() -> list[Cell]:
    """Return PCMCI over tau_max, N and T, one at a time; tigramite where it takes minutes at most."""
    lags = [f"tau_max={lag}" for lag in (5, 10, 20, 50, 99)]
    widths = [f"N={n}" for n in (10, 20, 50, 100, 200)]
    lengths = [f"T={samples}" for samples in (500, 1000, 4000, 16_000)]
    return [
        *plan_cells(["S2_linear_multi"], screens=_BOTH, engines=["native", "tigramite"], vary=lags),
        *plan_cells(["S5_svar_wide"], screens=_BOTH, vary=widths),
        *plan_cells(["S5_svar_wide"], screens=_BOTH, engines=["tigramite"], vary=widths[:3]),
        *plan_cells(["S6_svar_long"], screens=_BOTH, vary=lengths),
        *plan_cells(["S6_svar_long"], screens=_BOTH, engines=["tigramite"], vary=lengths[:3]),
    ]


def quick() -> list[Cell]:
    """Return two small data sets through every method, and through every engine that comes with the extras."""
    return [
        *plan_cells(["S9_henon_chain", "S12_null"], ["pcmci", "pcmciplus", "granger", "varlingam", "pc"], _BOTH),
        *plan_cells(["S9_henon_chain"], ["surd", "ngc"], ["weave"]),
        *plan_cells(["S9_henon_chain"], ["pcmci"], _BOTH, ["tigramite"]),
        *plan_cells(["S9_henon_chain"], ["varlingam", "pc"], _PLAIN, ["causal-learn"]),
        *plan_cells(["S9_henon_chain", "S12_null"], ["var"], _PLAIN, ["numpy"]),
        *plan_cells(["S9_henon_chain"], vary=["N=20", "tau_max=20"]),
    ]


PLANS = {"full": full, "quick": quick}
