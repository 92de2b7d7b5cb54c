"""What the values of a column look like, from its sample: kinds of text, lengths, ranges, words."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Final

from piiscan.core import shapes
from piiscan.core.header_words import LETTERS, fold
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.scanning.classify.word_lists import NOTHING

SHOWN: Final = 96
"""Distinct values looked at: enough for shares within a few per cent."""

_LONG: Final = 60
"""Texts from this length on are of no kind but `url` and `text`."""
_HEX: Final = 16
"""Digits that a hexadecimal number has at least."""
_BOOLEAN: Final = tuple("true false yes no y n t f ja nein oui non si sim tak nie".split())
_KINDS: Final = re.compile(
    r"(?P<integer>[+-]?\d+(?:\.0+)?)"
    r"|(?P<decimal>[+-]?\d*[.,]\d+(?:[eE][+-]?\d+)?|[+-]?\d+(?:\.\d*)?[eE][+-]?\d+)"
    r"|(?P<date>(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})|\d{1,2}[ "
    r"-](?:\d{1,2}|[^\W\d]{3,9})\.?[ -,]*\d{2,4}"
    r"|(?:[^\W\d]{3,9},? )?[^\W\d]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? ?\d{4}|\d{4}年\d{1,2}月\d{1,2}日)(?:T.*|[ "
    r",]+(?:\d{1,2}[:h.].*|\d{1,2} ?[AaPp].*|\D.*))?)"
    r"|(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?)"
    r"|(?P<money>[$€£¥₹][ ]?-?[\d.,]+ ?[KkMmBb]?|-?[\d.,]+ ?(?:[$€£¥₹%]|[Kk]|EUR|USD|GBP)|-?\d{1,3}(?:[, "
    r".']\d{3})+(?:[.,]\d+)?)"
    rf"|(?P<boolean>(?i:{'|'.join(_BOOLEAN)}))"
    r"|(?P<band>[<>]=? ?\$?\d+[Kk]?|\d{1,3}(?:[.,]\d+)? ?(?:-|–|to) ?\d{1,3}(?:[.,]\d+)?|\d+ "
    r"?\+|(?i:under|over|below|above) \d+|\d+ (?:and|or) (?:older|over|above|under|less))"
    r"|(?P<url>(?i:https?://|www\.).*)"
    r"|(?P<email>[^@\s]+@[^@\s]+\.[^@\s]+)"
    r"|(?P<uuid>\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?)"
    r"|(?P<hex>[0-9a-f]{16,}|[0-9A-F]{16,})"
)
_WORD: Final = re.compile(rf"{LETTERS}(?:['’.-]{LETTERS})*\.?")
_MASK: Final = lazy_pattern(r"[*•●■█]{2,}|#{3,}|(?<![^\W_])[xX]{3,}(?![^\W\d_])|X{4,}(?=\d)")
"""What a mask leaves in place of characters: stars, bullets, or a run of X that is no part of a word."""
_MARKS: Final = ("*", "•", "●", "■", "█", "###")
"""One of these is in what is masked without an X."""
_PHONE: Final = lazy_pattern(
    r"\+?[\d(][\d\s().\-/+]{5,22}\d(?:\s*(?:x|ext\.?|#)\s*\d{1,6})?|[\d-]*\d{3}-[A-Z]{3,7}[\w-]*"
)


@dataclass(frozen=True)
class Profile:
    """Shares are of the cells that the looked-at values stand for, those in `NOTHING` left out.

    `texts` and `counts`: the looked-at distinct values and how many cells hold each.
    `kinds`: share by kind, `text` for what is none of the others. `distinct` is of the column, `filled` its non-empty
    cells.
    """

    texts: tuple[str, ...]
    counts: tuple[int, ...]
    kind_of: tuple[str, ...]
    kinds: dict[str, float]
    distinct: int
    filled: int
    nothing: int

    @cached_property
    def total(self) -> int:
        return max(1, sum(self.counts))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        return tuple([t.lower() if t.isascii() else fold(t) for t in self.texts])

    @cached_property
    def folded_set(self) -> frozenset[str]:
        return frozenset(self.folded)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Each text with every digit as d, letter as a, other number as n and all else as a hyphen."""
        return tuple([form.replace("\0", "-") for form in shapes.of_each(self.texts, _FORMS.of)])

    @cached_property
    def digits(self) -> tuple[int, ...]:
        """How many digits each text has."""
        return tuple([form.count("d") for form in self.forms])

    @cached_property
    def alphanumeric(self) -> tuple[int, ...]:
        """How many letters and digits each text has, the end of a number with a fraction of zero apart."""
        pairs = zip(self.texts, self.forms, strict=True)
        return tuple([len(form) - form.count("-") - t.endswith(".0") for t, form in pairs])

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each text, folded, without digits."""
        if self.numeric == 1 and all(map(str.isascii, self.folded)):
            return tuple([("e",) if "e" in t else () for t in self.folded])  # of a number in ASCII, that of an exponent
        return tuple([tuple([w.strip(".'’") for w in _WORD.findall(t)]) for t in self.folded])

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of the texts."""
        return frozenset().union(*self.words)

    def share(self, flags: Sequence[bool]) -> float:
        """Share of cells whose value is flagged."""
        return sum(compress(self.counts, flags)) / self.total if True in flags else 0.0

    @cached_property
    def numeric(self) -> float:
        return self.kinds.get("integer", 0.0) + self.kinds.get("decimal", 0.0)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The distinct numbers among the looked-at values, in order."""
        found = set()
        for text, kind in zip(self.texts, self.kind_of, strict=True):
            if kind in ("integer", "decimal"):
                try:
                    found.add(float(text.replace(",", ".")))
                except ValueError:
                    continue
        return tuple(sorted(found))

    def within(self, low: float, high: float) -> float:
        """Share of the distinct numbers in [low, high]; 0 where there are none."""
        numbers = self.numbers
        return (bisect_right(numbers, high) - bisect_left(numbers, low)) / len(numbers) if numbers else 0.0

    @cached_property
    def whole(self) -> float:
        """Share of the distinct numbers that are integers."""
        return sum(n == int(n) for n in self.numbers if abs(n) < 1e18) / len(self.numbers) if self.numbers else 0.0

    @cached_property
    def lettered(self) -> float:
        """Share of cells with a letter that aren't a number, date, time or boolean word."""
        plain = ("integer", "decimal", "date", "time", "money")
        return self.share([k not in plain and "a" in form for form, k in zip(self.forms, self.kind_of, strict=True)])

    @cached_property
    def with_digit(self) -> float:
        return self.share([n > 0 for n in self.digits])

    @cached_property
    def spaced(self) -> float:
        return self.share([" " in t for t in self.texts])

    @cached_property
    def word_count(self) -> float:
        """Words per cell, on average."""
        return sum(c * (t.count(" ") + 1) for c, t in zip(self.counts, self.texts, strict=True)) / self.total

    @cached_property
    def length(self) -> float:
        """Characters per cell, on average."""
        return sum(c * len(t) for c, t in zip(self.counts, self.texts, strict=True)) / self.total

    @cached_property
    def phone_like(self) -> float:
        """Share of cells that could be telephone numbers: 7 to 15 digits and what is written between them."""
        return self.share(
            [
                7 <= n <= 17 and k not in ("date", "decimal") and bool(_PHONE.fullmatch(t))
                for t, n, k in zip(self.texts, self.digits, self.kind_of, strict=True)
            ]
        )

    @cached_property
    def hashed(self) -> float:
        """Share of cells that look like a digest: one long word of letters and digits, all cells of one length."""
        if len(set(map(len, self.texts))) > 2:
            return 0.0
        return self.share(
            [
                k == "hex"
                or (
                    len(t) >= 20
                    and " " not in t
                    and n > 0
                    and t.rstrip("=").replace("+", "").replace("/", "").isalnum()
                )
                for t, n, k in zip(self.texts, self.digits, self.kind_of, strict=True)
            ]
        )

    @cached_property
    def masked(self) -> float:
        """Share of cells in which marks stand for at least a third of the letters and digits."""
        joined = "\0".join(self.texts)
        if not any(mark in joined for mark in _MARKS) and "xxx" not in joined.lower():
            return 0.0
        if _MASK.search(joined) is None:
            return 0.0
        return self.share([_masked(t) for t in self.texts])

    @cached_property
    def keyed(self) -> float:
        """Share of cells that look like keys.

        No date or decimal, and at least half of their letters and digits are digits; or a UUID.
        """
        return self.share(
            [
                k in ("uuid", "hex", "integer")
                or (k == "text" and " " not in t and n >= 0.5 * (len(form) - form.count("-")) > 0)
                for t, form, n, k in zip(self.texts, self.forms, self.digits, self.kind_of, strict=True)
            ]
        )

    @cached_property
    def structured(self) -> float:
        """Share of cells that are JSON objects or lists."""
        return self.share([t[:1] in "{[" and t[-1:] in "}]" and ("'" in t or '"' in t) for t in self.texts])

    @cached_property
    def boolean(self) -> bool:
        """Two values at most, each a yes, a no, a 0 or a 1."""
        if self.distinct > 2 or not self.texts:
            return False
        return all(
            k == "boolean" or t.removesuffix(".0") in ("0", "1") for t, k in zip(self.texts, self.kind_of, strict=True)
        )

    @cached_property
    def unique(self) -> float:
        """Distinct values over filled cells."""
        return min(1.0, self.distinct / max(1, self.filled))


class _Forms(dict[int, str]):
    """Code point → what `Profile.forms` has for it; worked out once each."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        form = "d" if char.isdigit() else "a" if char.isalpha() else "n" if char.isalnum() else "-"
        self[code] = form
        return form

    def of(self, text: str) -> str:
        return text.translate(self)


_FORMS = _Forms({0: "\0"})


def _masked(text: str) -> bool:
    text = text.partition("@")[0]  # of a mailbox the name is masked, not the domain
    marks = sum(map(len, _MASK.findall(text)))
    return bool(marks) and 2 * marks >= sum(map(str.isalnum, _MASK.sub("", text)))


def _kind(text: str) -> str:
    if text.isdecimal():
        return "integer" if len(text) < _LONG else "text"
    if len(text) < _HEX and text.replace(" ", "").isalpha() and text.lower() not in _BOOLEAN:
        return "url" if text.startswith("http") else "text"  # the others have digits or signs
    found = _KINDS.fullmatch(text) if len(text) < _LONG else None
    return (found.lastgroup if found else None) or ("url" if text.startswith("http") else "text")


def profile(column: ColumnSummary, most: int = SHOWN) -> Profile:
    """The profile of a column's sample, of so many distinct values at most."""
    texts, counts, kinds, nothing = [], [], [], 0
    shares: dict[str, int] = {}
    for text, count in column.sample.first(most):
        if len(text) < 14 and text.lower() in NOTHING:
            nothing += count
            continue
        kind = _kind(text)
        texts.append(text)
        counts.append(count)
        kinds.append(kind)
        shares[kind] = shares.get(kind, 0) + count
    total = max(1, sum(counts))
    return Profile(
        tuple(texts),
        tuple(counts),
        tuple(kinds),
        {k: n / total for k, n in shares.items()},
        column.sample.distinct,
        column.filled,
        nothing,
    )
