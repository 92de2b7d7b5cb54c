"""Caches of facts about words. They may contain words of cells, so a process keeps them for one call only.

Nothing that outlives a call is keyed by the content of a table: a service that scans for weeks would keep what it saw,
and grow.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., object])

_running = threading.local()
_forgets: list[Callable[[], None]] = []


def of_words(size: int) -> Callable[[F], F]:
    """`lru_cache` for a function of words that may be a cell's."""

    def cached(function: F) -> F:
        made = functools.lru_cache(size)(function)
        _forgets.append(made.cache_clear)
        return cast(F, made)

    return cached


def forget_with(clear: Callable[[], None]) -> None:
    """Have `forget` call `clear` too: of what keeps words in its own way, and lives as long as the process."""
    _forgets.append(clear)


def forget() -> None:
    """Empty all such caches. What runs at the same time in other threads takes longer, and gives the same."""
    for clear in _forgets:
        clear()


def forgetting(function: Callable[P, R]) -> Callable[P, R]:
    """A function after which all such caches are empty, unless another one called it that will see to that."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        outer, _running.call = getattr(_running, "call", False), True
        try:
            return function(*args, **kwargs)
        finally:
            _running.call = outer
            if not outer:
                forget()

    return call
