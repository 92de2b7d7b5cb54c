"""A small block of delimited text is split before polars has begun, and gives the rows that polars gives."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from piiscan.io.content import Content, spool
from piiscan.io.delimited import delimited
from piiscan.io.delimited.sniff import Dialect
from piiscan.io.encodings.encoding import Encoding
from piiscan.io.read_options import ReadOptions

PIECES = (",", ";", "\n", "\r\n", "\r", '"', "'", "a", "1", "é", " ", "\t", "\0", "#", "\\", "x", "(", "\ufeff", "\x1f")
LINES = st.lists(
    st.lists(st.sampled_from(("a", "1.5", "", " ", "x", "é", '"q"', "\\")), min_size=1, max_size=4), max_size=6
)


def rows(data: bytes, dialect: Dialect, most: int) -> list[pl.DataFrame] | str:
    file = spool()
    file.write(data)
    file.flush()
    content = Content.temporary("t.csv", file)
    reader = delimited.Reader(content, Encoding("utf-8", True), dialect, ReadOptions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_FEW_BYTES", most)
        return list(reader.frames())


def check(data: bytes, delimiter: str, quote: str | None, width: int) -> None:
    dialect = Dialect(delimiter, quote, "\n", 0, 0, (None,) * width, width)
    split, parsed = (rows(data, dialect, most) for most in (1 << 13, 0))
    assert len(split) == len(parsed)
    for one, other in zip(split, parsed, strict=True):
        assert one.schema == other.schema
        assert one.equals(other, null_equal=True)


@given(
    st.lists(st.sampled_from(PIECES), max_size=40),
    st.sampled_from((",", ";", "\t", " ", "#")),
    st.sampled_from(('"', "'", None)),
    st.integers(1, 4),
)
def test_any_text(pieces: list[str], delimiter: str, quote: str | None, width: int) -> None:
    check("".join(pieces).encode(), delimiter, quote, width)


@given(LINES, st.sampled_from((",", "\t", "|")), st.sampled_from(('"', None)), st.integers(1, 4), st.booleans())
def test_tables(cells: list[list[str]], delimiter: str, quote: str | None, width: int, ended: bool) -> None:
    lines = [delimiter.join((row * 4)[:width]) for row in cells]
    check(("\n".join(lines) + "\n" * ended).encode(), delimiter, quote, width)
