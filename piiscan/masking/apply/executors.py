"""Columns side by side: polars, numpy and the ciphers release the interpreter's lock while they work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

T = TypeVar("T")


def submit_or_run(executor: Executor | None, work: Callable[[], T]) -> Callable[[], T]:
    """Submit `work` to `executor`, or run it now where there is none; what comes back waits for its result."""
    if executor is not None:
        return executor.submit(work).result
    result = work()
    return lambda: result


def beside(executor: Executor | None, work: Callable[[], T]) -> Callable[[], T]:
    """Submit a part of work that itself runs in `executor`.

    If no thread is free for the part, the caller runs it when it asks for the result. So no task waits for itself.
    """
    if executor is None:
        return work
    future = executor.submit(work)
    return lambda: work() if future.cancel() else future.result()
