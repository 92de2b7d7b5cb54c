"""What is read of INSERT statements at once is what is read of them row by row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from piiscan.io.dumps import cells, quotes, regular_rows, statements
from piiscan.io.dumps.dialects import Dialect
from piiscan.io.dumps.schema import ColumnType

WORDS = b";\nINSERT INTO people VALUES ("[:-1]
PIECES = [
    "'",
    "''",
    "\\",
    "\\'",
    "\\n",
    "\\\\",
    '"',
    "`",
    ";",
    ", ",
    ",",
    "(",
    ")",
    "NULL",
    "e",
    "E",
    " ",
    "x",
    "ż",
    "\n",
]
PIECES += ["'), ('", ");\nINSERT INTO people VALUES (", "'NULL'", "1"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
BARE = st.sampled_from(["NULL", "1", "-2.50", "true", "false", "1e+100", "X'00ff'", "E'a\\'b'", "N'x'", "null", "''"])


def written(text: str, escapes: bool) -> str:
    text = text.replace("\\", "\\\\") if escapes else text
    return "'" + text.replace("'", "''") + "'"


@st.composite
def statements_of_rows(draw: st.DrawFn) -> tuple[bytes, int, bool]:
    """Some statements, how wide their rows are, and whether backslashes escape."""
    escapes, width = draw(st.booleans()), draw(st.integers(1, 4))
    cell = st.one_of(TEXTS.map(lambda text: written(text, escapes)), BARE if not escapes else st.just("NULL"))
    rows = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=5))
    comma = draw(st.sampled_from([",", ", "]))
    between = draw(st.sampled_from([WORDS.decode(), ",\n\t", ","]))
    return between.join(f"({comma.join(row)})" for row in rows).encode(), width, escapes


def read_in_turn(data: bytes, width: int, escapes: bool) -> list[tuple[object, ...]]:
    layout = cells.Layout(False, (ColumnType(),) * width, escapes, "strict")
    return cells.values_of_rows(list(cells.rows_of(data, WORDS, layout)), layout).rows()


@given(statements_of_rows())
def test_rows_read_at_once_are_those_read_in_turn(case: tuple[bytes, int, bool]) -> None:
    data, width, escapes = case
    found = regular_rows.values(data, WORDS, width, escapes)
    assert found is None or found.rows() == read_in_turn(data, width, escapes)


def test_plain_rows_are_read_at_once() -> None:
    rows = [["1", "'it''s'", "NULL", "'a, (b);'"], ["-2.5", "''", "true", "'NULL and\nmore'"]]
    for comma, between in ((", ", WORDS.decode()), (", ", ",\n\t"), (",", ",")):
        data = between.join(f"({comma.join(row)})" for row in rows).encode()
        found = regular_rows.values(data, WORDS, 4, False)
        assert found is not None
        assert found.rows() == [("1", "it's", None, "a, (b);"), ("-2.5", "", "true", "NULL and\nmore")]
    found = regular_rows.values(rb"(1,'it\'s \\n\n\"'),(2,'\\')", WORDS, 2, True)
    assert found is not None
    assert found.rows() == [("1", "it's \\n\n\""), ("2", "\\")]


@given(st.lists(st.sampled_from([WORDS.decode(), *PIECES, ";\n", "';\n", "(1, 'a')"]), max_size=12), st.booleans())
def test_runs_end_where_the_regular_expression_ends_them(pieces: list[str], escapes: bool) -> None:
    dialect, header = Dialect("postgresql", escapes), WORDS[2:]
    data = (";\n" + header.decode() + "".join(pieces)).encode()
    expected = statements._run(dialect, header).match(data)
    assert expected is not None
    end = quotes.end_of_run(data, 0, WORDS, escapes)
    assert end is None or end == expected.end()
    rows = data[len(WORDS) :]
    whole = statements._values(dialect).match(rows)
    assert whole is not None
    found = quotes.end_of_statement(rows, 0, escapes)
    assert found is None or (found == whole.end() and rows[found : found + 1] == b";")


def test_runs_of_several_windows() -> None:
    row = b"(1, 'some; words')"
    data = b"".join(WORDS + row for _ in range(9_000)) + b";\nSELECT 1;\n"
    end = quotes.end_of_run(data, 0, WORDS, False)
    assert end == len(data) - len(b";\nSELECT 1;\n")
