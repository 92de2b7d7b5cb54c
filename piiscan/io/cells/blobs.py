"""Cells that hold files of their own: packed content can't be read as text, so it counts as not scanned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from piiscan.core.errors import ReadError
from piiscan.core.types import Batch

if TYPE_CHECKING:
    import polars as pl

# As text: bytes that aren't UTF-8 are read as Latin-1.
_PACKED: Final = (
    r"^(?:\x1f\x8b\x08|PK\x03\x04|\(\u00b5/\u00fd|\u00fd7zXZ\x00|BZh[1-9]1AY&SY|x[\x01\u0080-\u009f\u00da]|\x04\"M\x18|7z\u00bc\u00af\x27\x1c"
    r"|Rar!\x1a\x07|PAR1[\x15\x00]|ARROW1\x00|Obj\x01|SQLite format "
    r"3\x00|\u00d0\u00cf\x11\u00e0\u00a1\u00b1\x1a\u00e1|%PDF-\d)"
)
"""How archives, compressed data, databases and documents begin."""


def without_packed(frames: Iterable[Any], columns: Iterable[int]) -> Iterator[Any]:
    """Yield the frames; then raise `ReadError` where cells of `columns` begin as packed files do.

    `columns` hold bytes as text.
    """
    names = [str(i) for i in columns]
    count = 0
    for frame in frames:
        count += packed(frame.frame if isinstance(frame, Batch) else frame, names)
        yield frame
    if count:
        raise ReadError(_reason(count))


def refuse_packed(frame: pl.DataFrame) -> None:
    """Raises `ReadError` where a cell begins as a packed file does."""
    if count := packed(frame, frame.columns):
        raise ReadError(_reason(count))


def packed(frame: pl.DataFrame, names: Iterable[str]) -> int:
    """How many cells of these columns begin as packed files do."""
    import polars as pl

    count = 0
    for name in names:
        cells = frame[name]
        while isinstance(cells.dtype, pl.List):
            cells = cells.explode()
        if cells.dtype == pl.String:
            count += int(cells.str.contains(_PACKED).sum() or 0)
    return count


def _reason(count: int) -> str:
    cells = "1 cell holds" if count == 1 else f"{count:,} cells hold"
    return f"{cells} an archive, compressed data or a document, which wasn't read; export and unpack what is in it"
