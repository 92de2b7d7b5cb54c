"""Fits the operator of a column to what its declared type holds: so many characters, numbers up to one, no nulls."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from piiscan.core.types import ColumnReport, Limits
from piiscan.masking.operators.hashed import SHORTEST
from piiscan.masking.plan.choice import Chosen

_LARGEST_MASK: Final = 999_999
"""Integers of up to six digits get any number of up to six digits."""
_MAIL: Final = 50
_USER_NAME: Final = 32
"""Characters of nearly all made-up addresses and user names: an initial, a surname, 13 signs, a domain."""
_LENGTHS: Final = {"email": _MAIL, "username": _USER_NAME}
FEW_NUMBERS: Final = (
    "its declared type holds fewer than a million numbers, and a permutation of so few could be guessed"
)


_OPAQUE: Final = "of a type of which piiscan can't tell what else fits it"
_WHOLE_DATES: Final = "as the first day of it: the database takes whole dates"
_LEAVES_TYPES: Final = ("keep", "suppress", "drop", "spans")


def fitted(chosen: Chosen, column: ColumnReport, limits: Limits | None) -> Chosen:
    """The operator, or another one where its masks wouldn't fit the column's declared type.

    Numbers for which the type has no room are kept if they are quasi-identifiers, as others are, and suppressed if they
    are direct identifiers. A `length` that a policy names stays.
    """
    if limits is None:
        return chosen
    if chosen.operator == "fpe" and limits.largest is not None and limits.largest < _LARGEST_MASK:
        operator = "keep" if column.pii == "quasi" else "suppress"
        return Chosen(operator, notes=(FEW_NUMBERS,))
    if limits.is_opaque and chosen.operator not in _LEAVES_TYPES:
        if column.pii != "direct":
            return Chosen("keep", notes=(_OPAQUE,))
        return chosen if limits.needs_value else Chosen("suppress", notes=(_OPAQUE,))
    if limits.is_time and chosen.operator == "date-generalise" and "style" not in chosen.params:
        return replace(chosen, params={**chosen.params, "style": "first"}, notes=(*chosen.notes, _WHOLE_DATES))
    longest = limits.longest
    if longest is None:
        return chosen
    if chosen.operator == "hash" and "length" not in chosen.params and longest < 32:
        return _hashed(longest, chosen)
    needed = _LENGTHS.get(str(chosen.params.get("kind"))) if chosen.operator == "persona" else None
    return chosen if needed is None or longest >= needed else _hashed(longest, chosen)


def _hashed(longest: int, chosen: Chosen) -> Chosen:
    """A hash that fits, in place of masks that may not."""
    why = f"its declared type takes {longest} characters, and masks by {chosen.operator} may have more"
    if longest < SHORTEST:
        return Chosen("suppress", notes=(*chosen.notes, why))
    hashed = replace(chosen, operator="hash", params={"length": min(longest, 32)}, subject=None)
    return replace(hashed, domain=None, notes=(*chosen.notes, why))
