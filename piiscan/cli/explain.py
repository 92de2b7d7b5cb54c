"""`piiscan explain`: explains a rule, or the verdict on a column."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from piiscan.cli import options, output

if TYPE_CHECKING:
    from piiscan.core.types import ColumnReport, ScanReport, TableReport
    from piiscan.rules.definitions import Rule, RuleSet


@click.command()
@click.argument("target", metavar="RULE|FILE::COLUMN")
@options.read_options
def explain(target: str, **given: Any) -> int:
    """Explain a rule, or why a column got its verdict.

    RULE is a rule's id, an entity or a subtype. FILE::COLUMN is a file and a column's name or number (from 0); write
    FILE::TABLE::COLUMN if a file contains several tables.
    """
    from piiscan.cli import scan_run
    from piiscan.core.errors import UsageError

    s = options.settings(**given)
    rules = scan_run.load_rules(s)
    parts = target.split("::")
    if len(parts) == 1:
        return _rules(target, rules)
    if not parts[0]:
        raise UsageError("write the name of the file before ::")
    return _columns_of(parts, s, rules)


class Spelling(NamedTuple):
    """What was typed as the name of a file, and of a part of it."""

    source: str
    rest: Sequence[str]


class Explained(NamedTuple):
    """A requested column, its table, and its name."""

    table: TableReport
    column: ColumnReport
    label: str


def _columns_of(parts: Sequence[str], s: options.Settings, rules: RuleSet) -> int:
    """Scan the file and print the verdict on each requested column."""
    from piiscan.cli import scan_run
    from piiscan.report.verdict_words import location
    from piiscan.scanning.data_sets import each_file

    # Names of files may contain :: themselves: the text before each of them may be the file.
    spellings = [Spelling("::".join(parts[:i]), parts[i:]) for i in range(len(parts) - 1, 0, -1)]
    files = (on_disk for spelling in spellings if (on_disk := _file(spelling.source)) is not None)
    file = next(files, spellings[-1].source)
    report = scan_run.perform([file], s, rules, scan_run.Show())
    report = each_file(report)  # where a folder was named
    for entry in report.not_scanned:
        output.say(f"not scanned: {location(entry)}: {entry.reason}")
    found = _found(report, spellings, rules)
    folder = s.config.folder or Path.cwd()
    output.data("\n".join("".join(f"{line}\n" for line in _verdict(e, rules, folder)) for e in found))
    if not found and report.complete:
        output.say(f"there is no table in {file}")
    return 0 if report.complete and found else 3


def _found(report: ScanReport, spellings: Sequence[Spelling], rules: RuleSet) -> list[Explained]:
    """Return the requested columns. Raises `UsageError` if there are tables, and none of them has such a column."""
    named = [(t, rest) for t in report.tables for source, rest in spellings if _same(t.source, source, rules)]
    found = [Explained(t, c, label) for t, rest in named for c, label in _columns(t) if _meant(t, c, label, rest)]
    if not found and (tables := [t for t, _ in named] or list(report.tables)):
        raise _unknown(tables)
    return found


def _file(source: str) -> str | None:
    """Return the file to read for a source: itself, or the archive on disk that contains it; None if neither exists."""
    from piiscan.io.printed_names import on_disk
    from piiscan.scanning.findings import container

    names = (source, container(source)[0])
    return next((name for name in (*names, *map(on_disk, names)) if name == "-" or os.path.lexists(name)), None)


def _same(printed: str, typed: str, rules: RuleSet) -> bool:
    """Return whether a typed name is the source of a report, as it is printed or as it is on the disk."""
    from piiscan.io.printed_names import shown

    return os.path.normpath(printed) in (os.path.normpath(typed), os.path.normpath(shown(typed, rules)))


def _columns(table: TableReport) -> Iterator[tuple[ColumnReport, str]]:
    from piiscan.scanning.findings import labels

    return zip(table.columns, labels(table), strict=True)


def _meant(table: TableReport, column: ColumnReport, label: str, rest: Sequence[str]) -> bool:
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


def _verdict(explained: Explained, rules: RuleSet, folder: Path) -> Iterator[str]:
    """Yield the verdict in words. `folder` is where the configuration is, or would be."""
    from piiscan.report import verdict_words

    table, column, label = explained
    lines = table.is_text
    yield (
        f"{verdict_words.table_title(table)}::{verdict_words.printable(label)} (column {column.index}, counted "
        f"from 0; {column.dtype})"
    )
    yield from _entity(table, column, rules)
    if table.subject is not None and not lines:
        yield f"  A row of this table is about: {table.subject}."
    yield _cells(table, column)
    yield "Why" if column.reasons else "No evidence for any entity was found."
    yield from (f"  - {verdict_words.sentence(reason)}" for reason in column.reasons)
    if column.review:
        yield "To review"
        yield from (f"  - {reason}." for reason in column.review)
    if column.inside:
        yield "Also found (lines count from 1)" if lines else "Also found (rows count from 0)"
        for i in column.inside:
            nobodys = f" [{verdict_words.RESERVED}]" if i.reserved else ""
            yield f"  - {i.entity} ({i.rule}): {verdict_words.inside(i, lines)}{nobodys}"
    if not _is_declared(column) and table.source != "-":
        yield from _correction(table, column, rules, folder)


def _is_declared(column: ColumnReport) -> bool:
    return any(reason.by == "user" for reason in column.reasons)


def _entity(table: TableReport, column: ColumnReport, rules: RuleSet) -> Iterator[str]:
    """Yield what the column is, how sure that is, and by which rule."""
    from piiscan.report import verdict_words

    if column.files:
        cells = "1 of its cells holds a file" if column.files == 1 else f"{column.files:,} of its cells hold files"
        if column.parent is None and column.files >= table.rows - column.nulls and not _is_declared(column):
            yield f"  {cells}, which weren't read. There are no others."
            return
        yield f"  {cells}, which weren't read. Of the others:"
    if not column.is_judged:
        yield "  It has no values, so it isn't judged."
        return
    name = "No entity" if column.entity is None else f"{column.entity} {column.subtype or ''}".strip()
    yield f"  {name}, {verdict_words.sure(column.confidence)} sure."
    yield f"  Here it is {verdict_words.CLASSES[column.pii]}, {verdict_words.sure(column.pii_confidence)} sure."
    if column.reserved:
        yield "  Everything found in it is reserved for documents, tests or private networks: no finding."
    rule = rules.by_id.get(column.rule or "")
    if rule is not None:
        yield f"  Rule {rule.id}: {rule.title}."


def _cells(table: TableReport, column: ColumnReport) -> str:
    """Yield how many cells there are, and what they look like."""
    from piiscan.report import verdict_words

    rows = verdict_words.count(table.rows, "line" if table.is_text else "row")
    distinct = f"{'' if column.distinct_exact else 'about '}{verdict_words.count(column.distinct, 'distinct value')}"
    shape = "" if column.shape is None else f"; most often they look like {verdict_words.printable(column.shape)}"
    return f"  {rows}, {column.nulls:,} of them empty; {distinct}{shape}."


def _correction(table: TableReport, column: ColumnReport, rules: RuleSet, folder: Path) -> Iterator[str]:
    """Yield the entry of the configuration that declares the column, with what it most likely is instead."""
    import glob

    from piiscan.scanning.configuration import toml_value
    from piiscan.scanning.findings import relative

    when = "To decide" if column.review else "If this is wrong"
    choice = "its entity or none" if column.entity else "its entity (`piiscan rules list` names them)"
    yield f"{when}, declare the column in piiscan.toml, with {choice}:"
    yield "  [[columns]]"
    entry = {
        "path": glob.escape(relative(table.source, folder)),
        "table": table.table,
        "column": column.name or f"column_{column.index}",
        "is": _likeliest(column, rules),
    }
    yield from (f"  {key} = {toml_value(value)}" for key, value in entry.items() if value is not None)


def _likeliest(column: ColumnReport, rules: RuleSet) -> str:
    """Return what a column most likely is if the verdict is wrong or, for one in doubt, what it most likely is."""
    from piiscan.core.entities import PII_CLASS
    from piiscan.scanning.configuration import NOTHING

    if column.named is not None:
        return column.named
    if column.entity is None:
        nearest = (rule.entity for r in column.reasons if (rule := rules.by_id.get(r.id or "")))
        return NOTHING if column.review else next(nearest, "PERSON")
    if column.review:
        return column.entity if column.confidence >= 0.5 else NOTHING
    if column.pii == "none" and column.entity == "GENERIC_ID":
        return "PERSON_ID"
    return column.entity if column.pii == "none" != PII_CLASS[column.entity] else NOTHING


def _rules(name: str, rules: RuleSet) -> int:
    from piiscan.core.errors import UsageError
    from piiscan.rules.definitions import suggestion

    found = [r for r in rules.rules if name == r.id] or [r for r in rules.rules if name in (r.entity, r.subtype)]
    if not found:
        known = {n for r in rules.rules for n in (r.id, r.entity, r.subtype) if n}
        if os.path.lexists(name):
            raise UsageError(
                f"{name} is a file; for one of its columns, write {name}::COLUMN (the column of a text file is "
                "named text)"
            )
        raise UsageError(
            f"there is no rule, entity or subtype {name!r}{suggestion(name, known)}; for a column, write FILE::COLUMN"
        )
    output.data("\n".join("".join(f"{line}\n" for line in _rule(r)) for r in found))
    return 0


def _rule(rule: Rule) -> Iterator[str]:
    from piiscan.core.entities import PII_CLASS
    from piiscan.report import verdict_words

    yield f"{rule.id}: {rule.title}"
    subtype = f", subtype {rule.subtype}" if rule.subtype else ""
    yield (
        f"  Entity {rule.entity}{subtype}: {verdict_words.CLASSES[PII_CLASS[rule.entity]]}, "
        "where values are about people."
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
