"""How new values are written in files of logins on machines (netrc)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from piiscan.io.documents import netrc_text
from piiscan.io.documents.beside import Span
from piiscan.io.write.placed import Edit, Notation, Placed

_BARE: Final = re.compile(r'[^\s"][^\s]*')


def notation() -> Notation:
    """The notation of such files."""
    return Notation(_read, lambda text: netrc_text.parsed(text)[0], _written)


def _read(text: str) -> tuple[Any, list[Span]]:
    return netrc_text.parsed(text, lambda value, start, end: Placed.at(value, start, end, "value"))


def _written(text: str, placed: Placed) -> Iterator[Edit]:
    """Return a new value in quotes where it has to be, and where the old one was."""
    new = placed.new = " ".join((placed.new or "").splitlines())
    if _BARE.fullmatch(new) and text[placed.start] != '"':
        yield Edit(placed.start, placed.end, new)
    else:
        escaped = new.replace("\\", "\\\\").replace('"', '\\"')
        yield Edit(placed.start, placed.end, f'"{escaped}"')
