"""Where the values of TOML stand, and how new ones are written.

The parser of the standard library gives no places: a second one finds them in a text that the first has read, and both
have to find the same.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

from piiscan.io.cells.plain import text_of
from piiscan.io.documents import toml_text
from piiscan.io.documents.beside import Span, Unparsed
from piiscan.io.write.placed import Edit, Notation, Placed

_BETWEEN: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BLANKS: Final = re.compile(r"[ \t]*")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_BASIC: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_LITERAL: Final = re.compile(r"'[^'\n]*+'")
_LONG_BASIC: Final = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}', re.DOTALL)
_LONG_LITERAL: Final = re.compile(r"'''(?:[^']|'(?!''))*+'{3,5}", re.DOTALL)
_BARE: Final = re.compile(r"[^\s,\]}#]+(?: \d[^\s,\]}#]*)?")
"""A number, a flag or a date, which a blank may divide from its time."""
_NEW_BARE: Final = re.compile(r"[\w+.:-]+(?: \d[\d:.+-]*)?", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NO_CHARACTER: Final = re.compile(r"[\x7f\ud800-\udfff]")
_WHOLE: Final = re.compile(r"0|[1-9][0-9]*")
_KEY: Final = "key"


def notation() -> Notation:
    """Return the notation of TOML."""
    return Notation(_read, _plain, _written)


def _plain(text: str) -> Any:
    return toml_text.parsed(text)[0]


def _read(text: str) -> tuple[Any, list[Span]]:
    document, spent = toml_text.parsed(text)
    placed = _Scanner(text).document()
    if not _are_same(document, placed):
        raise Unparsed("TOML of a form that isn't known")
    return placed, spent


def _are_same(parsed: Any, placed: Any) -> bool:
    if type(parsed) is dict:
        return (
            type(placed) is dict
            and list(parsed) == list(placed)
            and all(map(_are_same, parsed.values(), placed.values()))
        )
    if type(parsed) is list:
        return type(placed) is list and len(parsed) == len(placed) and all(map(_are_same, parsed, placed))
    return isinstance(placed, Placed) and text_of(parsed) == placed


class _Scanner:
    """Reads a text that is known to be TOML; what isn't is an `Unparsed`."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._keys: dict[int, dict[str, Placed]] = {}

    def document(self) -> dict[str, Any]:
        root: dict[str, Any] = {}
        table = root
        while self._skip(_BETWEEN) < len(self._text):
            if self._takes("[["):
                table = self._of_array(root)
            elif self._takes("["):
                table = self._inner(root, self._path())
                self._expect("]")
            else:
                self._pair(table)
        return root

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        self._at = self._at if found is None else found.end()
        return self._at

    def _takes(self, mark: str) -> bool:
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._takes(mark):
            raise Unparsed("not valid TOML")

    def _token(self, *patterns: re.Pattern[str]) -> Span:
        for pattern in patterns:
            if (found := pattern.match(self._text, self._at)) is not None:
                self._at = found.end()
                return found.span()
        raise Unparsed("not valid TOML")

    def _path(self) -> list[Placed]:
        """The keys of a path, joined by dots."""
        path = []
        while True:
            self._skip(_BLANKS)
            start, end = self._token(_BASIC, _LITERAL, _NAME)
            raw = self._text[start:end]
            path.append(Placed.at(_value(raw) if raw[0] in "\"'" else raw, start, end, _KEY))
            self._skip(_BLANKS)
            if not self._takes("."):
                return path

    def _key(self, table: dict[str, Any], key: Placed) -> Placed:
        """The key as it is in the table, which stands here, too."""
        known = self._keys.setdefault(id(table), {})
        if (found := known.setdefault(key, key)) is not key:
            found.stands_at(key.spans)
        return found

    def _inner(self, table: dict[str, Any], path: list[Placed]) -> dict[str, Any]:
        """The table at a path, of a list of tables the last one."""
        for key in path:
            found = table.setdefault(self._key(table, key), {})
            table = found[-1] if type(found) is list and found else found
            if type(table) is not dict:
                raise Unparsed("not valid TOML")
        return table

    def _of_array(self, root: dict[str, Any]) -> dict[str, Any]:
        *path, last = self._path()
        self._expect("]]")
        table = self._inner(root, path)
        made: dict[str, Any] = {}
        table.setdefault(self._key(table, last), []).append(made)
        return made

    def _pair(self, table: dict[str, Any]) -> None:
        *path, last = self._path()
        self._expect("=")
        table = self._inner(table, path)
        self._skip(_BLANKS)
        table[self._key(table, last)] = self._any()

    def _any(self) -> Any:
        if self._takes("["):
            return self._list()
        if self._takes("{"):
            return self._table()
        start, end = self._token(_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL, _BARE)
        raw = self._text[start:end]
        return Placed.at(_value(raw), start, end, raw[0] if raw[0] in "\"'" else "")

    def _list(self) -> list[Any]:
        made: list[Any] = []
        while self._skip(_BETWEEN) < len(self._text) and not self._takes("]"):
            made.append(self._any())
            self._skip(_BETWEEN)
            self._takes(",")
        return made

    def _table(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while self._skip(_BETWEEN) < len(self._text) and not self._takes("}"):
            self._pair(made)
            self._skip(_BETWEEN)
            self._takes(",")
        return made


def _parsed(raw: str) -> Any:
    """A value; None for what is none."""
    try:
        return tomllib.loads(f"v = {raw}")["v"]
    except ValueError:
        return None


def _value(raw: str) -> str:
    """The text of a value."""
    if raw[0] in "\"'" and "\\" not in raw and not raw.startswith(raw[0] * 3):
        return raw[1:-1]
    if _WHOLE.fullmatch(raw):
        return raw
    return text_of(_parsed(raw)) or ""


def _written(text: str, placed: Placed) -> Iterator[Edit]:
    new = placed.new or ""
    for start, end in placed.spans:
        raw = text[start:end]
        if placed.what == _KEY:
            yield Edit(start, end, new if raw[0] not in "\"'" and _NAME.fullmatch(new) else _in_quotes(raw, new))
        elif placed.what == "" and _is_as_before(_parsed(raw), new):
            yield Edit(start, end, new)
        else:
            yield Edit(start, end, _long(raw, new) if raw[:3] in ('"""', "'''") else _in_quotes(raw, new))


def _is_as_before(old: Any, new: str) -> bool:
    """Whether a new value is one of the old one's type, and read as what it is."""
    made = _parsed(new) if _NEW_BARE.fullmatch(new) else None
    return type(made) is type(old) and text_of(made) == new


def _in_quotes(raw: str, new: str) -> str:
    if raw[0] == "'" and "'" not in new and "\n" not in new and not _CONTROL.search(new):
        return f"'{new}'"
    return _escaped(new)


def _escaped(new: str) -> str:
    made = json.dumps(new, ensure_ascii=False)
    return _NO_CHARACTER.sub(lambda found: f"\\u{ord(found[0]):04x}", made)


def _long(raw: str, new: str) -> str:
    """A text in three quotes; a line end before it is none of it."""
    first = "\n" if raw[3:4] == "\n" or new.startswith("\n") else ""
    if raw[0] == "'" and "'''" not in new and not new.endswith("'") and not _CONTROL.search(new):
        return f"'''{first}{new}'''"
    lines = (_escaped(line)[1:-1].replace('\\"', '"').replace('""', '"\\"') for line in new.split("\n"))
    return f'"""{first}' + "\n".join(lines) + '"""'
