"""Whose the contact data of a column are, as far as the values show: of persons, of offices, of members of a site."""

from __future__ import annotations

from collections import Counter
from typing import Final

from piiscan.core import mail_providers
from piiscan.core.header_words import find_phrase, tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify import word_lists
from piiscan.scanning.classify.candidates import ColumnCandidates

MAILBOXES: Final = 10
"""So many different mailboxes at one domain are people's."""
_PUBLIC: Final = lazy_pattern(mail_providers.DOMAINS)
NUMBERED: Final = 0.05
"""Share of addresses with a number up to which they are names of streets."""
_MEMBER: Final = lazy_pattern(
    r"""(?ix) /~\w | /(?:users?|people|profiles?|members?|u)/[^/?\#]+/?$ | (?:linkedin\.com/in|xing\.com/profile)/
    | (?:github|gitlab|facebook|instagram|twitter|threads|tiktok|medium|vk)\.com/@?[\w.-]+/?$ | (?://|^)(?:www\.)?x\.com/\w+/?$"""
)
"""How sites that have a page for each member address it."""
_OWN_PAGE: Final = frozenset(word for phrase in word_lists.OWN_PAGE for word in (phrase[0], "".join(phrase)))
"""Words of which one is in every header that has such a phrase."""


def holds_own_pages(column: ColumnCandidates) -> bool:
    """Whether a column of web addresses holds a person's own pages.

    By its header, or by URLs in the form of sites with a page for each member.
    """
    header = tokens(column.header or "")
    if word_lists.ORGANISATION_ROLE.intersection(header):
        return False
    if not _OWN_PAGE.isdisjoint(header) and any(find_phrase(phrase, header) for phrase in word_lists.OWN_PAGE):
        return True
    return column.profile.share_of(lambda form: "/" in form and _MEMBER.search(form) is not None) > 0.5


def holds_given_names(column: ColumnCandidates) -> bool:
    """Whether many local parts of the addresses hold a given name."""
    given = column.values.lexicon.values("FIRST_NAME")
    flags = [any(w in given and len(w) > 2 for w in tokens(t.split("@")[0])) for t in column.profile.texts]
    return column.profile.share(flags) > 0.25


def of_few_providers(column: ColumnCandidates) -> bool:
    """Whether there are so many different mailboxes at a domain that they are people's.

    An organisation has few beside its offices'.
    """
    boxes = {t.strip().lower() for t in column.profile.texts if "@" in t}
    domains = Counter(box.rpartition("@")[2] for box in boxes)
    return sum(n for n in domains.values() if n >= MAILBOXES) > len(boxes) / 2


def at_public_providers(column: ColumnCandidates) -> bool:
    """Whether there are many different mailboxes, most of them at providers that anybody may use.

    Small firms have one there too, and tables of them are rarer than those of persons.
    """
    boxes = {t.strip().lower() for t in column.profile.texts if "@" in t}
    public = sum(_PUBLIC.search(box.rpartition("@")[2]) is not None for box in boxes)
    return len(boxes) >= MAILBOXES and public > len(boxes) / 2


def names_streets(column: ColumnCandidates) -> bool:
    """Whether hardly any address has a number: names of streets, where nobody in particular lives."""
    return column.profile.share([any(map(str.isdigit, t)) for t in column.profile.texts]) < NUMBERED


def of_offices(column: ColumnCandidates) -> bool:
    """Whether most addresses are those of an office, such as info@ and sales@."""
    return column.profile.share([t.split("@")[0].lower() in word_lists.OFFICES for t in column.profile.texts]) > 0.6
