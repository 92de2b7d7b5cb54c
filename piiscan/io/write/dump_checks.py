"""CHECK constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from piiscan.io.dumps.schema import Column

if TYPE_CHECKING:
    import polars as pl


class Check(NamedTuple):
    columns: tuple[int, ...]
    expression: pl.Expr

    def broken(self, frame: pl.DataFrame) -> int:
        return int((~frame.select(self.expression).to_series()).sum() or 0)


def read(text: str, indices: Mapping[str, int], columns: Sequence[Column]) -> Check | None:
    return None
