"""Columns in which some cells hold several values, which are masked as one: how plans and reports say so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from piiscan.core.types import TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.masking.plan.plan_types import TablePlan
from piiscan.masking.plan.plan_writer import labelled

_MARK: Final = "some cells seem to hold several "
NUMBERS: Final = (
    f"{_MARK}numbers: these are masked as one, and don't join with numbers that stand alone; "
    "write them as a list of JSON, or one a row, to mask each"
)
VALUES: Final = (
    f"{_MARK}values: these are masked as one or become empty, and don't join with values that stand alone; "
    "write them as a list of JSON, or one a row, to mask each"
)
_LEAVES_OR_EMPTIES: Final = frozenset(("keep", "spans", "suppress", "drop", "redact"))
_FEWEST: Final = 3
_BETWEEN: Final = re.compile(r"(?<!\s)\s*+[;,|/]\s*+|(?<!\s)[^\S\n]*+\n\s*+")
_BETWEEN_NAMES: Final = re.compile(r"(?<!\s)\s*+[;|]\s*+|(?<!\s)[^\S\n]*+\n\s*+")
"""A comma stands between the parts of a name, too."""
_PART: Final = {
    "EMAIL_ADDRESS": re.compile(r"[^@\s]+@[^@\s]+"),
    "PHONE_NUMBER": re.compile(r"(?:\D*\d){7,}\D*"),
    "IP_ADDRESS": re.compile(r"\d+(?:\.\d+){3}|(?:[0-9A-Fa-f.]*:){2}[0-9A-Fa-f:.]*"),
    "IBAN_CODE": re.compile(r"[A-Za-z]{2}\d\d[0-9A-Za-z -]{10,}"),
    "CREDIT_CARD": re.compile(r"(?:\d[ .-]?){12,18}\d"),
    "PERSON": re.compile(r"[^\W\d_]\S*+\s.*[^\W\d_]"),
}


def columns(report: TableReport, summary: TableSummary) -> frozenset[int]:
    """The columns of text some of whose sampled cells are plainly several of its values, with marks between them."""
    return frozenset(
        column.index
        for column, found in zip(report.columns, summary.columns, strict=True)
        if column.entity in _PART and column.dtype == "string" and _held(column.entity, found.sample.texts)
    )


def _held(entity: str, texts: Sequence[str]) -> bool:
    part, between = _PART[entity], _BETWEEN_NAMES if entity == "PERSON" else _BETWEEN
    found = 0
    for text in texts:
        parts = between.split(text.strip(" ;,|/\n"))
        found += len(parts) > 1 and all(map(part.fullmatch, parts))
        if found == _FEWEST:
            return True
    return False


def notes(operator: str, several: bool) -> list[str]:
    """What a plan says of a column by its operator: nothing where no cell holds several values that become one mask."""
    return [VALUES] if several and operator not in _LEAVES_OR_EMPTIES else []


def told(tables: Sequence[TablePlan]) -> Iterator[str]:
    """A sentence for each column of a new plan whose cells hold several values."""
    for where, action in labelled(tables):
        for line in action.notes:
            if line.startswith(_MARK):
                yield f"{where}: {line}"
