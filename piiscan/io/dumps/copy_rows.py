"""Cut the rows of COPY: a line each, cells divided by tabs, with escapes for these characters.

Source: postgresql.org/docs/current/sql-copy.html, "Text Format".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.io.dumps import cut_cells
from piiscan.io.dumps.insert_rows import MALFORMED, Row

if TYPE_CHECKING:
    import polars as pl


def in_columns(data: bytes, width: int) -> pl.DataFrame | None:
    """Return the cells of whole rows as written; None where they can't be cut all at once."""
    if not width or b"\r" in data or not data.endswith(b"\n"):
        return None
    raw = cut_cells.in_columns(data, width, "\t", "\n")
    lines = data.count(b"\n")
    return raw if raw is not None and raw.height == lines and data.count(b"\t") == lines * (width - 1) else None


def together(raw: pl.DataFrame) -> bytes:
    """Return the rows with these cells."""
    import io

    buffer = io.BytesIO()
    raw.write_csv(buffer, include_header=False, separator="\t", quote_style="never", line_terminator="\n")
    return buffer.getvalue()


def rows(data: bytes, width: int) -> Iterator[Row]:
    """Yield rows one by one. Raises `ReadError` for a row of another width."""
    for line in data.splitlines(keepends=True) if b"\r" not in data else _lines(data):
        body = line.rstrip(b"\n")
        body = body[:-1] if body.endswith(b"\r") else body
        cells = body.split(b"\t") if width else []
        if len(cells) != width or (not width and body):
            raise ReadError(MALFORMED)
        yield Row([b"", *[b"\t"] * (width - 1)], cells, line[len(body) :])


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]
