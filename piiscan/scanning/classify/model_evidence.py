"""Combines the model's probabilities with the evidence of rules, header phrases and values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from piiscan.core.header_words import tokens
from piiscan.core.types import Reason
from piiscan.scanning.classify.candidates import HIGHEST, Candidate, ColumnCandidates, ranked
from piiscan.scanning.classify.class_model import Learned
from piiscan.scanning.classify.column_features import features_of_each
from piiscan.scanning.classify.column_model import NONE, ColumnModel
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.table_signals import table_signals
from piiscan.scanning.classify.word_lists import NOT_PERSONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.core.types import TableInfo
    from piiscan.detection.summary.table_summary import TableSummary

BOTH, OWN, ABOVE = 0.4, 0.5, 0.5
"""Of the model's log-odds and of those of rules, header and values, where both speak for an entity; and what that is
worth in itself."""
ALONE = 0.1
"""Added where only the model speaks for an entity: below 0.9 it is right more often than it says (see
`models/columns.md`)."""
AGAINST = 2.0
"""What it costs besides that the header names something else, and the values bear it out, or says that things are
named."""
SPEAKS = 0.3
"""From this probability on, the model's reason names what weighed most."""
LEAST = 0.02
"""Below this probability the model brings up no entity that nothing else speaks for."""
UNSURE = 0.015
"""No probability is taken for nearer to 0 or 1: rules and header phrases know what training tables never showed."""
NUMBERS = frozenset(
    """
        US_SSN NATIONAL_ID PASSPORT CREDIT_CARD CVV IBAN_CODE BANK_ACCOUNT IP_ADDRESS MAC_ADDRESS VEHICLE_ID DEVICE_ID
        SECRET PASSWORD SWIFT_CODE ORGANIZATION_ID
    """.split()
)
"""What patterns and check digits tell: the look of a number is no evidence against them."""
PAIRED = "GEO_COORDINATES"
"""Places need two numbers: a single one that looks like a coordinate isn't one."""
DOUBTED = -0.5
"""What such a number keeps."""
WORDS = {
    "header": "its header",
    "look": "how its values look",
    "numbers": "the range of its numbers",
    "dates": "the years of its dates",
    "lists": "words in its values",
    "rules": "rules that its values pass",
    "scripts": "the script of its letters and the names they spell",
    "evidence": "its header and rules",
}


def learned(
    tables: Sequence[tuple[TableInfo, Sequence[ColumnCandidates], TableSummary]], lexicon: Lexicon, model: ColumnModel
) -> list[Learned]:
    """What the model predicts for the columns of each of some tables, which have any."""
    seen = features_of_each([(columns, summary.columns) for _, columns, summary in tables], lexicon)
    signals = [table_signals(info, columns, summary.rows) for info, columns, summary in tables]
    chances = model.probabilities_of(list(zip(seen, signals, strict=True)))
    return [Learned(model.classes, *of) for of in zip(seen, signals, chances, strict=True)]


def with_model(
    tables: Sequence[tuple[Sequence[ColumnCandidates], Learned]], lexicon: Lexicon, model: ColumnModel
) -> list[list[ColumnCandidates]]:
    """The columns of each of some tables with the model's log-odds weighed in."""
    carried = np.array([entity in lexicon.carriers and entity != NONE for entity in model.classes])
    asked = [
        (table, column, model.classes[entity])
        for table, (columns, found) in enumerate(tables)
        for column, entity in np.argwhere((found.chances >= SPEAKS) & carried).tolist()
        if not _hashes_of_something(columns[column])
    ]
    weighed = model.weighed_most([(tables[table][1].features[column], entity) for table, column, entity in asked])
    groups: dict[tuple[int, int], dict[str, list[str]]] = {}
    for (table, column, entity), most in zip(asked, weighed, strict=True):
        groups.setdefault((table, column), {})[entity] = most[:2]
    out = []
    for table, (columns, found) in enumerate(tables):
        paired = PAIRED in model.classes and int((found.chances[:, model.classes.index(PAIRED)] > SPEAKS).sum()) >= 2
        odds = (_ColumnOdds(model, groups.get((table, i), {}), lexicon.carriers, paired) for i in range(len(columns)))
        out.append([
            c if _hashes_of_something(c) else own.weighed_in(c, chances)
            for c, own, chances in zip(columns, odds, found.chances, strict=True)
        ])  # fmt: skip
    return out


def _hashes_of_something(column: ColumnCandidates) -> bool:
    """Whether a named column holds hashes: the model has seen hardly any of names or cities."""
    return column.profile.hashed > 0.5 and any(n.rule.entity != "GENERIC_ID" for n in column.named)


class _ColumnOdds(NamedTuple):
    """What the model adds to one column.

    `groups`: the groups of features that weighed most for an entity that is likely enough to say so. `paired`: two
    columns at least look like coordinates.
    """

    model: ColumnModel
    groups: Mapping[str, list[str]]
    carriers: Mapping[str, str]
    paired: bool

    def weighed_in(self, column: ColumnCandidates, chances: NDArray[np.float64]) -> ColumnCandidates:
        """A column with its candidates judged again, given the model's probability for each of its classes."""
        classes, known = self.model.classes, {x.entity: x for x in column.candidates}
        against = AGAINST * _named_otherwise(column)
        told = {classes[i]: float(chances[i]) for i in np.flatnonzero(chances >= LEAST).tolist()}
        told |= {entity: float(chances[classes.index(entity)]) for entity in known if entity in classes}
        found = []
        for entity, p in told.items():
            if entity == NONE or entity not in self.carriers:
                continue
            old = known.pop(entity, None)
            found.append(self._alone(entity, p, against) if old is None else self._agreed(old, p))
        return column.with_candidates(ranked([*found, *known.values()]))

    def _agreed(self, old: Candidate, p: float) -> Candidate:
        """The odds of a candidate and the model's together."""
        logit = BOTH * log_odds(p) + OWN * old.logit + ABOVE
        if old.logit > 0 and any(r.by == "checksum" for r in old.reasons):
            logit = max(logit, old.logit)  # passing far more often than chance is evidence that no look takes away
        elif old.entity in NUMBERS and not old.by_header and old.logit < 0:
            logit = min(logit, old.logit)  # what a pattern finds and then doubts, such as a version for an IP address
        reasons = (*old.reasons, _reason(p, self.groups.get(old.entity, ()))) if p > LEAST else old.reasons
        return old._replace(logit=min(HIGHEST, logit), reasons=reasons)

    def _alone(self, entity: str, p: float, against: float) -> Candidate:
        """An entity that only the model speaks for."""
        groups = self.groups.get(entity, ())
        logit = log_odds(p) + ALONE - against
        doubted = entity in NUMBERS or (entity == PAIRED and not self.paired)
        if doubted and logit > 0 and "header" not in groups[:1]:
            logit = DOUBTED
        return Candidate(entity, None, self.carriers[entity], min(HIGHEST, logit), (_reason(p, groups),))


def _named_otherwise(column: ColumnCandidates) -> bool:
    """Whether the header names something that the values bear out, or things."""
    borne_out = any(x.by_header and x.logit > 0.5 and x.entity != "GENERIC_ID" for x in column.candidates)
    return borne_out or _names_things(column.header)


def _names_things(header: str | None) -> bool:
    """Whether a header says that its values are names of things, places or firms: "station_name"."""
    words = set(tokens(header or ""))
    return "name" in words and not words.isdisjoint(NOT_PERSONS)


def log_odds(p: float) -> float:
    """The log-odds of a probability, kept within what training data of this size supports."""
    p = min(max(p, UNSURE), 1 - UNSURE)
    return math.log(p / (1 - p))


def _reason(p: float, groups: Sequence[str]) -> Reason:
    return Reason("model", p=round(p, 4), text=f"by {' and '.join(WORDS[g] for g in groups)}" if groups else None)
