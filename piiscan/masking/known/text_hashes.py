"""What the texts of a run may mention, so that of millions of values only those are kept that occur in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.core.shared_memory import SharedObject, shared
from piiscan.core.worker_processes import Submit, Task, Turn, Turns
from piiscan.detection.reading.url_encoding import as_read, decoded_among
from piiscan.detection.reading.visible_text import as_seen
from piiscan.masking.known.folded_text import Flags, Folded, Hasher, Hashes, Ints, chunks
from piiscan.masking.known.mentions import declined_names_in, runs_in, stems_in
from piiscan.masking.known.written_dates import DateReader

_BITS: Final = 27
"""Bits of a hash: the bitmap takes 16 MB, and 20,000,000 different runs fill a seventh of it."""
_WORD: Final = np.dtype("<u8")
"""Of the bitmap: eight bytes, the first of which is the lowest everywhere."""
_FEW: Final = 1 << 15
"""So many hashes are sorted sooner than a bitmap of their own is filled and looked through."""
_AHEAD: Final = 8
"""Batches of texts that others look at, at most."""
Marks = tuple[Ints, NDArray[np.uint64]]


class Mentioned:
    """A bitmap of hashes: one that isn't there is mentioned in no text; one that is may be another's."""

    def __init__(self) -> None:
        self._map: NDArray[np.uint8] = np.zeros(1 << (_BITS - 3), dtype=np.uint8)

    def has(self, hashes: Hashes) -> Flags:
        at = (hashes >> np.uint64(64 - _BITS)).view(np.int64)
        found: Flags = (self._map[at >> 3] >> (at & 7).astype(np.uint8)) & np.uint8(1) == 1
        return found

    def put(self, hashes: Hashes) -> None:
        at = (hashes >> np.uint64(64 - _BITS)).view(np.int64)
        place, bit = at >> 3, np.left_shift(np.uint8(1), (at & 7).astype(np.uint8))
        while len(place):  # of several bits of one place the last one is set: a third of the time of `bitwise_or.at`
            self._map[place] |= bit
            left = np.flatnonzero((self._map[place] & bit) == 0)
            place, bit = place[left], bit[left]

    def marks(self) -> Marks:
        """What there is of it, for `put_marks`."""
        words = self._map.view(_WORD)
        at = np.flatnonzero(words)
        return at, words[at]

    def put_marks(self, marks: Marks) -> None:
        at, words = marks
        self._map.view(_WORD)[at] |= words


class Anything(Mentioned):
    """Where no text was looked at, each may mention anything."""

    def __init__(self) -> None: ...

    def has(self, hashes: Hashes) -> Flags:
        return np.ones(len(hashes), dtype=np.bool_)


class SeenTexts:
    """What the texts of a run mention, however often each is shown.

    With `submit`, other processes look at them, too, and without it `threads`.
    """

    def __init__(self, submit: Submit | None = None, threads: Executor | None = None) -> None:
        self.hasher, self._submit, self._threads = Hasher(), submit, threads
        self._turns = Turns[Marks]()
        self._mentioned: Mentioned = Anything()
        self._shared: SharedObject | None = None
        self._known: set[tuple[int, int, int]] = set()

    def add(self, texts: pl.Series) -> None:
        """Some texts (String), unless the same ones have been looked at before."""
        if isinstance(self._mentioned, Anything):
            self._mentioned = Mentioned()
        if self._submit is None and self._threads is None:
            for hashes in _hashes_in(as_seen(texts).to_list(), self.hasher):
                self._mentioned.put(hashes)
            return
        prints = texts.hash(int(self.hasher.numbers[0])).to_numpy()
        each = len(prints), int(prints.sum()), int(np.bitwise_xor.reduce(prints)) if len(prints) else 0
        if each in self._known or self._shared is not None:
            return
        self._known.add(each)
        task = Task(f"{marks_of.__module__}:{marks_of.__name__}", (self.hasher, texts))
        turn = Turn[Marks](task.run)
        turn.future = self.begun(task, task)
        self._turns.add(turn)
        self._settle(_AHEAD)

    def mentioned(self) -> tuple[Mentioned, SharedObject | None]:
        """What they mention, for this process and for others: all have been seen."""
        self._settle(0)
        is_wanted = self._submit is not None and not isinstance(self._mentioned, Anything)
        if is_wanted and self._shared is None and (found := shared(self._mentioned)) is not None:
            self._shared, self._mentioned = found, found.load()  # so that there is one of it
        return self._mentioned, self._shared

    def begun(self, here: Task, elsewhere: Task | None) -> Future[Any] | None:
        """A task that somebody else does, by its form for this process or for others; None where nobody is there."""
        if self._submit is not None and elsewhere is not None:
            return self._submit(elsewhere)
        return None if self._threads is None else self._threads.submit(here.run)

    def _settle(self, most: int) -> None:
        """Take what texts mention, until no more than so many batches of them wait."""
        while len(self._turns) > most:
            self._mentioned.put_marks(self._turns.result())


def _hashes_in(texts: Sequence[str], hasher: Hasher) -> Iterator[Hashes]:
    """The hashes of all that `Search` looks up in some texts."""
    for begin, end in chunks(texts):
        some = texts[begin:end]
        f = Folded(as_read(some, decoded_among(some)), hasher)
        for _, _, hashes in runs_in(f, _dates(hasher)):
            yield hashes
        for *_, hashes in stems_in(f):
            yield hashes
        for *_, hashes in declined_names_in(f):
            yield hashes


def marks_of(hasher: Hasher, texts: pl.Series) -> Marks:
    """What some texts mention, for `Mentioned.put_marks`, by any process."""
    all_hashes = _hashes_in(as_seen(texts).to_list(), hasher)
    few: list[Hashes] = []
    held = 0
    for hashes in all_hashes:
        few.append(hashes)
        if (held := held + len(hashes)) > _FEW:
            break
    else:
        return _marks_of_few(few)
    found = Mentioned()
    for hashes in chain(few, all_hashes):
        found.put(hashes)
    return found.marks()


def _marks_of_few(some: Sequence[Hashes]) -> Marks:
    """`marks` of a bitmap with these hashes in it."""
    bits = np.unique(np.concatenate([*some, np.zeros(0, dtype=np.uint64)]) >> np.uint64(64 - _BITS))
    at, first = np.unique(bits >> np.uint64(6), return_index=True)
    words = np.left_shift(np.uint64(1), bits & np.uint64(63))
    return at.astype(np.int64), np.bitwise_or.reduceat(words, first) if len(words) else words


@lru_cache(maxsize=1)
def _dates(hasher: Hasher) -> DateReader:
    return DateReader(hasher)
