"""Delimited files as Python's csv module writes them: every entity alone and beside other columns, in every dialect."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.rules.rule_sets import shipped

DELIMITERS = (",", "\t", ";", "|", ":", "^", "~", "@", "*", "!", "#", "\x01", "\x1e", "\x1f", "¦", "§", " ")
BESIDE = (0, 1, 6)
ROWS = (1, 5, 40, 3000)
ENDINGS = (".csv", ".txt", ".tsv", "")
HEADERS = (True, False)

# Made-up values of entities that no pattern describes, or whose specimens are too few to look like a column.
_MADE_UP = {
    "PERSON": ("full name", ["Ann Bee", "Carl Dee", "Eva Maria Ford", "George Hill", "Ida Jones-Kay", "Doe, John"]),
    "FIRST_NAME": ("first name", ["Anna", "Mohammed", "José", "Giulia", "Ann Marie", "Bob"]),
    "LAST_NAME": ("last name", ["Smith", "Müller", "Nguyen", "Rossi", "van der Berg", "O'Neil"]),
    "STREET_ADDRESS": (
        "street address",
        ["12 Main Street", "7 High Street", "Hauptstr. 5", "221B Example Road, Flat 2", "1 Rue de la Paix"],
    ),
    "DATE_OF_BIRTH": ("date of birth", ["1980-02-03", "1975-12-31", "2001-07-14", "1969-11-05", "1990-01-01"]),
    "AGE": ("age", ["41", "7", "63", "35", "28"]),
    "BIRTHPLACE": ("birthplace", ["Berlin", "New York", "Paris", "San Juan", "Roma"]),
    "ORGANIZATION": ("employer", ["Example Ltd", "Acme Inc.", "Muster GmbH & Co. KG", "Widgets", "Sample, Sons & Co"]),
    "FREE_TEXT": (
        "notes",
        [
            "Called twice, no answer.",
            "Wants the parcel on Monday; call first.",
            "Nothing to add.",
            "Moved: ask for the new address!",
        ],
    ),
    "LOCATION": ("location", ["Berlin", "near the old mill", "Hall 4", "Paris, France"]),
    "SEXUALITY": ("sexual orientation", ["heterosexual", "gay", "lesbian", "bisexual", "straight"]),
    "INCOME": ("annual income", ["52000", "$61,500", "48,300.50", "39 900 €", "71250"]),
    "USERNAME": ("username", ["ann_bee", "cdee42", "eva.ford", "@ghill", "ida-kay"]),
    "RELIGION": ("religion", ["Muslim", "Roman Catholic", "Hindu", "Jewish", "None"]),
    "CITY": ("city", ["London", "São Paulo", "Köln", "New York", "Warszawa"]),
    "COUNTRY": ("country", ["France", "Deutschland", "United Kingdom", "Brazil", "Côte d'Ivoire"]),
}
_BESIDE = (
    ("first name", ["Ann", "Carl", "Eva", "George", "Ida", "Kurt", "Lena"]),
    ("city", ["London", "New York", "Köln", "Ulm", "San Juan"]),
    ("email", ["ann@example.org", "carl.dee@example.com", "eva@mail.example", "g.hill@example.net"]),
    ("birth date", ["1980-02-03", "1975-12-31", "2001-07-14", "1969-11-05", "1990-01-01", "1988-08-08"]),
    ("amount", ["12.50", "7.99", "1034.00", "88.10", "3.05"]),
    ("notes", ["Called twice, no answer.", "Wants it on Monday; call first.", "Said: \"later\".", ""]),
)  # fmt: skip


class Column(NamedTuple):
    """A column to write: the rule or entity that its values are of, its header, and some values to repeat."""

    name: str
    entity: str
    header: str
    values: tuple[str, ...]


class Case(NamedTuple):
    """One file: what is in it and how it is written."""

    column: Column
    beside: int
    delimiter: str
    header: bool
    rows: int
    ending: str

    def __str__(self) -> str:
        return (
            f"{self.column.name}, {self.beside} beside, {self.delimiter!r}, "
            f"{'header' if self.header else 'no header'}, "
            f"{self.rows} rows, {self.ending or 'no ending'}"
        )


@cache
def columns() -> tuple[Column, ...]:
    """A column for each entity without specimens and for each rule with some: telephones of 36 countries are 36
    columns."""
    found = [Column(entity, entity, header, tuple(values)) for entity, (header, values) in _MADE_UP.items()]
    for rule in shipped().rules.rules:
        values = tuple(value for value in rule.match if "\n" not in value)
        if rule.entity in _MADE_UP or not values:
            continue
        header = next((h for h in (*rule.headers, *rule.header_match) if h.isascii()), rule.entity.lower())
        found.append(Column(rule.id, rule.entity, header, values))
    missing = set(PII_CLASS) - {column.entity for column in found}
    assert not missing, missing
    return tuple(found)


@cache
def entities() -> tuple[Column, ...]:
    """One column for each entity: that whose values hold most marks."""
    best: dict[str, Column] = {}
    for column in columns():
        held = best.get(column.entity)
        if held is None or _marks(column) > _marks(held):
            best[column.entity] = column
    return tuple(best[entity] for entity in sorted(best))


def _marks(column: Column) -> int:
    return sum(not c.isalnum() for value in column.values for c in value)


def cases(of: Sequence[Column]) -> Iterator[Case]:
    """Every combination."""
    for column, beside, delimiter, header, rows, ending in product(of, BESIDE, DELIMITERS, HEADERS, ROWS, ENDINGS):
        yield Case(column, beside, delimiter, header, rows, ending)


@lru_cache(maxsize=8)  # endings come last
def _table(column: Column, beside: int, rows: int) -> tuple[list[str], list[list[str]]]:
    others = _BESIDE[:beside]
    names = [header for header, _ in others]
    lists = [values for _, values in others]
    names.insert(min(1, len(names)), column.header)
    lists.insert(min(1, len(lists)), list(column.values))
    return names, [[values[i % len(values)] for values in lists] for i in range(rows)]


def table(case: Case) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a case; the column in question stands second, or alone."""
    return _table(case.column, case.beside, case.rows)


def written(case: Case) -> str:
    """The text of a case."""
    return _written(case._replace(ending=""))


@lru_cache(maxsize=8)
def _written(case: Case) -> str:
    names, rows = table(case)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=case.delimiter, lineterminator="\n")
    writer.writerows([names, *rows] if case.header else rows)
    return stream.getvalue()
