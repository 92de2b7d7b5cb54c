"""Names of persons as the large lists know them: in every script, with initials, and written in one.

Chinese, Japanese and Korean names are mostly written without a space: the family name is the listed start of the cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import or_
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify.wordlists import as_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNSPACED: Final = lazy_pattern(
    "[\u3005\u3400-\u9fff]{2,5}|[\uac00-\ud7a3]{2,4}|[\u3041-\u3096ー]{4,11}|[\u30a1-\u30faー]{4,11}"
)
_PATRONYMICS: Final = tuple("ович евич ьич овна евна ична iвна івна ovich evich ovna evna оглы кызы ωφ".split())
_THAI_TITLE: Final = lazy_pattern("^(?:นางสาว|นาย|นาง|ด\\.ช\\.|ด\\.ญ\\.|น\\.ส\\.)")
_INITIAL: Final = lazy_pattern(r"[^\W\d_]\.?|(?:[^\W\d_]\.){1,3}[^\W\d_]?\.?")
_LONGEST: Final = 11


class Listed(NamedTuple):
    """What the lists say of one text.

    `given`, `family`: a word of it is such a name, commoner as one than in prose; `both`: it is a whole name by its
    parts; `titled`: a form of address stands in front.
    """

    given: bool
    family: bool
    both: bool
    titled: bool = False


NOTHING: Final = Listed(False, False, False)


class Known(NamedTuple):
    """Those words that are given names, and family names, and that prose has less often."""

    given: frozenset[str]
    family: frozenset[str]

    @staticmethod
    def by(words: Sequence[str], weights: NDArray[np.float32]) -> Known:
        """Those among words of which these are the weights in all lists."""
        given, family = as_names(weights)
        return Known(frozenset(compress(words, given)), frozenset(compress(words, family)))


def parts_of(words: Mapping[str, object]) -> list[str]:
    """What unspaced words could be made of, but for these words themselves."""
    found: dict[str, None] = {}
    for word in words:
        if word.isascii() or not other_script(word):
            continue
        if _UNSPACED.fullmatch(word):
            found.update(dict.fromkeys(word[:k] for k in range(1, min(6, len(word)))))
            found.update(dict.fromkeys(word[k:] for k in range(1, len(word))))
            found.update(dict.fromkeys(word))
        elif bare := _THAI_TITLE.sub("", word):
            found[bare] = None
    return [part for part in found if part not in words]


def listed(text: str, words: Sequence[str], names: Known) -> Listed:
    """What the lists say of a text with these folded words."""
    titled = other_script(text) and bool(_THAI_TITLE.match(text))
    if titled:
        words = [bare for w in words if (bare := _THAI_TITLE.sub("", w))]
    if not words or len(words) > 6:
        return NOTHING
    if len(words) == 1 and other_script(words[0]) and _UNSPACED.fullmatch(words[0]):
        return _unspaced(words[0], names)
    given, family = not names.given.isdisjoint(words), not names.family.isdisjoint(words)
    return Listed(given, family, len(words) > 1 and (titled or _whole(words, names)), titled)


def _whole(words: Sequence[str], names: Known) -> bool:
    """Whether words are one name by its parts.

    A family name with initials, a patronymic, a given and a family name, or nothing but names.
    """
    initials = sum([(len(w) == 1 or "." in w) and _INITIAL.fullmatch(w) is not None for w in words])
    if initials and len(words) - initials <= 2:
        return not names.family.isdisjoint(words)
    if any(w.endswith(_PATRONYMICS) and any(w[3:].endswith(end) for end in _PATRONYMICS) for w in words):
        return True
    given, family = [w in names.given for w in words], [w in names.family for w in words]
    return _apart(given, family) or (any(given) and all(map(or_, given, family)))


def _apart(given: Sequence[bool], family: Sequence[bool]) -> bool:
    """Whether one word is a given name and another one a family name."""
    return any(given) and any(family) and not (sum(given) == sum(family) == 1 and given == family)


def _unspaced(word: str, names: Known) -> Listed:
    """Family name and given name written in one: 佐藤花子, 王小明, 김민준, サトウハナコ."""
    for k in range(min(5, len(word) - 1), 0, -1):
        start, rest = word[:k], word[k:]
        made = len(rest) <= 2 and names.given.issuperset(rest) and not "\u3041" <= rest[0] <= "\u30ff"
        if start in names.family and (rest in names.given or made):
            return Listed(True, True, True)
    return Listed(word in names.given, word in names.family, False)


def other_script(text: str) -> bool:
    """Whether a text has letters of a script that is neither Latin nor made of it."""
    return not text.isascii() and any("\u0370" <= char <= "\uffff" for char in text)
