"""Names of tables and columns as reports print them: one that is itself an identifier is replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from piiscan.core.types import (
    InName,
    NotScanned,
    TableInfo,
)
from piiscan.detection.matching import identifiers_in_names
from piiscan.detection.text.persons_in_headers import of_persons
from piiscan.rules.definitions import RuleSet

if TYPE_CHECKING:
    pass


def printable(info: TableInfo, rules: RuleSet) -> TableInfo:
    """The same table with every column and table name that is itself a direct identifier replaced by its position.

    So are headers that show by each other that they are names of persons.

    A file without a header taken for one with a header, or a JSON map keyed by e-mail, would print cells as names. The
    shipped rules decide with `rules`, which may be a few selected ones.
    """
    persons = of_persons([f.name for f in info.fields])
    fields = tuple(
        f._replace(name=f"column_{i}") if i in persons or _identifies(f.name, rules) else f
        for i, f in enumerate(info.fields)
    )
    return info._replace(
        fields=fields, table=f"table_{info.position}" if identifiers_in_names.evident(info.table, rules) else info.table
    )


def names_in(info: TableInfo, printed: TableInfo, rules: RuleSet) -> tuple[InName, ...]:
    """The identifiers that are evident in the name of a table and of its columns, as read and as `printed`."""
    of_table = identifiers_in_names.found(info.table, rules)
    return tuple(
        InName(info.source, r.entity, r.subtype, r.id, printed.table, column, column is None, reserved)
        for column, found in ((None, of_table), *_of_columns(info, rules))
        for r, reserved in found
    )


def _of_columns(info: TableInfo, rules: RuleSet) -> Iterator[tuple[int, tuple[identifiers_in_names.FoundInName, ...]]]:
    persons = of_persons([f.name for f in info.fields])
    for i, field in enumerate(info.fields):
        found = identifiers_in_names.found(field.name, rules)
        yield i, found or (identifiers_in_names.of_person() if i in persons else ())


def printable_failure(failure: NotScanned, rules: RuleSet) -> NotScanned:
    """The same failure, its table's name replaced as `printable` does."""
    return failure._replace(table="table" if identifiers_in_names.evident(failure.table, rules) else failure.table)


def _identifies(name: str | None, rules: RuleSet) -> bool:
    return bool(identifiers_in_names.evident(name, rules)) or identifiers_in_names.is_number(name, rules)
