"""What a plan holds: names of columns and operators, never a cell value or a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from piiscan.core.types import DType, Pii

DecidedBy = Literal["policy", "human"]
GENDER_COLUMNS = ("gender", "title", "first_name", "last_name", "full_name")
"""The columns of a subject that may tell its gender."""
SUBJECT_COLUMNS = (*GENDER_COLUMNS, "country", "phone")
"""The columns of a subject besides its keys."""
VERSION = 2
"""Of a plan's text. Texts of version 1, in which every column says everything, are read too."""


@dataclass(frozen=True, slots=True)
class Action:
    """What happens to one column.

    `operator` and `params` are those of `piiscan.masking.operators.operator_registry.make`. `domain`: the key domain;
    equal cells of one domain have equal masks in every column, file and run. `subject`: which of the table's subjects
    the column belongs to, by its name. `pii` and `dtype` are the column's when the plan was made. `rename`: what the
    column is named in the output. `notes` say why, and what to know; they become comments. `cast`: of a column that has
    another type than in the plan, the types here and in the plan; `dtype` is then what its operator masks.
    """

    index: int
    name: str | None
    dtype: DType
    entity: str | None
    pii: Pii
    operator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    domain: str | None = None
    subject: str | None = None
    accept_frequency: bool = False
    decided_by: DecidedBy = "policy"
    notes: tuple[str, ...] = ()
    rename: str | None = None
    cast: tuple[DType, DType] | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """A person that a row is about, identified by `keys`, the best first.

    Each key is the indexes of columns that together identify the person; the first key without a null counts. `scope`:
    within which keys other than e-mail addresses identify somebody ("customer"). `gender`, `title`, `first_name`,
    `last_name`: columns that show the gender; `meaning`: what codes of the gender column mean ({"0": "m"}). `full_name`
    with its `look`: a column of whole names. `country`, `phone`: columns that show where somebody is from.
    `everywhere`: first columns of keys that identify the same person in every table, however they are written: national
    numbers, and telephones with the whole name. `as_masked`: keys of one column whose values mean the same person where
    their masks have the same digits: without prefixes, and zeros in front of six digits. `locale`: the locale of their
    names where no column shows another.
    `columns`: those that are about this person, while a plan is made; in a plan, actions name their subject.
    """

    name: str
    keys: tuple[tuple[int, ...], ...]
    locale: str = "en_US"
    scope: str = ""
    gender: int | None = None
    meaning: Mapping[str, str] = field(default_factory=dict)
    title: int | None = None
    first_name: int | None = None
    last_name: int | None = None
    full_name: int | None = None
    country: int | None = None
    phone: int | None = None
    look: str = ""
    columns: tuple[int, ...] = ()
    decided_by: DecidedBy = "policy"
    notes: tuple[str, ...] = ()
    everywhere: tuple[int, ...] = ()
    as_masked: tuple[int, ...] = ()

    @property
    def by_part(self) -> dict[str, int]:
        """Which column is which of `SUBJECT_COLUMNS`."""
        return {name: i for name in SUBJECT_COLUMNS if (i := getattr(self, name)) is not None}

    @property
    def source_columns(self) -> set[int]:
        """The columns that identify a person, or describe one."""
        return {*(i for key in self.keys for i in key), *self.everywhere, *self.by_part.values()}

    def at(self, now: Callable[[int], int]) -> Subject:
        """The same subject in a table whose columns stand elsewhere: `now` says where."""
        moved: dict[str, Any] = {name: now(i) for name, i in self.by_part.items()}
        keys = tuple(tuple(now(i) for i in key) for key in self.keys)
        everywhere, as_masked = (tuple(map(now, columns)) for columns in (self.everywhere, self.as_masked))
        return replace(self, keys=keys, everywhere=everywhere, as_masked=as_masked, **moved)


@dataclass(frozen=True, slots=True)
class TablePlan:
    """The actions of one table, one a column, in the order of its columns.

    `drop_rows`: conditions under which a row is left out.
    """

    source: str
    table: str | None
    columns: tuple[Action, ...]
    subjects: tuple[Subject, ...] = ()
    drop_rows: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


WhoseLocale = Literal["person", "table"]
"""Whose locale made-up names and streets are of."""


@dataclass(frozen=True, slots=True)
class Span:
    """What happens to an entity found inside a text."""

    entity: str
    operator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    domain: str | None = None
    decided_by: DecidedBy = "policy"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: the actions of tables, spans in texts, and what they depend on.

    `policy`: the name of the one it was made by; `rules_digest` identifies the rules; `lists`: locale → digest of the
    lists that surrogates are drawn from. `vault`: the file that remembers which keys belong to one person; "" where a
    person wants none, None where the tables need none. `key_ids`: the public ids of the keys that it is for, or has
    masked with; empty where unknown. `hashed_keys`: people are known by keyed hashes of their keys, in the vault too;
    plans of earlier versions don't do that. `locale`: "table" where all names and streets have the table's locale.
    `folder`: where the plan was read from.
    """

    policy: str
    rules_digest: str
    tables: tuple[TablePlan, ...]
    spans: tuple[Span, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    vault: str | None = None
    key_ids: tuple[str, ...] = ()
    hashed_keys: bool = False
    locale: WhoseLocale = "person"
    folder: Path | None = field(default=None, compare=False)

    @property
    def vault_file(self) -> Path | None:
        """Where the vault is: in the plan's folder, unless its path is absolute or the working folder has such a file.

        None where there is none.
        """
        if not self.vault:
            return None
        named = Path(self.vault)
        return named if self.folder is None or named.exists() else self.folder / named

    def keyed(self) -> bool:
        """Whether any operator needs a key."""
        from piiscan.masking.operators import operator_registry

        named = [(a.operator, a.params) for t in self.tables for a in t.columns] + [
            (s.operator, s.params) for s in self.spans
        ]
        return any(operator_registry.make(name, params).keyed or params.get("shift_days") for name, params in named)
