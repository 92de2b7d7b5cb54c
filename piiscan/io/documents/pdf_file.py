"""An open PDF file, of which every object that it lists is looked at.

A stream is one of four: a page, form or annotation shows its text; it is known to hold none; it is a file that is
attached, and read as one; or it is reported as not read. What pypdf repairs or passes over it tells its log, which
nobody sees, as it quotes the file: each such message counts as damage.
"""

from __future__ import annotations

import errno
import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import LimitReachedError
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

from piiscan.core import shares
from piiscan.core.errors import ReadError
from piiscan.io.archives.parts import SIGNED
from piiscan.io.content import is_failure
from piiscan.io.documents import pdf_text
from piiscan.io.documents.pdf_objects import Objects
from piiscan.io.documents.pdf_text import PageText, Reader, data_of, entry, placed
from piiscan.io.encodings.survey import looks_like_text

_MOST_PAGES: Final = 20_000
_STREAMS: Final = (64 << 20, 200)
"""Bytes of content streams that all pages together may have: so many, and so many times the file's size."""
_PER_OPERATION: Final = 400
"""Bytes of memory that an operand or operator of a content stream takes."""
_PER_PACKED: Final = 20
"""Bytes of memory that a byte of packed objects takes."""
_STREAM_LIMITS: Final = (
    "maximum_declared_stream_length array_based_stream_maximum_output_length lzw_maximum_output_length "
    "run_length_maximum_output_length zlib_maximum_output_length brotli_maximum_output_length "
    "image_maximum_buffer_size"
).split()
_OBJECT: Final = re.compile(rb"(?<![^\0\t\n\f\r ])(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+obj(?![A-Za-z])")
_END: Final = re.compile(rb"[\0\t\n\f\r ]*endobj")
_TABLE_STREAM: Final = re.compile(rb"/Type\s*/XRef")
_TABLES: Final = re.compile(
    rb"(?<![a-z])xref(?:\s+\d+\s+\d+(?:\s+\d{10} \d{5} [nf])*)+|startxref\s*\d+|%%EOF|%PDF-\d\.\d|%[\x80-\xff]{2,12}"
)
"""The tables and marks between objects, beside trailers."""
_MOST_DAMAGES: Final = 200
"""Each may cost a search through the whole file."""
_LISTED: Final = 5
"""Numbers of pages that a reason names."""


class PdfFile:
    """An open PDF file. `found`: what is said beside the text of pages. Raises `ReadError` if it can't be opened."""

    def __init__(self, raw: BinaryIO, size: int) -> None:

        self.found = Objects()
        self._raw = raw
        self._warnings = 0
        self._spent = _STREAMS[0] + _STREAMS[1] * size
        self._seen: set[int] = set()
        self._unread: dict[str, list[int]] = {}
        self._reasons: list[str] = []
        self._pictures = self._streams = self._damaged = 0
        self._limits = _limits()
        with self._step("a PDF file without readable pages; save it again with its program"):
            self._pdf: Any = PdfReader(raw)
            if self._pdf.is_encrypted and not self._pdf.decrypt(""):
                raise ReadError("encrypted; save it without a password")
            self._check_packed()
            self.pages = len(self._pdf.pages)
            self._reader = Reader(self._pdf, self._spend, lambda: self._warnings)
        if self.pages > _MOST_PAGES:
            raise ReadError(f"a PDF file of more than {_MOST_PAGES:,} pages; save it in parts")
        self._damaged = self._warnings

    @contextmanager
    def _step(self, reason: str | None = None) -> Iterator[list[str]]:
        """A step of reading: with limits, without a log, and with no other error than `ReadError`.

        Where no `reason` is given, errors end the step and are in the list.
        """
        if self._warnings > _MOST_DAMAGES:
            raise ReadError("damaged in too many places; save it again with its program")
        failures: list[str] = []
        heard = _Heard()
        try:
            with apply_configuration(self._limits), heard:
                yield failures
        except ReadError as error:
            failures.append(str(error))
        except LimitReachedError:
            failures.append("more than may be read")
        except MemoryError:
            raise
        except BaseException as error:
            # Places in a damaged file may be ones that no file has.
            if not is_failure(error) or (isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)):
                raise
            failures.append("damaged")
        finally:
            self._warnings += heard.count
        if failures and reason is not None:
            raise ReadError(reason if failures[0] == "damaged" else failures[0])

    def _check_packed(self) -> None:
        """Raise `ReadError` where objects that are packed together take too much memory."""
        left = shares.document() // _PER_PACKED
        for number in sorted({number for number, _ in self._pdf.xref_objStm.values()}):
            packed = self._pdf.get_object(number)
            left -= len(data_of(packed)) if isinstance(packed, StreamObject) else 0
            if left < 0:
                raise ReadError("a PDF file of more objects than fit into memory; allow more with --memory")

    def _spend(self, size: int) -> None:
        self._spent -= size
        if self._spent < 0:
            raise ReadError("more than may be read")

    def page(self, number: int) -> list[str]:
        """The lines of a page, of its annotations too."""
        page, lines = PageText(), list[str]()
        before = self._warnings
        with self._step() as failures:
            held = self._pdf.pages[number - 1]
            contents = held.raw_get("/Contents") if "/Contents" in held else None
            self._mark(contents)
            resources = entry(held, "/Resources")
            try:
                if contents is not None:
                    self._reader.read(contents.get_object(), resources, page)
                self._annotations(held, resources, page)
            finally:
                lines = pdf_text.lines(page.pieces)
        self._seen |= page.seen
        self._pictures += page.pictures
        if failures:
            self._unread.setdefault(failures[0], []).append(number)
        elif self._warnings > before:
            self._unread.setdefault("damaged", []).append(number)
        if page.is_unknown:
            self._unread.setdefault("unknown", []).append(number)
        elif not lines and page.is_drawn:
            self._unread.setdefault("drawn", []).append(number)
        return lines

    def _mark(self, contents: Any) -> None:
        """Note which streams the content of a page is made of."""
        if isinstance(contents, IndirectObject):
            self._seen.add(contents.idnum)
            contents = contents.get_object()
        if isinstance(contents, ArrayObject):
            self._seen |= {one.idnum for one in contents if isinstance(one, IndirectObject)}

    def _annotations(self, held: Any, resources: Any, page: Any) -> None:
        """What annotations and fields show, where it stands on the page."""
        annotations = entry(held, "/Annots")
        for one in annotations if isinstance(annotations, ArrayObject) else ():
            annotation = one.get_object()
            shown = entry(entry(annotation, "/AP"), "/N")
            if isinstance(shown, DictionaryObject) and not isinstance(shown, StreamObject):
                state = entry(annotation, "/AS")
                shown = entry(shown, state) if state is not None else None
            if isinstance(shown, StreamObject):
                self._reader.form(shown, resources, page, placed(shown, entry(annotation, "/Rect")))

    def objects(self) -> None:
        """Look at all objects."""
        with self._step():
            self.found.properties_of(entry(self._pdf.trailer, "/Info"))
        numbers = {(number, generation) for generation, held in self._pdf.xref.items() for number in held}
        numbers |= {(number, 0) for number in self._pdf.xref_objStm}
        numbers.discard((0, 65535))
        information, key = (_number_in(self._pdf.trailer, name) for name in ("/Info", "/Encrypt"))
        self._raw.seek(0)
        data = self._raw.read()
        for number, generation in sorted(numbers):
            place = self._pdf.xref.get(generation, {}).get(number, len(data))
            if self._pdf.is_encrypted and (number == key or _TABLE_STREAM.search(data, place, place + 1000)):
                continue  # they aren't encrypted, and pypdf takes them for it
            with self._noting_damage():
                is_packed = number in self._pdf.xref_objStm
                if not is_packed:  # read again, to see what is behind it; packed ones are all read at once
                    self._pdf.resolved_objects.pop((generation, number), None)
                held = self._pdf.get_object(IndirectObject(number, generation, self._pdf))
                place = self._raw.tell()
                if number != information:
                    self.found.add(number, held)
                if not is_packed:
                    self._pdf.resolved_objects.pop((generation, number), None)
                    if _END.match(data, place) is None:
                        raise ReadError("something else in an object")
        with self._noting_damage():
            for _ in self.found.unseen(self._seen, self._show):
                self._streams += 1
        with self._noting_damage():
            self.found.add(0, self._pdf.trailer)
            self._between(data)
        self._damaged += self._unlisted(data, numbers)
        if any("/XFA" in roles for roles in self.found.roles.values()):
            self._reasons.append("an XFA form, which isn't read; print it to a PDF file, and scan that")

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        before = self._warnings
        with self._step() as failures:
            yield
        self._damaged += bool(failures) or self._warnings > before

    def _show(self, form: StreamObject) -> None:
        """Add what a form says that no page shows."""
        page = PageText()
        try:
            self._reader.form(form, None, page)
        finally:
            for line in pdf_text.lines(page.pieces):
                self.found.texts.say(line)
        self._streams += page.is_unknown

    def _unlisted(self, data: bytes, numbers: set[tuple[int, int]]) -> int:
        """How many objects the file has that its table doesn't list."""
        free = {number for held in self._pdf.xref_free_entry.values() for number in held}
        listed = {number for number, _ in numbers} | free
        return sum(
            int(found[1]) not in listed and not _TABLE_STREAM.search(data, found.end(), found.end() + 1000)
            for found in _OBJECT.finditer(data)
        )

    def _between(self, data: bytes) -> None:
        """Add the lines that stand between objects, where a file has nothing but its tables. Raises `ReadError`."""
        at, outside = 0, list[bytes]()
        for found in _OBJECT.finditer(data):
            if found.start() < at:
                continue
            outside.append(data[at : found.start()])
            end = data.find(b"endobj", found.end())
            at = end + len(b"endobj") if end >= 0 else found.end()
        *parts, last = b"\n".join([*outside, data[at:]]).split(b"startxref")
        for i, part in enumerate(parts):
            before, _, trailer = part.partition(b"trailer")
            parts[i] = b"%b %b %b" % (before, trailer.partition(b"<<")[0], trailer.rpartition(b">>")[2])
        rest = _TABLES.sub(b" ", b"startxref".join([*parts, last])).strip(b"\0\t\n\f\r ")
        if not looks_like_text(rest):
            raise ReadError("binary content between objects")
        for line in rest.decode("utf-8", "replace").splitlines():
            self.found.texts.say(line)

    def data(self, number: int) -> bytes | None:
        """An attached file; None where it can't be read."""
        before, data = self._warnings, b""
        with self._step() as failures:
            data = data_of(self.found.streams[number])
        return None if failures or self._warnings > before else data

    def reasons(self) -> Iterator[str]:
        """What wasn't read, and what to do."""
        for why, numbers in self._unread.items():
            yield _PAGES.get(why, "{} can't be read whole: {why}; save it in parts").format(_pages(numbers), why=why)
        if pictures := self._pictures + self.found.pictures:
            yield f"{_counted(pictures, 'picture')} read; recognise the text in it, or save it without them"
        if self._streams:
            yield f"{_counted(self._streams, 'stream')} read, which no page shows; save it again with its program"
        if self.found.is_signed:
            yield SIGNED
        if self._damaged:
            yield "a damaged file, of which parts may be missing; save it again with its program"
        yield from self._reasons


_PAGES: Final = {
    "damaged": "{} can't be read whole, being damaged; save the file again with its program",
    "unknown": "{} has text in fonts that don't say which characters they show; recognise its text, or save it anew",
    "drawn": "{} shows pictures or drawings and no text; recognise the text in it",
}


def _number_in(held: DictionaryObject, key: str) -> int | None:
    """The number of the object that a dictionary refers to."""
    found = held.raw_get(key) if key in held else None
    return found.idnum if isinstance(found, IndirectObject) else None


def _pages(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers[:_LISTED]))
    return f"page {listed}" + (f" and {len(numbers) - _LISTED:,} more" if len(numbers) > _LISTED else "")


def _counted(count: int, what: str) -> str:
    return f"1 {what} wasn't" if count == 1 else f"{count:,} {what}s weren't"


def _limits() -> Any:
    """What pypdf may take for a stream. No program is started for pictures."""
    most = min(75_000_000, shares.document() // 8)
    return Configuration().with_overwrites(
        **dict.fromkeys(_STREAM_LIMITS, most),
        stream_parsing_work_maximum_count=min(2_000_000, shares.document() // _PER_OPERATION),
        jbig2dec_binary=None,
    )


class _Heard(logging.Handler):
    """Counts what pypdf logs in this thread, in place of its handlers: messages quote the file."""

    _lock_of_all: Final = threading.Lock()
    _usual: Final[list[tuple[list[logging.Handler], bool]]] = []
    _open: Final[list[_Heard]] = []

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread and record.levelno >= logging.WARNING:
            self.count += 1

    def __enter__(self) -> _Heard:
        log = logging.getLogger("pypdf")
        with self._lock_of_all:
            if not self._open:
                self._usual.append((log.handlers[:], log.propagate))
                log.handlers.clear()
                log.propagate = False
            self._open.append(self)
            log.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        log = logging.getLogger("pypdf")
        with self._lock_of_all:
            self._open.remove(self)
            log.removeHandler(self)
            if not self._open:
                log.handlers[:], log.propagate = self._usual.pop()
