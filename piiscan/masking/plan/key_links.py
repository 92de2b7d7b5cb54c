"""Which tables know the same people by different keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from piiscan.masking.plan.plan_types import Subject, TablePlan

RANKS: Final[Mapping[str, int]] = {"EMAIL_ADDRESS": 0, "PERSON_ID": 1, "MEDICAL_RECORD": 2, "USERNAME": 3}
"""Entities that mean one person each; the lower, the better. Names aren't among them: two people may share one."""
NUMBERS: Final = ("PERSON_ID", "MEDICAL_RECORD")
"""Entities that number people."""
SHARED_WITH: Final = frozenset(("EMAIL_ADDRESS", "USERNAME"))
"""Entities of which a family may share one."""
VAULT: Final = "piiscan-people-vault"
"""The file that remembers whose keys belong together, where a plan names no other."""


def ranked(subject: Subject, plan: TablePlan) -> list[tuple[int, int]]:
    """Rank and place of the subject's keys that mean one person each, the best first."""
    single = [(i, plan.columns[key[0]].entity or "") for i, key in enumerate(subject.keys) if len(key) == 1]
    return sorted((RANKS[entity], i) for i, entity in single if entity in RANKS)


def needed(tables: Sequence[TablePlan]) -> tuple[str, str] | None:
    """Two tables of which one knows people by a key, and the other by that key and a better one; None where there
    are none."""
    kinds = [
        (t.source, [(rank, s.scope if rank else "") for rank, _ in ranked(s, t)])
        for t in tables
        for s in t.subjects
        if ranked(s, t)
    ]
    for poor, known_by in kinds:
        for rich, several in kinds:
            if known_by[0] in several[1:] and several[0][0] < known_by[0][0]:
                return poor, rich
    return None
