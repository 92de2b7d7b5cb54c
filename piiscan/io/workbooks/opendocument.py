"""What an OpenDocument spreadsheet has beside the values of its cells. Source: OASIS OpenDocument 1.3, part 3."""

from __future__ import annotations

from typing import Final

from piiscan.io.cells import literals, markup
from piiscan.io.cells.markup import has_content

_MARKS: Final = (
    b"<office:annotation",
    b"<draw:",
    b"table:formula",
    b"xlink:href",
    b"<text:span",
    b"<table:cell-range-source",
)
_FORMULAS: Final = ("formula", "condition", "expression")
_ATTRIBUTES: Final = ("href", "title", "name", "display-name", "author", "date-string", "source-name", "filter-name")


def texts(member: str, data: bytes) -> tuple[str, list[str]]:
    """The name of a part, and its texts but for those of cells."""
    data = markup.utf8(data)
    if member == "content.xml":
        first, last = data.find(b"<table:table "), data.rfind(b"</table:table>")
        if 0 <= first < last and not any(mark in data[first:last] for mark in _MARKS):
            data = data[:first] + data[last + len(b"</table:table>") :]
        return "texts beside cells", _beside(data)
    found = markup.texts(data)
    return ("headers and footers" if member == "styles.xml" else "settings"), [
        t.text
        for t in found
        if has_content(t.text) and (t.attribute is None and (member == "styles.xml" or markup.is_striking(t.text)))
    ]


def _beside(data: bytes) -> list[str]:
    """Annotations, shapes, headers, links and the literals of formulas and conditions."""
    said: dict[str, None] = {}
    formulas: dict[str, None] = {}
    held: list[str] = []
    open_: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "text:p" or tag == "office:annotation":
            held.clear()
        open_.append(tag)
        for key, value in attributes.items():
            short = key.rpartition(":")[2]
            if short in _FORMULAS:
                formulas[value] = None
            elif (
                short in _ATTRIBUTES
                and key != "table:name"
                and has_content(value)
                and (short != "name" or markup.is_striking(value))
            ):
                said[value] = None

    def end(tag: str) -> None:
        is_said = tag == "dc:creator" or (tag == "text:p" and not _is_cell(open_))
        if is_said and (text := "".join(held).strip()):
            said[text] = None
        if tag not in ("text:span", "text:s", "text:a"):
            held.clear()
        open_.pop()

    markup.parse(data, start, end, held.append)
    return list(dict.fromkeys([*said, *literals.of_formulas(formulas)]))


def _is_cell(open_: list[str]) -> bool:
    """Whether the innermost paragraph is a cell's own text."""
    outer = [tag for tag in open_ if tag not in ("text:span", "text:a")]
    return len(outer) >= 2 and outer[-2] in ("table:table-cell", "table:covered-table-cell")
