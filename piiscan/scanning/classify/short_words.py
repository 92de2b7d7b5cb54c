"""Spells out words of headers that are cut short or run together, as in files of surveys and of old systems.

"AGEGRP" is a group of ages, "HHINC" the income of a household, "ANN_SAL" a salary and "RELIG" a religion. Only
attributes of persons are spelled out so: short for an identifier, such words may stand for too many things.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from piiscan.rules.definitions import RuleSet
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.word_lists import ABOUT, AGGREGATE, NEUTRAL, NOT_PERSONS, PERSON_ROLE

ATTRIBUTES: Final = frozenset(
    """
        AGE GENDER MARITAL_STATUS ETHNICITY RELIGION EDUCATION OCCUPATION INCOME NATIONALITY DATE_OF_BIRTH
        HEALTH_CONDITION
    """.split()
)
_TRUSTED: Final = 0.75
"""Phrases that mean an attribute less often than this mean other things when they are part of a word, too."""
_SHORT: Final = dict(
    pair.split(":")
    for pair in """
        inc:income occ:occupation occup:occupation edu:education educ:education eth:ethnicity ethn:ethnicity
        relig:religion sal:salary dgns:diagnosis diag:diagnosis diagn:diagnosis dx:diagnosis ink:inkomen opl:opleiding
        lft:leeftijd leeft:leeftijd eink:einkommen ausb:ausbildung lang:language qual:qualification
    """.split()
)
"""Words as surveys, payrolls and hospitals cut them short."""
_CLEAR: Final = frozenset("educ ethn relig occup dgns diagn".split())
"""Those that are short for nothing else, and so need no other word beside them."""
_BEFORE: Final = "hi hh fam pers resp emp pat tot ann grp cat niv kat kl".split()
_BEHIND: Final = (
    "grp group gr cat cats kat cd code cod kod lvl lev level niv kl cl class band bnd rec recode var yr yrs dv".split()
)
"""What is run together with a word: whose it is, and into what it is grouped or coded."""
_OF_PAY: Final = frozenset(
    "ann annual annl mo month mthly gross net base basic yearly hh household fam pers tot amt amount rt".split()
)
_BESIDE: Final = frozenset((*_BEFORE, *_BEHIND, *_OF_PAY, *"person own self main pt prim princ prncpal sec".split()))
"""Words beside a short one that leave it what it is: "ANN_SAL", "OCC_CD"."""
_PAY: Final = frozenset(("inc", "sal"))
"""Short for incidents and sales, too, but beside a word of pay."""
_LEAST: Final = 4
"""Letters of a word that something is run together with, or that is cut short and stands alone, at least."""
_SHORTER: Final = frozenset("age sex eta yas ika dob".split())
"""Whole words with fewer letters, that something may be run together with."""
_LEAST_VARIED: Final = 6
_LONGEST_MARK: Final = 2
"""Letters of a word, at least, and of what marks one version of a question behind it, at most: "maritalb"."""
_LEAST_OF_COMPOUND: Final = 6
"""Letters of the last part of a compound ("Haushaltseinkommen", "maandinkomen"), which says what it is, at least."""
_NO_HEADS: Final = ("bildung", "diagnose", "diagnosis", "disease", "income", "gender")
"""Ends of words that aren't about persons, such as figures and faults: "Abbildung", "Fehlerdiagnose"."""
_OF_GROUPS: Final = tuple(
    "durchschnitt mittel median mindest gesamt volks gemiddeld minimum bruttonational genomsnitt gennemsnit".split()
)
"""What a compound begins with that is an attribute of no single person."""
_VOWELS: Final = str.maketrans("", "", "aeiou")
_OTHERS: Final = tuple(sorted(ABOUT | AGGREGATE | NEUTRAL | NOT_PERSONS | PERSON_ROLE))
"""Words of headers that are no attributes, of which a beginning may be short."""


def spelled_out(header: str, words: Sequence[str], lexicon: Lexicon) -> tuple[str, ...]:
    """The words of a header with those spelled out that are short for an attribute; empty if none is.

    `words`: the header's. In capitals, as files of old systems have them, a beginning of one attribute's names is
    enough.
    """
    found = [_whole(word, words, header.isupper(), lexicon) for word in words]
    return tuple(w for w in found if w not in _BESIDE) if found != [*words] else ()


def _whole(word: str, words: Sequence[str], capitals: bool, lexicon: Lexicon) -> str:
    """A word of a header as it is written out, or as it is."""
    if not word.isascii() or not word.isalpha() or word in _BESIDE or lexicon.naming(word)[0]:
        return word
    beside = _OF_PAY if word in _PAY else _BESIDE
    if word in _SHORT and (not beside.isdisjoint(words) or (capitals and word in _CLEAR)):
        return _SHORT[word]
    whole = _run_together(word, lexicon) or _marked(word, lexicon) or _head(word, lexicon)
    if whole is None and capitals and len(word) >= _LEAST:
        whole = _begun(word, lexicon.rules) or _without_vowels(word, lexicon.rules)
    return whole or word


def _run_together(word: str, lexicon: Lexicon) -> str | None:
    """The attribute that a word is with what is before and behind it."""
    for before in ("", *filter(word.startswith, _BEFORE)):
        rest = word.removeprefix(before)
        for behind in ("", *filter(rest.endswith, _BEHIND)):
            stem = rest.removesuffix(behind)
            whole = stem if stem == "sal" else _SHORT.get(stem, stem)  # of sales, too
            long = len(whole) >= _LEAST or whole in _SHORTER
            if stem != word and long and _is_attribute(whole, lexicon):
                return whole
    return None


def _marked(word: str, lexicon: Lexicon) -> str | None:
    """The attribute that is all of a word but a mark."""
    stems = (word[:-n] for n in range(1, _LONGEST_MARK + 1) if len(word) - n >= _LEAST_VARIED)
    return next((stem for stem in stems if _is_attribute(stem, lexicon)), None)


def _head(word: str, lexicon: Lexicon) -> str | None:
    """The longest attribute that a compound ends with, as in Germanic languages."""
    if word.startswith(_OF_GROUPS):
        return None
    ends = (word[i:] for i in range(2, len(word) - _LEAST_OF_COMPOUND + 1))
    return next((end for end in ends if end not in _NO_HEADS and _is_attribute(end, lexicon)), None)


def _is_attribute(word: str, lexicon: Lexicon) -> bool:
    rules = [lexicon.by_id[i] for i in lexicon.naming(word)[0]]
    return bool(rules) and all(rule.entity in ATTRIBUTES and rule.trust >= _TRUSTED for rule in rules)


class _Beginnings(NamedTuple):
    """The first words of all header phrases, sorted, each with the entities of its phrases.

    `alone`: those that are whole phrases; `consonants`: the same by their consonants.
    """

    words: list[str]
    entities: dict[str, set[str]]
    alone: frozenset[str]
    consonants: dict[str, list[str]]


_last: list[tuple[RuleSet, _Beginnings]] = []


def _beginnings(rules: RuleSet) -> _Beginnings:
    """The beginnings of the phrases of some rules; those of the last ones are kept."""
    for known, made in _last:
        if known is rules:
            return made
    entities: dict[str, set[str]] = {}
    alone: set[str] = set()
    for rule in rules.rules:
        for phrase in rule.headers:
            first, _, more = phrase.partition(" ")
            entities.setdefault(first, set()).add(rule.entity)
            if not more:
                alone.add(first)
    consonants: dict[str, list[str]] = {}
    for word in alone:
        consonants.setdefault(word.translate(_VOWELS), []).append(word)
    made = _Beginnings(sorted(entities), entities, frozenset(alone), consonants)
    _last[:] = [(rules, made)]
    return made


def _begun(word: str, rules: RuleSet) -> str | None:
    """The shortest name of the only attribute whose names begin with a word, if half of it is written at least."""
    if _beginning_with(word, _OTHERS):
        return None
    known = _beginnings(rules)
    found = _beginning_with(word, known.words)
    entities = set().union(*(known.entities[w] for w in found))
    whole = min((w for w in found if w in known.alone), key=len, default="")
    return whole if len(entities) == 1 and entities <= ATTRIBUTES and 0 < len(whole) <= 2 * len(word) else None


def _without_vowels(word: str, rules: RuleSet) -> str | None:
    """The shortest name of the only attribute with the consonants of a word, and more vowels: "marital" for MRTL."""
    bare = word.translate(_VOWELS)
    known = _beginnings(rules)
    if len(bare) < _LEAST or bare not in known.consonants or any(w.translate(_VOWELS) == bare for w in _OTHERS):
        return None
    found = [w for w in known.consonants[bare] if len(w) > len(word) and w[0] == word[0]]
    entities = set().union(*(known.entities[w] for w in found))
    return min(found, key=lambda w: (len(w), w)) if len(entities) == 1 and entities <= ATTRIBUTES else None


def _beginning_with(word: str, ordered: Sequence[str]) -> Sequence[str]:
    """The words among sorted ones that begin with a word."""
    return ordered[bisect_left(ordered, word) : bisect_left(ordered, word + "\U0010ffff")]
