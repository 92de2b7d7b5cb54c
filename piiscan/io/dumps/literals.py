"""Read and write the cells of a dump: NULL, quotes, escapes, bytes as digits, arrays.

Sources: postgresql.org/docs/current, "Lexical Structure", "COPY" and "Arrays"; dev.mysql.com/doc, "String Literals";
sqlite.org/lang_expr.html, "Literal Values".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from piiscan.io.cells.plain import text_of

_COPY_ESCAPE: Final = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_COPY_NAMES: Final = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_COPY_WRITTEN: Final = {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_COPY_MARKS: Final = re.compile(r"[\\\b\f\n\r\t\v]")
_MYSQL_ESCAPE: Final = re.compile(rb"\\(.)|''|\"\"", re.DOTALL)
_MYSQL_NAMES: Final = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}
_MYSQL_WRITTEN: Final = {"\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z", "\\": "\\\\", "'": "\\'", '"': '\\"'}
_MYSQL_MARKS: Final = re.compile("[\0\n\r\x1a\\\\'\"]")
_PG_ESCAPE: Final = re.compile(
    rb"''|\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL
)
_NUMBER: Final = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_PREFIXED: Final = re.compile(
    rb"(?P<binary>_binary\s*|_[a-z0-9]+\s*)'(?P<text>.*)'|(?P<hex>[xX])'(?P<digits>[0-9A-Fa-f]*)'|0x(?P<more>[0-9A-Fa-f]+)"
    rb"|[eE]'(?P<escaped>.*)'|[nN]'(?P<national>.*)'",
    re.DOTALL,
)
_WRAPPED: Final = re.compile(
    rb"(?P<before>(?:date|time|timestamp|timestamptz|datetime)\s+|(?:to_date|to_timestamp|date|datetime|uuid|json)\s*\(\s*|"
    rb"cast\s*\(\s*n?|n)?'(?P<text>(?:[^']|'')*)'(?P<after>(?:\s*::\s*[\w .\"]+(?:\([\d, ]*\))?)+|"
    rb"\s+as\s+[\w ]+(?:\([\w, ]*\))?\s*\)|\s*,\s*n?'(?P<form>[^']*)'\s*\)|\s*\))?",
    re.IGNORECASE,
)
"""A string whose type is named beside it, as scripts have."""
_OF_TIME: Final = re.compile(r"date|time", re.IGNORECASE)
_REPLACED: Final = re.compile(rb"replace\((.*),'((?:[^']|'')+)',char\((\d+)\)\)", re.DOTALL)
_STRING: Final = re.compile(rb"'(?:[^']|'')*'", re.DOTALL)
_UNISTR: Final = re.compile(rb"unistr\('((?:[^']|'')*)'\)", re.DOTALL)
_HEX: Final = re.compile(r"\\x([0-9A-Fa-f]*)")
_ELEMENT: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{},]|[^{},"]+', re.DOTALL)

Decode = Callable[[bytes], str]


class Expression(str):
    """A cell that is an expression instead of a literal, as it is written."""


def of_copy(raw: bytes, decode: Decode) -> str | None:
    """Return the value of a cell of COPY."""
    if raw == b"\\N":
        return None
    return decode(_COPY_ESCAPE.sub(_copy_escape, raw) if b"\\" in raw else raw)


def _copy_escape(found: re.Match[bytes]) -> bytes:
    octal, digits, other = found.groups()
    if octal or digits:
        return bytes((int(octal or digits, 8 if octal else 16) & 0xFF,))
    return _COPY_NAMES.get(other, other)


def to_copy(text: str | None) -> str:
    if text is None:
        return "\\N"
    return _COPY_MARKS.sub(lambda found: _COPY_WRITTEN[found[0]], text)


def of_insert(raw: bytes, escapes: bool, decode: Decode) -> str | None:
    """Return the value of a cell of INSERT.

    An `Expression` if it is neither NULL, a number, a word, a string nor bytes.
    """
    if raw.upper() in (b"NULL", b"DEFAULT"):
        return None
    if _is_string(raw, escapes):
        return decode(_unquoted(raw[1:-1], escapes))
    if _NUMBER.fullmatch(raw) or raw.lower() in (b"true", b"false"):
        return decode(raw)
    if (found := _PREFIXED.fullmatch(raw)) is not None:
        if found["binary"] is not None:
            return text_of(_unquoted(found["text"], escapes))
        if found["escaped"] is not None:
            return decode(_PG_ESCAPE.sub(_pg_escape, found["escaped"]))
        if found["national"] is not None:
            return decode(_unquoted(found["national"], escapes))
        digits = found["digits"] if found["hex"] else found["more"]
        if len(digits) % 2 == 0:
            return text_of(bytes.fromhex(digits.decode()))
    if (plain := _of_sqlite(raw)) is not None:
        return decode(plain)
    if (wrapped := _wrapped(raw)) is not None:
        return decode(_unquoted(wrapped["text"], escapes))
    return Expression(decode(raw))


def _is_string(raw: bytes, escapes: bool) -> bool:
    """Whether a cell is one string, and not an expression of several."""
    if not (raw[:1] == b"'" and raw[-1:] == b"'" and len(raw) > 1):
        return False
    return escapes or b"'" not in raw[1:-1].replace(b"''", b"")


def _wrapped(raw: bytes) -> re.Match[bytes] | None:
    found = _WRAPPED.fullmatch(raw)
    return found if found is not None and (found["before"] or found["after"]) else None


def _unquoted(raw: bytes, escapes: bool) -> bytes:
    if escapes:
        return _MYSQL_ESCAPE.sub(_mysql_escape, raw) if b"\\" in raw or b"'" in raw else raw
    return raw.replace(b"''", b"'")


def _mysql_escape(found: re.Match[bytes]) -> bytes:
    if found[1] is None:
        return b"'" if found[0] == b"''" else b'""'
    return _MYSQL_NAMES.get(found[1], b"\\" + found[1] if found[1] in b"%_" else found[1])


def _pg_escape(found: re.Match[bytes]) -> bytes:
    octal, digits, short, wide, other = found.groups()
    if octal or digits:
        return bytes((int(octal or digits, 8 if octal else 16) & 0xFF,))
    if short or wide:
        return chr(int(short or wide, 16)).encode("utf-8", "replace")
    return b"'" if other is None else _COPY_NAMES.get(other, other) if other != b"v" else b"v"


def _of_sqlite(raw: bytes) -> bytes | None:
    """Return a string with line ends in it, which SQLite's shell writes as an expression."""
    if (found := _REPLACED.fullmatch(raw)) is not None:
        inner = found[1] if _STRING.fullmatch(found[1]) else None
        text = inner[1:-1].replace(b"''", b"'") if inner else _of_sqlite(found[1])
        return None if text is None else text.replace(found[2].replace(b"''", b"'"), bytes((int(found[3]) & 0x7F,)))
    if (found := _UNISTR.fullmatch(raw)) is not None:
        text = found[1].replace(b"''", b"'")
        return re.sub(rb"\\(?:u([0-9A-Fa-f]{4})|(\\))", _unistr, text)
    return None


def _unistr(found: re.Match[bytes]) -> bytes:
    return b"\\" if found[2] else chr(int(found[1], 16)).encode("utf-8", "replace")


def to_insert(text: str | None, old: bytes, escapes: bool, numeric: bool) -> str | None:
    """Return a new cell written in the form of the `old` one; None where that isn't possible."""
    if text is None:
        return "NULL"
    bare = _NUMBER.fullmatch(old) is not None or (old.upper() == b"NULL" and numeric)
    if bare and _NUMBER.fullmatch(text.encode("utf-8", "replace")):
        return text
    if old[:1] == b"'" or bare or old.upper() == b"NULL":
        return quoted(text, escapes)
    found = _PREFIXED.fullmatch(old)
    if found is None and (wrapped := _wrapped(old)) is not None:
        return _rewrapped(text, wrapped, escapes)
    if found is None:
        return quoted(text, escapes) if _of_sqlite(old) is not None else None
    if found["binary"] is not None:
        return found["binary"].decode() + quoted(text, escapes)
    if found["hex"]:
        return f"{found['hex'].decode()}'{text.encode().hex()}'"
    if found["more"]:
        return f"0x{text.encode().hex().upper()}" if text else "''"
    if found["national"] is not None:
        return old[:1].decode() + quoted(text, escapes)
    return quoted(text, False) if "\\" not in text else "E" + quoted(text, False).replace("\\", "\\\\")


def _rewrapped(text: str, old: re.Match[bytes], escapes: bool) -> str | None:
    """Return a string with the type beside it that the `old` one has; None where a time would get another form."""
    before, after = (old["before"] or b"").decode(), (old["after"] or b"").decode()
    if _OF_TIME.search(before + after) and _shape(text) != _shape(_unquoted(old["text"], escapes).decode()):
        return None
    return before + quoted(text, escapes) + after


def _shape(text: str) -> str:
    return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in text)


def quoted(text: str, escapes: bool) -> str:
    if escapes:
        return "'" + _MYSQL_MARKS.sub(lambda found: _MYSQL_WRITTEN[found[0]], text) + "'"
    return "'" + text.replace("'", "''") + "'"


def of_hex(text: str | None) -> str | None:
    """Return the bytes that PostgreSQL's digits represent, as text where they are text."""
    found = None if text is None else _HEX.fullmatch(text)
    if found is None or len(found[1]) % 2:
        return text
    return text_of(bytes.fromhex(found[1]))


def to_hex(text: str | None) -> str | None:
    return None if text is None else "\\x" + text.encode().hex()


def of_array(text: str | None) -> list[str | None] | None:
    """Return the elements of a PostgreSQL array, flattened. Anything else is one element."""
    if text is None:
        return None
    start = text.find("{")
    if start < 0 or not text.endswith("}"):
        return [text]
    return [
        None if token.upper() == "NULL" else _element(token)
        for token in _ELEMENT.findall(text, start)
        if token not in "{},"
    ]


def _element(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token.startswith('"') else token


def to_array(old: str | None, new: Sequence[str | None] | None) -> str | None:
    """Return an array with new elements in place of the `old` ones.

    Raises `ValueError` if their number differs.
    """
    if new is None or old is None:
        return None
    start = old.find("{")
    if start < 0 or not old.endswith("}"):
        (only,) = new
        return only
    left, out = iter(new), [old[:start]]
    for token in _ELEMENT.findall(old, start):
        if token in "{},":
            out.append(token)
            continue
        cell = next(left, ...)
        if cell is ...:
            raise ValueError
        before = None if token.upper() == "NULL" else _element(token)
        out.append(token if cell == before else _quoted_element(cell))
    if next(left, ...) is not ...:
        raise ValueError
    return "".join(out)


def _quoted_element(cell: str | None) -> str:
    return "NULL" if cell is None else '"' + re.sub(r'([\\"])', r"\\\1", cell) + '"'
