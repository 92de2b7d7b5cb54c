"""Lists in which given names and family names are values beside others, as in rows without named columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from piiscan.scanning.classify.candidates import ColumnCandidates

_FEWEST: Final = 3
"""Different given names, and family names, by which a list may have persons in it."""
_ONE_IN: Final = 20
"""Fewer than one value in so many is let pass."""
_WORDS: Final = 3
"""Of so many words a name is at most."""


def doubt(column: ColumnCandidates) -> str | None:
    """Why values of a list may be names, by the lists of names alone; None where too few are."""
    names, every = column.values.words.names, column.profile.words
    said = [frozenset(words) for words in every if 0 < len(words) <= _WORDS]
    given = sum(words <= names.given and not words <= names.family for words in said)
    family = sum(words <= names.family and not words <= names.given for words in said)
    fewest = max(_FEWEST, len(every) / _ONE_IN)
    if min(given, family) >= fewest:
        return "given names and family names are among its values, which are of several kinds"
    listed = sum(words <= names.given or words <= names.family for words in said)
    if "email" in column.profile.kind_of and listed >= fewest:
        return "e-mail addresses and words that may be names are among its values, which are of several kinds"
    return None
