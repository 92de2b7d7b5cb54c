"""YAML as plain values: nothing is built but texts, lists and objects, and an alias stays a name."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from piiscan.io.cells.plain import text_of
from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.nested.json_files import merged

DEEPEST: Final = 64
_NOTHING: Final = frozenset(("", "~", "null", "Null", "NULL"))
_NO_KEY: Final = object()
_MERGE: Final = "<<"
"""The key that takes in what an alias stands for."""


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


class Parsed(NamedTuple):
    """The documents of a text, and the spans of their scalars."""

    documents: list[Any]
    spent: list[Span]


def parsed(text: str) -> Parsed:
    """Parse a YAML text. Raises `Unparsed`."""
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
                spent += _spent(text, event)
                take(None if not event.style and event.value in _NOTHING else event.value)
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
    return Parsed(documents, spent)


def _spent(text: str, event: Any) -> list[Span]:
    """The spans of a text that became a scalar's value.

    None where a tag or an anchor is with it; of a block, all but the first line, which may end in a comment.
    """
    start, end = event.start_mark.index, event.end_mark.index
    if event.anchor is not None or event.tag is not None or end <= start:
        return []
    if event.style in ("|", ">"):
        if text[start] != event.style:
            return []
        return [(max(start, text.find("\n", start, end) + 1 or end), end)]
    if not event.style:
        return [(start, end)] if "\n" in text[start:end] or text[start:end] == event.value else []
    return [(start, end)] if text[start] == text[end - 1] == event.style else []
