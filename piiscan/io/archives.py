"""Compressed files and archives, unpacked one member at a time into a temporary file without a name, within limits."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

from piiscan.errors import ReadError
from piiscan.io.content import Content, spool
from piiscan.io.options import Budget
from piiscan.types import NotScanned

_BLOCK = 1 << 20
_DAMAGE = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)


def decompressed(content: Content, kind: str, budget: Budget) -> Content:
    """What a compressed file holds. Raises `ReadError` where it is damaged or goes beyond the limits."""
    with content.open() as raw:
        try:
            with _opened(raw, kind) as stream:
                file = _copy(stream, content.size, budget)
        except (ReadError, MemoryError):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ReadError(f"damaged or truncated {kind} file; fetch it again") from None
    return Content.temporary(content.source, file, f"{content.compression}+{kind}".lstrip("+"))


def _opened(raw: BinaryIO, kind: str) -> Any:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if kind == "bzip2":
        return bz2.BZ2File(raw)
    if kind == "xz":
        return lzma.LZMAFile(raw)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdFile(raw)


def members(content: Content, kind: str, budget: Budget) -> Iterator[Content | NotScanned]:
    """The files in a zip or tar archive, in its order. Names serve as names only: nothing is ever written under one."""
    try:
        yield from _zip(content, budget) if kind == "zip" else _tar(content, budget)
    except ReadError as error:
        yield NotScanned(content.source, str(error))
    except (*_DAMAGE, OSError):
        yield NotScanned(content.source, f"damaged or truncated {kind} archive; fetch it again")


def _zip(content: Content, budget: Budget) -> Iterator[Content | NotScanned]:
    with content.open() as raw, zipfile.ZipFile(raw) as archive:
        for entry in archive.infolist():
            if entry.is_dir():
                continue
            budget.member()
            source = f"{content.source}!{entry.filename}"
            if entry.flag_bits & 1:
                yield NotScanned(source, "encrypted; unpack it with its password first")
                continue
            try:
                with archive.open(entry) as stream:
                    file = _copy(stream, entry.compress_size, budget)
            except NotImplementedError:
                yield NotScanned(source, "a zip compression that isn't read; unpack it first")
            except _DAMAGE:
                yield NotScanned(source, "damaged or truncated in its archive; fetch it again")
            else:
                yield Content.temporary(source, file)


def _tar(content: Content, budget: Budget) -> Iterator[Content | NotScanned]:
    with content.open() as raw, tarfile.open(fileobj=raw, mode="r:") as archive:
        for entry in archive:
            if entry.isdir():
                continue
            budget.member()
            source = f"{content.source}!{entry.name}"
            if entry.islnk():
                continue  # another name of a file that the archive holds too
            if not entry.isreg():
                if not entry.issym():
                    yield NotScanned(source, "not a regular file")
                continue
            stream = archive.extractfile(entry)
            if stream is None:
                continue
            with stream:
                # A tar stores its members as they are; a sparse one may claim any size.
                file = _copy(stream, max(1, min(entry.size, content.size)), budget)
            if file.tell() < entry.size:
                yield NotScanned(source, "truncated in its archive; fetch it again")
            else:
                yield Content.temporary(source, file)
        if raw.seek(0, 2) and content.size % 512:
            yield NotScanned(content.source, "damaged or truncated tar archive; fetch it again")


def _copy(stream: IO[bytes], packed: int, budget: Budget) -> IO[bytes]:
    """The stream in a temporary file; its position is its size."""
    file, size = spool(), 0
    try:
        while block := stream.read(_BLOCK):
            size += len(block)
            budget.take(len(block), size, max(1, packed))
            file.write(block)
        file.flush()
    except BaseException:
        file.close()
        raise
    return file
