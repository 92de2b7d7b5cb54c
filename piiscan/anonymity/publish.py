"""Rows as they are published: quasi-identifiers with their labels, suppressed rows blank or left out."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from piiscan.anonymity.result import Anonymized


class Published(NamedTuple):
    """The new cells of a batch's columns that change, by place; `kept`: the rows that stay, None for all."""

    columns: dict[int, pl.Series]
    kept: pl.Series | None


class Publisher:
    """What was found for a table, applied to its rows.

    texts: the places of columns that hold labels, which are text. changed: those of all that don't stay as they are.
    """

    def __init__(self, found: Anonymized) -> None:
        solution, drops = found.solution, found.request.drop_suppressed
        self._recoding = solution.recoding([c.index for c in found.quasi])
        self._blanks = solution.suppressed > 0 and not drops
        self._drops = solution.suppressed > 0 and drops
        self._labelled = frozenset(c.index for c, is_so in zip(found.quasi, solution.changed, strict=True) if is_so)
        self.changed = frozenset(c.index for c in found.columns) if self._blanks else self._labelled
        self.texts = self._labelled if solution.cover is not None else frozenset()

    def apply(self, frame: pl.DataFrame) -> Published:
        """The rows of a batch, whose columns are named by their places. Raises `ReadError` for rows that weren't
        counted."""
        recoded = self._recoding.apply(frame)
        out = {i: recoded.labels[i] if i in self._labelled else frame[str(i)] for i in sorted(self.changed)}
        out = {i: cells if i in self.texts else cells.cast(frame[str(i)].dtype) for i, cells in out.items()}
        if self._blanks:
            out = {i: cells.set(~recoded.kept, None) for i, cells in out.items()}
        return Published(out, recoded.kept if self._drops else None)
