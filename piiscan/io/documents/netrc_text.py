r"""Files of logins on machines (netrc), as ftp, curl and git read them: words in pairs, on any number of lines.

Source: "The .netrc file" in the manual of GNU inetutils; values in quotes as curl reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.io.documents.beside import Span, Unparsed

Make = Callable[[str, int, int], str]
"""Makes a value of its text, and where it stands, quotes included."""
_BEGINNING: Final = lazy_pattern(
    r"\s{0,20}(?:#[^\n]{0,400}\n\s{0,20}){0,20}(?:machine\s+\S+|default)\s+(?:login|user|password|passwd|account)\s+\S"
)
_KEYS: Final = frozenset(("machine", "login", "user", "password", "passwd", "account"))
_WORD: Final = re.compile(r"\s*(?:(?P<comment>#[^\n]*)|(?P<key>\S+))")
_VALUE: Final = re.compile(r'\s*(?P<value>"(?P<quoted>(?:[^"\\\n]|\\.)*)"(?!\S)|(?P<bare>\S+))')
_ESCAPE: Final = re.compile(r"\\(.)")
_MACRO: Final = re.compile(r".*?(?:\n[ \t\r]*(?=\n)|\Z)", re.DOTALL)
"""The rest of a macro, which ends with an empty line."""


def begins(text: str) -> bool:
    """Whether a text begins as such a file does."""
    return _BEGINNING.match(text) is not None


def parsed(text: str, make: Make | None = None) -> tuple[list[dict[str, Any]], list[Span]]:
    """A record for each machine, and what of the text became keys and values. Raises `Unparsed`."""
    machines: list[dict[str, Any]] = []
    spent: list[Span] = []
    at = 0
    while (word := _WORD.match(text, at)) is not None:
        at = word.end()
        key = word["key"]
        if key == "macdef" and (macro := _MACRO.match(text, at)) is not None:
            at = macro.end()
        elif key is not None:
            if key in ("machine", "default"):
                machines.append({})
            if key != "default":
                at = _pair(text, key, at, machines, make)
            spent.append((word.start("key"), at))
    return machines, spent


def _pair(text: str, key: str, at: int, machines: list[dict[str, Any]], make: Make | None) -> int:
    """Put the value behind a key into the last record; where the value ends."""
    found = _VALUE.match(text, at)
    if found is None or key not in _KEYS or not machines or key in machines[-1]:
        raise Unparsed("not the words of a netrc file")
    value = found["bare"] if found["quoted"] is None else _ESCAPE.sub(r"\1", found["quoted"])
    machines[-1][key] = make(value, *found.span("value")) if make else value
    return found.end()
