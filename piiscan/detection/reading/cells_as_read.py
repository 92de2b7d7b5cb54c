"""Cells as a reader takes them, whose writing hides from rules what they say.

References and escapes are the characters that they stand for, invisible characters are left out
(`visible_text`), digits and spaces are those of ASCII (`plain_characters`), and URL encoding is undone in
cells that are no URL. What spreadsheets and data frames put around a value is not part of it: an apostrophe before a
number, `="…"`, and the `.0` of whole numbers in a column with gaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from piiscan.core.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_FEW: Final = 256
_PEEK: Final = 32
_BLOCK: Final = 1 << 16
_ENCODED: Final = "%[0-9A-Fa-f]{2}"
_AROUND: Final = r"""^\s*(?:'[0-9+=]|="|[0-9]{7,19}\.00?$)"""
_URL: Final = lazy_pattern(r"[\s?]|://")
_HEXADECIMAL: Final = lazy_pattern(r"\s*\\x(?:[0-9A-Fa-f]{2}){2,}\s*")
"""Bytes as PostgreSQL writes them, which are no escape and some letters."""
_BYTES: Final = lazy_pattern(rf"(?:{_ENCODED})+")
_VALUE: Final = lazy_pattern(r"""\s*(?:'([0-9+=][^']*)|="([^"]*)"|([0-9]{7,19})\.00?)\s*""")
_ZEROS: Final = (".0", ".00")
_MARKS: Final = ("&", "\\", "%", '"')
"""One of these, an apostrophe before a cell, or final zeros, are in cells of ASCII that aren't read as they are
written."""


def as_read(cells: pl.Series, among: NDArray[np.int64] | None = None) -> pl.Series:
    """Cells (String, no nulls) as they are read. `among`: positions; no other cell has what `may_differ` finds."""
    if among is None:
        return changed(cells, read_otherwise(cells))
    if not len(among):
        return cells
    return changed(cells, {int(among[i]): read for i, read in read_otherwise(cells.gather(among)).items()})


def changed(cells: pl.Series, read: Mapping[int, str]) -> pl.Series:
    """Cells (String), some of which are `read` otherwise than they are written, by position."""
    import polars as pl

    return cells.clone().scatter(list(read), pl.Series(list(read.values()), dtype=pl.String)) if read else cells


def read_otherwise(cells: pl.Series) -> dict[int, str]:
    """How those cells (String) are read that are read otherwise than they are written, by position, in order."""
    found: dict[int, str] = {}
    for start in range(0, len(cells), _BLOCK):
        block = cells.slice(start, _BLOCK)
        if (at := _differing(block)) is None:
            continue
        for i, text in zip(at.to_list(), block.gather(at).to_list(), strict=True):
            if (read := _as_read(text)) != text and read.strip():
                found[start + i] = read
    return found


def _differing(cells: pl.Series) -> pl.Series | None:
    """Where a cell has what `may_differ` finds; None: nowhere.

    Of cells in ASCII that is mostly seen from all of them joined, in a third of the time.
    """
    if len(cells) > _FEW and not all(cell is None or cell.isascii() for cell in cells.head(_PEEK).to_list()):
        return cells.str.contains(may_differ()).arg_true()
    text = cells.str.join("\n").item()
    if not text.isascii() or any(mark in text for mark in _MARKS) or _is_begun(text):
        return cells.str.contains(may_differ()).arg_true()
    if "." not in text or (len(cells) <= _FEW and not any(f"{zeros}\n" in f"{text}\n" for zeros in _ZEROS)):
        return None
    at = (cells.str.ends_with(_ZEROS[0]) | cells.str.ends_with(_ZEROS[1])).arg_true()
    return at.filter(cells.gather(at).str.contains(_AROUND)) if len(at) else None


def _is_begun(text: str) -> bool:
    """Whether an apostrophe may stand before a cell; `text`: the cells, joined."""
    at = text.find("'")
    while at > 0 and not text[at - 1].isspace():
        at = text.find("'", at + 1)
    return at >= 0


def may_differ() -> str:
    """A regex of polars that finds all cells that may be read otherwise than they are written."""
    from piiscan.detection.reading import plain_characters, visible_text

    return f"{visible_text.MAY}|{plain_characters.MAY}|{_ENCODED}|{_AROUND}"


def _as_read(text: str) -> str:
    from piiscan.detection.reading.plain_characters import plain
    from piiscan.detection.reading.visible_text import visible

    if _HEXADECIMAL.fullmatch(text):
        return text
    seen = visible(text)
    read = plain(text if seen is None else seen.text)
    if "%" in read and not _URL.search(read.strip()):
        read = _BYTES.sub(lambda found: _decoded(found[0]), read)
    value = _VALUE.fullmatch(read)
    return read if value is None else next(part for part in value.groups() if part is not None)


def _decoded(encoded: str) -> str:
    """What a run of bytes in a URL stands for: UTF-8, else Latin-1."""
    from piiscan.detection.reading.url_encoding import unquoted

    text = unquoted(encoded)
    return text if text.isprintable() else encoded
