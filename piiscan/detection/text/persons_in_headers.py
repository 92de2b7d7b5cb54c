"""Headers that are persons' full names, a column a person: hours, marks or votes, whose cells name nobody.

One header shows a person where both of its names are listed. Several beside each other show it of each other, so that
family names needn't be listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from piiscan.core.header_words import fold
from piiscan.detection.matching.identifiers_in_names import is_given, is_of_person, is_place, is_word_of_headers
from piiscan.detection.text.name_words import are_other
from piiscan.detection.text.text_model import shipped
from piiscan.detection.text.token_features import In, crc, folded

_FULL_NAME: Final = re.compile(r"([^\W\d_][\w'’-]+)(?: [^\W\d_]\.?)?(,?) ([^\W\d_][\w'’-]+)")
_FEWEST: Final = 2
_SHARE: Final = 2 / 3
"""Of headers of several words so many are full names."""
_SHORTEST: Final = 3
_GENERA: Final = frozenset(
    "angelica camellia daphne erica flora fritillaria hyacinthus iris jasminum lilium linnea melissa rosa rosmarinus "
    "silene valeriana veronica viola".split()
)
"""Genera that are given names, too."""
_MONTHS: Final = frozenset("april august avril jan jun june juni juli juin mai maj maja may".split())
"""Months that are given names, too: `Jan Umsatz`."""
_NO_FAMILY: Final = (
    In.COMMON | In.COUNTRY | In.FUNCTION | In.JOB | In.KNOWN | In.ORGANISATION | In.PEOPLE | In.TIME | In.TITLE
)


def of_persons(names: Sequence[str | None]) -> frozenset[int]:
    """The places of the headers of a table that are persons' full names, by each other.

    It takes two with different given names, which are most of those of several words.

    >>> sorted(of_persons(("date", "Anna Kernweiler", "Jens Pfotenhauer", "Total Hours")))
    [1, 2]
    >>> of_persons(("Anna Kernweiler", "Net Amount", "Total Amount")), of_persons(("Mean Square", "New York"))
    (frozenset(), frozenset())
    """
    several = {i: name for i, name in enumerate(names) if name and " " in name.strip()}
    found = {i: given for i, name in several.items() if (given := _given(name)) is not None}
    if len(set(found.values())) < _FEWEST or len(found) < _SHARE * len(several):
        return frozenset()
    return frozenset(found)


def _given(header: str) -> str | None:
    """The given name of a header that may be a full name; None for any other header."""
    if (parts := _FULL_NAME.fullmatch(header.strip())) is None:
        return None
    one, comma, other = parts.groups()
    given, family = (other, one) if comma else (one, other)
    if not (given[0].isupper() and family[0].isupper()) or not is_given(given):
        return None
    if is_of_person(header):
        return fold(given)
    if (
        fold(given) in _GENERA | _MONTHS
        or len(family) < _SHORTEST
        or any(map(is_place, (given, family)))
        or are_other((one, other))
    ):
        return None
    lists = int(shipped().lists_of(np.array([crc(folded(family))], dtype=np.uint32))[0])
    return None if is_word_of_headers(family) or lists & _NO_FAMILY else fold(given)
