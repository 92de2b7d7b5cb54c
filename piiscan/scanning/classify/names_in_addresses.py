"""Addresses that begin with the name of a person, who lives or gets post there: "Anna Kernweiler, 12 Mill Road"."""

from __future__ import annotations

import re
from typing import Final

from piiscan.core.header_words import fold
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.scanning.classify.organisation_words import ORG_WORDS
from piiscan.scanning.classify.word_lists import STREET_WORDS

_LOOKED_AT: Final = 100
"""Cells that are looked at, at most."""
_SHARE: Final = 0.3
"""In so many of them a name stands whose given name a list knows, and no list knows all."""
_CUT: Final = re.compile(r"[\n\r,;|]| / | - ")
_BEFORE: Final = re.compile(r"\s*(?:c/o|attn\b|att\b|fao\b|z\. ?hd\.?|to:|an:)[.:]?\s*", re.IGNORECASE)
_NAME: Final = re.compile(r"(?:[^\W\d_][^\W\d_'’-]*\.?[ '’-]){1,3}[^\W\d_]{2,}")
_NO_NAMES: Final = ORG_WORDS | STREET_WORDS


def begin_with_names(column: ColumnSummary) -> bool:
    """Whether many of a column's addresses begin with full names of persons, and numbers stand behind them.

    One given or family name that all share is a building's: Victoria Hall.
    """
    texts = [text for text, _ in column.sample.first(_LOOKED_AT)]
    names = [name for name in map(_name, texts) if name]
    if len(names) < max(1, _SHARE * len(texts)):
        return False
    return len(names) == 1 or min(len({name[at] for name in names}) for at in (0, -1)) > 1


def _name(text: str) -> list[str]:
    """The words of the full name that an address begins with; none where it begins otherwise."""
    from piiscan.detection.text.announced_persons import is_surely_given

    lead = _BEFORE.match(text)
    first, *rest = _CUT.split(text[lead.end() if lead else 0 :], maxsplit=1)
    name = _NAME.fullmatch(first.strip())
    if name is None or not rest or not any(map(str.isdigit, rest[0])):
        return []
    words = name[0].split()
    if not (words[0][0].isupper() and words[-1][0].isupper()) or not _NO_NAMES.isdisjoint(map(fold, words)):
        return []
    return words if is_surely_given(words[0]) else []
