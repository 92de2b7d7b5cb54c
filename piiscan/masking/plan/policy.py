"""Policies: which operator a kind of column gets, decided before a table is scanned."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import UsageError
from piiscan.core.types import ColumnReport, Inside, Pii, TableReport
from piiscan.detection.text import birth_dates, street_addresses
from piiscan.masking.plan.plan_types import WhoseLocale
from piiscan.rules.definitions import suggestion

SHIPPED: Final = ("default", "gdpr", "hipaa-safe-harbor")
FOLDER: Final = Path(__file__).parent / "policies"
CHOSEN_LATER: Final = frozenset(("surrogate", "same-look", "spans", "year-of-birth"))
"""Operators that a policy names by what they do; the plan says how, from the column."""
NOT_DERIVED: Final = frozenset(("code", "spans", "year-of-birth"))
"""What a policy may name besides operators without a key where no mask may be derived from a value: a code is drawn at
random, spans do as the policy says for what is found."""
_ESTIMATE: Final = 1.1
"""An estimate of how many different values there are may fall short by so much: three of its standard deviations."""
_RULE: Final = frozenset(
    "operator with entity pii column table inside dates unique domain subject accept_frequency note".split()
)
_POLICY: Final = frozenset("name title notes derived locale rule".split())


class PolicyRule(NamedTuple):
    """What the columns get that fit everything it names.

    Empty: it doesn't ask. `dates`: whether the column's cells are dates, whatever they mean.
    `unique`: of the filled cells at least this share are different from each other. `subject`: the columns that say
    whose dates `date-shift` moves; none: the plan finds them.
    """

    operator: str
    params: Mapping[str, Any] = {}
    entity: frozenset[str] = frozenset()
    pii: frozenset[str] = frozenset()
    column: str | None = None
    table: str | None = None
    inside: bool | None = None
    dates: bool | None = None
    unique: float | None = None
    domain: str | None = None
    accept_frequency: bool = False
    note: str | None = None
    subject: tuple[str, ...] = ()

    def fits(self, table: TableReport, column: ColumnReport, dates: bool) -> bool:
        return (
            (not self.entity or column.entity in self.entity)
            and (not self.pii or column.pii in self.pii)
            and (
                self.column is None
                or fnmatchcase((column.name or f"column_{column.index}").lower(), self.column.lower())
            )
            and (self.table is None or any(fnmatchcase(t, self.table) for t in (table.source, table.table or "")))
            and (self.inside is None or self.inside == any(map(_is_somebodys, column.inside)))
            and (self.dates is None or self.dates == dates)
            and (self.unique is None or _is_unique(column, table.rows - column.nulls, self.unique))
        )


def _is_somebodys(found: Inside) -> bool:
    """Whether what a text holds is to be masked: direct identifiers, dates of birth and street addresses."""
    return PII_CLASS[found.entity] == "direct" or found.rule in (birth_dates.RULE, street_addresses.RULE)


def _is_unique(column: ColumnReport, filled: int, share: float) -> bool:
    """One cell alone is no evidence: it would differ from all others whatever the column holds."""
    return filled > 1 and column.distinct * (1 if column.distinct_exact else _ESTIMATE) >= share * filled


class Policy(NamedTuple):
    """`derived`: whether masks may be derived from what they mask, with a key; 45 CFR 164.514(c) forbids it.

    `locale`:
    whether people may get names of a locale of their own.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    rules: tuple[PolicyRule, ...]
    derived: bool = True
    locale: WhoseLocale = "person"

    def rule(self, table: TableReport, column: ColumnReport, dates: bool = False) -> PolicyRule:
        """The first rule that fits; a policy's last one fits everything.

        `dates`: whether the column's cells are dates.
        """
        return next(r for r in self.rules if r.fits(table, column, dates))

    @property
    def asks_for_dates(self) -> bool:
        return any(r.dates is not None for r in self.rules)

    @property
    def moves_dates(self) -> bool:
        return any(r.operator == "date-shift" for r in self.rules)


def derives(operator: str, params: Mapping[str, Any]) -> bool:
    """Whether an operator makes masks out of values and the key.

    Raises `UsageError` for an operator that can't be made.
    """
    from piiscan.masking.operators import operator_registry

    return operator not in NOT_DERIVED and (operator in CHOSEN_LATER or operator_registry.make(operator, params).keyed)


def load(spec: str = "default") -> Policy:
    """A shipped policy by its name, or one of a TOML file. Raises `UsageError`, which says where and what is wrong."""
    path = FOLDER / f"{spec}.toml" if spec in SHIPPED else Path(spec)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(
            f"there is no policy {spec}{suggestion(spec, SHIPPED)}; piiscan ships {', '.join(SHIPPED)}"
        ) from None
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
    if last._replace(operator="", params={}, domain=None, accept_frequency=False, note=None, subject=()) != PolicyRule(
        ""
    ):
        raise UsageError(
            f"policy {spec}: the last rule has conditions, so some columns may match no rule; end with [[rule]] "
            'operator = "suppress", or "keep"'
        )
    derived = _flag(data, "derived", f"policy {spec}") is not False
    for i, r in enumerate(rules):
        if not derived and derives(r.operator, r.params):
            raise UsageError(
                f"policy {spec}: rule {i + 1}: {r.operator} derives masks from values, which derived = false "
                "rules out; use redact, suppress, or code"
            )
    if (locale := data.get("locale", "person")) not in get_args(WhoseLocale):
        raise UsageError(f'policy {spec}: locale must be "person" or "table"')
    notes = data.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(n, str) for n in notes):
        raise UsageError(f"policy {spec}: notes must be a list of texts")
    return Policy(str(data.get("name", spec)), str(data.get("title", spec)), tuple(notes), rules, derived, locale)


def _rule(data: Any, location: str) -> PolicyRule:
    if not isinstance(data, dict):
        raise UsageError(f"{location}: not a table")
    for key in data:
        if key not in _RULE:
            raise UsageError(f"{location}: unknown key {key}{suggestion(key, _RULE)}")
    operator, params = data.get("operator"), data.get("with", {})
    if not isinstance(operator, str):
        raise UsageError(f"{location}: operator is missing")
    if not isinstance(params, dict):
        raise UsageError(f'{location}: with must be a table of parameters, such as with = {{level = "year"}}')
    for key in ("column", "table", "domain", "note"):
        if not isinstance(data.get(key, ""), str):
            raise UsageError(f"{location}: {key} must be a text")
    # A surrogate whose kind the policy fixes is an operator like any other.
    if operator not in CHOSEN_LATER or "kind" in params:
        from piiscan.masking.operators import operator_registry

        try:
            operator_registry.make(operator, params)
        except UsageError as error:
            raise UsageError(f"{location}: {error}") from None
    entities, classes = _names(data, "entity", PII_CLASS, location), _names(data, "pii", get_args(Pii), location)
    return PolicyRule(
        operator,
        params,
        entities,
        classes,
        data.get("column"),
        data.get("table"),
        _flag(data, "inside", location),
        _flag(data, "dates", location),
        _share(data, "unique", location),
        data.get("domain"),
        bool(_flag(data, "accept_frequency", location)),
        data.get("note"),
        _subject(data, operator, location),
    )


def _subject(data: Mapping[str, Any], operator: str, location: str) -> tuple[str, ...]:
    value = data.get("subject", [])
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise UsageError(
            f"{location}: subject must be a list of columns that identify the person a row is about: "
            'subject = ["patient_no"]'
        )
    if value and operator != "date-shift":
        raise UsageError(
            f"{location}: subject is only for the operator date-shift; the plan finds the subjects of others"
        )
    return tuple(value)


def _flag(data: Mapping[str, Any], key: str, location: str) -> bool | None:
    value = data.get(key)
    if value is not None and not isinstance(value, bool):
        raise UsageError(f"{location}: {key} must be true or false")
    return value


def _share(data: Mapping[str, Any], key: str, location: str) -> float | None:
    value = data.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1):
        raise UsageError(f"{location}: {key} must be a share above 0 and at most 1, such as 0.9")
    return None if value is None else float(value)


def _names(data: Mapping[str, Any], key: str, known: Any, location: str) -> frozenset[str]:
    value = data.get(key, [])
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list):
        raise UsageError(f"{location}: {key} must be a list of names")
    for name in several:
        if not isinstance(name, str) or name not in known:
            raise UsageError(f"{location}: {key}: {name} is unknown{suggestion(str(name), known)}")
    return frozenset(several)
