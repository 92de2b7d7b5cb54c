"""How personal a column is: the probability that it identifies somebody directly, with other columns, or not at all.

The weights are learned from labelled tables. The inputs are what the column and those around it may be, whose its
values seem to be, the words of the table's name and headers, what its rows seem to be about, and the class that follows
from that by rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.scanning.classify import contact_owner
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, counts_people, probability
from piiscan.scanning.classify.column_features import ENTITIES, GROUPS, Features
from piiscan.scanning.classify.products import finite, product
from piiscan.scanning.classify.subject import OF_A_PERSON, RowSubject
from piiscan.scanning.classify.table_signals import TABLE_WIDTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.core.types import Pii, Reason
    from piiscan.detection.summary.column_summary import ColumnSummary
    from piiscan.scanning.classify.lexicon import Lexicon

CLASSES: Final[tuple[Pii, ...]] = ("none", "quasi", "direct")
"""The classes; sensitive attributes count as quasi-identifiers."""
_PRESUMED: Final[tuple[Pii, ...]] = ("none", "quasi", "sensitive", "direct")
_SUBJECTS: Final = (None, "person", "organisation", "place", "thing", "event", "aggregate")
_AROUND: Final = tuple(
    "PERSON FIRST_NAME LAST_NAME EMAIL_ADDRESS PHONE_NUMBER STREET_ADDRESS DATE_OF_BIRTH AGE GENDER NATIONAL_ID US_SSN "
    "PERSON_ID MEDICAL_RECORD GENERIC_ID ORGANIZATION ORGANIZATION_ID GEO_COORDINATES OCCUPATION HEALTH_CONDITION "
    "INCOME ETHNICITY MARITAL_STATUS USERNAME PASSWORD CITY COUNTRY".split()
)
"""Entities whose presence in other columns shows whom a table is about."""
_ENTITY: Final = {entity: i for i, entity in enumerate(ENTITIES)}
_AT_AROUND: Final = [_ENTITY[entity] for entity in _AROUND]
_OWNER_WIDTH: Final = 8
INPUTS: Final[dict[str, int]] = {
    "own": len(ENTITIES) + 1 + 5 + 2,
    "header": GROUPS["header"],
    "owner": _OWNER_WIDTH,
    "neighbours": 2 * 5 + 2 * len(_AROUND) + 1,
    "table": TABLE_WIDTH + 1,
    "subject": len(_PRESUMED) + 1 + len(_SUBJECTS) + 6,
}
"""Group of inputs → how many, in their order."""
INPUT_WIDTH: Final = sum(INPUTS.values())


class Learned(NamedTuple):
    """What the column model predicts for a table.

    `chances`, (columns, classes), from the columns' `features` and the table's `signals`.
    """

    classes: Sequence[str]
    features: Sequence[Features]
    signals: NDArray[np.float32]
    chances: NDArray[np.float64]


class Presumed(NamedTuple):
    """What a column is by its evidence and, by rule, its class where the rows are about what they seem to be.

    `least` and `most` bound the class that may be called, by facts that no likelihood overrules.
    """

    best: Candidate | None
    pii: Pii
    reason: Reason | None
    confidence: float
    least: Pii
    most: Pii


class Thresholds(NamedTuple):
    """The probabilities from which a column counts as a direct identifier, and as personal at all.

    For a direct identifier they depend on its best candidate: a name, contact data, an account or a number; they are at
    least `direct_elsewhere`, and for personal `personal_elsewhere`, where the table isn't about persons. A table is,
    from `of_persons` on, by the mean of its two highest probabilities that a column is personal. From `may_be_direct`
    on (elsewhere `may_be_direct_elsewhere`) a column that isn't called direct may be so, and up to `may_not_be` one
    that is may not: a person should review both.
    """

    name: float
    contact: float
    account: float
    number: float
    direct_elsewhere: float
    personal: float
    personal_elsewhere: float
    of_persons: float
    may_be_direct: float
    may_be_direct_elsewhere: float
    may_not_be: float

    def within(self, odds: NDArray[np.float64]) -> Limits:
        """What holds in a table whose columns have these probabilities, (columns, 3)."""
        direct = {family: getattr(self, family) for family in FAMILIES}
        if speaks_of_persons(odds) >= self.of_persons:
            return Limits(direct, self.personal, self.may_be_direct, self.may_not_be)
        direct = {family: max(at, self.direct_elsewhere) for family, at in direct.items()}
        return Limits(direct, self.personal_elsewhere, self.may_be_direct_elsewhere, self.may_not_be)


class Limits(NamedTuple):
    """The thresholds that hold in one table; `direct` by family."""

    direct: Mapping[str, float]
    personal: float
    may_be_direct: float
    may_not_be: float


FAMILIES: Final = Thresholds._fields[:4]
_FAMILY: Final = {
    **dict.fromkeys(("PERSON", "FIRST_NAME", "LAST_NAME"), "name"),
    **dict.fromkeys(("EMAIL_ADDRESS", "PHONE_NUMBER", "STREET_ADDRESS"), "contact"),
    **dict.fromkeys("USERNAME PASSWORD SECRET BANK_ACCOUNT IBAN_CODE CREDIT_CARD CVV".split(), "account"),
}


def family(column: ColumnCandidates) -> str:
    """Which of `FAMILIES` the likeliest direct identifier that a column could be belongs to; `number` for all else."""
    best = next((c.entity for c in column.candidates if PII_CLASS[c.entity] == "direct"), None)
    return _FAMILY.get(best or "", "number")


def speaks_of_persons(odds: NDArray[np.float64]) -> float:
    """The mean of the two highest probabilities that a column is personal, or that of the only one."""
    return float(np.sort(1 - odds[:, 0])[-2:].mean())


@dataclass(frozen=True, eq=False)
class ClassModel:
    """The model of classes: a network with one hidden layer of rectified units and a linear model.

    Its output is the mean of both log-probabilities, over standardised inputs. mean, scale: (INPUT_WIDTH,); hidden:
    (INPUT_WIDTH, h); hidden_bias: (h,); output: (h, 3); output_bias: (3,); linear: (INPUT_WIDTH, 3); linear_bias: (3,);
    sharpness: (2,), by which logits are multiplied for columns with a header and without, so that probabilities are
    kept.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    hidden: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    output: NDArray[np.float32]
    output_bias: NDArray[np.float32]
    linear: NDArray[np.float32]
    linear_bias: NDArray[np.float32]
    sharpness: NDArray[np.float32]

    def probabilities(self, inputs: NDArray[np.float32], named: Sequence[bool]) -> NDArray[np.float64]:
        """(columns, 3), rows summing to 1. `named`: which columns have a header that says something."""
        x = np.clip((inputs - self.mean) * self.scale, -4, 4)
        net = product(np.maximum(product(x, self.hidden) + self.hidden_bias, 0), self.output) + self.output_bias
        both = (_log_softmax(net) + _log_softmax(product(x, self.linear) + self.linear_bias)) / 2
        both *= np.where(np.array(named, dtype=bool), self.sharpness[0], self.sharpness[1])[:, None]
        return finite(np.exp(_log_softmax(both)))

    def weighed_most(self, inputs: NDArray[np.float32], to: int) -> str:
        """The group of inputs whose linear part weighs most for one class rather than the likeliest other."""
        x = np.clip((inputs - self.mean) * self.scale, -4, 4)
        logits = product(x[None], self.linear)[0] + self.linear_bias
        other = max((k for k in range(len(CLASSES)) if k != to), key=lambda k: float(logits[k]))
        parts = x * (self.linear[:, to] - self.linear[:, other])
        ends = np.cumsum([0, *INPUTS.values()])
        sums = [float(parts[a:b].sum()) for a, b in pairwise(ends.tolist())]
        return list(INPUTS)[int(np.argmax(sums))]


def class_inputs(
    columns: Sequence[ColumnCandidates],
    summaries: Sequence[ColumnSummary],
    presumed: Sequence[Presumed],
    rows: RowSubject,
    learned: Learned,
    lexicon: Lexicon,
) -> NDArray[np.float32]:
    """The inputs of a table that has any columns, (columns, INPUT_WIDTH)."""
    n = len(columns)
    odds = np.full((n, len(ENTITIES)), -6.0)
    for c in columns:
        for found in c.candidates:
            if (i := _ENTITY.get(found.entity)) is not None:
                odds[c.index, i] = max(-6.0, found.logit)
    likely = 1 / (1 + np.exp(-odds))
    none = 1 - likely.max(axis=1, keepdims=True)
    direct, quasi = _of_classes(ENTITIES)
    direct_by_model, quasi_by_model = _of_classes(tuple(learned.classes))
    sums = np.hstack(
        [
            likely[:, direct].max(axis=1, keepdims=True),
            likely[:, quasi].max(axis=1, keepdims=True),
            none,
            learned.chances[:, direct_by_model].sum(axis=1, keepdims=True),
            learned.chances[:, quasi_by_model].sum(axis=1, keepdims=True),
        ]
    )
    own = np.hstack([likely, none, sums, odds.max(axis=1, keepdims=True) / 3, np.arange(n)[:, None] / n])
    header = np.stack([f.dense[: GROUPS["header"]] for f in learned.features])
    owner = np.array([_owner(c, s, lexicon) for c, s in zip(columns, summaries, strict=True)])
    table = np.tile(np.append(learned.signals, sums[:, 0].max()), (n, 1))
    return np.hstack([own, header, owner, _neighbours(likely, sums), table, _subject(presumed, rows)]).astype(
        np.float32
    )


@lru_cache(maxsize=4)
def _of_classes(entities: tuple[str, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of some entities are direct identifiers, and which quasi-identifiers or sensitive."""
    classes = [PII_CLASS.get(entity, "none") for entity in entities]
    return np.array([c == "direct" for c in classes]), np.array([c in ("quasi", "sensitive") for c in classes])


def _neighbours(likely: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """How personal the columns beside each are, and how likely each telling entity is among all others.

    For the others, at most and on average.
    """
    n = len(likely)
    adjacent = np.zeros((2, n, sums.shape[1]))
    adjacent[0, 1:], adjacent[1, :-1] = sums[:-1], sums[1:]
    around = likely[:, _AT_AROUND]
    highest = np.sort(around, axis=0)
    greatest = np.where(around >= highest[-1], highest[-2] if n > 1 else 0.0, highest[-1])
    mean = (around.sum(axis=0) - around) / max(1, n - 1)
    return np.hstack([*adjacent, greatest, mean, np.full((n, 1), sums[:, 0].sum() / n)])


def _owner(column: ColumnCandidates, summary: ColumnSummary, lexicon: Lexicon) -> list[float]:
    """Whose the values look to be, and what identifiers stand inside them."""
    is_mail = column.profile.share_of(lambda form: "@" in form) > 0.5
    words = set(tokens(column.header or ""))
    inside = max(
        (
            found.within.cells
            for i, found in summary.hits.items()
            if i in lexicon.by_id and PII_CLASS[lexicon.by_id[i].entity] == "direct"
        ),
        default=0,
    )
    return [
        float(is_mail and contact_owner.holds_given_names(column)),
        float(is_mail and contact_owner.of_offices(column)),
        float(is_mail and contact_owner.of_few_providers(column)),
        float(contact_owner.holds_own_pages(column)),
        column.profile.hashed,
        inside / max(1, summary.filled),
        float(not words.isdisjoint(OF_A_PERSON)),
        float(counts_people(column.header, column.profile)),
    ]


def _subject(presumed: Sequence[Presumed], rows: RowSubject) -> NDArray[np.float64]:
    about = [float(rows.subject == s) for s in _SUBJECTS]
    about += [min(max(rows.score, -6.0), 8.0) / 3, *map(float, (rows.personal, rows.named, rows.organised))]
    about += [float(rows.alone), float(rows.patients)]
    own = [[*[p.pii == c for c in _PRESUMED], p.confidence] for p in presumed]
    return np.hstack([np.array(own, dtype=np.float64), np.tile(about, (len(own), 1))])


def presumed_confidence(column: ColumnCandidates) -> float:
    """The probability that a column is its likeliest entity, or none where that is likelier."""
    best = column.best()
    if best is not None:
        return probability(best.logit)
    return 1 - max((probability(c.logit) for c in column.candidates), default=0.02)


def _log_softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
