"""A small method for tests: lagged correlation, so that `discover` can be tested without any engine."""

import numpy as np
from scipy import stats

from arrow_cd.backends.base import Interrupted, MethodInfo, Outcome
from arrow_cd.errors import InvalidDataError
from arrow_cd.links import LinkStatus


class Correlation:
    """Tests every link by plain correlation; keeps the tasks it was given."""

    method = "correlation"
    tests = ("pearson",)
    tau_min = 0
    rows = "pcmci"
    missing = False
    about = MethodInfo("nothing but a common clock", "a correlation a link", "one test a link", compiled=False)

    def __init__(self, stop_after=None):
        self.defaults = {"pc_alpha": 0.2, "strength": 1.0}
        self.tasks = []
        self.stop_after = stop_after

    def check(self, options):
        if options["strength"] <= 0:
            raise InvalidDataError(f"strength={options['strength']!r}: expected a positive number")

    def run(self, task):
        self.tasks.append(task)
        x = task.series.values
        val, p = np.zeros(task.links.shape), np.ones(task.links.shape)
        status = np.full(task.links.shape, LinkStatus.NOT_TESTED, dtype=np.uint8)
        start = 2 * task.tau_max
        done = 0
        for i, j, tau in np.argwhere(task.links):
            if done == self.stop_after:
                raise Interrupted(self.outcome(val, p, status, len(x) - start, done))
            val[i, j, tau], p[i, j, tau] = stats.pearsonr(x[start - tau : len(x) - tau, i], x[start:, j])
            status[i, j, tau] = LinkStatus.OK
            done += 1
            if task.progress:
                task.progress("test", done, int(task.links.sum()))
        return self.outcome(val, p, status, len(x) - start, done)

    def outcome(self, val, p, status, n_samples, done):
        tested = status == LinkStatus.OK
        parents = {j: [(i, -tau) for i, tau in np.argwhere(p[:, j] < 0.01)] for j in range(len(p))}
        return Outcome(
            val,
            p,
            tested,
            status,
            n_samples,
            parents=parents,
            tests_by_phase={"test": done},
            timings={"search": 0.0},
            engine="fake",
            versions={"scipy": "1"},
            notes=("correlations only",),
        )
