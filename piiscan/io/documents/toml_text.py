"""TOML as plain values, and its comments."""

from __future__ import annotations

import re
from typing import Any, Final

from piiscan.io.documents.beside import Span, Unparsed

_PARTS: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|(?P<comment>\#[^\n]*+)"
    r"|[^\"'#]++",
    re.DOTALL,
)


def parsed(text: str) -> tuple[dict[str, Any], list[Span]]:
    """The document, and the spans of everything but comments. Raises `Unparsed`."""
    import tomllib

    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError):
        raise Unparsed("not valid TOML") from None
    return document, [found.span() for found in _PARTS.finditer(text) if found.lastgroup is None]
