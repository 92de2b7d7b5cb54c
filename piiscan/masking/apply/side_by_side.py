"""Columns side by side: polars, numpy and the ciphers let go of the interpreter's lock while they work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

T = TypeVar("T")


def begun(pool: Executor | None, work: Callable[[], T]) -> Callable[[], T]:
    """Begin `work` in `pool`, or do it now where there is none; what comes back waits for it and gives its outcome."""
    if pool is not None:
        return pool.submit(work).result
    done = work()
    return lambda: done
