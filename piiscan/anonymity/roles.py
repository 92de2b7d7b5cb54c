"""What each column of a table is to those who might recognise somebody in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal

from piiscan.entities import PII_CLASS
from piiscan.errors import UsageError
from piiscan.types import ColumnReport, DType

Role = Literal["quasi", "sensitive", "insensitive", "unit"]
_OF_CLASS: Final[Mapping[str, Role]] = {"quasi": "quasi", "sensitive": "sensitive", "none": "insensitive"}


@dataclass(frozen=True, slots=True)
class Assigned:
    """A column and its role. `why`: "declared", or what a scan says of it, in words."""

    index: int
    name: str
    dtype: DType
    role: Role
    why: str
    entity: str | None = None


def declared_as(roles: Mapping[Role, Iterable[str]], names: Sequence[str]) -> dict[str, Role]:
    """Each declared column with its role. Raises `UsageError` for one that isn't there, or that is declared twice."""
    out: dict[str, Role] = {}
    for role, columns in roles.items():
        for column in columns:
            if column not in names:
                close = get_close_matches(column, names, 1)
                raise UsageError(
                    f"there is no column {column}" + (f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}")
                )
            if column in out and out[column] != role:
                raise UsageError(f"column {column} is declared {out[column]} and {role}; it can be one of them")
            out[column] = role
    return out


def assign(
    names: Sequence[str], dtypes: Sequence[DType], declared: Mapping[str, Role], verdicts: Sequence[ColumnReport] | None = None
) -> tuple[Assigned, ...]:
    """Every column's role: declared, else out of a scan's verdict.

    Raises `UsageError` where a column is neither, and for one that the scan takes for a direct identifier.
    """
    out = []
    for i, (name, dtype) in enumerate(zip(names, dtypes, strict=True)):
        verdict = verdicts[i] if verdicts is not None else None
        entity = verdict.entity if verdict is not None else None
        if name in declared:
            out.append(Assigned(i, name, dtype, declared[name], "declared", entity))
            continue
        if verdict is None:
            raise UsageError(f"column {name} has no role; declare it quasi, sensitive or insensitive")
        if verdict.pii == "direct" or any(PII_CLASS[i.entity] == "direct" for i in verdict.inside):
            what = verdict.entity if verdict.pii == "direct" else "texts with direct identifiers inside"
            raise UsageError(
                f"column {name} holds direct identifiers ({what}); mask it first with `piiscan mask`, or leave it out; if it is masked, declare it insensitive"
            )
        why = f"the scan: {verdict.entity or 'nothing personal'}, {verdict.confidence:.0%} sure"
        out.append(Assigned(i, name, dtype, _OF_CLASS[verdict.pii], why, entity))
    return tuple(out)
