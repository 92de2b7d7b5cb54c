"""The role of each column: what it contributes to re-identifying a person."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.core.header_words import is_emptied, is_of_attribute
from piiscan.core.types import ColumnReport, DType, Field
from piiscan.rules.definitions import suggestion

Role = Literal["quasi", "sensitive", "insensitive", "unit", "weights", "suspected"]
OF_EACH: Final = ("PERSON_ID", "FREE_TEXT")
"""Entities that the scan takes for quasi-identifiers and that differ in every row. They count only if declared."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A column and its role.

    why: "declared", or what a scan reports about it, in words. entity: what the scan takes it for. review: why a
    person who hasn't declared it should check it.

    `suspected` marks a column that stays unchanged though the scan takes it for a quasi-identifier or a sensitive one,
    because other columns were declared as such.
    """

    index: int
    name: str
    dtype: DType
    role: Role
    why: str
    entity: str | None = None
    review: tuple[str, ...] = ()


def declared_as(roles: Mapping[Role, Iterable[str]], names: Sequence[str]) -> dict[str, Role]:
    """Return each declared column with its role.

    Raises `UsageError` for a column that doesn't exist, or that is declared twice.
    """
    out: dict[str, Role] = {}
    for role, columns in roles.items():
        for column in columns:
            if column not in names:
                raise UsageError(
                    f"there is no column {column}{suggestion(column, names)}; choose one of {', '.join(names)}"
                )
            if column in out and out[column] != role:
                raise UsageError(f"column {column} is declared as {out[column]} and as {role}; choose one of them")
            out[column] = role
    return out


def assign(
    names: Sequence[str], declared: Mapping[str, Role], verdicts: Sequence[ColumnReport]
) -> tuple[Assigned, ...]:
    """Return every column's role: as declared, or else as a scan suggests.

    If some columns are declared as quasi-identifiers or sensitive, no others are.

    Raises `UsageError` for an undeclared column that the scan takes for a direct identifier, or that differs in every
    row.
    """
    undeclared = [(n, v) for n, v in zip(names, verdicts, strict=True) if n not in declared]
    _refuse_identifiers(undeclared)
    if files := [name for name, verdict in undeclared if verdict.files]:
        raise UsageError(
            f"column {files[0]}: its cells hold files, which weren't read; leave it out of the table, or use "
            "--insensitive if nobody can be known by them"
        )
    taken = set(declared.values())
    out = []
    for name, verdict in zip(names, verdicts, strict=True):
        role: Role = "insensitive"
        if name in declared:
            role = declared[name]
        elif verdict.pii == "quasi" or verdict.pii == "sensitive":
            role = "suspected" if verdict.pii in taken else verdict.pii
        if role == "quasi" and name not in declared and verdict.entity in OF_EACH:
            raise UsageError(
                f"column {name} ({verdict.entity}) differs in every row; use --unit if it identifies the person a "
                "row belongs to, --insensitive if no attacker can know it, or leave it out of the table"
            )
        if name in declared:
            out.append(Assigned(verdict.index, name, verdict.dtype, role, "declared", verdict.entity))
            continue
        sure = math.floor(verdict.sureness * 100 + 1e-9)  # 100% means all of it
        why = f"the scan: {verdict.entity or 'nothing personal'}, {sure}% sure"
        out.append(Assigned(verdict.index, name, verdict.dtype, role, why, verdict.entity, verdict.review))
    return tuple(out)


def demand_records(source: str, columns: Sequence[Field | ColumnReport], counted: Iterable[int]) -> None:
    """Raise `UsageError` where rows of these columns aren't what is to be counted.

    A row has one attribute of a person, or a column is null where derived columns have its texts.
    """
    for index in counted:
        name = columns[index].name
        if is_of_attribute(columns[index]):
            raise UsageError(
                f"{source}: column {name} has the values of one attribute, in rows of their own, and classes consist "
                "of rows; make a table with a row for each person first"
            )
        if is_emptied(columns, index):
            raise UsageError(
                f"{source}: the contents of column {name} have columns of their own, as `piiscan scan` lists them; "
                "name those instead"
            )


def _refuse_identifiers(undeclared: Sequence[tuple[str, ColumnReport]]) -> None:
    found = []
    for name, verdict in undeclared:
        inside = [i.entity for i in verdict.inside if PII_CLASS.get(i.entity) == "direct"]
        if verdict.pii == "direct" or inside:
            found.append(f"{name} ({verdict.entity if verdict.pii == 'direct' else f'{inside[0]} inside'})")
    if found:
        raise UsageError(
            f"direct identifiers: {', '.join(found)}. Anyone who knows them needs no quasi-identifier: mask the "
            "table first (piiscan mask), or leave these columns out. If they are masked already, declare them "
            "with --insensitive"
        )
