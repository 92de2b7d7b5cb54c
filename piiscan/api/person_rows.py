"""Checks a declaration that each row of a table is another person's."""

from __future__ import annotations

from typing import Final

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport
from piiscan.dp.privacy import Privacy
from piiscan.io.table_source import Source
from piiscan.masking.plan.plan_writer import labels
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.scan_options import ScanOptions

_NUMBERS: Final = frozenset("PERSON_ID MEDICAL_RECORD US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE".split())
"""Entities of which each value belongs to one person."""
_SHARED: Final = {"EMAIL_ADDRESS": 0.05, "USERNAME": 0.05}
"""Entities that families and desks share: in at most this many of the rows."""
_SAMPLE: Final = 20_000


def refuse_repeated_persons(source: Source, privacy: Privacy) -> None:
    """Raise `UsageError` if each row is declared another person's, and a person's identifier repeats.

    If one identifying column has no repeated value, the declaration is accepted whatever the others contain. The
    refusal itself discloses that much about the data, and costs no budget.
    """
    if not privacy.one_row_per_person:
        return
    report = engine.scan_tables([source.opened()], rule_sets.load(()), ScanOptions(sample=_SAMPLE))
    if not report.tables:
        return  # what can't be read is reported by the reader
    table = report.tables[0]
    names = dict(zip((c.index for c in table.columns), labels([c.name for c in table.columns]), strict=True))
    keys = [c for c in table.columns if c.entity in _NUMBERS | set(_SHARED) and c.rule != "person-role"]
    keys = [c for c in keys if c.dtype != "other"]
    if not keys:
        return
    cells = pl.concat([b.frame.select(str(c.index) for c in keys) for b in source.opened().batches()])
    repeated = {c.index: _repeats(c, cells[str(c.index)]) for c in keys}
    if not all(repeated.values()):
        return
    name = names[keys[0].index]
    raise UsageError(
        f"--one-row-per-person: people have several rows here, since column {name} ({keys[0].entity}) repeats, so "
        f"the promise would protect only one row of each person. Declare the person with --unit {name} "
        "(--max-rows: how many of a person's rows count); if it identifies somebody else, such as a physician, "
        "leave the column out of the file"
    )


def _repeats(column: ColumnReport, cells: pl.Series) -> bool:
    texts = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
    texts = texts.filter(texts != "")
    again = len(texts) - texts.n_unique()
    return again > _SHARED.get(column.entity or "", 0.0) * len(texts)
