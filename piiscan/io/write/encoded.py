"""Text in the encoding that it had: what was read as UTF-8 goes back to bytes."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from piiscan.core.errors import WriteError
from piiscan.io.content import Content
from piiscan.io.encodings.encoding import Encoding

_BACK = "piiscan-back"
_UNDEFINED = frozenset("\x81\x8d\x8f\x90\x9d")
"""Bytes that cp1252 has no character for are read as these."""
_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@contextmanager
def opened(target: Path, content: Content, encoding: Encoding) -> Iterator[BinaryIO]:
    """A file that takes UTF-8 and holds it in `encoding`, with the byte order mark that `content` has."""
    with open(target, "wb", buffering=1 << 20) as file:
        if encoding.is_utf8:
            yield file
            return
        name, head = encoding.name, content.head(4)
        if name in ("utf-16", "utf-32"):
            mark = next((mark for mark in _MARKS if head.startswith(mark) and _WIDE[mark].startswith(name)), b"")
            file.write(mark)
            name = _WIDE[mark] if mark else name + "-le"
        encoder = _Encoder(file, name, content.source)
        yield cast(BinaryIO, encoder)
        encoder.finish()


class _Encoder(io.RawIOBase):
    def __init__(self, file: BinaryIO, name: str, source: str) -> None:
        codecs.register_error(_BACK, _back)
        self._file, self._name, self._source = file, name, source
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._encoder = codecs.getincrementalencoder(name)(_BACK)

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._put(self._decoder.decode(data), False)
        return len(data)

    def finish(self) -> None:
        self._put(self._decoder.decode(b"", True), True)

    def _put(self, text: str, final: bool) -> None:
        try:
            self._file.write(self._encoder.encode(text, final))
        except UnicodeEncodeError:
            raise WriteError(
                f"{self._source}: a new value has characters that {self._name} lacks; convert the file to "
                "UTF-8 first, or choose other values"
            ) from None


def _back(error: UnicodeError) -> tuple[str | bytes, int]:
    """Characters that stand for bytes which their encoding doesn't define, as those bytes."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    if not set(wrong) <= _UNDEFINED:
        raise error
    return wrong.encode("latin-1"), error.end
