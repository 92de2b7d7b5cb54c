"""What the XML of a sheet has beside the cells that calamine reads: formulas, and the settings around the cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.io.cells import literals, markup
from piiscan.io.cells.markup import Text

_BEGIN: Final = re.compile(rb"<(?:\w+:)?sheetData(?:\s[^>]*)?(/?)>")
_END: Final = re.compile(rb"</(?:\w+:)?sheetData\s*>")
_SHARED: Final = re.compile(rb"""t=["']s["'][^>]*>\s*<(?:\w+:)?v>\s*(\d+)""")
_CELL: Final = re.compile(rb"<(?:\w+:)?c[\s>].*?</(?:\w+:)?c\s*>", re.DOTALL)
_MISTAKEN: Final = re.compile(rb"""t=["']b["'][^>]*>\s*<(?:\w+:)?v>(?!\s*(?:[01]|true|false)\s*<)""")
_FORMULAS: Final = frozenset(
    ("f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula", "totalsRowFormula")
)
_HEADERS: Final = frozenset(f"{which}{what}" for which in ("odd", "even", "first") for what in ("Header", "Footer"))
_CODES: Final = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[A-Z])')
"""Fonts and fields of a header."""
_ATTRIBUTES: Final = frozenset(
    "descr title altText prompt promptTitle error errorTitle tooltip display displayName author comment "
    "caption userName url location"
    " val user text destinationFile".split()
)


class Around(NamedTuple):
    """The texts of a sheet that are no cells, by their kind.

    How many formulas have `unknown` results, since none are stored; and the numbers of the `shared` strings that its
    cells have.
    """

    texts: dict[str, list[str]]
    unknown: int
    shared: set[int]


def around(data: bytes, recalculated: bool) -> Around:
    """The texts of one sheet's XML.

    `recalculated`: results are placeholders until a program has opened the workbook. Raises `ReadError`.
    """
    data = markup.utf8(data)
    begin = _BEGIN.search(data)
    last = max((end.end() for end in _END.finditer(data)), default=0)
    if begin is None or begin.start() > last:
        return Around(_settings(data), 0, set())
    rows = data[begin.start() : last]
    found = _settings(data[: begin.start()] + data[last:])
    if _MISTAKEN.search(rows):
        raise ReadError(
            "a sheet with cells that aren't of the type that they say; save the workbook again in its program"
        )
    if b"rPh" in rows:
        found["phonetics"] = [t.text for t in markup.texts(rows) if t.element == "rPh" and t.attribute is None]
    unknown = 0
    if b"<f" in rows or b":f" in rows:
        formulas, unknown = _formulas(rows, recalculated)
        found["formulas"] = list(dict.fromkeys([*literals.of_formulas(formulas), *found.get("formulas", [])]))
    return Around(
        {kind: texts for kind, texts in found.items() if texts}, unknown, set(map(int, _SHARED.findall(rows)))
    )


def _formulas(rows: bytes, recalculated: bool) -> tuple[list[str], int]:
    """The formulas of the cells, each once, and how many have no result that is stored."""
    found: dict[str, None] = {}
    unknown = 0
    kind: str | None = None
    texts: dict[str, str] = {}
    inside: str | None = None

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal kind, inside
        name = tag.rpartition(":")[2]
        if name == "c":
            kind = attributes.get("t")
            texts.clear()
        elif name in ("f", "v", "is"):
            inside = name
            texts[name] = ""

    def end(tag: str) -> None:
        nonlocal unknown, inside
        name = tag.rpartition(":")[2]
        if name == inside:
            inside = None
        elif name == "c" and "f" in texts:
            if texts["f"]:
                found[texts["f"]] = None
            value = texts.get("v", "")
            placeholder = recalculated and kind in (None, "n") and value == "0"
            unknown += "is" not in texts and ((not value and kind != "str") or placeholder)

    def characters(text: str) -> None:
        if inside is not None:
            texts[inside] += text

    markup.parse(b"<row>%b</row>" % b"".join(_with_formulas(rows)), start, end, characters)
    return list(found), unknown


def _with_formulas(rows: bytes) -> Iterator[bytes]:
    """The cells with formulas: those alone are worth the time that XML takes."""
    if b":c " in rows or b":c>" in rows:  # names with a prefix
        yield from (cell for cell in _CELL.findall(rows) if b":f" in cell)
        return
    for cell in rows.split(b"<c ")[1:]:
        if b"<f" in cell:
            yield b"<c " + cell[: cell.find(b"</c>") + 4]
    yield from (
        (cell for cell in _CELL.findall(rows) if cell.startswith(b"<c>") and b"<f" in cell) if b"<c>" in rows else ()
    )


def _settings(data: bytes) -> dict[str, list[str]]:
    """The texts around the cells, by what they are."""
    found: dict[str, list[str]] = {}
    for item in markup.texts(data, ("sheetData",)):
        kind, kept = _kind(item)
        if kept:
            found.setdefault(kind, []).extend(kept)
    return {kind: list(dict.fromkeys(texts)) for kind, texts in found.items()}


def _kind(item: Text) -> tuple[str, list[str]]:
    if item.attribute is None and item.element in _FORMULAS:
        return "formulas", literals.of_formulas([item.text])
    if item.attribute is None and item.element in _HEADERS:
        return "headers and footers", [item.text] if markup.has_content(_CODES.sub("", item.text).strip()) else []
    if item.attribute is None:
        return "settings", _texts_with_content(item.text)
    if item.attribute in _ATTRIBUTES:
        kinds = {"hyperlink": "hyperlinks", "dataValidation": "validations"}
        return kinds.get(item.element, "settings"), _texts_with_content(item.text)
    return "settings", []


def _texts_with_content(text: str) -> list[str]:
    return [text] if markup.has_content(text) else []
