"""What the columns that stay unchanged reveal together: how many rows they single out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from piiscan.anonymity.roles import Assigned
from piiscan.io.table_source import Source

_MANY: Final = 0.01
"""A warning is given from this share of rows (or people) on."""
PROTECT: Final = (
    "piiscan protect takes the other steps of a release: it removes identifiers, gives units random ids, "
    "shuffles rows and generalises columns that reveal a quasi-identifier"
)


def warnings(source: Source, columns: Sequence[Assigned]) -> tuple[str, ...]:
    """Return the warnings about a unit's number, and about kept columns that are unique together.

    It reads the table once and keeps hashes of 8 bytes a row.
    """
    unit = next((c for c in columns if c.role == "unit"), None)
    said = []
    if unit is not None:
        said.append(
            f"{unit.name} has different numbers in the output, valid in this release only: the original ones "
            "would reveal whose rows they are"
        )
    kept = [c for c in columns if c.role in ("sensitive", "insensitive", "suspected")]
    alone, everybody = _alone(source, kept, unit) if kept else (0, 0)
    if alone > _MANY * everybody:
        names = ", ".join(c.name for c in kept)
        together = f"{names} stay{'s' if len(kept) == 1 else ''} as {'it is' if len(kept) == 1 else 'they are'}"
        whom = "rows" if unit is None else f"different {unit.name}"
        said.append(
            f"{together}, and single{'s' if len(kept) == 1 else ''} out {alone:,} of {everybody:,} {whom}: anyone "
            "who knows them needs no quasi-identifier. Declare with --quasi the columns that an attacker may "
            "know, or leave them out"
        )
    return (*said, PROTECT) if said else ()


def _alone(source: Source, kept: Sequence[Assigned], unit: Assigned | None) -> tuple[int, int]:
    """Return how many rows, or units, have cells in these columns that no other has, and how many there are."""
    parts: list[pl.DataFrame] = []
    rows = 0
    for batch in source.opened().batches():
        frame = batch.frame
        texts = [_texts(frame[str(c.index)]) for c in kept]
        cells = pl.DataFrame(texts).select(pl.struct(pl.all()).hash().alias("cells"))
        whose = pl.Series("whose", range(len(frame)), dtype=pl.UInt64) + rows
        rows += len(frame)
        if unit is not None:
            whose = frame[str(unit.index)].cast(pl.String).hash().alias("whose")
        parts.append(cells.with_columns(whose))
    if not parts:
        return 0, 0
    every = pl.concat(parts)
    alone = every.group_by("cells").agg(pl.col("whose").n_unique().alias("n"), pl.col("whose").first()).filter(n=1)
    return alone["whose"].n_unique(), every["whose"].n_unique()


def _texts(cells: pl.Series) -> pl.Series:
    """Cells as texts; lists stay lists, which have no text."""
    return cells if cells.dtype.is_nested() else cells.cast(pl.String)
