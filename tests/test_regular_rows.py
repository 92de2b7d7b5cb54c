"""What is read of INSERT statements at once is what is read of them row by row."""

from __future__ import annotations

import random
from unittest.mock import patch

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


def read_in_turn(data: bytes, width: int, escapes: bool, words: bytes = WORDS) -> list[tuple[object, ...]]:
    layout = cells.Layout(False, (ColumnType(),) * width, escapes, "strict")
    return cells.values_of_rows(list(cells.rows_of(data, words, layout)), layout).rows()


@given(statements_of_rows())
def test_rows_read_at_once_are_those_read_in_turn(case: tuple[bytes, int, bool]) -> None:
    data, width, escapes = case
    found = regular_rows.values(data, WORDS, width, escapes)
    assert found is None or found.rows() == read_in_turn(data, width, escapes)


def test_odd_rows_are_not_read_at_once() -> None:
    """Rows of several widths, with other commas, empty cells, damaged bytes, in parts of any size."""
    draw, read = random.Random(7), 0
    bare = ["NULL", "1", "-2.50", "true", "12"]
    for _ in range(1500):
        escapes, width, is_odd = draw.random() < 0.4, draw.randint(2, 4), draw.random() < 0.5
        comma = draw.choice([",", ", "])

        def cell(escapes: bool = escapes, is_odd: bool = is_odd) -> str:
            if draw.random() < 0.5:
                return draw.choice([*bare, "", "'x'", "''", " ", "x", "(1)"] if is_odd else bare)
            return written("".join(draw.choices(PIECES, k=draw.randint(0, 4))), escapes)

        rows = [
            comma.join(cell() for _ in range(width + is_odd * draw.choice([0, 0, 0, -1, 1])))
            for _ in range(draw.randint(1, 6))
        ]
        words = draw.choice([WORDS, b";\nINSERT INTO people (a, b) VALUES "])
        between = draw.choice([",\n\t", ",", ", ", words.decode()])
        text = "".join(f"({row}){draw.choice([between, between, words.decode()])}" for row in rows[:-1])
        data = bytearray(f"{text}({rows[-1]})".encode())
        if is_odd and draw.random() < 0.3:
            data[draw.randrange(len(data))] = draw.choice(b"',)( 1")
        with patch.object(regular_rows, "_PART", draw.choice([4, 30, 1 << 19])):
            found = regular_rows.values(bytes(data), words, width, escapes)
        if found is not None:
            read += 1
            assert found.rows() == read_in_turn(bytes(data), width, escapes, words)
    assert read > 400


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


@given(
    st.lists(st.sampled_from([WORDS.decode(), "(1, 'a;')", ";\n", "';\n", *PIECES]), max_size=20),
    st.booleans(),
    st.sampled_from([b'"people" ', b"`people` ", b"people "]),
)
def test_statements_that_are_alike_need_no_look_at_strings(pieces: list[str], escapes: bool, name: bytes) -> None:
    words = WORDS.replace(b"people ", name)
    data = "".join(["", *pieces]).encode().replace(WORDS, words)
    data = words + b"(1, 'a')" + data + words
    with patch.multiple(quotes, _WINDOW=60, _LARGEST=200):
        found = quotes.end_of_run(data, 0, words, escapes)
        with patch.object(quotes, "_last_alike", lambda data, start, end, words: start):
            expected = quotes.end_of_run(data, 0, words, escapes)
    # Windows begin elsewhere, and so other ones are uncertain.
    assert found == expected or None in (found, expected)


def test_runs_of_several_windows() -> None:
    row = b"(1, 'some; words')"
    data = b"".join(WORDS + row for _ in range(9_000)) + b";\nSELECT 1;\n"
    end = quotes.end_of_run(data, 0, WORDS, False)
    assert end == len(data) - len(b";\nSELECT 1;\n")
