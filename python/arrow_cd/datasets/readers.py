"""Which reader belongs to which public data set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from arrow_cd.datasets._types import Locate, Member
from arrow_cd.datasets.brain import feedbacks, netsim
from arrow_cd.datasets.finance import tcdf_finance
from arrow_cd.datasets.genes import dream3, dream4
from arrow_cd.datasets.monitoring import it_monitoring, petshop_latency, pymicro
from arrow_cd.datasets.pairs import known_lag_pairs
from arrow_cd.datasets.rivers import danube, flood

READERS: dict[str, Callable[[str, Locate], Member]] = {
    "petshop_latency": petshop_latency,
    "Web_Activity": partial(it_monitoring, folder="Web_Activity"),
    "Antivirus_Activity": partial(it_monitoring, folder="Antivirus_Activity"),
    "Storm_Ingestion_Activity": partial(it_monitoring, folder="Storm_Ingestion_Activity", structure="storm_structure"),
    "causalrivers_flood": flood,
    "tcdf_finance": tcdf_finance,
    "dream3_size100": dream3,
    "dream4": dream4,
    "netsim_sim3": netsim,
    "feedbacks_bold": feedbacks,
    "pymicro": pymicro,
    "danube": danube,
    "known_lag_pairs": known_lag_pairs,
}
"""Each takes a member's name and a `Locate`."""
