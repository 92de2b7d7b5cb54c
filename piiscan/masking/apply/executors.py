"""Columns side by side: polars, numpy and the ciphers release the interpreter's lock while they work."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import Final, TypeVar

T = TypeVar("T")
Item = TypeVar("Item")
_AHEAD: Final = 3
"""Batches that are worked on, or read, before their result is asked for."""


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


def in_order(executor: Executor | None, work: Callable[[Item], T], items: Iterable[Item]) -> Iterator[T]:
    """The result of `work` for each item, in their order: a few are worked on while the next ones are read."""
    begun = deque[Callable[[], T]]()
    for item in items:
        begun.append(submit_or_run(executor, partial(work, item)))
        if len(begun) > (_AHEAD if executor else 0):
            yield begun.popleft()()
    while begun:
        yield begun.popleft()()
