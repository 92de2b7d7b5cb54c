"""How sure the class of a column is, and whether a person should look at it."""

from __future__ import annotations

from typing import Final, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Pii
from piiscan.scanning.classify.candidates import ColumnCandidates, probability
from piiscan.scanning.classify.subject import PERSONAL, RowSubject

SURE: Final = 0.8
"""From this probability on, identifiers that are nobody's need no review."""
DOUBTED: Final = 0.2
"""From this probability on, a column may hold direct identifiers."""


class ClassDoubt(NamedTuple):
    """`pii_confidence` is the probability that the class is right; `review` says why a person should look, empty where
    nobody needs to."""

    pii_confidence: float
    review: tuple[str, ...] = ()


def class_doubt(column: ColumnCandidates, pii: Pii, confidence: float, rows: RowSubject) -> ClassDoubt:
    """How sure it is that a column, of whose entity (or None) we are sure by `confidence`, is of class `pii`."""
    best = column.best()
    own = "none" if best is None else PII_CLASS[best.entity]
    if best is not None and pii == "none" != own:
        # Judged by what the rows are about: as sure as that is, by how far it is from speaking of persons.
        sure = round(probability(PERSONAL - rows.score), 4)
        doubted = own == "direct" and sure < SURE
        reasons = (f"{best.entity} that may be of persons ({1 - sure:.0%} likely)",) if doubted else ()
        return ClassDoubt(sure, reasons)
    if pii != "none":
        return ClassDoubt(confidence)
    likely = [(c.entity, probability(c.logit)) for c in column.candidates if PII_CLASS[c.entity] == "direct"]
    return ClassDoubt(confidence, tuple(f"it may be {e} ({p:.0%} likely)" for e, p in likely if DOUBTED <= p <= 0.5))
