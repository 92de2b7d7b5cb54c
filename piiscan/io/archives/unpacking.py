"""What zip and tar archives share: members unpacked into temporary files without names, within limits."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.core.types import Field, InName, NotScanned, TableInfo
from piiscan.io.content import Content, ReadTable, spool
from piiscan.io.read_options import Budget

if TYPE_CHECKING:
    import polars as pl


_BLOCK = 1 << 20


_DAMAGE = (EOFError, zlib.error, ValueError, NotImplementedError, RuntimeError, OverflowError, zipfile.BadZipFile)


DAMAGED = "damaged or truncated in its archive; fetch it again"


Member = Content | ReadTable | NotScanned | InName
"""A file in an archive, the table of what its comments say, or an identifier in a name."""


def comments(content: Content, notes: Sequence[str]) -> ReadTable:
    """The comments in an archive as a table of their own, a row for each."""

    def frames() -> Iterator[pl.DataFrame]:
        import polars as pl

        yield pl.DataFrame({"0": notes}, schema={"0": pl.String})

    return ReadTable(TableInfo(content.source, "comments", "text", False, (Field("text"),)), frames)


def blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """A member's bytes, until it ends or turns out to be damaged, which raises `ReadError`."""
    try:
        while block := stream.read(_BLOCK):
            yield block
    except NotImplementedError:
        raise ReadError("a zip compression that isn't read; unpack it first") from None
    except OSError:
        raise
    except Exception:
        raise ReadError(DAMAGED) from None


def copied(parts: Iterable[bytes], packed: int, budget: Budget) -> tuple[IO[bytes], ReadError | None]:
    """The bytes in a temporary file, and the error that ended them early.

    Raises `ReadError` where they exceed the limits.
    """
    file, size = spool(), 0
    parts = iter(parts)
    try:
        while True:
            try:
                part = next(parts, None)
            except ReadError as error:
                file.flush()
                return file, error
            if part is None:
                file.flush()
                return file, None
            size += len(part)
            budget.take(len(part), size, max(1, packed))
            file.write(part)
    except BaseException:
        file.close()
        raise


def unpacked_member(source: str, file: IO[bytes], failure: ReadError | None) -> Iterator[Member]:
    """Yield a member as far as it could be unpacked, and why that isn't all."""
    size, member = file.tell(), Content.temporary(source, file)
    if failure is not None:
        yield NotScanned(source, str(failure))
    if failure is None or size:
        yield member
