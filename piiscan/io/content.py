"""The bytes of one input, wherever they come from, and tables made of them."""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from piiscan.core.errors import ReadError
from piiscan.core.types import Batch, Found, TableInfo
from piiscan.io.read_options import Budget, ReadOptions

if TYPE_CHECKING:
    import polars as pl

HEAD_BYTES = 1 << 18


class Account:
    """Tracks which bytes of a content its readers accounted for.

    Those are bytes that became cells, and bytes that the format itself needs.

    A reader calls `read` for every range that it is done with. Ranges that nobody claims are reported as not scanned
    once every table of the content has been read to its end (`io.walk.found_in`), so a reader that skips bytes can't be
    silent about it. Threads may share one. `at`: how far its reader has come, in bytes, for a progress display; 0 where
    unknown.
    """

    __slots__ = ("_lock", "_ranges", "at", "tables", "tables_read")

    def __init__(self) -> None:
        self.at = 0
        self._lock = Lock()
        self._ranges: list[tuple[int, int]] = []
        self.tables = 0
        self.tables_read = 0

    def read(self, start: int, end: int) -> None:
        """Record that the bytes from `start` up to `end` (not included) are accounted for."""
        with self._lock:
            if self._ranges and self._ranges[-1][1] == start:
                self._ranges[-1] = self._ranges[-1][0], end
            elif end > start:
                self._ranges.append((start, end))

    def unread(self, size: int) -> list[tuple[int, int]]:
        """The ranges of a content of `size` bytes that nobody accounted for, in order."""
        gaps, at = [], 0
        with self._lock:
            for start, end in sorted(self._ranges):
                if start > at:
                    gaps.append((at, start))
                at = max(at, end)
        return gaps if at >= size else [*gaps, (at, size)]

    def table_read(self) -> None:
        """Record that one of the content's tables was read to its end."""
        with self._lock:
            self.tables_read += 1

    @property
    def is_settled(self) -> bool:
        """Whether every table that was handed out has been read to its end."""
        return self.tables_read >= self.tables


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Content:
    """The bytes of one input: a regular file at `path`, or an unnamed temporary `file` that holds what was unpacked.

    `source` is its name in the report; `compression` names what was undone to get here ("gzip"; "" for nothing).
    `account` keeps which of its bytes were read; `stamp` what the file system said of a regular file at first.
    """

    source: str
    path: str | None = None
    file: IO[bytes] | None = field(default=None, repr=False)
    compression: str = ""
    account: Account = field(default_factory=Account, repr=False, compare=False)
    stamp: tuple[int, ...] = field(default=(), repr=False, compare=False)

    @staticmethod
    def on_disk(source: str, path: str, found: os.stat_result) -> Content:
        """The content of a regular file, with what `os.stat` found of it."""
        return Content(source, path, stamp=_stamp(found))

    def as_it_is_now(self) -> Content:
        """The content of the file as it is now, when reading begins: it may have been listed long before."""
        try:
            return self if self.path is None else replace(self, stamp=_stamp(os.stat(self.path)))  # noqa: PTH116
        except OSError:  # which its reader will say
            return self

    def has_changed(self) -> bool:
        """Whether the file, its size or its time of change differs from the first look; False for temporary ones."""
        try:
            return bool(self.stamp) and _stamp(os.stat(cast(str, self.path))) != self.stamp  # noqa: PTH116
        except OSError:
            return True

    @staticmethod
    def temporary(source: str, file: IO[bytes], compression: str = "") -> Content:
        """The content of a temporary file, which is closed (and so removed) with the last table that reads it."""
        content = Content(source, file=file, compression=compression)
        weakref.finalize(content, file.close)
        return content

    def open(self) -> BinaryIO:
        """A reader at the first byte. Close it; a temporary file underneath stays open."""
        if self.file is None:
            return open(cast(str, self.path), "rb")
        self.file.seek(0)
        # A descriptor of its own would share the position anyway; readers of one input take turns.
        return cast(BinaryIO, io.BufferedReader(io.FileIO(os.dup(self.file.fileno()), "rb")))

    def for_polars(self) -> str | IO[bytes]:
        """What a polars reader takes: the path, of an unnamed file too where the system has one, or the open file."""
        if self.file is None:
            return cast(str, self.path)
        path = f"/proc/self/fd/{self.file.fileno()}"
        if Path(path).exists():
            return path
        self.file.seek(0)
        return self.file

    def path_for_others(self) -> str | None:
        """Where other processes find the bytes for as long as this content is there; None where they can't."""
        if self.path is not None:
            return os.path.abspath(self.path)  # noqa: PTH100
        path = f"/proc/{os.getpid()}/fd/{cast(IO[bytes], self.file).fileno()}"
        return path if Path(path).exists() else None

    @contextmanager
    def named(self) -> Iterator[str]:
        """A path for readers that open nothing else.

        That of a temporary file's copy is gone when the context ends; what was opened until then can be read on.
        """
        if self.path is not None:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="piiscan-", ignore_cleanup_errors=True) as folder:
            path = os.path.join(folder, "content")  # noqa: PTH118
            with self.open() as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            yield path

    @property
    def size(self) -> int:
        found = os.stat(cast(str, self.path)) if self.file is None else os.fstat(self.file.fileno())  # noqa: PTH116
        return found.st_size

    def read_whole(self) -> None:
        """Account for every byte: for readers that end with an error unless they have come to the last one."""
        self.account.read(0, self.size)

    def contains(self, pattern: re.Pattern[bytes], longest: int) -> bool:
        """Whether a pattern, of at most so many bytes, occurs anywhere."""
        rest = b""
        with self.open() as stream:
            while block := stream.read(1 << 20):
                if pattern.search(rest + block):
                    return True
                rest = block[-longest:]
        return False

    def head(self, count: int = HEAD_BYTES) -> bytes:
        with self.open() as stream:
            return stream.read(count)


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def spool() -> IO[bytes]:
    """A temporary file without a name: nothing is left behind, however the process ends."""
    return tempfile.TemporaryFile(prefix="piiscan-")


class Piece(NamedTuple):
    """Some rows of a table, for any process to read: a function that can be pickled, and what it is called with.

    It gives frames of them, or None where they aren't regular, and the table's own reader has to place them.
    """

    read: Callable[..., Iterator[pl.DataFrame] | None]
    arguments: tuple[Any, ...]

    def __call__(self) -> Iterator[pl.DataFrame] | None:
        return self.read(*self.arguments)


class Pieces(NamedTuple):
    """A table of about `size` bytes in pieces, one behind the other.

    `rest` reads what is behind the first so many of those that `cut` has given, which had so many rows, and raises what
    the table's reader has to say at its end. `goes_on`: it can do so behind any piece; otherwise it reads all or
    nothing, since how far it comes in a damaged file depends on where it begins. `tell` is called with how many are
    done.
    """

    size: int
    cut: Callable[[], Iterator[Piece]]
    rest: Callable[[int, int], Iterator[Batch]]
    goes_on: bool
    tell: Callable[[int], None] | None = None


def next_piece(cut: Iterator[Piece]) -> Piece | None:
    """The next piece; None behind the last one, and where cutting fails, which the table's reader will meet there."""
    try:
        return next(cut, None)
    except Exception:
        return None


class ReadTable(NamedTuple):
    """A table whose cells are read by `read` when they are asked for.

    `origin`: what its format must know to write it again. `first`: reads so many of the first rows and no more, where a
    format can. `pieces`: for several processes to read, where the format allows that; instead of `read`.
    """

    info: TableInfo
    read: Callable[[], Iterator[pl.DataFrame | Batch]]
    rows: int | None = None
    origin: Any = None
    first: Callable[[int], Iterator[pl.DataFrame | Batch]] | None = None
    pieces: Pieces | None = None

    def batches(self) -> Iterator[Batch]:
        """The rows in order, at most `rows` of them. Raises `ReadError` where the rest can't be read."""
        yield from batches_of(self.read(), 0, self.rows, self.info.format)


def batches_of(
    frames: Iterator[pl.DataFrame | Batch], offset: int, rows: int | None = None, kind: str = "file"
) -> Iterator[Batch]:
    """Frames with their places, from row `offset` on, at most `rows` of them.

    Raises `ReadError` where the rest of a file of such a kind can't be read.
    """
    left = rows
    try:
        while left is None or left > 0:
            frame = next(frames, None)
            if frame is None:
                return
            batch = frame if isinstance(frame, Batch) else Batch(frame, offset)
            if left is not None:
                batch = batch._replace(frame=batch.frame.head(left))
                left -= batch.frame.height
            offset = (batch.offset or 0) + batch.frame.height
            if batch.frame.height:
                yield batch
    except ReadError:
        raise
    except MemoryError:
        raise ReadError("not enough memory to read it") from None
    except OSError as error:
        raise ReadError(os_reason(error)) from None
    except BaseException as error:
        if not is_failure(error):
            raise
        # Messages of readers quote cells: only the kind of error may be told.
        raise ReadError(f"malformed {kind} ({type(error).__name__}); the rest of it was not read") from None


def is_failure(error: BaseException) -> bool:
    """Whether an error is a reader's own: panics of Rust libraries aren't `Exception`s."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def describe(content: Content) -> tuple[tuple[str, str], ...]:
    """What `TableInfo.details` says of the bytes themselves."""
    return (("compression", content.compression),) if content.compression else ()


def os_reason(error: OSError) -> str:
    """One line for an error of the operating system, without the path it carries."""
    if isinstance(error, PermissionError):
        return "permission denied; grant read access or exclude it"
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return f"can't be read: {error.strerror or type(error).__name__}"


ReadContent = Callable[[Content, bool, ReadOptions, Budget, int], Iterator[Found]]
"""Finds the tables of a content: `piiscan.io.walk.found_in`."""
