"""The next steps for a person who reads the table of `piiscan scan`: lines for standard error."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piiscan.cli.options import Settings
    from piiscan.core.types import ColumnReport, Finding, ScanReport
    from piiscan.scanning.findings import FailOn, JudgedReport


def hints(result: JudgedReport, s: Settings, status: int, paths: Sequence[str], staged: bool) -> Iterator[str]:
    yield from _without_effect(result, s)
    if result.failing(s.fail_on):
        yield from _of_findings(result, s, paths, staged)
    elif status == 0:
        yield _clean(result, s, staged and not paths)
    if status == 3:
        yield "Something was not scanned, so the result is incomplete (--allow-incomplete accepts that)."


def _of_findings(result: JudgedReport, s: Settings, paths: Sequence[str], staged: bool) -> Iterator[str]:
    """Yield how to see why something was found, and how to accept it."""
    from piiscan.report.verdict_words import count

    failing = result.failing(s.fail_on)
    yield f"{count(len(failing), 'finding')} {_wanted(s.fail_on)} (--fail-on)."
    targets = (_target(f) for f in failing if f.source != "-" and not f.in_name)
    # A name that a terminal can't show can't be typed either.
    target = next((t for t in targets if t.isprintable()), None)
    if target is not None:
        yield f"Why:     piiscan explain {typed(target)}"
    yield accept(s, paths, staged)


def accept(s: Settings, paths: Sequence[str], staged: bool) -> str:
    """Yield how to accept findings."""
    command = "update" if s.baseline is not None else "create"
    where = "PATH" if staged or "-" in paths or len(paths) > 3 else " ".join(map(typed, paths))
    return f"Accept:  piiscan baseline {command} {where}, or an [[allow]] entry in piiscan.toml"


def unused(result: JudgedReport) -> Iterator[str]:
    """Describe the entries of the configuration that match nothing, in a line."""
    if result.unused:
        from piiscan.report.verdict_words import count, listing, printable

        names = (f"{e.entry} ({', '.join(f'{k} {printable(v)}' for k, v in e.says)})" for e in result.unused)
        few = count(len(result.unused), "entry of the configuration matches", "entries of the configuration match")
        yield f"{few} nothing: {listing(names, 400)}"


def _target(finding: Finding) -> str:
    return "::".join(
        part for part in (finding.member or finding.source, finding.table, finding.column) if part is not None
    )


def _clean(result: JudgedReport, s: Settings, nothing_staged: bool) -> str:
    from piiscan.report.verdict_words import count
    from piiscan.scanning.findings import REVIEW

    if not result.report.tables:
        return "Nothing is staged." if nothing_staged else _nothing_read(result.report)
    tables = result.report.tables
    if not result.open and all(t.is_unfilled for t in tables):
        return "No cell is filled, so the result says nothing."
    if not result.open:
        if sum(result.by_plan):
            return "Only findings that the plan explains."
        if result.report.selected or result.report.ignored:
            return "Nothing of what was looked for."
        if not result.report.complete:
            return "Nothing to act on in what was scanned."
        return _nothing_counts([c for t in tables for c in t.columns], sum(t.is_unfilled for t in tables))
    nothing = "No finding counts (--fail-on never)" if s.fail_on == "never" else f"Nothing {_wanted(s.fail_on)}"
    if all(f.rule == REVIEW for f in result.open):
        nothing = "Nothing new" if result.silenced else "Nothing found"
    doubts = sum(bool(f.review) for f in result.open)
    return f"{nothing}; {count(doubts, 'column')} to review." if doubts else f"{nothing}."


def _nothing_counts(columns: Sequence[ColumnReport], unfilled: int) -> str:
    """Describe columns without a finding that counts: they are clean only if nothing weaker is in them either.

    `unfilled`: how many of their tables have no filled cell.
    """
    from piiscan.report.verdict_words import UNFILLED, count, of_nobody

    # A doubt that was accepted is none; nobody can accept what isn't a finding.
    if nobodys := sum(of_nobody(c) is not None and not c.review and not c.reserved for c in columns):
        return f"Nothing to act on; {count(nobodys, 'column')} of identifiers that seem to be no person's."
    if inside := sum(any(not (i.reserved or i.quiet) for i in c.inside) for c in columns):
        return f"Nothing to act on; {count(inside, 'column')} with quasi-identifiers inside."
    return (
        f"Clean: nothing to act on; {count(unfilled, 'table')} {UNFILLED}." if unfilled else "Clean: nothing to act on."
    )


def _wanted(fail_on: FailOn) -> str:
    """Describe what --fail-on asks for."""
    names = {"review": "of class direct or to review", "direct": "of class direct"}  # nothing is stronger
    return names.get(fail_on, f"of class {fail_on} or stronger")


def _nothing_read(report: ScanReport) -> str:
    """Describe a folder of which nothing was read: it isn't clean."""
    return "Nothing was read, so the result says nothing." if report.skipped else "There was nothing to scan."


def typed(target: str) -> str:
    """Quote a target as it is typed in a shell; a leading dash would make an option of it."""
    import shlex

    return shlex.quote(f"./{target}" if target.startswith("-") else target)


def _without_effect(result: JudgedReport, s: Settings) -> Iterator[str]:
    """Yield the entries of the configuration that don't do what their author expects."""
    from fnmatch import fnmatchcase
    from pathlib import Path

    from piiscan.rules.definitions import suggestion
    from piiscan.scanning import configuration

    for entry in s.config.allow:
        if entry.expires is not None and entry.expires < datetime.date.today():
            yield f"An [[allow]] entry ended on {entry.expires}: {entry.reason}"
    for column in s.config.columns:
        globs = configuration.globs(s.config, column.path, Path.cwd())
        tables = [
            t
            for t in result.report.tables
            if any(fnmatchcase(t.source, g) for g in globs) and column.table in (None, t.table)
        ]
        names = {c.name or f"column_{c.index}" for t in tables for c in t.columns}
        if tables and column.column not in names:
            yield (
                f"A [[columns]] entry has no effect: no column {column.column!r} in "
                f"{column.path}{suggestion(column.column, names)}"
            )
