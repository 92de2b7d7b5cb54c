"""Searches texts in other processes, which begin while tables are read for the first time.

Masks are the same without them: what is found in a text depends on that text alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Final

import polars as pl

from piiscan.core.worker_processes import Lost, Submit, Task
from piiscan.detection.reading.visible_text import as_seen
from piiscan.detection.text.analyzer import Analyzer, Beside, Spans
from piiscan.detection.text.span import Span
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.plan.plan_types import TablePlan

_PIECE: Final = 1 << 20
"""Bytes of texts that are looked at together: fewer take longer, as each rule is a call."""
_MOST: Final = 48 << 20
"""Bytes of texts that are kept, with what is found in them."""


class TextsAhead:
    """Takes the texts of tables that are read, and gives what is found in them when they are masked.

    `submit` has a task done by another process, when there is one free; None where there is none.
    """

    def __init__(self, submit: Submit | None) -> None:
        self._submit_task = submit
        self._pieces: dict[bool, dict[str, _Piece]] = {True: {}, False: {}}
        self._waiting: dict[bool, list[str]] = {True: [], False: []}
        self._bytes = {True: 0, False: 0}
        self._room = _MOST

    def close(self) -> None:
        """No more texts are masked."""
        self._submit_task = None
        for pieces in self._pieces.values():
            pieces.clear()

    def take(self, plan: TablePlan, frame: pl.DataFrame) -> None:
        """Some rows of a table that is read."""
        for action in plan.columns if self._submit_task is not None else ():
            if action.operator == "spans" and self._room > 0:
                cells = flat(frame[str(action.index)])
                if cells.dtype == pl.String:
                    self._add(
                        as_seen(cells.drop_nulls().unique(maintain_order=True)), bool(action.params.get("names", True))
                    )

    def _add(self, texts: pl.Series, names: bool) -> None:
        known = self._pieces[names]
        for text, size in zip(texts.to_list(), texts.str.len_bytes().to_list(), strict=True):
            if text in known or size >= _PIECE:
                continue
            self._waiting[names].append(text)
            self._bytes[names] += size
            if self._bytes[names] >= _PIECE:
                self._submit(names)
                if self._room <= 0:
                    return
        self._submit(names)

    def _submit(self, names: bool) -> None:
        texts = self._waiting[names]
        if not texts or self._submit_task is None:
            return
        self._room -= self._bytes[names]
        self._waiting[names], self._bytes[names] = [], 0
        piece = _Piece(texts, self._submit_task(Task(f"{__name__}:found_in", (texts, names))))
        self._pieces[names] |= dict.fromkeys(texts, piece)

    def batch(self, analyzer: Analyzer, texts: Sequence[str], beside: Beside) -> Spans:
        """As `Analyzer.batch`.

        What no process has begun is done here, from the end, while others work from the front.
        """
        known = self._pieces[analyzer.names]
        if not known:
            return analyzer.batch(texts, beside)
        places: dict[_Piece | None, list[int]] = {}
        for i, text in enumerate(texts):
            places.setdefault(known.get(text), []).append(i)
        out: Spans = [[] for _ in texts]
        for piece, at in reversed(places.items()):
            some = [texts[i] for i in at]
            found = None if piece is None else piece.found(some)
            for i, spans in zip(at, analyzer.batch(some, beside) if found is None else found, strict=True):
                out[i] = spans
        return out


class _Piece:
    """Texts that a process looks at."""

    def __init__(self, texts: Sequence[str], future: Future[Spans]) -> None:
        self._texts, self._future = texts, future
        self._found: dict[str, list[Span]] | None = None

    def found(self, texts: Sequence[str]) -> Spans | None:
        """Return what is in some of the texts; None where no process has begun them, or one has failed."""
        if self._found is None:
            if self._future.cancel():
                return None
            try:
                self._found = dict(zip(self._texts, self._future.result(), strict=True))
            except (Lost, CancelledError):
                return None
        return [self._found[text] for text in texts]


def prepare() -> None:
    """What a process loads before its first texts."""
    found_in(["Anna Schmidt"], True)


def found_in(texts: Sequence[str], names: bool) -> Spans:
    return Analyzer(names=names).batch(texts)
