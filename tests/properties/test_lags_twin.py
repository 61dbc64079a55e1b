"""Codes and lag search equal their slow twins, whatever the length, the gaps, the ties and the data sets."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from arrow_cd import encode, lag_search
from arrow_cd.data import as_time_series

LENGTHS = st.sampled_from([5, 62, 63, 64, 65, 66, 127, 128, 129])


@st.composite
def series(draw):
    """Two or three series of any kind, in one or two data sets."""
    T, N = draw(LENGTHS), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.normal(size=(T, N))
    kind = draw(st.sampled_from(["noise", "walk", "few", "mostly zero"]))
    if kind == "walk":
        values = np.cumsum(values, axis=0)
    elif kind == "few":
        values = np.round(values)
    elif kind == "mostly zero":
        values = np.where(rng.random(values.shape) < 0.8, 0.0, values)
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))] = np.nan
    cut = draw(st.integers(1, T - 1)) if draw(st.booleans()) else None
    return as_time_series(values if cut is None else [values[:cut], values[cut:]])


@settings(deadline=None, max_examples=25)
@given(series(), st.sampled_from([("level", 1), ("level", 2), ("level", 3), ("trend", 2)]))
def test_codes(data, kind):
    code, bits = kind
    found = encode(data, code=code, bits=bits, tau_max=3).codes
    for i in data.active():
        np.testing.assert_array_equal(found[:, i], naive.codes(data.values[:, i], code, bits, data.segments))


@settings(deadline=None, max_examples=25)
@given(series(), st.integers(1, 3), st.data())
def test_every_lag(data, bits, draw):
    tau_max = draw.draw(st.sampled_from([0, 2, 64, 70]).filter(lambda tau: tau + 3 <= data.sample_rows(0)))
    planes = encode(data, bits=bits, tau_max=tau_max)
    found, codes = lag_search(planes, tau_max=tau_max), planes.codes
    for i in data.active():
        for j in data.active():
            for tau in range(int(i == j), tau_max + 1):
                x, y = naive.common(codes[:, i], codes[:, j], tau, data.segments)
                got = (found.z[i, j, tau], found.score[i, j, tau], found.mi[i, j, tau])
                expected = (
                    naive.association_z(x, y, bits, naive.WEIGHTS["level"]),
                    naive.agreement(x, y, bits, joint=False),
                    naive.information(x, y, bits),
                )
                np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)
