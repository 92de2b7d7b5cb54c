"""The encoding of a text that isn't Unicode: chardet tells the script, and `latin` which of the Latin code pages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final, NamedTuple

from piiscan.io.encodings.latin import guesses
from piiscan.io.encodings.survey import Survey

_OTHERS: Final = {
    "cp932": ("cp932",),
    "euc_jis_2004": ("euc_jp", "euc_jis_2004"),
    "cp949": ("cp949",),
    "gb18030": ("gb18030",),
    "big5hkscs": ("big5", "cp950", "big5hkscs"),
    **{name: (name,) for name in ("cp1251", "cp1253", "cp1255", "cp1256", "koi8-r", "koi8-u")},
}
"""chardet's names of the encodings of other scripts than Latin, and Python's, the narrower ones first."""
_LATIN: Final = ("cp1250", "cp1252", "cp1254", "cp1257", "mac-roman")
_CLOSE: Final = 3.0
"""A second guess within a factor of twenty is one that the user should know of."""
_ODD: Final = -5.0
_SEVERAL: Final = 4
_ENOUGH: Final = 12
_WORD: Final = re.compile(
    rb"(?<![A-Za-z0-9\x80-\xff'-])[A-Za-z0-9'-]*+[\x80-\xff][A-Za-z0-9\x80-\xff'-]*+"  # never goes back
)
_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_MOST_WORDS: Final = 2000


class Guessed(NamedTuple):
    """Names to try, the likeliest first; `second` fits nearly as well as the first but reads other letters.

    `is_odd`: even the first of the Latin ones reads letters that no language has in such places.
    """

    names: tuple[str, ...]
    second: str | None = None
    is_odd: bool = False


def guess(survey: Survey) -> Guessed:
    """What the lines that aren't UTF-8 may be encoded in."""
    others = _other_scripts(survey)
    words = list(dict.fromkeys(_WORD.findall(survey.sample)))[:_MOST_WORDS]
    latin = guesses(words)
    names = (*others, *(entry.name for entry in latin))
    if others or len(latin) < 2:
        return Guessed(names)
    first = latin[0]
    close = (entry.name for entry in latin[1:] if first.score - entry.score < _CLOSE and entry.text != first.text)
    return Guessed(names, next(close, None), first.mean < _ODD and len(words) >= _ENOUGH)


def _other_scripts(survey: Survey) -> list[str]:
    """The encodings of other scripts that fit better than any Latin one."""
    # Words of another script than Latin have hardly a letter between them that is ASCII.
    if 2 * survey.bytes_dense < survey.bytes_wrong:
        return []
    import chardet

    names: list[str] = []
    for entry in chardet.detect_all(
        survey.sample, include_encodings=[*_OTHERS, *_LATIN], compat_names=False, ignore_threshold=True
    ):
        if entry["encoding"] in _LATIN:
            break
        names += _OTHERS.get(entry["encoding"] or "", ())
    # Kana stand in the same places of EUC-JP and of China's code, and mean that a text is Japanese.
    if "euc_jp" in names and len(_KANA.findall(survey.sample.decode(names[0], "ignore"))) > 1:
        names = ["euc_jp", *(name for name in names if name != "euc_jp")] if names[0] == "gb18030" else names
    return names


def is_implausible(text: str, name: str) -> bool:
    """Whether a text has too many unlikely characters to be in this encoding.

    More than one in ten of its characters beyond ASCII are unassigned, private or control characters, more than one in
    twenty, and several, are bytes that it has no character for, or a text in Latin letters has more letters with marks
    than without.
    """
    foreign = [char for char in text if char > "\x7f"]
    kinds = Counter(map(unicodedata.category, foreign))
    none = kinds["Cn"] + kinds["Co"] + kinds["Cc"] + kinds["Cs"]
    marked, plain = sum(map(str.isalpha, foreign)), sum(char.isascii() and char.isalnum() for char in text)
    undefined = text.count("\ufffd")
    if undefined >= _SEVERAL and 20 * undefined > len(foreign):
        return True
    return 10 * none > len(foreign) or (name in _LATIN and marked > plain + _ENOUGH)
