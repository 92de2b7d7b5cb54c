"""Delimited text: every dialect gives the same cells, whatever the reader, and no cell is lost."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned, Skipped, Table
from piiscan.io.delimited.sniff import Dialect, sniff
from piiscan.io.inputs import discover
from piiscan.io.read_options import Limits, PathOptions, ReadOptions

HEADER = ["name", "e-mail", "age"]
ROWS = [
    ["Ann Bee", "ann@example.org", "41"],
    ["Zoë Müller", "zoe@example.org", "7"],
    ["O'Neil, Pat", "pat@example.org", "63"],
]


def found(path: Path | str, options: ReadOptions | None = None) -> list[Table | NotScanned | Skipped]:
    return list(discover([str(path)], options or ReadOptions()))


def tables(path: Path | str, options: ReadOptions | None = None) -> list[Table]:
    items = found(path, options)
    bad = [item for item in items if isinstance(item, NotScanned | Skipped)]
    assert not bad
    return items  # type: ignore[return-value]


def shown(cell: object) -> str:
    """A cell as text; the elements of a list one a line."""
    if isinstance(cell, list):
        return "\n".join(map(shown, cell))
    return "" if cell is None else str(cell)


def cells(table: Table) -> list[list[str]]:
    rows: list[list[str]] = []
    for batch in table.batches():
        assert batch.offset == len(rows)
        assert batch.frame.columns == [str(i) for i in range(len(table.info.fields))]
        assert all(batch.frame[name].n_chunks() == 1 for name in batch.frame.columns)
        rows += [[shown(cell) for cell in row] for row in batch.frame.rows()]
    return rows


def names(table: Table) -> list[str | None]:
    return [field.name for field in table.info.fields]


def written(
    rows: list[list[str]], delimiter: str = ",", quote: str = '"', newline: str = "\n", quoting: int = csv.QUOTE_MINIMAL
) -> str:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, quotechar=quote, lineterminator=newline, quoting=quoting).writerows(rows)
    return stream.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", ":", "~", "^", "@", "\x01", "\x1f", "¦"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_delimiters_line_ends_and_quotes(tmp_path: Path, delimiter: str, newline: str, quoting: int) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(written([HEADER, *ROWS], delimiter, '"', newline, quoting).encode())
    (table,) = tables(path)
    assert names(table) == HEADER
    assert cells(table) == ROWS
    assert table.info.header
    assert dict(table.info.details)["delimiter"] == delimiter


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("utf-32-be", "utf-32-be"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
def test_encodings(tmp_path: Path, encoding: str, shown: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(written([HEADER, *ROWS]).encode(encoding))
    (table,) = tables(path)
    assert dict(table.info.details)["encoding"] == shown
    assert (names(table), cells(table)) == (HEADER, ROWS)


def test_byte_order_mark_before_data(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(written([['a "quoted" name', "x@example.org"], ["b", "y@example.org"]]).encode("utf-8-sig"))
    (table,) = tables(path)
    assert not table.info.header
    assert cells(table)[0][0] == 'a "quoted" name'


def test_an_old_encoding_far_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [[f"row {i}", "x"] for i in range(60_000)]
    path.write_bytes(b"name,code\n" + written(rows).encode() + "Zoë,é\n".encode("cp1252") + "Zoë,é\n".encode())
    (table,) = tables(path, ReadOptions(batch_rows=1000))
    assert cells(table) == [*rows, ["Zoë", "é"], ["Zoë", "é"]]


def test_a_stray_byte_does_not_change_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("name,code\nZoë,é\nMüller,ü\nŁódź,ó\n".encode() + b"\xe9,x\n")
    (table,) = tables(path)
    assert dict(table.info.details)["encoding"] == "utf-8"
    assert cells(table) == [["Zoë", "é"], ["Müller", "ü"], ["Łódź", "ó"], ["é", "x"]]


def test_data_behind_a_long_blank_start_is_found(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("\n" * 400_000 + "ann@example.org,b\n", "utf-8")
    assert any("ann@example.org" in "".join(row) for table in tables(path) for row in cells(table))


def test_a_stated_encoding_that_does_not_fit_is_not_scanned_from_there(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"name,code\n" + b"a,b\n" * 300_000 + b"Zo\xeb,x\n")
    (table,) = tables(path, ReadOptions(encoding="utf-8"))
    with pytest.raises(ReadError, match="not valid utf-8"):
        cells(table)
    path.write_bytes(b"Zo\xeb,x\n")
    assert found(path, ReadOptions(encoding="utf-8")) == [
        NotScanned(path.as_posix(), "not valid utf-8 from some row on; name its encoding with --encoding")
    ]
    (unknown,) = found(path, ReadOptions(encoding="klingon"))
    assert isinstance(unknown, NotScanned)
    assert "klingon" in unknown.reason


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        ("# made up\n# twice\nname,age\nAnn,41\nBob,7\n", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        ("#name,age\nAnn,41\nBob,7\n", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        ("sep=;\nname;age\nAnn;41\nBob;7\n", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        (
            "List of members\n\nname,city,age\nAnn,Ulm,41\nBob,Bonn,7\n",
            ["name", "city", "age"],
            [["Ann", "Ulm", "41"], ["Bob", "Bonn", "7"]],
        ),
        ('"given\nname",age\n"Ann\nBee",41\nBob,7\n', ["given\nname", "age"], [["Ann\nBee", "41"], ["Bob", "7"]]),
        ("name,age\nAnn,41\n\nBob,7\n", ["name", "age"], [["Ann", "41"], ["", ""], ["Bob", "7"]]),
        ("name,age\nAnn\nBob,7\n", ["name", "age"], [["Ann", ""], ["Bob", "7"]]),
        ("name,age\nAnn,41,x,y\nBob,7\n", ["name", "age", None, None], [["Ann", "41", "x", "y"], ["Bob", "7", "", ""]]),
        ('name,size\n5" pipe,41\n6" pipe,7\n', ["name", "size"], [['5" pipe', "41"], ['6" pipe', "7"]]),
        ('name,size\n"a" b,41\nc,7\n', ["name", "size"], [["a b", "41"], ["c", "7"]]),
        ('name,size\n"Ann,41\nBob,7\nCy,8\n', ["name", "size"], [['"Ann', "41"], ["Bob", "7"], ["Cy", "8"]]),
        ('name, size\n"A, B", "1, 2"\n"C", "3"\n', ["name", "size"], [["A, B", "1, 2"], ["C", "3"]]),
        ("name,size\n'A, B',1\n'C, D',2\n", ["name", "size"], [["A, B", "1"], ["C, D", "2"]]),
        (
            'name,size\n"say \\"hi, you\\"",1\n"C",2\n"D",3\n',
            ["name", "size"],
            [['say "hi, you"', "1"], ["C", "2"], ["D", "3"]],
        ),
        ("name||size\nA|B||1\nC||2\n", ["name", "size"], [["A|B", "1"], ["C", "2"]]),
        ("name::size\nAnn B::1\nC D::2\n", ["name", "size"], [["Ann B", "1"], ["C D", "2"]]),
        ("name  age\nAnn   41\nBob   7\n", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        ("name,age\nAn\0n,41\nBob,7\n", ["name", "age"], [["An\0n", "41"], ["Bob", "7"]]),
        ("email\nann@example.org\nbob@example.org\n", ["email"], [["ann@example.org"], ["bob@example.org"]]),
        ("ann@example.org\nbob@example.org\n", [None], [["ann@example.org"], ["bob@example.org"]]),
        ("Ann,ann@example.org,41\n", [None] * 3, [["Ann", "ann@example.org", "41"]]),
        ("name,email,age\n", ["name", "email", "age"], []),
        ("name,age\r\nAnn,41\rBob,7\n", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        ("name,age\nAnn,41\nBob,7", ["name", "age"], [["Ann", "41"], ["Bob", "7"]]),
        ("name,name,age\nAnn,B,41\nCy,D,7\n", ["name", "name", "age"], [["Ann", "B", "41"], ["Cy", "D", "7"]]),
    ],
)
@pytest.mark.parametrize("batch_rows", [1, 2, 1000])
def test_layouts(tmp_path: Path, text: str, header: list[str | None], rows: list[list[str]], batch_rows: int) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes(text.encode())
    table = tables(path, ReadOptions(batch_rows=batch_rows))[0]
    assert names(table) == header
    assert cells(table) == rows
    assert table.info.header == any(header)


def test_lines_before_the_table_are_scanned_too(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("# ask ann@example.org\n# second\nname,age\nBob,41\n", "utf-8")
    data, preamble = tables(path)
    assert preamble.info.table == "preamble"
    assert cells(preamble) == [["# ask ann@example.org"], ["# second"]]
    assert cells(data) == [["Bob", "41"]]


def test_blank_lines_before_the_table_are_no_table(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("\n\nname,age\nBob,41\n", "utf-8")
    (table,) = tables(path)
    assert (names(table), cells(table)) == (["name", "age"], [["Bob", "41"]])


def test_a_row_too_long_far_into_the_file_keeps_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    rows = [["a", "b"]] * 100_000
    path.write_text("name,code\n" + written(rows) + "c,d,ann@example.org,e\nf,g\n", "utf-8")
    (table,) = tables(path, ReadOptions(batch_rows=5000))
    assert cells(table) == [*rows, ["c", "d,ann@example.org,e"], ["f", "g"]]


@pytest.mark.parametrize("oddity", ['5" pipe,x\n', '"a" b,x\n', '"never closed,x\n'])
def test_an_odd_quote_far_into_the_file_loses_nothing(tmp_path: Path, oddity: str) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("name,code\n" + "a,b\n" * 100_000 + oddity + "ann@example.org,d\n" * 3, "utf-8")
    (table,) = tables(path, ReadOptions(batch_rows=5000))
    rows = cells(table)
    assert len(rows) == 100_004
    assert rows[-3:] == [["ann@example.org", "d"]] * 3
    assert rows[99_999] == ["a", "b"]


def test_a_line_of_many_megabytes_within_a_table(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("name,text\nAnn," + "lorem " * 1_000_000 + "ann@example.org\nBob,x\n", "utf-8")
    (table,) = tables(path)
    rows = cells(table)
    assert [row[0] for row in rows] == ["Ann", "Bob"]
    assert rows[0][1].endswith("ann@example.org")


def test_what_the_user_says_wins(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes("Größe;a,b\n1;c,d\n".encode("cp850"))
    said = PathOptions(delimiter=",", encoding="cp850", header=False)
    (table,) = tables(path, ReadOptions(per_path=(("*/made-up.csv", said),)))
    assert names(table) == [None, None]
    assert cells(table) == [["Größe;a", "b"], ["1;c", "d"]]
    (other,) = tables(path, ReadOptions(per_path=(("*.tsv", said),), encoding="cp850", delimiter=";", header=True))
    assert names(other) == ["Größe", "a,b"]


def test_sample_stops_after_rows(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("name,code\n" + "".join(f"n{i},{i}\n" for i in range(50_000)), "utf-8")
    (table,) = tables(path, ReadOptions(rows=7, batch_rows=5))
    assert cells(table) == [[f"n{i}", str(i)] for i in range(7)]


def test_too_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "made-up.csv"
    path.write_text("\n".join(",".join("abcdefgh") for _ in range(5)), "utf-8")
    (item,) = found(path, ReadOptions(limits=Limits(columns=7)))
    assert isinstance(item, NotScanned)
    assert "more than 7 columns" in item.reason


@pytest.mark.parametrize("content", [b"", b"\n", b"  \n\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_empty_files_are_read_in_full(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(content)
    assert found(path) == [Skipped(path.as_posix(), "empty")]


CELL = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0\ufeff", exclude_categories=("Cs", "Cc"))
    | st.sampled_from("\",;\n|' a1@."),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=30)
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_well_formed_cells_survive_any_batch_size(
    tmp_path: Path, rows: list[list[str]], delimiter: str, newline: str
) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes(
        written([["id", *row] for row in rows], delimiter, newline=newline, quoting=csv.QUOTE_ALL).encode()
    )
    for batch_rows in (1, 7, 1000):
        options = ReadOptions(batch_rows=batch_rows, delimiter=delimiter, header=False)
        assert cells(tables(path, options)[0]) == [["id", *row] for row in rows]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the size of the blocks that a file is read in."""

    def cut(size: int) -> None:
        monkeypatch.setattr("piiscan.io.delimited.delimited.BLOCK_BYTES", size)
        monkeypatch.setattr("piiscan.io.delimited.delimited._TAIL", size // 2)

    return cut


@pytest.mark.parametrize("start", ["x^", "x\x01", "(x", "\x1f\x8b", "\ufeff", "PAR1"])
def test_a_block_that_starts_like_packed_data_is_text_all_the_same(
    tmp_path: Path, blocks: Callable[[int], None], start: str
) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes(b"name,code\n" + f"{start},b\n".encode() * 20)
    blocks(16)
    assert [row[1] for row in cells(tables(path)[0])] == ["b"] * 20


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=40),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    size=st.integers(2, 200),
)
def test_cells_survive_any_cut_into_blocks(
    tmp_path: Path, blocks: Callable[[int], None], rows: list[list[str]], newline: str, encoding: str, size: int
) -> None:
    path = tmp_path / "made-up.csv"
    if newline == "\r":
        rows = [[cell.replace("\n", "\r") for cell in row] for row in rows]
    path.write_bytes(
        written(
            [["id", "cell", "cell"], *(["id", *row] for row in rows)], ",", newline=newline, quoting=csv.QUOTE_ALL
        ).encode(encoding)
    )
    blocks(size)
    assert cells(tables(path, ReadOptions(delimiter=",", header=True))[0]) == [["id", *row] for row in rows]


@pytest.mark.parametrize("size", [4, 9, 50, 400])
@pytest.mark.parametrize(
    "oddity", ['5" pipe,x', '"a" b,x', '"never closed,x', "Zo\u00eb,\xff", "a,b,c,d", 'x,"two\nlines"']
)
def test_an_oddity_on_any_cut_loses_no_row(
    tmp_path: Path, blocks: Callable[[int], None], oddity: str, size: int
) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes(b"name,code\n" + b"a,b\n" * 30 + oddity.encode("latin-1") + b"\n" + b"ann@example.org,d\n" * 30)
    blocks(size)
    rows = cells(tables(path)[0])
    assert [row[:2] for row in rows[:30]] == [["a", "b"]] * 30
    assert [row[:2] for row in rows[-30:]] == [["ann@example.org", "d"]] * 30
    assert len(rows) == 61


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(
        st.sampled_from(["a", "7", ",", '"', "'", "\n", "\r\n", "\r", "\\", " ", ";", "é", "#"]), max_size=60
    ).map("".join)
)
def test_malformed_text_gives_the_same_cells_for_any_batch_size(tmp_path: Path, text: str) -> None:
    path = tmp_path / "made-up.csv"
    path.write_bytes(("name,code\n" + text).encode())
    seen = [[cells(table) for table in tables(path, ReadOptions(batch_rows=size))] for size in (1, 7, 1000)]
    assert seen[0] == seen[1] == seen[2]
    kept = "".join(
        ["".join(row) for table in seen[0] for row in table]
        + [name or "" for table in tables(path) for name in names(table)]
    )
    for letter in "a7é":
        assert kept.count(letter) >= text.count(letter)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (written([["id", "event"], *([str(i), '{"a": 1, "b": "x, y"}'] for i in range(20))]), True),
        ('id,event\n1,"a, ""b"", c"\n2,"d, ""e"""\n', True),
        ('id, event\n1, "a, b"\n2, "c, d"\n', False),
    ],
)
def test_spaces_before_quotes_count_only_outside_of_quotes(text: str, plain: bool) -> None:
    """JSON in cells is full of `, "`; the slow way of reading is for files that do need it."""
    dialect = sniff(text, True, None, None, strict=True)
    assert isinstance(dialect, Dialect)
    assert (dialect.delimiter, dialect.width, dialect.is_plain) == (",", 2, plain)
