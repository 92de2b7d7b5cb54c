"""The persons that a row is about: which columns belong to which, and what identifies them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from piiscan.core.header_words import is_of_attribute, tokens
from piiscan.core.types import ColumnReport, TableReport
from piiscan.masking.plan import row_people
from piiscan.masking.plan.key_links import NATIONAL, NUMBERS, kinds, ranked
from piiscan.masking.plan.listed_people import lists_names, with_addresses
from piiscan.masking.plan.plan_types import Action, Subject, TablePlan
from piiscan.masking.plan.row_people import ENOUGH, ODD, CountedRows
from piiscan.masking.plan.whose_columns import NAMES, is_reading, whose_part

PARTS: Final = ("PERSON", "FIRST_NAME", "LAST_NAME", "EMAIL_ADDRESS", "USERNAME", "URL")
"""Entities that a persona has a part for."""
PLACE_KINDS: Final = {"CITY": "city", "REGION": "region", "POSTAL_CODE": "postal_code"}
"""Entity → the part of a place that a persona has for it."""
SAMPLED: Final = 400
"""Texts of a column that are sampled."""
UNIQUE: Final = 0.5
"""Share of different values from which a key tells a table's rows apart."""
MANY: Final = 1000
"""So many different values tell them apart anyway."""
_NUMBERS_EACH: Final = 2
_PEOPLE: Final = 2
"""Subjects that have to have names, for these to mean the same person in all tables."""


def names(report: TableReport, samples: Sequence[tuple[str, ...]]) -> tuple[list[str], str | None]:
    """Names of persons in a table, and its country if it has only one: the evidence for the locale of surrogates."""
    people = [c for c in report.columns if c.entity in NAMES and c.pii == "direct"]
    return [text for c in people for text in samples[c.index][:SAMPLED]], _country(report, samples)


def found(
    report: TableReport,
    samples: Sequence[tuple[str, ...]],
    rows: CountedRows,
    gets_surrogate: Sequence[bool],
    locale: str,
) -> tuple[Subject, ...]:
    """The subjects of a table's rows.

    `rows`: some of them; `gets_surrogate`: which columns are to get surrogates.
    """
    # A list may be of several people: its elements are each their own.
    report = replace(report, columns=tuple(c for c in report.columns if c.dtype != "other"))
    parts = [c for c in report.columns if gets_surrogate[c.index] and c.entity in PARTS and c.pii != "none"]
    groups = row_people.found(parts, rows)
    each = (_subject(whose, groups, report, samples, rows, locale) for whose in groups)
    return tuple(filter(None, each)) or _of_places(report, rows, gets_surrogate, locale)


def _subject(
    whose: str,
    groups: Mapping[str, list[ColumnReport]],
    report: TableReport,
    samples: Sequence[tuple[str, ...]],
    rows: CountedRows,
    locale: str,
) -> Subject | None:
    """The person of one group of columns, None where nothing identifies them."""
    columns = groups[whose]
    main = whose == "" or len(groups) == 1
    number = _number(columns, report, rows) if main else None
    national = _national(columns, report, rows) if main else []
    keys = _keys(columns, number, national)
    if not keys:
        return None
    written = [c for c in columns if not is_reading(c)] or columns
    return Subject(
        _named(whose, groups),
        keys,
        locale,
        row_people.role(whose) or (number and whose_part(number)) or row_noun(report),
        _gender(report, whose, groups, main),
        {},
        first_name=_first(written, "FIRST_NAME"),
        last_name=_first(written, "LAST_NAME"),
        full_name=(full := _first(written, "PERSON")),
        country=_first(report.columns, "COUNTRY") if main else None,
        phone=_own_phone(report.columns, [s for s in groups if s != whose]) if main else None,
        look=_name_pattern(samples, full, locale),
        columns=tuple(c.index for c in columns),
        everywhere=tuple(c.index for c in national),
    )


def _of_places(
    report: TableReport, rows: CountedRows, gets_surrogate: Sequence[bool], locale: str
) -> tuple[Subject, ...]:
    """The people who live in the made-up places of a table without names and addresses.

    The people who have a number, else each place as a whole.
    """
    columns = [c for c in report.columns if gets_surrogate[c.index] and c.entity in PLACE_KINDS]
    if not columns:
        return ()
    number = _number(columns, report, rows)
    whose = Subject(
        "person" if number else "place",
        ((number.index,),) if number else (tuple(c.index for c in columns),),
        locale,
        (number and whose_part(number)) or row_noun(report),
        country=_first(report.columns, "COUNTRY"),
        phone=_first(report.columns, "PHONE_NUMBER"),
    )
    return (whose,)


def _named(whose: str, groups: Collection[str]) -> str:
    """The row's own person is called `person`, or `row` where a column plays a part of that name."""
    own = "person" if "person" not in groups else "row"
    return whose if row_people.role(whose) else own + whose


def _number(columns: Sequence[ColumnReport], report: TableReport, rows: CountedRows) -> ColumnReport | None:
    """The column of the persons' numbers: a number tells rows apart, or rows of one number have one name.

    And nobody has many of them.
    """
    numbers = [c for entity in NUMBERS for c in report.columns if c.entity == entity]
    theirs = (c for c in numbers if not _are_of_others(c.index, columns, rows))
    return next((c for c in theirs if _tells_rows_apart(c, columns, report, rows)), None)


def _are_of_others(number: int, columns: Sequence[ColumnReport], rows: CountedRows) -> bool:
    """Whether a person has two numbers or more on average: those of the customers whom an employee serves."""
    whole = {c.entity for c in columns} >= {"FIRST_NAME", "LAST_NAME"}
    names = tuple(c.index for c in columns if c.entity == "PERSON" or (whole and c.entity in NAMES))
    keys = [(c.index,) for c in columns if c.entity in ("EMAIL_ADDRESS", "USERNAME")] + [names] * bool(names)
    return bool(keys) and all(_have_several(key, number, rows) for key in keys)


def _have_several(key: tuple[int, ...], number: int, rows: CountedRows) -> bool:
    seen = {(tuple(row[i] for i in key), row[number]) for row, _ in rows if row[number] is not None}
    pairs = [who for who, _ in seen if None not in who]
    people = len(set(pairs))
    return len(pairs) >= max(_NUMBERS_EACH * people, people + ENOUGH)


def _national(columns: Sequence[ColumnReport], report: TableReport, rows: CountedRows) -> list[ColumnReport]:
    """The columns of the rows' own persons' national numbers."""
    return [c for c in national_numbers(report) if _tells_rows_apart(c, columns, report, rows)]


def national_numbers(report: TableReport) -> list[ColumnReport]:
    """A table's columns of national numbers, one of each kind: of two, no column shows whose each is."""
    usable = [c for c in report.columns if c.dtype != "other" and c.pii != "none"]
    each = [[c for c in usable if c.entity == entity] for entity in NATIONAL]
    return [found[0] for found in each if len(found) == 1 and found[0].rule != "person-role"]


def _tells_rows_apart(
    number: ColumnReport, columns: Sequence[ColumnReport], report: TableReport, rows: CountedRows
) -> bool:
    if columns and all(map(is_of_attribute, columns)):
        return _attributes_follow(number.index, [c.index for c in columns], rows)
    names = [c.index for c in columns if c.entity in NAMES]
    least = min(UNIQUE * max(1, report.rows), MANY)
    return number.distinct >= least or _names_follow(number.index, names, rows)


def _names_follow(number: int, names: Sequence[int], rows: CountedRows) -> bool:
    """Whether hardly any rows of one number differ in their names.

    A customer's number has one name, a manager's number has those of several employees.
    """
    seen: dict[str, set[tuple[str | None, ...]]] = {}
    times: Counter[str] = Counter()
    for row, n in rows:
        if (cell := row[number]) is not None:
            seen.setdefault(cell, set()).add(tuple(row[i] for i in names))
            times[cell] += n
    again = [len(seen[cell]) > 1 for cell, n in times.items() if n > 1]
    return bool(names) and len(again) >= ENOUGH and sum(again) <= ODD * len(again)


def _attributes_follow(number: int, columns: Sequence[int], rows: CountedRows) -> bool:
    """Whether hardly any number has two values of one attribute, in a table with an attribute a row."""
    seen: dict[str, dict[int, set[str]]] = {}
    for row, _ in rows:
        if (cell := row[number]) is not None:
            for i in columns:
                if (value := row[i]) is not None:
                    seen.setdefault(cell, {}).setdefault(i, set()).add(value)
    several = [any(len(values) > 1 for values in held.values()) for held in seen.values() if len(held) > 1]
    return len(several) >= ENOUGH and sum(several) <= ODD * len(several)


def _keys(
    columns: Sequence[ColumnReport], number: ColumnReport | None, national: Sequence[ColumnReport]
) -> tuple[tuple[int, ...], ...]:
    """What identifies a person, the best first.

    An e-mail address, a person's number, a national one, a user name, the names together, and of names in two
    places the second ones by themselves: the first may be empty. The number, where a row has one value: it alone is in
    all of a person's rows.
    """
    keys: list[tuple[int, ...]] = [(number.index,)] if number and any(map(is_of_attribute, columns)) else []
    keys += [(c.index,) for c in columns if c.entity == "EMAIL_ADDRESS"][:1]
    keys += [(number.index,)] if number else []
    keys += [(c.index,) for c in national]
    keys += [(c.index,) for c in columns if c.entity == "USERNAME"][:1]
    names = [c for c in columns if c.entity in NAMES]
    names = [c for c in names if not is_reading(c)] or names
    keys += [tuple(c.index for c in part) for part in _written_once(names)]
    keys += [(c.index,) for c in columns if c.entity == "URL"][:1]
    return tuple(dict.fromkeys(keys))


def _written_once(names: Sequence[ColumnReport]) -> list[list[ColumnReport]]:
    """Columns of one person's names, those of a second place ("name" and "signed_by") by themselves."""
    parts: list[list[ColumnReport]] = []
    for column in names:
        fits = (part for part in parts if not any(_again(column, known) for known in part))
        if (part := next(fits, None)) is None:
            parts.append(part := [])
        part.append(column)
    return parts


def _again(column: ColumnReport, known: ColumnReport) -> bool:
    """Whether a column has the name of another one, and not a second name ("middle_name" beside "first_name")."""
    return column.entity == known.entity and (column.entity == "PERSON" or whose_part(column) != whose_part(known))


def with_needed_keys(tables: Sequence[TablePlan]) -> list[TablePlan]:
    """Add keys to subjects where tables need them to recognise the same people.

    National numbers, where another table has such numbers too, or where no better key distinguishes two people of one
    name; telephone and whole name, where two tables have no other key in common; whole names, where some people have
    nothing else.
    """
    return _with_needed_names(_with_needed_telephones([_with_needed_numbers(t, tables) for t in tables]))


def _with_needed_telephones(tables: Sequence[TablePlan]) -> list[TablePlan]:
    able = [(t, s) for t, table in enumerate(tables) for s in table.subjects if _telephone_key(s) and not _human(s)]
    known_by = [set(kinds(s, tables[t])) for t, s in able]
    needed = any(
        t != t2 and not known_by[n] & known_by[m] for n, (t, _) in enumerate(able) for m, (t2, _) in enumerate(able)
    )
    if not needed:
        return list(tables)
    return [
        replace(table, subjects=tuple(_with_telephone(s, table) if (t, s) in able else s for s in table.subjects))
        for t, table in enumerate(tables)
    ]


def _with_needed_names(tables: Sequence[TablePlan]) -> list[TablePlan]:
    """Have whole names mean the same person in all tables, where other people of the plan have names, too."""
    named = [[s for s in table.subjects if _whole_name(s) and not _human(s)] for table in tables]
    listed = [_listed(table) for table in tables]
    by_name = any(_by_name(s, table) for table, each in zip(tables, named, strict=True) for s in each)
    several = sum(map(len, named)) + sum(map(len, listed)) >= _PEOPLE
    addressed = any(with_addresses(table.columns) for table in tables)
    if not (by_name or any(listed)) or not (several or addressed):
        return list(tables)
    return [_known_by_name(*each) for each in zip(tables, named, listed, strict=True)]


def _known_by_name(table: TablePlan, named: Sequence[Subject], listed: Sequence[int]) -> TablePlan:
    """A table in which the whole names of some subjects, and columns of lists, mean the same person as elsewhere."""

    def one(subject: Subject) -> Subject:
        if subject not in named:
            return subject
        note = (
            "a name in full, read as its look says, is the same person's in all tables, unless several people have it"
        )
        notes = (*subject.notes, note) if _by_name(subject, table) else subject.notes
        return replace(subject, everywhere=(*subject.everywhere, _whole_name(subject)[0]), notes=notes)

    def each(action: Action) -> Action:
        return replace(action, params={**action.params, "everywhere": True}) if action.index in listed else action

    return replace(table, columns=tuple(map(each, table.columns)), subjects=tuple(map(one, table.subjects)))


def _by_name(subject: Subject, table: TablePlan) -> bool:
    """Whether nothing but the whole name tells who somebody is."""
    return not ranked(subject, table) and subject.keys[0] == _whole_name(subject)


def _listed(table: TablePlan) -> list[int]:
    return [a.index for a in table.columns if lists_names(a) and a.decided_by == "policy"]


def _whole_name(subject: Subject) -> tuple[int, ...]:
    """The key of a subject that is their whole name; empty where there is none."""
    parts = {subject.first_name, subject.last_name} if subject.first_name is not None else {subject.full_name}
    return next((key for key in subject.keys if {*key} == parts), ())


def _with_needed_numbers(table: TablePlan, tables: Sequence[TablePlan]) -> TablePlan:
    elsewhere = {a.entity for t in tables if t is not table for s in t.subjects for a in _national_columns(s, t)}

    def one(subject: Subject) -> Subject:
        national = {a.index for a in _national_columns(subject, table)}
        if _human(subject) or len(ranked(subject, table)) == len(national):
            return subject
        left_out = {i for i in national if table.columns[i].entity not in elsewhere}
        keys = tuple(key for key in subject.keys if key[0] not in left_out)
        return replace(subject, keys=keys, everywhere=tuple(i for i in subject.everywhere if i not in left_out))

    return replace(table, subjects=tuple(map(one, table.subjects)))


def _national_columns(subject: Subject, table: TablePlan) -> list[Action]:
    return [a for i in subject.everywhere if (a := table.columns[i]).entity in NATIONAL]


def _human(subject: Subject) -> bool:
    return subject.decided_by == "human"


def _telephone_key(subject: Subject) -> tuple[int, ...]:
    """Telephone and whole name of a subject; empty where it lacks one."""
    names = (
        (subject.first_name, subject.last_name)
        if subject.first_name is not None and subject.last_name is not None
        else (subject.full_name,)
    )
    found = tuple(i for i in (subject.phone, *names) if i is not None)
    return found if len(found) == 1 + len(names) else ()


def _with_telephone(subject: Subject, table: TablePlan) -> Subject:
    key = _telephone_key(subject)
    if key in subject.keys:
        return subject
    at = 1 + max((i for _, i in ranked(subject, table)), default=-1)
    keys = (*subject.keys[:at], key, *subject.keys[at:])
    note = "nothing else links these people with those of another table: telephone and whole name do"
    return replace(subject, keys=keys, everywhere=(*subject.everywhere, key[0]), notes=(*subject.notes, note))


def row_noun(report: TableReport) -> str:
    """What the rows of a table are, in the singular, by its name: "customer" for customers.csv.

    As in a header "customer_id".
    """
    words = tokens(report.table or PurePosixPath(report.source.split("!")[-1]).name.split(".")[0])
    word = next((w for w in reversed(words) if not w.isdigit()), "person")
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _first(columns: Sequence[ColumnReport], entity: str) -> int | None:
    return next((c.index for c in columns if c.entity == entity), None)


def _own_phone(columns: Sequence[ColumnReport], others: Sequence[str]) -> int | None:
    """The first telephone whose header doesn't name one of the other people."""
    return _first([c for c in columns if not _names_one_of(c, others)], "PHONE_NUMBER")


def _gender(report: TableReport, whose: str, groups: Collection[str], main: bool) -> int | None:
    """The column of a person's gender: that which names them, or of the row's own person the first of nobody else's."""
    genders = [c for c in report.columns if c.entity == "GENDER"]
    theirs = [c for c in genders if _names_one_of(c, [whose])]
    if main and not theirs:
        theirs = [c for c in genders if not _names_one_of(c, [other for other in groups if other != whose])]
    return theirs[0].index if theirs else None


def _names_one_of(column: ColumnReport, people: Sequence[str]) -> bool:
    """Whether a header has all words that one of some people is called by."""
    named = (frozenset(filter(None, whose.split("_"))) for whose in people if whose)
    return any(words.issubset(tokens(column.name or "")) for words in named)


def _name_pattern(samples: Sequence[tuple[str, ...]], column: int | None, locale: str) -> str:
    from piiscan.masking.surrogates.name_format import name_pattern_of

    return "" if column is None else name_pattern_of(samples[column][:SAMPLED], "name", locale)


def _country(report: TableReport, samples: Sequence[tuple[str, ...]]) -> str | None:
    """The country of a table whose column of countries holds one two-letter code only."""
    for c in report.columns:
        if (
            c.entity == "COUNTRY"
            and c.distinct == 1
            and samples[c.index]
            and len(code := samples[c.index][0].strip()) == 2
        ):
            return code.upper()
    return None
