"""Texts in Base64 within lines, where they count as not read, and in cells, where they and hexadecimal are decoded."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from piiscan.core.base64_texts import from_base64
from piiscan.io.cells import armour

if TYPE_CHECKING:
    import polars as pl

_WORD: Final = r"=\?[A-Za-z0-9_-]{3,20}\?[bBqQ]\?[!->@-~]+\?="
"""An encoded word of a header (RFC 2047)."""
_BLOCK: Final = r"(?:^|[:\s;,])([A-Za-z0-9+/]{16,}={0,2})(?:\s*$|[\x1c-\x1f])"
"""Before the end of a line, or one of the separators of ASCII, which end lines in odd files."""
_MARKED: Final = r"(?i)\bbase64[:,] ?([A-Za-z0-9+/]{16,}={0,2})"
_FEWEST: Final = 12
_LONG: Final = 30
_CONTROLS: Final = bytes({*range(32), 127} - {9, 10, 13})


def count(lines: pl.Series) -> int:
    """How many of some lines hold a text in Base64, at their end, or an encoded word of a header."""
    words = lines.str.contains(_WORD)
    blocks = lines.str.extract(_BLOCK).fill_null(lines.str.extract(_MARKED))
    some = (blocks.is_not_null() & ~words & ~armour.within(lines)).fill_null(False)
    return int(words.sum() or 0) + sum(_text_of(block) is not None for block in blocks.filter(some).to_list())


def decoded(cell: str) -> str | None:
    """The text that a cell holds in Base64, at its end, or that all of it is in hexadecimal; None where it is none."""
    if _hexadecimal().fullmatch(cell):
        return _as_text(bytes.fromhex(cell.strip().removeprefix("0x").removeprefix("\\x")))
    found = _cell_end().search(cell)
    return None if found is None else _text_of(found[1])


def within(cell: str) -> str | None:
    """The texts that words of a cell hold in Base64 or hexadecimal, a line each; None where none does.

    Tokens of three parts and what `Authorization` has are secrets, whatever they hold.
    """
    found = [text for word in _words().findall(cell) if (text := decoded(word)) is not None]
    return "\n".join(found) or None


@cache
def _words() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9+/_.-])(?<![Bb]asic )(?<!earer )"
        r"(?:0x|\\x)?[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/_=-]|\.[A-Za-z0-9])"
    )


@cache
def _hexadecimal() -> re.Pattern[str]:
    """Of whole bytes, with a letter: digits alone are a number."""
    return re.compile(r"\s*(?:0x|\\x)?(?=[0-9]*[A-Fa-f])(?:[0-9A-Fa-f]{2}){12,}\s*")


@cache
def _cell_end() -> re.Pattern[str]:
    return re.compile(r"(?:^|[:\s;,])([A-Za-z0-9+/_-]{16,}={0,2})\s*$")


def _text_of(packed: str) -> str | None:
    """What is packed, if it is a text: random letters hardly ever are."""
    data = from_base64(packed)
    return None if data is None else _as_text(data)


def _as_text(data: bytes) -> str | None:
    if len(data) < _FEWEST - 1 or len(data.translate(None, _CONTROLS)) != len(data):
        return None
    cut = range(4) if len(data) >= _LONG else range(1)  # a long line may begin and end within a character
    for start in cut:
        for end in cut:
            try:
                text = data[start : len(data) - end].decode()
            except UnicodeDecodeError:
                continue
            return text if sum(map(str.isalnum, text)) * 2 > len(text) else None
    return None


def reason(lines: int) -> str:
    """Why such lines count as not read."""
    what = "1 line holds" if lines == 1 else f"{lines:,} lines hold"
    return f"{what} text in Base64 or an encoded word of mail, which wasn't read; decode it"
