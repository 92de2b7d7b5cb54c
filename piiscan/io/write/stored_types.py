"""The types that columns of a Parquet file had before their cells became text, in its metadata.

Restoring the cells restores the types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

KEY: Final = "piiscan.types"
_NAMED: Final = frozenset("Int8 Int16 Int32 Int64 Int128 UInt8 UInt16 UInt32 UInt64 Boolean Date".split())


def encoded(types: Mapping[str, pl.DataType]) -> str:
    """Column → type as JSON, of those types that have one exact text for each value."""
    import polars as pl

    spelled: dict[str, Any] = {}
    for column, dtype in types.items():
        if str(dtype) in _NAMED:
            spelled[column] = str(dtype)
        elif isinstance(dtype, pl.Datetime):
            spelled[column] = ["Datetime", dtype.time_unit, dtype.time_zone]
    return json.dumps(spelled, ensure_ascii=False)


def decoded(text: str | None) -> dict[str, pl.DataType]:
    """The types by column; none, where somebody else wrote the metadata."""
    import polars as pl

    try:
        spelled = json.loads(text or "{}").items()
        return {
            c: pl.Datetime(t[1], t[2]) if t[0] == "Datetime" else getattr(pl, t)()
            for c, t in spelled
            if t[0] == "Datetime" or t in _NAMED
        }
    except (AttributeError, IndexError, TypeError, ValueError):
        return {}
