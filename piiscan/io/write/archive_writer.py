"""Compressed files and archives with their content written again; members keep their order, names and dates."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Final, cast

from piiscan.core.errors import ReadError
from piiscan.core.types import InName, NotScanned, TableInfo
from piiscan.io.archives import archives
from piiscan.io.archives.tar import entries
from piiscan.io.content import Content, ReadTable
from piiscan.io.lake_tables import packed_lake_table
from piiscan.io.printed_names import Members
from piiscan.io.walk import unread_bytes
from piiscan.io.write.change import reading
from piiscan.io.write.job import Done, Job, WriteContent

if TYPE_CHECKING:
    from piiscan.rules.definitions import RuleSet

_UNPACK: Final = "; or unpack the archive, and mask the folder, which leaves out this file alone"


def recompressed(
    content: Content, kind: str, target: Path, job: Job, named: bool, depth: int, write: WriteContent
) -> Done:
    """Write a compressed file with new content."""
    with reading():
        inner, failure = archives.decompressed(content, kind, job.budget)
        head = content.head(16)
    if failure is not None:
        raise failure
    with job.part() as part:
        done = write(inner, part, job, named, depth + 1)
        if not done.same:
            with open(part, "rb") as source, open(target, "wb") as raw, _packer(kind, head, raw) as packer:
                shutil.copyfileobj(source, packer, 1 << 20)
    return done


def _packer(kind: str, head: bytes, raw: BinaryIO) -> IO[bytes]:
    # A name or a date in the header would be one more thing that nobody has looked at.
    if kind == "gzip":
        return cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0))
    if kind == "bzip2":
        return bz2.BZ2File(raw, "wb")
    if kind == "xz":
        return lzma.LZMAFile(raw, "wb", format=lzma.FORMAT_ALONE if head.startswith(b"\x5d\0\0") else lzma.FORMAT_XZ)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("IO[bytes]", zstd.ZstdFile(raw, "wb"))


def repacked(content: Content, kind: str, target: Path, job: Job, depth: int, write: WriteContent) -> Done:
    """A zip or tar archive, member by member; one that can't be read, or isn't a file, makes it refuse the whole."""
    tables: list[TableInfo] = []
    copied: list[str] = []
    same = True
    rules = job.options.rules
    sources: set[str] = set()
    with _Zip(content, target, rules) if kind == "zip" else _Tar(content, target, rules) as archive:
        if reason := packed_lake_table(_printed(archive.names, content, rules)):
            raise ReadError(reason)
        for member in archives.members(content, kind, job.budget, rules):
            if isinstance(member, InName):
                same = False  # it gets another name
                continue
            if isinstance(member, NotScanned):
                raise ReadError(_reason(member.source, content, member.reason))
            if isinstance(member, ReadTable):
                same = False  # comments stay behind
                continue
            if member.source in sources:  # a plan tells files by their names
                raise ReadError(_reason(member.source, content, "two members have this name; unpack it, and mask both"))
            sources.add(member.source)
            with job.part() as part:
                try:
                    done = write(member, part, job, False, depth + 1)
                except ReadError as error:
                    more = "" if "!" in content.source else _UNPACK  # said once, however deep the archives are nested
                    raise ReadError(f"{_reason(member.source, content, str(error))}{more}") from None
                archive.add(part)
            tables += done.tables
            copied += done.copied
            same &= done.same
    if reason := unread_bytes(content):
        raise ReadError(reason)
    return Done(tuple(tables), tuple(copied), same)


def _printed(names: Iterable[str], content: Content, rules: RuleSet | None) -> Iterator[tuple[str, str]]:
    """The names of an archive's members, each with how it is printed."""
    shown = Members(content.source, rules)
    return ((name, shown.printed(name)[0]) for name in names)


def _reason(member: str, content: Content, reason: str) -> str:
    inner = member.removeprefix(content.source).lstrip("!")
    return f"{inner}: {reason}" if inner else reason


class _Zip:
    """The members come in the archive's order, folders left out: those are carried along."""

    def __init__(self, content: Content, target: Path, rules: RuleSet | None) -> None:
        self._names = Members(content.source, rules)
        with reading(), content.open() as raw:
            try:
                with zipfile.ZipFile(raw) as source:
                    entries = source.infolist()
            except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
                raise ReadError(archives.reason(error, "zip")) from None
        self.names = [entry.filename for entry in entries]
        self._entries = iter(entries)
        self._archive = zipfile.ZipFile(target, "w")

    def __enter__(self) -> _Zip:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            for entry in self._entries:
                self._archive.writestr(_entry(entry, self._names), b"")
        self._archive.close()

    def add(self, part: Path) -> None:
        for entry in self._entries:
            if archives.is_folder(entry):
                self._archive.writestr(_entry(entry, self._names), b"")
                continue
            new = _entry(entry, self._names)
            new.file_size = part.stat().st_size
            with open(part, "rb") as source, self._archive.open(new, "w") as member:
                shutil.copyfileobj(source, member, 1 << 20)
            return


def _entry(old: zipfile.ZipInfo, names: Members) -> zipfile.ZipInfo:
    """A member's name as it is printed, date, permissions and compression. Comments and extra fields are dropped."""
    new = zipfile.ZipInfo(names.printed(old.filename)[0], old.date_time)
    new.compress_type, new.external_attr, new.create_system = old.compress_type, old.external_attr, old.create_system
    return new


class _Tar:
    """As `_Zip`; links go along with what they point to inside the archive."""

    def __init__(self, content: Content, target: Path, rules: RuleSet | None) -> None:
        self._names = Members(content.source, rules)
        # All at once: readers of one temporary file share its position.
        with reading(), content.open() as raw:
            found = [entry for entry, _ in entries(content, raw)]
        self.names = [entry.name for entry in found]
        self._entries = iter(found)
        self._archive = tarfile.open(target, "w", format=tarfile.PAX_FORMAT)  # noqa: SIM115

    def __enter__(self) -> _Tar:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            for entry in self._entries:
                self._archive.addfile(_plain(entry, self._names))
        self._archive.close()

    def add(self, part: Path) -> None:
        for entry in self._entries:
            if not entry.isreg():
                self._archive.addfile(_plain(entry, self._names))
                continue
            new = _plain(entry, self._names)
            new.size = part.stat().st_size
            with open(part, "rb") as source:
                self._archive.addfile(new, source)
            return


def _plain(old: tarfile.TarInfo, names: Members) -> tarfile.TarInfo:
    """A member's name as it is printed, date, permissions and kind; its owner is dropped."""
    new = tarfile.TarInfo(names.printed(old.name)[0])
    new.mtime, new.mode, new.type, new.linkname = old.mtime, old.mode, old.type, names.known(old.linkname)
    if old.isreg():
        new.type = tarfile.REGTYPE  # sparse ones are written in full
    return new
