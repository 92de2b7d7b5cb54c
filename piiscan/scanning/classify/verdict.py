"""The verdict on a column: its entity, its class, and why."""

from __future__ import annotations

from typing import Final, NamedTuple

from piiscan.core.types import Inside, Pii, Reason

BY_HEADERS: Final = 0.9
"""How sure a verdict is at most that the headers of another table give, or one that names things."""
BY_LINKS: Final = 0.9
"""How sure a verdict is reported that addresses beside a column, or positions with times, give. How often these
are right wasn't measured."""


class Verdict(NamedTuple):
    """`confidence` is the probability that `entity` (or None) is right; `rule` is the rule that carries it.

    `pii_confidence` is the probability that `pii` is right; `review` says why a person should look at the column.
    `named`: the entity that the header of a column without values names.
    """

    entity: str | None
    subtype: str | None
    pii: Pii
    confidence: float
    rule: str | None
    reasons: tuple[Reason, ...]
    inside: tuple[Inside, ...]
    pii_confidence: float = 1.0
    review: tuple[str, ...] = ()
    named: str | None = None
