"""Searches texts in other processes, which begin while tables are read for the first time.

Masks are the same without them: what is found in a text depends on that text alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Final, Self

import polars as pl

from piiscan.core import worker_processes
from piiscan.core.checkpoints import Checkpoints
from piiscan.core.worker_processes import Lost, Task, WorkerProcesses
from piiscan.detection.text.analyzer import Analyzer, Beside, Spans
from piiscan.detection.text.span import Span
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.known.known_values import has_texts
from piiscan.masking.plan.plan_types import Plan, TablePlan

_FEWEST: Final = 2 << 20
"""Bytes of a source that are worth another process: it takes as long to start as a megabyte of texts to read."""
_TIMES: Final = 3
"""So many times the bytes of its source are needed in this process."""
_PIECE: Final = 1 << 20
"""Bytes of texts that are looked at together: fewer take longer, as each rule is a call."""
_MOST: Final = 48 << 20
"""Bytes of texts that are kept, with what is found in them."""


class TextsAhead:
    """Takes the texts of tables that are read, and gives what is found in them when they are masked.

    Up to `processes`, this one included, look at them; others than this one end with the context.
    """

    def __init__(self, source: Path, plan: Plan, processes: int, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints
        self._workers: WorkerProcesses | None = None
        self._pieces: dict[bool, dict[str, _Piece]] = {True: {}, False: {}}
        self._waiting: dict[bool, list[str]] = {True: [], False: []}
        self._bytes = {True: 0, False: 0}
        self._room = _MOST
        size = _size(source) if any(has_texts(table) for table in plan.tables) else 0
        count = worker_processes.affordable(processes, _TIMES * size) if size >= _FEWEST else 0
        if count > 0:
            self._workers = WorkerProcesses(count, Task(f"{__name__}:prepare", ()), checkpoints.employ)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """No more texts are masked."""
        if self._workers is not None:
            self._workers.close()
            self._checkpoints.employ(())
            self._workers = None
        for pieces in self._pieces.values():
            pieces.clear()

    def take(self, plan: TablePlan, frame: pl.DataFrame) -> None:
        """Some rows of a table that is read."""
        for action in plan.columns if self._workers is not None else ():
            if action.operator == "spans" and self._room > 0:
                cells = flat(frame[str(action.index)])
                if cells.dtype == pl.String:
                    self._add(cells.drop_nulls().unique(maintain_order=True), bool(action.params.get("names", True)))

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
        if not texts or self._workers is None:
            return
        self._room -= self._bytes[names]
        self._waiting[names], self._bytes[names] = [], 0
        piece = _Piece(texts, self._workers.submit(Task(f"{__name__}:found_in", (texts, names))))
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


def _size(source: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    if not source.is_dir():
        return source.stat().st_size if source.is_file() else 0
    paths = (Path(folder, name) for folder, _, names in os.walk(source) for name in names)
    return sum(path.stat().st_size for path in paths if path.is_file())


def prepare() -> None:
    """What a process loads before its first texts."""
    found_in(["Anna Schmidt"], True)


def found_in(texts: Sequence[str], names: bool) -> Spans:
    return Analyzer(names=names).batch(texts)
