"""Compressed files and archives, unpacked one member at a time into a temporary file without a name, within limits. What can be
unpacked is given, whatever is wrong with the rest, and what can't is said."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING

from piiscan.errors import ReadError
from piiscan.io.content import Content, ReadTable, spool
from piiscan.io.names import Members
from piiscan.io.options import Budget
from piiscan.io.streams import unpacked
from piiscan.types import Field, InName, NotScanned, TableInfo

if TYPE_CHECKING:
    import polars as pl

    from piiscan.rules import RuleSet

_BLOCK = 1 << 20
DAMAGED = "damaged or truncated in its archive; fetch it again"
_DAMAGE = (EOFError, zlib.error, ValueError, NotImplementedError, RuntimeError, OverflowError, zipfile.BadZipFile)


def decompressed(content: Content, kind: str, budget: Budget) -> tuple[Content, ReadError | None]:
    """What a compressed file holds, and why that isn't all of it. Raises `ReadError` where it goes beyond the limits."""
    with content.open() as raw:
        file, failure = copied(unpacked(raw, kind), content.size, budget)
    content.read_whole()
    return Content.temporary(content.source, file, f"{content.compression}+{kind}".lstrip("+")), failure


Member = Content | ReadTable | NotScanned | InName
"""A file in an archive, the table of what its comments say, or an identifier in a name."""


def members(content: Content, kind: str, budget: Budget, rules: RuleSet | None = None) -> Iterator[Member]:
    """The files in a zip or tar archive, in its order. Names serve as names only: nothing is ever written under one. `rules`:
    those that, besides the shipped ones, say which names identify somebody."""
    if kind == "tar":
        from piiscan.io import tar

        read: Callable[[Content, Budget, Members], Iterator[Member]] = tar.members
    else:
        read = _zip
    try:
        yield from read(content, budget, Members(content.source, rules))
    except ReadError as error:
        yield NotScanned(content.source, str(error))
    except (*_DAMAGE, OSError):
        yield NotScanned(content.source, f"damaged or truncated {kind} archive; fetch it again")


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
    """The bytes in a temporary file, and the error that ended them early. Raises `ReadError` for those beyond the limits."""
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
    """What there is of a member, and why that isn't all."""
    size, member = file.tell(), Content.temporary(source, file)
    if failure is not None:
        yield NotScanned(source, str(failure))
    if failure is None or size:
        yield member


def is_folder(entry: zipfile.ZipInfo) -> bool:
    """Whether a member is no more than the name of a folder: some hold data under such a name."""
    return entry.is_dir() and not entry.file_size and entry.compress_size <= 2


def _zip(content: Content, budget: Budget, names: Members) -> Iterator[Member]:
    from piiscan.io.zipped import account, notes

    with content.open() as raw, zipfile.ZipFile(raw) as archive:
        account(content, raw, archive)
        if said := notes(archive):
            yield comments(content, said)
        for entry in archive.infolist():
            name, found = names.printed(entry.filename)
            yield from found
            if is_folder(entry):
                continue
            budget.member()
            source = f"{content.source}!{name}"
            if entry.flag_bits & 1:
                yield NotScanned(source, "encrypted; unpack it with its password first")
                continue
            file, failure = copied(_entry(archive, entry), entry.compress_size, budget)
            yield from unpacked_member(source, file, failure)


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        stream = archive.open(entry)
    except NotImplementedError:
        raise ReadError("a zip compression that isn't read; unpack it first") from None
    except _DAMAGE:
        raise ReadError(DAMAGED) from None
    with stream:
        yield from blocks(stream)
