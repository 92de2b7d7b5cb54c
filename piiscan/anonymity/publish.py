"""Rows as they are published.

Quasi-identifiers get their labels, units get numbers that are valid in this release only, and suppressed rows are
blanked or left out.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
import polars as pl

from piiscan.anonymity.histogram import Histogram, Ints
from piiscan.anonymity.result import Anonymized
from piiscan.core.errors import ReadError


class Published(NamedTuple):
    """The new cells of a batch's columns that change, by place; `kept`: the rows that stay, None for all."""

    columns: dict[int, pl.Series]
    kept: pl.Series | None


class Publisher:
    """Applies the solution found for a table to its rows.

    texts: the indices of columns that contain labels, which are text. changed: the indices of all columns that change.
    """

    def __init__(self, found: Anonymized) -> None:
        solution, drops = found.solution, found.request.drop_suppressed
        self._recoding = solution.recoding([c.index for c in found.quasi])
        self._blanks = solution.suppressed > 0 and not drops
        self._drops = solution.suppressed > 0 and drops
        self._labelled = frozenset(c.index for c, is_so in zip(found.quasi, solution.changed, strict=True) if is_so)
        self._units = {c.index: _Numbers(_different(solution.problem.unit)) for c in found.columns if c.role == "unit"}
        self.changed = frozenset(c.index for c in found.columns) if self._blanks else self._labelled | set(self._units)
        self.texts = self._labelled if solution.cover is not None else frozenset()
        self.texts |= {c.index for c in found.columns if c.role == "unit" and c.dtype not in ("integer", "string")}

    def number_units(self, histogram: Histogram) -> None:
        """Number all units of a table at once, by its histogram: copies of this publisher agree then."""
        for i, numbers in self._units.items():
            numbers.of(histogram.frame[str(i)])

    def apply(self, frame: pl.DataFrame) -> Published:
        """Return the published rows of a batch, whose columns are named by their indices.

        Raises `ReadError` for rows that weren't counted.
        """
        recoded = self._recoding.apply(frame)
        out = {i: recoded.labels[i] if i in self._labelled else frame[str(i)] for i in sorted(self.changed)}
        out |= {i: numbers.of(frame[str(i)]) for i, numbers in self._units.items()}
        out = {i: cells if i in self.texts else cells.cast(frame[str(i)].dtype) for i, cells in out.items()}
        if self._blanks:
            out = {i: cells.set(~recoded.kept, None) for i, cells in out.items()}
        return Published(out, recoded.kept if self._drops else None)


class _Numbers:
    """Numbers from 1 in random order, one for each distinct unit; they can't be reproduced."""

    def __init__(self, units: int) -> None:
        drawn = np.frombuffer(secrets.token_bytes(8 * units), dtype=np.uint64)
        self._free = iter((np.argsort(drawn) + 1).tolist())
        self._known: dict[str, str] = {}

    def of(self, cells: pl.Series) -> pl.Series:
        """The number of each unit (String); empty cells stay empty."""
        texts = cells.cast(pl.String)
        texts = texts.set(texts == "", None)
        for value in texts.drop_nulls().unique(maintain_order=True):
            if value not in self._known:
                number = next(self._free, None)
                if number is None:
                    raise ReadError("the table has changed since it was counted; run the anonymisation again")
                self._known[value] = str(number)
        return texts.replace_strict(self._known, default=None, return_dtype=pl.String).alias(cells.name)


def _different(codes: Ints | None) -> int:
    return 0 if codes is None else int(codes.max(initial=-1)) + 1
