"""Hierarchies built for a column: which kind fits it, and the kinds by the names that plans use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from piiscan.anonymity.hierarchies.builders import code_prefixes, date_periods, number_grids, word_groups
from piiscan.anonymity.hierarchies.builders.builder import Builder
from piiscan.anonymity.hierarchies.hierarchy import TOP, Hierarchy, Label
from piiscan.core.dtypes import infer
from piiscan.core.errors import UsageError
from piiscan.core.types import DType
from piiscan.masking.operators.parameter_types import checked
from piiscan.rules.definitions import suggestion

Spec = Mapping[str, Any]
"""How a hierarchy is built, as a plan shows it: its `kind` and the kind's parameters, `{kind = "intervals", widths =
[5, 10, 20]}`."""

KINDS: Final[Mapping[str, type[Builder]]] = {
    cls.kind: cls
    for cls in (
        number_grids.Intervals,
        number_grids.Coordinates,
        date_periods.Dates,
        code_prefixes.Prefixes,
        code_prefixes.Redaction,
        code_prefixes.PostalCodes,
        word_groups.Order,
        word_groups.Countries,
        word_groups.Education,
        word_groups.Suppression,
    )
}
_SUPPRESSION: Final[Spec] = {"kind": word_groups.Suppression.kind}
_PLACES: Final = ("COUNTRY", "NATIONALITY", "BIRTHPLACE")
"""Entities that reveal a country; a column that is recognised by other means is suppressed."""
_NUMBERS: Final = (None, "EDUCATION")
"""Entities whose numbers measure something; numbers of other entities are codes."""


def built(
    column: str, values: Sequence[Label], entity: str | None, dtype: DType, spec: Spec | None = None
) -> Hierarchy:
    """Return the hierarchy of a column: as `spec` says, or else as `proposed` recommends."""
    return from_spec(column, values, proposed(values, entity, dtype) if spec is None else spec)


def proposed(values: Sequence[Label], entity: str | None, dtype: DType) -> Spec:
    """Return the spec that fits a column of this entity and type, whatever the order of its distinct `values`.

    The type of text columns is read from the values. Otherwise the values decide only how they are written and, for
    numbers of unknown meaning, a power of ten. Parameters that depend on the values are part of the spec, so a person
    can read and change them.
    """
    cells = _cells(values)
    if dtype == "string":
        dtype = infer(cells)
    if entity == "POSTAL_CODE":
        found = code_prefixes.recognise(cells, dtype in ("integer", "float"))
        return _spec(found, **{k: v for k, v in (("country", found.country), ("width", found.width)) if v})
    if entity in _PLACES:
        return _if_read(word_groups.Countries(), cells)
    if entity == "EDUCATION" and dtype == "string":
        return _if_read(word_groups.Education(), cells)
    if entity == "GEO_COORDINATES":
        return _if_read(number_grids.Coordinates(), cells, widths=list(number_grids.DEGREES))
    if entity == "AGE":
        return _if_read(number_grids.Intervals(number_grids.AGES), cells, widths=list(number_grids.AGES))
    if entity == "DATE_OF_BIRTH" and dtype == "integer":
        return _if_read(number_grids.Intervals(number_grids.YEARS), cells, widths=list(number_grids.YEARS))
    if entity == "DATE_OF_BIRTH" or dtype in ("date", "datetime"):
        read = date_periods.read(cells)
        return _SUPPRESSION if read is None else _spec(read, levels=list(read.levels), format=read.format)
    if entity == "INCOME" or (entity in _NUMBERS and dtype in ("integer", "float")):
        widths = number_grids.grid(cells)
        return _SUPPRESSION if widths is None else _spec(number_grids.Intervals(tuple(widths)), widths=list(widths))
    return _SUPPRESSION


def from_spec(column: str, values: Sequence[Label], spec: Spec) -> Hierarchy:
    """Return the hierarchy that a spec describes, over the distinct `values` of a column (None is the empty cell).

    It has the levels of the spec and "*" above them. A value that can't be read, the empty cell included, stays
    itself on every level below "*". Raises `UsageError` for a wrong spec, naming the column, the kind and the
    parameter, and for values that the kind doesn't support.
    """
    kind = spec.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        hint = suggestion(kind, KINDS) if isinstance(kind, str) else ""
        raise UsageError(f"the hierarchy of {column}: 'kind' must be one of {', '.join(KINDS)}{hint}")
    parameters = {name: value for name, value in spec.items() if name != "kind"}
    cells = _cells(values)
    try:
        builder = KINDS[kind](**checked(kind, KINDS[kind], parameters))
        levels = builder.labels(cells)
    except UsageError as error:  # it speaks of operators, whose parts these are
        raise UsageError(f"the hierarchy of {column}, kind {kind!r}: {str(error).partition(': ')[2]}") from None
    table = pl.DataFrame([cells.alias("0"), *(labels.alias(str(i)) for i, labels in enumerate(levels, 1))])
    return Hierarchy.of(
        column, [*_unread_values_separate(table).with_columns(top=pl.lit(TOP)).rows(), *_empty(values, len(levels))]
    )


def _unread_values_separate(table: pl.DataFrame) -> pl.DataFrame:
    """Give values that a level couldn't read a label of their own.

    If another value already has that label, they become "*", so that they join no other group.
    """
    levels = table.columns[1:]
    if not levels:
        return table
    stray = pl.any_horizontal(pl.col(name).is_null() for name in levels)
    read = table.filter(~stray)
    taken = pl.concat([read[name].alias("0") for name in levels]).unique()
    own = pl.when(pl.col("0").is_in(taken.implode())).then(pl.lit(TOP)).otherwise(pl.col("0"))
    return table.with_columns(pl.when(stray).then(own).otherwise(pl.col(name)).alias(name) for name in levels)


def _empty(values: Sequence[Label], levels: int) -> list[tuple[Label, ...]]:
    return [(None,) * (levels + 1) + (TOP,)] if not all(values) else []


def _cells(values: Sequence[Label]) -> pl.Series:
    return pl.Series("0", sorted({v for v in values if v}), pl.String)


def _spec(builder: Builder, **parameters: Any) -> Spec:
    return {"kind": builder.kind, **parameters}


def _if_read(builder: Builder, cells: pl.Series, **parameters: Any) -> Spec:
    """Return the builder's spec if it can read half of the values or more."""
    read = len(cells) - builder.labels(cells)[0].null_count()
    return _spec(builder, **parameters) if 2 * read >= max(1, len(cells)) else _SUPPRESSION
