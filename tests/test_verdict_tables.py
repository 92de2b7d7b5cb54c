"""Verdicts on made-up tables of many kinds and languages: what is said today, and how far it is true."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

from verdict_tables import Label, Place, Said, Scanned, changes, golden, labels, moved, scanned

from piiscan.core.entities import PII_CLASS

TYPES = 0.95
"""At least so many columns are called what they are."""
CLASSES = 0.92
"""At least so many columns have the class that they have here."""
LANGUAGES = 12


@cache
def truth() -> Mapping[Place, Label]:
    return labels()


@cache
def scan() -> Scanned:
    return scanned()


def said() -> Mapping[Place, Said]:
    return scan().said


def tables_without_persons() -> set[tuple[str, str]]:
    """Tables in which no column and no cell identifies anybody, nor says anything of a person."""
    classes = defaultdict(set)
    for place, label in truth().items():
        classes[place.file, place.table] |= {label.pii, *("direct" for e in label.inside if PII_CLASS[e] == "direct")}
    return {table for table, of in classes.items() if of == {"none"}}


def missed(place: Place) -> bool:
    """Whether a column holds direct identifiers, and nobody is told to look at it."""
    return truth()[place].pii == "direct" != said()[place].pii and not said()[place].review


def alarmed(place: Place) -> bool:
    """Whether a column of a table without anything personal is called a direct identifier."""
    return said()[place].pii == "direct" and (place.file, place.table) in tables_without_persons()


def listed(places: set[Place]) -> str:
    return "".join(f"\n{' '.join(map(str, place))} {said()[place].column}" for place in sorted(places))


def test_verdicts_are_those_of_the_golden_file() -> None:
    changed = changes(golden().said, said(), truth())
    assert not changed, f"if this is what was meant: cd tests && python verdict_tables.py\n{changed}"


def test_confidence_is_that_of_the_golden_file() -> None:
    assert golden().confidence.keys() == said().keys()
    changed = moved(golden().confidence, scan().confidence)
    assert not changed, f"if this is what was meant: cd tests && python verdict_tables.py\n{changed}"


def test_every_column_has_a_label() -> None:
    assert said().keys() == truth().keys()


def test_no_identifier_is_passed_over() -> None:
    new = {place for place in truth() if missed(place) and not truth()[place].known_miss}
    assert not new, f"direct identifiers that nobody is told of:{listed(new)}"


def test_no_alarm_in_tables_without_persons() -> None:
    new = {place for place in truth() if alarmed(place) and not truth()[place].known_miss}
    assert not new, f"false alarms:{listed(new)}"


def test_known_misses_are_misses() -> None:
    mended = {p for p, label in truth().items() if label.known_miss and not (missed(p) or alarmed(p))}
    assert not mended, f"right by now, so that `known_miss` in labels.csv can go:{listed(mended)}"


def test_what_stands_inside_cells_is_found() -> None:
    not_found = {p for p, label in truth().items() if not label.inside <= {*said()[p].inside.split()}}
    assert not not_found, f"identifiers inside cells:{listed(not_found)}"


def test_most_types_and_classes_are_right() -> None:
    right_type = {place for place, label in truth().items() if said()[place].entity in label.entities}
    right_class = {place for place, label in truth().items() if said()[place].pii == label.pii}
    # Where "nothing" is right as well, so is the class of nothing.
    right_class |= {place for place in right_type if said()[place].entity == ""}
    assert len(right_type) / len(truth()) >= TYPES, listed(truth().keys() - right_type)
    assert len(right_class) / len(truth()) >= CLASSES, listed(truth().keys() - right_class)


def test_labels_speak_of_every_entity_in_many_languages() -> None:
    known = set(PII_CLASS)
    for place, label in truth().items():
        assert {*label.entities, *label.inside} - {""} <= known, place
        assert label.pii in ("none", "quasi", "sensitive", "direct"), place
    assert {entity for entity, times in Counter(x.entities[0] for x in truth().values()).items() if times > 1} >= known
    assert len({place.file.split("/")[0] for place in truth()}) >= LANGUAGES
    assert len(tables_without_persons()) >= 20
