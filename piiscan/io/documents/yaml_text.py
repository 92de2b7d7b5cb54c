"""YAML as plain values: nothing is built but texts, lists and objects, and an alias stays a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from piiscan.io.cells.plain import text_of
from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.nested.printed_values import merged

DEEPEST: Final = 64
Make = Callable[[str, Any, int], str]
"""Makes a value of a scalar's text, its event, and where the scalar itself begins."""
_NOTHING: Final = frozenset(("", "~", "null", "Null", "NULL"))
_NO_KEY: Final = object()
_MERGE: Final = "<<"
"""The key that takes in what an alias stands for."""
_PROPERTIES: Final = re.compile(r"(?:(?:!<[^>\s]*>|![^\s,\[\]{}]*|&[^\s,\[\]{}]+)(?:\s|(?<=\s)#[^\n]*)*)+")
"""The tag and the anchor of a scalar, and what divides them from it."""


class _Open:
    """An object or a list that isn't closed. `key`: that of the value that comes next."""

    __slots__ = ("items", "key", "pairs")

    def __init__(self, is_object: bool) -> None:
        self.pairs: list[tuple[str, Any]] | None = [] if is_object else None
        self.items: list[Any] = []
        self.key: Any = _NO_KEY

    def add(self, value: Any, is_alias: bool) -> None:
        if self.pairs is None:
            self.items.append(value)
        elif self.key is _NO_KEY:
            self.key = text_of(value) or ""
        else:
            if not (is_alias and self.key == _MERGE):
                self.pairs.append((self.key, value))
            self.key = _NO_KEY

    def value(self) -> Any:
        return self.items if self.pairs is None else merged(self.pairs)


def parsed(text: str, make: Make | None = None) -> tuple[Any, list[Span]]:
    """The document, or a list of several, and the spans of their scalars. Raises `Unparsed`."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents: list[Any] = []
    spent: list[Span] = []
    open_: list[_Open] = []

    def take(value: Any, is_alias: bool = False) -> None:
        if open_:
            open_[-1].add(value, is_alias)
        else:
            documents.append(value)

    try:
        for event in yaml.parse(text, Loader=loader):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                start = start_of(text, event)
                spent += _spent(text, event, start)
                if not event.style and event.value in _NOTHING:
                    take(None)
                else:
                    take(event.value if make is None else make(event.value, event, start))
            elif kind is yaml.AliasEvent:
                in_key = bool(open_) and open_[-1].pairs is not None and open_[-1].key is _NO_KEY
                take(f"*{event.anchor}" if in_key else None, is_alias=True)
            elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
                open_.append(_Open(kind is yaml.MappingStartEvent))
                if len(open_) > DEEPEST:
                    raise Unparsed(f"YAML nested more than {DEEPEST} deep")
            elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
                take(open_.pop().value())
    except (yaml.YAMLError, ValueError, RecursionError):
        raise Unparsed("not valid YAML") from None
    documents = [document for document in documents if document is not None]
    return documents[0] if len(documents) == 1 else documents, spent


def start_of(text: str, event: Any) -> int:
    """Return where a scalar begins, behind its tag and its anchor."""
    start: int = event.start_mark.index
    if event.anchor is None and event.tag is None:
        return start
    found = _PROPERTIES.match(text, start, event.end_mark.index)
    return start if found is None else found.end()


def _spent(text: str, event: Any, start: int) -> list[Span]:
    """The spans of a text that became the value of a scalar which begins at `start`.

    Of a block, all but the first line, which may end in a comment.
    """
    end = event.end_mark.index
    if end <= start:
        return []
    if event.style in ("|", ">"):
        if text[start] != event.style:
            return []
        return [(max(start, text.find("\n", start, end) + 1 or end), end)]
    if not event.style:
        return [(start, end)] if "\n" in text[start:end] or text[start:end] == event.value else []
    return [(start, end)] if text[start] == text[end - 1] == event.style else []
