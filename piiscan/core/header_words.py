"""Headers as tokens: what a column's name says, by whole words and never by substrings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from piiscan.core.caches import of_words
from piiscan.core.header_segments import segments

if TYPE_CHECKING:
    from piiscan.core.types import ColumnReport, Field

LONGEST_PHRASE = 8
"""Words in a header phrase, at most."""

_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
# Combining marks of the Latin, Greek and Cyrillic scripts fold away; those of other scripts carry vowels and stay.
_MARKS = re.compile("[\u0300-\u036f]+")
MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0963"
    "\u0980-\u0dff\u0e30-\u0e4e\u0eb0-\u0ecd\u102b-\u109f\u17b4-\u17d3"
)
"""Ranges of the signs that letters of words carry (vowels and tones of Hebrew, Arabic, Indian scripts, Thai, Lao,
Burmese and Khmer), which regexes don't take for parts of words."""
LETTERS = rf"[^\W\d_]+(?:(?:(?![־।॥\d])[{MARKS}])+[^\W\d_]*)*"
"""A regular expression: a run of letters of any script, with the marks that carry its vowels."""
_WORD = re.compile(rf"{LETTERS}|\d+")
_NUMBER_SIGNS = re.compile(r"(?<=[^\W_])[ .]*#|(?<![^\W_])[nN]°")
"""A "#" after a word, and "N°", which abbreviate "number"."""
_POSTAL_MARK = "〒"
"""What Japan writes for "postal code"."""
_FIRST_DENSE = "\u3040"
_SMALL, _CAPITAL = "a-zà-ÿа-яёіїєґά-ώ", "A-ZА-ЯЁІЇЄҐΑ-Ω"
_CAMEL = re.compile(rf"(?<=[{_SMALL}])(?=[{_CAPITAL}])|(?<=[{_CAPITAL}])(?=[{_CAPITAL}][{_SMALL}]{{2}})")


def fold(text: str) -> str:
    """Lower case without accents: "Geschäfts-Straße" → "geschafts-strasse"."""
    if text.isascii():
        return text.lower()
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()).lower())
    return unicodedata.normalize("NFC", text.translate(_LETTERS))


@of_words(1 << 16)
def tokens(header: str) -> tuple[str, ...]:
    """The words of a header, folded; numbers are tokens of their own.

    >>> tokens("customerFirst_Name2"), tokens("acid_level"), tokens("Date of Birth (DOB)"), tokens("顧客電話番号")
    (('customer', 'first', 'name', '2'), ('acid', 'level'), ('date', 'of', 'birth', 'dob'), ('顧客', '電話', '番号'))
    >>> tokens("Acct #"), tokens("N° client"), tokens("# of users")
    (('acct', 'no'), ('no', 'client'), ('of', 'users'))
    """
    if "#" in header or "°" in header:
        header = _NUMBER_SIGNS.sub(" no ", header)
    if _POSTAL_MARK in header:
        header = header.replace(_POSTAL_MARK, " 郵便番号 ")
    if header.isascii():
        return tuple(_WORD.findall(fold(_CAMEL.sub(" ", header))))
    words = _WORD.findall(_scripts_apart(fold(_CAMEL.sub(" ", header))))
    return tuple(part for word in words for part in segments(word))


def _scripts_apart(text: str) -> str:
    """Put a space where Latin letters join those of scripts without spaces: カルテno → カルテ no.

    (A regular expression with these scripts takes longer to compile than all headers of the rules take here.)
    """
    if max(text, default="") < _FIRST_DENSE:
        return text
    kinds = ["latin" if "a" <= letter <= "z" else "dense" if _is_dense(letter) else "" for letter in text]
    return "".join(
        f" {letter}" if before and kind and before != kind else letter
        for letter, before, kind in zip(text, ["", *kinds], kinds, strict=False)
    )


def _is_dense(letter: str) -> bool:
    return "\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af"


def find_phrase(phrase: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether `phrase` stands in `words` as consecutive whole tokens, or joined up as one of them.

    >>> find_phrase(("first", "name"), tokens("FIRSTNAME")), find_phrase(("lic",), tokens("public"))
    (True, False)
    """
    n = len(phrase)
    if n > 1 and "".join(phrase) in words:
        return True
    return any(words[i : i + n] == phrase for i in range(len(words) - n + 1))


_STRUCTURE = frozenset(
    "edges node nodes items item data result results record records attributes properties features element "
    "elements entries rows hits _source "
    "response payload value values".split()
)
"""Keys that describe the structure of a document, and nothing of its content."""
_WRAPPERS = frozenset("value text (value) #text $t _text $ _ #cdata _value #value @value $value __text __cdata".split())
"""Keys that stand between a name and its text, as where XML became JSON."""
_SAID = 3
"""Keys of a path, counted from its end, that say what its cells are."""
_PLURALS = (
    (re.compile(r"(?<=[a-z]{2})ies$"), "y"),
    (re.compile(r"(?<=ss|sh|ch)es$"), ""),
    (re.compile(r"(?<=[xz])es$"), ""),
    (re.compile(r"(?<=[^suiSUI])[sS]$"), ""),
)
_KEYS = re.compile(r"(?:\\.|[^.\\])+")
_ATTRIBUTE = re.compile(r"\[((?:\\.|[^]\\[*])(?:\\.|[^]\\[])*)\]$")
_ESCAPED = re.compile(r"\\(.)")
_DIVIDERS = re.compile(r"([\\.\[\]])")


@of_words(1 << 16)
def of_path(path: str) -> str | None:
    """The header that a path of keys in a document amounts to, None for one that stands for several.

    >>> (of_path("data.users.edges[].node.profile.firstName"), of_path("contact.emails[].value"),
    ...  of_path("person.@email"))
    ('users profile firstName', 'contact email', 'person email')
    >>> of_path("answer[Date of birth]"), of_path("answers[Last name][].text")
    ('Date of birth', 'Last name')
    """
    if (attribute := attribute_of(path)) is not None:
        return attribute
    if path.endswith("[*]"):
        return None
    keys = [attribute_of(key.removesuffix("[]")) or key for key in _KEYS.findall(path)]
    while (
        len(keys) > 1
        and keys[-1].removesuffix("[]") in _WRAPPERS
        and not _STRUCTURE.issuperset(k.removesuffix("[]") for k in keys[:-1])
    ):
        keys.pop()
    *before, last = keys or [path]
    last = singular(last.replace("[]", "")) if last.endswith("[]") else last
    kept = [key for key in (k.replace("[]", "") for k in before) if key not in _STRUCTURE]
    return " ".join(key.replace("\\", "").lstrip("@#$_") or key for key in (*kept[1 - _SAID :], last))


def escaped(key: str) -> str:
    """A key as it is written in a path: a backslash before what divides paths."""
    return _DIVIDERS.sub(r"\\\1", key)


def attribute_of(path: str) -> str | None:
    """The attribute whose values a derived column has; None for any other column.

    >>> attribute_of("answer[Date of birth]"), attribute_of("emails[].value"), attribute_of("email")
    ('Date of birth', None, None)
    """
    found = _ATTRIBUTE.search(path) if path.endswith("]") else None
    return None if found is None else _ESCAPED.sub(r"\1", found[1])


def is_of_attribute(column: Field | ColumnReport) -> bool:
    """Whether a column has the values of one attribute, so that other rows have those of others."""
    return column.parent is not None and attribute_of(column.name or "") is not None


def is_emptied(columns: Sequence[Field | ColumnReport], index: int) -> bool:
    """Whether derived columns have the texts of a column, which are null in it: those of JSON, or of attributes."""
    return columns[index].dtype == "string" and any(column.parent == index for column in columns)


def own_header(column: Field | ColumnReport) -> str:
    """A column's name, and of the values of one attribute, the attribute."""
    return (attribute_of(column.name or "") if is_of_attribute(column) else None) or column.name or ""


def singular(header: str) -> str:
    """A header over lists as one over their elements: "emails" → "email", "addresses" → "address", "status" stays."""
    for pattern, one in _PLURALS:
        found, n = pattern.subn(one, header)
        if n:
            return found
    return header
