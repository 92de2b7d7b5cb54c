"""Compressed files and archives, unpacked one member at a time into a temporary file without a name, within limits.

What can be unpacked is read, whatever is wrong with the rest; what can't is reported.
"""

from __future__ import annotations

import errno
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from piiscan.core.errors import ReadError
from piiscan.core.types import NotScanned
from piiscan.io.archives.streams import unpacked
from piiscan.io.archives.unpacking import DAMAGED, Member, blocks, comments, copied, unpacked_member
from piiscan.io.content import Content, os_reason
from piiscan.io.printed_names import Members
from piiscan.io.read_options import Budget

if TYPE_CHECKING:
    from piiscan.rules.definitions import RuleSet

_BLOCK = 1 << 20
_DAMAGE = (EOFError, zlib.error, ValueError, NotImplementedError, RuntimeError, OverflowError, zipfile.BadZipFile)


def reason(error: BaseException, kind: str) -> str:
    """Why an archive can't be read: its own damage, or a fault of the system's, which zipfile calls damage too."""
    fault = error if isinstance(error, OSError) else error.__context__
    # Offsets in a damaged archive lead to places that no file has.
    if isinstance(fault, OSError) and fault.errno not in (None, errno.EINVAL):
        return os_reason(fault)
    return f"damaged or truncated {kind} archive; fetch it again"


def decompressed(
    content: Content, kind: str, budget: Budget, names: list[str] | None = None
) -> tuple[Content, ReadError | None]:
    """Decompress a file; return the content, and why that isn't all of it.

    The names that its headers give it are added to `names`. Raises `ReadError` where it goes beyond the limits.
    """
    with content.open() as raw:
        file, failure = copied(unpacked(raw, kind, names), content.size, budget)
    content.read_whole()
    return Content.temporary(content.source, file, f"{content.compression}+{kind}".lstrip("+")), failure


def members(content: Content, kind: str, budget: Budget, rules: RuleSet | None = None) -> Iterator[Member]:
    """The files in a zip or tar archive, in its order.

    Names serve as names only: nothing is ever written under one. `rules`: those that, besides the shipped ones, say
    which names identify somebody.
    """
    if kind == "tar":
        from piiscan.io.archives import tar

        read: Callable[[Content, Budget, Members], Iterator[Member]] = tar.members
    else:
        read = _zip
    try:
        yield from read(content, budget, Members(content.source, rules))
    except ReadError as error:
        yield NotScanned(content.source, str(error))
    except (*_DAMAGE, OSError) as error:
        yield NotScanned(content.source, reason(error, kind))


def is_folder(entry: zipfile.ZipInfo) -> bool:
    """Whether a member is only the name of a folder; some archives store data under such a name."""
    return entry.is_dir() and not entry.file_size and entry.compress_size <= 2


def _zip(content: Content, budget: Budget, names: Members) -> Iterator[Member]:
    from piiscan.io.archives.zipped import account, check_directory, notes

    with content.open() as raw:
        check_directory(raw, content.size)
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
