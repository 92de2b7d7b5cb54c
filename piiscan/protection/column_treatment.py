"""What happens to each column, and why: the first decision, from declarations and the scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, Literal

from piiscan.anonymity.request import AnonymizeRequest
from piiscan.anonymity.roles import Assigned, Role, declared_as
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, DType, Pii, TableInfo

Action = Literal["dropped", "random id", "generalised", "sensitive", "kept"]
_ROLES: Final[Mapping[Action, Role]] = {
    "random id": "unit",
    "generalised": "quasi",
    "sensitive": "sensitive",
    "kept": "insensitive",
}
_NUMBER: Final = "PERSON_ID"
_DECLARED: Final[Mapping[Role, Action]] = {role: action for action, role in _ROLES.items()}


@dataclass(frozen=True, slots=True)
class ColumnTreatment:
    """What the scan reports about a column, how sure it is (0..1), and what happens to the column.

    inside: entities found within its cells. Cells of a column that is "sensitive" or "kept" stay; models look at the
    former.
    joined: a quasi-identifier by its values alone, which neither a person nor the scan declared. review: why a person
    should check the column. coarsening_loss: the loss, in 0..1, of intervals that replace exact values before the
    search.
    """

    index: int
    name: str
    dtype: DType
    entity: str | None
    pii: Pii
    sure: float
    inside: tuple[str, ...]
    action: Action
    why: str
    joined: bool = False
    coarsening_loss: float = 0.0
    review: tuple[str, ...] = ()

    def changed_to(self, action: Action, why: str, coarsening_loss: float = 0.0) -> ColumnTreatment:
        joined = self.joined or (action == "generalised" and self.action == "kept")
        return replace(
            self, action=action, why=why, joined=joined, coarsening_loss=max(self.coarsening_loss, coarsening_loss)
        )

    @property
    def identifies(self) -> bool:
        """Whether the scan takes it for a direct identifier, tokens of one, or a person's number."""
        return self.pii != "none" and (PII_CLASS.get(self.entity or "") == "direct" or self.entity == _NUMBER)

    @property
    def assigned(self) -> Assigned:
        """The column's role for anonymisation. Not defined for a dropped column."""
        return Assigned(self.index, self.name, self.dtype, _ROLES[self.action], self.why, self.entity)


def treat_columns(
    info: TableInfo, names: Sequence[str], verdicts: Sequence[ColumnReport], lists: Set[int], request: AnonymizeRequest
) -> list[ColumnTreatment]:
    """Decide each column's treatment from declarations and verdicts alone; the cells aren't examined yet.

    lists: the indices of columns whose cells are lists. A declaration can say that attackers know a column, or don't.
    It can't keep a direct identifier, cells that contain one, or free text, whose content can't be vouched for:
    raises `UsageError` for these, and for columns that don't exist.
    """
    unit = () if request.unit is None else (request.unit,)
    declared = declared_as(
        {"quasi": request.quasi, "sensitive": request.sensitive, "insensitive": request.insensitive, "unit": unit},
        names,
    )
    found = [
        _treat_column(name, verdict, declared.get(name), verdict.index in lists, info)
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    if not declared and all(f.pii == "none" and not f.inside for f in found):
        raise UsageError(
            f"{info.source}: the scan finds nothing about people in it, so there is nothing to protect; if that "
            "is wrong, declare columns with --quasi and --sensitive"
        )
    return found


def _treat_column(
    name: str, verdict: ColumnReport, declared: Role | None, listed: bool, info: TableInfo
) -> ColumnTreatment:
    inside = tuple(dict.fromkeys(i.entity for i in verdict.inside))
    seen = ColumnTreatment(
        verdict.index,
        name,
        verdict.dtype,
        verdict.entity,
        verdict.pii,
        verdict.sureness,
        inside,
        "dropped",
        "",
        review=verdict.review,
    )
    kept_out = _kept_out(seen, listed)
    if declared == "unit":
        return replace(seen, review=()).changed_to(
            "random id", "replaced by random ids, drawn for this release alone and kept nowhere"
        )
    if declared is not None:
        seen = replace(seen, review=())  # a person has looked at it
        if kept_out is not None:
            raise UsageError(
                f"column {name} is declared {declared}, and {kept_out}. Leave the declaration out, and the column "
                "is dropped; if it is something else, declare that in piiscan.toml ([[columns]], path = "
                f'{info.source!r}, column = {name!r}, is = the entity or "none")'
            )
        return seen.changed_to(_DECLARED[declared], "declared")
    if kept_out is not None:
        return seen.changed_to("dropped", kept_out)
    if verdict.entity == _NUMBER:
        return seen.changed_to(
            "dropped", "a person's number links this table to others; --unit replaces it by random ids"
        )
    if verdict.pii in ("quasi", "sensitive"):
        action: Action = "generalised" if verdict.pii == "quasi" else "sensitive"
        return seen.changed_to(action, f"the scan takes it for {verdict.entity}")
    return seen.changed_to("kept", "the scan finds nothing personal")


def _kept_out(treatment: ColumnTreatment, listed: bool) -> str | None:
    """Return why a column can't stay, whatever its declaration; None if it can."""
    direct = [entity for entity in treatment.inside if PII_CLASS[entity] == "direct"]
    if treatment.pii == "direct":
        return f"it contains direct identifiers ({treatment.entity})"
    if treatment.identifies and treatment.entity != _NUMBER:
        return f"its tokens stand for direct identifiers ({treatment.entity}), and link this table to others"
    if direct:
        return f"its cells contain direct identifiers ({', '.join(direct)})"
    if treatment.entity == "FREE_TEXT":
        return "it contains free text, whose content can't be vouched for"
    if listed:
        return "its cells are lists, which can't be generalised"
    return None
