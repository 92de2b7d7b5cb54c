"""Which reader reads which kind of content: piiscan's own readers and those of other packages, in one table.

Text is no kind here: what no structure identifies is read as delimited text, JSON or lines (`piiscan.io.walk`).
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol

from piiscan.core import plugins
from piiscan.core.errors import PiiscanError, ReadError, UsageError
from piiscan.core.types import Batch, Found, NotScanned
from piiscan.io.content import Content, ReadContent, ReadTable, is_failure
from piiscan.io.encodings.survey import looks_like_text
from piiscan.io.messages import notations
from piiscan.io.read_options import ReadOptions

GROUP: Final = "piiscan.readers"
BUILT_IN: Final = {
    "parquet": "piiscan.io.columnar.parquet:parquet_tables",
    "arrow": "piiscan.io.columnar.arrow:arrow_tables",
    "arrow stream": "piiscan.io.columnar.arrow:stream_tables",
    "avro": "piiscan.io.nested.avro:tables",
    "excel": "piiscan.io.workbooks.excel:tables",
    "sqlite": "piiscan.io.databases.sqlite:tables",
    "duckdb": "piiscan.io.databases.duck:tables",
    "pg_dump": "piiscan.io.dumps.custom:tables",
    "office document": "piiscan.io.documents.office:tables",
    "pdf": "piiscan.io.documents.pdf:tables",
}
"""Kind → the function that finds its tables; imported with the first content of the kind."""
EMBEDDING: Final = frozenset(("excel", "pg_dump", "office document", "pdf"))
"""Kinds of which other contents are a part; their readers take what reads those, too."""
COMPRESSIONS: Final = ("gzip", "bzip2", "xz", "zstd")
"""Kinds that hold one file."""
ARCHIVES: Final = ("zip", "tar")
TEXTS: Final = (
    *"csv tsv json jsonl text yaml toml xml ini env netrc html code mail vcard icalendar ldif rtf".split(),
    *notations.FORMATS,
)
"""Formats of texts."""
READ_ENDINGS: Final = frozenset(
    "csv tsv tab psv txt log json jsonl ndjson parquet pq arrow arrows feather ipc avro xlsx xlsm xlsb xls ods "
    "docx docm dotx dotm pptx pptm potx potm ppsx ppsm odt ott odm odp otp odg otg "
    "sqlite sqlite3 db db3 duckdb ddb gz bz2 xz zst zip tar tgz tbz2 txz dat data".split()
)
"""Endings of what piiscan reads itself: they promise another content than an unknown binary one."""


class Probe(NamedTuple):
    """What identifies a content's kind: its first and last bytes, its size, and the ending of its name.

    The ending is in small letters, without the dot.
    """

    head: bytes
    tail: bytes
    size: int
    suffix: str

    @property
    def is_plain(self) -> bool:
        """Whether the first bytes have nothing that only binary content has."""
        return b"\0" not in self.head[:4096] and looks_like_text(self.head[:4096])


class Reader(Protocol):
    """A reader of one kind of content, as other packages bring it under the entry point group `piiscan.readers`.

    The entry point's name is the kind's, and the `format` of its tables.
    """

    @property
    def endings(self) -> Collection[str]:
        """Endings of names, in small letters and without the dot.

        A kind that is text is read only below one of them: any text may begin like another. None of `READ_ENDINGS`.
        """

    def recognises(self, probe: Probe) -> bool:
        """Whether a content is of this kind, by its bytes. Asked only where no reader of piiscan's own is for it."""

    def tables(self, content: Content, options: ReadOptions) -> Iterator[ReadTable | NotScanned]:
        """The tables, and what of the content can't be read.

        Every byte that became cells, or that the format needs for itself, is claimed by `content.account.read` or
        `content.read_whole` when it has been read: what nobody claims is reported as not scanned. Raises `ReadError`.
        """


class _Plugged:
    """A plug-in's reader, which isn't trusted to answer as it should.

    What goes wrong in it is a `ReadError`, without the message, which may quote cells.
    """

    def __init__(self, name: str, title: str, reader: Any) -> None:
        self.name, self._title, self._reader = name, title, reader
        endings = getattr(reader, "endings", None)
        if not isinstance(endings, Collection) or isinstance(endings, str):
            raise UsageError(f"{title}: endings must be a collection of endings, without dots")
        if taken := sorted(READ_ENDINGS.intersection(endings)):
            raise UsageError(f"{title}: .{taken[0]} is an ending of what piiscan reads itself")
        if not all(callable(getattr(reader, method, None)) for method in ("recognises", "tables")):
            raise UsageError(f"{title}: a reader needs recognises(probe) and tables(content, options)")
        self._endings = frozenset(endings)

    def recognises(self, probe: Probe) -> bool:
        if probe.is_plain and probe.suffix not in self._endings:
            return False
        try:
            return bool(self._reader.recognises(probe))
        except Exception as error:
            raise ReadError(f"{self._title} failed to tell its kind ({type(error).__name__})") from None

    def tables(self, content: Content, options: ReadOptions) -> Iterator[Found]:
        try:
            for item in self._reader.tables(content, options):
                yield self._checked(item, content)
        except (PiiscanError, OSError, MemoryError, RecursionError):
            raise
        except BaseException as error:
            if not is_failure(error):
                raise
            raise ReadError(f"{self._title} failed ({type(error).__name__}); the rest of it was not read") from None

    def _checked(self, item: Any, content: Content) -> ReadTable | NotScanned:
        if isinstance(item, NotScanned):
            return item
        if not isinstance(item, ReadTable):
            raise ReadError(f"{self._title} gave something other than a table; the rest of it was not read")
        if item.info.source != content.source or item.info.format != self.name:
            raise ReadError(f"{self._title} gave a table of another source or format; the rest of it was not read")
        return item._replace(read=lambda: self._frames(item), first=None, pieces=None)

    def _frames(self, table: ReadTable) -> Iterator[Any]:
        """The batches, each with the columns that the table promised."""
        columns = [str(i) for i in range(len(table.info.fields))]
        for found in table.read():
            frame = found.frame if isinstance(found, Batch) else found
            if frame.columns != columns:
                raise ReadError(f"{self._title} gave other columns than it promised; the rest of it was not read")
            yield found


def plugged() -> dict[str, _Plugged]:
    """The readers of other packages by kind. Raises `UsageError` for one that can't be used."""
    return _plugged(tuple(sys.path))


@lru_cache(maxsize=1)
def _plugged(path: tuple[str, ...]) -> dict[str, _Plugged]:
    points = plugins.named(GROUP, frozenset((*BUILT_IN, *COMPRESSIONS, *ARCHIVES, *TEXTS)))
    return {name: _Plugged(name, plugins.title(point), plugins.loaded(point)) for name, point in points.items()}


def recognised(probe: Probe) -> str | None:
    """The kind of a content that a plug-in reads, if any. Raises `ReadError` where several would."""
    found = [name for name, reader in plugged().items() if reader.recognises(probe)]
    if len(found) > 1:
        raise ReadError(f"several plug-ins read it ({', '.join(found)}); remove all but one")
    return found[0] if found else None


def tables(kind: str, content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Found]:
    """The tables of a content of a kind that is in the table. `read`: reads what is embedded in it."""
    if kind not in BUILT_IN:
        return plugged()[kind].tables(content, options)
    module, _, function = BUILT_IN[kind].partition(":")
    find = getattr(import_module(module), function)
    found: Iterator[Found] = find(content, options, read) if kind in EMBEDDING else find(content, options)
    return found
