"""Where a run is and what it has done, kept for the process that watches it.

A command that a failing input ends can be run again without that input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Again:
    """In place of the results of an input: it has to be read again by a process that goes on from here."""


AGAIN = Again()


class Known(NamedTuple):
    """Earlier results of an input, which isn't read again."""

    results: tuple[Any, ...]


class Elsewhere(NamedTuple):
    """The results of an input that another process has read, or this one with others.

    `again` reads it by itself, where the results can't be used.
    """

    results: tuple[Any, ...]
    again: Callable[[], Iterable[Any]]


class Checkpoints(Protocol):
    """`lost`: contents, by their `source`, that an earlier run ended at, and why; they aren't opened again.

    `wants_all`: all inputs are to be told before the first is read.
    """

    @property
    def lost(self) -> Mapping[str, str]: ...

    @property
    def wants_all(self) -> bool: ...

    def expect(self, inputs: Sequence[tuple[str, str | None]]) -> None:
        """All inputs there are, with their paths on disk."""

    def begin(self, source: str) -> Known | None:
        """Record that everything before this input is finished.

        Returns its earlier result; None if it has to be read. What is in an archive belongs to the archive.
        """

    def knows(self, source: str) -> bool:
        """Whether `begin` will know the results of an input."""

    def left(self) -> Iterable[Known]:
        """What came before of inputs that are no longer there."""

    @property
    def one_by_one(self) -> bool:
        """Whether an earlier run ended, and so no two contents are to be worked on at once."""

    def open(self, source: str) -> None:
        """A content is about to be read, of an input or within one."""

    def open_several(self, first: str) -> None:
        """Several contents are about to be worked on at once, from this one on."""

    def finish(self, result: Any) -> None:
        """Record the result of the input that is being read. It can be pickled."""

    def hold(self, result: Any) -> None:
        """Record a result that depends on the input that is being read and on others."""

    def employ(self, processes: Sequence[int]) -> None:
        """These processes work for this one from now on."""


class Unwatched:
    """Nobody watches: nothing is kept."""

    lost: Mapping[str, str] = {}
    wants_all: bool = False
    one_by_one: bool = False

    def expect(self, inputs: Sequence[tuple[str, str | None]]) -> None:
        return None

    def begin(self, source: str) -> Known | None:
        return None

    def knows(self, source: str) -> bool:
        return False

    def left(self) -> Iterable[Known]:
        return ()

    def open(self, source: str) -> None:
        return None

    def open_several(self, first: str) -> None:
        return None

    def finish(self, result: Any) -> None:
        return None

    def hold(self, result: Any) -> None:
        return None

    def employ(self, processes: Sequence[int]) -> None:
        return None


UNWATCHED = Unwatched()
