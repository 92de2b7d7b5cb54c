"""The generator of training tables: the same bytes for the same seed, every entity, right classes, numbers that pass
their checks."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT

from piiscan.core.entities import PII_CLASS
from piiscan.rules.rule_sets import shipped

sys.path.insert(0, str(ROOT / "models"))

import generate
import generate_numbers
import generate_recipes
import generate_samples
import generate_schemas
from generate_group import Group
from generate_locales import locale

TABLES = 160
IN_COLUMNS = PII_CLASS.keys() - {"LOCATION"}
"""LOCATION is what a name in running text is; columns are cities, regions, countries."""


@pytest.fixture(scope="module")
def made() -> list[generate.Generated]:
    return list(generate.tables(3, TABLES))


def columns(made: list[generate.Generated]) -> list[generate.GeneratedColumn]:
    return [c for t in made for c in t.columns]


@pytest.mark.slow
def test_another_process_makes_the_same_tables(made: list[generate.Generated]) -> None:
    code = (
        f"import hashlib, sys; sys.path.insert(0, {str(ROOT / 'models')!r}); import generate; "
        "print([hashlib.md5(repr(t).encode()).hexdigest() for t in generate.tables(3, 60)])"
    )
    other = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"}
    done = subprocess.run([sys.executable, "-c", code], env=other, cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == f"{[hashlib.md5(repr(t).encode()).hexdigest() for t in made[:60]]}\n"


def test_a_table_depends_on_its_place_alone() -> None:
    assert list(generate.tables(8, 6))[:3] == list(generate.tables(8, 3))
    assert list(generate.tables(8, 3)) != list(generate.tables(9, 3))


def test_every_entity_occurs(made: list[generate.Generated]) -> None:
    found = Counter(c.entity for c in columns(made))
    assert found.keys() == IN_COLUMNS | {None}
    assert {kind.entity for kind in generate.KINDS.values()} == IN_COLUMNS | {None}


def test_subjects(made: list[generate.Generated]) -> None:
    assert {t.subject for t in made} == {"person", "organization", "place", "thing", "event", "aggregate"}


def test_classes_are_of_the_vocabulary(made: list[generate.Generated]) -> None:
    for column in columns(made):
        allowed = (
            {"none", PII_CLASS[column.entity], *(["quasi"] if column.entity == "URL" else [])}
            if column.entity
            else {"none"}
        )
        assert column.pii in allowed, column
        if column.entity == "SECRET":
            assert column.pii == "direct"


def test_most_columns_are_no_personal_data(made: list[generate.Generated]) -> None:
    assert sum(c.pii == "none" for c in columns(made)) >= 0.6 * len(columns(made))


def test_tables_are_rectangles(made: list[generate.Generated]) -> None:
    for table in made:
        assert table.columns, table.name
        assert len({len(c.values) for c in table.columns}) == 1
        assert 5 <= len(table.columns[0].values) <= 420


def test_a_quarter_of_the_tables_have_headers_that_say_nothing(made: list[generate.Generated]) -> None:
    silent = sum(
        all(c.header is None or not any(ch.isalpha() for ch in c.header) or c.header[-1].isdigit() for c in t.columns)
        for t in made
    )
    assert 0.15 * TABLES < silent < 0.4 * TABLES


@pytest.mark.parametrize(
    "entity", ["NATIONAL_ID", "CREDIT_CARD", "VEHICLE_ID", "ORGANIZATION_ID", "PASSPORT", "DRIVER_LICENSE"]
)
def test_samples_pass_their_rules(entity: str) -> None:
    for rule in generate_samples.rules_of(entity):
        for value in generate_samples.samples(random.Random(rule.id), rule.id, 4):
            assert rule.fullmatch(value), (rule.id, value)


@pytest.mark.parametrize(
    ("maker", "rule"), [("iban", "iban"), ("card", "card card-rare"), ("vin", "vin-unchecked"), ("swift", "bic")]
)
def test_made_numbers_pass_their_rules(maker: str, rule: str) -> None:
    known = [shipped().rules.by_id[name] for name in rule.split()]
    shares = []
    for seed in range(12):
        group = Group(random.Random(seed), locale("de_DE"), 20, "person")
        values = getattr(generate_numbers, maker)(group)
        shares.append(sum(any(r.fullmatch(v) for r in known) for v in values) / len(values))
    assert sum(s == 1 for s in shares) >= 7, shares


def test_recipes_name_kinds_that_are_there() -> None:
    macros = {"names", "address", "geo", "one", "lab", "healthflag", "healthcode", "org_typed"}
    for recipe in generate_recipes.BOOK:
        for column in recipe.columns:
            kind = column.kind
            if kind.startswith("group_"):
                kind = generate.GROUPED[kind.removeprefix("group_")]
            assert kind.removeprefix("list_") in generate.KINDS.keys() | macros, (recipe.name, column)
    assert generate_recipes.WEIGHTS.keys() <= {r.name for r in generate_recipes.BOOK}


def test_every_schema_makes_a_table_of_its_columns() -> None:
    known = generate_schemas.schemas()
    made = list(generate_schemas.tables(0, 0, len(known)))
    assert len(made) == len(known)
    for schema, table in zip(known, made, strict=True):
        assert len(table.columns) <= len(schema.columns)
        assert len(table.columns) >= sum(c.share == 1 for c in schema.columns)
        for column in table.columns:
            assert column.pii == "none" or column.entity is not None, (schema.files, column.header)
    assert {c.language for c in known} >= {"en", "de", "es", "fr", "pt", "ja", "zh", "ru", "ar", "hi"}


def test_a_schema_s_table_depends_on_its_place_alone() -> None:
    assert list(generate_schemas.tables(8, 3, 4))[1:3] == list(generate_schemas.tables(8, 4, 2))


@pytest.mark.parametrize("line", ["a", "a = nobody", "a = AGE", "a = none", "a = email int 1 2"])
def test_a_schema_that_says_nothing_is_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.txt").write_text(f"@ t | person customer | en\nname = full_name\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(generate_schemas, "FOLDER", tmp_path)
    generate_schemas.schemas.cache_clear()
    with pytest.raises(ValueError, match=line):
        generate_schemas.schemas()
    generate_schemas.schemas.cache_clear()
