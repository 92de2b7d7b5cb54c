"""Parts of a workbook or document that is a zip archive: each read whole, within limits, or as a content of its own."""

from __future__ import annotations

import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.core.types import Found, NotScanned
from piiscan.io.content import Content, ReadContent, spool
from piiscan.io.read_options import Budget, ReadOptions

SIGNATURES: Final = re.compile(r"_xmlsignatures/[^/]+\.xml|(?:.*/)?meta-inf/\w*signatures\.xml")
"""Parts with signatures, and the certificates of who signed, by their names in small letters."""
SIGNED: Final = "a digital signature, whose certificate names who signed, wasn't read; save it without"
FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
"""What reading a damaged part raises."""


class failing(list[str]):
    """Appends to a list the reason why the block within fails. `file`: what the part is of."""

    def __init__(self, file: str = "workbook") -> None:
        super().__init__()
        self._file = file

    def __enter__(self) -> failing:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, ReadError):
            self.append(str(error))
        elif isinstance(error, FAULTS):
            self.append(f"a damaged part; save the {self._file} again in its program")
        return isinstance(error, (ReadError, *FAULTS))


def whole(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """A part. Raises `ReadError` where it doesn't fit into memory, and one of `FAULTS` where it is damaged."""
    size = entry.file_size
    if size > shares.document() // 2:
        raise ReadError(f"texts in a part of {size >> 20:,} MiB, which don't fit into memory; allow more with --memory")
    return archive.read(entry)


def within(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: str, options: ReadOptions, read: ReadContent, file: str
) -> Iterator[Found]:
    """What is found in an embedded part, such as another workbook, by its name `source`. `file`: what it is part of."""
    stored = spool()
    with failing(file) as failure:
        if entry.file_size > options.limits.document_bytes:
            raise ReadError(f"a part above {options.limits.document_bytes >> 20} MiB; save it on its own")
        with archive.open(entry) as part:
            shutil.copyfileobj(part, stored, 1 << 20)
        stored.flush()
    if failure:
        stored.close()
        yield NotScanned(source, failure[0])
        return
    yield from read(Content.temporary(source, stored), False, options, Budget(options.limits), 1)
