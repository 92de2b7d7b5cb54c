"""Data that come through a pipe and go on through one.

Kept privately meanwhile, as several passes are made and nothing may leave before it has been checked.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from piiscan.core.errors import PiiscanError, ReadError, UsageError, WriteError

if TYPE_CHECKING:
    from piiscan.masking.plan.plan_types import Plan

DASH: Final = Path("-")
_IN_MEMORY: Final = 64 << 20
_MEMORY: Final = Path("/dev/shm")
_BLOCK: Final = 1 << 20
_AS_SQL: Final = (
    "The input is a dump in a format of PostgreSQL's own, which pg_restore has written as SQL, without statistics: the "
    "output is SQL, which psql loads."
)


class Ends(NamedTuple):
    """Where a command finds its input and leaves its output; `shown`: what to call the output.

    `folder`: where what was piped lies meanwhile, None where nothing was. `note`: what to know of the output.
    """

    source: Path
    target: Path
    shown: str
    folder: Path | None = None
    note: str = ""

    def hidden(self, text: str) -> str:
        """A message that doesn't tell where that is."""
        if self.folder is None:
            return text
        shown = text.replace(f"{self.folder}/in/", "-/").replace(f"{self.folder}/sql/", "")
        return shown.replace(f"{self.folder}/", "")


@contextmanager
def piped(source: Path, target: Path, spool: Path | None, plan: Plan | None) -> Iterator[Ends]:
    """The input as a file where it is standard input, and a place for an output that goes to standard output.

    A dump in a format of `pg_dump`'s own is written as SQL first.

    Both are for this user alone (folder 0700, files 0600), and gone with the context. Up to 64 MiB they lie in memory
    where the system has such a folder; beyond, in the folder `spool`, or else that of temporary files.

    A file is called what the `plan` calls the one it is for. Raises `UsageError`.
    """
    from piiscan.io.dumps.custom import is_custom

    packed = source != DASH and is_custom(source)
    if DASH not in (source, target) and not packed:
        yield Ends(source, target, str(target))
        return
    stdin = _checked(source)
    size = source.stat().st_size if source != DASH and source.is_file() else 0
    if target == DASH and source.is_dir() and not packed:
        raise UsageError(f"{source} is a folder, and standard output takes one file; name a folder to write")
    try:
        head = b"" if stdin is None else _read(stdin, _IN_MEMORY + 1)
        where = _place(spool, max(size, len(head)))
        with tempfile.TemporaryDirectory(prefix="piiscan-", dir=where, ignore_cleanup_errors=True) as name:
            folder = Path(name)
            if stdin is not None:
                source = _kept(head, stdin, folder, plan)
                packed = is_custom(source)
            source = _as_sql(source, folder, plan) if packed else source
            to = folder / f"out{source.suffix}" if target == DASH else target
            ends = Ends(source, to, "standard output" if target == DASH else str(target), folder, _AS_SQL * packed)
            try:
                yield ends
            except PiiscanError as error:
                error.args = (ends.hidden(str(error)),)
                raise
    except OSError as error:
        raise UsageError(f"standard input can't be kept: {error.strerror}; name another folder with --spool") from None


def send(path: Path) -> None:
    """A finished file to standard output.

    A reader that has gone away is an error: it didn't get all. Raises `WriteError`.
    """
    try:
        sys.stdout.flush()
        with open(path, "rb") as stream:
            shutil.copyfileobj(stream, sys.stdout.buffer, _BLOCK)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        from piiscan.cli import close_stdout

        close_stdout()
        raise WriteError("standard output: its reader has gone away before it had all") from None
    except OSError as error:
        raise WriteError(f"standard output: can't be written: {error.strerror}") from None


def _checked(source: Path) -> IO[bytes] | None:
    """Standard input where it is the source. Raises `UsageError` where nothing comes through it."""
    stdin = sys.stdin.buffer if source == DASH and sys.stdin is not None else None
    if source == DASH and (stdin is None or stdin.isatty()):
        raise UsageError("nothing comes through standard input; name a file, or pipe one in: pg_dump shop | piiscan …")
    return stdin


def _kept(head: bytes, stdin: IO[bytes], folder: Path, plan: Plan | None) -> Path:
    """Standard input as a file. Raises `UsageError` where nothing came."""
    if not head:
        raise UsageError("standard input is empty: did the program before it fail?")
    source = folder / "in" / _called(plan)
    source.parent.mkdir(mode=0o700)
    _save(head, stdin, source)
    return source


def _as_sql(source: Path, folder: Path, plan: Plan | None) -> Path:
    """A dump in a format of PostgreSQL's own as SQL, in a file of the same name. Raises `UsageError`."""
    from piiscan.io.dumps.custom import restore

    out = folder / "sql" / (source.name if plan is None else _called(plan))
    out.parent.mkdir(mode=0o700)
    try:
        restore(source, out)
    except ReadError as error:
        raise UsageError(f"{source}: {error}") from None
    return out


def _read(stream: IO[bytes], most: int) -> bytes:
    blocks, left = [], most
    while left and (block := stream.read(min(left, _BLOCK))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)


def _save(head: bytes, stdin: IO[bytes], path: Path) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(head)
        shutil.copyfileobj(stdin, out, _BLOCK)


def _place(spool: Path | None, size: int) -> str | None:
    if spool is not None:
        return str(spool)
    fits = size <= _IN_MEMORY and os.access(_MEMORY, os.W_OK)
    return str(_MEMORY) if fits and shutil.disk_usage(_MEMORY).free > 4 * _IN_MEMORY else None


def _called(plan: Plan | None) -> str:
    """What the plan calls the one file that it is for, if that is a name; else something without an ending."""
    sources = {table.source.split("!")[0] for table in plan.tables} if plan is not None else set()
    (name,) = sources if len(sources) == 1 else ("stdin",)
    return name if name and name == Path(name).name and name not in (".", "..") and "*" not in name else "stdin"
