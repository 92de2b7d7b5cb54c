"""Recognise which program made a dump, or that a text is a script of INSERTs, and how it writes statements."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

HEAD: Final = 1 << 16
AS_LINES: Final = "a dump that is not read as tables, but as lines"
"""How notes on such dumps begin."""
_WORDS: Final = (
    b"SQL",
    b"COPY",
    b"PRAGMA",
    b"SET ",
    b"-- M",
    b"/*M",
    b"sandbox",
    *b"INSERT Insert insert REPLACE Replace replace".split(),
)
_SIGNS: Final = {
    "postgresql": rb"^-- PostgreSQL database (?:cluster )?dump\b|^SET standard_conforming_strings = \w+;|"
    rb"^COPY [^\n]+ FROM stdin;\r?$",
    "mysql": rb"^-- (?:MySQL|MariaDB) dump |^/\*M?!999999\\- enable the sandbox mode|^-- phpMyAdmin SQL Dump",
    "sqlite": rb"\A\s*PRAGMA foreign_keys=(?:OFF|ON);\r?\n(?:PRAGMA [^\n]*\n)*BEGIN TRANSACTION;|"
    rb"\A\s*BEGIN TRANSACTION;\r?\n(?:CREATE TABLE|DELETE FROM|COMMIT)\b",
}
"""What each program writes at the top, at the start of a line."""
_BEFORE: Final = re.compile(
    rb"(?:\s++|--[^\n]*+\n|[#][^\n]*+\n|/\*(?!!).*?\*/|\\(?:un)?restrict [^\n]*+\n)*+", re.DOTALL
)
_TITLES: Final = {
    "postgresql": re.compile(rb"-- PostgreSQL database (?:cluster )?dump\b"),
    "mysql": re.compile(rb"-- (?:MySQL|MariaDB) dump "),
}

INSERT: Final = re.compile(
    rb"^[ \t]*+(?:INSERT|REPLACE)\s++(?:IGNORE\s++)?(?:INTO\s++)?+"
    rb"(?:\[[^\]\n]{1,200}+\]|\"[^\"\n]{1,200}+\"|`[^`\n]{1,200}+`|[^\s();'\[\]\"`]){1,200}+\s*+(?:\([^();']{1,9999}+\)\s*+)?+"
    rb"VALUES\s*+\(",
    re.IGNORECASE | re.MULTILINE,
)
_MYSQL_WORDS: Final = re.compile(rb"`|\)\s*ENGINE\s*=|\bAUTO_INCREMENT\b", re.IGNORECASE)
_ESCAPED: Final = re.compile(rb"\w\\'\w")
_STRING: Final = re.compile(rb"'[^']*+'|--[^\n]*+")
_AT_END: Final = re.compile(rb"\s*+(?:;|ON\b|RETURNING\b|,|\Z)", re.IGNORECASE)
CLIENT_LINES: Final = (
    rb"(?<![^\n])(?:GO|/)[ \t\r]*+(?:\n|\Z)|"
    rb"(?<![^\n])(?:SET|USE|REM|REMARK|PROMPT|SPOOL)\b[^;'\n]*+(?:\n|\Z)"
)
"""Lines of scripts that are for the program that runs them, and end without a semicolon."""


class Dialect(NamedTuple):
    """How a program writes dumps.

    `name`: postgresql, mysql or sqlite. `escapes`: within quotes, a backslash gives the next character a meaning.
    `is_script`: no program's dump, but statements that fill tables, as people and tools write them. `between`: what is
    usually between two statements; one without a semicolon ends where its rows do.
    """

    name: str
    escapes: bool = False
    is_script: bool = False
    between: bytes = b";\n"

    @property
    def title(self) -> str:
        return (
            "SQL" if self.is_script else {"postgresql": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite"}[self.name]
        )

    def with_escapes(self) -> Dialect:
        """How a script is written that doesn't show at its top that its strings have escapes."""
        return Dialect("mysql", True, True, b";" + self.between.lstrip(b";"))


def dialect_of(head: bytes) -> Dialect | None:
    """Return the dialect of a dump, or of a script, that begins with these bytes of UTF-8; None for any other text."""
    head = head[:HEAD].removeprefix(b"\xef\xbb\xbf")
    found = {name: at for name in _SIGNS if (at := _first(_sign(name), head)) is not None}
    if not found:
        return None if _first(INSERT, head) is None else _of_script(head)
    name = min(found, key=found.__getitem__)
    # A COPY alone may be a cell's text, or a line of prose: nothing but comments and settings may stand before it.
    return Dialect(name, name == "mysql")


def may_be(head: bytes) -> bool:
    """Return whether the first bytes of a text, in any encoding, contain a word that dumps begin with."""
    plain = head.replace(b"\0", b"")
    # To see that a byte is missing takes no time, and most texts lack one of most words.
    return any(all(byte in plain for byte in word) and word in plain for word in _WORDS)


def holds_bytes(head: bytes) -> bool:
    """Return whether the first bytes are of a dump that writes binary data raw."""
    found = dialect_of(head)
    return found is not None and found.name == "mysql" and not found.is_script


def is_title(comment: bytes) -> bool:
    """Return whether a comment is the line that names the program of the dump."""
    return any(sign.match(comment) for sign in _TITLES.values())


def is_another(dialect: Dialect, comments: bytes) -> bool:
    """Return whether comments announce a dump of another program."""
    return any(name != dialect.name and sign.search(comments) for name, sign in _TITLES.items())


def _of_script(head: bytes) -> Dialect:
    """What a script's first rows show of how it is written."""
    escapes = _MYSQL_WORDS.search(_STRING.sub(b"", head)) is not None or _ESCAPED.search(head) is not None
    name = "mysql" if escapes else "sqlite" if b"AUTOINCREMENT" in head.upper() else "postgresql"
    first = next(INSERT.finditer(head), None)
    rows = None if first is None else bare_rows().match(head, first.end() - 1)
    is_bare = not escapes and rows is not None and _AT_END.match(head, rows.end()) is None
    return Dialect(name, escapes, True, (b"" if is_bare else b";") + (b"\r\n" if b"\r\n" in head else b"\n"))


@cache
def bare_rows() -> re.Pattern[bytes]:
    """Return the pattern of rows in parentheses, with others up to two deep within them."""
    string = rb"'(?:[^']|'')*+'"
    inner = rb"\((?:[^'()]++|" + string + rb"|\((?:[^'()]++|" + string + rb")*+\))*+\)"
    row = rb"\((?:[^'()]++|" + string + rb"|" + inner + rb")*+\)"
    return re.compile(row + rb"(?:\s*+,\s*+" + row + rb")*+")


def _first(sign: re.Pattern[bytes], head: bytes) -> int | None:
    for found in sign.finditer(head):
        before = head[: found.start()]
        rest = _BEFORE.match(before)
        left = before[rest.end() if rest else 0 :]
        if not left or _statements().fullmatch(left):
            return found.start()
        return None
    return None


@cache
def _sign(name: str) -> re.Pattern[bytes]:
    return re.compile(_SIGNS[name], re.MULTILINE)


@cache
def _statements() -> re.Pattern[bytes]:
    """Return the pattern of statements that may come before one that shows whose dump it is."""
    word = rb"(?:SET|SELECT|USE|CREATE|ALTER|DROP|BEGIN|START|TRUNCATE|PRAGMA|COMMENT|GRANT|REVOKE|LOCK)\b"
    each = CLIENT_LINES + rb"|" + word + rb"(?:[^;']++|'[^']*+')*+;|\\[^\n]*+\n|--[^\n]*+\n|/\*.*?\*/;?|\s++"
    return re.compile(rb"(?:" + each + rb")*+", re.DOTALL | re.IGNORECASE)
