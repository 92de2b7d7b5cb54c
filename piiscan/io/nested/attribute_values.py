"""Tables of attributes and values, a value a row, laid out: `value[email]`, `answer[Date of birth]`.

What a value is follows from the attribute beside it (`key,value`, `meta_key,meta_value`, `question,answer`), so each
attribute whose words name what may identify a person gets a derived column with its values. Others stay where they are.
A table without a header in which labels stand beside their values is a form, whose labels are such attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.header_words import tokens
from piiscan.core.types import Field
from piiscan.io.cells.attribute_names import (
    DOUBTFUL,
    NAMES_OF_ATTRIBUTES,
    NAMES_OF_VALUES,
    SHORT,
    attribute_in,
    end_of,
    entity_of,
    labels_of,
    transposed_labels,
)
from piiscan.io.cells.nested_values import Derived

if TYPE_CHECKING:
    import polars as pl

LOOKED_AT: Final = 1000
"""Rows that tell whether a table is a form."""
MOST: Final = 60
"""Attributes of a table that get a column."""


class Pair(NamedTuple):
    """The columns of the attributes and of their values, by their places.

    `fewest`: different entities that attributes have to name, so that they are attributes.
    """

    key: int
    value: int
    fewest: int


def pair_of(fields: Sequence[Field]) -> Pair | None:
    """The columns that may be of attributes and values, by their names; None where there are none, or several."""
    own = {i: field for i, field in enumerate(fields) if field.parent is None}
    texts = {i: tokens(field.name or "") for i, field in own.items() if field.dtype == "string"}
    values = [i for i, said in texts.items() if said and said[-1] in NAMES_OF_VALUES]
    if len(values) > 1:
        values = [i for i in values if len(texts[i]) == 1]  # beside id_answer
    return _beside(values[0], texts) if len(values) == 1 else None


def _beside(value: int, texts: Mapping[int, Sequence[str]]) -> Pair | None:
    """The column of values and the one of attributes beside it, by the words of their names."""
    others = {i: said for i, said in texts.items() if i != value}
    if keys := [i for i, said in others.items() if not NAMES_OF_ATTRIBUTES.isdisjoint(said)]:
        return Pair(keys[0], value, 1) if len(keys) == 1 else None
    doubtful = [i for i, said in others.items() if len(said) == 1 and said[0] in DOUBTFUL]
    return Pair(doubtful[0], value, 2) if len(doubtful) == len(texts[value]) == 1 else None


class Attributes:
    """Which attributes of a pair of columns get a column, by all rows or some."""

    def __init__(self, found: Pair) -> None:
        self._pair = found
        self._known: dict[str, int] = {}
        """The attributes that name an entity, and how often each occurs."""

    def add(self, frame: pl.DataFrame) -> None:
        """Count the attributes of some rows, by the columns of the table."""
        keys = frame.get_column(str(self._pair.key)).drop_nulls().str.strip_chars()
        counts = keys.filter(keys != "").value_counts()
        for attribute, count in sorted(counts.rows()):  # so that the same ones are kept in every run
            if entity_of(attribute) is not None and (attribute in self._known or len(self._known) < 10 * MOST):
                self._known[attribute] = self._known.get(attribute, 0) + count

    def derived(self, room: int) -> Derived | None:
        """The derived columns, `room` at most; None where the columns aren't of attributes."""
        found = [a for a, count in self._known.items() if count > 1 or len(tokens(a)) <= SHORT]
        if len({entity_of(attribute) for attribute in found}) < self._pair.fewest:
            return None
        most = sorted(found, key=lambda attribute: (-self._known[attribute], attribute))[: min(MOST, max(0, room))]
        return Derived(self._pair.value, tuple(map(end_of, sorted(most))), self._pair.key) if most else None


def derived(own: Sequence[Field], frames: Callable[[], Iterable[pl.DataFrame]], room: int) -> list[Derived]:
    """What is derived of attributes, by the columns that `own` describes, in `frames`; `room` columns at most."""
    if may_be_form(own):
        return _of_form(own, frames(), room)
    if may_be_transposed(own):
        return _of_people(own, transposed_labels([*islice(_rows_of(own, frames()), LOOKED_AT)]), room)
    pair = pair_of(own)
    if pair is None:
        return []
    attributes = Attributes(pair)
    for frame in frames():
        attributes.add(frame)
    found = attributes.derived(room)
    return [] if found is None else [found]


def may_be_any(own: Sequence[Field]) -> bool:
    """Whether a table may be of attributes and values in any of these forms, by its fields."""
    return may_be_form(own) or pair_of(own) is not None or may_be_transposed(own)


def may_be_form(own: Sequence[Field]) -> bool:
    """Whether a table has no header, and texts in all columns: a form, or a column per person."""
    return len(own) > 1 and all(f.name is None and f.dtype == "string" for f in own)


def may_be_transposed(own: Sequence[Field]) -> bool:
    """Whether a table's header may be of labels and of persons: `field,record 1,record 2`."""
    first, others = own[0] if own else None, own[1:]
    if first is None or len(others) < 2 or not all(f.dtype == "string" and f.parent is None for f in own):
        return False
    heads_labels = not first.name or not NAMES_OF_ATTRIBUTES.isdisjoint(tokens(first.name))
    return heads_labels and all(f.name and entity_of(f.name) is None for f in others) and pair_of(own) is None


def _rows_of(own: Sequence[Field], frames: Iterable[pl.DataFrame]) -> Iterator[tuple[str | None, ...]]:
    for frame in frames:
        yield from frame[[str(i) for i in range(len(own))]].rows()


def _of_people(own: Sequence[Field], labels: Sequence[str], room: int) -> list[Derived]:
    """What is derived of a table with a column per person, by the labels in its first column."""
    people = range(1, len(own)) if labels and len(labels) * (len(own) - 1) <= room else ()
    return [Derived(i, tuple(map(end_of, labels)), 0) for i in people]


def _of_form(own: Sequence[Field], frames: Iterable[pl.DataFrame], room: int) -> list[Derived]:
    rows = list(islice(_rows_of(own, frames), LOOKED_AT))
    out: list[Derived] = []
    if labels := transposed_labels(rows):
        return _of_people(own, labels, room)
    for found in labels_of(rows):
        labels = found.labels[: min(MOST, max(0, room))]
        room -= len(labels)
        if labels:
            out.append(Derived(found.value, tuple(map(end_of, labels)), found.column))
    return out


def of_names(own: Sequence[Field], parent: int, ends: Sequence[str]) -> Derived | None:
    """The derived columns with these ends of names, None for those of JSON texts."""
    pair = pair_of(own)
    if pair is None or pair.value != parent or not all(map(attribute_in, ends)):
        return None
    return Derived(parent, tuple(ends), pair.key)


def also(own: Sequence[Field], cells: pl.DataFrame, known: Mapping[int, Sequence[str]]) -> Derived | None:
    """What is derived of attributes: the columns that are `known`, by their parents, and those of other attributes.

    None where nothing is, and where JSON texts are known in the column of values.
    """
    pair = pair_of(own)
    if pair is None:
        return None
    ends = tuple(known.get(pair.value, ()))
    if ends and of_names(own, pair.value, ends) is None:
        return None
    new = derived(own, lambda: [cells], MOST) if len(ends) < MOST else []
    more = tuple(end for found in new for end in found.names if end not in ends)
    return Derived(pair.value, ends + more, pair.key) if ends or more else None


def rows(frame: pl.DataFrame, derived: Derived, first: int) -> list[pl.Series]:
    """The own column without what is derived of it, and the derived columns, numbered from `first` on."""
    import polars as pl

    value = pl.col(str(derived.parent))
    places = _places(derived)
    columns = [pl.when(at).then(value).otherwise(None).alias(str(first + n)) for n, at in enumerate(places)]
    own = pl.when(pl.any_horizontal(places)).then(None).otherwise(value).alias(str(derived.parent))
    return frame.select(own, *columns).get_columns()


def merged(frame: pl.DataFrame, derived: Derived, own: pl.Series, new: Mapping[str, pl.Series | None]) -> pl.Series:
    """The own column with its new cells and those of derived columns; of a column that is left out they are empty.

    `frame`: the table's own columns. `new`: the derived columns that change, by their names, None for one left out.
    """
    import polars as pl

    cells = own.alias("own")
    made = [series.cast(pl.String).alias(f"new {name}") for name, series in new.items() if series is not None]
    value = pl.col("own")
    for name, at in zip(derived.names, _places(derived), strict=True):
        if name in new:
            value = pl.when(at).then(None if new[name] is None else pl.col(f"new {name}")).otherwise(value)
        else:
            value = pl.when(at).then(pl.col(str(derived.parent))).otherwise(value)
    return frame.with_columns(cells, *made).select(value.cast(pl.String).alias(own.name)).to_series()


def _places(derived: Derived) -> list[pl.Expr]:
    """Where each derived column has its cells."""
    import polars as pl

    key = pl.col(str(derived.key)).str.strip_chars()
    return [(key == attribute_in(end)).fill_null(value=False) for end in derived.names]
