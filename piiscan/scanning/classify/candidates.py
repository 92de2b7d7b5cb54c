"""The entities that one column could be, judged by its header, its cells and the look of its values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import Field, Reason
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.rules.definitions import Rule
from piiscan.scanning.classify import hit_evidence
from piiscan.scanning.classify.column_values import ColumnValues
from piiscan.scanning.classify.entities_inside import of_things
from piiscan.scanning.classify.header_evidence import Named, named, silent
from piiscan.scanning.classify.lexicon import Lexicon
from piiscan.scanning.classify.profile import Profile, profile
from piiscan.scanning.classify.value_evidence import HASHED, MASKED, MOSTLY, weight
from piiscan.scanning.classify.word_lists import NOT_PERSONS, PEOPLE, PERSON_ROLE

KEY_WORDS = frozenset(("id", "ids", "key", "uuid", "guid"))
NUMBER_WORDS = frozenset("no nr num nbr number numero nro numer nummer cislo".split())
ANOTHER_NAMED = 3.0
"""What a rule loses where the header names another country's number: check digits alone may be luck."""
NO_LONGER_THERE = 1.5
"""What a header that names an identifier adds where values are hashed or masked: that is done to identifiers."""
TRUNCATED = 3.0
"""What the look of truncated numbers says: hardly anything else has as many characters and shows the last four."""
_TRUNCATED = lazy_pattern(r"(?=.{15,16}$)(?:\d{4}|\d{6})?[*•●■█#xX]{5,}\d{4}")
_LAST_FOUR = lazy_pattern(r"([*•●■█#xX])\1\1-\1\1-\d{4}")
SHARED = "the check of another number passes too"
_AXES = frozenset("lat latitude lon lng long longitude".split())
_PAIR_OF_DEGREES = lazy_pattern(r"[-+]?\d{1,2}\.\d{3,}°[,;]? ?[-+]?\d{1,3}\.\d{3,}°")
HIGHEST = 6.0
"""No log-odds above this: one column in 400 is labelled otherwise whatever is seen."""


class Candidate(NamedTuple):
    """An entity a column could be. `logit`: its log-odds against all else; `by_header`: the header names it."""

    entity: str
    subtype: str | None
    rule: str
    logit: float
    reasons: tuple[Reason, ...]
    by_header: bool = False

    def with_evidence(self, by: float, reason: Reason) -> Candidate:
        """Return the candidate with more or less weight, and the reason."""
        return Candidate(
            self.entity, self.subtype, self.rule, min(HIGHEST, self.logit + by), (*self.reasons, reason), self.by_header
        )


@dataclass(frozen=True, slots=True)
class ColumnCandidates:
    """One column as far as it can be judged by itself. `candidates`: one an entity, the likeliest first."""

    index: int
    header: str | None  # None also for one that names nothing ("col_7")
    profile: Profile
    values: ColumnValues
    named: tuple[Named, ...]
    candidates: tuple[Candidate, ...]

    def with_candidates(self, candidates: tuple[Candidate, ...]) -> ColumnCandidates:
        """Return the column with other candidates."""
        return ColumnCandidates(self.index, self.header, self.profile, self.values, self.named, candidates)

    def best(self) -> Candidate | None:
        """The likeliest entity where it is likelier than not."""
        return self.candidates[0] if self.candidates and self.candidates[0].logit > 0 else None

    def of(self, *entities: str) -> Candidate | None:
        """The candidate for the first of these entities that there is one for."""
        return next((c for e in entities for c in self.candidates if c.entity == e), None)


def judge(
    index: int, field: Field, column: ColumnSummary, lexicon: Lexicon, values: ColumnValues | None = None
) -> ColumnCandidates:
    """Return every entity for which one column has evidence of its own.

    `values`: its values, where they were computed before.
    """
    v = ColumnValues(profile(column), lexicon) if values is None else values
    p = v.profile
    header = None if silent(field.name) else field.name
    names = named(header, lexicon)
    found = [
        *_by_header(names, column, v),
        *_role_key(names, header, v),
        *_by_rules(names, header, column, v, lexicon),
        *by_values(v, names, header),
        *_truncated(p),
        *_degrees(header, p),
        *_prose(column, v, lexicon),
    ]
    if any(
        c.entity == "IBAN_CODE" and c.logit > 0 and any(r.by in ("rule", "checksum") for r in c.reasons) for c in found
    ):
        found = [c for c in found if c.entity != "BANK_ACCOUNT"]  # the more specific of the two
    named_ = {n.rule.id for n in names}
    found = [c if c.rule in named_ else _doubted(c, found, column, lexicon) for c in found]
    return ColumnCandidates(index, header, p, v, names, ranked(found))


def _doubted(found: Candidate, all_: Iterable[Candidate], column: ColumnSummary, lexicon: Lexicon) -> Candidate:
    """A number of things, with a doubt where the check of a person's passes too, whose pattern says more."""
    if PII_CLASS[found.entity] != "none" or not is_checked(found):
        return found
    distinct = column.sample.distinct
    others = (c for c in all_ if PII_CLASS[c.entity] == "direct" and c.logit > 0 and is_checked(c))
    if not any(hit_evidence.is_narrow(lexicon.by_id[c.rule], distinct) for c in others):
        return found
    return found._replace(reasons=(*found.reasons, Reason("checksum", found.rule, text=SHARED)))


def is_checked(found: Candidate) -> bool:
    """Whether values pass the check of a rule for this entity, beyond chance."""
    return any(r.by == "checksum" and r.text is None for r in found.reasons)


def ranked(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate of each entity, the likeliest first."""
    best: dict[str, Candidate] = {}
    for c in candidates:
        if c.entity not in best or best[c.entity].logit < c.logit:
            best[c.entity] = c
    return tuple(sorted(best.values(), key=lambda c: (-c.logit, c.entity)))


def counts_people(header: str | None, p: Profile) -> bool:
    """Whether a header that names persons in the plural stands over numbers: how many there are."""
    return p.numeric + p.kinds.get("money", 0.0) > 0.8 and p.length < 8 and not PEOPLE.isdisjoint(tokens(header or ""))


def nothing_share(p: Profile) -> float:
    """Share of filled cells that stand for no value ("N/A")."""
    return p.nothing / max(1, p.nothing + sum(p.counts))


def _by_header(names: tuple[Named, ...], column: ColumnSummary, v: ColumnValues) -> Iterable[Candidate]:
    for n in names:
        rule = n.rule
        support, text = weight(rule.entity, rule.kind, v)
        reasons: tuple[Reason, ...] = (
            Reason("header", rule.id, text=None if n.logit > 0 else f"it may mean {rule.entity}, among other things"),
        )
        if text:
            reasons = (*reasons, Reason("values", rule.id, text=text))
        subtype: str | None = None
        if text in (HASHED, MASKED):
            support += NO_LONGER_THERE if n.logit > 0 else 0.0
        elif rule.pattern is not None and v.profile.texts:
            fit = hit_evidence.fit(rule, column.hits.get(rule.id), column, nothing_share(v.profile))
            support += fit.under_header
            reasons = (*reasons, *fit.reasons)
            subtype = rule.subtype if fit.under_header > 0 else None
        yield Candidate(rule.entity, subtype, rule.id, min(HIGHEST, n.logit + support), reasons, by_header=True)


def _role_key(names: tuple[Named, ...], header: str | None, v: ColumnValues) -> Iterable[Candidate]:
    """A key word ("id") beside a word for a person: the key of one."""
    words = set(tokens(header or ""))
    if (
        not words & PERSON_ROLE
        or words & NOT_PERSONS
        or any(n.rule.entity in ("PERSON_ID", "MEDICAL_RECORD") for n in names)
    ):
        return
    if (words & KEY_WORDS and any(n.rule.entity == "GENERIC_ID" for n in names)) or (
        words & NUMBER_WORDS and not words & PEOPLE
    ):
        support, _ = weight("PERSON_ID", "any", v)
        yield Candidate(
            "PERSON_ID",
            None,
            "person-id",
            1.4 + support,
            (Reason("header", "person-id", text="a key beside a word for a person"),),
            by_header=True,
        )
    elif (
        any(n.rule.id in ("person-role", "username-role") and n.logit > -1 for n in names)
        and v.profile.keyed > 0.9
        and not counts_people(header, v.profile)
    ):
        support, _ = weight("PERSON_ID", "code", v)
        yield Candidate(
            "PERSON_ID",
            None,
            "person-id",
            0.5 + support,
            (Reason("header", "person-id", text="keys below a word for a person"),),
            by_header=True,
        )


def _by_rules(
    names: tuple[Named, ...], title: str | None, column: ColumnSummary, v: ColumnValues, lexicon: Lexicon
) -> Iterable[Candidate]:
    header = {n.rule.entity: n.logit for n in reversed(names)}
    # A header that names one country's number doesn't speak for another country's.
    subtypes = {(n.rule.entity, n.rule.subtype) for n in names if n.rule.subtype}
    own = {
        entity for entity, _ in subtypes if not any(n.rule.entity == entity and n.rule.subtype is None for n in names)
    }
    for rule_id in sorted(column.hits):
        rule: Rule | None = lexicon.by_id.get(rule_id)
        if rule is None or rule.pattern is None or rule.search == "cell":
            continue
        fit = hit_evidence.fit(rule, column.hits[rule_id], column, nothing_share(v.profile))
        if rule.entity in own and (rule.entity, rule.subtype) not in subtypes:
            if fit.alone > 0:
                yield Candidate(rule.entity, rule.subtype, rule.id, fit.alone - ANOTHER_NAMED, fit.reasons)
        elif rule.entity in header:
            against = max(0.0, -weight(rule.entity, "any", v)[0])
            score = header[rule.entity] + fit.under_header - against
            reasons = (Reason("header", rule.id), *fit.reasons)
            yield Candidate(
                rule.entity, rule.subtype, rule.id, min(HIGHEST, max(score, fit.alone)), reasons, by_header=True
            )
        elif fit.alone > -2:
            # A header that names another kind of key says more than the look of a UUID or a hash.
            if of_things(title, rule):
                continue
            most = 0.3 if rule.entity == "GENERIC_ID" and header else HIGHEST
            yield Candidate(rule.entity, rule.subtype, rule.id, min(most, fit.alone), fit.reasons)


def _prose(column: ColumnSummary, v: ColumnValues, lexicon: Lexicon) -> Iterable[Candidate]:
    """Candidates for text: text with direct identifiers in it is text about persons, whatever the header says."""
    if v.profile.word_count < 3 or v.profile.structured > 0.5:
        return
    cells = max(
        (
            found.within.cells
            for i, found in column.hits.items()
            if found.within.cells and PII_CLASS[lexicon.by_id[i].entity] == "direct"
        ),
        default=0,
    )
    share = cells / max(1, column.filled)
    if share >= 0.15:
        yield Candidate(
            "FREE_TEXT",
            None,
            "free-text",
            min(2.0, 0.3 + 2 * share),
            (Reason("values", "free-text", cells, round(share, 4), text="identifiers inside the text"),),
        )


def _degrees(header: str | None, p: Profile) -> Iterable[Candidate]:
    """Latitude and longitude as no rule knows them: ten-millionths of degrees, and pairs with the sign of degrees."""
    words = tokens(header or "")
    if words[-2:] == ("e", "7") and not _AXES.isdisjoint(words) and p.within(-180e7, 180e7) > MOSTLY:
        reasons = (Reason("header", "geo-latitude"), Reason("values", text="ten-millionths of degrees"))
        yield Candidate("GEO_COORDINATES", None, "geo-latitude", TRUNCATED, reasons, by_header=True)
    share = p.share_of(lambda form: _PAIR_OF_DEGREES.fullmatch(form) is not None)
    if share > MOSTLY:
        reason = Reason("values", "geo-degrees", round(share * p.filled), round(share, 4), text="pairs of degrees")
        yield Candidate("GEO_COORDINATES", None, "geo-degrees", TRUNCATED, (reason,))


def _truncated(p: Profile) -> Iterable[Candidate]:
    """Numbers of which the last four digits are left.

    Of cards, as merchants may show them, with the first six at most; of social security without any others.
    """
    if p.masked <= MOSTLY:
        return
    cards = p.share([_TRUNCATED.fullmatch(t.replace(" ", "").replace("-", "")) is not None for t in p.texts])
    numbers = p.share([_LAST_FOUR.fullmatch(t) is not None for t in p.texts])
    for entity, rule, share in (("CREDIT_CARD", "card", cards), ("US_SSN", "us-ssn", numbers)):
        if share > MOSTLY:
            reason = Reason("values", rule, round(share * p.filled), round(share, 4), text=MASKED)
            yield Candidate(entity, None, rule, TRUNCATED, (reason,))


def by_values(v: ColumnValues, names: tuple[Named, ...], header: str | None) -> Iterable[Candidate]:
    """Entities that the form of the values shows without a header: names, words from lists."""
    p = v.profile
    if p.lettered < 0.6 or p.distinct < 2 or p.structured > 0.5:
        return
    bare = 0.0 if header else 0.7

    def listed(entity: str, rule: str, least: float, distinct: int, strength: float) -> Iterable[Candidate]:
        share = v.listed(entity)
        if share >= least and p.distinct >= distinct and p.share_of(lambda form: len(form) > 3) > 0.6:
            odds = strength + 3.0 * (share - least) + bare
            yield Candidate(
                entity,
                None,
                rule,
                odds,
                (
                    Reason(
                        "values",
                        rule,
                        cells=round(share * p.filled),
                        share=round(share, 4),
                        text="values from the list",
                    ),
                ),
            )

    yield from _names(v, bare, names)
    yield from listed("COUNTRY", "countries", 0.8, 4, 0.8)
    yield from listed("REGION", "regions", 0.8, 5, 0.2)
    yield from listed("CITY", "cities", 0.7, 8, 0.2)
    yield from listed("MARITAL_STATUS", "marital-statuses", 0.85, 3, 1.0)
    yield from listed("RELIGION", "religions", 0.8, 3, 1.2)
    yield from listed("ETHNICITY", "ethnicities", 0.85, 3, 0.6)
    if (
        sum("SEXUALITY" in v.words.listed.get(text, ()) for text in p.folded_set) > 1
    ):  # roads and hair are straight, too
        yield from listed("SEXUALITY", "sexual-orientations", 0.8, 2, 1.5)
    yield from listed("NATIONALITY", "nationalities", 0.85, 6, 0.0)
    yield from listed("EDUCATION", "education-levels", 0.85, 4, 0.4)
    yield from listed("OCCUPATION", "occupations", 0.75, 7, 0.2)
    medical = v.medical() if p.distinct >= 4 else 0.0
    if medical >= 0.6:
        yield Candidate(
            "HEALTH_CONDITION",
            None,
            "health-words",
            4 * medical - 2.4 + bare,
            (Reason("values", "health-words", share=round(medical, 4), text="words of medicine"),),
        )
    yield from _sexes(v, bare)
    streets = v.street_words() if p.with_digit > 0.5 and p.spaced > 0.6 and p.distinct >= 5 else 0.0
    if streets > 0.55 and p.word_count < 12:
        yield Candidate(
            "STREET_ADDRESS",
            None,
            "street-address",
            4.0 * (streets - 0.5) + bare,
            (Reason("values", share=round(streets, 4), text="street words beside numbers"),),
        )


def _names(v: ColumnValues, bare: float, names: tuple[Named, ...]) -> Iterable[Candidate]:
    p, look = v.profile, v.look
    if look.organisation >= 0.25 and any(n.rule.id == "name" for n in names):
        odds = min(2.5, 5 * look.organisation - 1.2)
        yield Candidate(
            "ORGANIZATION",
            None,
            "organization",
            odds,
            (Reason("header", "name"), Reason("values", text="words of organisations")),
            True,
        )
    if p.distinct < 5 or look.organisation > 0.2 or look.shaped < 0.6:
        return
    if look.both >= 0.55:
        odds = 6.0 * (look.both - 0.55) - 0.4 + bare - (0.3 if names else 0.0) + (2.0 if look.titled > 0.3 else 0.0)
        yield Candidate(
            "PERSON",
            None,
            "first-names",
            odds,
            (Reason("values", "first-names", share=round(look.both, 4), text="given names among two or more words"),),
        )
    elif (
        look.single > 0.95
        and look.first >= 0.6
        and p.distinct >= 8
        and v.listed("CITY") < 0.3
        and v.listed("COUNTRY") < 0.3
    ):
        odds = 4.0 * (look.first - 0.6) - 0.8 + bare
        yield Candidate(
            "FIRST_NAME",
            None,
            "first-names",
            odds,
            (Reason("values", "first-names", share=round(look.first, 4), text="given names from the list"),),
        )


def _sexes(v: ColumnValues, bare: float) -> Iterable[Candidate]:
    p = v.profile
    if p.distinct > 12 or v.listed("GENDER") < 0.9:
        return
    values = set(p.folded)
    both = any(
        {a, b} <= values
        for a, b in (
            ("male", "female"),
            ("man", "woman"),
            ("m", "f"),
            ("masculino", "femenino"),
            ("homme", "femme"),
            ("mannlich", "weiblich"),
            ("maschio", "femmina"),
            ("masculino", "feminino"),
            ("mezczyzna", "kobieta"),
            ("erkek", "kadin"),
            ("男", "女"),
            ("м", "ж"),
        )
    )
    if both:
        odds = (2.5 if max(map(len, values)) > 1 else 0.6) + bare
        yield Candidate(
            "GENDER",
            None,
            "genders",
            odds,
            (Reason("values", "genders", share=round(v.listed("GENDER"), 4), text="both sexes, and little else"),),
        )


def probability(logit: float) -> float:
    """The probability of log-odds.

    >>> probability(0.0)
    0.5
    """
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
