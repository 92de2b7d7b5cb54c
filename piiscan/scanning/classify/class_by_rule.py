"""The class that follows by rule from what a column is and what rows are about, and the bounds that facts set to it."""

from __future__ import annotations

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.types import Pii, Reason, Subject
from piiscan.scanning.classify import named_things, network_addresses, word_lists
from piiscan.scanning.classify.candidates import SHARED, Candidate, ColumnCandidates, is_checked
from piiscan.scanning.classify.contact_owner import (
    holds_given_names,
    holds_own_pages,
    names_streets,
    of_few_providers,
    of_offices,
)
from piiscan.scanning.classify.person_names import only_particles
from piiscan.scanning.classify.subject import (
    ALWAYS,
    BIOLOGY,
    CONTACTS,
    NAMES,
    NEVER_PERSONS,
    OF_A_PERSON,
    PERSONAL,
    REACHED,
    ROW_COUNTER,
    RowSubject,
    names_creatures,
    unsupported,
)
from piiscan.scanning.classify.value_evidence import HASHED, MASKED, MOSTLY

_REPEATED = 4
"""Cells for each different address from which on addresses aren't the pages of persons."""
_ALONE = "nothing else shows whose it is"


def bounds(found: Candidate, pii: Pii, column: ColumnCandidates, rows: RowSubject, single: bool) -> tuple[Pii, Pii]:
    """The weakest and the strongest class possible for an entity whose class by rule is `pii`.

    In a table of a `single` column or of more.

    Where nothing else says whose the values are, they are taken for a person's: to miss one costs more than to doubt
    a firm's. Secrets are direct. What a mask or a hash leaves is a pseudonym. Numbers of things and firms whose check
    passes, and no narrower one of persons' numbers, are what they are, numbers of rows identify no person, and private
    and reserved IP addresses identify no one, nor do web addresses that many rows share. Nor do names of animals and
    invented figures, their sex, age and health, and lists of names. Particles of surnames (van, de) are shared by many.
    """
    own = PII_CLASS[found.entity]
    if own == "direct" and _left_of_values(found, column):
        return pii, "quasi"
    if found.entity == "LAST_NAME" and pii == "direct" and only_particles(column.profile.texts):
        return "quasi", "quasi"
    if _belongs_to_nobody(found, column, rows):
        return "none", "none"
    unknown = rows.subject is None if rows.alone else single and rows.subject == "person"
    unknown = unknown and not (found.entity == "STREET_ADDRESS" and names_streets(column))
    return (pii if found.entity == "SECRET" or (unknown and own in ("direct", "sensitive")) else "none"), "direct"


def _belongs_to_nobody(found: Candidate, column: ColumnCandidates, rows: RowSubject) -> bool:
    """Whether values are no person's whatever is likely."""
    if found.entity == "IP_ADDRESS" and column.profile.texts and network_addresses.nobodys(column.profile):
        return True
    if found.entity == "URL" and _are_shared(column) and not holds_own_pages(column):
        return True
    if found.entity == "DEVICE_ID" and rows.measured and not is_checked(found) and not _speaks_of_person(column):
        return True
    of_creatures = rows.creatures and found.entity in BIOLOGY and not _speaks_of_person(column)
    if of_creatures or _nobodys_names(found, column, rows):
        return True
    is_none = PII_CLASS[found.entity] == "none" and found.logit > 0
    if is_none and is_checked(found):
        return not any(r.text == SHARED for r in found.reasons)
    return is_none and _counts_rows(found, column)


def _counts_rows(found: Candidate, column: ColumnCandidates) -> bool:
    numbers, filled = column.profile.numbers, column.profile.filled
    return found.rule == ROW_COUNTER and bool(numbers) and 0 <= numbers[0] <= 1 and numbers[-1] <= filled + 1


def _are_shared(column: ColumnCandidates) -> bool:
    """Whether a column's values repeat, as those do that name a system or a vocabulary."""
    return column.profile.filled >= _REPEATED * max(1, column.profile.distinct)


def pii_class(found: Candidate, column: ColumnCandidates, rows: RowSubject) -> tuple[Pii, Reason | None]:
    """What an entity's values mean here: its class where they are about natural persons, else none."""
    entity = found.entity
    own = PII_CLASS[entity]
    if own == "direct" and (left := _left_of_values(found, column)):
        return _no_more_direct(entity, left, column, rows)
    if entity == "URL" and rows.personal and holds_own_pages(column):
        return "quasi", Reason("subject", text="pages of the persons whom rows are about")
    if entity == "URL" and _are_shared(column):
        return "none", Reason("subject", text="so many rows have the same few addresses, which are no persons' pages")
    if entity == "IP_ADDRESS" and column.profile.texts and network_addresses.nobodys(column.profile):
        return "none", Reason("subject", text="private and reserved IP addresses identify no one")
    if own == "none" or _always(found, column, rows):
        return own, None
    if entity in CONTACTS:
        return _contact(entity, column, rows)
    if entity == "PERSON_ID" and not unsupported(found):
        return own, None
    if entity in NAMES or entity in ("FREE_TEXT", "ORGANIZATION"):
        why_not = _of_nobody(found, column, rows)
        return (own, None) if why_not is None else ("none", Reason("subject", text=why_not))
    return _by_subject(own, column, rows)


def _always(found: Candidate, column: ColumnCandidates, rows: RowSubject) -> bool:
    """Whether values are personal whatever rows are about. Organisations have user names too."""
    if found.entity == "USERNAME" and rows.subject == "organisation":
        return rows.personal or _speaks_of_person(column)
    return found.entity in ALWAYS or (found.entity == "BANK_ACCOUNT" and _checked(found))


def _left_of_values(found: Candidate, column: ColumnCandidates) -> str | None:
    """What replaces the values themselves, None where nothing does."""
    if any(r.text == HASHED for r in found.reasons):
        return "hashes"
    masked = any(r.text == MASKED for r in found.reasons) or column.profile.masked > MOSTLY
    return "masked values" if masked and found.entity not in ("PASSWORD", "SECRET") else None


def _no_more_direct(entity: str, left: str, column: ColumnCandidates, rows: RowSubject) -> tuple[Pii, Reason]:
    """The class of hashes and masked values of direct identifiers.

    They are quasi-identifiers, unless they belong to an organisation, a place or a thing.
    """
    others = rows.subject is not None and not rows.personal
    if entity in CONTACTS and others and not _speaks_of_person(column):
        return "none", Reason("subject", text=f"{left}; {about_others(rows.subject)}")
    return "quasi", Reason("subject", text=f"{left} are pseudonyms of persons")


def _of_nobody(found: Candidate, column: ColumnCandidates, rows: RowSubject) -> str | None:
    """Why names, texts or organisations here don't describe a person, or None."""
    if found.entity in NAMES:
        if _nobodys_names(found, column, rows):
            return _whose_names(column, rows)
        counted = rows.subject == "aggregate" and not rows.score > PERSONAL
        return "a list of names with counts" if counted else None
    if found.entity == "FREE_TEXT":
        supported = found.rule != "description" and not unsupported(found)
        return None if supported or rows.personal else "no text about persons"
    of_person = rows.personal and not OF_A_PERSON.isdisjoint(tokens(column.header or ""))
    return None if of_person else "no employer or school of a person"


def _whose_names(column: ColumnCandidates, rows: RowSubject) -> str:
    if rows.of_names:
        return "a list of names, each once"
    return "names of animals or invented figures" if rows.creatures else "its header names things"


def _nobodys_names(found: Candidate, column: ColumnCandidates, rows: RowSubject) -> bool:
    """Whether names are those of things, animals or invented figures, or a list of names."""
    if found.entity not in NAMES:
        return False
    of_creatures = rows.creatures and names_creatures(column, rows.invented)
    of_things = not rows.personal and named_things.heads(column)
    return of_creatures or rows.of_names or of_things


def _by_subject(own: Pii, column: ColumnCandidates, rows: RowSubject) -> tuple[Pii, Reason]:
    """An attribute is as personal as the rows are."""
    if rows.personal or (_speaks_of_person(column) and rows.subject not in NEVER_PERSONS):
        return own, _about_persons(rows)
    if rows.alone and rows.subject is None and own in ("direct", "sensitive"):
        return own, Reason("subject", text=_ALONE)
    return "none", _about_others(rows)


def _speaks_of_person(column: ColumnCandidates) -> bool:
    return not word_lists.PERSON_ROLE.isdisjoint(tokens(column.header or ""))


def _about_persons(rows: RowSubject, text: str = "rows are about persons") -> Reason:
    return Reason("subject", text=text + (f" ({rows.text})" if rows.text else ""))


def _about_others(rows: RowSubject) -> Reason:
    return Reason("subject", text=about_others(rows.subject))


def about_others(subject: Subject | None) -> str:
    """Why what says something of a person elsewhere doesn't here."""
    return f"rows are about {_plural(subject)}, not persons" if subject else "nothing shows that rows are about persons"


def _checked(found: Candidate) -> bool:
    """Whether a rule's pattern or check supports an entity."""
    return any(r.by in ("rule", "checksum") for r in found.reasons)


def _contact(entity: str, column: ColumnCandidates, rows: RowSubject) -> tuple[Pii, Reason]:
    """Whose telephone, e-mail or street address it is."""
    if rows.personal:
        return "direct", _about_persons(rows)
    if _speaks_of_person(column):
        return "direct", Reason("subject", text="the header mentions a person")
    if (words := tokens(column.header or "")) and words[0] in rows.parts:
        return "direct", Reason("subject", text="the header begins as that of a person's name does")
    if rows.score >= REACHED and rows.subject not in NEVER_PERSONS:
        return "direct", _about_persons(rows, "other columns mention persons")
    if entity == "EMAIL_ADDRESS" and of_offices(column):
        return "none", Reason("subject", text="mailboxes of offices, not of persons")
    why = _likely_persons(entity, column, rows)
    return ("none", _about_others(rows)) if why is None else ("direct", Reason("subject", text=why))


def _likely_persons(entity: str, column: ColumnCandidates, rows: RowSubject) -> str | None:
    """What makes contact data a person's where the rows don't say so, or None."""
    if rows.named:
        return "persons are named beside it, and no organisations"
    if entity == "EMAIL_ADDRESS":
        if holds_given_names(column):
            return "many addresses contain given names"
        if rows.subject not in NEVER_PERSONS and not rows.organised and of_few_providers(column):
            return "many different mailboxes at the same domains"
    if rows.subject is not None:
        return None
    if entity != "STREET_ADDRESS" and column.header is None and not rows.organised:
        return "nothing says that it is an organisation's"
    return _ALONE if rows.alone and not (entity == "STREET_ADDRESS" and names_streets(column)) else None


def _plural(subject: Subject) -> str:
    return {
        "organisation": "organisations",
        "place": "places",
        "thing": "things",
        "event": "events",
        "aggregate": "groups",
        "person": "persons",
    }[subject]
