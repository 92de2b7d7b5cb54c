"""Cut cells between two marks into columns of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_PACKED: Final = (b"x", b"(", b"\x1f", b"\xef")
"""Polars unpacks what starts like a packed file, and drops a byte order mark."""


def in_columns(data: bytes, width: int, separator: str, end: str) -> pl.DataFrame | None:
    """Return rows of `width` cells, each ending with `end`, with nothing unescaped.

    None where rows have other widths, or aren't UTF-8.
    """
    import polars as pl

    if width == 1:  # in which polars passes over empty rows
        try:
            cells = data.decode().removesuffix(end).split(end)
        except UnicodeDecodeError:
            return None
        return pl.DataFrame({"0": cells}, schema={"0": pl.String})
    needs_padding = data[:1] in _PACKED
    try:
        frame = pl.scan_csv(
            end.encode() + data if needs_padding else data,
            skip_lines=int(needs_padding),
            has_header=False,
            schema={str(i): pl.String for i in range(width)},
            infer_schema=False,
            separator=separator,
            quote_char=None,
            eol_char=end,
            empty_string_is_null=False,
            raise_if_empty=False,
            glob=False,
        ).collect(engine="in-memory")
    except pl.exceptions.PolarsError:
        return None
    return frame
