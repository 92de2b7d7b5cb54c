"""Decides the class of a column, its entity, and whether a person should review it, from learned probabilities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.core.entities import PII_CLASS, RANK
from piiscan.core.header_words import tokens
from piiscan.core.types import Inside, Pii, Reason
from piiscan.scanning.classify import contact_owner, word_lists
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, is_checked, probability
from piiscan.scanning.classify.class_model import CLASSES, Limits, Presumed, family
from piiscan.scanning.classify.model_evidence import NUMBERS
from piiscan.scanning.classify.subject import CONTACTS, NEVER_PERSONS, RowSubject

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE, QUASI, DIRECT = range(len(CLASSES))
LEAST_LIKELY: Final = 0.3
"""An entity less likely than this isn't reported for a column, whatever its class."""
PUBLIC: Final = 11.0
"""How much likelier mailboxes at providers that anybody may use make it that they are persons'. Of 96 labelled columns
of addresses, all seven with ten of them and more, mostly there, in rows not about organisations were."""
LIKELY_TO_HARM: Final = 0.4
"""An attribute whose disclosure harms is reported for a personal column from this probability on."""
LIKELIER, EVEN = 0.3, 0.5
"""A column called none is in review where it is less likely than this to be none: the second where its table speaks of
persons, so that nothing but a name for what it is was missing."""
WORDS: Final = {
    "own": "what it is",
    "header": "its header",
    "owner": "whether its values look like a person's",
    "neighbours": "the columns around it",
    "table": "words of the table",
    "subject": "what the rows are about",
}


class Decision(NamedTuple):
    """The decision on a column: `best` candidate, probability of its class, and reasons.

    `pii_confidence`: the probability of `pii`; `reason`: what decided the class; `review`: why a person should review
    the column, empty where that isn't needed.
    """

    best: Candidate | None
    pii: Pii
    pii_confidence: float
    reason: Reason | None
    review: tuple[str, ...]


_UNIQUE: Final = 0.98
"""Share of a column's cells that differ, where it tells rows apart."""
_SPARSE: Final = 10
"""Numbers of rows leave out fewer than so many for each that they use."""
_TOWNS: Final = frozenset(("CITY", "POSTAL_CODE"))
_OWNERS: Final = word_lists.PERSON_ROLE | word_lists.ORGANISATION_ROLE
BY_INSIDE: Final = Reason("subject", text="identifiers inside its cells")
"""Why a text is personal that would not be without its contents."""


def with_inside(presumed: Presumed, within: Sequence[Inside], rows: RowSubject) -> Presumed:
    """Adjust what a column is presumed to be to what is inside its cells.

    Text that holds identifiers of persons is personal. Contact data in texts about organisations and places are theirs.
    """
    best = presumed.best
    others = CONTACTS if rows.subject in NEVER_PERSONS else frozenset[str]()
    if best is None or best.entity != "FREE_TEXT":
        return presumed
    if all(PII_CLASS[i.entity] != "direct" or i.entity in others for i in within):
        return presumed
    most = max(presumed.most, "quasi", key=RANK.__getitem__)
    if presumed.pii != "none":
        return presumed._replace(least="quasi", most=most)
    return presumed._replace(pii="quasi", reason=BY_INSIDE, least="quasi", most=most)


def decide(
    column: ColumnCandidates,
    presumed: Presumed,
    odds: NDArray[np.float64],
    at: Limits,
    weighed_most: Callable[[int], str],
) -> Decision:
    """The class of a column whose probabilities are `odds`, (3,).

    `weighed_most`: the group of inputs that speaks most for a class, by its place; asked for only where the class isn't
    the presumed one.
    """
    called = max(_called(odds, at.direct[family(column)], at.personal), presumed.least, key=RANK.__getitem__)
    called = min(called, presumed.most, key=RANK.__getitem__)
    best, called = _named(column, presumed, called, odds)
    if best is None:
        called = "none"
    elif _is_of_things(best) and not (called == "quasi" and tells_rows_apart(column)):
        called, odds = "none", _of_things(odds, presumed.confidence)
    elif called == "quasi" and PII_CLASS[best.entity] == "sensitive":
        called = "sensitive"
    sure = float(odds[_place(called)])
    if called == presumed.most != "direct":
        sure = max(sure, presumed.confidence)  # where the entity is right, so is its bound
    reason = presumed.reason
    if called != presumed.pii:
        whose = "not of persons" if called == "none" else "of persons"
        by = WORDS[weighed_most(int(odds.argmax()))]
        reason = Reason("subject", p=round(sure, 4), text=f"{whose}, by {by}")
    review = _review(best, called, odds, at) if presumed.most == "direct" else ()
    return Decision(best, called, round(sure, 4), reason, review)


def _named(
    column: ColumnCandidates, presumed: Presumed, called: Pii, odds: NDArray[np.float64]
) -> tuple[Candidate | None, Pii]:
    """What a column is that is `called` of a class, and the class that this can have."""
    best = presumed.best
    if called == "direct" and (best is None or PII_CLASS[best.entity] != "direct"):
        identifier = _identifier(column, presumed)
        if identifier is None:  # what can't be named is no identifier; review lists what may be one
            called = "quasi" if odds[QUASI] >= odds[NONE] else presumed.least
        best = identifier or best
    elif called != "none" and best is None:
        best = _likeliest(column, ("quasi", "direct")) or _likeliest(column, ("sensitive",), LIKELY_TO_HARM)
    if called == "quasi" and _is_of_things(best):
        best = _likeliest(column, ("quasi", "sensitive"), EVEN) or best
    return best, called


def _is_of_things(found: Candidate | None) -> bool:
    """Whether values are keys or codes of anything but persons.

    A person's key has another entity, and pages may be somebody's own.
    """
    return found is not None and PII_CLASS[found.entity] == "none" and found.entity != "URL"


def tells_rows_apart(column: ColumnCandidates) -> bool:
    """Whether each row has a key of its own that isn't its number: in rows about persons it may be one of a person.

    Not where its header says that it is an order's, say.
    """
    p, words = column.profile, tokens(column.header or "")
    if word_lists.names_keys_of_things(words) or not word_lists.NOT_PERSONS.isdisjoint(words):
        return False
    is_counted = p.numeric > _UNIQUE and bool(p.numbers) and p.numbers[-1] - p.numbers[0] < _SPARSE * p.distinct
    return p.unique > _UNIQUE and not is_counted


def _of_things(odds: NDArray[np.float64], sure: float) -> NDArray[np.float64]:
    """The probabilities, (3,), of what is a thing's with the probability `sure`, a quasi-identifier with the rest."""
    quasi = min(float(odds[QUASI]), 1 - sure)
    return np.array((1 - quasi - odds[DIRECT], quasi, odds[DIRECT]))


def _called(odds: NDArray[np.float64], direct: float, personal: float) -> Pii:
    if odds[DIRECT] >= direct:
        return "direct"
    if 1 - odds[NONE] < personal:
        return "none"
    return "quasi" if odds[QUASI] >= odds[DIRECT] else "direct"


def can_be_named(column: ColumnCandidates, presumed: Presumed) -> bool:
    """Whether a column has an identifier to be called by, if it is called direct."""
    best = presumed.best
    return (best is not None and PII_CLASS[best.entity] == "direct") or _identifier(column, presumed) is not None


def _identifier(column: ColumnCandidates, presumed: Presumed) -> Candidate | None:
    """The likeliest identifier that a column could be, where its class speaks for one.

    A person's key is one that is a login or an account too.
    """
    best = presumed.best
    return best if best is not None and best.entity == "PERSON_ID" else _likeliest(column, ("direct",))


def _likeliest(column: ColumnCandidates, classes: Sequence[Pii], least: float = LEAST_LIKELY) -> Candidate | None:
    """The likeliest entity of some classes, if it is likely enough.

    Numbers need more than their look: a header that names them, or a check that passes beyond chance.
    """
    return next(
        (
            c
            for c in column.candidates
            if PII_CLASS[c.entity] in classes
            and probability(c.logit) >= least
            and (c.entity not in NUMBERS or c.by_header or is_checked(c))
        ),
        None,
    )


def _review(best: Candidate | None, called: Pii, odds: NDArray[np.float64], at: Limits) -> tuple[str, ...]:
    what = best.entity if best is not None else "it"
    if called == "direct":
        return (f"{what} may not be personal data ({odds[NONE]:.0%} likely)",) if odds[DIRECT] < at.may_not_be else ()
    if odds[DIRECT] < at.may_be_direct:
        likely = called == "none" and odds[NONE] < max(LIKELIER, min(EVEN, 1 - at.personal))
        return (f"{what} may be personal ({1 - odds[NONE]:.0%} likely)",) if likely else ()
    if best is not None and PII_CLASS[best.entity] == "direct":
        return (f"{best.entity} that may be of persons ({odds[DIRECT]:.0%} likely)",)
    return (f"it may contain direct identifiers ({odds[DIRECT]:.0%} likely)",)


def _place(pii: Pii) -> int:
    return CLASSES.index("quasi" if pii == "sensitive" else pii)


def contacts_of_owners(
    columns: Sequence[ColumnCandidates], presumed: Sequence[Presumed], parts: frozenset[str]
) -> list[list[int]]:
    """The columns of contact data of each owner, by their places.

    The owner is identified by words for persons and organisations in their headers, or by the one of the `parts` that
    persons play here (`RowSubject`) that the header begins with.
    """
    groups: dict[frozenset[str], list[int]] = defaultdict(list)
    for i, (c, p) in enumerate(zip(columns, presumed, strict=True)):
        if p.best is not None and p.best.entity in CONTACTS:
            groups[_owner(c, parts)].append(i)
    return list(groups.values())


def _owner(column: ColumnCandidates, parts: frozenset[str]) -> frozenset[str]:
    words = tokens(column.header or "")
    return _OWNERS.intersection(words) | parts.intersection(words[:1])


def with_places(
    odds: NDArray[np.float64], columns: Sequence[ColumnCandidates], presumed: Sequence[Presumed], parts: frozenset[str]
) -> NDArray[np.float64]:
    """The probabilities, (columns, 3), where a town or postal code is as likely personal as its owner's street address.

    What is then no longer likely to be none counts for a quasi-identifier. `parts`: as in `contacts_of_owners`.
    """
    out = odds.copy()
    entities = [p.best.entity if p.best else "" for p in presumed]
    streets: dict[frozenset[str], float] = {}
    for i, entity in enumerate(entities):
        if entity == "STREET_ADDRESS":
            owner = _owner(columns[i], parts)
            streets[owner] = min(odds[i, NONE], streets.get(owner, 1.0))
    for i, entity in enumerate(entities):
        if streets and entity in _TOWNS:
            less = max(0.0, out[i, NONE] - streets.get(_owner(columns[i], parts), 1.0))
            out[i] += (-less, less, 0.0)
    return out


def with_public_mail(
    odds: NDArray[np.float64], columns: Sequence[ColumnCandidates], presumed: Sequence[Presumed], rows: RowSubject
) -> NDArray[np.float64]:
    """The probabilities, (columns, 3), where mailboxes at providers that anybody may use are likelier to be persons'.

    Rows about organisations aside, whose mailboxes these may be.
    """
    out = odds.copy()
    if rows.organised or rows.subject == "organisation":
        return out
    for i, (column, p) in enumerate(zip(columns, presumed, strict=True)):
        is_mail = p.best is not None and p.best.entity == "EMAIL_ADDRESS" and p.most == "direct"
        if is_mail and contact_owner.at_public_providers(column) and not contact_owner.of_offices(column):
            out[i, DIRECT] *= PUBLIC
            out[i] /= out[i].sum()
    return out


def with_facts(odds: NDArray[np.float64], owners: Sequence[Sequence[int]], most: Sequence[Pii]) -> NDArray[np.float64]:
    """The probabilities, (columns, 3), with what is known for a fact.

    `most`: (columns,), the strongest class that each column may have; nothing is likely where that is none. One owner's
    contact data have the same ones, their geometric mean. If they may be direct, they are a person's, and so direct, or
    no person's: that they are a quasi-identifier counts for direct.
    """
    out = odds.copy()
    for together in map(list, owners):
        if len(together) > 1:
            mean = np.exp(np.log(np.maximum(odds[together], 1e-12)).mean(axis=0))
            out[together] = mean / mean.sum()
        own = [i for i in together if most[i] == "direct"]
        out[own, DIRECT] += out[own, QUASI]
        out[own, QUASI] = 0
    out[[i for i, bound in enumerate(most) if bound == "none"]] = (1, 0, 0)
    return out
