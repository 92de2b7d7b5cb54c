"""Reading, changing and writing at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """The same, with the next one being made in a thread of its own while this one is used. None ends it."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (one := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield one
