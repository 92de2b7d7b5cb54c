"""A table coded by its public domains: each cell a small integer, with numbers beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from piiscan.core.errors import UsageError
from piiscan.dp import domains as d
from piiscan.dp.domains import Categories, Number
from piiscan.dp.tally import codes

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

Declared: TypeAlias = "Mapping[str, Number | Categories]"


@dataclass(frozen=True, eq=False)
class Coded:
    """The codes and numbers of a table.

    `codes[i]` (rows,): for column i the index of each cell among `labels[i]`. `numbers`: by column, (rows,), NaN if
    there is none.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    codes: tuple[Ints, ...]
    numbers: Mapping[str, Floats]
    rows: int

    def taken(self, rows: Ints) -> Coded:
        """These rows, in this order."""
        return Coded(
            self.names,
            self.labels,
            tuple(c[rows] for c in self.codes),
            {name: n[rows] for name, n in self.numbers.items()},
            len(rows),
        )


def coded(frame: pl.DataFrame, domains: Declared, which: str) -> Coded:
    """Code a table; `which` names it in errors. Raises `UsageError` if a column is missing, or there is no row."""
    if missing := [name for name in domains if name not in frame.columns]:
        raise UsageError(f"the {which} table has no column {missing[0]}; both tables need every declared column")
    if not frame.height:
        raise UsageError(f"the {which} table has no rows to compare")
    return Coded(
        names=tuple(domains),
        labels=tuple(labels(domain) for domain in domains.values()),
        codes=tuple(codes(frame[name], domain) for name, domain in domains.items()),
        numbers={name: _numbers(frame[name]) for name, domain in domains.items() if isinstance(domain, Number)},
        rows=frame.height,
    )


def labels(domain: Number | Categories) -> tuple[str, ...]:
    """Return the labels that the codes stand for."""
    return (*domain.labels, d.MISSING) if isinstance(domain, Number) else (*domain.labels, d.OTHER, d.MISSING)


def _numbers(cells: pl.Series) -> Floats:
    numbers = d.numbers(cells).fill_null(float("nan")).to_numpy()
    return np.where(np.isfinite(numbers), numbers, np.nan)
