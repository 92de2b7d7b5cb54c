"""Names of persons as the large lists know them: in every script, with initials, and written in one.

Chinese, Japanese and Korean names are mostly written without a space: the family name is the listed start of the cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from piiscan.scanning.classify.wordlists import NAMES, wordlists

_UNSPACED: Final = re.compile(
    "[\u3005\u3400-\u9fff]{2,5}|[\uac00-\ud7a3]{2,4}|[\u3041-\u3096ー]{4,11}|[\u30a1-\u30faー]{4,11}"
)
_PATRONYMIC: Final = re.compile(r".{3,}(?:ович|евич|ьич|овна|евна|ична|iвна|івна|ovich|evich|ovna|evna|оглы|кызы|ωφ)")
_THAI_TITLE: Final = re.compile("^(?:นางสาว|นาย|นาง|ด\\.ช\\.|ด\\.ญ\\.|น\\.ส\\.)")
_OTHER_SCRIPT: Final = re.compile("[\u0370-\uffff]")
_INITIAL: Final = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.){1,3}[^\W\d_]?\.?")
_LONGEST: Final = 11


class Listed(NamedTuple):
    """What the lists say of one text. `given`, `family`: a word of it is such a name, commoner as one than in prose;
    `both`: it is a whole name by its parts; `titled`: a form of address stands in front."""

    given: bool
    family: bool
    both: bool
    titled: bool = False


NOTHING: Final = Listed(False, False, False)


class Known(NamedTuple):
    """Word → how common it is as a given name and as a family name; 0 for what prose has more often."""

    weights: Mapping[str, tuple[float, float]]

    def given(self, word: str) -> bool:
        return self.weights.get(word, (0.0, 0.0))[0] > 0

    def family(self, word: str) -> bool:
        return self.weights.get(word, (0.0, 0.0))[1] > 0


def known(words: Iterable[str]) -> Known:
    """The lists' word on these words and on what unspaced ones could be made of."""
    every: dict[str, None] = {}
    for word in words:
        every[word] = None
        if _UNSPACED.fullmatch(word):
            every.update(dict.fromkeys(word[:k] for k in range(1, min(6, len(word)))))
            every.update(dict.fromkeys(word[k:] for k in range(1, len(word))))
            every.update(dict.fromkeys(word))
        elif bare := _THAI_TITLE.sub("", word):
            every[bare] = None
    found = wordlists().weights(list(every), NAMES)
    prose = found[:, 5]
    given, family = found[:, :3].max(axis=1), found[:, 3:5].max(axis=1)
    pairs = zip((given * (given > prose)).tolist(), (family * (family > prose)).tolist(), strict=True)
    return Known(dict(zip(every, pairs, strict=True)))


def listed(text: str, words: Sequence[str], names: Known) -> Listed:
    """What the lists say of a text with these folded words."""
    titled = bool(_THAI_TITLE.match(text))
    if titled:
        words = [bare for w in words if (bare := _THAI_TITLE.sub("", w))]
    if not words or len(words) > 6:
        return NOTHING
    if len(words) == 1 and _UNSPACED.fullmatch(words[0]):
        return _unspaced(words[0], names)
    given, family = any(map(names.given, words)), any(map(names.family, words))
    return Listed(given, family, len(words) > 1 and (titled or _whole(words, names)), titled)


def _whole(words: Sequence[str], names: Known) -> bool:
    """Whether words are one name by its parts: a family name with initials, a patronymic, a given and a family name,
    or nothing but names."""
    initials = sum(map(bool, map(_INITIAL.fullmatch, words)))
    if initials and len(words) - initials <= 2:
        return any(map(names.family, words))
    if any(map(_PATRONYMIC.fullmatch, words)):
        return True
    weights = [names.weights.get(w, (0.0, 0.0)) for w in words]
    return _apart(weights) or (any(g for g, _ in weights) and all(g or f for g, f in weights))


def _apart(weights: Sequence[tuple[float, float]]) -> bool:
    """Whether one word is a given name and another one a family name."""
    return any(a[0] > 0 and b[1] > 0 for i, a in enumerate(weights) for j, b in enumerate(weights) if i != j)


def _unspaced(word: str, names: Known) -> Listed:
    """Family name and given name written in one: 佐藤花子, 王小明, 김민준, サトウハナコ."""
    for k in range(min(5, len(word) - 1), 0, -1):
        start, rest = word[:k], word[k:]
        made = len(rest) <= 2 and all(map(names.given, rest)) and not "\u3041" <= rest[0] <= "\u30ff"
        if names.family(start) and (names.given(rest) or made):
            return Listed(True, True, True)
    return Listed(names.given(word), names.family(word), False)


def other_script(text: str) -> bool:
    """Whether a text has letters of a script that is neither Latin nor made of it."""
    return not text.isascii() and _OTHER_SCRIPT.search(text) is not None
