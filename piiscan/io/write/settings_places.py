r"""How new values are written in settings: INI files, Java's properties and files of environment variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from piiscan.core.errors import WriteError
from piiscan.io.documents import settings_text
from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.write.placed import Edit, Notation, Placed

_QUOTES: Final = ("'", '"', "`")
_BARE: Final = re.compile(r"[\w@%+=:,./^-]")
"""A character that a shell takes as it is."""
_READ_IN_QUOTES: Final = frozenset('$`\\"')
"""What a shell reads as more than a character between double quotes."""
_ESCAPED: Final = re.compile(r"\\u[0-9a-fA-F]{4}")
_REFUSED: Final = "a new value that such settings can't hold; choose other values"


def notation(is_environment: bool, is_properties: bool, text: str) -> Notation:
    """The notation of settings. `text`: a file of properties in ASCII stays so."""
    return Notation(
        partial(_read, is_environment=is_environment),
        partial(_plain, is_environment=is_environment),
        partial(_written, is_environment=is_environment, is_ascii=is_properties and text.isascii()),
    )


def _read(text: str, is_environment: bool) -> tuple[Any, list[Span]]:
    return settings_text.parsed(text, is_environment, Placed.at)


def _plain(text: str, is_environment: bool) -> Any:
    return settings_text.parsed(text, is_environment)[0]


def _written(text: str, placed: Placed, is_environment: bool, is_ascii: bool) -> Iterator[Edit]:
    start = placed.start
    raw = text[start : placed.end].rstrip()
    end = start + len(raw)
    quote = _quote(raw, placed)
    new = placed.new or ""
    if not (is_environment and quote and "\n" in raw):
        new = placed.new = " ".join(new.splitlines())
    if placed.what == "value":
        escapes = is_ascii or _ESCAPED.search(raw) is not None
        made = (
            _escaped(body) if escapes and not is_environment else body
            for body in _bodies(new, quote, raw, is_environment)
        )
        value = next((value for value in made if _reads(value, is_environment) == new), None)
        if value is None:
            raise WriteError(_REFUSED)
        yield Edit(start, end, value)
    elif placed.what == "more" and not new:
        yield Edit(text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text), "")
    elif placed.what == "key" and not settings_text.KEY.fullmatch(new):
        raise WriteError(_REFUSED)
    else:
        yield Edit(start, end, new)


def _quote(raw: str, placed: Placed) -> str:
    """The quotes that a value is in; "" for none."""
    quote = raw[:1]
    return quote if quote in settings_text.QUOTES and len(raw) > 1 and raw[1:-1] == placed else ""


def _bodies(new: str, quote: str, raw: str, is_environment: bool) -> Iterator[str]:
    """The ways to write a value, the best one first: as the old one was, if that means the same to a shell."""
    special = {char for char in new if not _BARE.match(char)}
    if not is_environment:
        yield quote + new + quote
        if quote:
            return
    elif not quote and special <= {*raw}:
        yield new
    inside = special & _READ_IN_QUOTES
    for mark in sorted("\"'", key=lambda mark: mark != quote):
        if mark not in special and (mark == "'" or inside <= {*raw[1:-1], *"\n"} or not inside):
            yield mark + new + mark


def _escaped(value: str) -> str:
    """A value in ASCII, as Java's properties have it."""
    pairs = value.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(pairs[i : i + 2], "big") for i in range(0, len(pairs), 2))
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def _reads(value: str, is_environment: bool) -> str | None:
    """How a value is read."""
    try:
        found = settings_text.parsed(f"k={value}\nx=y\n", is_environment)[0]
    except Unparsed:
        return None
    return found.get("k") or "" if found.get("x") == "y" else None
