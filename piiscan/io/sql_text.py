"""Which texts are SQL: by the ending of a name, or by statements that make, fill and change tables.

A statement counts by its first word at the start of a line and by the shape of what follows, so that prose ("Update
people set in their ways") is none; and where it is no cell of a delimited text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from piiscan.core.types import TableInfo
from piiscan.io.content import Content
from piiscan.io.content_kinds import ending, is_table

_HEAD: Final = 1 << 16
_ENDINGS: Final = ("sql", "ddl", "psql", "mysql", "pgsql")
_MARKS: Final = re.compile(rb"\xef\xbb\xbf|\xff\xfe|\xfe\xff")
"""Byte order marks."""

_SPACE: Final = rb"(?:\s|--[^\n]*+\n|/\*[^*]{0,500}+\*/)"
_QUOTED: Final = rb"""(?:"[^"\n]{1,256}+"|`[^`\n]{1,256}+`|\[[^\]\n]{1,256}+\])"""
_WORD: Final = rb"(?:[\w$#@:&\x80-\xff]{1,256}+|" + _QUOTED + rb")"
_NAME: Final = _WORD + rb"(?:\.{1,2}" + _WORD + rb"){0,3}"
_COLUMNS: Final = rb"\((?:[^()\"`\[;]|" + _QUOTED + rb"){1,10000}+\)"


def _pattern(*shapes: str) -> bytes:
    """A pattern of statement shapes.

    A blank represents white space and comments, `_` some or none; NAME is a name with its schema, COLUMNS a list in
    parentheses.
    """
    text = "|".join(shapes).encode().replace(b" ", _SPACE + b"++").replace(b"_", _SPACE + b"*+")
    return b"(?:" + text.replace(b"NAME", _NAME).replace(b"COLUMNS", _COLUMNS) + b")"


_ROWS: Final = (
    r"(?:values?_(?:\(|row\b|[:?@])|select\b|with NAME_(?:COLUMNS_)?as_\(_(?:select|with|values)\b|table NAME_;|"
    r"default values\b|exec(?:ute)? NAME|overriding (?:user|system)\b|output inserted\b)"
)
_ON: Final = r"using_(?:NAME (?:as )?(?:NAME )??on_\(?_NAME_[=<>]|\()"
_BEFORE: Final = r"(?:begin|start transaction|set [^;\n]{1,200}+|use NAME)_;_"
_SHAPES: Final = (
    r"create (?:(?:or|replace|global|local|private|temp|temporary|unlogged|external|foreign|virtual|transient|"
    r"multiset|volatile) ){0,4}table (?:if not exists )?NAME_(?:\(|as_(?:\(|select\b|with\b|table\b|values\b)|"
    r"using NAME|like NAME_;|partition (?:of|by)\b|stored as\b|row format\b)",
    r"alter table (?:if exists )?(?:only )?NAME (?:add|drop|alter|rename|modify|owner to|enable|disable|attach|"
    r"with (?:no)?check|(?:no)?check constraint|set_\()",
    r"(?:insert|replace|upsert) (?:(?:ignore|delayed|(?:low|high)\wpriority|or \w++|top_\(\d++\)) ){0,2}"
    r"(?:into|overwrite) (?:table )?NAME_(?:partition_COLUMNS_)?(?:if not exists )?(?:as NAME_)?"
    rf"(?:(?:COLUMNS_)?{_ROWS}|\(_(?:select|with|values)\b|set NAME_=)",
    r"insert overwrite (?:local )?directory_'",
    r"insert (?:all|first) (?:when\b|into NAME_(?:COLUMNS_)?(?:values|select|into)\b)",
    # Without INTO, as some write it, more has to follow.
    rf"(?:insert|replace|upsert) NAME_(?:COLUMNS_{_ROWS}|values_\(|select_(?:\d|n?'|\*|top\b|distinct\b))",
    rf"merge (?:into )?NAME (?:with_COLUMNS_)?(?:as )?(?:NAME )??{_ON}",
    r"merge into NAME_(?:COLUMNS_)?(?:key_\(|values_\()",
    r"update (?:(?:only|ignore|(?:low|high)\wpriority|or \w++|top_\(\d++\)) ){0,2}NAME (?:as )?(?:NAME )??"
    r"(?:(?:inner |left )?join [^;]{1,500}? )?set(?: NAME|_COLUMNS)_[+*|-]?=",
    r"delete (?:top_\(\d++\) )?from (?:only )?NAME_;",
    r"delete (?:top_\(\d++\) )?(?:from )?(?:only )?NAME (?:(?:as )?NAME )??where (?:not exists\b|exists_\(|"
    r"current of\b|\(?_NAME_(?:[=<>!~]|in_\(|not in_\(|not like\b|i?like_n?'|between\b|is (?:not )?null\b))",
    r"load data (?:(?:low\wpriority|concurrent) )?(?:local )?in(?:file|path)\b",
    r"load data (?:characterset \w++ )?(?:append|replace|truncate|insert|into table)\b",
)
# On one line, as PostgreSQL writes it.
_COPY: Final = rb"\\?copy[ \t][^\n]*[ \t]from[ \t]++stdin[ \t]*+(?:;|with\b|csv\b|delimiter\b|null\b|\(|\r?$)"
_FIRST_WORDS: Final = (
    *b"create alter insert replace upsert merge update delete load copy \\copy".split(),
    *b"begin start set use".split(),
)
"""What a line begins with that a statement, or what may stand before it, begins on."""
_REMARKS: Final = re.compile(
    rb"/\*.*?\*/|(?:--|#|^[ \t]*(?:rem|prompt)\b)[^\n]*", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
_GOES_BEFORE: Final = re.compile(
    rb"\w+ [^;]*;|go|/|\\.*|set [\w@.:]+[ =].*|use \S+|start transaction|begin(?: tran(?:saction)?| work)?|print n?'.*",
    re.DOTALL | re.IGNORECASE,
)
"""Lines before the first statement of a script."""


def is_sql(content: Content) -> bool:
    """Whether a text is SQL, by the ending of its name or statements that make, fill and change tables."""
    if ending(content.source, content.compression) in _ENDINGS:
        return True
    head = content.head(_HEAD)
    if mark := _MARKS.match(head):
        head = head[mark.end() :]
    head = head.replace(b"\0", b"").replace(b"\r", b"\n")  # UTF-16 puts NUL among letters of ASCII
    if not any(line.lstrip(b" \t").startswith(_FIRST_WORDS) for line in head.lower().split(b"\n")):
        return False
    if (found := _statement().search(head)) is None:
        return False
    before = _lines(_REMARKS.sub(b"", head[: found.start()]))
    if all(_GOES_BEFORE.fullmatch(line) for line in before):
        return True
    if is_table(content.source, content.compression):
        return False
    return not (b"".join(before).count(b'"') % 2 or _are_rows(head, content.size > _HEAD))


def holds_sql(info: TableInfo, content: Content) -> bool:
    """Whether a table of this content is the text of SQL, which isn't read as tables."""
    return info.format in ("csv", "tsv", "text") and is_sql(content)


@cache
def _statement() -> re.Pattern[bytes]:
    """A statement at the start of a line. It takes a while to compile, and few texts need it."""
    whole = rb"^[ \t]*+" + _pattern(_BEFORE) + rb"{0,4}+(?:" + _pattern(*_SHAPES) + rb"|" + _COPY + rb")"
    return re.compile(whole, re.MULTILINE | re.IGNORECASE)


def _lines(text: bytes) -> list[bytes]:
    return [line for line in map(bytes.strip, text.split(b"\n")) if line]


def _are_rows(head: bytes, is_cut: bool) -> bool:
    """Whether every line has the same number of cells, so that a statement at the start of one is the first of them."""
    lines = _lines(re.sub(rb'"[^"]*"', b"", head))
    if is_cut:
        lines.pop()
    counts = ({line.count(delimiter) for line in lines} for delimiter in (b"\t", b",", b";", b"|"))
    is_even = any(len(each) == 1 and 0 not in each for each in counts)
    return is_even and not all(line.endswith(b";") for line in lines[1:])
