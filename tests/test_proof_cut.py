"""How the proof cuts cells: texts in ASCII by their bytes, others by a regular expression, with one outcome."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from piiscan.masking.proof import cut_cells
from piiscan.masking.proof.number_shapes import shape_of
from piiscan.masking.proof.printer import Printer

PRINTER = Printer()
PIECES = st.sampled_from(
    [
        *"a B z9 Anna SMITH O'Brien 1944-12-11 13. x!Y . , -- - _ @ % %41 %zz %C3%A9 ß É Łódź".split(),
        *"² ٣٤ １２ é 日本 Привет ﬁ".split(),
        *("?\tq", ":", ";\r\n", "\x1c", "\x0b", "\x85", "\x00", "\u00a0", "\u2028", "4111-1111-11-11"),
        *("12345678901234567890", "007", "000000001962"),
    ]
)
CHARACTERS = st.characters(max_codepoint=0x5FF, exclude_categories=["Cn", "Cs"], exclude_characters="&\\")
"""Old enough for all tables of Unicode. References and escapes are read in `test_names_as_read.py`."""
TEXTS = st.lists(st.one_of(PIECES, st.just(" "), st.text(CHARACTERS, max_size=3)), max_size=12).map("".join)


class Token(NamedTuple):
    row: int
    folded: str
    digits: bool
    capital: bool
    follows: bool
    goes_on: bool


def expected(texts: list[str | None]) -> list[Token]:
    """One token at a time, by the standard library and `regex` alone."""
    out = []
    for row, text in enumerate(texts):
        text = text or ""
        if regex.search("%[0-9A-Fa-f]{2}", text):
            plain = unquote(text)
            text = unquote(text, "latin-1") if "\ufffd" in plain and "\ufffd" not in text else plain
        if (seen := regex.sub(r"\p{DI}", "", text)) != text:  # what nobody sees hides words: both are read
            text += "\n\n\n\n" + seen
        end = None
        for match in regex.finditer(r"[\p{L}\p{M}]+|\p{Nd}+", text):
            between = "" if end is None else text[end : match.start()]
            follows = end is not None and len(between) <= 3
            goes_on = follows and not regex.search(r"[.!?;:][\t\n\v\f\r \x85\p{Z}]", between)
            word, end = match[0], match.end()
            is_number, is_capital = regex.match(r"\p{Nd}", word), regex.match(r"[\p{Lu}\p{Lt}\p{Lo}]", word)
            out.append(Token(row, cut_cells.folded(word), bool(is_number), bool(is_capital), follows, goes_on))
    return out


def prints(texts: list[str]) -> list[int]:
    made: list[int] = PRINTER.texts(pl.Series(texts, dtype=pl.String)).tolist()
    return made


@given(st.lists(st.one_of(st.none(), TEXTS), max_size=8))
@example(["Anna. Bert", "", None, "Carl: 5", "d!\te", "%41nna%20Bert", "x" * 5000 + "1", "Łódź 12", "1" * 3000])
@example(["An\u00adna \u00ad12", "%FC"])
@example([])
def test_tokens_are_those_of_the_expression(texts: list[str | None]) -> None:
    found = cut_cells.cut(pl.Series(texts, dtype=pl.String), PRINTER)
    wanted = expected(texts)
    columns = (found.row, found.digits, found.capital, found.follows, found.goes_on)
    assert [column.tolist() for column in columns] == [
        [getattr(token, name) for token in wanted] for name in ("row", "digits", "capital", "follows", "goes_on")
    ]
    assert found.size.tolist() == [len(token.folded) for token in wanted]
    assert found.print.tolist() == prints([token.folded for token in wanted])


@given(st.lists(TEXTS, max_size=6))
@example(["4111 1111-1111.1111", "+43 (0)660 123 45 67", "IBAN DE60 6503 7109 9862 8616 63", "12٣4 x9"])
def test_numbers_are_their_pieces_put_together(texts: list[str]) -> None:
    found = cut_cells.cut(pl.Series(texts, dtype=pl.String), PRINTER)
    wanted: list[tuple[int, str, int]] = []
    tokens = expected(texts)
    for count in range(1, 8):
        for begin in range(len(tokens) - count + 1):
            run = tokens[begin : begin + count]
            if all(b.follows for _, b in pairwise(run)) and any(t.digits for t in run):
                digits = sum(len(t.folded) for t in run if t.digits)
                wanted.append((run[0].row, "".join(t.folded for t in run), digits))
    got = list(cut_cells.numbers(found, PRINTER))
    assert [row for n in got for row in n.row.tolist()] == [row for row, *_ in wanted]
    assert [made for n in got for made in n.print.tolist()] == prints([text for _, text, _ in wanted])
    assert [size for n in got for size in n.size.tolist()] == [len(text) for _, text, _ in wanted]
    assert [digits for n in got for digits in n.digits.tolist()] == [digits for *_, digits in wanted]
    last, is_last = [], []
    for n in got:
        at = np.flatnonzero((n.digits == n.size) & (n.size >= cut_cells.LAST_DIGITS))
        last += cut_cells.last_digits(found, n, at).tolist()
    is_last = [int(text[-cut_cells.LAST_DIGITS :]) for _, text, digits in wanted if digits == len(text) >= 8]
    assert last == is_last


@given(st.lists(TEXTS, max_size=6))
@example(["1944-12-11", "11.12.1944 10.0.0.1", "19441211 and 111244", "1/2/٣"])
def test_days_are_read_as_numbers(texts: list[str]) -> None:
    found = cut_cells.cut(pl.Series(texts, dtype=pl.String), PRINTER)
    tokens = expected(texts)
    short = [t.digits and len(t.folded) <= 4 for t in tokens]
    wanted = [
        (tokens[i].row, *(int(t.folded) for t in tokens[i : i + 3]))
        for i in range(len(tokens) - 2)
        if all(short[i : i + 3]) and tokens[i + 1].follows and tokens[i + 2].follows
    ]
    assert list(zip(*(each.tolist() for each in cut_cells.days(found)), strict=True)) == wanted
    compact = [(t.row, len(t.folded), int(t.folded)) for t in tokens if t.digits and len(t.folded) in (6, 8)]
    assert list(zip(*(each.tolist() for each in cut_cells.compact_days(found)), strict=True)) == compact


@given(st.lists(TEXTS, max_size=6))
def test_numbers_are_counted_by_their_folded_characters(texts: list[str]) -> None:
    number = cut_cells.joined(pl.Series(texts, dtype=pl.String))
    size, digits = shape_of(number)
    assert size.tolist() == [len(text) for text in number]
    assert digits.tolist() == [len(regex.findall(r"\p{Nd}", text)) for text in number]


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 2049, 4096, 70_000])
def test_prints_of_pieces_make_those_of_the_whole(size: int) -> None:
    """However long they are; and other texts have other prints."""
    texts = pl.Series(["ab" * (size // 2) + "c" * (size % 2), "x", "yz"])
    (whole,) = PRINTER.texts(pl.Series([texts.str.join("").item()])).tolist()
    data, sizes = texts.str.join("").item().encode(), texts.str.len_bytes().to_numpy().astype(np.int64)
    raw = PRINTER.raw(np.frombuffer(data, dtype=np.uint8), sizes)
    joined = PRINTER.joined(raw[:1], sizes[:1], PRINTER.joined(raw[1:2], sizes[1:2], raw[2:]))
    assert PRINTER.final(joined, sizes.sum(keepdims=True)).tolist() == [whole]
    others = [data.decode()[:-1], data.decode() + "\0", "\0" + data.decode(), data.decode()[::-1], "zy"]
    assert whole not in prints(others) and len(set(prints(others))) == len(others)
    assert Printer().texts(texts).tolist() != PRINTER.texts(texts).tolist()


@pytest.mark.parametrize("last", range(1, 8))
def test_prints_do_not_depend_on_how_many_texts_are_printed_together(last: int) -> None:
    """Texts whose last one begins before a multiple of 2¹⁸ bytes, and ends there, before or behind it."""
    texts = pl.Series(["x" * 60] * (2**18 // 60) + ["n" * last])
    assert texts.str.len_bytes().sum() == 2**18 - 4 + last
    assert PRINTER.texts(texts).tolist() == PRINTER.texts(texts[:1]).tolist() * (len(texts) - 1) + prints(["n" * last])
