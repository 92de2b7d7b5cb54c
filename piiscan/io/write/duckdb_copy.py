"""A DuckDB file made in two steps, so that it gets no bytes of this process's memory.

DuckDB 2.0.0 writes whole blocks and clears not every byte that it doesn't use: what its memory held before, such as
cells of a database that was read by the same process, can be in a new file. So the file that gets its name is copied
by a process of its own, which has never held anything but the first one. On Linux its allocators clear what they hand
out; on macOS they are asked to fill it; elsewhere bytes that the first file got may be in the copy, by chance.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from piiscan.core import shares
from piiscan.core.errors import WriteError
from piiscan.core.parent_process import die_with
from piiscan.core.types import TableInfo
from piiscan.io.databases.duck import literal
from piiscan.io.write.change import where

_PROGRAM: Final = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from piiscan.io.write import duckdb_copy
sys.exit(duckdb_copy.copy(*sys.argv[2:]))
"""
_CLEARED: Final = {
    "DUCKDB_JE_MALLOC_CONF": "zero:true",  # the allocator within DuckDB's packages for Linux
    "MALLOC_PERTURB_": "255",  # glibc fills what it hands out with the complement
    "MallocPreScribble": "1",  # macOS
    "MallocScribble": "1",
}
_KEPT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
"""Variables of the environment that the process gets. Others may hold keys."""
_NO_SPACE: Final = 28
SETTINGS: Final[dict[str, Any]] = {
    "threads": "1",
    "max_temp_directory_size": "0KiB",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
}
"""How databases are written: rows in their order, and nothing elsewhere."""


@contextmanager
def copied(target: Path, info: TableInfo) -> Iterator[Path]:
    """Where to write a database that becomes `target`, in place of an older one, when the context ends.

    Raises `WriteError` where the process can't be started or fails, and `OSError` for a full disk.
    """
    first = Path(f"{target}.first")
    logs = [Path(f"{path}.wal") for path in (first, target)]
    target.unlink(missing_ok=True)  # DuckDB takes an empty file for a broken one
    try:
        with _private():
            yield first
            _copied(first, target, info)
    finally:
        for path in (first, *logs):
            path.unlink(missing_ok=True)


def _copied(first: Path, target: Path, info: TableInfo) -> None:
    limit = f"{shares.room() // 2 >> 20}MB"
    command = [sys.executable or "", "-I", "-c", _PROGRAM, json.dumps(sys.path), str(os.getpid()), limit, str(first)]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _CLEARED
    try:
        # What DuckDB prints may quote data.
        done = subprocess.run(
            [*command, str(target)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise WriteError(
            f"{where(info)}: the process that writes DuckDB files can't be started ({type(error).__name__})"
        ) from None
    if done.returncode == _NO_SPACE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if done.returncode:
        raise WriteError(
            f"{where(info)}: the process that writes DuckDB files has ended with status {done.returncode}; with more "
            "memory (--memory) it may succeed"
        )


def copy(parent: str, memory_limit: str, first: str, target: str) -> int:
    """The exit status of the process that copies a database whole. It ends with its parent."""
    import duckdb

    die_with(int(parent))
    try:
        with duckdb.connect(":memory:", config={**SETTINGS, "memory_limit": memory_limit}) as connection:
            connection.execute(f"ATTACH {literal(first)} AS piiscan_first (READ_ONLY)")
            connection.execute(f"ATTACH {literal(target)} AS piiscan_copy")
            connection.execute("SET enable_external_access = false")
            connection.execute("COPY FROM DATABASE piiscan_first TO piiscan_copy")
            connection.execute("CHECKPOINT piiscan_copy")
            connection.execute("DETACH piiscan_copy")
    except duckdb.Error as error:
        return _NO_SPACE if isinstance(error, duckdb.IOException) and "No space left" in str(error) else 1
    return 0


@contextmanager
def _private() -> Iterator[None]:
    """What DuckDB makes in here, only its owner can read, as every unfinished output."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
