"""Plain text and logs: lines are replaced, their ends stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, TableInfo
from piiscan.io.content import ReadTable
from piiscan.io.delimited.lines import Lines
from piiscan.io.encodings.encoding import Encoding, as_utf8, undecodable
from piiscan.io.write.change import Change, applied, reading
from piiscan.io.write.encoded import opened

_BLOCK = 1 << 22
LINE_BYTES = 1 << 27
"""A line is one cell here, whatever its length: pieces of it could not be put together again once they have changed."""


def write(tables: Sequence[ReadTable], changes: Sequence[Change | None], target: Path) -> None:
    """A text of one column."""
    origin: Lines = tables[0].origin
    change, info = changes[0], tables[0].info
    assert change is not None
    with reading():
        content, failure = (
            (origin.content, None) if origin.encoding.is_utf8 else as_utf8(origin.content, origin.encoding)
        )
    row = 0
    with content.open() as stream, opened(target, origin.content, origin.encoding) as out:
        for lines in blocks(stream, origin.batch_rows):
            out.write(b"".join(changed_lines(lines, change, info, origin.encoding, row, every=True)))
            row += len(lines)
    if failure is not None:
        raise failure
    origin.content.read_whole()


def blocks(stream: BinaryIO, most: int) -> Iterator[list[bytes]]:
    r"""The lines of a text with their ends ("\n", "\r\n" or "\r"), a block of whole ones at a time."""
    rest = b""
    while True:
        with reading():
            data = stream.read(_BLOCK)
        rest += data
        lines = rest.splitlines(keepends=True)  # of bytes: at these ends only
        if data:
            if len(rest) > LINE_BYTES and len(lines) < 2:
                raise ReadError(f"a line above {LINE_BYTES >> 20} MiB; break it up")
            rest = lines.pop() if lines else b""
        for start in range(0, len(lines), most):
            yield lines[start : start + most]
        if not data:
            return


def changed_lines(
    lines: Sequence[bytes], change: Change, info: TableInfo, encoding: Encoding, row: int = 0, every: bool = False
) -> list[bytes]:
    """Lines as the change gives them. Blank ones are no rows, unless `every` line is one."""
    import polars as pl

    texts = _texts(lines, encoding, row, every)
    old = pl.Series("0", list(texts.values()), dtype=pl.String)
    changed = applied(change, Batch(old.to_frame(), row), info)
    same = change.columns[0].same
    if same and changed.kept is None:
        return list(lines)
    out: list[bytes | None] = list(lines)
    kept = [True] * len(texts) if changed.kept is None else changed.kept.to_list()
    new = iter([] if same else changed.frame["0"].cast(pl.String).to_list())
    for stays, (i, text) in zip(kept, texts.items(), strict=True):
        if not stays:
            out[i] = None
        elif not same and (cell := next(new)) != text:
            out[i] = _line(lines[i], cell or "", has_mark=encoding.name == "utf-8-sig" and row + i == 0)
    return [line for line in out if line is not None]


def _texts(lines: Sequence[bytes], encoding: Encoding, row: int, every: bool) -> dict[int, str]:
    """The texts of the lines that are rows, by the lines' positions. `row`: the number of the first line."""
    texts: dict[int, str] = {}
    try:
        for i, line in enumerate(lines):
            name = "utf-8-sig" if encoding.name == "utf-8-sig" and row + i == 0 else "utf-8"
            text = line.rstrip(b"\r\n").decode(name, encoding.errors)
            if every or text.strip():
                texts[i] = text
    except UnicodeDecodeError:
        raise undecodable(encoding) from None
    return texts


def _line(old: bytes, cell: str, has_mark: bool) -> bytes:
    """A line with a new text, the old line's end and byte order mark."""
    body = old.rstrip(b"\r\n")
    mark = body[:3] if has_mark and body.startswith(b"\xef\xbb\xbf") else b""
    # A line end in a new cell would make two rows of one.
    return mark + " ".join(cell.splitlines()).encode() + old[len(body) :]
