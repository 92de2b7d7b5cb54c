"""Bounds that are known of an entity without looking at anybody's data. They hold only for a column of which a person
said what it is: a scan's verdict depends on the data."""

from __future__ import annotations

from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.dp.domains import Number

BOUNDS: Final = {"AGE": (0.0, 120.0)}


def declared(column: str, entity: str) -> Number:
    """The bounds of a column that holds `entity`. Raises `UsageError`."""
    if entity not in PII_CLASS:
        raise UsageError(f"column {column}: {entity} is no entity; `piiscan rules list` names them")
    if entity not in BOUNDS:
        raise UsageError(
            f"column {column}: no bounds are known of every {entity}; declare them with --bounds "
            f"{column}=LOW:HIGH, or --categories {column}=A,B"
        )
    return Number(*BOUNDS[entity], source="registry")
