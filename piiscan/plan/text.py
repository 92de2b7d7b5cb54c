"""A plan as TOML that people read, edit and commit; the same bytes for the same plan."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast, get_args

from piiscan.errors import UsageError
from piiscan.plan.types import VERSION, Action, DecidedBy, Plan, Span, Subject, TablePlan
from piiscan.rules import suggestion
from piiscan.types import DType, Pii

_INTRODUCTION: Final = (
    "What happens to each column. Read it, change it, commit it; it holds no data and no key.",
    'Set decided_by = "human" on what you change: such a decision stays when the plan is made anew.',
)
_COLUMN: Final = frozenset(
    "column index dtype entity pii operator with domain subject accept_frequency decided_by".split()
)
_SUBJECT: Final = frozenset("name keys locale scope gender meaning title first_name last_name full_name look".split())
_TABLE: Final = frozenset("source table columns subjects drop_rows".split())
_PLAN: Final = frozenset("version policy rules_digest lists spans tables".split())
_SPAN: Final = frozenset("entity operator with domain".split())


def labels(names: Sequence[str | None]) -> list[str]:
    """What a plan calls the columns: their names, `column_3` (from 0) for one without, `name#2` for a repeated one."""
    seen: dict[str, int] = {}
    out = []
    for i, name in enumerate(names):
        text = name if name else f"column_{i}"
        seen[text] = seen.get(text, 0) + 1
        out.append(text if seen[text] == 1 else f"{text}#{seen[text]}")
    return out


def dumps(plan: Plan) -> str:
    """The plan as TOML."""
    import tomlkit

    document = tomlkit.document()
    for line in (*_INTRODUCTION, *plan.notes):
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    document.add("version", tomlkit.item(VERSION))
    document.add("policy", tomlkit.item(plan.policy))
    document.add("rules_digest", tomlkit.item(plan.rules_digest))
    if plan.lists:
        document.add("lists", tomlkit.item(dict(sorted(plan.lists.items()))))
    if plan.spans:
        spans = tomlkit.aot()
        for span in plan.spans:
            spans.append(_table({"entity": span.entity, "operator": span.operator, "with": span.params, "domain": span.domain}, ()))
        document.add("spans", spans)
    tables = tomlkit.aot()
    for table in plan.tables:
        tables.append(_table_of(table))
    document.add("tables", tables)
    return tomlkit.dumps(document)


def _table_of(plan: TablePlan) -> Any:
    import tomlkit

    names = labels([a.name for a in plan.columns])
    out = _table({"source": plan.source, "table": plan.table}, plan.notes)
    if plan.drop_rows:
        out.add("drop_rows", tomlkit.item([dict(c) for c in plan.drop_rows]))
    if plan.subjects:
        subjects = tomlkit.aot()
        for s in plan.subjects:
            fields = {
                "name": s.name, "keys": [[names[i] for i in key] for key in s.keys], "locale": s.locale, "scope": s.scope,
                **{k: None if i is None else names[i] for k, i in _places(s).items()},
                "look": s.look, "meaning": s.meaning,
            }  # fmt: skip
            subjects.append(_table(fields, s.notes))
        out.add("subjects", subjects)
    columns = tomlkit.aot()
    for action, name in zip(plan.columns, names, strict=True):
        fields = {
            "column": name, "index": action.index, "dtype": action.dtype, "entity": action.entity, "pii": action.pii,
            "operator": action.operator, "with": action.params, "domain": action.domain, "subject": action.subject,
            "accept_frequency": action.accept_frequency or None, "decided_by": action.decided_by,
        }  # fmt: skip
        columns.append(_table(fields, action.notes))
    out.add("columns", columns)
    return out


def _places(subject: Subject) -> dict[str, int | None]:
    return {
        "gender": subject.gender, "title": subject.title, "first_name": subject.first_name, "last_name": subject.last_name,
        "full_name": subject.full_name,
    }  # fmt: skip


def _table(fields: Mapping[str, Any], notes: Sequence[str]) -> Any:
    """A TOML table with comments above its entries; None, empty texts and empty tables are left out."""
    import tomlkit

    out = tomlkit.table()
    for note in notes:
        out.add(tomlkit.comment(note))
    for key, value in fields.items():
        if value is None or value == "" or value == {}:
            continue
        if isinstance(value, Mapping):
            inline = tomlkit.inline_table()
            for k, v in value.items():
                inline.append(k, tomlkit.item(v))
            out.add(key, inline)
        else:
            out.add(key, tomlkit.item(value))
    return out


def loads(text: str, name: str = "plan") -> Plan:
    """The plan of a TOML text. Raises `UsageError`, which names the table, the column and what is wrong."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: not TOML: {error}") from None
    if data.get("version") != VERSION:
        raise UsageError(f"{name}: not a plan of version {VERSION}; make it anew with `piiscan plan`")
    _only(data, _PLAN, name)
    tables = _list(data, "tables", name)
    return Plan(
        _text(data, "policy", name), _text(data, "rules_digest", name), tuple(_table_plan(t, name) for t in tables),
        tuple(_span(s, name) for s in _list(data, "spans", name)), {str(k): str(v) for k, v in data.get("lists", {}).items()},
    )  # fmt: skip


def _table_plan(data: Mapping[str, Any], name: str) -> TablePlan:
    source = _text(data, "source", name)
    place = f"{name}: table {source}"
    _only(data, _TABLE, place)
    columns = _list(data, "columns", place)
    known = [str(c.get("column", "")) for c in columns]
    if len(set(known)) < len(known):
        raise UsageError(f"{place}: two columns have the same name; write the second one name#2")
    at = {column: i for i, column in enumerate(known)}
    subjects = tuple(_subject(s, at, place) for s in _list(data, "subjects", place))
    actions = tuple(_action(c, i, place) for i, c in enumerate(columns))
    for a in actions:
        if a.subject is not None and a.subject not in {s.name for s in subjects}:
            raise UsageError(f"{place}: {known[a.index]} is of a subject that isn't there: {a.subject}")
    return TablePlan(source, data.get("table"), actions, subjects, tuple(_list(data, "drop_rows", place)))


def _action(data: Mapping[str, Any], i: int, place: str) -> Action:
    from piiscan.operators import registry

    label = _text(data, "column", place)
    place = f"{place}: column {label}"
    _only(data, _COLUMN, place)
    if data.get("index") != i:
        raise UsageError(f"{place}: columns stand in the order of the table; this one's index should be {i}")
    dtype, pii, decided = data.get("dtype"), data.get("pii", "none"), data.get("decided_by", "policy")
    for value, known, what in ((dtype, get_args(DType), "dtype"), (pii, get_args(Pii), "pii"), (decided, get_args(DecidedBy), "decided_by")):
        if value not in known:
            raise UsageError(f"{place}: {what} is one of {', '.join(known)}")
    operator, params = _text(data, "operator", place), data.get("with", {})
    try:
        registry.make(operator, params).dtype(cast(DType, dtype))
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    name = None if label == f"column_{i}" else label.rpartition("#")[0] if _repeated(label) else label
    return Action(
        i, name, cast(DType, dtype), data.get("entity"), cast(Pii, pii), operator, params, data.get("domain"), data.get("subject"),
        bool(data.get("accept_frequency", False)), cast(DecidedBy, decided),
    )  # fmt: skip


def _repeated(label: str) -> bool:
    return label.rpartition("#")[2].isdigit() and "#" in label[1:]


def _subject(data: Mapping[str, Any], at: Mapping[str, int], place: str) -> Subject:
    name = _text(data, "name", place)
    place = f"{place}: subject {name}"
    _only(data, _SUBJECT, place)

    def index(column: str) -> int:
        if column not in at:
            raise UsageError(f"{place}: no column {column}{suggestion(column, at)}")
        return at[column]

    keys = data.get("keys")
    if not isinstance(keys, list) or not keys or not all(isinstance(k, list) and k for k in keys):
        raise UsageError(f'{place}: keys are lists of columns, such as keys = [["email"], ["first_name", "last_name"]]')
    places = {k: index(data[k]) for k in ("gender", "title", "first_name", "last_name", "full_name") if k in data}
    return Subject(
        name, tuple(tuple(index(c) for c in key) for key in keys), str(data.get("locale", "en_US")), str(data.get("scope", "")), look=str(data.get("look", "")),
        meaning={str(k): str(v) for k, v in data.get("meaning", {}).items()}, **places,
    )  # fmt: skip


def _span(data: Mapping[str, Any], name: str) -> Span:
    from piiscan.operators import registry

    place = f"{name}: spans"
    _only(data, _SPAN, place)
    span = Span(_text(data, "entity", place), _text(data, "operator", place), data.get("with", {}), data.get("domain"))
    try:
        registry.make(span.operator, span.params)
    except UsageError as error:
        raise UsageError(f"{place}: {span.entity}: {error}") from None
    return span


def _only(data: Mapping[str, Any], known: frozenset[str], place: str) -> None:
    for key in data:
        if key not in known:
            raise UsageError(f"{place}: unknown key {key}{suggestion(key, known)}")


def _text(data: Mapping[str, Any], key: str, place: str) -> str:
    if not isinstance(value := data.get(key), str) or not value:
        raise UsageError(f"{place}: {key} is missing")
    return value


def _list(data: Mapping[str, Any], key: str, place: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise UsageError(f"{place}: {key} is a list of tables")
    return value
