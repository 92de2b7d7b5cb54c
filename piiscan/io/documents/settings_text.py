"""INI files, Java's properties and files of environment variables: a key and a value a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Literal

from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.nested.printed_values import merged

_COMMENT: Final = ("#", ";", "!")
QUOTES: Final = ("'", '"', "`")
KEY: Final = re.compile(r"[^\s=:\[\]{}()<>\"';,]+(?:[ \t]{1,8}[^\s=:\[\]{}()<>\"';,]+){0,5}")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
What = Literal["key", "section", "value", "more"]
"""What a text is; "more" goes on with the value before it."""
Make = Callable[[str, int, int, What], str]
"""Makes a key or a value of its text, and where it stands."""
_NEARLY_ALL: Final = 0.8
"""Of the lines that are no comments so many are settings in such a file."""


class _Settings:
    """Lines as they come. `spent`: what of the text became keys and values."""

    def __init__(self, text: str, is_environment: bool, make: Make | None) -> None:
        self.text, self._is_environment = text, is_environment
        self._make: Make = make or _plain
        self.spent: list[Span] = []
        self._sections: list[tuple[str, list[tuple[str, Any]]]] = []
        self._pairs: list[tuple[str, Any]] = []
        self._own = self._pairs
        self._continues = False
        self._indent = 0
        """Of the last setting; a line that goes on with its value is indented further."""
        self._unclosed: set[str] = set()
        self.good = self.bad = 0

    def value(self) -> dict[str, Any]:
        sections = [(name, merged(pairs)) for name, pairs in self._sections]
        return merged([*merged(self._own).items(), *sections])

    def line(self, start: int, end: int) -> int:
        """Take the line in `start`:`end`; where the next one begins."""
        line = self.text[start:end]
        body = line.strip()
        at = start + len(line) - len(line.lstrip())
        if not body or body.startswith(_COMMENT):
            self._continues = self._continues and bool(body)
        elif at - start > self._indent and self._continues and self._pairs:
            self._go_on(at, at + len(body))
        elif body[0] == "[" and "]" in body and not self._is_environment:
            self._section(at, body)
        else:
            self._indent = at - start
            return self._setting(at, end)
        return end + 1

    def _section(self, at: int, body: str) -> None:
        name = body[1 : body.index("]")]
        self.spent.append((at, at + len(name) + 2))
        self._pairs = []
        start = at + 1 + len(name) - len(name.lstrip())
        name = name.strip()
        self._sections.append((self._make(name, start, start + len(name), "section"), self._pairs))
        self._continues = False

    def _go_on(self, at: int, end: int) -> None:
        """A line that goes on with the value before it."""
        key, value = self._pairs[-1]
        if type(value) is not list:
            value = [] if value is None else [value]
            self._pairs[-1] = (key, value)
        value.append(self._make(self.text[at:end], at, end, "more"))
        self.spent.append((at, end))

    def _setting(self, at: int, end: int) -> int:
        text = self.text
        if self._is_environment and text.startswith("export ", at):
            at += 7
        key = KEY.match(text, at, end)
        mark = _past_blanks(text, key.end(), end) if key else end
        if key is None or mark >= end or text[mark] not in ("=" if self._is_environment else "=:"):
            self._continues = False
            self.bad += 1
            return end + 1
        self.good += 1
        self._continues = not self._is_environment
        start = _past_blanks(text, mark + 1, end)
        value, stop = self._value(start, end)
        self.spent += [(at, start), (start, stop)]
        made = self._make(value, start, max(start, stop), "value") if value else None
        self._pairs.append((self._make(key[0], *key.span(), "key"), made))
        line_end = text.find("\n", stop)
        return (len(text) if line_end < 0 else line_end) + 1

    def _value(self, start: int, end: int) -> tuple[str, int]:
        """The value that begins at `start`, and where it ends.

        It ends at its quote, maybe lines below, or with the line, which a backslash continues.
        """
        text = self.text
        quote = text[start : start + 1]
        if quote in QUOTES and quote and quote not in self._unclosed:
            close = text.find(quote, start + 1, None if self._is_environment else end)
            while close > 0 and text[close - 1] == "\\" and quote == '"':
                close = text.find(quote, close + 1, None if self._is_environment else end)
            if close < 0 and self._is_environment:
                self._unclosed.add(quote)
            if close > 0 and _ends(text, close + 1):
                return text[start + 1 : close], close + 1
        while _goes_on(text, end) and end < len(text):
            following = text.find("\n", end + 1)
            end = len(text) if following < 0 else following
        value = text[start:end].strip()
        if "\\" in value:
            value = _unescaped(re.sub(r"\\\r?\n[ \t]*", "", value))
        return value, end


def parsed(text: str, is_environment: bool, make: Make | None = None) -> tuple[dict[str, Any], list[Span]]:
    """The settings, those of a section under its name, and what of the text became keys and values.

    Raises `Unparsed`.
    """
    found, at = _Settings(text, is_environment, make), 0
    while at < len(text):
        end = text.find("\n", at)
        at = found.line(at, len(text) if end < 0 else end)
    if not found.good or found.good < _NEARLY_ALL * (found.good + found.bad):
        raise Unparsed("not lines of settings")
    return found.value(), found.spent


def _plain(text: str, start: int, end: int, what: What) -> str:
    return text


def _unescaped(value: str) -> str:
    """A value without escapes, of which two in a row may stand for one character."""
    found = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), value)
    return found if found == value else found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _past_blanks(text: str, at: int, end: int) -> int:
    while at < end and text[at] in " \t":
        at += 1
    return at


def _ends(text: str, at: int) -> bool:
    """Whether nothing but a comment stands behind a quote."""
    line_end = text.find("\n", at)
    behind = text[at : line_end if line_end >= 0 else len(text)].strip()
    return not behind or behind.startswith(_COMMENT)


def _goes_on(text: str, end: int) -> bool:
    """Whether an odd number of backslashes ends the line that ends at `end`."""
    at = end - 1 if text[end - 1 : end] == "\r" else end
    count = 0
    while at > count and text[at - 1 - count] == "\\":
        count += 1
    return count % 2 == 1
