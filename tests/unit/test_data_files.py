"""Text and Parquet files through the door: what is read, and what a message names when it can't be."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from arrow_cd.data import TimeSeries, as_time_series
from arrow_cd.errors import InvalidDataError


@pytest.fixture
def write(tmp_path: Path):
    def writer(text: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writer


def said(series: TimeSeries, *words: str) -> bool:
    return any(all(word in note for word in words) for note in series.notes)


def test_f35_with_and_without_a_date_column(write) -> None:
    rows = [(f"2021-03-{day:02d}", day * 0.5, 3.0 - day**2) for day in range(1, 20)]
    dated = as_time_series(write("date,a,b\n" + "".join(f"{d},{a},{b}\n" for d, a, b in rows)))
    plain = as_time_series(write("a,b\n" + "".join(f"{a},{b}\n" for _, a, b in rows)))
    assert dated.names == plain.names == ("a", "b")
    np.testing.assert_array_equal(dated.values, plain.values)
    assert dated.time is not None and plain.time is None
    assert said(dated, "'date'", "time axis")


@pytest.mark.parametrize("marker", ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "*", "?", "-", " na "])
def test_f36_default_missing_markers_are_counted_per_column(write, marker: str) -> None:
    series = as_time_series(write(f"a,b\n1.5,2\n{marker},3\n{marker},4\n2.5,{marker}\n"))
    np.testing.assert_array_equal(series.values, [[1.5, 2], [np.nan, 3], [np.nan, 4], [2.5, np.nan]])
    assert said(series, "missing values per column: a 2, b 1")


def test_f36_own_markers_come_on_top_and_numbers_match_by_value(write) -> None:
    path = write("a,b\n1.5,2\nbad,-999.0\nNA,4\n2,5\n")
    series = as_time_series(path, na=["BAD", "-999"])
    np.testing.assert_array_equal(series.valid, [[1, 1], [0, 0], [0, 1], [1, 1]])
    with pytest.raises(InvalidDataError, match=r"line 3 .*column 'a': 'bad' is not a number"):
        as_time_series(path)


def test_f37_text_cell_names_file_row_and_column(write) -> None:
    table = np.random.default_rng(0).normal(size=(300, 650)).round(3).astype(str)
    table[212, 417] = "broken"
    header = ",".join(f"v{k}" for k in range(650))
    path = write(header + "\n" + "\n".join(map(",".join, table)) + "\n")
    with pytest.raises(InvalidDataError) as error:
        as_time_series(path)
    assert str(error.value).startswith(f"{path}, line 214 (data row 213), column 'v417': 'broken' is not a number")


def test_f23_infinity_in_a_file_names_its_line(write) -> None:
    with pytest.raises(InvalidDataError, match=r"line 4 \(data row 3\), column 'b': inf is not a finite number"):
        as_time_series(write("a,b\n1,2\n3,4\n5,inf\n7,8\n"))


def test_infinity_after_a_hole_in_time_is_named_by_its_own_line(write) -> None:
    rows = "".join(f"2021-01-01 {hour:02d}:00,{hour}.5,1.{hour}\n" for hour in range(23) if hour != 5)
    with pytest.raises(InvalidDataError, match=r"line 24 \(data row 23\), column 'b'"):
        as_time_series(write("t,a,b\n" + rows + "2021-01-01 23:00,1.5,-inf\n"))


def test_f40_names_are_checked_for_number_and_uniqueness(write) -> None:
    path = write("a,b\n1.5,2\n2,3.5\n")
    assert as_time_series(path, names=["x", "y"]).names == ("x", "y")
    with pytest.raises(InvalidDataError, match="1 names for 2 columns"):
        as_time_series(path, names=["x"])
    with pytest.raises(InvalidDataError, match="duplicated column names: 'x'"):
        as_time_series(path, names=["x", "x"])
    with pytest.raises(InvalidDataError, match=r"line 1: duplicated column name 'a'"):
        as_time_series(write("a,b,a\n1,2,3\n"))


def test_f41_messages_count_rows_of_the_file_and_not_of_the_group(write) -> None:
    text = "site,x\n" + "".join(f"{'nsew'[k % 4]},{'inf' if k == 9 else k * 0.5}\n" for k in range(20))
    path = write(text)
    with pytest.raises(InvalidDataError, match=r"site=s, line 11 \(data row 10\), column 'x': inf"):
        as_time_series(path, group_by="site")
    frame = pl.read_csv(path)
    with pytest.raises(InvalidDataError, match=r"the frame, site=s, row 9 \(counting from 0\), column 'x': inf"):
        as_time_series(frame, group_by="site")


def test_f41_group_by_makes_data_sets_and_keeps_order(write) -> None:
    text = "site,day,x\n" + "".join(f"{'nsew'[k % 4]},{k // 4},{k * 0.5}\n" for k in range(40))
    series = as_time_series(write(text), group_by="site")
    assert series.names == ("x",) and len(series.segments) == 4 and series.T == 40
    start, stop = series.segments[1]
    np.testing.assert_array_equal(series.values[start:stop, 0], np.arange(1, 40, 4) * 0.5)
    assert series.time is not None and (series.time[start:stop] == np.arange(10)).all()
    with pytest.raises(InvalidDataError, match=r"line 3 .*column 'site': no value"):
        as_time_series(write("site,x\na,1.5\n,2.5\n"), group_by="site")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_line_ends_and_separators_are_recognised(write, end: str, separator: str) -> None:
    text = end.join(["a,b c", "1.5,2", "3,4.25", ""]).replace(",", separator)
    series = as_time_series(write(b"\xef\xbb\xbf" + text.encode()))
    assert series.names == ("a", "b c")
    np.testing.assert_array_equal(series.values, [[1.5, 2], [3, 4.25]])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("59,77\n0.1,0.2\n0.3,1.5\n", True),  # whole numbers above decimals
        ("59,77\n1,2\n3,4\n", False),
        ("59,77\n0.5,2\n3.5,4\n", False),
        ("1.5,2.5\n3.5,4.5\n", False),
        ("a,7\n1,2\n3,4\n", True),
        ("x,y\nNA,NA\n1,2\n", True),
        ("2021-01-01,5\n2021-01-02,7\n", False),
        ("date,5\n2021-01-01,7\n2021-01-02,9\n", True),
        ("59,59\n0.1,0.2\n0.3,1.5\n", False),
        ("NA,1\n2,4\n", False),
    ],
)
def test_header_is_told_from_data_by_type(write, text: str, named: bool) -> None:
    first = "date" if text.startswith("date") else "X0"
    series = as_time_series(write(text), time_column=False, drop=[first] if "2021" in text else None)
    assert text.count("\n") - series.T == named


def test_header_option_decides(write) -> None:
    path = write("59,77\n3,1\n1,4\n")
    assert as_time_series(path, header=True).names == ("59", "77")
    assert as_time_series(path, header=False).T == 3
    assert said(as_time_series(path), "no header")
    path = write("59,77\n0.5,1.5\n1.5,2.5\n")
    assert said(as_time_series(path), "taken as the header")
    assert as_time_series(path, header=False).T == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b"\n\n  \n", "is empty"),
        (b"a,b\n", "no data rows"),
        (b"a,b\n1,2\n3\n", r"line 3: 1 fields, but line 1 has 2"),
        (b"a,b\n1,2\n3,4,5\n", r"line 3: 3 fields, but line 1 has 2"),
        (b'a,b\n1,2\n"3",4,5\n', r"line 3: 3 fields, but line 1 has 2"),
        (b'a,b\n1,2\n"3,4\n5,6\n', r"line 3: cannot be read as a table"),
        (b"a,b\n1,2\n\xff,3\n", r"line 3: byte 0xff is not UTF-8"),
        (b"a\x00b", "binary file"),
        (b"a;b\n1;2\n3,5;4\n", r"line 3 .*'3,5' has a decimal comma"),
        (b"site,place\nx,y\nz,w\n", r"line 2 .*column 'site': 'x' is not a number"),
        (b"a,,b\n1,2,3\n", r"'column_2' has values but no name"),
    ],
)
def test_broken_files_are_named(write, text: bytes, message: str) -> None:
    with pytest.raises(InvalidDataError, match=message) as error:
        as_time_series(write(text))
    assert "data.csv" in str(error.value)


def test_unknown_files_and_columns_are_named(write, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match=r"nowhere\.csv: cannot be read: No such file"):
        as_time_series(tmp_path / "nowhere.csv")
    with pytest.raises(InvalidDataError, match="cannot be read"):
        as_time_series(tmp_path)
    with pytest.raises(InvalidDataError, match="not a Parquet file"):
        as_time_series(write("a,b\n1,2\n", "data.parquet"))
    for option in ("columns", "drop"):
        with pytest.raises(InvalidDataError, match="no column named 'c'; the columns are 'a', 'b'"):
            as_time_series(write("a,b\n1.5,2\n"), **{option: ["c"]})
        with pytest.raises(InvalidDataError, match="not the string"):
            as_time_series(write("a,b\n1.5,2\n"), **{option: "a"})
    with pytest.raises(InvalidDataError, match="no column left"):
        as_time_series(write("a,b\n1.5,2\n"), drop=["a", "b"])
    with pytest.raises(InvalidDataError, match="'a' is named twice"):
        as_time_series(write("a,b\n1.5,2\n"), columns=["a"], time_column="a")


def test_columns_and_drop_choose_variables_and_skip_text(write) -> None:
    path = write("a,b,c,place\n1.5,2,3,here\n4,5,6.5,there\n")
    assert as_time_series(path, drop=["place"]).names == ("a", "b", "c")
    series = as_time_series(path, columns=["c", "a"])
    assert series.names == ("c", "a")
    np.testing.assert_array_equal(series.values, [[3, 1.5], [6.5, 4]])


def test_separators_at_line_ends_leave_no_column(write) -> None:
    series = as_time_series(write("a,b,\n1.5,2,\n3,4.5,\n"))
    assert series.names == ("a", "b")
    assert said(series, "'column_3'", "left out")


def test_a_blank_line_ends_a_data_set_but_is_missing_in_a_single_column(write) -> None:
    series = as_time_series(write("\na,b\n1.5,2\n3,4\n\n5,6\n7,8.5\n\n"))
    assert series.segments == ((0, 2), (2, 4)) and series.names == ("a", "b")
    single = as_time_series(write("a\n1.5\n\n2.5\n"))
    np.testing.assert_array_equal(single.valid[:, 0], [True, False, True])
    quoted = as_time_series(write('"a","b"\n1.5,2\n\n5,6\n'))
    assert quoted.segments == ((0, 1), (1, 2))


def test_quoted_cells_may_hold_separators_and_line_ends(write) -> None:
    path = write('"a, b","c\nd"\n"1.5",2\n3,"x"\n')
    with pytest.raises(InvalidDataError, match=r"line 4 .*data row 2"):
        as_time_series(path)
    assert as_time_series(path, na=["x"]).names == ("a, b", "c\nd")


def test_parquet_is_read_with_its_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"when": [1, 2, 4], "a": [1.5, None, 2.5], "flag": [True, False, True], "n": [3, 1, 2]})
    frame.write_parquet(tmp_path / "x.parquet")
    series = as_time_series(tmp_path / "x.parquet", time_column="when")
    assert series.names == ("a", "flag", "n")
    np.testing.assert_array_equal(series.values, [[1.5, 1, 3], [np.nan, 0, 1], [2.5, 1, 2]])
    frame.with_columns(a=pl.col("a").cast(pl.Duration)).write_parquet(tmp_path / "y.parquet")
    with pytest.raises(InvalidDataError, match=r"y\.parquet, column 'a' holds Duration.*expected numbers"):
        as_time_series(tmp_path / "y.parquet")


def test_gzipped_files_are_read_and_broken_ones_named(tmp_path: Path) -> None:
    text = b"a,b\n1.5,2\n3,4.5\n"
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text))
    np.testing.assert_array_equal(as_time_series(tmp_path / "x.csv.gz").values, [[1.5, 2], [3, 4.5]])
    pl.DataFrame({"a": [1.5, 2.5]}).write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress((tmp_path / "x.parquet").read_bytes()))
    assert as_time_series(tmp_path / "x.parquet.gz").names == ("a",)
    for broken in (text, gzip.compress(text)[:-4]):
        (tmp_path / "y.csv.gz").write_bytes(broken)
        with pytest.raises(InvalidDataError, match=r"y\.csv\.gz: "):
            as_time_series(tmp_path / "y.csv.gz")
