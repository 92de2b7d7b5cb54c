"""How much memory a process may take, and memory that it has freed, given back to the system."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from piiscan.core import cores
from piiscan.core.control_groups import files
from piiscan.core.errors import UsageError
from piiscan.core.lazy_pattern import lazy_pattern

DEFAULT = 1 << 30
"""Bytes that may be taken at least where nothing was said, or half of what the machine has if that is less."""
WORKER = 256 << 20
"""Bytes that a process which works for this one takes, about: its libraries, and what it reads."""
_CORES = 3
"""How many processors have their processes within `DEFAULT`."""
_PART: Final = 4
"""One in so many bytes of a machine may be taken: masking a million rows takes more than `DEFAULT`."""

_UNKNOWN = 4 << 30
"""What a machine is taken to have that doesn't say."""

_LATER = 40_000_000
"""Bytes of what is loaded while work goes on: modules, buffers, small change."""

_MODULES = 150_000_000
"""Bytes of a process that has loaded this package and the libraries it needs, about."""
_before = 0

_said: int | None = None
_shared: int | None = None

tell: Callable[[str], None] | None = None
"""Called with what work will need, before it begins; None where nobody wants to know."""

_OF_GLIBC = ("MALLOC_", "GLIBC_TUNABLES")
_ARENAS = (-8, 1)
"""`M_ARENA_MAX`: threads take their memory from one heap, as the room that one leaves is of use to the next."""
_MAPPED = (-3, 4 << 20)
"""`M_MMAP_THRESHOLD`: from so many bytes on, what is freed goes back at once. Said once, it doesn't grow."""
_KEPT = (-1, 16 << 20)
"""`M_TRIM_THRESHOLD`: more than that doesn't stay free at the end of the heap."""
_POLARS = "dirty_decay_ms:500,muzzy_decay_ms:0"
"""How long jemalloc keeps what is freed; less costs more time than all the rest."""

LEAST = 256 << 20
"""Bytes below which nothing can be read."""
_SIZE = lazy_pattern(r"(\d+(?:\.\d+)?)\s*([KMGT])i?B?", re.IGNORECASE)


def size(text: str) -> int:
    """The bytes of a size such as 512MB or 2GB, in units of 1,024. Raises `UsageError`."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} isn't a size; write 512MB or 2GB, for example")
    number = int(float(found[1]) * 1024 ** (" KMGT".index(found[2].upper())))
    if number < LEAST:
        raise UsageError(f"{text} of memory are too few; the minimum is {LEAST >> 20}MB")
    return number


def allowed() -> int:
    """Bytes that this process and its children may take together.

    Where nothing was said, that is more on a machine of more memory, and on one of more processors, so that a process
    can use each.
    """
    if _said is not None:
        return _said
    return min(max(DEFAULT + WORKER * max(0, cores.available() - _CORES), machine() // _PART), machine() // 2)


def shared() -> int:
    """Bytes that limits for values, rows and other parts of an input are shares of (`piiscan.core.shares`).

    Where nothing was said, they are the same on all machines of 2 GB or more.
    """
    if _said is not None:
        return _said if _shared is None else _shared
    return min(DEFAULT, machine() // 2)


def allow(count: int | None, shared: int | None = None) -> None:
    """Say how many bytes may be taken, for the whole process, and which of them limits are shares of: all, or `shared`.

    None: as if nothing had been said.
    """
    global _said, _shared
    _said, _shared = count, shared


def allow_memory(amount: str | int | None) -> None:
    """Allow piiscan to take this much memory in this process: bytes, or a size such as "2GB" (1024³ bytes each).

    None: the default, 1 GB and 256 MB for each processor beyond three, or a quarter of what the machine or its control
    group has, whichever is more; half of that at most.

    Readers are held to their shares of it: values, rows and other parts of an input above theirs are not scanned, and
    the report says where. `anonymize`, `protect` and `synthesize` raise `UsageError` before they begin what would take
    more. It doesn't bound what else the process holds. Raises `UsageError` for an invalid size, and below 256 MB.
    """
    if isinstance(amount, int) and not isinstance(amount, bool):
        if amount < LEAST:
            raise UsageError(f"{amount:,} bytes of memory are too few; the minimum is {LEAST:,}")
        allow(amount)
    elif amount is None or isinstance(amount, str):
        allow(None if amount is None else size(amount))
    else:
        raise UsageError("memory must be a number of bytes, or a size such as '2GB'")


def demand(more: int, doing: str, instead: str) -> None:
    """Declare the most bytes that `doing` something takes: `more`, besides the process's own growth since work began.

    Raises `UsageError`, which says what to do `instead`, if that is above what may be taken.
    """
    needed, limit = taken() + more + _LATER, allowed()
    if tell is not None:
        tell(f"{doing} takes up to {shown(needed)} of memory; {shown(limit)} are allowed")
    if needed > limit:
        raise UsageError(
            f"{doing} takes up to {shown(needed)} of memory, and {shown(limit)} are allowed; allow more "
            f"(--memory, piiscan.allow_memory), or {instead}. Nothing was written"
        )


def taken() -> int:
    """Bytes that this process holds, but for what it held before work began."""
    return resident() - _before


def begin() -> None:
    """Work begins: what the process holds already, beyond its modules, is the caller's own."""
    global _before
    _before = max(0, resident() - _MODULES)


def shown(size: int) -> str:
    """A number of bytes for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def resident() -> int:
    """Bytes that this process holds now; where the system doesn't say, the most that it has held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak()


def peak() -> int:
    """The most bytes that this process has held so far; 0 where the system doesn't say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


@lru_cache(maxsize=1)
def machine() -> int:
    """Bytes of memory that there are for this process: the machine's, or its control group's if that has fewer."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        physical = _UNKNOWN
    limits = map(_limit, [*files("", "memory.max"), *files("memory", "memory.limit_in_bytes")])
    return min([physical if physical > 0 else _UNKNOWN, *(limit for limit in limits if limit > 0)])


def _limit(file: Path) -> int:
    """The bytes that a file of a control group allows; 0 where there is none or it says no number."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def hold_little() -> None:
    """Have this process hold little of what it has freed, which is else a third of what it takes.

    Before any thread is started, and before polars is loaded, which has an allocator of its own. What the environment
    says of either stays.
    Changes nothing but where the C library is glibc, and where polars has jemalloc.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", _POLARS)
    if sys.platform != "linux" or any(name.startswith(_OF_GLIBC) for name in os.environ):
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    for parameter, value in _ARENAS, _MAPPED, _KEPT:
        mallopt(parameter, value)


def give_back() -> None:
    """Have the C library give freed memory back, of which it keeps a third after large tables came and went.

    Does nothing where it can't be asked (it is glibc's `malloc_trim`).
    """
    if sys.platform != "linux":
        return
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        return
