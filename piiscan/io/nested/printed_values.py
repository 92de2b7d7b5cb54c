r"""Objects and lists as programs print them, other than JSON.

`{'name': 'Ann', 'tags': ['a', None]}` is how Python prints them, and data frames write them to CSV; `{name=Ann,
tags=[a, null]}` how Java, Hive and Athena do. Of the former, what is neither text, number, flag nor nothing
(`datetime.date(2020, 1, 2)`) is read as it is written. In the latter nothing is quoted: a value ends where a comma is
followed by the next key. `a:1:{s:4:"name";s:3:"Ann";}` is how PHP stores them, with the number of members and of the
bytes of each text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern

_DEEPEST: Final = 64
_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}
_SPACE: Final = " \t\r\n"
_TEXT: Final = lazy_pattern(r"""[bu]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_NUMBER: Final = lazy_pattern(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])")
_NAME: Final = lazy_pattern(r"[A-Za-z_][\w.]*")
_IN_CALL: Final = lazy_pattern(r"""[()]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_ESCAPE: Final = lazy_pattern(r"""\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\\'"nrt])""")
_NAMED: Final[dict[str, Any]] = {"None": None, "True": True, "False": False, "nan": None, "NaT": None}
_SIGNS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_KEY: Final = lazy_pattern(r"([^\s=,{}\[\]'\"][^=,{}\[\]'\"]{0,60})=")
_VALUE: Final = lazy_pattern(r"(.*?)(?=, [^\s=,{}\[\]'\"][^=,{}\[\]'\"]{0,60}=|\})")
_ELEMENT: Final = lazy_pattern(r"([^\[\]{}]*?)(?=, |\])")

_PHP_HELD: Final = lazy_pattern(r'(a|O:\d+:"[^"]*"):(\d+):\{')
_PHP_TEXT: Final = lazy_pattern(r's:(\d+):"')
_PHP_PLAIN: Final = lazy_pattern(r"(?:([ibdrR]):(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|N);")


class Child(NamedTuple):
    """A member of an object (with its `key`) or an element of a list; its value is in `at`:`end`.

    It begins at `start`.
    """

    key: str
    start: int
    at: int
    end: int
    value: Any


class Held(NamedTuple):
    """An object or list, where it ends, and what it holds."""

    value: Any
    end: int
    members: list[Child]


class Notation(NamedTuple):
    """How values are printed: `held` reads the object or list at a place, and raises ValueError where there is none.

    `dumped`: prints a value; `number`: the text of one; `behind_key`: divides a key from its value; `counted`: an
    object or list that says how many members it has, of which some may have been left out.
    """

    held: Callable[[str, int], Held]
    dumped: Callable[[Any], str]
    behind_key: str = ":"
    number: Callable[[str], str] = str
    counted: Callable[[str], str] | None = None


def printed(text: str) -> tuple[Any, Notation] | None:
    """The object or list that is all of a text, and how it is printed; None for any other text."""
    start = _over(text, 0)
    for notation in (PHP,) if text[start : start + 1] in ("a", "O") else (PYTHON, JAVA):
        try:
            found = notation.held(text, start)
            is_whole = _over(text, found.end) == len(text)
            # In Java's, words in brackets are no list.
            if is_whole and (notation is not JAVA or any(c.key or isinstance(c.value, dict) for c in found.members)):
                return found.value, notation
        except (ValueError, IndexError):
            continue
    return None


def _over(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _python(text: str, at: int, depth: int = 0) -> Held:
    close = _CLOSING.get(text[at])
    if close is None or depth > _DEEPEST:
        raise ValueError
    start = at
    members: list[Child] = []
    is_object = text[at] == "{"
    at = _over(text, at + 1)
    while text[at] != close:
        begin, key = at, ""
        value, end = _python_value(text, at, depth)
        if is_object:
            colon = _over(text, end)
            if text[colon] == ":":
                key = value if isinstance(value, str) else text[at:end]
                at = _over(text, colon + 1)
                value, end = _python_value(text, at, depth)
            elif members:
                raise ValueError
            else:
                is_object = False
        members.append(Child(key, begin, at, end, value))
        at = _over(text, end)
        if text[at] == ",":
            at = _over(text, at + 1)
        elif text[at] != close:
            raise ValueError
    if text[start] == "(" and len(members) == 1 and text[_over(text, members[0].end)] != ",":
        raise ValueError
    return Held(_whole(members, is_object), at + 1, members)


def _python_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if text[at] in _CLOSING:
        held = _python(text, at, depth + 1)
        return held.value, held.end
    if found := _TEXT.match(text, at):
        return _unescaped(found[0]), found.end()
    if found := _NUMBER.match(text, at):
        return _number(found[0]), found.end()
    found = _NAME.match(text, at)
    if found is None:
        raise ValueError
    end = found.end()
    if text[end] != "(":
        if found[0] not in _NAMED:
            raise ValueError
        return _NAMED[found[0]], end
    open_ = 0
    while (mark := _IN_CALL.search(text, end)) is not None:
        end = mark.end()
        open_ += {"(": 1, ")": -1}.get(mark[0], 0)
        if not open_:
            return text[at:end], end
    raise ValueError


def _number(text: str) -> int | float:
    digits = text.lstrip("-")
    if digits.isdigit():
        if len(digits) > 1 and digits[0] == "0":
            raise ValueError
        return int(text)
    return float(text)


def _unescaped(literal: str) -> str:
    text = literal[2 if literal[0] in "bu" else 1 : -1]
    if "\\" not in text:
        return text
    if "\\" in _ESCAPE.sub("", text):
        raise ValueError
    return _ESCAPE.sub(_sign, text)


def _sign(found: Any) -> str:
    escape = found[0][1:]
    if escape[0] in "xuU" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    sign: str = _SIGNS.get(escape, escape)
    return sign


def _java(text: str, at: int, depth: int = 0) -> Held:
    if text[at] not in "{[" or depth > _DEEPEST:
        raise ValueError
    is_object, close = text[at] == "{", _CLOSING[text[at]]
    members: list[Child] = []
    at += 1
    while text[at] != close:
        begin, key = at, ""
        if is_object:
            found = _KEY.match(text, at)
            if found is None or text[found.end()] == ">":  # Ruby's
                raise ValueError
            key, at = found[1], found.end()
        if text[at] in "{[":
            held = _java(text, at, depth + 1)
            value, end = held.value, held.end
        else:
            plain = (_VALUE if is_object else _ELEMENT).match(text, at)
            if plain is None:
                raise ValueError
            value, end = None if plain[1] == "null" else plain[1], plain.end()
        members.append(Child(key, begin, at, end, value))
        at = end
        if text.startswith(", ", at):
            at += 2
        elif text[at] != close:
            raise ValueError
    return Held(_whole(members, is_object), at + 1, members)


def _php(text: str, at: int, depth: int = 0) -> Held:
    found = _PHP_HELD.match(text, at)
    if found is None or depth > _DEEPEST:
        raise ValueError
    at = found.end()
    members: list[Child] = []
    places: list[Any] = []
    while text[at] != "}":
        begin = at
        key, at = _php_value(text, at, depth)
        if not isinstance(key, str | int):
            raise ValueError
        value, end = _php_value(text, at, depth)
        members.append(Child(str(key).rpartition("\0")[2], begin, at, end, value))
        places.append(key)
        at = end
    is_object = found[1] != "a" or not members or places != list(range(len(places)))
    return Held(_whole(members, is_object), at + 1, members)


def _php_value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if text[at] in "aO":
        held = _php(text, at, depth + 1)
        return held.value, held.end
    if (found := _PHP_TEXT.match(text, at)) is not None:
        end = found.end() + int(found[1])
        if not text[found.end() : end].isascii():
            end = found.end() + len(text[found.end() : end].encode()[: int(found[1])].decode(errors="replace"))
        if text[end : end + 2] != '";':
            end = found.end() + int(found[1])  # counted in another encoding
        if text[end : end + 2] != '";':
            raise ValueError
        return text[found.end() : end], end + 2
    found = _PHP_PLAIN.match(text, at)
    if found is None:
        raise ValueError
    if found[1] is None:
        return None, found.end()
    number: Any = float(found[2]) if found[1] == "d" else int(found[2])
    return bool(number) if found[1] == "b" else number, found.end()


def _php_dumped(value: Any) -> str:
    if value is None:
        return "N;"
    if isinstance(value, bool):
        return f"b:{int(value)};"
    text = str(value)
    return f's:{len(text.encode())}:"{text}";'


def _php_number(text: str) -> str:
    return f"i:{text};" if text.lstrip("-").isdigit() else f"d:{text};"


def _php_counted(text: str) -> str:
    """Every array and object with the number of its members."""
    held, head = _php(text, 0), _PHP_HELD.match(text)
    if head is None:
        raise ValueError
    out = [head[0][: head.start(2)], str(len(held.members)), ":{"]
    for child in held.members:
        value = text[child.at : child.end]
        out += text[child.start : child.at], _php_counted(value) if value[0] in "aO" else value
    return "".join((*out, "}"))


def merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of keys that repeat, every value is kept."""
    record = dict(pairs)
    if len(record) == len(pairs):
        return record
    record = {}
    lists: dict[str, list[Any]] = {}
    for key, value in pairs:
        if key not in record:
            record[key] = value
        elif key in lists:
            lists[key].append(value)
        else:
            old = record[key]
            record[key] = lists[key] = [*(old if isinstance(old, list) else [old]), value]
    return record


def _whole(members: list[Child], is_object: bool) -> Any:
    return merged([(m.key, m.value) for m in members]) if is_object else [m.value for m in members]


def _java_text(value: Any) -> str:
    return "null" if value is None else str(value)


PYTHON: Final = Notation(_python, repr)
JAVA: Final = Notation(_java, _java_text, "=")
PHP: Final = Notation(_php, _php_dumped, "", _php_number, _php_counted)
