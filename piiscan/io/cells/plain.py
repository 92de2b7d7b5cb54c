"""Cells of any type as texts."""

from __future__ import annotations

import json
from typing import Any

LISTS = (list, tuple, set, frozenset)


def text_of(value: Any) -> str | None:
    """A cell of any type as text; bytes that aren't UTF-8 as Latin-1, in which ASCII identifiers still read."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            return bytes(value).decode("latin-1")
    if isinstance(value, dict | list | tuple | set | frozenset):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(value)


def texts_of(value: Any) -> list[str | None] | None:
    """A cell that may be a list, as the texts of its elements; lists within it are laid flat."""
    if value is None:
        return None
    if not isinstance(value, LISTS):
        return [text_of(value)]
    return [text for element in value for text in (texts_of(element) or [None])]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, set | frozenset) else text_of(value)
