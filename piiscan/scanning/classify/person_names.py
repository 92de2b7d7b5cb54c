"""How much a column's values look like names of persons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from piiscan.core.header_words import fold
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.names_by_list import Known, listed, other_script
from piiscan.scanning.classify.organisation_words import ORG_WORDS
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.text_forms import TextForms
from piiscan.scanning.classify.word_lists import STREET_WORDS

_NUMBER = re.compile(r"(?:^|[\s(#-])\d")
_OF_NAMES = frozenset(("text", "boolean", "hex"))
"""Kinds of texts that may be names."""
_SIGNS = frozenset(":;!?/\\_=<>{}[]#%$@|")
TITLES = frozenset(
    "mr mrs ms miss dr prof sir herr frau mme m mlle sr sra sig dott jr sr ii iii iv phd md esq shri smt hon "
    "rev capt col gen sgt lt sen rep gov honorable late shrimati monsieur madame senor senora signor herrn "
    "dna pani dhr mevr fru frk inz mudr drs sayin bpk pak "
    "datuk haji hajah puan encik kyai ustadz gdin g-n g-din gosp gdja г-н г-жа гн гжа проф пан пані κ κα κος "
    "श्री श्रीमती सुश्री डॉ कु السيد السيدة الدكتور الدكتورة الاستاذ الشيخ الحاج آقای خانم دکتر "
    "מר גב פרופ ดร คุณ 様 氏 先生".split()
)


PARTICLES = frozenset(
    "von van der den de la le du da di del della dello dos das do el al bin ibn abu ben zu zum zur af av ter ten te "
    "lo los las y e i t s d in op aan bij onder over uit voor".split()
)
"""Parts of surnames that some tables have in a column of their own, and that many people share."""
_OF_ORGANISATIONS = frozenset(w for w in ORG_WORDS | STREET_WORDS if len(w) > 1)


def only_particles(texts: Iterable[str]) -> bool:
    """Whether texts have no other words than particles of surnames, and some.

    >>> only_particles(["van der", "de", "'t"]), only_particles(["van der", "Berg"])
    (True, False)
    """
    words = {word for text in texts for word in fold(text).replace("'", " ").split()}
    return bool(words) and words <= PARTICLES


class NameLook(NamedTuple):
    """Shares of cells.

    `first`, `last`: with a word of the given- or family-name list; `both`: at least two words, a given name among them,
    and nothing but words; `single`: one or two words; `shaped`: one to five capitalised words without digits;
    `organisation`: with a word that organisations, not persons, have in their names; `titled`: with Mr, Dr, …;
    `listed`: with a name of the large lists (`names_by_list`).
    """

    first: float
    last: float
    both: float
    single: float
    shaped: float
    organisation: float
    titled: float
    listed: float


_TextLook = tuple[bool, bool, bool, bool, bool, bool, bool, bool]
_NO_NAME = NameLook(*[0.0] * len(NameLook._fields))


def may_be_names(profile: Profile) -> list[bool]:
    """Of each of a column's texts, whether it may be a name if it has words; no other text is one."""
    by_form = profile.forms.made(_forms_of_names)
    return [by_form[form] for form in profile.forms.own[profile.at]]


def _forms_of_names(forms: TextForms) -> list[bool]:
    return [
        kind in _OF_NAMES and not (digits and _NUMBER.search(form))
        for form, kind, digits in zip(forms.each, forms.kinds, forms.digits, strict=True)
    ]


def name_look(profile: Profile, lexicon: Lexicon, listed_names: Callable[[], Known]) -> NameLook:
    """The look of a column's texts.

    Trailing digits of words are ignored (test data numbers its persons), but one word with a number after it ("dev1",
    "dev2") is not a name. `listed_names`: which words the large lists know.
    """
    may_be = may_be_names(profile)
    if True not in may_be or (len(profile.texts) > 2 and len(set(profile.words)) == 1):
        return _NO_NAME
    names = [one for one in compress(zip(profile.texts, profile.words, profile.counts, strict=True), may_be) if one[1]]
    if not names:
        return _NO_NAME
    words = _Words.of(profile, lexicon, listed_names())
    cells: Counter[_TextLook] = Counter()
    for text, its, count in names:
        cells[_text_look(text, its, words)] += count
    sums = [0] * len(NameLook._fields)
    for look, count in cells.items():
        for i in compress(range(len(sums)), look):
            sums[i] += count
    return NameLook(*(n / profile.total for n in sums))


class _Words(NamedTuple):
    """Words of a column by what they are in names.

    `given`: also with a hyphen and what follows it; `common`: those that begin too many texts to be names; `listed`: of
    the large lists.
    """

    given: frozenset[str]
    family: frozenset[str]
    titles: frozenset[str]
    organisations: frozenset[str]
    common: frozenset[str]
    listed: Known

    @staticmethod
    def of(profile: Profile, lexicon: Lexicon, listed_names: Known) -> _Words:
        given, family = lexicon.values("FIRST_NAME"), lexicon.values("LAST_NAME")
        every = profile.vocabulary
        return _Words(
            frozenset([w for w in every if w in given or ("-" in w and w.partition("-")[0] in given)]),
            every & family,
            every & TITLES,
            every & _OF_ORGANISATIONS,
            _common_first(profile, given, family),
            listed_names,
        )

    def names_in(self, words: Sequence[str]) -> tuple[bool, bool]:
        """Whether a given and a family name stand among the first words of a text."""
        plain = [w for w in words if w not in self.titles] if self.titles else words
        return not self.given.isdisjoint(plain[:5]), not self.family.isdisjoint(plain[:6])

    def is_thing(self, text: str, words: Sequence[str]) -> bool:
        """Whether a text names a thing, with a name in front or not.

        It begins as many do, or in upper case and ends in a word in lower case that is no name: "Oscar lamp".
        """
        last, start = words[-1], text.rfind(" ") + 1
        if words[0] in self.common:
            return True
        if not (start and text[:1].isupper() and text[start : start + 1].islower() and len(last) > 2):
            return False
        return not any(last in names for names in (self.given, self.family, self.titles, *self.listed))

    def is_titled(self, words: Sequence[str]) -> bool:
        """Whether a text begins with a form of address."""
        return len(words) <= 8 and not self.titles.isdisjoint(words[:2])


def _text_look(text: str, words: Sequence[str], of: _Words) -> _TextLook:
    """The look of one text, for each share of `NameLook` whether it counts."""
    n = len(words)
    has_given, has_family = of.names_in(words)
    organisation = n > 1 and not of.organisations.isdisjoint(words)
    short = n <= 6 and len(text) <= 60
    names = listed(text, words, of.listed)
    if other_script(text):
        first, last, whole = names.given, names.family, names.both
    else:
        first = last = False
        whole = names.both and _initials(text, words, has_family)
    return (
        first or (has_given and n <= 7),
        last or (has_family and n <= 7),
        (whole or (has_given and n >= 2)) and short and not organisation and not of.is_thing(text, words),
        n <= 2,
        short and _capitalised(text),
        organisation,
        names.titled or of.is_titled(words),
        names.given or names.family,
    )


def _initials(text: str, words: Sequence[str], has_family: bool) -> bool:
    """Whether a text is a listed family name with initials: "Smith, J." or "J. R. Smith", not "Vitamin C"."""
    return has_family and "." in text and any(len(w.strip(".")) == 1 for w in words)


def _common_first(profile: Profile, given: frozenset[str], family: frozenset[str]) -> frozenset[str]:
    """Words that begin a fifth of many different texts and belong to no name.

    They say what the named things are ("prison of …").
    """
    if len(profile.texts) < 12:
        return frozenset()
    counts = Counter(words[0] for words in profile.words if len(words) > 1 and len(words[0]) > 3)
    return frozenset(
        w
        for w, n in counts.items()
        if n >= 0.2 * len(profile.texts) and w not in given and w not in family and w not in TITLES
    )


def _capitalised(text: str) -> bool:
    """Whether words start in upper case and no punctuation of prose is in between.

    Also where the script has no cases, or all is in upper or lower case.
    """
    if not _SIGNS.isdisjoint(text):
        return False
    if text.istitle() or text.isupper() or text.islower():
        return True
    words = text.replace(",", " ").split()
    cased = [w for w in words if w[:1].isalpha() and len(w) > 3]
    return all(w[0].isupper() or not (w[0].islower()) for w in cased)
