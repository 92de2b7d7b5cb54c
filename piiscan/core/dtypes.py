"""The type of a column of text, read from its sample."""

from __future__ import annotations

import re
from collections.abc import Iterable

from piiscan.core.types import DType

_WRITTEN: dict[DType, str] = {
    "boolean": "(?i:true|false|yes|no)",
    "integer": "[+-]?(?:0|[1-9][0-9]{0,17})",
    "float": r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?i:nan|inf)",
    "date": "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])",
    "datetime": "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)? "
    "?(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
}
_PATTERNS = tuple((dtype, re.compile(form), re.compile(f"(?>(?:{form})\n)++")) for dtype, form in _WRITTEN.items())
"""Of each type, how a text is written in it, and how many texts are, each ended by a line end (nothing of one is tried
again for the sake of another)."""
_ALIKE: dict[DType, bytes] = {
    "integer": bytes.maketrans(b"12345678", b"9" * 8),
    "float": bytes.maketrans(b"012345678", b"9" * 9),
    "datetime": bytes.maketrans(b"012345678", b"9" * 9),
}
_PADDED = re.compile(r"\n[+-]?0[0-9]")
NULLS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?", "\\n"})
_LONGEST_NULL = max(map(len, NULLS))


def infer(texts: Iterable[str]) -> DType:
    """The narrowest type that every text is written in; null words don't count.

    Numbers with leading zeros are strings.
    """
    texts = list(texts)
    types = _types_of(next(filter(_is_something, texts), ""))
    if not types:
        return "string"
    # Null words are told apart where there may be some: the only one that any type is written in is "nan".
    found = _written_in(types, texts)
    if found is None or (found == "float" and "n" in "".join(texts).lower()):
        found = _written_in(types, list(filter(_is_something, texts)))
    return found or "string"


def is_plain_text(first: Iterable[str]) -> bool:
    """Whether texts that begin with these are of type `string`, whatever follows."""
    something = next(filter(_is_something, first), None)
    return something is not None and not _types_of(something)


def _types_of(text: str) -> list[tuple[DType, re.Pattern[str]]]:
    """The types that a text is written in, each with the pattern of texts that are."""
    return [(dtype, every) for dtype, pattern, every in _PATTERNS if pattern.fullmatch(text)]


def _is_something(text: str) -> bool:
    return len(text) > _LONGEST_NULL or text.casefold() not in NULLS


def _alike(dtype: DType, lines: str) -> str:
    """The lines with the same sign for all digits that a type takes alike, those that are alike then once."""
    digits = _ALIKE.get(dtype)
    if digits is None:
        return lines
    forms = lines.encode("utf-8", "surrogatepass").translate(digits).decode("utf-8", "surrogatepass")
    return "\n".join([*dict.fromkeys(forms.split("\n")[:-1]), ""])


def _written_in(types: list[tuple[DType, re.Pattern[str]]], texts: list[str]) -> DType | None:
    """The first of some types that every text is written in."""
    lines = "\n".join([*texts, ""])
    if lines.count("\n") > len(texts):
        return None  # nothing but text has a line end
    for dtype, every in types:
        if every.fullmatch(_alike(dtype, lines)):
            return "string" if dtype == "float" and _PADDED.search(f"\n{lines}") else dtype
    return None
