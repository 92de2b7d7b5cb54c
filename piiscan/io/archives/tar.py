"""Tar archives, block by block; after a damaged header, reading continues at the next header.

The same holds where the end comes before the last byte.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from posixpath import normpath
from tarfile import TarFile, TarInfo
from typing import BinaryIO, Final

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned
from piiscan.io.archives.unpacking import DAMAGED, Member, blocks, comments, copied, unpacked_member
from piiscan.io.content import Content
from piiscan.io.content_kinds import is_tar_header
from piiscan.io.printed_names import Members
from piiscan.io.read_options import Budget

_BLOCK: Final = 512
_EXTENDED: Final = (b"x", b"g", b"X", b"L", b"K")
"""Types of headers whose data belong to the entry that follows."""
_CHUNK: Final = 1 << 20
_HASH: Final = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""What git leaves as the comment of an archive: the commit."""
_PLAIN: Final = re.compile(r"[-+0-9.,: ]*|BINARY|ISO-IR 10646 2000 UTF-8")
"""Sizes, times and encodings."""
_NAMES: Final = frozenset(("path", "linkpath", "uname", "gname", "GNU.sparse.name"))
"""What an entry has as its own."""
_OF_SYSTEMS: Final = ("SCHILY.xattr.security.", "SCHILY.xattr.system.", "SCHILY.acl.", "SCHILY.fflags")


def members(content: Content, budget: Budget, shown: Members) -> Iterator[Member]:
    """The files in a tar archive, and in those that follow it in the same file."""
    names: set[str] = set()
    links: list[tuple[str, str]] = []
    notes: dict[str, None] = {}
    with content.open() as raw:
        for entry, archive in entries(content, raw):
            notes |= dict.fromkeys(value for key, value in entry.pax_headers.items() if _is_note(key, value))
            name, found = shown.printed(entry.name)
            yield from found
            source = f"{content.source}!{name}"
            for said in dict.fromkeys((entry.uname, entry.gname, entry.linkname)):
                yield from shown.noted(said, source)
            if entry.isdir():
                continue
            budget.member()
            if entry.islnk():
                links.append((source, normpath(entry.linkname)))
            elif entry.isreg():
                names.add(normpath(entry.name))
                yield from _file(content, source, raw, entry, archive, budget)
            elif not entry.issym():
                yield NotScanned(source, "not a regular file; pack the archive without it")
    for source, name in links:
        if name not in names:
            yield NotScanned(source, "a link to a file that its archive doesn't have; fetch that one")
    if notes:
        yield comments(content, list(notes))


def _is_note(key: str, value: str) -> bool:
    """Whether a header of an entry may hold text that somebody wrote."""
    if key in _NAMES or _HASH.fullmatch(value) or _PLAIN.fullmatch(value):
        return False
    return not key.startswith(_OF_SYSTEMS) or "@" in value


def _file(
    content: Content, source: str, raw: BinaryIO, entry: TarInfo, archive: TarFile, budget: Budget
) -> Iterator[Member]:
    parts = _sparse(archive, entry) if entry.issparse() else _stored(raw, entry)
    # A tar stores its members as they are; a sparse one may claim any size.
    file, failure = copied(parts, max(1, min(entry.size, content.size)), budget)
    yield from unpacked_member(source, file, failure)


def _stored(raw: BinaryIO, entry: TarInfo) -> Iterator[bytes]:
    """A member's bytes, as far as the file has them."""
    for at in range(0, entry.size, _CHUNK):
        wanted = min(_CHUNK, entry.size - at)
        raw.seek(entry.offset_data + at)
        part = raw.read(wanted)
        yield part
        if len(part) < wanted:
            raise ReadError(DAMAGED)


def _sparse(archive: TarFile, entry: TarInfo) -> Iterator[bytes]:
    stream = archive.extractfile(entry)
    if stream is None:
        raise ReadError(DAMAGED)
    with stream:
        yield from blocks(stream)


def entries(content: Content, raw: BinaryIO) -> Iterator[tuple[TarInfo, TarFile]]:
    """The entries of every archive in a file, and what each is read by.

    Accounts for them, and for the zero bytes between them.
    """
    at = 0
    while (found := _next_header(content, raw, at)) is not None:
        at = found
        _check_extended(raw, found)
        raw.seek(found)
        try:
            archive = tarfile.open(fileobj=raw, mode="r:")  # noqa: SIM115
            while (entry := archive.next()) is not None:
                _claim(content, raw, entry, at, archive.offset)
                at = archive.offset
                yield entry, archive
                _check_extended(raw, at)
        except tarfile.TarError:
            pass  # what follows the last good entry is looked through for another one
        if at == found:
            at += _BLOCK


def _check_extended(raw: BinaryIO, at: int) -> None:
    """Check that an entry's extended headers, from `at` on, fit into memory: they are read whole.

    Raises `ReadError`.
    """
    while True:
        raw.seek(at)
        header = raw.read(_BLOCK)
        if header[156:157] not in _EXTENDED or not is_tar_header(header):
            return
        try:
            size = tarfile.nti(header[124:136])  # type: ignore[attr-defined]
        except tarfile.TarError:
            return
        if size > shares.value():
            raise ReadError("a header that doesn't fit into memory; allow more with --memory, or unpack it yourself")
        at += _BLOCK + max(0, -(-size // _BLOCK) * _BLOCK)


def _claim(content: Content, raw: BinaryIO, entry: TarInfo, at: int, end: int) -> None:
    """Account for an entry, its header included, and for zero bytes behind its data up to `end`."""
    filled = entry.offset_data + entry.size
    if entry.isreg() and not entry.issparse() and filled < end <= content.size:
        raw.seek(filled)
        if raw.read(end - filled).strip(b"\0"):
            content.account.read(at, filled)
            return
    content.account.read(at, min(end, content.size))


def _next_header(content: Content, raw: BinaryIO, at: int) -> int | None:
    """Where the next header of an entry begins, None where there is none. Zero bytes before it are accounted for."""
    while at < content.size:
        raw.seek(at)
        chunk = raw.read(_CHUNK)
        for start in range(0, len(chunk), _BLOCK):
            block = chunk[start : start + _BLOCK]
            if not block.strip(b"\0"):
                content.account.read(at + start, at + start + len(block))
            elif is_tar_header(block):
                return at + start
        at += len(chunk)
    return None
