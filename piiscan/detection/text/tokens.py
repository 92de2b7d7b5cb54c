"""Text as tokens that know where they stand, and segments as windows: the pieces that a recogniser reads one at a time.

Tokens never overlap, and what lies between two of them is white space, so a run of tokens maps back to characters
exactly. `reading` does this for many texts at once, and says where segments end.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 160
"""Tokens in a window; a longer segment is read in overlapping windows."""
OVERLAP: Final = 32
"""Tokens that two windows share."""
WRAPPED: Final = 50

_TITLES = (
    "Mr Mrs Ms Dr Prof St Jr Sr Hon Rev Fr Capt Cpt Col Gen Sgt Lt Maj Sen Rep Gov Messrs Mme Mlle Dra Sra Srta "
    "Sig Dott Ing Mag Hr Nr No vs"
)

_MARKS = "[\u0300-\u036f]"
"""Accents written as characters of their own."""

_TOKEN = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"')\]]+[^\s<>"')\].,;:!?]          # a URL
    | [\w.+%-]{{1,64}}+@[\w-]+(?:\.[\w-]+)+                     # an e-mail address (RFC 5321: 64 characters)
    | [@\#][\w.]*\w                                             # a handle, a hashtag
    | (?:{"|".join(_TITLES.split())})\.(?=\s|[A-Z]|$)           # an abbreviation with its point
    | (?:[^\W\d_]\.){{2,}}                                      # U.S., J.R.
    | [^\W\d_a-z]\.(?=\s?[^\W\d_])                              # an initial
    | \d+(?:[.,:/\-]\d+)*(?:st|nd|rd|th|%)?                     # a number, a date
    | [DdLl]['’](?=[^\W\d_])|[Qq]u['’](?=[^\W\d_])              # an article that French and Italian join
    | ['’](?:s|S|t|d|m|ll|re|ve|LL|RE|VE)\b                     # 's
    | [Oo]['’](?=[A-Z])[^\W_]+                                  # O'Brien
    | [^\W\d_](?:[^\W_]|{_MARKS})*(?:[-‐][^\W\d_](?:[^\W_]|{_MARKS})*)*  # a word
    | [^\W_]+                                                   # whatever begins with a digit: 3rd, 2b
    | ([^\w\s]|_)\1*                                            # marks
    """,
    re.VERBOSE,
)
END = frozenset(".!?…")
ABBREVIATED = frozenset("inc ltd co corp bros etc approx dept est tel ext fig vol bzw ca geb str usw".split())
CLOSING = frozenset("\"'”’»)]")


def tokens(text: str) -> tuple[list[str], list[int]]:
    """The tokens of a text and where each begins."""
    words: list[str] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(text):
        words.append(match[0])
        starts.append(match.start())
    return words, starts


def windows(start: int, stop: int) -> list[tuple[int, int, int, int]]:
    """A segment as windows (start, stop, from, to): tokens `from` to `to` are the window's own, the rest is context."""
    if stop - start <= LONGEST:
        return [(start, stop, start, stop)]
    out = []
    step = LONGEST - OVERLAP
    for a in range(start, stop, step):
        b = min(a + LONGEST, stop)
        own = start if a == start else a + OVERLAP // 2
        out.append((a, b, own, stop if b == stop else b - OVERLAP // 2))
        if b == stop:
            break
    return out
