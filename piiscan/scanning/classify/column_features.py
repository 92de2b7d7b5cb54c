"""One column as numbers, for the model: its header, the form of its values, list matches and rule hits.

Made of the exact summary alone, so that it doesn't depend on how the rows were cut up. All are made to lie between
about -1 and 2, shares mostly.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from piiscan.core.caches import of_words
from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.scanning.classify import hit_evidence, word_lists
from piiscan.scanning.classify.candidates import nothing_share
from piiscan.scanning.classify.lexicon import WORDED
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.script_features import SCRIPT_FEATURES, WRITTEN, Form, scripts, written_in
from piiscan.scanning.classify.text_forms import KINDS, TextForms
from piiscan.scanning.classify.value_grams import grams_of_each
from piiscan.scanning.classify.wordlists import LISTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from piiscan.detection.summary.column_summary import ColumnSummary
    from piiscan.scanning.classify.candidates import ColumnCandidates
    from piiscan.scanning.classify.column_values import ColumnValues
    from piiscan.scanning.classify.lexicon import Lexicon


BUCKETS: Final = 4096
"""Header tokens and their n-grams fall into so many buckets."""
ENTITIES: Final = tuple(sorted(PII_CLASS.keys() - {"LOCATION"}))
"""What a column can be; a LOCATION is of free text, but a user's rule may find one."""
_ENTITY: Final = {entity: i for i, entity in enumerate(ENTITIES)}
LISTED: Final = tuple(
    "CITY COUNTRY EDUCATION ETHNICITY FIRST_NAME GENDER HEALTH_CONDITION LANGUAGE LAST_NAME MARITAL_STATUS "
    "NATIONALITY OCCUPATION REGION RELIGION".split()
)
_MARKS: Final = "-/.,@_():&'#+\"%$;=*"
_ROLES: Final = (
    word_lists.ABOUT,
    word_lists.BEFORE,
    word_lists.NEUTRAL,
    word_lists.PERSON_ROLE,
    word_lists.PEOPLE,
    word_lists.ORGANISATION_ROLE,
    word_lists.THING,
    word_lists.PLACE,
    word_lists.EVENT,
    word_lists.AGGREGATE,
    word_lists.ANIMAL,
    word_lists.OF_THINGS,
    word_lists.QUESTION,
)
_RANGES: Final = (
    (0, 1),
    (0, 17),
    (0, 110),
    (16, 100),
    (1900, 2030),
    (1920, 2012),
    (-90, 90),
    (-180, 180),
    (1000, 99_999),
    (10_000, 1_000_000),
)
LOOKS: Final = tuple(
    Form(needs, lazy_pattern(form))
    for needs, form in (
        (ascii_lowercase, r"@?[a-z]{2,}(?:[._-][a-z]+)*[._-]?\d{0,4}"),
        (digits, r"@?[A-Za-z]{3,}[._-]?\d{1,4}"),
        (ascii_uppercase, r"@?(?:[A-Z][a-z]+){2,}\d{0,4}"),
        ("@", r"@\w+"),
        ("", r"[\u3400-\u9fff々]{1,4}[ \u3000][\u3400-\u9fff々ぁ-ヶー]{1,5}"),
        ("", r"[ぁ-ヶー]{2,8}[ \u3000・][ぁ-ヶー]{2,8}"),
        ("", r"[\u3400-\u9fff々]{2,4}"),
        ("", r"[가-힣]{2,4}"),
        (
            ("ич", "овна", "евна", "ovich", "evich", "ovna", "evna"),
            r"[^\W\d_]+(?: [^\W\d_]+)* [^\W\d_]+(?:ович|евич|ич|овна|евна|ична|ovich|evich|ovna|evna)(?: [^\W\d_]+)?",
        ),
        ("+", r"\+\d[\d ().-]{7,}"),
        (digits, r"\(?\d{3}\)?[ .-]{0,2}\d{3}[ .-]\d{4}"),
        (digits, r"(?:\d{2,4}[ .-]){2,}\d{2,4}"),
        (digits, r"[A-Z]{1,3}\d{5,}"),
    )
)
"""Of what people call themselves by, of names in scripts without capitals and of patronymics, of telephone and of
document numbers."""
_DATE: Final = lazy_pattern(
    r"(?P<y>(?:1[89]|20)\d\d)[-/.]?(?P<m>\d\d?)[-/.]?(?P<d>\d\d?)(?:\D.*)?|(?P<a>\d\d?)[-/. ](?P<b>\d\d?)[-/. "
    r"](?P<z>(?:1[89]|20)\d\d)(?:\D.*)?"
)
_CENTURIES: Final = ("18", "19", "20")
_YEAR: Final = lazy_pattern(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_KIND: Final = np.full(129, 4)
"""The kind of a character of ASCII: a digit, an upper- or lower-case letter, a space, another sign; then that of all
others."""
_KIND[ord("0") : ord("9") + 1] = 0
_KIND[ord("A") : ord("Z") + 1] = 1
_KIND[ord("a") : ord("z") + 1] = 2
_KIND[ord(" ")] = 3
_KIND[128] = 5


class Features(NamedTuple):
    """The features of one column: `dense` values and the header's buckets with their weights.

    `dense` is as long as the groups of `GROUPS` together. `grams`: of a column without a header, the n-grams of its
    values and their weights.
    """

    dense: NDArray[np.float32]
    buckets: NDArray[np.int32]
    weights: NDArray[np.float32]
    grams: tuple[NDArray[np.int32], NDArray[np.float32]] | None = None


GROUPS: Final[dict[str, int]] = {
    "header": len(ENTITIES) + len(_ROLES) + 4,
    "look": len(KINDS) + 6 + 6 + 6 + len(_MARKS) + 17 + len(LOOKS) + len(WRITTEN),
    "numbers": 2 + 5 + len(_RANGES) + 7,
    "dates": 11,
    "lists": len(LISTED) + len(WORDED) + 11 + 3 * len(LISTS) + 2,
    "scripts": SCRIPT_FEATURES,
    "rules": len(ENTITIES) + 2,
    "evidence": 2 * len(ENTITIES),
}
"""Group of features → how many, in their order. A verdict is explained by the groups that weighed most."""
WIDTH: Final = sum(GROUPS.values())
_STARTS: Final = (GROUPS["header"], WIDTH - GROUPS["evidence"] - GROUPS["rules"], WIDTH - GROUPS["evidence"])
"""Where what is known of values begins, of rules, and the evidence."""


def features(
    columns: Sequence[ColumnCandidates], summaries: Sequence[ColumnSummary], lexicon: Lexicon
) -> list[Features]:
    """The features of each of some columns, at least one. `summaries`: those of all columns of the table."""
    return features_of_each([(columns, summaries)], lexicon)[0]


def features_of_each(
    tables: Sequence[tuple[Sequence[ColumnCandidates], Sequence[ColumnSummary]]], lexicon: Lexicon
) -> list[list[Features]]:
    """`features` of each of some tables."""
    every = [(c, own[c.index]) for columns, own in tables for c in columns]
    alike: dict[tuple[ColumnValues, int], NDArray[np.float32]] = {}
    dense = np.zeros((len(every), WIDTH), dtype=np.float32)
    for row, (c, summary) in zip(dense, every, strict=True):
        _fill(row, c, summary, lexicon, alike)
    dense = np.clip(np.nan_to_num(dense, nan=0.0, posinf=4.0, neginf=-4.0), -4, 4)
    unnamed = list({c.values: None for c, _ in every if c.header is None})
    grams = dict(zip(unnamed, grams_of_each([v.profile.texts for v in unnamed]), strict=True))
    each = iter(dense)
    return [
        [Features(next(each), *_buckets(c.header), grams[c.values] if c.header is None else None) for c in columns]
        for columns, _ in tables
    ]


def _fill(
    row: NDArray[np.float32],
    column: ColumnCandidates,
    summary: ColumnSummary,
    lexicon: Lexicon,
    alike: dict[tuple[ColumnValues, int], NDArray[np.float32]],
) -> None:
    """The features of a column, of which none is known yet: `row` holds zeros.

    `alike`: what is known of values and so many empty cells, which columns may share.
    """
    of_values = alike.get((column.values, summary.nulls))
    if of_values is None:
        of_values = np.array(_of_values(column.values, summary), dtype=np.float32)
        alike[column.values, summary.nulls] = of_values
    row[: _STARTS[0]] = _header(column)
    row[_STARTS[0] : _STARTS[1]] = of_values
    if summary.hits:
        row[_STARTS[1] : _STARTS[2]] = _rules(column.profile, summary, lexicon)
    if column.candidates:
        row[_STARTS[2] :] = _evidence(column)


def _of_values(values: ColumnValues, summary: ColumnSummary) -> list[float]:
    p = values.profile
    return [
        *_look(p, summary), *_numbers(p), *_dates(p), *_lists(values),
        *scripts(p.folded, p.words, lambda: values.words.names),
    ]  # fmt: skip


def _header(column: ColumnCandidates) -> NDArray[np.float32]:
    return _of_header(column.header, tuple([(n.rule.entity, n.logit) for n in column.named]))


@of_words(4096)
def _of_header(name: str | None, said: tuple[tuple[str, float], ...]) -> NDArray[np.float32]:
    """`said`: the entities that the header names, with their log-odds."""
    return np.array(_said_by(name, said), dtype=np.float32)


def _said_by(name: str | None, said: tuple[tuple[str, float], ...]) -> tuple[float, ...]:
    named = [0.0] * len(ENTITIES)
    if name is None:
        return (*named, *([0.0] * len(_ROLES)), 0.0, 0.0, 0.0, 1.0)
    for entity, logit in said:
        i = _ENTITY.get(entity)
        if i is not None:
            named[i] = max(named[i], (logit + 4) / 4)
    parts = tokens(name)
    roles = [sum(w in role for w in parts) / max(1, len(parts)) for role in _ROLES]
    return (*named, *roles, len(parts) / 5, min(3.0, len(name) / 20), float(any(map(str.isdigit, name))), 0.0)


def _look(p: Profile, summary: ColumnSummary) -> list[float]:
    texts = p.texts
    n = max(1, len(texts))
    lengths = p.lengths.tolist() or [0]
    shortest, longest, mean = min(lengths), max(lengths), sum(lengths) / len(lengths)
    joined = "".join(texts)
    spelled = [many / n for many in p.forms.made(_spelled)[p.at]]
    total = max(1, len(joined))
    counts = p.forms.counts[p.forms.places[p.at]] / p.total if p.counts else np.ones(1)
    characters, kinds = _characters(joined)
    letters = characters / total
    return [
        *(p.kinds.get(k, 0.0) for k in KINDS),
        math.log1p(p.distinct) / 7,
        p.unique,
        math.log1p(p.filled) / 8,
        summary.nulls / max(1, summary.cells),
        nothing_share(p),
        float(p.filled == 0),
        math.log1p(mean) / 3,
        math.log1p(shortest) / 3,
        math.log1p(longest) / 3,
        _deviation(p.lengths, mean) / (1 + mean) if shortest < longest else 0.0,
        float(shortest == longest),
        float(longest > 60),
        *(kinds / total).tolist(),
        *spelled[: len(_MARKS)],
        p.with_digit,
        p.lettered,
        p.spaced,
        math.log1p(p.word_count) / 2,
        p.phone_like,
        p.hashed,
        p.keyed,
        p.structured,
        float(p.boolean),
        float(p.distinct == 1),
        float(counts.max()),
        float(-(counts * np.log(counts)).sum() / math.log(2 + len(counts))),
        float(-(letters * np.log2(letters)).sum() / 6),
        *spelled[len(_MARKS) : -len(_FORMS)],
        sum([t[:1] == "0" for t in texts]) / n,
        *([0.0] * len(_FORMS) if p.numeric == 1 else spelled[-len(_FORMS) :]),
    ]


_FORMS: Final = (*LOOKS, *WRITTEN)


def _spelled(forms: TextForms) -> list[list[int]]:
    """(columns, …): in how many texts each of `_MARKS` is, how many are in one case or titles, and in each form."""
    each = forms.each
    by_form = [
        *([mark in form for form in each] for mark in _MARKS),
        *(list(map(test, each)) for test in (str.isupper, str.islower, str.istitle)),
        *(written_in(form, each) for form in _FORMS),
    ]
    return forms.texts_of_each(np.array(by_form, dtype=np.uint8).T)


def _characters(joined: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often each of its characters occurs in a text, in no order, and how many there are of each kind.

    1 for a text without any. The kinds are digits, upper- and lower-case letters, spaces, other characters of ASCII or
    beyond Latin-1, and not ASCII.
    """
    if not joined.isascii():
        each = Counter(joined)
        counts = np.array(list(each.values()))
        kinds = np.bincount(_KIND[[min(ord(c), 128) for c in each]], counts, minlength=6).astype(np.int64)
        kinds[4] += sum(n for c, n in each.items() if ord(c) > 0xFF)  # the model was trained so
        return counts, kinds
    each_byte = np.bincount(np.frombuffer(joined.encode(), dtype=np.uint8), minlength=128)
    kinds = np.bincount(_KIND[:128], each_byte, minlength=6).astype(np.int64)
    return each_byte[each_byte > 0] if joined else np.ones(1, dtype=np.int64), kinds


def _deviation(values: NDArray[np.int64], mean: float) -> float:
    """`std` of an array, to the bit, without what it takes to find out what kind of array it is."""
    off = values - mean
    return math.sqrt(np.add.reduce(off * off) / len(values))


def _numbers(p: Profile) -> list[float]:
    numbers = p.numbers
    if not numbers:
        return [p.numeric, 0.0, *([0.0] * (GROUPS["numbers"] - 2))]
    sizes = [numbers[min(len(numbers) - 1, int(q * len(numbers)))] for q in (0.0, 0.1, 0.5, 0.9, 1.0)]
    whole = np.array([n for n in numbers if abs(n) < 1e15 and n.is_integer()], dtype=np.int64)
    decimals = [len(t.rpartition(".")[2]) if "." in t else 0 for t in p.texts] if "." in "".join(p.texts) else [0]
    return [
        p.numeric,
        p.whole,
        *(math.copysign(math.log1p(abs(s)), s) / 8 for s in sizes),
        *(p.within(low, high) for low, high in _RANGES),
        *(int(np.count_nonzero(whole % step == 0)) / max(1, len(whole)) for step in (5, 100, 1000)),
        min(1.0, len(numbers) / (sizes[-1] - sizes[0] + 1)),
        sum(decimals) / len(decimals) / 4,
        max(decimals) / 8,
        float(numbers[0] < 0),
    ]


def _dates(p: Profile) -> list[float]:
    """Features of dates: their years, from 1850 on as in human lifetimes, and their days.

    Whether they are on weekends, on the first of a month or of a year.
    """
    texts = [
        t for t, kind in zip(p.texts, p.kind_of, strict=True) if kind == "date" or (kind == "integer" and len(t) == 8)
    ]
    years = sorted(int(y[0]) for t in texts if (y := _YEAR.search(t) or re.match(r"(?:1[89]|20)\d\d", t)))
    if len(years) < 0.5 * len(p.texts) or not years:
        return [0.0] * GROUPS["dates"]
    days = _days(texts)
    sizes = [(years[min(len(years) - 1, int(q * len(years)))] - 1850) / 80 for q in (0.0, 0.1, 0.5, 0.9, 1.0)]
    many = max(1, len(days))
    return [
        1.0, *sizes, (sizes[3] - sizes[1]) * 2, len(set(years)) / len(years), len(days) / len(texts),
        sum(d.weekday() > 4 for d in days) / many, sum(d.day == 1 for d in days) / many,
    ]  # fmt: skip


def _days(texts: Sequence[str]) -> list[date]:
    """The days in texts, the day before the month where any number above 12 says so."""
    iso = list(map(_iso_day, texts))
    days = [day for day in iso if day is not None]
    found = [m for t, day in zip(texts, iso, strict=True) if day is None and (m := _DATE.fullmatch(t))]
    month_first = any(m["b"] and int(m["b"]) > 12 for m in found)
    for m in found:
        day, month = ("b", "a") if month_first else ("a", "b")
        parts = (m["y"], m["m"], m["d"]) if m["y"] else (m["z"], m[month], m[day])
        with suppress(ValueError):
            days.append(date(*map(int, parts)))
    return days


def _iso_day(text: str) -> date | None:
    """The day that a text begins with as ISO 8601 has it, in a third of the time that `_DATE` takes."""
    if text[:2] in _CENTURIES and text[4:5] + text[7:8] == "--" and not text[10:11].isdigit() and "\n" not in text:
        with suppress(ValueError):
            return date.fromisoformat(text[:10])
    return None


def _lists(v: ColumnValues) -> list[float]:
    p = v.profile
    look = v.look
    flat = [w for ws in p.words for w in ws[:12]]
    n = max(1, len(p.texts))
    known, at = v.words.of_lists, v.words.at.__getitem__
    whole = _UNLISTED if v.words.weighed.isdisjoint(p.folded_set) else _means(known[list(map(at, p.folded))])
    each = None if v.words.weighed.isdisjoint(p.vocabulary) or not flat else known[list(map(at, flat))]
    return [
        *(v.listed(entity) for entity in LISTED),
        *(v.worded(entity) / n for entity in WORDED),
        look.first,
        look.last,
        look.both,
        look.single,
        look.shaped,
        look.organisation,
        look.titled,
        look.listed,
        *((v.streets(), v.street_words(), v.medical()) if flat else (0.0, 0.0, 0.0)),
        *whole,
        *(_UNLISTED if each is None else _means(each)),
        *(_UNLISTED if each is None else _means(each > 0)),
        len(set(flat)) / max(1, len(flat)),
        min(2.0, len(flat) / n / 8),
    ]


_UNLISTED: Final = [0.0] * len(LISTS)


def _means(values: NDArray[np.generic]) -> list[float]:
    """The mean of each column.

    The same to the bit as `mean`, without the time it takes to determine the kind of array.
    """
    is_exact = values.dtype == np.bool_
    sums = np.add.reduce(values, axis=0, dtype=np.float64 if is_exact else None)
    means: list[float] = (sums / (len(values) if is_exact else np.float32(len(values)))).tolist()
    return means


def _rules(p: Profile, summary: ColumnSummary, lexicon: Lexicon) -> list[float]:
    fits = [0.0] * len(ENTITIES)
    within = 0.0
    claims = 0
    nothing = nothing_share(p)
    for rule_id, found in summary.hits.items():
        rule = lexicon.by_id.get(rule_id)
        if rule is None or rule.pattern is None:
            continue
        fit = hit_evidence.fit(rule, found, summary, nothing)
        i = _ENTITY.get(rule.entity)
        if i is not None:
            fits[i] = max(fits[i], (fit.under_header + 5) / 12 if rule.search == "cell" else (fit.alone + 9) / 8)
        within = max(within, found.within.cells / max(1, summary.filled))
        claims += 2 * found.whole.cells > summary.filled and not hit_evidence.any_digits(rule)
    return [*fits, within, math.log1p(claims) / 3]


def _evidence(column: ColumnCandidates) -> list[float]:
    """What header phrases, rules and lists show for each entity, as log-odds from 0 (none) to 2.

    And those of checks that pass beyond chance.
    """
    odds, checked = [0.0] * len(ENTITIES), [0.0] * len(ENTITIES)
    for found in column.candidates:
        i = _ENTITY.get(found.entity)
        if i is not None:
            odds[i] = max(0.0, found.logit + 6) / 6
            checked[i] = max(0.0, found.logit) / 3 * any(r.by == "checksum" and r.text is None for r in found.reasons)
    return [*odds, *checked]


@lru_cache(maxsize=4096)
def _buckets(name: str | None) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The buckets of a header: tokens, pairs of them, the first and the last one, and the n-grams within them.

    Their weights have length 2 together.
    """
    parts = ["0" if w.isdigit() else w for w in tokens(name or "")[:12]]
    found: dict[int, float] = {}
    for text, weight in _grams(parts):
        key = zlib.crc32(text.encode()) % BUCKETS
        found[key] = found.get(key, 0.0) + weight
    norm = math.sqrt(sum(w * w for w in found.values())) / 2 or 1.0
    order = sorted(found)
    return np.array(order, dtype=np.int32), np.array([found[k] / norm for k in order], dtype=np.float32)


def _grams(parts: Sequence[str]) -> list[tuple[str, float]]:
    out = []
    for part in parts:
        out.append((f"t{part}", 1.0))
        bounded = f"^{part[:24]}$"
        out += [(f"c{bounded[i : i + n]}", 0.3) for n in (3, 4, 5) for i in range(len(bounded) - n + 1)]
    out += [(f"b{a} {b}", 0.7) for a, b in pairwise(parts)]
    if parts:
        out += [(f"f{parts[0]}", 0.5), (f"l{parts[-1]}", 0.5)]
    return out
