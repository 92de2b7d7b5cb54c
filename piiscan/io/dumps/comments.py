"""Read comments and default values in the statements of a dump.

They may mention people, and the dump stays the same dump if their text changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from piiscan.io.dumps import literals
from piiscan.io.dumps.dialects import Dialect, is_title

Form = Literal["line", "block", "string"]
_BEFORE: Final = re.compile(rb"(?:\bCOMMENT\s*=?|\bDEFAULT|\bIS)\s*\Z", re.IGNORECASE)
_COMMENT_ON: Final = re.compile(rb"COMMENT\s+ON\b", re.IGNORECASE)
_LOOKED_AT: Final = 32


class Comment(NamedTuple):
    """A comment's text, or a string with its quotes, from byte `start` to `end`."""

    start: int
    end: int
    form: Form


def comments(data: bytes, statement: int, dialect: Dialect) -> Iterator[Comment]:
    """Yield the comments of a statement that begins at byte `statement` of a text, and those before it."""
    if data.startswith((b"DELIMITER", b"delimiter", b"\\"), statement):
        data = data[:statement]
    is_comment = _COMMENT_ON.match(data, statement) is not None
    for found in _tokens(dialect.name == "mysql", dialect.escapes).finditer(data):
        kind = found.lastgroup
        if kind == "line":
            if _says(found["line"]) and not is_title(found[0]):
                yield Comment(found.start("line"), found.end("line"), "line")
        elif kind == "block":
            if _says(found["block"]):
                yield Comment(found.start("block"), found.end("block"), "block")
        elif kind == "string" and len(found["string"]) > 2:
            before = _BEFORE.search(data, max(0, found.start() - _LOOKED_AT), found.start())
            if before is not None and (is_comment or not before[0].upper().startswith(b"IS")):
                yield Comment(found.start(), found.end(), "string")


def text_of(raw: bytes, form: Form, dialect: Dialect, errors: str) -> str:
    def decode(cell: bytes) -> str:
        return cell.decode("utf-8", errors)

    return decode(raw) if form != "string" else literals.of_insert(raw, dialect.escapes, decode) or ""


def written(text: str, raw: bytes, form: Form, dialect: Dialect) -> bytes:
    """Return a new text, written as `raw` was."""
    if form == "line":
        return " ".join(text.splitlines()).encode()
    if form == "block":
        return text.replace("*/", "* /").replace("/*", "/ *").encode()
    return (literals.to_insert(text, raw, dialect.escapes, False) or "''").encode()


def _says(text: bytes) -> bool:
    return re.search(rb"[^\W_]|[\x80-\xff]", text) is not None


@lru_cache(maxsize=4)
def _tokens(is_mysql: bool, escapes: bool) -> re.Pattern[bytes]:
    inner = rb"(?:[^'\\]++|''|\\.)*+" if escapes else rb"(?:[^']++|'')*+"
    others = rb"\"(?:[^\"]++|\"\")*+\"|`[^`]*+`|" + (
        rb"/\*M?!.*?\*/|#[^\n]*+" if is_mysql else rb"(?<![\w$])\$(?P<tag>\w*+)\$.*?\$(?P=tag)\$"
    )
    return re.compile(
        rb"--[ \t]*+(?P<line>[^\n\r]*+)|(?:(?P<string>(?<=[^\w$][eE])'(?:[^'\\]++|''|\\.)*+'|'"
        + inner
        + rb"'))|"
        + others
        + rb"|/\*(?P<block>(?:[^*]++|\*(?!/))*+)\*/",
        re.DOTALL,
    )
