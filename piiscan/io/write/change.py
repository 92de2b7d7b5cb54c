"""What a caller specifies for a table that is written again, and what it learns of the outcome."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from piiscan.core.errors import PiiscanError, ReadError, WriteError
from piiscan.core.types import Batch, Field, NotScanned, Skipped, TableInfo
from piiscan.io.content import ReadTable, is_failure, os_reason

if TYPE_CHECKING:
    import polars as pl


CHANGED = "changed while it was read; write it again"
FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""What the operating system says of a disk without space."""
_OS_ERROR = re.compile(r"\(os error (\d+)\)")


class Column(NamedTuple):
    """One column of the output. `origin`: the place of the input's column that it comes from; columns keep their order.

    `same`: its cells are those of the input. They are written exactly as they were read, and `Changed` needs no column
    for them. `inside`: values within its cells change, and the cells stay what they are.
    """

    field: Field
    origin: int
    same: bool = False
    inside: bool = False


class Changed(NamedTuple):
    """A batch after the change.

    `frame`: a column for each of the output's that isn't `same`, named by its place in the output.

    `kept`: which rows of the batch are in `frame` (Boolean, as long as the batch); None for all of them.
    """

    frame: pl.DataFrame
    kept: pl.Series | None = None


class Change(Protocol):
    """What is done to a table. Columns that `columns` doesn't name are left out of the output."""

    @property
    def columns(self) -> tuple[Column, ...]: ...

    def apply(self, batch: Batch) -> Changed:
        """The batch's new cells. Batches come in order; cells that stay what they are are written as they were read."""
        ...


def key_of(change: Change) -> str | None:
    """The public id of the key that a change masks with, where it says one (`key_id`).

    It goes into the metadata of formats that have room for such.
    """
    found: str | None = getattr(change, "key_id", None)
    return found


Changes = Callable[[TableInfo], Change | None]
"""Asked once for each table; None leaves it as it is."""


class Staged(NamedTuple):
    """A finished output that hasn't got its name yet.

    `source`: of the report; `path`: where it lies; `target`: the name it is to get.
    """

    source: str
    path: Path
    target: Path


class Resumed(NamedTuple):
    """The result for files that an earlier run had finished.

    How many were `kept`, and how many were written `again`, by reasons.
    """

    kept: int = 0
    again: tuple[tuple[str, int], ...] = ()


class Rewritten(NamedTuple):
    """The result of rewriting.

    The `tables` that went through `change`, the `written` files, those of them that were `copied` as they are because
    the caller allowed it, though no table could be read in them, what was `left_out`, with reasons, and what was
    `skipped`: passed over because of ignore files and the configuration. `resumed`: what an earlier run had finished.
    """

    tables: tuple[TableInfo, ...]
    written: tuple[Staged, ...]
    copied: tuple[str, ...]
    left_out: tuple[NotScanned, ...]
    skipped: tuple[Skipped, ...] = ()
    resumed: Resumed = Resumed()


def check(change: Change, info: TableInfo) -> tuple[Column, ...]:
    """The columns of the output. Raises `WriteError` for a change that doesn't fit the table."""
    origins = [column.origin for column in change.columns]
    if origins != sorted(set(origins)) or not all(0 <= origin < len(info.fields) for origin in origins):
        raise WriteError(f"{where(info)}: the columns of the output aren't columns of the input, in its order")
    if not origins:
        raise WriteError(f"{where(info)}: no column is left; leave the table out instead")
    return change.columns


def applied(change: Change, batch: Batch, info: TableInfo) -> Changed:
    """Apply `change` to a batch. Raises `WriteError` where that isn't what it promised."""
    import polars as pl

    changed = change.apply(batch)
    kept = changed.kept
    rows = batch.frame.height if kept is None else int(kept.sum() or 0)
    required = [str(i) for i, column in enumerate(change.columns) if not column.same]
    if kept is not None and (kept.len() != batch.frame.height or kept.dtype != pl.Boolean or kept.null_count()):
        raise WriteError(f"{where(info)}: a change must say of every row whether it is kept")
    if not set(required) <= set(changed.frame.columns) or (required and changed.frame.height != rows):
        raise WriteError(f"{where(info)}: a change must give a cell for every kept row of every changed column")
    return changed


def changed_frames(table: ReadTable, change: Change | None) -> Iterator[pl.DataFrame]:
    """Yield the rows of a table as they are to be written, batch by batch. Raises `ReadError` and `WriteError`.

    A column for each of `change.columns`, named by its place among them; all columns as they are where there is no
    change.
    """
    import polars as pl

    for batch in table.batches():
        if change is None:
            yield batch.frame
            continue
        changed = applied(change, batch, table.info)
        old = batch.frame if changed.kept is None else batch.frame.filter(changed.kept)
        yield pl.DataFrame(
            [
                (old[str(column.origin)] if column.same else changed.frame[str(i)]).alias(str(i))
                for i, column in enumerate(change.columns)
            ]
        )


def where(info: TableInfo) -> str:
    """The table's place in a message.

    A name with a digit or an @ stays out of it: sheets and tables are named after people, too.
    """
    if info.table is None:
        return info.source
    return f"{info.source}, {'a table' if any(c.isdigit() or c == '@' for c in info.table) else info.table}"


@contextmanager
def reading() -> Iterator[None]:
    """An error of the operating system in here is one of the input."""
    try:
        yield
    except OSError as error:
        raise ReadError(os_reason(error)) from None


@contextmanager
def writing(info: TableInfo) -> Iterator[None]:
    """Anything that a writer of a library fails with, without its message, which may quote cells."""
    try:
        yield
    except (PiiscanError, MemoryError):
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        code = _OS_ERROR.search(str(error))  # as Rust tells it
        if code:
            raise OSError(int(code[1]), os.strerror(int(code[1]))) from None
        if isinstance(error, OSError):
            raise
        raise WriteError(f"{where(info)}: can't be written as {info.format} ({type(error).__name__})") from None
