"""Persons, places and organisations in the cells of a column of text, from its summary.

The recogniser reads the column's sample: up to `summary.sample.VALUES` distinct cells, each cut to `CELL_BYTES`. Where
the sample holds every cell whole, so do the counts; else they are those of the sampled cells, and marked so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Final

from piiscan.core.types import Inside
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import CELL_BYTES

LIKELY: Final = 0.8
"""Probability that a span must have to count."""
SURE: Final = 0.95
"""One span of an entity in the column must be as probable as this, or none counts: a wrong alarm costs more than a
missed mention."""


def in_text(column: ColumnSummary, rules: Collection[str], spacy: str | None = None) -> tuple[Inside, ...]:
    """Return what the recogniser, or the named spaCy pipeline, finds in a column's cells, in the order of `rules`.

    `cells` counts cells, of which positions aren't known. A pure function of the summary. Raises `ModelError`, and
    what `pipelines.load` does.
    """
    from piiscan.detection.text import pipelines
    from piiscan.detection.text.analyzer import named
    from piiscan.detection.text.span import NAMED

    if not any(rule in rules for _, rule in NAMED.values()):
        return ()
    items = column.sample.items
    sampled = column.sample.full or any(
        len(text) * 4 > CELL_BYTES and len(text.encode()) > CELL_BYTES - 4 for text, _ in items
    )
    cells: Counter[tuple[str, str]] = Counter()
    sure: set[tuple[str, str]] = set()
    texts = [text for text, _ in items]
    found = named(texts, min_score=LIKELY) if spacy is None else pipelines.found_by(pipelines.load(spacy), texts)
    least = SURE if spacy is None else LIKELY  # pipelines don't say how sure they are
    for (_, count), spans in zip(items, found, strict=True):
        sure.update((s.rule, s.entity) for s in spans if s.score >= least)
        for key in {(s.rule, s.entity) for s in spans if s.rule in rules}:
            cells[key] += count
    return tuple(
        Inside(entity, None, rule, n, (), sampled)
        for (rule, entity), n in sorted(cells.items())
        if (rule, entity) in sure
    )
