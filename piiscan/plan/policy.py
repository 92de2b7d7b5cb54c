"""Policies: which operator a kind of column gets, before anybody has looked at the table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from piiscan.entities import PII_CLASS
from piiscan.errors import UsageError
from piiscan.rules import suggestion
from piiscan.types import ColumnReport, Pii, TableReport

SHIPPED: Final = ("default", "gdpr", "hipaa-safe-harbor")
FOLDER: Final = Path(__file__).parent / "policies"
CHOSEN_LATER: Final = frozenset(("surrogate", "same-look", "spans"))
"""Operators that a policy names by what they do; the plan says how, from the column."""
_RULE: Final = frozenset("operator with entity pii column table inside domain accept_frequency note".split())
_POLICY: Final = frozenset("name title notes rule".split())


class PolicyRule(NamedTuple):
    """What the columns get that fit everything it names. Empty: it doesn't ask."""

    operator: str
    params: Mapping[str, Any] = {}
    entity: frozenset[str] = frozenset()
    pii: frozenset[str] = frozenset()
    column: str | None = None
    table: str | None = None
    inside: bool | None = None
    domain: str | None = None
    accept_frequency: bool = False
    note: str | None = None

    def fits(self, table: TableReport, column: ColumnReport) -> bool:
        return (
            (not self.entity or column.entity in self.entity)
            and (not self.pii or column.pii in self.pii)
            and (self.column is None or fnmatchcase((column.name or f"column_{column.index}").lower(), self.column.lower()))
            and (self.table is None or any(fnmatchcase(t, self.table) for t in (table.source, table.table or "")))
            and (self.inside is None or self.inside == any(PII_CLASS[i.entity] == "direct" for i in column.inside))
        )


class Policy(NamedTuple):
    name: str
    title: str
    notes: tuple[str, ...]
    rules: tuple[PolicyRule, ...]

    def rule(self, table: TableReport, column: ColumnReport) -> PolicyRule:
        """The first rule that fits; a policy's last one fits everything."""
        return next(r for r in self.rules if r.fits(table, column))


def load(spec: str = "default") -> Policy:
    """A shipped policy by its name, or one of a TOML file. Raises `UsageError`, which says where and what is wrong."""
    path = FOLDER / f"{spec}.toml" if spec in SHIPPED else Path(spec)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"no policy {spec}{suggestion(spec, SHIPPED)}; shipped are {', '.join(SHIPPED)}") from None
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"policy {spec}: can't be read") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"policy {spec}: not TOML: {error}") from None
    for key in data:
        if key not in _POLICY:
            raise UsageError(f"policy {spec}: unknown key {key}{suggestion(key, _POLICY)}")
    given = data.get("rule", [])
    if not isinstance(given, list) or not given:
        raise UsageError(f"policy {spec}: it has no [[rule]]")
    rules = tuple(_rule(r, f"policy {spec}: rule {i + 1}") for i, r in enumerate(given))
    last = rules[-1]
    if last.entity or last.pii or last.column or last.table or last.inside is not None:
        raise UsageError(f'policy {spec}: the last rule names something, so columns may fit none; end with [[rule]] operator = "suppress", or "keep"')
    return Policy(str(data.get("name", spec)), str(data.get("title", spec)), tuple(map(str, data.get("notes", ()))), rules)


def _rule(data: Any, place: str) -> PolicyRule:
    if not isinstance(data, dict):
        raise UsageError(f"{place}: not a table")
    for key in data:
        if key not in _RULE:
            raise UsageError(f"{place}: unknown key {key}{suggestion(key, _RULE)}")
    operator, params = data.get("operator"), data.get("with", {})
    if not isinstance(operator, str):
        raise UsageError(f"{place}: operator is missing")
    if operator not in CHOSEN_LATER:
        from piiscan.operators import registry

        try:
            registry.make(operator, params)
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
    entities, classes = _names(data, "entity", PII_CLASS, place), _names(data, "pii", get_args(Pii), place)
    return PolicyRule(
        operator, params, entities, classes, data.get("column"), data.get("table"), data.get("inside"), data.get("domain"),
        bool(data.get("accept_frequency", False)), data.get("note"),
    )  # fmt: skip


def _names(data: Mapping[str, Any], key: str, known: Any, place: str) -> frozenset[str]:
    value = data.get(key, [])
    several = [value] if isinstance(value, str) else value
    for name in several:
        if name not in known:
            raise UsageError(f"{place}: {key} has no {name}{suggestion(str(name), known)}")
    return frozenset(several)
