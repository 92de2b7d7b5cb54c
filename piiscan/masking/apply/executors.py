"""Columns side by side: polars, numpy and the ciphers let go of the interpreter's lock while they work."""

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
    """The same for a part of work that is itself done in `executor`: what comes back does the part where no thread was
    free for it, so that nothing waits for itself.
    """
    if executor is None:
        return work
    future = executor.submit(work)
    return lambda: work() if future.cancel() else future.result()
