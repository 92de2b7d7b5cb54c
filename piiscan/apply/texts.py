"""Spans inside texts, each masked by its entity's own operator; the rest of a text stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from piiscan.apply.distinct import on_distinct
from piiscan.operators import registry
from piiscan.operators.base import Rows
from piiscan.plan.types import Span
from piiscan.text.analyzer import Analyzer, program_for

if TYPE_CHECKING:
    from piiscan.keys import Key, Subkey

_TWO_DIGITS = r"[0-9][^\n]*[0-9]"


class TextMasker:
    """Masks texts as a plan's spans say. `names`: persons are looked for too, which reads every text word for word."""

    def __init__(self, spans: Sequence[Span], key: Key | None, names: bool) -> None:
        self._operators: dict[str, Any] = {s.entity: registry.make(s.operator, s.params) for s in spans}
        self._keys: dict[str, Subkey | None] = {s.entity: None if key is None else key.subkey(s.domain or s.entity) for s in spans}
        self._analyzer = Analyzer(names=names)
        self._names = names

    promise = "kept"

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The texts (distinct, not null) with what was found in them masked."""
        texts = values.to_list()
        looked_at = list(range(len(texts))) if self._names else self._possible(values)
        found = self._analyzer.batch([texts[i] for i in looked_at])
        wanted: dict[str, list[tuple[int, int, int, str]]] = {}
        for i, spans in zip(looked_at, found, strict=True):
            for s in _apart(spans):
                if s.entity in self._operators:
                    wanted.setdefault(s.entity, []).append((i, s.start, s.end, texts[i][s.start : s.end]))
        cuts: dict[int, list[tuple[int, int, str]]] = {}
        for entity, places in wanted.items():
            masks = self._masks(entity, pl.Series([text for *_, text in places], dtype=pl.String))
            for (i, start, end, _), mask in zip(places, masks.to_list(), strict=True):
                cuts.setdefault(i, []).append((start, end, mask if mask is not None else f"<{entity}>"))
        for i, parts in cuts.items():
            texts[i] = _replaced(texts[i], sorted(parts))
        return pl.Series(values.name, texts, dtype=pl.String)

    def _possible(self, values: pl.Series) -> list[int]:
        """The texts in which a rule may find something: those that a scan counts, and those in which a number may be announced."""
        from piiscan.detect.column import count
        from piiscan.text.by_rules import gates_of

        found = values.str.contains(_TWO_DIGITS).to_numpy().copy()
        for hits in count(values, gates_of(program_for(None))).values():
            found[hits.cells] = True
        return [int(i) for i in np.flatnonzero(found)]

    def _masks(self, entity: str, found: pl.Series) -> pl.Series:
        operator, key = self._operators[entity], self._keys[entity]
        if not hasattr(operator, "mask_rows"):
            return on_distinct(found, lambda values: operator.mask(values, key))
        from piiscan.surrogates.personas import canonical

        masks: pl.Series = operator.mask_rows(found, Rows(canonical(found)), key)
        return masks


def _apart(spans: Sequence[Any]) -> list[Any]:
    """Spans that don't overlap: of those that do, a URL gives way to what stands in it, and the longer one counts."""
    kept: list[Any] = []
    for s in sorted(spans, key=lambda s: (s.entity == "URL", s.start - s.end, s.start)):
        if not any(s.start < k.end and k.start < s.end for k in kept):
            kept.append(s)
    return kept


def _replaced(text: str, cuts: Sequence[tuple[int, int, str]]) -> str:
    out, at = [], 0
    for start, end, mask in cuts:
        out += [text[at:start], mask]
        at = end
    return "".join([*out, text[at:]])
