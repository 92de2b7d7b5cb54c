"""`piiscan explain`: a rule, or the verdict on a column, in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.core.types import ColumnReport, TableReport
    from piiscan.rules.definitions import Rule, RuleSet


@click.command()
@click.argument("target", metavar="RULE|FILE::COLUMN")
@options.read_options
def explain(target: str, **given: Any) -> int:
    """Explain a rule, or why a column got its verdict.

    RULE is a rule's id, an entity or a subtype. FILE::COLUMN is a file and a column's name or number (from 0);
    FILE::TABLE::COLUMN where a file holds several tables.
    """
    from piiscan.cli import scan_run
    from piiscan.core.errors import UsageError

    s = options.settings(**given)
    rules = scan_run.load_rules(s)
    parts = target.split("::")
    if len(parts) == 1:
        return _rules(target, rules)
    if not parts[0]:
        raise UsageError("name the file in front of ::")
    from piiscan.report.verdict_words import place

    spellings = [("::".join(parts[:i]), parts[i:]) for i in range(len(parts) - 1, 0, -1)]
    file = next((on_disk for source, _ in spellings if (on_disk := _file(source)) is not None), spellings[-1][0])
    report = scan_run.perform([file], s, rules, scan_run.Show())
    named = [(t, rest) for t in report.tables for source, rest in spellings if _same(t.source, source, rules)]
    found = [(t, c, label) for t, rest in named for c, label in _columns(t) if _meant(t, c, label, rest)]
    tables = [t for t, _ in named] or list(report.tables)
    for entry in report.not_scanned:
        output.say(f"not scanned: {place(entry)}: {entry.reason}")
    if not found and tables:
        raise _unknown(tables)
    folder = s.config.folder or Path.cwd()
    for i, (table, column, label) in enumerate(found):
        output.data("\n" * bool(i) + "".join(f"{line}\n" for line in _verdict(table, column, label, rules, folder)))
    if not found and report.complete:
        output.say(f"there is no table in {file}")
    return 0 if report.complete and found else 3


def _file(source: str) -> str | None:
    """What to read for a source: itself, or the archive on disk that holds it; None where neither is there."""
    from piiscan.io.printed_names import on_disk
    from piiscan.scanning.findings import container

    names = (source, container(source)[0])
    return next((name for name in (*names, *map(on_disk, names)) if name == "-" or os.path.lexists(name)), None)


def _same(printed: str, typed: str, rules: RuleSet) -> bool:
    """Whether what somebody typed is the source of a report, as it is printed or as it is on the disk."""
    from piiscan.io.printed_names import shown

    return os.path.normpath(printed) in (os.path.normpath(typed), os.path.normpath(shown(typed, rules)))


def _columns(table: TableReport) -> Iterator[tuple[ColumnReport, str]]:
    from piiscan.scanning.findings import labels

    return zip(table.columns, labels(table), strict=True)


def _meant(table: TableReport, column: ColumnReport, label: str, rest: list[str]) -> bool:
    def named(text: str) -> bool:
        return text in (label, column.name) or text == str(column.index)

    return named("::".join(rest)) or (len(rest) > 1 and rest[0] == table.table and named("::".join(rest[1:])))


def _unknown(tables: list[TableReport]) -> Exception:
    from piiscan.core.errors import UsageError
    from piiscan.report.verdict_words import listing, printable, table_title

    names = [
        printable(label if len(tables) == 1 else f"{table_title(t)}::{label}")
        for t in tables
        for _, label in _columns(t)
    ]
    return UsageError(f"there is no such column; it has {listing(names, 400)}")


def _verdict(table: TableReport, column: ColumnReport, label: str, rules: RuleSet, folder: Path) -> Iterator[str]:
    """The verdict in words. `folder` is where the configuration is, or would be."""
    import glob

    from piiscan.report import verdict_words
    from piiscan.scanning.configuration import toml_value
    from piiscan.scanning.findings import relative

    yield (
        f"{verdict_words.table_title(table)}::{verdict_words.printable(label)} (column {column.index}, counted "
        f"from 0; {column.dtype})"
    )
    what = "No entity" if column.entity is None else f"{column.entity} {column.subtype or ''}".strip()
    yield f"  {what}: {verdict_words.CLASSES[column.pii]}, {verdict_words.sure(column.confidence)} sure."
    rule = rules.by_id.get(column.rule or "")
    if rule is not None:
        yield f"  Rule {rule.id}: {rule.title}."
    lines = table.format == verdict_words.TEXT
    if table.subject is not None and not lines:
        yield f"  A row of this table is about: {table.subject}."
    distinct = f"{'' if column.distinct_exact else 'about '}{verdict_words.count(column.distinct, 'distinct value')}"
    look = "" if column.shape is None else f"; most look like {verdict_words.printable(column.shape)}"
    yield (
        f"  {verdict_words.count(table.rows, 'line' if lines else 'row')}, {column.nulls:,} of them empty; "
        f"{distinct}{look}."
    )
    yield "Why" if column.reasons else "No evidence for any entity was found."
    yield from (f"  - {verdict_words.sentence(reason)}" for reason in column.reasons)
    if column.inside:
        yield "Also found (lines count from 1)" if lines else "Also found (rows count from 0)"
        yield from (f"  - {i.entity} ({i.rule}): {verdict_words.inside(i, lines)}" for i in column.inside)
    if not any(reason.by == "user" for reason in column.reasons) and table.source != "-":
        yield "If this is wrong, say so in piiscan.toml, with the entity or none:"
        yield "  [[columns]]"
        entry = {
            "path": glob.escape(relative(table.source, folder)),
            "table": table.table,
            "column": column.name or f"column_{column.index}",
            "is": "none",
        }
        yield from (f"  {key} = {toml_value(value)}" for key, value in entry.items() if value is not None)


def _rules(name: str, rules: RuleSet) -> int:
    from piiscan.core.errors import UsageError
    from piiscan.rules.definitions import suggestion

    found = [r for r in rules.rules if name == r.id] or [r for r in rules.rules if name in (r.entity, r.subtype)]
    if not found:
        known = {n for r in rules.rules for n in (r.id, r.entity, r.subtype) if n}
        if os.path.lexists(name):
            raise UsageError(
                f"{name} is a file; for one of its columns, write {name}::COLUMN (a text's is called text)"
            )
        raise UsageError(
            f"no rule, entity or subtype is called {name!r}{suggestion(name, known)}; for a column, write FILE::COLUMN"
        )
    output.data("\n".join("".join(f"{line}\n" for line in _rule(r)) for r in found))
    return 0


def _rule(rule: Rule) -> Iterator[str]:
    from piiscan.core.entities import PII_CLASS
    from piiscan.report import verdict_words

    yield f"{rule.id}: {rule.title}"
    subtype = f", subtype {rule.subtype}" if rule.subtype else ""
    yield (
        f"  Entity {rule.entity}{subtype}: {verdict_words.CLASSES[PII_CLASS[rule.entity]]}, where values are about "
        f"people."
    )
    if rule.authority or rule.country:
        yield f"  Issued by {rule.authority or 'various'}{f' ({rule.country})' if rule.country else ''}."
    if rule.link:
        yield f"  See {rule.link}"
    if rule.pattern is not None:
        where = {
            "anywhere": "in every cell, also within text",
            "context": "as a whole cell; within text only near its words",
            "cell": "as a whole cell",
        }
        yield f"  Looked for {where[rule.search]}:  {rule.pattern}"
    if rule.check is not None:
        yield f"  Checked by {rule.check}: {verdict_words.percent(rule.chance)} of random ones pass."
    if rule.values:
        yield f"  One of {len(rule.values):,} listed values, as a whole cell."
    for title, items in (
        ("Headers", rule.headers),
        ("Not headers", rule.not_headers),
        ("Near", rule.context if rule.search == "context" else ()),
        ("Matches", rule.match or rule.header_match),
        ("Doesn't match", rule.no_match or rule.header_no_match),
    ):
        if items:
            yield f"  {title}: {verdict_words.listing(items, 300)}"
