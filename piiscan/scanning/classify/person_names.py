"""How much a column's values look like names of persons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.names_by_list import Listed, known, listed, other_script
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.word_lists import ORG_WORDS, STREET_WORDS

_NUMBER = re.compile(r"(?:^|[\s(#-])\d")
_SIGNS = frozenset(":;!?/\\_=<>{}[]#%$@|")
_MOST_WORDS = 6
TITLES = frozenset(
    "mr mrs ms miss dr prof sir herr frau mme m mlle sr sra sig dott jr sr ii iii iv phd md esq shri smt hon "
    "rev capt col gen sgt lt sen rep gov honorable late shrimati monsieur madame senor senora signor herrn "
    "dna pani dhr mevr fru frk inz mudr drs sayin bpk pak "
    "datuk haji hajah puan encik kyai ustadz gdin g-n g-din gosp gdja г-н г-жа гн гжа проф пан пані κ κα κος "
    "श्री श्रीमती सुश्री डॉ कु السيد السيدة الدكتور الدكتورة الاستاذ الشيخ الحاج آقای خانم دکتر "
    "מר גב פרופ ดร คุณ 様 氏 先生".split()
)


_OF_ORGANISATIONS = frozenset(w for w in ORG_WORDS | STREET_WORDS if len(w) > 1)


class NameLook(NamedTuple):
    """Shares of cells. `first`, `last`: with a word of the given- or family-name list; `both`: at least two words, a
    given name among them, and nothing but words; `single`: one or two words; `shaped`: one to five capitalised words
    without digits;
    `organisation`: with a word that organisations, not persons, have in their names; `titled`: with Mr, Dr, …;
    `listed`: with a name of the large lists (`names_by_list`)."""

    first: float
    last: float
    both: float
    single: float
    shaped: float
    organisation: float
    titled: float
    listed: float


_NO_NAME = NameLook(*[0.0] * len(NameLook._fields))


def name_look(profile: Profile, lexicon: Lexicon) -> NameLook:
    """The look of a column's texts. Trailing digits of words are ignored (test data numbers its persons), but one word
    with a number after it ("dev1", "dev2") is nobody's name."""
    if len(profile.texts) > 2 and len(set(map(tuple, profile.words))) == 1:
        return _NO_NAME
    given, family = lexicon.values("FIRST_NAME"), lexicon.values("LAST_NAME")
    common = _common_first(profile, given, family)
    names = known(w for words in profile.words if 0 < len(words) <= _MOST_WORDS for w in words)
    looks = [
        _text_look(text, words, given, family, common, listed(text, words, names))
        if words and kind in ("text", "boolean", "hex") and not _NUMBER.search(text)
        else _NO_NAME
        for text, words, kind in zip(profile.texts, profile.words, profile.kind_of, strict=True)
    ]
    if not looks:
        return _NO_NAME
    counted = np.array(profile.counts) @ (np.array(looks) > 0)
    return NameLook(*(counted / profile.total).tolist())


def _text_look(
    text: str,
    words: Sequence[str],
    given: frozenset[str],
    family: frozenset[str],
    common: frozenset[str],
    names: Listed,
) -> NameLook:
    """The look of one text: each share is all or nothing. `common`: words that begin too many texts to be names."""
    plain = [w for w in words if w not in TITLES][:6]
    has_given = not given.isdisjoint(plain[:5]) or any(w.partition("-")[0] in given for w in plain[:5] if "-" in w)
    has_family = not family.isdisjoint(plain)
    organisation = _of_organisation(words)
    short = len(words) <= 6 and len(text) <= 60
    foreign = other_script(text)
    whole = (has_given and len(words) >= 2) or (names.both and (foreign or _initials(text, words, has_family)))
    return NameLook(
        first=_either(has_given and len(words) <= 7, foreign and names.given),
        last=_either(has_family and len(words) <= 7, foreign and names.family),
        both=whole and words[0] not in common and short and not organisation,
        single=len(words) <= 2,
        shaped=short and _capitalised(text),
        organisation=organisation,
        titled=_either(names.titled, len(words) <= 8 and not TITLES.isdisjoint(words[:2])),
        listed=_either(names.given, names.family),
    )


def _of_organisation(words: Sequence[str]) -> bool:
    """Whether a word among several is one that organisations or streets have in their names."""
    return len(words) > 1 and not _OF_ORGANISATIONS.isdisjoint(words)


def _either(one: bool, other: bool) -> bool:
    return one or other


def _initials(text: str, words: Sequence[str], has_family: bool) -> bool:
    """Whether a text is a listed family name with initials: "Smith, J." or "J. R. Smith", not "Vitamin C"."""
    return has_family and "." in text and any(len(w.strip(".")) == 1 for w in words)


def _common_first(profile: Profile, given: frozenset[str], family: frozenset[str]) -> frozenset[str]:
    """Words that begin a fifth of many different texts and are nobody's name: what the named things are ("prison of
    …")."""
    if len(profile.texts) < 12:
        return frozenset()
    counts = Counter(words[0] for words in profile.words if len(words) > 1 and len(words[0]) > 3)
    return frozenset(
        w
        for w, n in counts.items()
        if n >= 0.2 * len(profile.texts) and w not in given and w not in family and w not in TITLES
    )


def _capitalised(text: str) -> bool:
    """Whether words start in upper case (or the script has none, or all is upper or lower case) and no sign of prose
    stands in between."""
    if not _SIGNS.isdisjoint(text):
        return False
    words = [w for w in text.replace(",", " ").split() if w]
    cased = [w for w in words if w[:1].isalpha() and len(w) > 3]
    return text.isupper() or text.islower() or all(w[0].isupper() or not (w[0].islower()) for w in cased)
