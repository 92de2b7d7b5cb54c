"""Writes a mask in the format of the mention that it replaces."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

import numpy as np

from piiscan.core.header_words import fold
from piiscan.masking.known.folded_text import GEORGIAN, Hasher, characters
from piiscan.masking.known.value_forms import FIRST_LAST, INITIAL_LAST, LAST_FIRST, LAST_INITIAL, day_hashes
from piiscan.masking.known.written_dates import months, written

_DAY: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_CAPITALISED: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_PART: Final = re.compile(r"\d+|[^\W\d_]+")


def like(mask: str, mention: str) -> str:
    """In capitals or small letters where the mention is; Georgian has no case, whatever Unicode says."""
    letters = [c for c in mention if c.isalpha() and c.lower() != c.upper() and not GEORGIAN[0] <= c <= GEORGIAN[1]]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return mask.upper()
    return mask.lower() if letters and all(c.islower() for c in letters) else mask


def named(mask: str, mention: str) -> str:
    """A made-up name in the case of the mention, whatever the case of its column.

    Without the full stop of an initial, which the text already has.
    """
    letters = [c for c in mask if c.isalpha()]
    written = [c for c in mention if c.isalpha()]
    if len(letters) > 1 and len(written) > 1 and (mask.isupper() or mask.islower()) and written[0].isupper():
        mask = _CAPITALISED.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), mask)
    return like(mask if mention.endswith(".") else mask.removesuffix("."), mention)


def poured(mask: str, mention: str) -> str:
    """Put the letters and digits of a mask between the punctuation of the mention, where their numbers agree."""
    new = [c for c in mask if c.isalnum()]
    if sum(c.isalnum() for c in mention) != len(new):
        return mask
    each = iter(new)
    return "".join(next(each) if c.isalnum() else c for c in mention)


def parted(mention: str, cut: int) -> tuple[str, str, str]:
    """A name of two parts: the first one, of so many folded characters, the text between, the second one."""
    width = characters().width
    seen = at = 0
    while at < len(mention) and seen < cut:
        seen += int(width[ord(mention[at])]) if ord(mention[at]) < len(width) else 0
        at += 1
    while (
        at < len(mention)
        and ord(mention[at]) < len(width)
        and not width[ord(mention[at])]
        and mention[at] in "\u00ad\u200b"
    ):
        at += 1
    behind = at
    while behind < len(mention) and not mention[behind].isalnum():
        behind += 1
    return mention[:at], mention[at:behind], mention[behind:]


def full_name(kind: int, mention: str, cut: int, first: str, last: str, ending: int = 0) -> str:
    """A made-up name in the order and case of the mention, whose last word may have an ending."""
    one, between, two = parted(mention, cut)
    if kind == FIRST_LAST:
        return named(first, one) + between + declined(last, two, ending)
    if kind == LAST_FIRST:
        return named(last, one) + between + named(first, two)
    if kind == INITIAL_LAST:
        return named(first[:1], one + one) + between + named(last, two)
    assert kind == LAST_INITIAL
    return named(last, one) + between + named(first[:1], two + two)


def declined(mask: str, mention: str, ending: int) -> str:
    """A made-up name with the genitive of English and German; the endings of other languages go."""
    made = named(mask, mention)
    if ending == 1 and mention[-1:] in "sS" and made[-1:] not in "sSxXzZß":
        return made + mention[-1]
    return made


def other_date(mask: str, mention: str, value: int, hasher: Hasher) -> str:
    """Write another day as the mention writes its own, whose hash is `value`; a mask that is no day stays."""
    found = _DAY.match(mask)
    if not found:
        return mask
    new = {"y": int(found[1]), "m": int(found[2]), "d": int(found[3])}
    if len(mention) == 8 and mention.isdigit():
        starts = mention.startswith(("19", "20"))
        return f"{found[1]}{found[2]}{found[3]}" if starts else f"{found[3]}{found[2]}{found[1]}"
    for order in ("ymd", "dmy", "mdy"):
        pieces = [p for p in _PART.finditer(mention) if p[0].isdigit() or fold(p[0]) in months()]
        if len(pieces) != 3:
            return mask
        old = dict(zip(order, (p[0] for p in pieces), strict=True))
        if order == "ymd" and len(old["y"]) < 4:
            continue  # nobody reads 09.08.09 so
        if value in day_hashes(np.array(_days(old), dtype=np.int64), hasher).tolist():
            out, at = [], 0
            for sign, piece in zip(order, pieces, strict=True):
                out += [mention[at : piece.start()], _written(sign, new[sign], piece[0])]
                at = piece.end()
            return "".join([*out, mention[at:]])
    return mask


def _days(parts: dict[str, str]) -> list[int]:
    """The days that a year, a month and a day may mean, by number."""
    found = []
    for century in (1900, 2000) if len(parts["y"]) < 3 else (0,):
        try:
            month = int(parts["m"]) if parts["m"].isdigit() else months()[fold(parts["m"])].number
            found.append((date(int(parts["y"]) + century, month, int(parts["d"])) - date(1970, 1, 1)).days)
        except (ValueError, KeyError):
            pass
    return found


def _written(sign: str, new: int, old: str) -> str:
    if not old.isdigit():
        name = written(old, new) or str(new)
        return like(name.capitalize() if old[0].isupper() else name, old)
    if sign == "y":
        return f"{new % 100:02}" if len(old) == 2 else str(new)
    return f"{new:02}" if len(old) == 2 else str(new)
