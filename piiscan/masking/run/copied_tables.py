"""Tables that are copied into an output as they are, such as the virtual ones of a database."""

from __future__ import annotations

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ReadError
from piiscan.core.types import Table
from piiscan.detection.matching.match_column import count
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine


def no_identifier(table: Table, rules: RuleSet) -> None:
    """Raises `ReadError` where a rule finds a direct identifier in texts that are to be copied as they are."""
    prefilter = engine.prefilter_of(rules)
    for batch in table.batches():
        for (rule, _), hits in (
            (key, h) for cells in batch.frame.iter_columns() for key, h in count(cells, prefilter).items()
        ):
            if len(hits.cells) and PII_CLASS[prefilter.compiled.patterns[rule].rule.entity] == "direct":
                raise ReadError(
                    f"{table.info.table}: it contains an identifier, and would be copied unchanged; take it out first"
                )
