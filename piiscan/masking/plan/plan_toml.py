"""A plan as TOML that people read, edit and commit; the same bytes for the same plan."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast, get_args

from piiscan.core import source_globs
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.core.types import DType, Pii
from piiscan.masking.plan import date_subjects, group_columns, person_locales, plan_groups, renames
from piiscan.masking.plan.plan_types import (
    SUBJECT_COLUMNS,
    VERSION,
    Action,
    DecidedBy,
    Plan,
    Span,
    Subject,
    TablePlan,
    WhoseLocale,
)
from piiscan.masking.plan.plan_writer import dumps, labels, with_key
from piiscan.rules.definitions import suggestion

__all__ = ["dumps", "labels", "load", "loads", "with_key"]

_COLUMN: Final = frozenset(
    "column index dtype entity pii operator with rename domain subject accept_frequency decided_by".split()
)
_SUBJECT: Final = frozenset(
    "name keys everywhere as_masked locale scope gender meaning title first_name last_name full_name country phone "
    "look decided_by".split()
)
_TABLE: Final = frozenset("source table columns subjects drop_rows".split())
_PLAN: Final = frozenset("version policy key_ids rules_digest vault hashed_keys locale lists spans tables".split())
_KEY_ID: Final = re.compile("[0-9a-f]{16}")
_SPAN: Final = frozenset("entity operator with domain decided_by".split())


def load(path: Path) -> Plan:
    """The plan in a file. Raises `UsageError`."""
    try:
        return replace(loads(path.read_text(encoding="utf-8"), str(path)), folder=path.parent)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it isn't UTF-8 text"
        raise UsageError(f"{path}: can't be read as a plan: {why or type(error).__name__}") from None


def loads(text: str, name: str = "plan") -> Plan:
    """The plan of a TOML text. Raises `UsageError`, which names the table, the column and what is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not TOML: {error}") from None
    version = data.get("version")
    if version not in (1, VERSION) or isinstance(version, bool):
        raise UsageError(f"{name}: not a plan of version 1 or {VERSION}; make a new one with `piiscan plan`")
    _only(data, _PLAN | {"defaults"} if version == VERSION else _PLAN, name)
    if version == VERSION:
        data = plan_groups.ungrouped(data, name)
    tables = tuple(_table_plan(t, name) for t in _list(data, "tables", name))
    spans = tuple(_span(s, name) for s in _list(data, "spans", name))
    _unique([_called(t) for t in tables], f"{name}: two tables are named")
    _unique([s.entity for s in spans], f"{name}: spans: given twice:")
    if not spans and any(a.operator == "spans" for t in tables for a in t.columns):
        raise UsageError(
            f"{name}: a column has the operator spans, but no [spans] say what happens to what is found; add "
            "them, or choose another operator"
        )
    lists = _texts(data, "lists", name)
    if not isinstance(vault := data.get("vault"), str | None):
        raise UsageError(f'{name}: vault must be the name of a file, or "" for none')
    key_ids = data.get("key_ids", [])
    if not isinstance(key_ids, list) or not all(isinstance(k, str) and _KEY_ID.fullmatch(k) for k in key_ids):
        raise UsageError(
            f"{name}: key_ids must be a list of public ids, as `piiscan key id` prints them; never put a key there"
        )
    tables, locale = _with_whose_locale(tables, data, name)
    return Plan(
        _text(data, "policy", name),
        _text(data, "rules_digest", name),
        tables,
        spans,
        lists,
        vault=vault,
        key_ids=tuple(dict.fromkeys(key_ids)),
        hashed_keys=_flag(data, "hashed_keys", name),
        locale=locale,
    )


def _with_whose_locale(
    tables: tuple[TablePlan, ...], data: Mapping[str, Any], name: str
) -> tuple[tuple[TablePlan, ...], WhoseLocale]:
    if (locale := data.get("locale", "person")) not in get_args(WhoseLocale):
        raise UsageError(
            f'{name}: locale must be "person" or "table"; with "table" no person gets names of another locale'
        )
    if locale == "table":
        tables = tuple(map(person_locales.without_locales, tables))
    return tables, cast(WhoseLocale, locale)


def _table_plan(data: Mapping[str, Any], name: str) -> TablePlan:
    source = _text(data, "source", name)
    location = f"{name}: table {source}"
    _only(data, _TABLE, location)
    columns = _list(data, "columns", location)
    known = [_text(c, "column", f"{location}: column {i}") for i, c in enumerate(columns)]
    _unique(known, f"{location}: write the second one as name#2, since two columns are named")
    at = {column: i for i, column in enumerate(known)}
    subjects = tuple(_subject(s, at, location) for s in _list(data, "subjects", location))
    _unique(names := [s.name for s in subjects], f"{location}: two subjects are named")
    actions = tuple(
        _action(c, i, name, location) for i, (c, name) in enumerate(zip(columns, _names(known), strict=True))
    )
    for a in actions:
        if a.subject is not None and a.subject not in names:
            raise UsageError(
                f"{location}: column {known[a.index]}: there is no subject (subjects.NAME = …) named "
                f"{a.subject}{suggestion(a.subject, names)}"
            )
    group_columns.resolved(actions, location)
    group_columns.countries(actions, location)
    renames.left(actions, location)
    drop = tuple(_list(data, "drop_rows", location))
    for condition in drop:
        _condition(condition, at, location)
    made = TablePlan(source, _text(data, "table", location) if "table" in data else None, actions, subjects, drop)
    date_subjects.check(made, location)
    return made


def _condition(condition: Mapping[str, Any], at: Mapping[str, int], location: str) -> None:
    from piiscan.masking.operators.row_filters import row_filter

    try:
        row_filter(condition)
    except UsageError as error:
        raise UsageError(f"{location}: drop_rows: {error}") from None
    for column in [condition["column"]] if "column" in condition else condition["missing"]:
        if column not in at:
            raise UsageError(f"{location}: drop_rows: no column {column}{suggestion(column, at)}")


def _action(data: Mapping[str, Any], i: int, name: str | None, location: str) -> Action:
    from piiscan.masking.operators import elements, operator_registry

    location = f"{location}: column {data['column']}"
    _only(data, _COLUMN, location)
    if data.get("index") != i:
        raise UsageError(f"{location}: columns must be in the order of the table; this one needs index = {i}")
    dtype, pii = data.get("dtype"), data.get("pii", "none")
    for value, known, what in ((dtype, get_args(DType), "dtype"), (pii, get_args(Pii), "pii")):
        if value not in known:
            raise UsageError(f"{location}: {what} must be one of {', '.join(known)}")
    entity = _text(data, "entity", location) if "entity" in data else None
    if entity is not None and entity not in PII_CLASS:
        raise UsageError(
            f"{location}: {entity} is not an entity{suggestion(entity, PII_CLASS)}; `piiscan rules list` names them"
        )
    accept = _flag(data, "accept_frequency", location)
    operator, params = _text(data, "operator", location), _params(data, location)
    try:
        elements.dtype(operator_registry.make(operator, params), cast(DType, dtype))
    except UsageError as error:
        raise UsageError(f"{location}: {error}") from None
    domain, subject, rename = (_text(data, k, location) if k in data else None for k in ("domain", "subject", "rename"))
    if rename is not None and operator == "drop":
        raise UsageError(f"{location}: a column that is dropped has no name; leave out rename")
    decided = _decided(data, location)
    return Action(
        i,
        name,
        cast(DType, dtype),
        entity,
        cast(Pii, pii),
        operator,
        params,
        domain,
        subject,
        accept,
        decided,
        rename=rename,
    )


def _params(data: Mapping[str, Any], location: str) -> Mapping[str, Any]:
    if not isinstance(params := data.get("with", {}), dict):
        raise UsageError(f'{location}: with must be a table of parameters, such as with = {{level = "year"}}')
    return params


def _decided(data: Mapping[str, Any], location: str) -> DecidedBy:
    if (decided := data.get("decided_by", "policy")) not in get_args(DecidedBy):
        raise UsageError(f"{location}: decided_by must be one of {', '.join(get_args(DecidedBy))}")
    return cast(DecidedBy, decided)


def _subject(data: Mapping[str, Any], at: Mapping[str, int], location: str) -> Subject:
    name = _text(data, "name", location)
    location = f"{location}: subject {name}"
    _only(data, _SUBJECT, location)

    def index(column: Any) -> int:
        if not isinstance(column, str) or column not in at:
            raise UsageError(f"{location}: no column {column}{suggestion(str(column), at)}")
        return at[column]

    keys = data.get("keys")
    if not isinstance(keys, list) or not keys or not all(isinstance(k, list) and k for k in keys):
        raise UsageError(
            f'{location}: keys must be lists of columns, such as keys = [["email"], ["first_name", "last_name"]]'
        )
    places: dict[str, Any] = {k: index(data[k]) for k in SUBJECT_COLUMNS if k in data}
    everywhere = data.get("everywhere", [])
    if not isinstance(everywhere, list) or any(c not in [key[0] for key in keys] for c in everywhere):
        raise UsageError(
            f'{location}: everywhere must list columns that keys begin with, such as everywhere = ["ssn"]: '
            "national numbers, and telephones with the whole name"
        )
    as_masked = data.get("as_masked", [])
    if not isinstance(as_masked, list) or any([c] not in keys or c in everywhere for c in as_masked):
        raise UsageError(
            f'{location}: as_masked must list columns that are keys by themselves, such as as_masked = ["customer_id"]'
        )
    return Subject(
        name,
        tuple(tuple(index(c) for c in key) for key in keys),
        str(data.get("locale", "en_US")),
        str(data.get("scope", "")),
        look=str(data.get("look", "")),
        meaning=_texts(data, "meaning", location),
        decided_by=_decided(data, location),
        everywhere=tuple(map(index, everywhere)),
        as_masked=tuple(map(index, as_masked)),
        **places,
    )


def _span(data: Mapping[str, Any], name: str) -> Span:
    from piiscan.masking.operators import operator_registry

    location = f"{name}: spans"
    _only(data, _SPAN, location)
    entity = _text(data, "entity", location)
    if entity not in PII_CLASS:
        raise UsageError(
            f"{location}: {entity} is not an entity{suggestion(entity, PII_CLASS)}; `piiscan rules list` names them"
        )
    location = f"{location}: {entity}"
    domain = _text(data, "domain", location) if "domain" in data else None
    span = Span(entity, _text(data, "operator", location), _params(data, location), domain, _decided(data, location))
    try:
        operator_registry.make(span.operator, span.params).dtype("string")
    except UsageError as error:
        raise UsageError(f"{location}: {error}") from None
    return span


def _only(data: Mapping[str, Any], known: frozenset[str], location: str) -> None:
    for key in data:
        if key not in known:
            raise UsageError(f"{location}: unknown key {key}{suggestion(key, known)}")


def _called(plan: TablePlan) -> str:
    """The name of a table in a plan. Data sets of different columns may have one glob."""
    called = f"{plan.source}::{plan.table}" if plan.table else plan.source
    if not source_globs.is_glob(plan.source):
        return called
    return f"{called}, of the columns {', '.join(sorted(labels([a.name for a in plan.columns])))}"


def _unique(names: Sequence[str], what: str) -> None:
    if len(set(names)) < len(names):
        raise UsageError(f"{what} {next(n for i, n in enumerate(names) if n in names[:i])}")


def _texts(data: Mapping[str, Any], key: str, location: str) -> dict[str, str]:
    value = data.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError(f"{location}: {key} must be a table of texts")
    return value


def _flag(data: Mapping[str, Any], key: str, location: str) -> bool:
    if not isinstance(value := data.get(key, False), bool):
        raise UsageError(f"{location}: {key} must be true or false")
    return value


def _text(data: Mapping[str, Any], key: str, location: str) -> str:
    if not isinstance(value := data.get(key), str) or not value:
        raise UsageError(f"{location}: {key} is missing, or not a text")
    return value


def _list(data: Mapping[str, Any], key: str, location: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise UsageError(f"{location}: {key} must be a list of tables")
    return value


def _names(known: Sequence[str]) -> list[str | None]:
    """The names that have these labels."""
    out: list[str | None] = []
    for i, label in enumerate(known):
        base, _, number = label.rpartition("#")
        name = base if number.isdecimal() and base in known[:i] else label
        out.append(None if name == f"column_{i}" else name)
    return out
