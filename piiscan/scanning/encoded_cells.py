"""What is found in the texts that cells of a column hold in Base64 or hexadecimal, from its summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from piiscan.core import shapes
from piiscan.core.types import Inside
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.io.cells import encoded_texts

if TYPE_CHECKING:
    from piiscan.rules.definitions import RuleSet

_LOOKED_AT: Final = shapes.MOST_LOOKED_AT
"""Cells that are looked at first: a column of a table holds such texts in most cells, or in none."""
_FEWEST: Final = 16
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9+/_=-]{16}")
Decode = Callable[[str], str | None]


def cells_of(column: ColumnSummary, is_list: bool, by: Decode = encoded_texts.decoded) -> list[tuple[str, int]]:
    """Return the decoded texts of sampled cells, and how many cells hold each.

    `is_list`: the table has no other column, so lines of any kind may be its cells. `by`: decodes all of a cell, or its
    end, or else what is `encoded_texts.within` it.
    """
    first = [text for text, _ in (column.sample.items if is_list else column.sample.first(_LOOKED_AT))]
    if not _LONG_WORD.search("\n".join(first)):
        return []
    may = (text for text in first if len(text) >= _FEWEST and _LONG_WORD.search(text))
    if not any(by(text) is not None for text in may):
        return []
    both = ((by(text), count) for text, count in column.sample.items)
    return [(text, count) for text, count in both if text is not None]


def found_in(
    cells: list[tuple[str, int]], column: ColumnSummary, rules: RuleSet, spacy: str | None = None
) -> tuple[Inside, ...]:
    """Return what rules and the recogniser, or the named spaCy pipeline, find in decoded texts of a column.

    Raises `ModelError`, and what `pipelines.load` does.
    """
    from piiscan.detection.text import pipelines, text_columns
    from piiscan.detection.text.analyzer import Analyzer

    analyzer = Analyzer(rules, min_score=text_columns.LIKELY, nlp=None if spacy is None else pipelines.load(spacy))
    found: Counter[tuple[str, str, str | None]] = Counter()
    for (_, count), spans in zip(cells, analyzer.batch([text for text, _ in cells]), strict=True):
        for key in {(span.rule, span.entity, span.subtype) for span in spans}:
            found[key] += count
    sampled = text_columns.is_sampled(column)
    order = sorted(found, key=lambda key: (key[0], key[1], key[2] or ""))
    return tuple(
        Inside(entity, subtype, rule, found[rule, entity, subtype], (), sampled) for rule, entity, subtype in order
    )
