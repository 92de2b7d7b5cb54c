"""Cells cut into tokens, windows of tokens and numbers, by which they are looked up among originals.

It shares no code with what masks texts (`piiscan.masking.known`), so that one mistake doesn't hide in both: texts are
cut by a regular expression, folded by the standard library (by polars where they are ASCII), and put together as texts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

import numpy as np
import polars as pl
import regex
from numpy.typing import NDArray

Prints = NDArray[np.uint64]
Rows = NDArray[np.int64]
_TOKEN: Final = r"[\p{L}\p{M}]+|\p{Nd}+"
_ADDRESS: Final = r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}"
_WORDS: Final = 4
"""Words of a window."""
_PIECES: Final = 7
"""Pieces that a number is written in."""
_YEAR: Final = 4
"""Digits of a year."""
_COMPACT, _COMPACT_WITH_CENTURY = 6, 8
"""Digits of a day without marks."""
_GAP: Final = 3
_RUN: Final = regex.compile(r"[\p{L}\p{M}\p{Nd}]+")
_CODE_RUNS: Final = 3
_SPECIAL: Final = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
LAST_DIGITS: Final = 8
"""Of a telephone number, whatever stands before them."""


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

    Of each: its row, its text and print, and how many characters and digits it has.
    """

    row: Rows
    text: pl.Series
    print: Prints
    size: Rows
    digits: Rows


class Cut(NamedTuple):
    """Tokens of cells, as arrays with one entry per token.

    Of each: its row, its folded text, the print of that and its number of characters, whether it is all digits, whether
    it begins with a capital letter (or one of a script that has none), whether it follows the previous token closely,
    in the same cell, and whether it does so within a sentence.
    """

    row: Rows
    text: pl.Series
    print: Prints
    size: Rows
    digits: NDArray[np.bool_]
    capital: NDArray[np.bool_]
    follows: NDArray[np.bool_]
    goes_on: NDArray[np.bool_]

    def take(self, at: NDArray[np.bool_] | Rows) -> Cut:
        """Some of the tokens; none follows another any more."""
        row = self.row[at]
        text = pl.Series(self.text.to_numpy()[at], dtype=pl.String)
        no = row < 0
        return Cut(row, text, self.print[at], self.size[at], self.digits[at], self.capital[at], no, no)


class Windows(NamedTuple):
    """Runs of words: the row and print of each, and whether all its words are in small letters."""

    row: Rows
    print: Prints
    small: NDArray[np.bool_]


def cut(cells: pl.Series, seed: int) -> Cut:
    """The tokens of some cells (String)."""
    parts = pl.DataFrame({"t": _readable(cells)}).with_row_index("row")
    # What stands between two tokens, kept short: a separator, then a token.
    piece = r"[^\p{L}\p{M}\p{Nd}]*(?:" + _TOKEN + ")"
    pieces = parts.select("row", pl.col("t").str.extract_all(piece).alias("p")).explode("p").drop_nulls("p")
    told = _of_pieces(pieces["p"].unique(), seed)
    each = pieces.join(told, on="p", how="left", maintain_order="left")
    row, gap = each["row"].to_numpy().astype(np.int64), each["gap"].to_numpy()
    follows = np.zeros(len(row), dtype=np.bool_)
    follows[1:] = (row[1:] == row[:-1]) & (gap[1:] <= _GAP)
    goes_on = follows & ~each["ends"].to_numpy()
    made, size, digits, capital = (each[name].to_numpy() for name in ("print", "size", "digits", "capital"))
    return Cut(row, each["text"], made, size, digits, capital, follows, goes_on)


def _of_pieces(pieces: pl.Series, seed: int) -> pl.DataFrame:
    """The properties of each different piece (`p`), computed once: most occur many times."""
    token = pieces.str.extract(f"({_TOKEN})$").fill_null("")
    text = _folded(token)
    return pl.DataFrame(
        {
            "p": pieces,
            "text": text,
            "print": text.hash(seed),
            "size": text.str.len_chars().cast(pl.Int64),
            "gap": pieces.str.len_chars() - token.str.len_chars(),
            "digits": token.str.contains(r"^\p{Nd}"),
            "capital": token.str.contains(r"^[\p{Lu}\p{Lt}\p{Lo}]"),
            "ends": pieces.str.contains(r"[.!?;:]\s"),
        }
    )


def _readable(cells: pl.Series) -> pl.Series:
    """Cells, with what URLs encode."""
    text = cells.cast(pl.String).fill_null("")
    at = text.str.contains("%[0-9A-Fa-f]{2}").arg_true()
    return (
        text.scatter(at, pl.Series([unquote(t) for t in text.gather(at).to_list()], dtype=pl.String))
        if len(at)
        else text
    )


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
        prints = _sequence([found.print[begin + i] for i in range(size)])
        out.append(Windows(found.row[begin], prints, ~_any(found.capital, begin, size)))
    return out


def pairs(found: Cut) -> tuple[Rows, Prints, Prints, Prints]:
    """Words that follow each other in a sentence and begin with capitals.

    Rows, and prints of the first, the second, and both.
    """
    begin = _runs(found.goes_on, 2)
    begin = begin[found.capital[begin] & found.capital[begin + 1]]
    one, two = found.print[begin], found.print[begin + 1]
    return found.row[begin], one, two, _sequence([one, two])


def numbers(found: Cut, seed: int) -> Iterator[Numbers]:
    """By how many tokens they have."""
    sizes = np.concatenate([[0], np.cumsum(found.size)])
    digits = np.concatenate([[0], np.cumsum(found.size * found.digits)])
    for size in range(1, _PIECES + 1):
        begin = _runs(found.follows, size)
        begin = begin[_any(found.digits, begin, size)]
        if not len(begin):
            continue
        if size == 1:
            text, made = found.text.gather(begin), found.print[begin]
        else:
            pieces = [found.text.gather(begin + i).alias(str(i)) for i in range(size)]
            text = pl.DataFrame(pieces).select(pl.concat_str(pl.all()).alias("n"))["n"]
            made = _hashes(text, seed)
        stop = begin + size
        yield Numbers(found.row[begin], text, made, sizes[stop] - sizes[begin], digits[stop] - digits[begin])


def days(found: Cut) -> tuple[Rows, pl.DataFrame]:
    """Three numbers with a mark between, as days are written: rows, and the numbers `a`, `b` and `c` (Int64)."""
    digits = found.digits & (found.size <= _YEAR)
    begin = _runs(found.follows, 3)
    begin = begin[digits[begin] & digits[begin + 1] & digits[begin + 2]]
    each = {name: found.text.gather(begin + i).str.to_integer(strict=False) for i, name in enumerate("abc")}
    return found.row[begin], pl.DataFrame(each)


def compact_days(found: Cut) -> tuple[Rows, pl.Series]:
    """Numbers of as many digits as days have that are written without marks."""
    at = np.flatnonzero(found.digits & ((found.size == _COMPACT) | (found.size == _COMPACT_WITH_CENTURY)))
    return found.row[at], found.text.gather(at)


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


def of_words(texts: pl.Series, seed: int, least: int = 1) -> tuple[Rows, Prints]:
    """The print of each text as one run of words: which texts have one (no more than four words, no digits)."""
    found = cut(texts, seed)
    count = np.bincount(found.row, minlength=len(texts))
    first = np.cumsum(count) - count
    digits = np.bincount(found.row, weights=found.digits, minlength=len(texts))
    rows, prints = [], []
    for size in range(least, _WORDS + 1):
        which = np.flatnonzero((count == size) & (digits == 0))
        rows.append(which)
        made = [found.print[first[which] + i] for i in range(size)]
        prints.append(made[0] if size == 1 else _sequence(made))
    return np.concatenate(rows), np.concatenate(prints)


def joined(texts: pl.Series) -> pl.Series:
    """Letters and digits of each text, folded."""
    return _folded(_readable(texts).str.replace_all(r"[^\p{L}\p{M}\p{Nd}]+", ""))


def prints(texts: pl.Series, seed: int) -> Prints:
    return _hashes(texts, seed)


def _hashes(texts: pl.Series, seed: int) -> Prints:
    return texts.hash(seed).to_numpy() if len(texts) else np.zeros(0, dtype=np.uint64)


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


def _sequence(parts: list[Prints]) -> Prints:
    """One print for several in their order."""
    out = parts[0]
    for part in parts[1:]:
        out = (out ^ (out >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + part
    return out
