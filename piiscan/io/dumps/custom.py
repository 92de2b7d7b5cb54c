"""Read dumps in `pg_dump`'s own formats (custom, directory), through `pg_restore` where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from piiscan.core.errors import ReadError
from piiscan.core.types import Found
from piiscan.io.content import Content, ReadContent, ReadTable, spool
from piiscan.io.read_options import Budget, ReadOptions

FORMAT: Final = "pg_dump"
_CONTENTS: Final = "toc.dat"
"""The file of a directory dump that says what is in it."""
_MISSING: Final = (
    "a PostgreSQL dump in a format of its own, which needs pg_restore: install PostgreSQL's client (Debian, Ubuntu: "
    "apt install postgresql-client), or write it as SQL with pg_restore -f FILE.sql"
)
_EMPTY: Final = "a PostgreSQL dump in which pg_restore finds no table; write it again"
_NOTE: Final = "read by pg_restore, which doesn't tell whether there is more in the file than it shows"
_TABLE: Final = re.compile(rb"^(?:CREATE TABLE|COPY|INSERT INTO) ", re.MULTILINE)
"""A dump declares or fills tables; out of damaged files `pg_restore` makes dumps of nothing."""
_FAILED: Final = (
    "a PostgreSQL dump that pg_restore can't read whole; write it again, or use the pg_restore of its version"
)


_SIGN: Final = b"PGDMP"


def is_custom(path: Path) -> bool:
    """Return whether a path is a dump in `pg_dump`'s own formats: a file or a folder. Raises OSError."""
    if path.is_dir():
        path = path / _CONTENTS
    if not path.is_file():
        return False
    with open(path, "rb") as stream:
        return stream.read(len(_SIGN)) == _SIGN


def restore(path: Path, target: Path) -> None:
    """Write a dump's SQL to a new file, without statistics of its columns. Raises `ReadError`."""
    program = shutil.which("pg_restore")
    if program is None:
        raise ReadError(_MISSING)
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        command = [program, *_without_statistics(program), "-f", "-", "--", str(path)]
        done = subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise ReadError(_FAILED)
    with open(target, "rb") as stream:
        last = b"\n"
        while block := stream.read(1 << 20):
            if _TABLE.search(last + block):
                return
            last = block[-16:]
    raise ReadError(_EMPTY)


def _without_statistics(program: str) -> list[str]:
    """Return the option that leaves statistics out, in versions that have it."""
    told = subprocess.run([program, "--help"], capture_output=True, check=False)
    return ["--no-statistics"] if b"--no-statistics" in told.stdout else []


def tables(content: Content, options: ReadOptions, read: ReadContent) -> Iterator[Found]:
    """Yield the tables of a dump's SQL. `read`: reads a content. Raises `ReadError`."""
    program = shutil.which("pg_restore")
    if program is None:
        raise ReadError(_MISSING)
    budget = Budget(options.limits)
    plain, has_table, last = spool(), False, b"\n"
    with content.named() as path:
        is_folder = Path(path).name == _CONTENTS
        command = [program, "-f", "-", "--", str(Path(path).parent) if is_folder else path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            try:
                while block := process.stdout.read(1 << 20):
                    has_table = has_table or _TABLE.search(last + block) is not None
                    last = block[-16:]
                    budget.take(len(block), 0, 0)
                    plain.write(block)
            except BaseException:
                process.kill()
                raise
    if process.returncode:
        raise ReadError(_FAILED)
    plain.flush()
    inner = Content.temporary(content.source, plain, "pg_restore")
    if not has_table:
        raise ReadError(_EMPTY)
    for item in read(inner, True, options, budget, 0):
        if isinstance(item, ReadTable) and item.info.format == "sql":
            item = item._replace(info=item.info._replace(format=FORMAT, notes=(*item.info.notes, _NOTE)))
        yield item
    content.read_whole()
