"""The parts of a plan's text that apply to many columns: a decision for each kind of column, and exceptions.

`grouped` and `ungrouped` turn the dictionaries of a plan into each other, the long form (version 1: every column says
everything) and the short one (version 2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.rules.definitions import suggestion

OTHER: Final = "OTHER"
"""What a plan calls columns of no entity."""
DECISION: Final = ("operator", "with", "domain", "accept_frequency", "decided_by")
"""What decides, of a column as of a span."""
_KINDS: Final = frozenset(PII_CLASS) | {OTHER}
_Entry = dict[str, Any]


def grouped(plan: Mapping[str, Any]) -> _Entry:
    """The short form of a plan in the long one."""
    defaults = _defaults([c for t in plan["tables"] for c in t["columns"]])
    spans = {s["entity"]: _decision(s, s["entity"]) for s in plan.get("spans", ())}
    in_order = list(spans) == sorted(spans)
    out = {key: value for key, value in plan.items() if key not in ("spans", "tables")}
    if defaults:
        out["defaults"] = _listed(dict(sorted(defaults.items())))
    if spans:
        out["spans"] = _listed(spans) if in_order else spans
    out["tables"] = [_grouped_table(t, defaults) for t in plan["tables"]]
    return out


def ungrouped(plan: Mapping[str, Any], name: str) -> _Entry:
    """The long form of a plan in the short one.

    Raises `UsageError`, which begins with `name`, where a table isn't one, a kind is named twice, or a column has no
    operator.
    """
    defaults = _unlisted(plan.get("defaults", {}), f"{name}: defaults")
    spans = _unlisted(plan.get("spans", {}), f"{name}: spans")
    if any(isinstance(v, list) for v in plan.get("spans", {}).values()):
        spans = dict(sorted(spans.items()))
    out = {key: value for key, value in plan.items() if key not in ("defaults", "spans")}
    out["spans"] = [{"entity": entity, **_with_domain(s, entity)} for entity, s in spans.items()]
    if isinstance(plan.get("tables"), list):
        out["tables"] = [_ungrouped_table(t, defaults, name) for t in plan["tables"]]
    return out


def kind_of(column: Mapping[str, Any]) -> str:
    """The key of a column's decision in the defaults."""
    return column.get("entity") or OTHER


def _grouped_table(table: Mapping[str, Any], defaults: Mapping[str, _Entry]) -> _Entry:
    out = dict(table)
    if "subjects" in table:
        out["subjects"] = {s["name"]: {k: v for k, v in s.items() if k != "name"} for s in table["subjects"]}
    out["columns"] = {c["column"]: _grouped_column(c, defaults.get(kind_of(c))) for c in table["columns"]}
    return out


def _grouped_column(column: _Entry, default: _Entry | None) -> _Entry:
    """What the column says of itself: its kind, and where it differs from the decision for that."""
    kind = kind_of(column)
    out: _Entry = {}
    if column.get("entity"):
        out["entity"] = column["entity"]
    if column["pii"] != PII_CLASS.get(kind, "none"):
        out["pii"] = column["pii"]
    if column["dtype"] != "string":
        out["dtype"] = column["dtype"]
    own = _decision(column, kind)
    usual = {} if default is None else default.get("with", {})
    if default is None or column["operator"] != default["operator"] or not usual.keys() <= column["with"].keys():
        out |= own
    else:
        if params := {
            k: v for k, v in column["with"].items() if k not in usual or _canonical(v) != _canonical(usual[k])
        }:
            out["with"] = params
        for key, plain in (("accept_frequency", False), ("decided_by", "policy")):
            if own.get(key, plain) != default.get(key, plain):
                out[key] = column[key]
        if _domain(own, kind) != _domain(default, kind):
            out["domain"] = _domain(own, kind) or ""
    return out | {k: column[k] for k in ("subject", "rename") if column.get(k)}


def _ungrouped_table(table: Any, defaults: Mapping[str, _Entry], name: str) -> Any:
    if not isinstance(table, dict):
        return table  # what reads the long form says what is wrong with it
    location = f"{name}: table {table.get('source')}"
    subjects = _tables(table, "subjects", location)
    columns = _tables(table, "columns", location)
    return table | {
        "subjects": [{"name": label, **s} for label, s in subjects.items()],
        "columns": [
            _ungrouped_column(label, i, c, defaults, f"{location}: column {label}")
            for i, (label, c) in enumerate(columns.items())
        ],
    }


def _ungrouped_column(
    label: str, index: int, column: Mapping[str, Any], defaults: Mapping[str, _Entry], location: str
) -> _Entry:
    for key in ("column", "index"):
        if key in column:
            raise UsageError(f"{location}: unknown key {key}: a line has its name and its place")
    kind = entity if isinstance(entity := column.get("entity"), str) else OTHER
    usual: Mapping[str, Any] = {}
    if "operator" not in column:
        if kind not in defaults:
            raise UsageError(
                f"{location}: [defaults] has no entry for {kind}{suggestion(kind, defaults)}; give this column an "
                "operator"
            )
        usual = defaults[kind]
    out = {"dtype": "string", "pii": PII_CLASS.get(kind, "none"), **usual, **column}
    if isinstance(column.get("with", {}), dict) and "with" in usual:
        out["with"] = {**usual["with"], **column.get("with", {})}
    return {"column": label, "index": index, **_with_domain(out, kind)}


def _defaults(columns: Iterable[Mapping[str, Any]]) -> dict[str, _Entry]:
    """Kind → the decision that most of its columns have.

    Of equally common ones, that of fewest parameters, from which others differ by what they add, and then the first. A
    person's decision applies to its columns alone, unless all of several have it.
    """
    by_kind: dict[str, list[_Entry]] = {}
    for column in columns:
        by_kind.setdefault(kind_of(column), []).append(_decision(column, kind_of(column)))
    out = {}
    for kind, decisions in by_kind.items():
        policy = [d for d in decisions if "decided_by" not in d]
        texts = Counter(_canonical(d) for d in policy or decisions)
        if policy or (len(texts) == 1 and len(decisions) > 1):
            out[kind] = max(policy or decisions, key=lambda d: (texts[_canonical(d)], -len(d.get("with", ()))))
    return out


def _decision(entry: Mapping[str, Any], kind: str) -> _Entry:
    """The decision without its defaults: no parameters, the domain of the kind, the policy."""
    out: _Entry = {"operator": entry["operator"]}
    if entry.get("with"):
        out["with"] = entry["with"]
    if entry.get("domain") != _usual_domain(entry["operator"], kind):
        out["domain"] = entry.get("domain") or ""
    if entry.get("accept_frequency"):
        out["accept_frequency"] = True
    if entry.get("decided_by", "policy") != "policy":
        out["decided_by"] = entry["decided_by"]
    return out


def _listed(decisions: Mapping[str, _Entry]) -> _Entry:
    """Operators with the kinds that get them and nothing else, then the other kinds."""
    plain: dict[str, list[str]] = {}
    for kind, decision in decisions.items():
        if list(decision) == ["operator"] and decision["operator"] not in _KINDS:
            plain.setdefault(decision["operator"], []).append(kind)
    lists = {operator: plain[operator] for operator in sorted(plain, key=lambda o: (o != "keep", o))}
    taken = {kind for kinds in plain.values() for kind in kinds}
    return lists | {kind: decision for kind, decision in decisions.items() if kind not in taken}


def _unlisted(section: Any, location: str) -> dict[str, _Entry]:
    """Kind → decision."""
    if not isinstance(section, dict):
        raise UsageError(f"{location}: not a table; a plan of version 2 has a line for each entity or operator in it")
    out: dict[str, _Entry] = {}
    for key, value in section.items():
        each = {key: value} if isinstance(value, dict) else {}
        if isinstance(value, list) and all(isinstance(kind, str) for kind in value):
            each = {kind: {"operator": key} for kind in value}
        elif not each:
            raise UsageError(f"{location}: {key} must be a list of entities, or a table of operator, with and domain")
        for kind, decision in each.items():
            if kind not in _KINDS:
                raise UsageError(f"{location}: {kind} is not an entity{suggestion(kind, _KINDS)}")
            if kind in out or (isinstance(value, list) and value.count(kind) > 1):
                raise UsageError(f"{location}: {kind} is given twice")
            for name in decision:
                if name not in DECISION:
                    raise UsageError(f"{location}: {kind}: unknown key {name}{suggestion(name, DECISION)}")
            if not isinstance(decision.get("with", {}), dict):
                raise UsageError(
                    f'{location}: {kind}: with must be a table of parameters, as in with = {{level = "year"}}'
                )
            if not isinstance(decision.get("operator"), str):
                raise UsageError(f"{location}: {kind}: operator is missing")
            out[kind] = dict(decision)
    return out


def _tables(data: Mapping[str, Any], key: str, location: str) -> dict[str, Any]:
    found = data.get(key, {})
    if not isinstance(found, dict):
        raise UsageError(f"{location}: {key} must be a table with an entry for each, by its name")
    for label, entry in found.items():
        if not isinstance(entry, dict):
            raise UsageError(f'{location}: {key}: {label} must be a table, such as {label} = {{entity = "CITY"}}')
    return found


def _with_domain(entry: Mapping[str, Any], kind: str) -> _Entry:
    """With the domain spelled out; "" is none."""
    out = dict(entry)
    if "domain" not in out:
        out["domain"] = _usual_domain(out.get("operator"), kind)
    if out["domain"] in (None, ""):
        del out["domain"]
    return out


def _domain(decision: Mapping[str, Any], kind: str) -> str | None:
    if "domain" in decision:
        return decision["domain"] or None
    return _usual_domain(decision["operator"], kind)


def _usual_domain(operator: Any, kind: str) -> str | None:
    """The entity, where the operator has a key."""
    from piiscan.masking.operators import operator_registry

    try:
        return kind if isinstance(operator, str) and operator_registry.operator_class(operator).keyed else None
    except UsageError:
        return None


def _canonical(value: Any) -> str:
    """Equal for values that mean the same: keys in any order, but 1, 1.0 and true are three values."""
    if isinstance(value, Mapping):
        return repr(sorted((key, _canonical(held)) for key, held in value.items()))
    return repr(value)
