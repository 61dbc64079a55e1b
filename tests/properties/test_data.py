"""What holds for any data that comes through the door."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.errors import InvalidDataError

SETTINGS = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
TABLES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 30), st.integers(2, 4)),
    elements=st.floats(-1e300, 1e300) | st.just(np.nan),
)


@SETTINGS
@given(table=TABLES)
def test_values_survive_csv_to_the_last_bit(table: np.ndarray, tmp_path) -> None:
    frame = pl.DataFrame(table, schema=[f"v{k}" for k in range(table.shape[1])])
    frame.write_csv(tmp_path / "x.csv")
    series = as_time_series(tmp_path / "x.csv", time_column=False)
    np.testing.assert_array_equal(series.values, table)
    assert series.names == tuple(frame.columns)


@SETTINGS
@given(table=TABLES, steps=st.sampled_from([None, "detrend", "winsorise", "standardise", "winsorise,standardise"]))
def test_the_callers_array_is_unchanged_and_values_are_never_infinite_where_valid(table: np.ndarray, steps) -> None:
    table = np.clip(table, -1e100, 1e100)
    before = table.copy()
    series = as_time_series(table, preprocess=steps)
    np.testing.assert_array_equal(table, before)
    values, valid, _ = series.core_arrays()
    assert np.isfinite(values).all()
    assert valid is None or (values[~valid] == 0).all()
    assert (series.valid == ~np.isnan(table)).all()


CELLS = st.sampled_from(
    ["1", "2.5", "-3e4", "x", "", "NA", "inf", "1e999", '"', '"a,b"', "2020-01-01", "é", " ", "0x1"]
)
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=4).map(",".join), max_size=8)
JUNK = st.one_of(
    st.binary(max_size=80),
    st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.tuples(LINES, st.sampled_from(["\n", "\r", "\r\n", "\n\n"])).map(lambda pair: pair[1].join(pair[0]).encode()),
)


@settings(SETTINGS, max_examples=200)
@given(data=JUNK, header=st.sampled_from([None, True, False]))
def test_f37_any_bytes_are_a_series_or_an_invalid_data_error(data: bytes, header: bool | None, tmp_path) -> None:
    (tmp_path / "junk.csv").write_bytes(data)
    try:
        series = as_time_series(tmp_path / "junk.csv", header=header)
    except InvalidDataError as error:
        assert str(error)
    else:
        assert isinstance(series, TimeSeries) and series.T >= 1 and series.N >= 1
        assert not np.isinf(series.values).any()
