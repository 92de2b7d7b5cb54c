"""Labels of forms in the languages of a program: `{"firstName": "Vorname", "lastName": "Nachname"}`.

Their keys say what the fields of a form are, and so do their values, which are no person's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import LONGEST_PHRASE, tokens
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, ranked
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.subject import NAMES

_FEWEST: Final = 2
"""Columns of labels beside each other: one alone may be somebody called so."""
_MOST: Final = 30
"""Languages that a label is in, at most."""
_ROLES: Final = frozenset(("person-role", "username-role"))
"""Rules of headers for what somebody is, which are family names, too: Baker."""


def without_labels(columns: Sequence[ColumnCandidates], known: Lexicon) -> list[ColumnCandidates]:
    """The columns, those of labels without the candidates that their values are but words for."""
    found = {c.index: _named_by_values(c, known) for c in columns}
    of_labels = {c.index for c in columns if any(_is_named(x, found[c.index]) for x in c.candidates)}
    if len(of_labels) < _FEWEST:
        return list(columns)
    return [_of_nobody(c, found[c.index]) if c.index in of_labels else c for c in columns]


def _of_nobody(column: ColumnCandidates, entities: frozenset[str]) -> ColumnCandidates:
    """A column of labels, which its header doesn't name as what it names elsewhere."""
    candidates = ranked([x for x in column.candidates if not _is_named(x, entities)])
    return ColumnCandidates(column.index, column.header, column.profile, column.values, (), candidates)


def _is_named(candidate: Candidate, entities: frozenset[str]) -> bool:
    """Whether a candidate is what its values are words for; a part of a name may be called a name."""
    if PII_CLASS[candidate.entity] != "direct" and candidate.entity != "DATE_OF_BIRTH":
        return False
    return candidate.entity in entities or (candidate.entity in NAMES and not NAMES.isdisjoint(entities))


def _named_by_values(column: ColumnCandidates, known: Lexicon) -> frozenset[str]:
    """The entities for which all values of a column are header phrases."""
    texts = column.profile.texts
    if not column.candidates or column.header is None or not 0 < column.profile.filled <= _MOST:
        return frozenset()
    each = [_entities(text, known) for text in texts]
    return frozenset.intersection(*each) if each else frozenset()


def _entities(text: str, known: Lexicon) -> frozenset[str]:
    words = tokens(text)
    if not 0 < len(words) <= LONGEST_PHRASE:
        return frozenset()
    ids = [i for i in known.naming("".join(words))[0] if i not in _ROLES]
    found = {known.by_id[i].entity for i in ids}
    return frozenset(found | NAMES if found & NAMES else found)
