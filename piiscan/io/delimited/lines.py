"""Plain text and logs: one column, a row per line, in bounded memory whatever a line's length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Field, TableInfo
from piiscan.io.cells import armour, encoded_texts
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.encodings.encoding import Encoding, open_text, undecodable
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

OVERLAP = 256
"""Characters that two pieces of an overlong line share, so that no value is lost at the cut."""
_BLOCK = 1 << 20


class Lines(NamedTuple):
    """What it takes to read a text again."""

    content: Content
    encoding: Encoding
    batch_rows: int


def table(content: Content, encoding: Encoding, options: ReadOptions, notes: tuple[str, ...] = ()) -> ReadTable:
    """The lines of a text as a table of one column.

    Lines above `line_chars` come in pieces that count as cells of one row.
    """
    details = (("encoding", encoding.name), *describe(content))
    info = TableInfo(content.source, None, "text", False, (Field("text"),), details, notes)
    return ReadTable(
        info, lambda: _frames(content, encoding, options), options.rows, Lines(content, encoding, options.batch_rows)
    )


def _frames(content: Content, encoding: Encoding, options: ReadOptions) -> Iterator[pl.DataFrame | Batch]:
    return batched(_lines(content, encoding, options.limits.line_chars), options)


def batched(pieces: Iterable[tuple[str, bool]], options: ReadOptions) -> Iterator[pl.DataFrame | Batch]:
    """Lines as frames of one column. A line comes with True; its pieces, but for the last, with False.

    Raises `ReadError` at the end where lines hold text in Base64, as mail does whose headers are lost, or armour that
    names somebody.
    """
    encoded = armoured = 0
    for found in _batched(pieces, options):
        encoded += encoded_texts.count(found.frame["0"])
        armoured += armour.unread(found.frame["0"])
        yield found
    reasons = [encoded_texts.reason(encoded)] if encoded else []
    reasons += [armour.reason(armoured)] if armoured else []
    if reasons:
        raise ReadError("; ".join(reasons))


def _batched(pieces: Iterable[tuple[str, bool]], options: ReadOptions) -> Iterator[Batch]:
    import polars as pl

    longest, size = options.limits.line_chars, options.batch_rows
    row, waiting, is_cut = 0, 0, False
    lines: list[str] = []

    def batch(taken: list[str], at: int) -> Batch:
        return Batch(pl.DataFrame({"0": taken}, schema={"0": pl.String}), at)

    for line, whole in pieces:
        if whole and len(line) <= longest and not is_cut:
            lines.append(line)
            waiting += len(line)
            if len(lines) == size or waiting > 16 * _BLOCK:
                yield batch(lines, row)
                row, waiting, lines = row + len(lines), 0, []
            continue
        if lines:
            yield batch(lines, row)
            row, waiting, lines = row + len(lines), 0, []
        yield batch([line], row)._replace(goes_on=not whole)
        row += whole
        is_cut = not whole
    if lines:
        yield batch(lines, row)


def _lines(content: Content, encoding: Encoding, longest: int) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each ends there; a line above `longest` characters in overlapping pieces."""
    rest = ""
    with open_text(content, encoding, None) as stream:
        while True:
            try:
                block = stream.read(_BLOCK)
            except UnicodeDecodeError:
                raise undecodable(encoding) from None
            if not block:
                break
            lines = (rest + block).split("\n")
            rest = lines.pop()
            yield from pieces(lines, longest)
            *begun, rest = _cut(rest, longest)
            yield from ((piece, False) for piece in begun)
    if rest:
        yield rest, True
    content.read_whole()


def pieces(lines: Iterable[str], longest: int) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it ends there; one above `longest` characters in overlapping pieces."""
    for line in lines:
        *begun, last = _cut(line, longest)
        yield from ((piece, False) for piece in begun)
        yield last, True


def _cut(line: str, longest: int) -> list[str]:
    if len(line) <= longest:
        return [line]
    step = longest - OVERLAP
    count = -(-(len(line) - OVERLAP) // step)
    return [line[i * step : i * step + longest] for i in range(count)]
