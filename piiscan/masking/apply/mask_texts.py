"""Spans inside texts, each masked by its entity's own operator; the rest of a text stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import polars as pl

from piiscan.detection.text.analyzer import Analyzer
from piiscan.masking.apply.distinct_values import on_distinct
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.operator import Contract, Operator, RowContext
from piiscan.masking.plan.plan_types import Span

if TYPE_CHECKING:
    from piiscan.core.keys import Key, Subkey
    from piiscan.core.types import DType


class _Found(NamedTuple):
    """A span of one of the texts, `row` of them."""

    row: int
    start: int
    end: int
    text: str


class TextMasker(Operator):
    """The operator `spans` within a plan, whose spans say how. `names`: persons are looked for too, which reads every
    text word for word."""

    name: ClassVar[str] = "spans"
    keyed: ClassVar[bool] = False
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = False
    contract: ClassVar[Contract] = "kept"

    def __init__(self, spans: Sequence[Span], key: Key | None, names: bool) -> None:
        self._operators: dict[str, Operator] = {s.entity: operator_registry.make(s.operator, s.params) for s in spans}
        self._keys: dict[str, Subkey | None] = {
            s.entity: None if key is None else key.subkey(s.domain or s.entity) for s in spans
        }
        self._analyzer = Analyzer(names=names)

    def dtype(self, before: DType) -> DType:
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The texts (distinct, not null) with what was found in them masked."""
        texts = values.to_list()
        found: dict[str, list[_Found]] = {}
        for i, spans in enumerate(self._analyzer.batch(texts)):
            for s in _without_overlaps(spans) if spans else ():
                if s.entity in self._operators:
                    found.setdefault(s.entity, []).append(_Found(i, s.start, s.end, texts[i][s.start : s.end]))
        cuts: dict[int, list[tuple[int, int, str]]] = {}
        for entity, each in found.items():
            masks = self._masks(entity, pl.Series([s.text for s in each], dtype=pl.String))
            for s, mask in zip(each, masks.to_list(), strict=True):
                cuts.setdefault(s.row, []).append((s.start, s.end, f"<{entity}>" if mask is None else mask))
        changed = [_replaced(texts[i], sorted(parts)) for i, parts in cuts.items()]
        return values.clone().scatter(list(cuts), pl.Series(changed, dtype=pl.String))

    def _masks(self, entity: str, found: pl.Series) -> pl.Series:
        operator, key = self._operators[entity], self._keys[entity]
        if not operator.needs:
            return on_distinct(found, lambda values: operator.mask(values, key))
        from piiscan.masking.surrogates.personas import canonical

        return operator.mask_rows(found, RowContext(canonical(found)), key)


def _without_overlaps(spans: Sequence[Any]) -> list[Any]:
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
