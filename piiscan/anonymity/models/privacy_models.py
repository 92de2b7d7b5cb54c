"""The models that a request asks for, over a table's sensitive columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.histogram import Histogram
from piiscan.anonymity.models.closeness import TCloseness, groups_of, value_ranks
from piiscan.anonymity.models.diversity import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
)
from piiscan.anonymity.models.model import KAnonymity, PrivacyModel
from piiscan.anonymity.models.presence import DeltaPresence
from piiscan.core.errors import UsageError

Diversity = Literal["distinct", "entropy", "recursive"]
Distance = Literal["equal", "ordered", "hierarchical"]
DIVERSITIES: Final = ("distinct", "entropy", "recursive")
DISTANCES: Final = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, slots=True)
class PrivacyModels:
    """The privacy models that every published class has to meet.

    Those about sensitive values apply to each sensitive column. Raises `UsageError`.

    k: k-anonymity. l, diversity, c: l-diversity; `c` belongs to the recursive form. alpha: (α,k)-anonymity. t,
    distance: t-closeness.
    presence: δ-presence, the least and the greatest share of a class's population that may be in the table.
    """

    k: int | None = None
    l: float | None = None  # noqa: E741 - the field's own letter
    diversity: Diversity = "distinct"
    c: float = 3.0
    alpha: float | None = None
    t: float | None = None
    distance: Distance = "equal"
    presence: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if (self.k, self.l, self.alpha, self.t, self.presence) == (None,) * 5:
            raise UsageError("no privacy model is given; --k 5 asks for 5-anonymity")
        _within("k", self.k, 2, None)
        _within("l", self.l, 1, None)
        _within("c", self.c, 0, None)
        _within("alpha", self.alpha, 0, 1)
        _within("t", self.t, 0, 1)
        for end in self.presence or ():
            _within("presence", end, 0, 1)
        if self.diversity not in DIVERSITIES:
            raise UsageError(f"{self.diversity!r} is not a form of l-diversity; choose one of {', '.join(DIVERSITIES)}")
        if self.diversity != "entropy" and self.l is not None and self.l != int(self.l):
            raise UsageError(f"{self.diversity} l-diversity needs a whole number for l")
        if self.distance not in DISTANCES:
            raise UsageError(
                f"{self.distance!r} is not a distance of t-closeness; choose one of {', '.join(DISTANCES)}"
            )
        if self.alpha is not None and self.k is None:
            raise UsageError("(α,k)-anonymity needs both numbers; add --k to --alpha")

    @property
    def looks_at_values(self) -> bool:
        """Whether a model looks at sensitive values."""
        return not (self.l is None and self.alpha is None and self.t is None)


def build_models(
    requested: PrivacyModels, histogram: Histogram, sensitive: Sequence[int], hierarchies: dict[int, Hierarchy]
) -> tuple[PrivacyModel, ...]:
    """sensitive: the places of the sensitive columns.

    hierarchies: of those that have one, for the hierarchical distance.
    """
    if requested.looks_at_values and not sensitive:
        raise UsageError("l-diversity, alpha and t-closeness apply to a sensitive column; name it with --sensitive")
    return (
        *([] if requested.k is None else [KAnonymity(requested.k)]),
        *([] if requested.presence is None else [DeltaPresence(*requested.presence)]),
        *(model for column in sensitive for model in _of_values(requested, histogram, column, hierarchies)),
    )


def _of_values(
    requested: PrivacyModels, histogram: Histogram, column: int, hierarchies: dict[int, Hierarchy]
) -> Iterator[PrivacyModel]:
    if requested.l is not None:
        if requested.diversity == "entropy":
            yield EntropyLDiversity(column, requested.l)
        elif requested.diversity == "recursive":
            yield RecursiveCLDiversity(column, requested.c, int(requested.l))
        else:
            yield DistinctLDiversity(column, int(requested.l))
    if requested.alpha is not None and requested.k is not None:
        yield AlphaKAnonymity(column, requested.alpha, requested.k)
    if requested.t is not None:
        coded = histogram.coded(column)
        if requested.distance == "hierarchical":
            if column not in hierarchies:
                raise UsageError(
                    "the hierarchical distance needs a hierarchy of the sensitive column; add one to the folder "
                    "given with --hierarchies DIR"
                )
            yield TCloseness(column, requested.t, groups=groups_of(coded, hierarchies[column]))
        else:
            yield TCloseness(column, requested.t, order=value_ranks(coded) if requested.distance == "ordered" else None)


def _within(name: str, value: float | None, least: float, most: float | None) -> None:
    if value is not None and not (least <= value and (most is None or value <= most)):
        raise UsageError(
            f"{name} must be at least {least:g}{'' if most is None else f' and at most {most:g}'}, not {value:g}"
        )
