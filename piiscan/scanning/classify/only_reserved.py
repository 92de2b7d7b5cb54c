"""Whether everything that was found in a column is a reserved value."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from piiscan.rules.reserved_values import reserved
from piiscan.scanning.classify.class_decision import BY_INSIDE
from piiscan.scanning.classify.verdict import Verdict

_ANY = "EMAIL_ADDRESS"
"""An e-mail address at a reserved domain belongs to no one, whatever the column is: a login, a key."""


def only_reserved(verdict: Verdict, others: Collection[str], filled: int, inside: Sequence[bool]) -> bool:
    """Whether all that a verdict finds in a column of so many filled cells is reserved.

    `others`: the entities of which some cell is no reserved value; `inside`: whether that is so of each entity inside
    cells. The same holds of values that raise no alarm for another reason.
    """
    own = bool(filled) and verdict.entity is not None and (_is_all(verdict.entity, others) or _is_all(_ANY, others))
    by_inside = verdict.pii == "none" or BY_INSIDE in verdict.reasons
    return (own or by_inside) and all(inside) and (own or bool(inside))


def _is_all(entity: str, others: Collection[str]) -> bool:
    return entity in reserved() and entity not in others
