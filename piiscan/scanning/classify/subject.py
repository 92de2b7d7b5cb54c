"""What the rows of a table are about, and so what its columns mean for the privacy of persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from piiscan.core.header_words import tokens
from piiscan.core.types import Subject, TableInfo
from piiscan.scanning.classify import named_things, word_lists
from piiscan.scanning.classify.candidates import Candidate, ColumnCandidates, probability
from piiscan.scanning.classify.measured_words import MADE
from piiscan.scanning.classify.sensors import measure_surroundings
from piiscan.scanning.classify.table_shape import (
    counts_each_group,
    counts_groups,
    has_totals,
    has_years_across,
    header_words,
    is_crossed,
    name_tokens,
)

BIOLOGY: Final = frozenset(("DATE_OF_BIRTH", "AGE", "GENDER", "HEALTH_CONDITION"))
"""What is also recorded of animals."""
SURE_NAME: Final = 1.0
"""Log-odds from which a column of names makes the contact data beside it that of persons."""
PERSONAL: Final = 1.5
"""Score from which the rows are, or speak of, natural persons."""
REACHED: Final = 0.75
"""Score from which contact data are taken for those of persons: to miss one costs more than to doubt it."""
SPEAKS: Final = 0.4
"""Weight from which a kind of column is a sign of persons by itself."""
LISTED: Final = 200
"""Of so many persons some share a given name, and some a family name."""
ALL_DIFFERENT: Final = 0.98
"""From this share of different values on, names are a list of names."""
MOSTLY_TIMES: Final = 0.8
"""Share of dates and times from which a column says when."""
MEASURED_TOGETHER: Final = 3
MOSTLY_NUMBERS: Final = 0.8
"""So many columns with this share of numbers show that they are of patients, where laboratories measure such things."""
_FIRST: Final = 2
"""A name with so many columns before it, at most, is what rows are about, if it differs; those that say when aside."""
FEW_FIRMS: Final = 0.05
"""Up to this share of words of organisations, names may be persons'."""
_MOSTLY_SINGLE: Final = 0.8
FEW_KNOWN: Final = 0.34
"""Share of the different words of full names that prose, jobs or places have, too, at most."""
FEW_WHOLE: Final = 0.3
"""Up to this share of given names with a family name, names may be those of animals."""

ALWAYS: Final = frozenset(
    """US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD CVV MEDICAL_RECORD USERNAME PASSWORD IP_ADDRESS
    MAC_ADDRESS VEHICLE_ID DEVICE_ID SECRET IBAN_CODE""".split()
)
_COUNTED: Final = frozenset(
    ("rank", "count", "counts", "frequency", "freq", "number", "percent", "prop", "births", "total", "occurrences")
)
_OF_TIMES: Final = frozenset(
    """
    count counts frequency freq births occurrences anzahl haufigkeit nombre effectif effectifs frequence cantidad
    frecuencia frequenza conteggio quantidade frequencia aantal frequentie liczba ilosc pocet cetnost antal antall
    lukumaara maara darab gyakorisag numar sayi adet kiekis skaits arv broj stevilo количество число кількість αριθμοσ
    πληθοσ العدد מספר 人数 件数 人數 数量 數量 인원 건수 jumlah
    """.split()
)
"""Words of headers that, over numbers and with no other word, say how often something occurs."""
COUNTED_NAMES: Final = "names with how often they occur"
"""What shows that rows are given or family names, and no persons."""
_COUNTED_BY: Final = frozenset(("GENDER", "REGION", "COUNTRY"))
"""What names are counted by."""
NAMES: Final = frozenset(("PERSON", "FIRST_NAME", "LAST_NAME"))
CONTACTS: Final = frozenset(("EMAIL_ADDRESS", "PHONE_NUMBER", "STREET_ADDRESS"))
OF_A_PERSON: Final = frozenset(
    "employer school university college workplace arbeitgeber employeur empleador "
    "werkgever pracodawca schule party political".split()
)

_KEYS: Final = frozenset(
    """PERSON FIRST_NAME PERSON_ID MEDICAL_RECORD US_SSN NATIONAL_ID DATE_OF_BIRTH EMAIL_ADDRESS""".split()
)
"""What identifies which person a row is about."""
_GROUPED_BY: Final = frozenset(("GENDER", "AGE", "ETHNICITY", "EDUCATION", "MARITAL_STATUS"))
_NEEDS_HEADER: Final = frozenset(("NATIONAL_ID", "EDUCATION", "OCCUPATION", "HEALTH_CONDITION", "NATIONALITY"))
"""What values alone show less surely than they show other entities."""
NEVER_PERSONS: Final = frozenset(("aggregate", "organisation", "place"))
"""Subjects whose contact data are their own."""
_NAME_WORDS: Final = frozenset(
    "name names first last full middle given family surname firstname lastname fullname vorname nachname nom prenom "
    "nombre apellido apellidos nome cognome sobrenome naam voornaam achternaam imie nazwisko person persona".split()
)
"""Words of headers of persons' names, behind one that says whose they are."""
_CREATURES: Final = word_lists.ANIMAL | word_lists.INVENTED
_THINGS: Final = word_lists.THING | MADE
_OTHER_WORDS: Final = (word_lists.THING, word_lists.ORGANISATION_ROLE, word_lists.PLACE)


ROW_COUNTER: Final = "row-counter"
"""The rule whose headers name the number of a row in a list, which identifies no person."""
OF_PERSONS_ONLY: Final = frozenset(("license-of-person",))
"""Rules whose headers name a person's number where other columns say that rows are about persons, and else a thing's.
"""


class RowSubject(NamedTuple):
    """What the rows of a table are about, and the `score` for persons.

    `text` gives the evidence; `patients`: the table's name says that they are patients; `named`: persons are named, and
    no organisations beside them; `organised`: some column has the words of organisations; `alone`: a single column and
    no other evidence of what the rows are about, or contact data beside what may be anybody's names; `of_names`: rows
    are names, each once, and whose doesn't matter; `creatures`: rows are about animals or invented figures, by the
    table's name `invented`; `parts`: words that begin the headers of a person's name and of their contact data
    ("billing", "shipping"); `measured`: the surroundings are measured, and nothing speaks of persons.
    """

    subject: Subject | None
    score: float
    text: str
    patients: bool = False
    named: bool = False
    organised: bool = False
    alone: bool = False
    of_names: bool = False
    creatures: bool = False
    invented: bool = False
    parts: frozenset[str] = frozenset()
    measured: bool = False

    @property
    def personal(self) -> bool:
        return self.score >= PERSONAL and self.subject != "aggregate"


def row_subject(
    info: TableInfo, columns: Sequence[ColumnCandidates], rows: int, weights: Mapping[str, float]
) -> RowSubject:
    """What the rows of a table are about: from its name, its headers, and what its columns are.

    `weights` are the model's, one for each term of `evidence`.
    """
    signs = _signs(info, columns)
    weighed = {term: weights.get(term, 0.0) * x for term, x in _evidence(signs, columns, rows).items()}
    score = sum(weighed.values())
    if _only_names(signs, weights):
        return RowSubject("aggregate", score - 2.0, "a list of names, each once", of_names=True)
    if text := _aggregate(signs, columns, rows, weights):
        return RowSubject("aggregate", score - 2.0, text)
    said = ", ".join(sorted((e for e, w in weighed.items() if w > 0.5 and e.isupper()), key=lambda e: -weighed[e])[:4])
    named, parts = _names_persons_only(signs), signs.parts
    if score < PERSONAL and _of_patients(signs, columns):
        score, said = PERSONAL, "laboratory values"
    if score >= PERSONAL:
        if not _is_event(signs) or weighed.keys() & {"DATE_OF_BIRTH", "AGE"}:
            patients = bool(word_lists.PATIENTS.intersection(signs.name))
            return RowSubject("person", score, said, patients=patients, parts=parts)
        if _keyed(signs) or not signs.entities.isdisjoint(("PERSON_ID", "PERSON")) or score >= 2 * PERSONAL:
            return RowSubject("event", score, said, named=named, parts=parts)
        score = PERSONAL - 0.1  # a match for men, a flight for women: nobody in particular
    return _others(signs, columns, RowSubject(None, score, said, named=named, parts=parts))


def _others(signs: _Signs, columns: Sequence[ColumnCandidates], rows: RowSubject) -> RowSubject:
    """What rows are about that aren't about persons."""
    organised = [c.values.look.organisation > 0.3 for c in columns]
    unowned = _are_unowned(signs, columns)
    single = organised == [False] and not any(signs.different(known) for known in _OTHER_WORDS)
    return rows._replace(
        subject=None if unowned else _other(signs),
        organised=any(organised),
        alone=unowned or single,
        creatures=_of_creatures(signs),
        invented=not word_lists.INVENTED.isdisjoint(signs.name),
        measured=rows.score < REACHED and measure_surroundings(signs.words),
    )


class _Signs(NamedTuple):
    """What a table's name, headers and columns say.

    `words`: those of all headers but the ones that count people and those of `parts`; `best`: the columns that are
    something, and what they are; `parts`: as in `RowSubject`.
    """

    name: tuple[str, ...]
    headers: list[tuple[str, ...]]
    words: list[str]
    best: list[tuple[ColumnCandidates, Candidate]]
    parts: frozenset[str]

    @property
    def entities(self) -> set[str]:
        return {found.entity for _, found in self.best}

    def different(self, known: frozenset[str]) -> int:
        """So many different words of the headers are among `known`."""
        return len(known.intersection(self.words))


def _signs(info: TableInfo, columns: Sequence[ColumnCandidates]) -> _Signs:
    best = [(c, found) for c in columns if (found := c.best())]
    headers = [tokens(c.header or "") for c in columns]
    parts = _parts_of_persons(best)
    best = [(c, found) for c, found in best if found.entity not in NAMES or not named_things.heads(c)]
    own = [c for c, words in zip(columns, headers, strict=True) if parts.isdisjoint(words[:1])]
    return _Signs(name_tokens(info), headers, header_words(own), best, parts)


def _are_unowned(signs: _Signs, columns: Sequence[ColumnCandidates]) -> bool:
    """Whether rows have contact data and what is called a name, and nothing that shows whose these are."""
    if any(not known.isdisjoint((*signs.name, *signs.words)) for known in _OTHER_WORDS):
        return False
    reached = {c.index for c, found in signs.best if found.entity in CONTACTS}
    names = [c for c in columns if c.index not in reached]
    return bool(reached and names) and all(map(_is_anybodys_name, names))


def _is_anybodys_name(column: ColumnCandidates) -> bool:
    """Whether a header calls single words names that no list knows, and no more than the model says whose."""
    best = column.best()
    is_firm = best is not None and best.entity == "ORGANIZATION" and unsupported(best)
    return (
        (best is None or is_firm)
        and column.profile.share([len(words) == 1 for words in column.profile.words]) > _MOSTLY_SINGLE
        and [n.rule.id for n in column.named] == ["name"]
        and column.values.look.organisation < FEW_FIRMS
        and column.values.known_words() <= FEW_KNOWN
    )


def _of_patients(signs: _Signs, columns: Sequence[ColumnCandidates]) -> bool:
    """Whether laboratories measured what rows have, and not of animals."""
    if _of_creatures(signs) or not word_lists.ANIMAL.isdisjoint((*signs.name, *signs.words)):
        return False
    return measures_patients(columns)


def measures_patients(columns: Sequence[ColumnCandidates]) -> bool:
    """Whether several numbers are what laboratories measure of patients."""
    numbers = (c.header or "" for c in columns if c.profile.numeric > MOSTLY_NUMBERS)
    return len({w for header in numbers for w in tokens(header) if w in word_lists.LABORATORY}) >= MEASURED_TOGETHER


def _keyed(signs: _Signs, supported: bool = False) -> bool:
    """Whether some column says which person a row is about; with `supported`, not by the model alone."""
    return any(
        found.entity in _KEYS and found.logit > 1 and not (supported and unsupported(found)) for _, found in signs.best
    )


def _only_names(signs: _Signs, weights: Mapping[str, float]) -> bool:
    """Whether rows are given names, or family names, and not those of persons: some of so many would share theirs."""
    kinds = {found.entity for _, found in signs.best if weights.get(found.entity, 0) > SPEAKS}
    return (
        len(kinds) == 1
        and kinds <= {"FIRST_NAME", "LAST_NAME"}
        and signs.entities.isdisjoint(CONTACTS | ALWAYS)
        and any(
            c.profile.filled >= LISTED and c.profile.unique >= ALL_DIFFERENT
            for c, found in signs.best
            if found.entity in kinds
        )
    )


def _of_creatures(signs: _Signs) -> bool:
    """Whether rows are about animals or invented figures."""
    return not _CREATURES.isdisjoint(signs.name) or not word_lists.BREED.isdisjoint(signs.words)


def names_creatures(column: ColumnCandidates, invented: bool) -> bool:
    """Whether a column names what rows are about, if that is animals or `invented` figures, or their parents.

    Animals have no family names. Who has one is their owner.
    """
    words = tokens(column.header or "")
    alike = invented or column.values.look.both <= FEW_WHOLE
    return bool(words) and alike and word_lists.OF_CREATURES.issuperset(words)


def _is_event(signs: _Signs) -> bool:
    first = signs.headers[0] if signs.headers else ()
    return not word_lists.EVENT.isdisjoint((*signs.name, *first))


def _parts_of_persons(best: Sequence[tuple[ColumnCandidates, Candidate]]) -> frozenset[str]:
    """The words that begin both the header of a person's name and one of contact data: parts that persons play here."""
    named: set[str] = set()
    reached: set[str] = set()
    for column, found in best:
        part, *rest = tokens(column.header or "") or ("",)
        if found.entity in NAMES and found.logit > SURE_NAME and _NAME_WORDS.issuperset(rest):
            named.add(part)
        elif rest and found.entity in CONTACTS:
            reached.add(part)
    others = word_lists.ORGANISATION_ROLE, word_lists.PLACE, word_lists.THING, _NAME_WORDS
    return frozenset((named & reached).difference(*others))


def _names_persons_only(signs: _Signs) -> bool:
    """Whether persons are named, and no organisations beside them."""
    if not word_lists.ORGANISATION_ROLE.isdisjoint((*signs.words, *signs.name)):
        return False
    if not signs.entities.isdisjoint(("ORGANIZATION", "ORGANIZATION_ID")):
        return False
    return any(found.entity in NAMES and found.logit > SURE_NAME for _, found in signs.best)


def _aggregate(
    signs: _Signs, columns: Sequence[ColumnCandidates], rows: int, weights: Mapping[str, float]
) -> str | None:
    """What shows that the rows are groups, or None."""
    keyed = _keyed(signs)
    if not keyed and is_crossed(columns, rows):
        return "one row for each combination of groups"
    if not keyed and any(has_totals(c) for c, found in signs.best if found.entity in _GROUPED_BY):
        return "totals among the groups"
    if not keyed and has_years_across(signs.headers):
        return "a column for each year"
    names = _names_only(signs, weights)
    if names and _counts_names(signs, columns, names):
        return COUNTED_NAMES
    counted = names and "GENDER" not in signs.entities and not _COUNTED.isdisjoint(signs.words)
    if counted or (not keyed and counts_groups(_headers_of_counts(signs), columns, rows)):
        return "counts or rates of groups"
    grouped = any(found.entity in _GROUPED_BY for _, found in signs.best)
    if (
        grouped
        and not _keyed(signs, supported=True)
        and counts_each_group(signs.headers, columns, rows, _coded_groups(signs, columns))
    ):
        return "a count of each group"
    return None


def _coded_groups(signs: _Signs, columns: Sequence[ColumnCandidates]) -> frozenset[int]:
    """The places of columns of groups of persons and of areas, which are groups although their cells are codes."""
    groups = {c.index for c, found in signs.best if found.entity in _GROUPED_BY}
    areas = (c.index for c, words in zip(columns, signs.headers, strict=True) if not word_lists.AREA.isdisjoint(words))
    return frozenset((*groups, *areas))


def _headers_of_counts(signs: _Signs) -> list[tuple[str, ...]]:
    """The words of each header that may count something: "number" doesn't in the header of telephones."""
    phones = {tokens(c.header or "") for c, found in signs.best if found.entity == "PHONE_NUMBER" and found.logit > 1}
    return [() if words in phones else words for words in signs.headers]


def _names_only(signs: _Signs, weights: Mapping[str, float]) -> set[str]:
    """Given or family names, if nothing else that speaks of persons is there but a sex."""
    names = {entity for entity in signs.entities if weights.get(entity, 0) > SPEAKS} - {"GENDER"}
    return names if len(names) == 1 and names <= {"FIRST_NAME", "LAST_NAME"} else set()


def _counts_names(signs: _Signs, columns: Sequence[ColumnCandidates], names: set[str]) -> bool:
    """Whether nothing but numbers and groups stand beside names, and one header says only how often something occurs.

    Beside a sex, other numbers may be a person's, and so may what isn't a number.
    """
    said = {c.index for c, found in signs.best if found.entity in names | _COUNTED_BY}
    others = [(words, c) for words, c in zip(signs.headers, columns, strict=True) if c.index not in said]
    return all(c.profile.numeric > MOSTLY_NUMBERS for _, c in others) and any(
        words and _OF_TIMES.issuperset(words) for words, _ in others
    )


def evidence(info: TableInfo, columns: Sequence[ColumnCandidates], rows: int) -> dict[str, float]:
    """The evidence for rows about natural persons or against it: numbers for which weights are learned.

    How likely each kind of column is, and how many words of the table's name and of its headers are words for persons,
    things, organisations or places.
    """
    return _evidence(_signs(info, columns), columns, rows)


def _evidence(signs: _Signs, columns: Sequence[ColumnCandidates], rows: int) -> dict[str, float]:
    animals = not word_lists.ANIMAL.isdisjoint((*signs.name, *signs.words))
    creatures, invented = _of_creatures(signs), not word_lists.INVENTED.isdisjoint(signs.name)
    of_things = signs.different(_THINGS) > 1
    out: dict[str, float] = {}
    for column, found in signs.best:
        theirs = creatures and found.entity in NAMES and names_creatures(column, invented)
        if found.rule not in OF_PERSONS_ONLY and not theirs and not ((animals or invented) and found.entity in BIOLOGY):
            term = _term(column, found, columns, of_things)
            out[term] = max(_likelihood(column, found, rows), out.get(term, 0.0))
    for term, known, most in (
        ("person", word_lists.PERSON_ROLE, 2),
        ("thing", word_lists.THING, 4),
        ("organisation", word_lists.ORGANISATION_ROLE, 4),
        ("place", word_lists.PLACE, 3),
    ):
        of_persons = sum(w in known for w in signs.words) if term == "person" else signs.different(known)
        if term == "person" and creatures:
            of_persons = sum(w in known and w not in word_lists.KIN for w in signs.words)
        of_persons += len(signs.parts) if term == "person" else 0
        out[f"headers, {term}"] = min(most, of_persons)
        out[f"name, {term}"] = float(any(w in known for w in signs.name))
    return {**out, "no headers": float(all(c.header is None for c in columns))}


def _term(column: ColumnCandidates, found: Candidate, columns: Sequence[ColumnCandidates], of_things: bool) -> str:
    """What a weight is learned for: the entity, and of names of persons what part they have in the table.

    `of_things`: the headers have several words of things.
    """
    if found.entity != "PERSON":
        return found.entity
    before = [c for c in columns[: column.index] if not _says_when(c)]
    is_first = len(before) <= _FIRST and column.profile.unique > 0.5
    if found.rule == "person-role":  # behind words it is the owner, the author or the head of what these name
        key = is_first and column.profile.distinct > 1 and not of_things and all(map(_numbers_rows, before))
        return "PERSON, key" if key else "PERSON, role"
    return "PERSON, key" if is_first or found.rule == "person-name" else "PERSON"


def _numbers_rows(column: ColumnCandidates) -> bool:
    """Whether most cells are numbers or codes, which name nothing."""
    return column.profile.with_digit > MOSTLY_NUMBERS and column.profile.spaced < 1 - MOSTLY_NUMBERS


def _says_when(column: ColumnCandidates) -> bool:
    """Whether a column has dates, times or one value in all rows, and so not what a row is about."""
    kinds = column.profile.kinds
    return kinds.get("date", 0.0) + kinds.get("time", 0.0) > MOSTLY_TIMES or column.profile.distinct == 1


def _likelihood(column: ColumnCandidates, found: Candidate, rows: int) -> float:
    """The probability of a column's entity, less the part that isn't reliable."""
    x = probability(found.logit)
    if found.entity != "PERSON":
        if unsupported(found):
            x *= 0.6
        elif not found.by_header:
            x *= 0.4 if found.entity in _NEEDS_HEADER else 0.9
    if rows and not column.profile.filled:
        x *= 0.3  # an empty column is only what somebody meant to fill
    return x


def _other(signs: _Signs) -> Subject | None:
    """What rows are about that are not persons, by words and by what the columns are."""
    words = signs.words
    kinds: dict[Subject, float] = {
        "thing": 0.5 * signs.different(_THINGS),
        "place": 0.5 * signs.different(word_lists.PLACE),
        "organisation": 0.4 * signs.different(word_lists.ORGANISATION_ROLE),
        "event": 0.0,
    }
    named: tuple[tuple[Subject, frozenset[str]], ...] = (
        ("thing", word_lists.THING),
        ("place", word_lists.PLACE),
        ("organisation", word_lists.ORGANISATION_ROLE),
        ("event", word_lists.EVENT),
    )
    for subject, known in named:
        kinds[subject] += 1.5 * (not known.isdisjoint(signs.name))
    kinds["event"] += 0.4 * sum(w in word_lists.EVENT for w in words)
    kinds["place"] += 0.8 * ("GEO_COORDINATES" in signs.entities)
    kinds["organisation"] += 0.8 * ("ORGANIZATION" in signs.entities)
    likeliest, weight = max(kinds.items(), key=lambda item: (item[1], item[0]))
    return likeliest if weight >= 0.8 else None


def unsupported(found: Candidate) -> bool:
    """Whether only the model supports an entity: no header phrase, no rule, no form of its values."""
    return all(r.by in ("model", "subject") for r in found.reasons)
