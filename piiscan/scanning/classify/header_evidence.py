"""What a column's header says: which rules it names, and how far that can be trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import fold, of_path, singular, tokens
from piiscan.core.types import Field, TableInfo
from piiscan.rules.definitions import Rule, RuleSet
from piiscan.scanning.classify import short_words
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.word_lists import (
    ABOUT,
    ASKING,
    BEFORE,
    NEUTRAL,
    NOT_PERSONS,
    ORGANISATION_ROLE,
    PERSON_ROLE,
    PLACEHOLDER,
    QUESTION,
)

_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_CALL = re.compile(r"[A-Za-z0-9_]\([^()]*\)\s*[{;:]")
"""Code: `greet(name) {`."""
LONGEST_PHRASE = 6
_KEPT, _LONGEST_KEPT = 4096, 100
"""Headers whose meaning is kept for other tables, and characters of one, at most."""
DOCUMENTS = frozenset("json jsonl yaml toml xml ini netrc avro parquet arrow duckdb frame".split())
"""Formats in which a dot in a header joins the keys of a path."""
NAME_OF_OTHERS = 1.5
"""What "product" or "city" beside "name" or "author" takes from the evidence for a person's name."""
NAME_OF_A_ROLE = 2.6
"""Log-odds of a person's name where "name" stands beside a word for a person: `nama_dokter`, "child's name"."""
_COUNTED_IN_FRENCH = frozenset(
    "enfant eleve patient client salarie employe candidat adherent beneficiaire parent".split()
)
_OBJECTS_OF_PERSONS = frozenset(
    "author contributor maintainer developer creator editor reviewer assignee follower collaborator committer attendee "
    "participant viewer translator organizer employee teacher student patient guest volunteer donor applicant".split()
)
"""Keys of documents whose objects are persons."""
_GIVEN = frozenset(
    "prenom prenoms vorname vornamen firstname givenname forename voornaam voornamen fornamn fornavn".split()
)
_NAME = frozenset("nom name naam namn navn".split())
"""Keys of given names in documents, and what family names beside them are called."""
HASHES = frozenset("hash hashed sha md5 hmac pseudonym".split())
"""Behind "name" these say whose it is, too: names of persons are what is hashed."""
SHORT = 1.2
"""Log-odds that an abbreviation of two letters for an identifier loses behind an unknown word."""
_PARTS = tuple(map(frozenset, (("first-name", "first-name-short"), ("last-name", "last-name-short"), ("name",))))
"""Rules of the parts of a name; in many languages the given one is called "name"."""
_SERBIAN_ONLY = re.compile("[ђјљњћџЂЈЉЊЋЏ]")
_SERBIAN: dict[int, str] = {
    ord(cyrillic): latin
    for cyrillic, latin in zip(
        "абвгдђежзијклљмнњопрстћуфхцчџш",
        "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split(),
        strict=True,
    )
}
_SHORTENED = re.compile(r"(?<![^\W\d_])([^\W\d_]++)\.(?=[\s/-]|$)")
_VOWELS = re.compile(r"(?<=\w)[aeiouаеиоуыэюяёії]+")
"""What "hrly" for "hourly" leaves out."""
SHORTEST_STEM = 3
"""Letters that are left of an abbreviated word, at least; a word by itself keeps more."""
JOINING = frozenset("de di da do of du des del della der die das von van z".split())
"""Words that abbreviated headers leave out."""
IN_PARENTHESES = 1.0
"""What a phrase loses that stands in parentheses behind words that say nothing: "Start (lat, lng)"."""
_CODED = (("source", "concept", "id"), ("concept", "id"))
"""What ends headers of the OMOP common data model over codes: `gender_concept_id` has a person's gender, and is no key.
"""
AMBIGUOUS, SAYS_NOTHING = 0.5, -3.0
"""A phrase that means an entity less often than not says nothing, for or against it, at lower log-odds than this."""
UNKNOWN_BEFORE, UNKNOWN_AFTER, ANOTHER_AFTER, ABOUT_AFTER = 0.35, 0.9, 2.5, 4.0
_HEADS = tuple("name names nm id no nr num number email mail phone tel telephone mobile address birthdate dob".split())
"""Words joined to a word for a person: `tenantname`, `patientid`."""


class Named(NamedTuple):
    """A rule that a header names, at tokens [start, end).

    `logit`: the log-odds that the header alone gives its entity.
    """

    rule: Rule
    start: int
    end: int
    logit: float


def readable_fields(info: TableInfo) -> list[Field]:
    """The columns of a table with their headers in readable form.

    None where the reader named them; of paths in documents, their last parts; where a header only numbers its column,
    the name that a comment gives it; the name of a list in a document that is a table of its own.
    """
    if info.is_text or (info.table or "").startswith("#"):  # as readers call what stands beside a file's tables
        return [Field(None, f.dtype) for f in info.fields]
    fields = [_readable(f, info.format) for f in info.fields]
    if info.format not in DOCUMENTS:
        return fields
    fields = _beside_given(info.fields, fields)
    if len(fields) == 1 and fields[0].name is None and info.table:
        return [fields[0]._replace(name=of_path(f"{info.table}[]"))]
    return [_of_person(field, info.table) for field in fields]


def _beside_given(written: Sequence[Field], fields: Sequence[Field]) -> list[Field]:
    """The fields, with what is called a name beside a given name of the same object called so alone.

    Of `vehicle.driver.nom` beside `vehicle.driver.prenom` the path says less than these two words.
    """
    paths = [(f.name or "").rpartition(".") for f in written]
    given = {
        (f.parent, path) for f, (path, _, last) in zip(written, paths, strict=True) if "".join(tokens(last)) in _GIVEN
    }
    if not given:
        return list(fields)
    return [
        field._replace(name=last) if path and (f.parent, path) in given and "".join(tokens(last)) in _NAME else field
        for field, f, (path, _, last) in zip(fields, written, paths, strict=True)
    ]


def _of_person(field: Field, table: str | None) -> Field:
    """A field `name` of objects that stand under a word for persons in a document: `authors: [{name: …}]`."""
    words = tokens(field.name or "")
    if words == ("name",) and table:
        words = tokens(of_path(f"{table}.name") or "")
    if words[-1:] != ("name",) or singular("".join(words[-2:-1])) not in _OBJECTS_OF_PERSONS:
        return field
    return field._replace(name="person name")


def _readable(field: Field, format_: str) -> Field:
    if field.comment is not None and silent(field.name):
        return field._replace(name=field.comment)
    if field.name is None or (field.parent is None and format_ not in DOCUMENTS):
        return field
    # A list's own header names many: "emails".
    name = f"{field.name}[]" if field.parent is None and field.dtype == "other" else field.name
    return field._replace(name=of_path(name))


def logit(p: float) -> float:
    """Log-odds of a probability.

    >>> round(logit(0.9), 2)
    2.2
    """
    return math.log(p / (1 - p))


def silent(header: str | None) -> bool:
    """Whether a header only numbers its column: "col_7", "V1", "Spalte 3", or none at all.

    >>> silent("Column3"), silent("x"), silent("field_name"), silent("x_3"), silent("H/F")
    (True, False, False, True, False)
    """
    words = tokens(header or "")
    if any(len(w) == 4 and w.isdigit() for w in words):
        return False  # a year says something
    plain = [w for w in words if not w.isdigit()]
    numbered = len(plain) < len(words)
    return all(w in PLACEHOLDER or (len(w) == 1 and w.isascii() and numbered) for w in plain)


def named(header: str | None, lexicon: Lexicon) -> tuple[Named, ...]:
    """The rules a header names, the most believable first; one a rule. Empty without a header.

    A phrase that lies within a longer one says nothing of its own ("name" in "company name"). Words beside the phrase
    make it less believable: those after it more than those before, and words such as "verified" or "count" most of
    all.
    """
    if not header:
        return ()
    kept = _kept(lexicon.rules)
    if (known := kept.get(header)) is None:
        known = _named(header, lexicon)
        if len(kept) < _KEPT and len(header) <= _LONGEST_KEPT:
            kept[header] = known
    return known


_last: list[tuple[RuleSet, dict[str, tuple[Named, ...]]]] = []


def _kept(rules: RuleSet) -> dict[str, tuple[Named, ...]]:
    """What is kept for some rules; that of the last ones is."""
    for known, kept in _last:
        if known is rules:
            return kept
    made: dict[str, tuple[Named, ...]] = {}
    _last[:] = [(rules, made)]
    return made


def _named(header: str, lexicon: Lexicon) -> tuple[Named, ...]:
    # What stands in parentheses explains: a unit, a scale, a condition; or it is the same in another language.
    words = tokens(_PARENTHESES.sub(" ", header)) or tokens(header)
    found = _of_words(words, lexicon)
    if found:
        whole = _abbreviated(header, lexicon) if found[0].end - found[0].start < len(words) else ()
        return whole if whole and whole[0].logit > found[0].logit else found
    inside = tokens(" ".join(_PARENTHESES.findall(header)))
    if not inside or len(inside) > LONGEST_PHRASE or _CALL.search(header):
        return (
            _of_words(_in_latin(header), lexicon)
            or _abbreviated(header, lexicon)
            or _of_a_job(header, lexicon)
            or _spelled_out(header, words, lexicon)
        )
    found = _of_words(inside, lexicon)
    named_ = {place for n in found for place in range(n.start, n.end)}
    if not NEUTRAL.issuperset(word for i, word in enumerate(inside) if i not in named_):
        return ()
    return tuple(n._replace(logit=n.logit - IN_PARENTHESES) for n in found)


def _of_words(words: tuple[str, ...], lexicon: Lexicon) -> tuple[Named, ...]:
    words = tuple(part for word in _without_code(words)[:24] for part in _of_a_role(word, lexicon))
    phrases = _phrases(words, lexicon)
    best: dict[str, Named] = {}
    if (whole := lexicon.by_id.get("person-name")) and _names_both_parts(words, lexicon):
        return (Named(whole, 0, len(words), logit(whole.trust)),)
    if words == ("no",) and (counter := lexicon.by_id.get("row-counter")):
        return (Named(counter, 0, 1, 0.0),)
    for (start, end), ids in phrases.items():
        if any((a, b) != (start, end) and a <= start and end <= b for a, b in phrases):
            continue
        if end - start == 1 < len(words) and len(words[start]) == 1 and words[start].isascii():
            continue  # "x" is a coordinate; x1, x2 and x3 are variables
        for one in _said(words, start, end, ids, phrases, lexicon):
            if one.rule.id not in best or best[one.rule.id].logit < one.logit:
                best[one.rule.id] = one
    return tuple(sorted(best.values(), key=lambda n: (-n.logit, n.rule.id)))


def _without_code(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a header without those that say that its values are codes of a vocabulary."""
    end = next((coded for coded in _CODED if words[-len(coded) :] == coded), ())
    return words[: len(words) - len(end)] or words


def _in_latin(header: str) -> tuple[str, ...]:
    """The words of a Serbian header in the Latin alphabet, in which its phrases are known; of others, none."""
    return tokens(header.lower().translate(_SERBIAN)) if _SERBIAN_ONLY.search(header) else ()


def _abbreviated(header: str, lexicon: Lexicon) -> tuple[Named, ...]:
    """The rules of the only entity that has a phrase of which a header is short: "Data urodz.", "HrlyRt"."""
    shortened = {fold(word) for word in _SHORTENED.findall(header)}
    words = tuple(w for w in tokens(header) if w not in JOINING)
    if sum(map(len, words)) <= SHORTEST_STEM or not (shortened or len(words) > 1):
        return ()
    phrases = _phrases_by_initials(lexicon.rules)
    found = [
        rule
        for phrase, rule in phrases.by_initials.get(_initials(words), ())
        if _is_short_of(words, shortened, phrase, phrases.words)
    ]
    if len({rule.entity for rule in found}) != 1:
        return ()
    best = {rule.id: Named(rule, 0, len(words), logit(rule.trust) - SHORT) for rule in found}
    return tuple(sorted(best.values(), key=lambda n: (-n.logit, n.rule.id)))


def _spelled_out(header: str, words: tuple[str, ...], lexicon: Lexicon) -> tuple[Named, ...]:
    found = _of_words(short_words.spelled_out(header, words, lexicon), lexicon)
    return tuple(n._replace(logit=n.logit - SHORT) for n in found)


def _is_short_of(
    words: Sequence[str], shortened: AbstractSet[str], phrase: Sequence[str], known: AbstractSet[str]
) -> bool:
    """Whether each word is one of a phrase, or short for it: with a dot ("urodz.") or, of several, by itself.

    `known`: words that mean something themselves, and are short for none.

    >>> [_is_short_of(words, set(), ("hourly", "rate"), {"hour"}) for words in (("hrly", "rt"), ("hour", "rt"))]
    [True, False]
    """
    if shortened:
        return all(
            p == w or (w in shortened and len(w) >= SHORTEST_STEM and p.startswith(w))
            for p, w in zip(phrase, words, strict=True)
        )
    kept = 0
    for long, word in zip(phrase, words, strict=True):
        if word == long and len(word) >= SHORTEST_STEM:
            kept += 1
        elif word in known:
            return False
        elif (len(word) >= SHORTEST_STEM and long.startswith(word)) or word == _VOWELS.sub("", long):
            kept += len(word) > SHORTEST_STEM
        else:
            return False
    return len(words) > 1 and kept > 0 and tuple(phrase) != tuple(words)


def _of_a_job(header: str, lexicon: Lexicon) -> tuple[Named, ...]:
    """What a header says that is nothing but an occupation: who has it is named below it, as below any other part."""
    words = tokens(header)
    role = lexicon.by_id.get("person-role")
    is_job = " ".join(words) in lexicon.values("OCCUPATION")
    is_job = is_job and NOT_PERSONS.isdisjoint(words) and PERSON_ROLE.isdisjoint(words)
    return (Named(role, 0, len(words), logit(role.trust)),) if role and is_job else ()


class _Phrases(NamedTuple):
    """All header phrases of some rules, by the initials of their words, which words that are cut short keep.

    `words`: those that say something by themselves, and so are short for nothing.
    """

    by_initials: dict[str, list[tuple[list[str], Rule]]]
    words: frozenset[str]


def _initials(words: Sequence[str]) -> str:
    return "".join([word[0] for word in words])


_phrases_of: list[tuple[RuleSet, _Phrases]] = []


def _phrases_by_initials(rules: RuleSet) -> _Phrases:
    """The phrases of some rules; those of the last ones are kept."""
    for known, phrases in _phrases_of:
        if known is rules:
            return phrases
    made: dict[str, list[tuple[list[str], Rule]]] = {}
    for rule in rules.rules:
        for phrase in rule.headers:
            words = phrase.split()
            if not JOINING.isdisjoint(words):
                words = [word for word in words if word not in JOINING]
            if words:
                made.setdefault(_initials(words), []).append((words, rule))
    alone = (words[0] for initials, entries in made.items() if len(initials) == 1 for words, _ in entries)
    found = _Phrases(made, frozenset(alone) | PERSON_ROLE | NOT_PERSONS)
    _phrases_of[:] = [(rules, found)]
    return found


def _names_both_parts(words: tuple[str, ...], lexicon: Lexicon) -> bool:
    """Whether a header names two parts of a name, and hardly anything else: "Last, First", "příjmení a jméno"."""
    if not 1 < len(words) <= LONGEST_PHRASE:
        return False
    spans = [
        (end - start, start, part)
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
        for part, ids in enumerate(_PARTS)
        if not ids.isdisjoint(lexicon.naming("".join(words[start:end]))[0])
    ]
    left, parts = set(range(len(words))), set()
    for length, start, part in sorted(spans, reverse=True):
        if left.issuperset(range(start, start + length)):
            left.difference_update(range(start, start + length))
            parts.add(part)
    return len(parts) > 1 and NEUTRAL.issuperset(words[i] for i in left)


def _said(
    words: tuple[str, ...],
    a: int,
    b: int,
    ids: Sequence[str],
    phrases: dict[tuple[int, int], list[str]],
    known: Lexicon,
) -> Iterator[Named]:
    """What the phrase at tokens [a, b) says, rule by rule."""
    penalty = _penalty(words, a, b, phrases, known)
    short = _short(words, a, b)
    others = not NOT_PERSONS.isdisjoint((*words[:a], *words[b:]))
    for i in ids:
        rule = known.by_id[i]
        less = NAME_OF_OTHERS if others and rule.entity == "PERSON" else 0.0
        less += short if PII_CLASS[rule.entity] == "direct" else 0.0
        said = logit(rule.trust) - penalty - less
        if said > SAYS_NOTHING or rule.trust >= AMBIGUOUS:
            yield Named(rule, a, b, said)
        whole = known.by_id.get("person-name")
        if i == "name" and whole and (_names_a_role(words, a, b) or not HASHES.isdisjoint(words[b:])):
            plain = tuple("person" if _owner(w) in PERSON_ROLE else w for w in words)
            yield Named(whole, a, b, NAME_OF_A_ROLE - _penalty(plain, a, b, {(a, b): [i]}, known) - less)


def _short(words: tuple[str, ...], a: int, b: int) -> float:
    """How much an abbreviation of two letters loses after an unknown word: it may stand for many things."""
    if b - a > 1 or a == 0 or len(words[a]) != 2 or not words[a].isascii():
        return 0.0
    known = all(word in NEUTRAL or word.isdigit() or _owner(word) in PERSON_ROLE for word in words[:a])
    return 0.0 if known else SHORT


def _of_a_role(word: str, lexicon: Lexicon) -> tuple[str, ...]:
    """A word as it is, or as the person's part and what of them it says, where both are written as one."""
    for head in _HEADS:
        role = word.removesuffix(head)
        if len(role) > 2 and role != word and _owner(role) in PERSON_ROLE and not lexicon.naming(word)[0]:
            return (role, head)
    return (word,)


def _names_a_role(words: tuple[str, ...], start: int, end: int) -> bool:
    """Whether "name" at tokens [start, end) stands beside a word for a person. French "nombre" counts them."""
    others = {w for word in (*words[:start], *words[end:]) for w in (word, word.removesuffix("s"))}
    return bool(others & PERSON_ROLE) and not (words[start] == "nombre" and others & _COUNTED_IN_FRENCH)


def _owner(word: str) -> str:
    """A word for a person without the "s" of the plural and of possession: "childs", "parents"."""
    return word if word in PERSON_ROLE else word.removesuffix("s")


def _phrases(words: Sequence[str], lexicon: Lexicon) -> dict[tuple[int, int], list[str]]:
    """The phrases of rules among a header's words, by where they start and end: the rules that no word vetoes."""
    spans: dict[tuple[int, int], tuple[str, ...]] = {}
    silenced: set[str] = set()
    for start in range(len(words)):
        text = ""
        for end in range(start + 1, min(len(words), start + LONGEST_PHRASE) + 1):
            text += words[end - 1]
            ids, vetoes = lexicon.naming(text)
            silenced.update(vetoes)
            if ids:
                spans[start, end] = ids
    return {span: left for span, ids in spans.items() if (left := [i for i in ids if i not in silenced])}


def _penalty(
    words: tuple[str, ...], a: int, b: int, spans: dict[tuple[int, int], list[str]], lexicon: Lexicon
) -> float:
    penalty = 0.0
    of_questions = QUESTION if len(words) > 2 and words[0] in ASKING else frozenset[str]()
    for i in range(a):
        word = words[i]
        if word in of_questions:
            continue
        if word in BEFORE:
            penalty += ABOUT_AFTER
        elif word not in NEUTRAL and not word.isdigit() and word not in ABOUT:
            penalty += UNKNOWN_BEFORE
    for i in range(b, len(words)):
        word = words[i]
        if word in of_questions:
            continue
        if word in ABOUT:
            penalty += ABOUT_AFTER if i == b else UNKNOWN_AFTER
        elif word.isdigit() or word in NEUTRAL or _is_place(words, i, b, lexicon):
            continue
        elif word in ORGANISATION_ROLE or any(c >= b and c <= i < d for c, d in spans):
            penalty += ANOTHER_AFTER
        else:
            penalty += UNKNOWN_AFTER
    return min(penalty, 6.0)


def _is_place(words: tuple[str, ...], i: int, start: int, lexicon: Lexicon) -> bool:
    """Whether a word, alone or with the one before or after it, is a country or a region: whose number it is."""
    names = {words[i], " ".join(words[i : i + 2]), " ".join(words[max(start, i - 1) : i + 1])}
    return not names.isdisjoint(lexicon.values("REGION")) or not names.isdisjoint(lexicon.values("COUNTRY"))
