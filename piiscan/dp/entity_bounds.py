"""Bounds that are known for an entity without looking at any data.

They apply only to a column that a person declared, since a scan's verdict depends on the data.
"""

from __future__ import annotations

from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.dp.domains import Number

BOUNDS: Final = {"AGE": (0.0, 120.0)}


def declared(column: str, entity: str) -> Number:
    """Return the bounds of a column that contains `entity`. Raises `UsageError`."""
    if entity not in PII_CLASS:
        raise UsageError(f"column {column}: {entity} is not an entity; `piiscan rules list` names them")
    if entity not in BOUNDS:
        raise UsageError(
            f"column {column}: no bounds are known for {entity}; declare them with --bounds {column}=LOW:HIGH, or "
            f"--categories {column}=A,B"
        )
    return Number(*BOUNDS[entity], source="registry")
