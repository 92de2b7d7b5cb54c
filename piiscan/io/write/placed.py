"""Values that know their places in the text of a document, and the text with new ones there."""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from piiscan.io.cells.plain import LISTS, text_of
from piiscan.io.content import Content
from piiscan.io.documents.beside import Span
from piiscan.io.encodings.encoding import Encoding, open_text


class Placed(str):
    """A key or a value, as text, and where it stands. `what`: how it is written there, in its format's terms.

    `new`: what takes its place where it `changes`; None for nothing.
    """

    __slots__ = ("_more", "changes", "end", "new", "start", "what")

    start: int
    end: int
    what: Any
    new: str | None
    changes: bool
    _more: tuple[Span, ...]

    @staticmethod
    def at(text: str, start: int, end: int, what: Any) -> Placed:
        """Return a text that stands in one place."""
        made = Placed(text)
        made.start, made.end, made._more = start, end, ()
        made.what, made.new, made.changes = what, None, False
        return made

    @property
    def spans(self) -> tuple[Span, ...]:
        """All places: a key may stand in several."""
        return (self.start, self.end), *self._more

    def stands_at(self, spans: tuple[Span, ...]) -> None:
        """Add places."""
        self._more = (*self._more, *spans)

    @property
    def after(self) -> str:
        """The text as it will be."""
        return (self.new or "") if self.changes else str(self)


class Edit(NamedTuple):
    """A part of a text, and what takes its place."""

    start: int
    end: int
    new: str


class Notation(NamedTuple):
    """How a kind of document is read and written.

    `read`: the document with places, and what of the text became keys and values; `plain`: the same without places;
    `written`: what takes the place of a value in the text.
    """

    read: Callable[[str], tuple[Any, list[Span]]]
    plain: Callable[[str], Any]
    written: Callable[[str, Placed], Iterator[Edit]]


class Lines:
    r"""The text of a document, its line ends all "\n". `has_mark`: a byte order mark stands before it."""

    def __init__(self, content: Content, encoding: Encoding) -> None:
        with open_text(content, encoding, "") as stream:
            raw = stream.read()
        self.has_mark = raw.startswith("\ufeff") or (encoding.is_utf8 and content.head(3) == codecs.BOM_UTF8)
        self._raw = raw.removeprefix("\ufeff")
        self._pairs: list[int] = []  # where line ends of two characters are in `text`
        at = self._raw.find("\r\n")
        while at >= 0:
            self._pairs.append(at - len(self._pairs))
            at = self._raw.find("\r\n", at + 2)
        self.text = self._raw.replace("\r\n", "\n").replace("\r", "\n")
        self._end = "\r\n" if 2 * len(self._pairs) > self.text.count("\n") else "\n"

    def spliced(self, edits: Sequence[Edit]) -> str:
        """Return the text with its own line ends after edits, which are in order."""
        parts, at = [], 0
        for edit in edits:
            start, end = self._at(edit.start), self._at(edit.end)
            parts += [self._raw[at:start], edit.new.replace("\n", self._end)]
            at = end
        return "".join([*parts, self._raw[at:]])

    def _at(self, at: int) -> int:
        return at + bisect_left(self._pairs, at)


def is_as_planned(before: Any, after: Any) -> bool:
    """Whether a document that was read again holds what is new in it, and what stays, in the same places.

    A list may have lost texts that were emptied.
    """
    if type(before) is dict:
        return (
            type(after) is dict
            and [key.after if isinstance(key, Placed) else key for key in before] == list(after)
            and all(map(is_as_planned, before.values(), after.values()))
        )
    if type(before) in LISTS:
        if type(after) not in LISTS:
            after = [] if after is None else [after]
        if len(before) > len(after):
            before = [value for value in before if not _is_emptied(value)]
        return len(before) == len(after) and all(map(is_as_planned, before, after))
    if type(after) is dict or type(after) in LISTS:
        return False
    return (before.after if isinstance(before, Placed) else text_of(before) or "") == (text_of(after) or "")


def _is_emptied(value: Any) -> bool:
    return isinstance(value, Placed) and value.changes and not value.after
