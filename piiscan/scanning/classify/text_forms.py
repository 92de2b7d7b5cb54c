"""What texts look like but for their digits: cells of a form are alike, and thousands of cells have hundreds of forms.

What is asked of a text is found out once for each form, and summed up for all columns at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from piiscan.core import shapes
from piiscan.core.header_words import LETTERS, fold
from piiscan.core.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")

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
KINDS: Final = tuple("integer decimal date time money boolean band url email uuid hex text".split())
_KIND: Final = {kind: i for i, kind in enumerate(KINDS)}
_WORD: Final = re.compile(rf"{LETTERS}(?:['’.-]{LETTERS})*\.?")
_PHONE: Final = lazy_pattern(
    r"\+?[\d(][\d\s().\-/+]{5,22}\d(?:\s*(?:x|ext\.?|#)\s*\d{1,6})?|[\d-]*\d{3}-[A-Z]{3,7}[\w-]*"
)


def forms_of(texts: Sequence[str]) -> list[str]:
    """The form of each text: 9 for every digit of ASCII, but for the zeros that end a text behind a point.

    Nothing that is found out by forms tells other digits apart.
    """
    forms = shapes.of_each(texts, shapes.with_nines)
    if ".0" in "\0".join(texts):
        return [
            _with_zeros(form, text) if text.endswith("0") else form for form, text in zip(forms, texts, strict=True)
        ]
    return forms


def _with_zeros(form: str, text: str) -> str:
    before = text.rstrip("0")
    return form[: len(before)] + text[len(before) :] if before.endswith(".") else form


class TextForms:
    """The texts of some columns by their forms, and what there is to know of each form.

    `each`: the forms. `of`: (texts,) which form each has; `counts`: (texts,) how many cells hold each; `places`: where
    those of each column are; `own`: the forms of the texts of each column.
    """

    def __init__(self, columns: Sequence[Sequence[str]], counts: Sequence[Sequence[int]]) -> None:
        known: dict[str, int] = {}
        own = [[known.setdefault(form, len(known)) for form in forms_of(texts)] for texts in columns]
        self.own: Sequence[list[int]] = own
        self.each: list[str] = list(known)
        self.of = np.fromiter((i for ids in own for i in ids), dtype=np.int64, count=sum(map(len, own)))
        self.counts = np.fromiter((n for some in counts for n in some), dtype=np.int64, count=len(self.of))
        stops = list(accumulate(map(len, own), initial=0))
        self.places = [slice(*ends) for ends in pairwise(stops)]
        self._filled = [i for i, ids in enumerate(own) if ids]
        self._starts = np.array([stops[i] for i in self._filled], dtype=np.int64)
        self._made: dict[Callable[[TextForms], object], object] = {}

    def made(self, of: Callable[[TextForms], T]) -> T:
        """What a function makes of these forms; it is called once."""
        if of not in self._made:
            self._made[of] = of(self)
        return self._made[of]  # type: ignore[return-value]

    def cells(self, by_form: NDArray[np.generic] | Sequence[int]) -> list[int]:
        """The sum over the cells of each column of what holds for their forms."""
        return self._sums(np.asarray(by_form)[self.of] * self.counts)

    def texts_of_each(self, by_form: NDArray[np.uint8]) -> list[list[int]]:
        """(columns, …): the sums over the different texts of each column of what holds for their forms, (forms, …)."""
        sums = np.zeros((len(self.own), by_form.shape[1]), dtype=np.int64)
        if self._filled:
            sums[self._filled] = np.add.reduceat(by_form[self.of], self._starts, axis=0, dtype=np.int64)
        out: list[list[int]] = sums.tolist()
        return out

    def _sums(self, by_text: NDArray[np.int64]) -> list[int]:
        sums = np.zeros(len(self.own), dtype=np.int64)
        if self._filled:
            sums[self._filled] = np.add.reduceat(by_text, self._starts)
        out: list[int] = sums.tolist()
        return out

    @cached_property
    def kinds(self) -> list[str]:
        """What kind of text each form is."""
        return [_kind(form) for form in self.each]

    @cached_property
    def cells_of_kinds(self) -> list[list[int]]:
        """(columns, KINDS): how many cells of each column are of each kind."""
        kinds = np.array([_KIND[kind] for kind in self.kinds], dtype=np.int64)
        of = np.repeat(np.arange(len(self.own)), [len(ids) for ids in self.own])
        places = of * len(KINDS) + (kinds[self.of] if len(self.of) else self.of)
        # Sums of whole numbers below 2⁵³ are exact.
        sums = np.bincount(places, self.counts, minlength=len(self.own) * len(KINDS)).astype(np.int64)
        out: list[list[int]] = sums.reshape(len(self.own), len(KINDS)).tolist()
        return out

    @cached_property
    def patterns(self) -> list[str]:
        """Each form with every digit as d, letter as a, other number as n and all else as a hyphen."""
        return [pattern.replace("\0", "-") for pattern in shapes.of_each(self.each, _CHARACTERS.of)]

    @cached_property
    def digits(self) -> list[int]:
        """How many digits."""
        return [pattern.count("d") for pattern in self.patterns]

    @cached_property
    def letters_and_digits(self) -> list[int]:
        """How many letters, digits and other numbers."""
        return [len(pattern) - pattern.count("-") for pattern in self.patterns]

    @cached_property
    def has_letter(self) -> list[bool]:
        """Whether there is a letter."""
        return ["a" in pattern for pattern in self.patterns]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters."""
        return np.array(list(map(len, self.each)), dtype=np.int64)

    @cached_property
    def text_lengths(self) -> NDArray[np.int64]:
        """(texts,) the characters of each text."""
        return self.lengths[self.of]

    @cached_property
    def spaces(self) -> NDArray[np.int64]:
        """How many spaces."""
        return np.array([form.count(" ") for form in self.each], dtype=np.int64)

    @cached_property
    def folded(self) -> list[str]:
        return [form.lower() if form.isascii() else fold(form) for form in self.each]

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """The words, folded, without digits."""
        return [tuple([w.strip(".'’") for w in _WORD.findall(form)]) for form in self.folded]

    @cached_property
    def phone_like(self) -> list[bool]:
        """Whether it could be a telephone number: 7 to 15 digits and what is written between them."""
        return [
            7 <= n <= 17 and kind not in ("date", "decimal") and _PHONE.fullmatch(form) is not None
            for form, n, kind in zip(self.each, self.digits, self.kinds, strict=True)
        ]

    @cached_property
    def digest_like(self) -> list[bool]:
        """Whether it is one long word of letters and digits."""
        return [
            kind == "hex"
            or (
                len(form) >= 20
                and " " not in form
                and n > 0
                and form.rstrip("=").replace("+", "").replace("/", "").isalnum()
            )
            for form, n, kind in zip(self.each, self.digits, self.kinds, strict=True)
        ]

    @cached_property
    def key_like(self) -> list[bool]:
        """Whether it looks like a key.

        No date or decimal, and at least half of its letters and digits are digits; or a UUID.
        """
        rows = zip(self.each, self.letters_and_digits, self.digits, self.kinds, strict=True)
        return [
            kind in ("uuid", "hex", "integer") or (kind == "text" and " " not in form and n >= 0.5 * many > 0)
            for form, many, n, kind in rows
        ]

    @cached_property
    def structured(self) -> list[bool]:
        """Whether it is a JSON object or list."""
        return [
            form[:1] in ("{", "[") and form[-1:] in ("}", "]") and ("'" in form or '"' in form) for form in self.each
        ]


class _Characters(dict[int, str]):
    """Code point → what `TextForms.patterns` has for it; worked out once each."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        form = "d" if char.isdigit() else "a" if char.isalpha() else "n" if char.isalnum() else "-"
        self[code] = form
        return form

    def of(self, text: str) -> str:
        return text.translate(self)


_CHARACTERS = _Characters({0: "\0"})


def _kind(text: str) -> str:
    if text.isdecimal():
        return "integer" if len(text) < _LONG else "text"
    if len(text) < _HEX and text.replace(" ", "").isalpha() and text.lower() not in _BOOLEAN:
        return "url" if text.startswith("http") else "text"  # the others have digits or signs
    found = _KINDS.fullmatch(text) if len(text) < _LONG else None
    return (found.lastgroup if found else None) or ("url" if text.startswith("http") else "text")
