"""A table prepared for anonymisation: the role of every column, and the histogram of the columns that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.roles import Assigned, Role
from piiscan.core.types import TableInfo


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A table's columns with their roles, and its histogram over quasi-identifiers, sensitive columns and unit."""

    info: TableInfo
    columns: tuple[Assigned, ...]
    histogram: Histogram

    def indexes(self, role: Role) -> tuple[int, ...]:
        return tuple(c.index for c in self.columns if c.role == role)


class OtherTable(NamedTuple):
    """A table that a first one is compared with: its columns, and what counts its rows by those in some places."""

    info: TableInfo
    histogram_of: Callable[[Sequence[int]], Histogram]
