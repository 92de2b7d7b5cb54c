"""The tables that a run has written: where each is, and how it is read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import filterfalse
from pathlib import Path
from typing import NamedTuple

from piiscan.core.types import InName, NotScanned, Skipped, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.dumps.dump_tables import COMMENTS
from piiscan.io.printed_names import shown
from piiscan.io.read_options import PathOptions, ReadOptions
from piiscan.masking.apply.recorder import TableRecorder
from piiscan.masking.plan.plan_types import TablePlan
from piiscan.masking.result import CheckResult
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import printable_names


class Output(NamedTuple):
    """One table that was masked, and where its output is.

    What was `recorder`-counted of it, its name in the file and the one that may be `shown`, and of which `member` of an
    archive it is ("!inner.csv"). `derived`: the columns made from the contents of others, by their numbers. `read_as`:
    the source whose options it is read by, where that isn't `source`. `reading`: how it is read beyond them.
    """

    recorder: TableRecorder
    source: str
    table: str | None
    shown: str | None
    path: Path
    member: str = ""
    derived: frozenset[int] = frozenset()
    read_as: str | None = None
    reading: PathOptions = PathOptions()

    def result(self, column: str | None, name: str, cells: int, broken: int, expected: float = 0.0) -> CheckResult:
        return CheckResult(self.source, self.shown, column, name, cells, broken, expected)


def reading(info: TableInfo, plan: TablePlan) -> PathOptions:
    """How the output of a table is to be read: as the table was, for masks may look like another one.

    Masked sentences may look like a table, one masked row like a header, an emptied form like a table with one, and the
    emptied column of a table without a header leaves blank lines, which are none.
    """
    if info.table is not None:
        return PathOptions(headless=(info.table,) if info.format == "excel" and not info.header else ())
    if info.format not in ("csv", "tsv"):
        return PathOptions(lines=info.format == "text")
    left = [action.operator for action in plan.columns if action.operator != "drop"]
    blank = not info.header and left == ["suppress"]
    return PathOptions(dict(info.details).get("delimiter"), header=info.header, lines=blank)


def _readings(outputs: Sequence[Output], written: str) -> dict[str, PathOptions]:
    """How the members of a file, which is printed as `written`, are to be read."""
    readings = {written + o.member: o.reading for o in outputs if o.table is None}
    for o in outputs:
        if o.table is not None and o.reading.headless:
            known = readings.get(written + o.member, PathOptions())
            readings[written + o.member] = known._replace(headless=(*known.headless, o.table))
    return readings


def tables_of(
    outputs: Sequence[Output], path: Path, rules: RuleSet, read: ReadOptions
) -> Iterator[tuple[Output, Table | None]]:
    """The tables of one written file; None for those that aren't there, or can't be read."""
    by_table = {(o.member, o.table): o for o in outputs}
    unseen = [o for o in by_table.values() if o.recorder.rows > o.recorder.dropped]
    # New names may look like data: a table that has got some has a header.
    renamed = any(a.rename for o in by_table.values() for a in o.recorder.masker.plan.columns)
    written = shown(str(path), read.rules)
    options = read._replace(rows=None, header=True if renamed else read.header, asides=False)
    copies = {written + o.member: o.read_as or o.source for o in outputs}
    for item in inputs.discover([str(path)], options.as_sources(copies, _readings(outputs, written))):
        if isinstance(item, Skipped | InName):
            continue
        if isinstance(item, NotScanned):
            table = printable_names.printable_failure(item, rules).table
            yield next(iter(by_table.values()))._replace(shown=table), None
            continue
        location = item.info.source.removeprefix(written), item.info.table
        output = by_table.get(location) or (next(iter(by_table.values())) if len(by_table) == 1 else None)
        if output is not None:
            unseen = [o for o in unseen if o is not output]
            yield output, item
    yield from ((o, None) for o in filterfalse(_has_vanished, unseen))


def _has_vanished(output: Output) -> bool:
    """Whether nothing is left of a table for good reasons.

    A dump's comments, all of them emptied, are none; nor is an emptied line without an end, or a sheet
    without a header.
    """
    recorder = output.recorder
    if output.reading.headless and recorder.blank_end == recorder.rows - recorder.dropped:
        return True
    (action, *others) = output.recorder.masker.plan.columns
    is_line = output.reading.lines and recorder.rows - recorder.dropped == 1
    return (output.table == COMMENTS or is_line) and not others and action.operator == "suppress"
