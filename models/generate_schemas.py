"""Generated training tables whose headers were written table by table, as people, offices and systems write them:
`schemas/*.txt`, from general knowledge.

A schema is a block of lines:

    @ heart_visits, cardio_2021 | person patient | en
    pat_no, ptid = mrn
    sbp, sys_bp = HEALTH_CONDITION int 90 200
    smoker?.5 = HEALTH_CONDITION in yes,no,ex
    ref_doc = doctor:full_name

First the names of files, what the rows are about (`person`, `org`, `place`, `thing`, `event`, `group`, `fiction`) with
its name, and the language of headers. Then a line for each column: its headers, of which one is taken, how often it is
there, and what it holds: a kind of `generate.KINDS` (`role:kind` of somebody else, `kind@org` of no person), or an
entity or `none` with its values: `in a,b,c`, `pattern REGEX` or a maker of `generate_things`.

`tables(seed, first, count)` yields the same tables for the same arguments in every process. `check_schemas.py` tells
which schemas look like a labelled table.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import generate_samples as s
import generate_things as things
from generate import KINDS, Draft, Generated, TableMaker, pii_of
from generate_group import Group, Values
from generate_locales import LOCALES, locale
from generate_recipes import Recipe

from piiscan.core.entities import PII_CLASS

FOLDER = Path(__file__).with_name("schemas")
SUBJECTS = {"org": "organization", "group": "aggregate", "fiction": "thing"}
"""What rows are about, where it isn't called as in a schema."""
RESTYLED = 0.15
"""How often the headers of a table are written in another style than the schema's."""


@dataclass(frozen=True)
class SchemaColumn:
    """`role`: whose it is, if not the row's subject's; `kind`: one of `generate.KINDS`, or None for an `entity` (or for
    none) with its own `values`."""

    headers: tuple[str, ...]
    share: float
    role: str | None
    about: str | None
    kind: str | None
    entity: str | None = None
    values: str = ""


@dataclass(frozen=True)
class Schema:
    files: tuple[str, ...]
    about: str
    role: str
    language: str
    columns: tuple[SchemaColumn, ...]


def tables(seed: int, first: int, count: int) -> Iterator[Generated]:
    """A table of each of `count` schemas from `first` on."""
    for i, schema in enumerate(schemas()[first : first + count]):
        yield _Maker(random.Random(f"piiscan schema {seed} {first + i}"), schema).build()


@cache
def schemas() -> tuple[Schema, ...]:
    """Every schema of `FOLDER`. Raises `ValueError` for a line that is none."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt")))
    return tuple(schema for text in texts for block in text.split("\n\n") for schema in parse(block))


def parse(block: str) -> Iterator[Schema]:
    """The schema of a block of lines, if there is one. Raises `ValueError` for a line that is none."""
    lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
    if lines:
        yield _schema(lines)


def _schema(lines: Sequence[str]) -> Schema:
    files, about, language = (part.strip() for part in lines[0].removeprefix("@").split("|"))
    subject, _, role = about.partition(" ")
    names = tuple(name.strip() for name in files.split(","))
    return Schema(names, subject, role or subject, language, tuple(_column(line) for line in lines[1:]))


def _column(line: str) -> SchemaColumn:
    left, equals, spec = line.rpartition(" = ")
    if not equals:
        raise ValueError(f"no column: {line!r}")
    left, question, share = left.rpartition("?")
    if not question or not share.replace(".", "", 1).isdigit():
        left, share = f"{left}{question}{share}", "1"
    headers = tuple(h.strip() for h in left.split(","))
    first, _, values = spec.strip().partition(" ")
    first, _, about = first.partition("@")
    role, _, kind = first.rpartition(":")
    held = (role or None, about or None)
    if values and (kind == "none" or kind in PII_CLASS):
        return SchemaColumn(headers, float(share), *held, None, None if kind == "none" else kind, values)
    if values or kind not in KINDS:
        raise ValueError(f"neither a kind nor an entity with values: {line!r}")
    return SchemaColumn(headers, float(share), *held, kind)


class _Maker(TableMaker):
    """One table of a schema in the making."""

    def __init__(self, rng: random.Random, schema: Schema) -> None:
        super().__init__(rng)
        self._schema = schema
        about = "person" if schema.about == "event" else schema.about
        self.recipe = Recipe(
            schema.files[0],
            SUBJECTS.get(schema.about, schema.about),
            about,
            schema.role,
            ("generic",),
            0,
            0,
            schema.files,
            (),
        )
        names = [name for name in LOCALES if locale(name).language == schema.language] or ["en_US"]
        self.place = locale(rng.choices(names, [LOCALES[name] for name in names])[0])
        self.local_headers = True
        self.restyled = rng.random() < RESTYLED

    def build(self) -> Generated:
        for column in self._schema.columns:
            if self.rng.random() < column.share:
                self._draft(column)
        return self._finish()

    def _draft(self, column: SchemaColumn) -> None:
        rng, recipe = self.rng, self.recipe
        header = rng.choice(column.headers)
        if self.restyled:
            header = self.style(header)
        about = column.about or ("person" if column.role else recipe.about)
        group, index = self._group(column.about or column.role or recipe.role, about)
        if column.kind is None:
            made = _values(group, column)
            self.drafts.append(Draft(header, column.entity, pii_of(column.entity, about), [made[i] for i in index]))
            return
        kind = KINDS[column.kind]
        if column.kind == "generic_id":
            group, index = Group(rng, self.place, self.rows, "thing"), list(range(self.rows))
        made = kind.make(group)
        pii = self._class(kind.entity, column.kind, about)
        self.drafts.append(Draft(header, kind.entity, pii, [made[i] for i in index], kind.text, kind.key))


def _values(group: Group, column: SchemaColumn) -> Values:
    """A value for each subject."""
    name, _, rest = column.values.partition(" ")
    if name == "in":
        return group.skewed([value.strip() for value in rest.split(",")])
    if name == "pattern" and column.entity is not None:
        drawer = s.Drawer(group.rng, s.pattern(rest))
        return group.each(drawer.draw)
    return things.make(group, column.values)
