"""Cells cut into tokens, windows of tokens and numbers, by which they are looked up among originals.

It shares no code with what masks texts (`piiscan.masking.known`), so that one mistake doesn't hide in both: texts are
cut by a regular expression and folded by the standard library; those in ASCII by their bytes, with the same outcome.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import unquote

import numpy as np
import polars as pl
import regex
from numpy.typing import NDArray

from piiscan.masking.proof.printer import Bytes, Printer, Prints, Rows, bytes_of

_TOKEN: Final = r"[\p{L}\p{M}]+|\p{Nd}+"
_ADDRESS: Final = r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}"
_ENCODED: Final = "%[0-9A-Fa-f]{2}"
_WRITTEN: Final = r"&(?:#|[A-Za-z])|\\[uUxnrt]|\p{DI}|\x{FF20}"
"""What a text has that may be read otherwise than it is written, apart from what URLs encode."""
_UNSEEN: Final = regex.compile(r"\p{DI}+")
_REFERENCE: Final = regex.compile("&(?:#(?:[0-9]{1,99}|[xX][0-9A-Fa-f]{1,99})|[A-Za-z][A-Za-z0-9]{1,31});?")
_ESCAPE: Final = regex.compile(r"\\{1,8}(?:[ux]\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[nrt])")
_BYTE_RUN: Final = regex.compile(r"(?:\\{1,8}x[0-9A-Fa-f]{2})+")
_WIDE_AT: Final = "\uff20"
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width signs, letters and digits: words and numbers are folded anyway, but addresses are found by their signs."""
_PASSES: Final = 4
_APART: Final = "\n\n\n\n"
"""Between two readings of a cell, so that no value goes from one to the other."""
_ASCII: Final = 128
_NO_TOKEN, _LETTER, _DIGIT = range(3)
_WORDS: Final = 4
"""Words of a window."""
_PIECES: Final = 7
"""Pieces that a number is written in."""
_YEAR: Final = 4
"""Digits of a year."""
_DAY_FIRST: Final = (2, 2, _YEAR)
_LAST_DAY, _MONTHS = 31, 12
_CENTURIES: Final = (19, 20)
_COMPACT, _COMPACT_WITH_CENTURY = 6, 8
"""Digits of a day without marks."""
_GAP: Final = 3
_RUN: Final = regex.compile(r"[\p{L}\p{M}\p{Nd}]+")
_CODE_RUNS: Final = 3
_SPECIAL: Final = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
LAST_DIGITS: Final = 8
"""Of a telephone number, whatever stands before them."""
LONGEST_VALUE: Final = 18
"""Digits of a number that can be computed with."""
_BYTES: Final = [chr(i) for i in range(256)]
_KINDS: Final = np.array(
    [(_DIGIT if c.isdigit() else _LETTER if c.isalpha() else _NO_TOKEN) * c.isascii() for c in _BYTES], dtype=np.uint8
)
_SMALL: Final = np.array([ord(c.lower()) if c.isascii() else ord(c) for c in _BYTES], dtype=np.uint8)
_IS_END: Final = np.array([c in ".!?;:" for c in _BYTES])
_IS_SPACE: Final = np.array([c in "\t\n\v\f\r " for c in _BYTES])


def folded(token: str) -> str:
    """Small letters without accents."""
    if token.isascii():
        return token.lower()
    plain = unicodedata.normalize("NFKD", token.casefold().translate(_SPECIAL))
    return "".join(str(unicodedata.digit(c, c)) for c in plain if not unicodedata.combining(c)).translate(_SPECIAL)


def _folded(texts: pl.Series) -> pl.Series:
    """`folded` of each text (no nulls)."""
    out = texts.str.to_lowercase()
    at = (texts.str.len_bytes() != texts.str.len_chars()).arg_true()
    if not len(at):
        return out
    return out.scatter(at, pl.Series([folded(t) for t in texts.gather(at).to_list()], dtype=pl.String))


class Numbers(NamedTuple):
    """Runs of tokens with a digit among them, without separators.

    Of each: its row, its first token, how many tokens, characters and digits it has, and its print.
    """

    row: Rows
    begin: Rows
    tokens: int
    print: Prints
    size: Rows
    digits: Rows


class Cut(NamedTuple):
    """Tokens of cells, as arrays with one entry per token.

    Of each: its row, where its folded text ends in `data` and how many bytes it has, the print of that (`raw`: see
    `Printer`) and its number of characters, whether it is all digits, whether it begins with a capital letter (or one
    of a script that has none), whether it follows the previous token closely, in the same cell, and whether it does so
    within a sentence.
    """

    row: Rows
    data: Bytes
    stop: Rows
    bytes: Rows
    raw: Prints
    print: Prints
    size: Rows
    digits: NDArray[np.bool_]
    capital: NDArray[np.bool_]
    follows: NDArray[np.bool_]
    goes_on: NDArray[np.bool_]


class _Tokens(NamedTuple):
    """Tokens as they were cut: see `Cut`.

    `gap`: characters from the last one of the cell; `ends`: a sentence ends there.
    """

    row: Rows
    data: Bytes
    bytes: Rows
    size: Rows
    gap: Rows
    digits: NDArray[np.bool_]
    capital: NDArray[np.bool_]
    ends: NDArray[np.bool_]


class Windows(NamedTuple):
    """Runs of words: the row and print of each, and whether all its words are in small letters."""

    row: Rows
    print: Prints
    small: NDArray[np.bool_]


class Pairs(NamedTuple):
    """Pairs of words: in which `row`, prints of each word and of both, and which of them begin with a capital."""

    row: Rows
    words: tuple[Prints, Prints]
    both: Prints
    capitals: tuple[NDArray[np.bool_], NDArray[np.bool_]]


def cut(cells: pl.Series, printer: Printer) -> Cut:
    """The tokens of some cells (String)."""
    texts = cells.cast(pl.String).fill_null("")
    data, size = bytes_of(texts)
    other = _are_not_plain(texts, data)
    if other is None:
        found = _plain_tokens(data, size)
    else:
        plain = np.flatnonzero(~other)
        parts = (_plain_tokens(*bytes_of(texts.gather(plain))), plain), (_any_tokens(texts, other), None)
        found = _merged([t if at is None else t._replace(row=at[t.row]) for t, at in parts])
    raw, stop = printer.raw(found.data, found.bytes), np.cumsum(found.bytes)
    at: Rows | slice = slice(None) if other is None else np.argsort(found.row, kind="stable")
    row, length, raw, stop = found.row[at], found.bytes[at], raw[at], stop[at]
    digits = found.digits[at]
    follows = np.zeros(len(row), dtype=np.bool_)
    follows[1:] = (row[1:] == row[:-1]) & (found.gap[at][1:] <= _GAP)
    goes_on = follows & ~found.ends[at]
    made = printer.final(raw, length)
    return Cut(row, found.data, stop, length, raw, made, found.size[at], digits, found.capital[at], follows, goes_on)


def _are_not_plain(texts: pl.Series, data: Bytes) -> NDArray[np.bool_] | None:
    """Which texts have other characters than ASCII, or such as URLs encode; None where none has."""
    other: NDArray[np.bool_] | None = None
    if len(data) and data.max() >= _ASCII:
        other = (texts.str.len_bytes() != texts.str.len_chars()).to_numpy()
    for sign, written in (("%", _ENCODED), ("&", _WRITTEN), ("\\", _WRITTEN)):
        if (data == ord(sign)).any():
            encoded = texts.str.contains(written).to_numpy()
            other = encoded if other is None else other | encoded
    return other if other is not None and other.any() else None


def _plain_tokens(data: Bytes, size: Rows) -> _Tokens:
    """The tokens of ASCII texts, one behind the other in `data`, of so many bytes each."""
    kind = _KINDS.take(data)
    ends_of_texts = np.cumsum(size)
    first = np.ones(len(data), dtype=np.bool_)
    first[1:] = kind[1:] != kind[:-1]
    first[ends_of_texts[ends_of_texts < len(data)]] = True
    start = np.flatnonzero(first)
    stop = np.append(start[1:], len(data))
    token = kind[start] != _NO_TOKEN
    start, stop = start.compress(token), stop.compress(token)
    gap = np.zeros(len(start), dtype=np.int64)
    gap[1:] = start[1:] - stop[:-1]
    ends = np.zeros(len(start), dtype=np.bool_)
    marks = np.flatnonzero(_IS_END.take(data[:-1]))
    marks = marks[_IS_SPACE[data[marks + 1]] & ~first[marks + 1]]
    ends[(at := np.searchsorted(start, marks))[at < len(start)]] = True
    row = np.repeat(np.arange(len(size)), np.diff(np.searchsorted(start, ends_of_texts), prepend=0))
    length = stop - start
    capital = (data[start] >= ord("A")) & (data[start] <= ord("Z"))
    return _Tokens(
        row, _SMALL.take(data.compress(kind != _NO_TOKEN)), length, length, gap, kind[start] == _DIGIT, capital, ends
    )


def _merged(parts: Sequence[_Tokens]) -> _Tokens:
    return _Tokens(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _any_tokens(texts: pl.Series, which: NDArray[np.bool_]) -> _Tokens:
    """The tokens of some of the texts, by a regular expression."""
    parts = pl.DataFrame({"t": texts}).with_row_index("row").filter(pl.Series(which))
    parts = parts.with_columns(_readable(parts["t"]).alias("t"))
    # What stands between two tokens, kept short: a separator, then a token.
    piece = r"[^\p{L}\p{M}\p{Nd}]*(?:" + _TOKEN + ")"
    pieces = parts.select("row", pl.col("t").str.extract_all(piece).alias("p")).explode("p").drop_nulls("p")
    told = _of_pieces(pieces["p"].unique())
    each = pieces.join(told, on="p", how="left", maintain_order="left")
    data, length = bytes_of(each["text"])
    size, gap, digits, capital, ends = (each[name].to_numpy() for name in ("size", "gap", "digits", "capital", "ends"))
    return _Tokens(each["row"].to_numpy().astype(np.int64), data, length, size, gap, digits, capital, ends)


def _of_pieces(pieces: pl.Series) -> pl.DataFrame:
    """The properties of each different piece (`p`), computed once: most occur many times."""
    token = pieces.str.extract(f"({_TOKEN})$").fill_null("")
    text = _folded(token)
    return pl.DataFrame(
        {
            "p": pieces,
            "text": text,
            "size": text.str.len_chars().cast(pl.Int64),
            "gap": pieces.str.len_chars().cast(pl.Int64) - token.str.len_chars().cast(pl.Int64),
            "digits": token.str.contains(r"^\p{Nd}"),
            "capital": token.str.contains(r"^[\p{Lu}\p{Lt}\p{Lo}]"),
            "ends": pieces.str.contains(r"[.!?;:]\s"),
        }
    )


def as_read(values: pl.Series) -> pl.Series:
    """Texts (String) as a reader sees them."""
    at = values.str.contains(_WRITTEN).arg_true()
    return values.clone().scatter(at, [_as_read(t) for t in values.gather(at).to_list()]) if len(at) else values


def _readable(cells: pl.Series) -> pl.Series:
    """Cells, with what URLs encode.

    Where a reader sees something else, that stands behind: each of the two may hide what the other one shows.
    """
    text = cells.cast(pl.String).fill_null("")
    for written, read in ((_ENCODED, _decoded), (_WRITTEN, _both)):
        if len(at := text.str.contains(written).arg_true()):
            text = text.scatter(at, pl.Series([read(t) for t in text.gather(at).to_list()], dtype=pl.String))
    return text


def _decoded(text: str) -> str:
    """With what a URL encodes in UTF-8, or else in Latin-1."""
    plain = unquote(text)
    return unquote(text, "latin-1") if "\ufffd" in plain and "\ufffd" not in text else plain


def _both(text: str) -> str:
    seen = _as_read(text)
    return text if seen == text else f"{text}{_APART}{seen}"


def _as_read(text: str) -> str:
    for _ in range(_PASSES):  # a reference may be written by an escape
        before, text = text, _BYTE_RUN.sub(_of_bytes, _ESCAPE.sub(_of_code, _REFERENCE.sub(_of_reference, text)))
        if text == before:
            break
    return _UNSEEN.sub("", text.translate(_WIDE) if _WIDE_AT in text else text)


def _of_reference(found: regex.Match[str]) -> str:
    return unescape(found[0])


def _of_code(found: regex.Match[str]) -> str:
    if not (number := found[1] or found[2] or found[3]):
        return " "
    code = int(number, 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else found[0]


def _of_bytes(found: regex.Match[str]) -> str:
    raw = bytes.fromhex(found[0].replace("\\", "").replace("x", ""))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def words(found: Cut) -> tuple[Rows, Prints]:
    """Single words that begin with a capital letter: rows and prints."""
    at = np.flatnonzero(found.capital & ~found.digits)
    return found.row[at], found.print[at]


def windows(found: Cut) -> list[Windows]:
    """Runs of two to four words, by how many they have."""
    out = []
    for size in range(2, _WORDS + 1):
        begin = _runs(found.goes_on, size)
        begin = begin[~_any(found.digits, begin, size)]
        prints = in_order([found.print[begin + i] for i in range(size)])
        out.append(Windows(found.row[begin], prints, ~_any(found.capital, begin, size)))
    return out


def pairs(found: Cut) -> Pairs:
    """Words that follow each other in a sentence, at least one of which begins with a capital."""
    begin = _runs(found.goes_on, 2)
    begin = begin[found.capital[begin] | found.capital[begin + 1]]
    one, two = found.print[begin], found.print[begin + 1]
    return Pairs(found.row[begin], (one, two), in_order([one, two]), (found.capital[begin], found.capital[begin + 1]))


def numbers(found: Cut, printer: Printer) -> Iterator[Numbers]:
    """By how many tokens they have."""
    sizes, digits, length = (
        np.concatenate([[0], np.cumsum(each)]) for each in (found.size, found.size * found.digits, found.bytes)
    )
    every = len(found.row)
    near = np.append(digits, np.full(_PIECES, digits[-1]))
    begin = np.flatnonzero(near[_PIECES : _PIECES + every] > digits[:-1])
    follows = np.append(found.follows, False)
    raw = found.raw[begin]
    for tokens in range(1, _PIECES + 1):
        if tokens > 1:
            on = np.flatnonzero(follows[begin + tokens - 1])
            begin, raw = begin[on], raw[on]
            last = begin + tokens - 1
            raw = printer.joined(raw, length[last] - length[begin], found.raw[last])
        stop = begin + tokens
        count = digits[stop] - digits[begin]
        has = np.flatnonzero(count)
        if not len(has):
            continue
        first, end = begin[has], stop[has]
        made = printer.final(raw[has], length[end] - length[first])
        yield Numbers(found.row[first], first, tokens, made, sizes[end] - sizes[first], count[has])


def value(found: Cut, tokens: Rows, digits: int = LONGEST_VALUE) -> Rows:
    """The number that the last `digits` of some tokens are, all of which are digits alone."""
    out = np.zeros(len(tokens), dtype=np.int64)
    stop, size = found.stop[tokens], found.bytes[tokens]
    for i in range(min(digits, int(size.max(initial=0)))):
        digit = found.data[np.maximum(stop - 1 - i, 0)].astype(np.int64) - ord("0")
        out += np.where(size > i, digit, 0) * 10**i
    return out


def last_digits(found: Cut, numbers: Numbers, at: Rows) -> Rows:
    """The number that the last eight digits of some numbers are, all of which have digits alone."""
    out = np.zeros(len(at), dtype=np.int64)
    for i in range(numbers.tokens):
        tokens = numbers.begin[at] + i
        out = out * 10 ** np.minimum(found.size[tokens], LAST_DIGITS) + value(found, tokens, LAST_DIGITS)
        out %= 10**LAST_DIGITS
    return out


def are_days(found: Cut, numbers: Numbers, at: Rows) -> NDArray[np.bool_]:
    """Whether some numbers of eight digits are a day and its year, with marks between (17.11.2024, 2024-11-17)."""
    out = np.zeros(len(at), dtype=np.bool_)
    if numbers.tokens != len(_DAY_FIRST):
        return out
    tokens = [numbers.begin[at] + i for i in range(numbers.tokens)]
    for sizes in (_DAY_FIRST, _DAY_FIRST[::-1]):
        which = np.flatnonzero(np.all([found.size[t] == size for t, size in zip(tokens, sizes, strict=True)], axis=0))
        parts = [value(found, t[which], _YEAR) for t in tokens]
        one, month, year = parts if sizes == _DAY_FIRST else parts[::-1]
        likely = (one >= 1) & (month >= 1) & (np.maximum(one, month) <= _LAST_DAY) & (np.minimum(one, month) <= _MONTHS)
        out[which] = likely & (year // 100 >= _CENTURIES[0]) & (year // 100 <= _CENTURIES[1])
    return out


def days(found: Cut) -> tuple[Rows, Rows, Rows, Rows]:
    """Three numbers with a mark between, as days are written: rows, and the numbers."""
    digits = found.digits & (found.size <= _YEAR)
    begin = _runs(found.follows, 3)
    begin = begin[digits[begin] & digits[begin + 1] & digits[begin + 2]]
    return found.row[begin], *(value(found, begin + i, _YEAR) for i in range(3))  # type: ignore[return-value]


def compact_days(found: Cut) -> tuple[Rows, Rows, Rows]:
    """Numbers of as many digits as days have that are written without marks: rows, how many digits, and the numbers."""
    at = np.flatnonzero(found.digits & ((found.size == _COMPACT) | (found.size == _COMPACT_WITH_CENTURY)))
    return found.row[at], found.size[at], value(found, at, _COMPACT_WITH_CENTURY)


def addresses(cells: pl.Series) -> tuple[Rows, pl.Series]:
    """E-mail addresses in small letters."""
    parts = pl.DataFrame({"t": _readable(cells)}).with_row_index("row")
    parts = parts.filter(pl.col("t").str.contains("@", literal=True))
    found = parts.select("row", pl.col("t").str.extract_all(_ADDRESS).alias("a")).explode("a").drop_nulls("a")
    return found["row"].to_numpy().astype(np.int64), found["a"].str.to_lowercase().str.strip_chars(".")


def codes(cells: pl.Series) -> pl.DataFrame:
    """Runs of letters and digits with a digit among them, and two or three of them with one character between.

    Of each: its `row`, its place in the cell (`first`, `stop`), and its `text`, folded and without separators.
    """
    out = []
    for row, text in enumerate(_readable(cells).to_list()):
        runs = list(_RUN.finditer(text))
        for i, run in enumerate(runs):
            stop, joined_text = run.start() - 1, ""
            for next_run in runs[i : i + _CODE_RUNS]:
                if next_run.start() - stop > 1:
                    break
                stop = next_run.end()
                joined_text += folded(next_run.group())
                if any(map(str.isdigit, joined_text)):
                    out.append((row, run.start(), stop, joined_text))
    schema = {"row": pl.Int64, "first": pl.Int64, "stop": pl.Int64, "text": pl.String}
    return pl.DataFrame(out, schema=schema, orient="row")


def blanked(cells: pl.Series, places: pl.DataFrame) -> pl.Series:
    """Cells with places (`row`, `first`, `stop`) taken out."""
    texts = [list(text) for text in _readable(cells).to_list()]
    for row, first, stop in places.select("row", "first", "stop").iter_rows():
        texts[row][first:stop] = "\n" * (stop - first)
    return pl.Series(["".join(text) for text in texts], dtype=pl.String)


def of_words(texts: pl.Series, printer: Printer, least: int = 1) -> tuple[Rows, Prints]:
    """The print of each text as one run of words: which texts have one (no more than four words, no digits)."""
    found = cut(texts, printer)
    count = np.bincount(found.row, minlength=len(texts))
    first = np.cumsum(count) - count
    digits = np.bincount(found.row, weights=found.digits, minlength=len(texts))
    rows, prints = [], []
    for size in range(least, _WORDS + 1):
        which = np.flatnonzero((count == size) & (digits == 0))
        rows.append(which)
        made = [found.print[first[which] + i] for i in range(size)]
        prints.append(made[0] if size == 1 else in_order(made))
    return np.concatenate(rows), np.concatenate(prints)


def joined(texts: pl.Series) -> pl.Series:
    """Letters and digits of each text, folded."""
    return _folded(_readable(texts).str.replace_all(r"[^\p{L}\p{M}\p{Nd}]+", ""))


def _runs(follows: NDArray[np.bool_], size: int) -> Rows:
    """Where runs of so many tokens that follow each other begin."""
    n = max(0, len(follows) - size + 1)
    ok = np.ones(n, dtype=np.bool_)
    for i in range(1, size):
        ok &= follows[i : i + n]
    return np.flatnonzero(ok)


def _any(flags: NDArray[np.bool_], begin: Rows, size: int) -> NDArray[np.bool_]:
    out = np.zeros(len(begin), dtype=np.bool_)
    for i in range(size):
        out |= flags[begin + i]
    return out


def in_order(parts: list[Prints]) -> Prints:
    """One print for several in their order."""
    out = parts[0]
    for part in parts[1:]:
        out = (out ^ (out >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + part
    return out
