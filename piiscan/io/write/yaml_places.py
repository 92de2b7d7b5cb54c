"""How new values are written in YAML: in the style of the old ones, where that can hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from piiscan.io.documents import yaml_text
from piiscan.io.documents.beside import Span
from piiscan.io.write.placed import Edit, Notation, Placed

_CORE: Final = "tag:yaml.org,2002:"
_TEXT: Final = f"{_CORE}str"
_NUMBER: Final = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\da-fA-F]+")
"""A number of YAML 1.2, which the library doesn't know all of."""
_FLAG: Final = re.compile(r"[yYnN]")
"""A flag of YAML 1.1, which the library takes for text."""
_PLAIN: Final = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\n]*|-[^\s,\[\]{}][^\n]*")
"""What a text may begin with that is in no quotes."""
_IN_COLLECTION: Final = frozenset(",?[]{}")
"""Characters that end a text in no quotes within brackets, to some programs."""
_MARKS: Final = re.compile(r":(?:\s|$)|\s#|\s$|^---|^\.\.\.")
_ODD: Final = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Characters that YAML has no place for outside double quotes, or takes for the end of a line."""
_TAG: Final = re.compile(r"!<[^>\s]*>|![^\s,\[\]{}]*")
_BLANK_FIRST: Final = re.compile(r"^[ \t]", re.MULTILINE)
_WITHIN: Final = re.compile(r"(?<=[^\n])\n+(?=[^\n])")
_HEADER: Final = re.compile(r"[|>]([-+0-9]*)([^\n]*)\n?")


class _Style(NamedTuple):
    """How a scalar is written: in quotes or as a block ("" for neither); its tag, and how far before that begins."""

    mark: str
    tag: str | None
    before: int


def notation() -> Notation:
    """Return the notation of YAML."""
    return Notation(_read, _plain, _written)


def _read(text: str) -> tuple[Any, list[Span]]:
    styles: dict[_Style, _Style] = {}

    def placed(value: str, event: Any, start: int) -> str:
        style = _Style(event.style or "", event.tag, start - event.start_mark.index)
        return Placed.at(value, start, event.end_mark.index, styles.setdefault(style, style))

    return yaml_text.parsed(text, placed)


def _plain(text: str) -> Any:
    return yaml_text.parsed(text)[0]


def _written(text: str, placed: Placed) -> Iterator[Edit]:
    start, end = placed.start, placed.end
    style: _Style = placed.what
    new = placed.new
    if _denies(style.tag, new) and (tag := _TAG.search(text, start - style.before, start)) is not None:
        yield Edit(*tag.span(), "!!str")
    raw = text[start:end]
    if style.mark in ("|", ">"):
        yield Edit(start, end, _block(raw, style, str(placed), new))
    elif new is None:
        yield Edit(start, end, _nothing(style))
    elif style.mark == "'" and not _ODD.search(new) and "\n" not in new:
        yield Edit(start, end, "'" + new.replace("'", "''") + "'")
    elif style.mark == "" and _may_be_plain(raw, str(placed), new):
        yield Edit(start, end, new)
    else:
        yield Edit(start, end, _quoted(new))


def _denies(tag: str | None, new: str | None) -> bool:
    """Whether a tag says of a new value that it is something else."""
    return tag is not None and tag.startswith(_CORE) and tag != _TEXT and (not new or _kind(new)[0] != tag)


def _quoted(new: str) -> str:
    made = json.dumps(new, ensure_ascii=False)
    return _ODD.sub(lambda found: json.dumps(found[0])[1:-1], made)


def _may_be_plain(raw: str, old: str, new: str) -> bool:
    """Whether a text in no quotes is read as the text, or as a value of the old one's type."""
    if not _PLAIN.fullmatch(new) or _MARKS.search(new) or _ODD.search(new):
        return False
    if not _IN_COLLECTION.intersection(new) <= {*raw}:
        return False
    kind = _kind(new)
    return kind in ((_TEXT, False), _kind(old))


@lru_cache(maxsize=1)
def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    import yaml

    found: dict[str, list[tuple[str, re.Pattern[str]]]] = yaml.SafeLoader.yaml_implicit_resolvers
    return found


def _kind(text: str) -> tuple[str, bool]:
    """What programs take a text in no quotes for: its tag, and whether some take it for a number or a flag."""
    known = _resolvers()
    tag = next((tag for tag, pattern in known.get(text[:1], ()) if pattern.match(text)), _TEXT)
    return tag, bool(_NUMBER.fullmatch(text) or _FLAG.fullmatch(text))


def _nothing(style: _Style) -> str:
    """How no value is written: with a tag, which may not be one of nothing, as an empty text."""
    return "null" if style.tag is None else '""'


def _block(raw: str, style: _Style, old: str, new: str | None) -> str:
    """A block of lines with a new text; in quotes, where that can't be one."""
    header = _HEADER.match(raw)
    assert header is not None
    body = raw[header.end() :]
    last = body.find("\n", len(body.rstrip()))
    behind = body[last:] if last >= 0 else ""
    indent = _indent(body, old)
    if new is None or indent is None or not _may_be_block(new, any(map(str.isdigit, header[1]))):
        return (_nothing(style) if new is None else _quoted(new)) + header[2] + behind
    text = new.rstrip("\n")
    mark, count = raw[0], len(new) - len(text)
    chomping = header[1]
    if count != len(old) - len(old.rstrip("\n")):
        chomping = re.sub("[-+]", "", chomping) + ("-" if count == 0 else "" if count == 1 else "+")
        behind = "\n" * count if count > 1 else behind or "\n"
    if mark == ">":
        if _BLANK_FIRST.search(text):
            mark = "|"
        else:
            text = _WITHIN.sub(r"\g<0>\n", text)
    lines = "\n".join(line and " " * indent + line for line in text.split("\n"))
    behind = "\n".join(line if len(line) <= indent else "" for line in behind.split("\n"))
    return f"{mark}{chomping}{header[2]}\n{lines}{behind}"


def _indent(body: str, old: str) -> int | None:
    """By how much the lines of a block are indented; None where there is nothing in it."""
    first, value = (next((line for line in text.split("\n") if line.strip()), None) for text in (body, old))
    if first is None or value is None:
        return None
    return (len(first) - len(first.lstrip(" "))) - (len(value) - len(value.lstrip(" ")))


def _may_be_block(new: str, is_indent_given: bool) -> bool:
    if _ODD.search(new) or not new.strip():
        return False
    return is_indent_given or not new.lstrip("\n").startswith((" ", "\t"))
