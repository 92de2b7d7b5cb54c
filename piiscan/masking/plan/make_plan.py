"""Makes a plan from a scan: the policy decides what is done, the column decides how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from piiscan.core.types import ColumnReport, DType, ForeignKey, Limits, TableInfo, TableReport
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.masking.plan import (
    column_rules,
    date_subjects,
    declared_types,
    empty_columns,
    foreign_keys,
    group_columns,
    in_review,
    key_links,
    key_references,
    number_columns,
    person_locales,
    persons_in_cells,
    phone_columns,
    place_columns,
    replan,
    row_people,
    several_values,
    span_actions,
    subjects,
    table_locales,
)
from piiscan.masking.plan.choice import Chosen
from piiscan.masking.plan.choose import Known, choose
from piiscan.masking.plan.date_columns import holds_dates
from piiscan.masking.plan.few_values import accepted, of_few, rank_attack
from piiscan.masking.plan.frequencies import Frequencies, few
from piiscan.masking.plan.key_links import RANKS, TELEPHONE
from piiscan.masking.plan.masked_keys import Numbers, with_keys_as_masked
from piiscan.masking.plan.plan_types import Action, Plan, TablePlan
from piiscan.masking.plan.policy import Policy, PolicyRule
from piiscan.masking.plan.same_people import as_key, know_each_other, with_common_scopes, with_keys_of_people

if TYPE_CHECKING:
    from piiscan.masking.surrogates.name_locale import Detected

_JUDGED_BY_TEXTS: Final = frozenset(
    (*RANKS, "PERSON", "FIRST_NAME", "LAST_NAME", "STREET_ADDRESS", "COUNTRY", "DEVICE_ID", "PHONE_NUMBER")
)
"""Entities for which a plan has to see how they are written."""
_SAME_LOOK: Final = "same-look"
_MADE_TO_FIT: Final = frozenset((_SAME_LOOK, "surrogate"))
_JUDGED_BY_ROWS: Final = frozenset((*RANKS, "PERSON", "FIRST_NAME", "LAST_NAME")) - {TELEPHONE}
"""Entities for which a plan has to see whole rows."""
_NUMBERS_OR_NOT: Final = ("float", "other")
"""Types of columns whose texts tell whether they are numbers of somebody's, written without a fraction."""
_TELLING: Final = 300
"""Texts without a name from which on one in a hundred has none, either (as 0.99 to the power of 300 is 0.05)."""
_DATES: Final = frozenset(("date-generalise", "year-of-birth", "date-shift"))


class Scanned(NamedTuple):
    """What a plan needs of a scanned table; thousands of tables have to fit into memory.

    By column: physical types, whether the policy asks for dates, and sampled texts of those columns alone whose
    format matters. Rows only where a number may be a person's, or several names stand in one; and how often values
    and people occur. `affixes`: letters with which all numbers of a column begin and end, where the plan chooses
    their format. `keys`: the keys of a data set's partitions, which are no columns of its files. `foreign_keys`:
    which columns hold keys of other tables. `limits`: what declared types ask of columns, by column; empty where
    they ask nothing. `key_samples`: sampled texts of columns that may refer to other tables, or be referred to.
    `several`: columns some of whose cells hold several values. `cells`: some of columns in which people may be named.
    """

    report: TableReport
    types: tuple[DType, ...]
    dates: tuple[bool, ...]
    samples: tuple[tuple[str, ...], ...]
    rows: row_people.CountedRows
    frequencies: Frequencies
    affixes: tuple[tuple[str, str], ...] = ()
    keys: tuple[ColumnReport, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    limits: tuple[Limits | None, ...] = ()
    key_samples: Mapping[int, tuple[str, ...]] = {}
    several: frozenset[int] = frozenset()
    cells: Mapping[int, tuple[str, ...]] = {}


def scanned(info: TableInfo, summary: TableSummary, report: TableReport, policy: Policy) -> Scanned:
    """`info` is the reader's, with names as printed."""
    own = len(report.members[0].columns) if report.members else len(report.columns)
    keys = report.columns[own:]
    report = replace(report, columns=report.columns[:own])
    summary = replace(summary, columns=summary.columns[:own])
    types = tuple(f.dtype for f in info.fields[:own])
    dates, samples, operators, affixes = [], [], [], []
    for column, dtype, found in zip(report.columns, types, summary.columns, strict=True):
        texts = tuple(text for text, _ in found.sample.items)
        dates.append(policy.asks_for_dates and holds_dates(dtype, texts))
        operators.append(operator := policy.rule(report, as_key(column), dates[-1]).operator)
        looks = operator == _SAME_LOOK and dtype in number_columns.TEXTS
        affixes.append(number_columns.affixes(found.sample.items) if looks else ("", ""))
        if operator in _DATES or (operator == "spans" and policy.moves_dates):
            samples.append(texts)
        else:
            samples.append(texts[: subjects.SAMPLED] if _needs_sample(as_key(column), operator) else ())
    rows = _rows(report, summary) if _tells_by_rows(report) else ()
    frequencies = Frequencies.of(report, summary, operators)
    return Scanned(
        report,
        types,
        tuple(dates),
        tuple(samples),
        rows,
        frequencies,
        tuple(affixes),
        keys,
        info.foreign_keys,
        _limits(info, own),
        key_references.samples(report, summary),
        several_values.columns(report, summary),
        persons_in_cells.texts(report, summary),
    )


def _tells_by_rows(report: TableReport) -> bool:
    """Whether sampled rows may distinguish the people of a table."""
    keys = any(c.entity in RANKS and c.entity != TELEPHONE for c in report.columns)
    return keys or sum(c.entity in row_people.WHOLE for c in report.columns) > 1


def _rows(report: TableReport, summary: TableSummary) -> row_people.CountedRows:
    """Sampled rows, with the cells of keys and names."""
    own = {c.index for c in report.columns if c.entity in _JUDGED_BY_ROWS}
    width = len(report.columns)
    return tuple(
        (tuple(cell if i in own else None for i, cell in enumerate(row[:width])), n)
        for row, n in summary.row_sample.items
    )


def _limits(info: TableInfo, columns: int) -> tuple[Limits | None, ...]:
    limits = tuple(field.limits for field in info.fields[:columns])
    return limits if any(one is not None for one in limits) else ()


def _needs_sample(column: ColumnReport, operator: str) -> bool:
    """Whether a plan has to see how a column's cells are written."""
    made_to_fit = operator in _MADE_TO_FIT and column.dtype in _NUMBERS_OR_NOT
    place = operator == "surrogate" and column.entity in subjects.PLACE_KINDS
    return column.entity in _JUDGED_BY_TEXTS or operator == _SAME_LOOK or made_to_fit or place


def plan(tables: Iterable[Scanned], policy: Policy, rules_digest: str, before: Plan | None = None) -> Plan:
    """The plan for tables, in their order. What a person has decided in `before` stays."""
    tables = _told_whose(list(tables))
    known = before.tables if before else ()
    locale = _locale(tables)
    earlier = [replan.before(t.report, t.keys, known) for t in tables]
    whose = policy.locale if before is None or before.locale == "person" else before.locale
    locales = [locale.locale] * len(tables)
    named = _named(tables)
    made = _made(tables, locales, locales, policy, earlier, named)
    read = [(t.report, t.samples) for t in tables]
    homes = table_locales.of_tables(read, locale.locale) if whose == "person" else locales
    if homes != locales:
        if not _vault(made, policy, before)[0]:
            locales = table_locales.agreeing(homes, made, read, locale.locale)
        made = _made(tables, locales, homes, policy, earlier, named)
    few_values = [_columns_of_few(t) for t in tables]
    made = foreign_keys.agreed(_agreed(made, tables, policy), [t.foreign_keys for t in tables], few_values)
    made = _emptied(foreign_keys.seen(made, _references(tables), few_values), tables, policy)
    made = date_subjects.given(made, [t.report for t in tables], policy, locale.locale)
    made = with_keys_as_masked(made, list(map(_numbers, tables)))
    for table in made:
        group_columns.resolved(table.columns, table.source)
        group_columns.countries(table.columns, table.source)
    spans = replan.spans(
        span_actions.spans(policy, locale.locale) if any(map(_reads_text, made)) else (), before.spans if before else ()
    )
    vault, hashed = _vault(made, policy, before)
    own = person_locales.found(read, locale.locale, homes) if vault and whose == "person" else ()
    made = _of_several_countries(made, own, policy)
    spans = phone_columns.agreed_spans(number_columns.agreed_spans(spans, made), made)
    made = [_with_keys(m, t, policy, e) for m, t, e in zip(made, tables, earlier, strict=True)]
    lists = span_actions.digests(made, spans)
    notes = (
        *policy.notes,
        *_about_people(made, vault, own),
        *_about_locale(locale, own, locales, made, lists),
    )
    key_ids = () if before is None else before.key_ids
    return Plan(policy.name, rules_digest, tuple(made), spans, lists, notes, vault, key_ids, hashed, whose)


def _made(
    tables: Sequence[Scanned],
    locales: Sequence[str],
    homes: Sequence[str],
    policy: Policy,
    earlier: Sequence[TablePlan | None],
    named: Sequence[frozenset[int]],
) -> list[TablePlan]:
    """Plans of tables.

    `locales`: those of made-up values; `homes`: those of most people, by table; `named`: columns in whose cells people
    are named.
    """
    persons = any(c.entity in subjects.PARTS and c.pii == "direct" for t in tables for c in t.report.columns)
    made = [
        replan.table(_table(t, policy, locale, home, persons, n), _without_keys(e, t), policy)
        for t, e, locale, home, n in zip(tables, earlier, locales, homes, named, strict=True)
    ]
    made = with_common_scopes(made, [t.samples for t in tables], [t.report.rows for t in tables])
    return subjects.with_needed_keys(made)


def _emptied(made: Sequence[TablePlan], tables: Sequence[Scanned], policy: Policy) -> list[TablePlan]:
    """The plans of tables, in which nothing is kept of what comes into columns that are empty now."""
    return [empty_columns.emptied(m, t.report, t.dates, t.limits, policy) for m, t in zip(made, tables, strict=True)]


def _told_whose(tables: list[Scanned]) -> list[Scanned]:
    """The tables, with keys called people's where another table tells."""
    samples = [t.samples for t in tables]
    reports = persons_in_cells.with_owners(with_keys_of_people([t.report for t in tables], samples), samples)
    reports = persons_in_cells.with_users(reports, samples, [t.cells for t in tables])
    reports = persons_in_cells.with_names(reports, samples, [t.rows for t in tables], [t.cells for t in tables])
    return [_called(t, report) for t, report in zip(tables, reports, strict=True)]


def _called(table: Scanned, report: TableReport) -> Scanned:
    """The table with other verdicts, and cells of what is now a name, of which a plan has to see how it is written."""
    pairs = zip(table.report.columns, report.columns, strict=True)
    names = {new.index for old, new in pairs if new != old and new.entity in ("PERSON", "LAST_NAME")}
    own = tuple(table.cells[i] if i in names else texts for i, texts in enumerate(table.samples))
    return table._replace(report=report, samples=own)


def _named(tables: Sequence[Scanned]) -> list[frozenset[int]]:
    """The columns of each table in whose cells people stand whom other columns hold."""
    reports, samples = [t.report for t in tables], [t.samples for t in tables]
    return persons_in_cells.found(reports, samples, [t.rows for t in tables], [t.cells for t in tables])


def _numbers(table: Scanned) -> Numbers:
    return Numbers(table.samples, table.frequencies.distinct, table.rows)


def _references(tables: Sequence[Scanned]) -> list[key_references.Reference]:
    """Columns that seem to refer to keys, which nothing declares."""
    return key_references.references(
        [t.report for t in tables], [t.key_samples for t in tables], [t.frequencies.filled for t in tables]
    )


def _vault(made: Sequence[TablePlan], policy: Policy, before: Plan | None) -> tuple[str | None, bool]:
    """The file that remembers people, and whether by hashes of their keys: that of the plan before stays."""
    if before is not None and before.vault is not None:
        return before.vault, before.hashed_keys
    if policy.derived and (key_links.needed(made) or know_each_other(made)):
        return key_links.VAULT, True
    return None, before is not None and before.hashed_keys


def _of_several_countries(made: list[TablePlan], own: tuple[str, ...], policy: Policy) -> list[TablePlan]:
    """The tables with names and telephones of their people's own countries, where `own` are their locales."""
    if not own:
        return made
    made = phone_columns.by_person(made, [rule.params for rule in policy.rules])
    return [person_locales.with_locales(t, own) for t in made]


def _about_people(made: Sequence[TablePlan], vault: str | None, own: Sequence[str]) -> Iterator[str]:
    if not vault:
        return
    needed = key_links.needed(made)
    why = f"{needed[0]} and {needed[1]} know the same people by different keys: " if needed else ""
    yield (
        f"{why}vault is an encrypted file that remembers who the people of these tables are and what was decided of "
        "each, so that later files agree. Mask the tables together, or those with several keys first, and keep the "
        'file with the key. Without it (vault = "") made-up addresses are longer, names are of one locale, and files '
        "masked apart "
        "may give one person several genders."
    )
    if own:
        yield (
            "People whose country, telephone or name tells it get names and streets of their own locale where ten or "
            'more have it, which shows where they are from: write locale = "table" above to hide that. Their telephone '
            "numbers without a country code are read as numbers of their country (by_person), wherever they stand."
        )


def _about_locale(
    locale: Detected, own: Sequence[str], locales: Sequence[str], made: Sequence[TablePlan], lists: Mapping[str, str]
) -> Iterator[str]:
    """Nothing for a plan that needs no lists of names."""
    if not lists:
        return
    if own:
        yield f"All others are of the locale {locale.locale}: {locale.reason()}."
    else:
        yield from table_locales.described(locale, locales, [t.source for t in made])


def _agreed(made: Sequence[TablePlan], tables: Sequence[Scanned], policy: Policy) -> list[TablePlan]:
    """The plans of tables with what columns of one key domain have to have in common."""
    samples = [t.samples for t in tables]
    chosen = [
        [policy.rule(t.report, c, t.dates[c.index]).operator == _SAME_LOOK for c in t.report.columns] for t in tables
    ]
    numbers = number_columns.agreed(
        made, [t.report.columns for t in tables], samples, [t.affixes for t in tables], chosen
    )
    phones = phone_columns.agreed(numbers, [t.report for t in tables], samples, [rule.params for rule in policy.rules])
    return [place_columns.agreed(t) for t in phones]


def _locale(tables: Sequence[Scanned]) -> Detected:
    """Detect the locale from the names in all tables together.

    A person's e-mail address has to get the same mask in each of them.
    """
    from piiscan.masking.surrogates.name_locale import locale_of

    each = [subjects.names(t.report, t.samples) for t in tables]
    countries = {country for _, country in each if country}
    return locale_of([name for names, _ in each for name in names], countries.pop() if len(countries) == 1 else None)


def _table(scanned: Scanned, policy: Policy, locale: str, home: str, persons: bool, named: frozenset[int]) -> TablePlan:
    """`persons`: whether some table has direct identifiers of persons; `named`: see `_made`."""
    report, samples = scanned.report, scanned.samples
    policy_rules = [
        column_rules.rule(policy, report, c, scanned.dates[c.index], persons, c.index in named) for c in report.columns
    ]
    people = subjects.found(report, samples, scanned.rows, [w.operator == "surrogate" for w in policy_rules], home)
    known = Known(report, samples, people, locale)
    actions = [
        _action(scanned, column, rule, dtype, known, policy)
        for column, rule, dtype in zip(report.columns, policy_rules, scanned.types, strict=True)
    ]
    used = {a.subject for a in actions}
    about = tuple(_about_keys(scanned))
    return TablePlan(report.source, report.table, tuple(actions), tuple(s for s in people if s.name in used), (), about)


def _action(
    scanned: Scanned, column: ColumnReport, rule: PolicyRule, dtype: DType, known: Known, policy: Policy
) -> Action:
    frequencies = scanned.frequencies
    limits = scanned.limits[column.index] if scanned.limits else None
    chosen = _seeing_all(
        choose(
            rule.operator,
            _params(rule, column, frequencies.filled[column.index]),
            column,
            dtype,
            known,
            derived=policy.derived,
        ),
        column,
    )
    chosen = declared_types.fitted(chosen, column, limits)
    subject = next((s for s in known.subjects if s.name == chosen.subject), None)
    rare = None if rule.accept_frequency else of_few(chosen, column, dtype, subject, frequencies)
    nevertheless = rare and accepted(rare[0], limits, scanned.report)
    chosen, why = (chosen, nevertheless) if nevertheless else rare or (chosen, "")
    notes = [_why(column), *in_review.note(column), *((rule.note,) if rule.note else ()), *chosen.notes]
    notes += [why] if why else []
    notes += several_values.notes(chosen.operator, column.index in scanned.several)
    if not rare and (chosen.deterministic or chosen.subject_decides):
        notes.append(rank_attack(column, subject if chosen.subject_decides else None, frequencies))
    if (shared := chosen.collisions(column.distinct)) >= 0.5:
        notes.append(
            f"about {shared:,.0f} of {_about(column)}{column.distinct:,} different values are expected to share their "
            "mask with another one"
        )
    return Action(
        column.index,
        column.name,
        dtype,
        column.entity,
        column.pii,
        chosen.operator,
        chosen.params,
        rule.domain or chosen.domain if chosen.keyed else None,
        chosen.subject,
        rule.accept_frequency or bool(nevertheless),
        "policy",
        tuple(notes),
    )


def _without_keys(plan: TablePlan | None, scanned: Scanned) -> TablePlan | None:
    names = {c.name for c in scanned.keys}
    return plan and replace(plan, columns=tuple(a for a in plan.columns if a.name not in names))


def _with_keys(made: TablePlan, scanned: Scanned, policy: Policy, before: TablePlan | None) -> TablePlan:
    """The plan with the partition keys as its last columns.

    They are kept, or `mask` refuses them where the policy doesn't keep such a column. Decisions of people stay.
    """
    decided = {a.name: a for a in (before.columns if before else ()) if a.decided_by == "human"}
    actions = list(made.columns)
    for key in scanned.keys:
        operator = "keep" if policy.rule(scanned.report, key, False).operator == "keep" else "suppress"
        own = Action(len(actions), key.name, "string", key.entity, key.pii, operator, notes=(_why(key),))
        known = decided.get(key.name)
        actions.append(own if known is None else replace(known, index=own.index, notes=own.notes))
    return replace(made, columns=tuple(actions))


def _about_keys(scanned: Scanned) -> Iterator[str]:
    """What to know of a data set whose files have keys of partitions."""
    if scanned.report.members:
        files = len(scanned.report.members)
        yield f"a data set of {files:,} files; later ones of such names are masked by this entry, too"
        if keys := [c.name or "" for c in scanned.keys]:
            yield f"{', '.join(keys)}: in the names of folders, which mask doesn't change, so only keep is possible"


def _columns_of_few(scanned: Scanned) -> dict[int, int]:
    """The columns of few values, or none, and how many values each has."""
    filled = scanned.frequencies.filled
    return {
        c.index: c.distinct for c in scanned.report.columns if not filled[c.index] or few(c.distinct, filled[c.index])
    }


def _about(column: ColumnReport) -> str:
    return "" if column.distinct_exact else "about "


def _seeing_all(chosen: Chosen, column: ColumnReport) -> Chosen:
    """Return the operator, or suppress in place of spans that would leave identifiers in the texts."""
    unseen = _not_found_in_texts(column) if chosen.operator == "spans" else ""
    return Chosen("suppress", notes=(unseen,)) if unseen else chosen


def _not_found_in_texts(column: ColumnReport) -> str:
    """Return why the operator spans would leave identifiers in a column's texts; "" where it doesn't.

    It looks for what the shipped rules and the recogniser find, since a plan is applied without the rules it was made
    with.
    """
    from piiscan.rules import rule_sets

    if not column.inside:
        return ""
    if any(reason.by == "encoded" for reason in column.reasons):
        return "its cells are text in Base64 or hexadecimal, in which the operator spans finds nothing"
    known = rule_sets.shipped().rules.by_id
    own = sorted({f"{i.entity} ({i.rule})" for i in column.inside if i.rule not in known})
    if not own:
        return ""
    return (
        f"contains {', '.join(own)} by rules of your own, which masking doesn't look for inside texts: the operator "
        "spans would mask only those that a column contains too"
    )


def _params(rule: PolicyRule, column: ColumnReport, filled: int) -> Mapping[str, Any]:
    """A policy's parameters.

    Texts aren't read for names if none was found there by the scan, and none may be there, as in texts to come where
    few are `filled` now.
    """
    if rule.operator != "spans" or "names" in rule.params:
        return rule.params
    may_be_there = bool(column.review) or filled < _TELLING
    return {**rule.params, "names": may_be_there or any(i.entity == "PERSON" for i in column.inside)}


def _why(column: ColumnReport) -> str:
    inside = sorted({i.entity for i in column.inside})
    said = "; ".join(r.text or f"{r.by} {r.id or ''}".strip() for r in column.reasons[:2])
    what = f"{column.sureness:.0%} sure" + (f": {said}" if said else "") if column.is_judged else said or "no values"
    return what + (f"; inside: {', '.join(inside)}" if inside else "")


def _reads_text(table: TablePlan) -> bool:
    return any(a.operator == "spans" for a in table.columns)
