"""The rule of a policy that a column gets: the policy's own, or that of texts where its cells are searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from piiscan.core.types import ColumnReport, TableReport
from piiscan.detection.matching import files_in_cells
from piiscan.masking.plan.policy import Policy, PolicyRule
from piiscan.masking.plan.same_people import is_declared

_FREE_TEXT: Final = "free-text"
_HOLDS_FILES: Final = "files in cells ({:,}), which weren't read"
_SEARCHED: Final = "its header is that of texts: values of persons in it are masked"
_NAMED: Final = "its cells have values of persons whom other columns hold: these are masked"


def rule(
    policy: Policy, report: TableReport, column: ColumnReport, dates: bool, persons: bool, named: bool
) -> PolicyRule:
    """The policy's rule for a column.

    A column in which people are `named`, and one of no entity whose header is that of texts, as of notes that hardly
    ever say something, are searched for the values of persons where the policy searches texts. What a rule keeps by
    its name or its table stays.
    """
    from piiscan.rules import rule_sets

    own = policy.rule(report, column, dates)
    if column.files and own.operator != "drop" and not report.is_text:
        gone = "drop" if files_in_cells.is_drawn(column.name) else "suppress"
        return PolicyRule(gone, note=_HOLDS_FILES.format(column.files))
    is_open = column.entity is None and column.pii == "none" and not is_declared(column)
    named = named and own.column is None and own.table is None
    if own.operator != "keep" or not (named or (persons and is_open and column.dtype == "string")):
        return own
    if not named and _FREE_TEXT not in rule_sets.shipped().rules.named(column.name):
        return own
    as_text = policy.rule(report, replace(column, entity="FREE_TEXT", pii="quasi"), dates)
    if named and as_text.operator in ("spans", "suppress"):
        return as_text._replace(note=_NAMED)
    return as_text._replace(note=_SEARCHED) if as_text.operator == "spans" else own
