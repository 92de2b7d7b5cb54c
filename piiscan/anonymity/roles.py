"""What each column of a table is to those who might recognise somebody in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, DType
from piiscan.rules.definitions import suggestion

Role = Literal["quasi", "sensitive", "insensitive", "unit", "weights", "suspected"]
OF_EACH: Final = ("PERSON_ID", "FREE_TEXT")
"""What the scan takes for quasi-identifiers and differs from row to row by itself: it counts only where it is
declared."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """A column and its role. why: "declared", or what a scan says of it, in words. entity: what the scan takes it for.
    review: why a person should look at it, who hasn't declared it.

    `suspected` is a column that stays as it is though the scan takes it for a quasi-identifier or a sensitive one:
    others were declared as such.
    """

    index: int
    name: str
    dtype: DType
    role: Role
    why: str
    entity: str | None = None
    review: tuple[str, ...] = ()


def declared_as(roles: Mapping[Role, Iterable[str]], names: Sequence[str]) -> dict[str, Role]:
    """Each declared column with its role. Raises `UsageError` for one that isn't there, or that is declared twice."""
    out: dict[str, Role] = {}
    for role, columns in roles.items():
        for column in columns:
            if column not in names:
                raise UsageError(
                    f"there is no column {column}{suggestion(column, names)}; there are {', '.join(names)}"
                )
            if column in out and out[column] != role:
                raise UsageError(f"column {column} is declared {out[column]} and {role}; it can be one of them")
            out[column] = role
    return out


def assign(
    names: Sequence[str], declared: Mapping[str, Role], verdicts: Sequence[ColumnReport]
) -> tuple[Assigned, ...]:
    """Every column's role: declared, else out of a scan's verdict. Where some are declared quasi-identifiers or
    sensitive, these are all.

    Raises `UsageError` for a column that nobody has declared and that the scan takes for a direct identifier, or for
    one that differs from row to row by itself.
    """
    _refuse_identifiers([(n, v) for n, v in zip(names, verdicts, strict=True) if n not in declared])
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
                f"column {name} ({verdict.entity}) differs from row to row by itself; say with --unit that it "
                "tells whose a row is, with --insensitive that nobody "
                "knows it, or leave it out"
            )
        if name in declared:
            out.append(Assigned(verdict.index, name, verdict.dtype, role, "declared", verdict.entity))
            continue
        sure = math.floor(verdict.sureness * 100 + 1e-9)  # 100% means all of it
        why = f"the scan: {verdict.entity or 'nothing personal'}, {sure}% sure"
        out.append(Assigned(verdict.index, name, verdict.dtype, role, why, verdict.entity, verdict.review))
    return tuple(out)


def _refuse_identifiers(undeclared: Sequence[tuple[str, ColumnReport]]) -> None:
    found = []
    for name, verdict in undeclared:
        inside = [i.entity for i in verdict.inside if PII_CLASS.get(i.entity) == "direct"]
        if verdict.pii == "direct" or inside:
            found.append(f"{name} ({verdict.entity if verdict.pii == 'direct' else f'{inside[0]} inside'})")
    if found:
        raise UsageError(
            f"direct identifiers: {', '.join(found)}. Whoever has them needs no quasi-identifier: mask the "
            "table first (piiscan mask), or leave them out. "
            "What is masked already, declare with --insensitive"
        )
