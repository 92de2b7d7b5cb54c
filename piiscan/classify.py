"""Verdicts: what each column of a table is, from its exact summary, its header and its neighbours."""

from __future__ import annotations

from dataclasses import dataclass

from piiscan.rules import RuleSet
from piiscan.summary import TableSummary
from piiscan.types import Inside, Pii, Reason, Subject, TableInfo


@dataclass(frozen=True, slots=True)
class Verdict:
    """`confidence` is the probability that `entity` (or None) is right; `rule` is the rule that carries it."""

    entity: str | None
    subtype: str | None
    pii: Pii
    confidence: float
    rule: str | None
    reasons: tuple[Reason, ...]
    inside: tuple[Inside, ...]


def classify(info: TableInfo, summary: TableSummary, rules: RuleSet) -> tuple[Subject | None, tuple[Verdict, ...]]:
    """The subject of the table's rows and one verdict per column. A pure function of the summary."""
    raise NotImplementedError
