"""Which tables know the same people by different keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from piiscan.masking.plan.plan_types import Subject, TablePlan

IN_SCOPE: Final = ("PERSON_ID", "MEDICAL_RECORD", "USERNAME")
"""Entities that mean one person each within a subject's scope."""
NATIONAL: Final = ("US_SSN", "NATIONAL_ID")
"""Entities of numbers that a state gives to one person each."""
TELEPHONE: Final = "PHONE_NUMBER"
"""What means one person with the whole name beside it: families share a telephone, and many people a name."""
RANKS: Final[Mapping[str, int]] = {
    entity: rank
    for rank, entity in enumerate(("EMAIL_ADDRESS", "PERSON_ID", "MEDICAL_RECORD", *NATIONAL, "USERNAME", TELEPHONE))
}
"""Entities that mean one person each; the lower, the better. Names aren't among them: two people may share one."""
NAMES: Final = ("PERSON", "FIRST_NAME", "LAST_NAME")
NAMES_RANK: Final = len(RANKS)
"""Of whole names, which mean one person each where they stand beside the better keys of one person only."""
NUMBERS: Final = ("PERSON_ID", "MEDICAL_RECORD")
"""Entities that number people."""
SHARED_WITH: Final = frozenset(("EMAIL_ADDRESS", "USERNAME", *NATIONAL))
"""Entities of which a family may share one, or that a placeholder may stand for."""
VAULT: Final = "piiscan-people-vault"
"""The file that remembers whose keys belong together, where a plan names no other."""


def rank(subject: Subject, key: tuple[int, ...], plan: TablePlan) -> int | None:
    """The rank of one of the subject's keys; None for one that doesn't mean one person each."""
    entity = plan.columns[key[0]].entity or ""
    if entity in NAMES:
        return NAMES_RANK if key[0] in subject.everywhere else None
    if entity in NATIONAL or entity == TELEPHONE:
        fits = key[0] in subject.everywhere and (len(key) == 1) == (entity in NATIONAL)
    else:
        fits = len(key) == 1 and entity in RANKS
    return RANKS[entity] if fits else None


def ranked(subject: Subject, plan: TablePlan) -> list[tuple[int, int]]:
    """Rank and place of the subject's keys that mean one person each, the best first."""
    each = [(rank(subject, key, plan), i) for i, key in enumerate(subject.keys)]
    return sorted((r, i) for r, i in each if r is not None)


def kinds(subject: Subject, plan: TablePlan) -> list[tuple[int, str]]:
    """Rank and scope of the subject's keys that mean one person each, the best first."""
    scoped = {RANKS[entity] for entity in IN_SCOPE}
    return [(r, subject.scope if r in scoped else "") for r, _ in ranked(subject, plan)]


def needed(tables: Sequence[TablePlan]) -> tuple[str, str] | None:
    """Two tables, one with a key and the other with that key and a better one; None where there are none."""
    each = [(t.source, found) for t in tables for s in t.subjects if (found := kinds(s, t))]
    for poor, known_by in each:
        for rich, several in each:
            if known_by[0] in several[1:] and several[0][0] < known_by[0][0]:
                return poor, rich
    return None
