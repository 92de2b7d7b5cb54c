"""Reads masked output as an outsider would, and reports whether each promise holds: counts, never a value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.core.entities import PII_CLASS
from piiscan.core.memory import give_back
from piiscan.core.types import InName, NotScanned, Skipped, Table, TableInfo
from piiscan.core.worker_processes import Submit
from piiscan.detection.matching.match_column import Counts
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.text.rule_spans import spans_in
from piiscan.io import inputs
from piiscan.io.dumps.dump_tables import COMMENTS
from piiscan.io.prefetch import prefetch
from piiscan.io.printed_names import shown
from piiscan.io.read_options import PathOptions, ReadOptions
from piiscan.masking.apply import small_columns
from piiscan.masking.apply.column_masker import ColumnMasker
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.apply.originals import UNIQUE, Originals, normalised
from piiscan.masking.apply.planned_cells import masks_as_planned
from piiscan.masking.apply.recorder import ColumnRecord, DistinctCount, JoinKey, Joins, TableRecorder
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.operator import DECLARING, Operator
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.proof.chance import Chance, not_phrases
from piiscan.masking.proof.column_prints import PLACES
from piiscan.masking.proof.house_numbers import HouseNumbers
from piiscan.masking.proof.people_index import Found
from piiscan.masking.proof.printer import Prints, Rows
from piiscan.masking.result import ANYBODY_LEFT, OWN_LEFT, CheckResult
from piiscan.masking.run import new_content
from piiscan.masking.run.batch_values import ColumnValues, values_of
from piiscan.masking.run.look_ups import LookUps, PeopleOfRows
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine, printed_names
from piiscan.scanning.scan_options import ScanOptions

GONE: Final = ("empty", "removed")
DISTANCES: Final = "dates of one subject keep their distances"
_NO_NAME: Final = "no name of a file, table or column is somebody's full name, address or number"
_ROWS: Final = "as many rows as the plan leaves"
_STAYS: Final = "no row keeps its original"
LOOKED_UP: Final = frozenset(
    (OWN_LEFT, ANYBODY_LEFT, DISTANCES, _NO_NAME, _ROWS, _STAYS, "the output can be read again")
)
"""Promises that need no key to be checked."""
_MADE_UNLIKE: Final = ("EMAIL_ADDRESS", "USERNAME", "MAC_ADDRESS")
"""Operators none of whose masks is anybody's original."""
_ONE_BY_CHANCE: Final = 0.2
"""Rows in which a mask may be an own value where none of some other rows' is one."""
_CALLED_AS_PLACE: Final = 0.001
"""Of people so many are called as the place where they live is: more than as somebody else's, far away."""
_CALLED_AS_STREET: Final = 0.005
"""Of made-up streets, many of which bear the name of somebody, so many bear that of their own person where both are of
the person's own locale: more than that of a person of another one."""
_NEXT_TO_NOTHING: Final = 0.002
_SHOWN: Final = 5
"""Rows that are named."""


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


def check_promises(
    outputs: Sequence[Output],
    originals: Originals,
    joins: dict[JoinKey, Joins],
    distances: DateDistances,
    rules: RuleSet,
    read: ReadOptions,
    executor: Executor | None = None,
    progress: engine.Progress | None = None,
    submit: Submit | None = None,
    scan: ScanOptions | None = None,
) -> list[CheckResult]:
    """Every promise of the plan, table by table; with `submit`, other processes look cells up, too.

    `scan`: how kept columns are scanned in which rules find something, None for not at all. Raises `ReadError` for
    output that can't be read.
    """
    by_path: dict[Path, list[Output]] = {}
    for o in outputs:
        by_path.setdefault(o.path, []).append(o)
    checking = _Checking(originals, rules, executor, progress, submit, scan)
    for path, tables in by_path.items():
        for table in _file(tables, path, rules, read):
            checking.check(*table)
    return [*checking.results(), *_of_the_run(outputs, joins, distances)]


def check_tables(
    tables: Sequence[tuple[Output, Table]],
    originals: Originals,
    joins: dict[JoinKey, Joins],
    distances: DateDistances,
    rules: RuleSet,
    scan: ScanOptions | None = None,
) -> list[CheckResult]:
    """The same for tables that are in no file: each with its output."""
    checking = _Checking(originals, rules, None, scan=scan)
    for output, table in tables:
        checking.check(output, table)
    return [*checking.results(), *_of_the_run([output for output, _ in tables], joins, distances)]


def _of_the_run(outputs: Sequence[Output], joins: dict[JoinKey, Joins], distances: DateDistances) -> list[CheckResult]:
    """The promises of all tables together."""
    found = list(_names(outputs))
    for (domain, _), each in sorted(joins.items()):
        found.append(CheckResult("", None, None, f"equal values of {domain} have equal masks", each.cells, each.broken))
    for (source, table, column), looked, apart in distances.results():
        found.append(CheckResult(source, table, column, DISTANCES, looked, apart))
    return found


def _names(outputs: Sequence[Output]) -> Iterator[CheckResult]:
    """Names of files, members, tables and columns are looked up as cells are.

    The report doesn't say which one: that would reveal it.
    """
    people = next((o.recorder.people for o in outputs if o.recorder.people), None)
    if people is None:
        return
    names: dict[str, None] = {}
    for o in outputs:
        file, *members = o.source.split("!")
        names |= dict.fromkeys((Path(file).name, *members, o.table or ""))
        names |= dict.fromkeys(a.rename or a.name or "" for a in o.recorder.masker.plan.columns if a.operator != "drop")
    texts = pl.Series([name for name in names if name], dtype=pl.String)
    found = people.index().look_up(texts, [], [])
    expected = _worth_counting(found.chance.expected)
    yield CheckResult("", None, None, _NO_NAME, len(texts), len(found.everywhere), expected, found.chance.variance)


def _worth_counting(expected: float) -> float:
    """The number expected by chance, or 0 where it is negligible: then even one hit is too many."""
    return expected if expected >= _NEXT_TO_NOTHING else 0.0


def _readings(outputs: Sequence[Output], written: str) -> dict[str, PathOptions]:
    """How the members of a file, which is printed as `written`, are to be read."""
    readings = {written + o.member: o.reading for o in outputs if o.table is None}
    for o in outputs:
        if o.table is not None and o.reading.headless:
            known = readings.get(written + o.member, PathOptions())
            readings[written + o.member] = known._replace(headless=(*known.headless, o.table))
    return readings


def _file(
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
            table = printed_names.printable_failure(item, rules).table
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

    A dump's comments, all of them emptied, are none; nor is an emptied line without an end.
    """
    (action, *others) = output.recorder.masker.plan.columns
    is_line = output.reading.lines and output.recorder.rows - output.recorder.dropped == 1
    return (output.table == COMMENTS or is_line) and not others and action.operator == "suppress"


class _Checking:
    """Verifies tables one after the other; cells waiting to be looked up may be of several tables."""

    def __init__(
        self,
        originals: Originals,
        rules: RuleSet,
        executor: Executor | None,
        progress: engine.Progress | None = None,
        submit: Submit | None = None,
        scan: ScanOptions | None = None,
    ) -> None:
        self._rules, self._scan = rules, scan
        self._originals, self._prefilter, self._executor = originals, engine.prefilter_of(rules), executor
        self._progress, self._submit = progress or (lambda source, rows: None), submit
        self._look_ups: LookUps | None = None
        self._results: list[CheckResult] = []
        self._waiting: list[Callable[[], Iterable[CheckResult]]] = []

    def check(self, output: Output, table: Table | None) -> None:
        """Raises `ReadError`."""
        if table is None:
            self._waiting.append(lambda: [output.result(None, "the output can be read again", 1, 1)])
        else:
            self._waiting.append(self._table(output, table))
        if not self._look_ups:
            self._settle()

    def results(self) -> list[CheckResult]:
        if self._look_ups is not None:
            self._look_ups.begin()
            self._look_ups.collect()
        self._settle()
        return self._results

    def _settle(self) -> None:
        for results in self._waiting:
            self._results += results()
        self._waiting.clear()

    def _table(self, output: Output, table: Table) -> Callable[[], Iterable[CheckResult]]:
        recorder = output.recorder
        left = [i for i, column in recorder.masker.columns.items() if column.action.operator != "drop"]
        own = [_ColumnCheck.of(i, recorder, self._originals) for i in left if i not in output.derived]
        if len(own) != sum(field.parent is None for field in table.info.fields):
            # As where masks of a map's keys look like names: what was a list of entries is read as columns.
            return lambda: [output.result(None, "it has the columns that the plan leaves", 1, 1)]
        derived = [_ColumnCheck.of(i, recorder, self._originals) for i in left if i in output.derived]
        checks, unseen = _in_order(own, derived, table.info)
        if recorder.people and self._look_ups is None:
            self._look_ups = LookUps(recorder.people, self._executor, self._submit)
        rows = 0
        people = PeopleOfRows(recorder.keys)
        for batch in prefetch(table.batches()):
            here = people.of_rows(rows, rows + len(batch.frame))
            numbered = rows if table.info.format == "sqlite" else None
            rows += len(batch.frame)
            self._progress(output.source, rows)
            columns = [
                (check, check.emptied(cells, numbered))
                for check, cells in zip(checks, batch.frame.iter_columns(), strict=True)
            ]
            if self._look_ups is not None:
                for check, cells in columns:
                    check.look_up(cells, here, self._look_ups)
            for done in [
                submit_or_run(self._executor, partial(self._see, group)) for group in small_columns.groups(columns)
            ]:
                done()
            if self._look_ups is not None:
                self._look_ups.collect(is_last=False)
            give_back()
        expected = recorder.rows - recorder.dropped

        def results() -> Iterator[CheckResult]:
            yield output.result(None, _ROWS, expected, abs(rows - expected))
            for check in (*checks, *unseen):
                yield from check.results(output)
            yield from self._of_new_content(output, table, checks)

        return results

    def _see(self, columns: Sequence[tuple[_ColumnCheck, pl.Series]]) -> None:
        """Look at some columns of a batch, those of one type together."""
        alike: dict[pl.DataType, list[tuple[_ColumnCheck, pl.Series]]] = {}
        for check, cells in columns:
            cells = masks_as_planned(flat(cells), check.action)
            alike.setdefault(cells.dtype, []).append((check, cells))
        for some in alike.values():
            searched = [check.is_searched for check, _ in some]
            held = values_of([cells for _, cells in some], searched, self._originals, self._prefilter)
            for (check, _), values in zip(some, held, strict=True):
                if values is not None:
                    check.see(values, self._prefilter)

    def _of_new_content(self, output: Output, table: Table, checks: Sequence[_ColumnCheck]) -> Iterator[CheckResult]:
        """A plan knows the data that it was made from: what else kept columns may hold by now."""
        if self._scan is None:
            return
        kept = {i: check for i, check in enumerate(checks) if new_content.may_have(check.planned)}
        doubtful = {i: check.action for i, check in kept.items() if check.fired}
        found: dict[int, int] = {}
        if doubtful:
            found.update(new_content.found(table, doubtful, output.source, self._rules, self._scan))
        for i, check in kept.items():
            if check.searched:
                yield output.result(check.label, new_content.NOTHING_NEW, check.filled, found.get(i, 0))


def _in_order(
    own: list[_ColumnCheck], derived: list[_ColumnCheck], info: TableInfo
) -> tuple[list[_ColumnCheck], list[_ColumnCheck]]:
    """Checks for the columns of the output, and those of derived columns that it hasn't.

    Own columns stand in their order; derived ones are found by their names, and any that the plan doesn't know is
    looked through as if it had been kept.
    """
    n = sum(field.parent is None for field in info.fields)
    left = {label: check for check, label in zip(derived, labels([c.output_name for c in derived]), strict=True)}
    found = list(own[:n])
    for field, label in zip(info.fields[n:], labels([f.name for f in info.fields[n:]]), strict=True):
        parent = own[field.parent or 0]
        found.append(left.pop(label) if label in left else parent.as_kept())
    return found, [*own[n:], *left.values()]


class _ColumnCheck:
    """Checks one column of the output against its operator's contract."""

    def __init__(
        self,
        action: Action,
        operator: Operator,
        column: ColumnMasker,
        record: ColumnRecord,
        originals: Originals,
    ) -> None:
        self._action, self._operator = action, operator
        self._column, self._record, self._originals = column, record, originals
        self._filled = self._found = self._strange = self._fired = 0
        self._searched = False
        self._candidates = self._expected = self._fixed = 0.0
        self._values = 0
        self._digits = 0
        self._own: list[Rows] = []
        self._everywhere: list[Rows] = []
        self._phrases: list[tuple[Rows, Prints]] = []
        self._own_by_chance = self._own_at_random = 0.0
        self._by_chance, self._names = Chance(), np.zeros(0, dtype=np.uint64)
        self._explained = 0
        is_street = action.entity == "STREET_ADDRESS" and operator.contract == "range"
        self._house_numbers = HouseNumbers() if is_street else None

    @classmethod
    def of(cls, index: int, recorder: TableRecorder, originals: Originals) -> _ColumnCheck:
        column = recorder.masker.columns[index]
        return cls(column.action, column.operator, column, recorder.columns[index], originals)

    def as_kept(self) -> _ColumnCheck:
        """For cells that stand beside this column's, and should be what they were."""
        action = replace(self._action, operator="keep", params={}, entity=None)
        return _ColumnCheck(action, operator_registry.make("keep", {}), self._column, self._record, self._originals)

    @property
    def output_name(self) -> str | None:
        return self._action.rename or self._action.name

    @property
    def action(self) -> Action:
        return self._action

    @property
    def planned(self) -> Action:
        """The plan's action for the column in which the cells were; masked maps are texts, read as columns of keys."""
        return self._column.action

    @property
    def label(self) -> str:
        return self._column.label

    @property
    def filled(self) -> int:
        """How many cells of the output hold something."""
        return self._filled

    @property
    def searched(self) -> bool:
        """Whether rules looked at its cells, which are texts."""
        return self._searched

    @property
    def fired(self) -> int:
        """In how many different cells a rule for direct identifiers finds something."""
        return self._fired

    @property
    def _declares(self) -> bool:
        return self._operator.contract in DECLARING

    def emptied(self, cells: pl.Series, rows_before: int | None) -> pl.Series:
        """Return the cells without the numbers 1, 2, 3, … that SQLite gives an emptied key."""
        if rows_before is None or self._operator.contract != "empty" or not cells.dtype.is_integer():
            return cells
        numbers = pl.int_range(rows_before + 1, rows_before + 1 + len(cells), eager=True)
        return cells.zip_with(cells.cast(pl.Int64) != numbers, pl.Series([None], dtype=cells.dtype))

    def look_up(self, cells: pl.Series, people: PeopleOfRows, look_ups: LookUps) -> None:
        """Have the cells looked up among the originals."""
        made_up_street = self._action.entity == "STREET_ADDRESS" and self._action.operator not in ("keep", "spans")
        if looked := people.cells(cells, names=not made_up_street):
            look_ups.add(*looked, self._take)

    def _take(self, found: Found) -> None:
        self._own.append(found.own)
        self._everywhere.append(found.everywhere)
        self._phrases.append(found.phrases)
        self._own_by_chance += found.by_chance
        self._own_at_random += found.at_random
        self._by_chance += found.chance
        self._names = np.union1d(self._names, found.names)
        self._explained += found.explained

    @property
    def _is_gone(self) -> bool:
        return self._operator.contract in GONE

    @property
    def is_searched(self) -> bool:
        """Whether rules look at its cells, where these are texts."""
        return self._is_gone or self._action.operator in ("keep", "spans")

    def see(self, held: ColumnValues, prefilter: Prefilter) -> None:
        self._filled += held.filled
        self._found += held.originals
        self._digits = self._digits or held.digits
        if self._house_numbers is not None:
            self._house_numbers.add(held.texts)
        if held.counts is not None:
            self._searched = True
            self._look_inside(held, held.counts, prefilter)
        if self._operator.permutes:
            self._fixed += self._operator.fixed_points(held.values)
            self._values += len(held.values)
        if self._declares:
            self._strange += int((~self._operator.declares(held.values, self._column.key)).sum() or 0)

    def _look_inside(self, held: ColumnValues, counts: Counts, prefilter: Prefilter) -> None:
        hit: set[int] = set()
        for (rule, _), hits in counts.items():
            known = prefilter.compiled.patterns[rule].rule
            if PII_CLASS[known.entity] == "direct":
                hit.update(int(i) for i in hits.cells)
                self._candidates += hits.candidates * known.chance
        self._fired += len(hit)
        if self._is_gone or not hit:
            return
        at = sorted(hit)
        texts = held.texts.gather(at).to_list()
        found = spans_in(held.texts, at, counts, prefilter.compiled)
        spans = [
            (s.entity, t[s.start : s.end])
            for t, each in zip(texts, found, strict=True)
            for s in each
            if s.entity in UNIQUE
        ]
        if self._action.operator == "spans":  # masks of the same look may be somebody's
            self._expected += sum(
                self._originals.counts.get(e, 0) / 10.0 ** max(0, sum(map(str.isdigit, t)) - 1)
                for e, t in spans
                if e not in _MADE_UNLIKE
            )
        inside = normalised(pl.Series([t for _, t in spans], dtype=pl.String)).drop_nulls()
        leaked = inside.filter(pl.Series(self._originals.among(inside), dtype=pl.Boolean))
        self._found += int((~leaked.is_in(held.normalised.drop_nulls().implode())).sum()) if len(leaked) else 0

    def results(self, output: Output) -> Iterator[CheckResult]:
        action, operator, record = self._action, self._operator, self._record
        result = partial(output.result, self._column.label)
        yield result(
            "no unique original is left in a cell or in a text", self._filled, self._found, self._originals_by_chance()
        )
        yield from self._of_people(output)
        if action.operator == "keep":
            return
        if operator.contract == "empty":
            yield result("nothing is left in it", record.filled, self._filled)
        if self._is_gone:
            yield result("no rule finds an identifier", self._filled, self._fired, self._candidates)
        if self._declares:
            yield result("every mask lies in its operator's range", self._filled, self._strange)
        if operator.permutes and self._values:  # a value that often occurs stays as often
            different = record.values.count
            expected = self._fixed / self._values * different
            yield result(_STAYS, different, record.unchanged.count, expected)
        elif operator.contract in ("range", "removed", "moved"):
            yield result(_STAYS, record.filled, record.stayed, self._stays_by_chance())
        if operator.contract not in ("empty", "coarser", "range"):
            yield result("empty cells stay empty, others don't get empty", record.filled, abs(record.emptied))
        if operator.keeps_distinct:
            before, after = record.values.count, record.masks.count
            estimate = 0.1 * before if before >= DistinctCount.LIMIT else 0.0
            yield result("different values stay different", before, max(0, before - after), estimate)

    def _of_people(self, output: Output) -> Iterator[CheckResult]:
        """Check whether values of the row's own person, or unique values of anybody, are left.

        Counts beyond what other rows' keys find, and what made-up names and numbers share with real ones.
        """
        if not self._own:
            return
        own = np.concatenate(self._own)
        everywhere = np.union1d(np.concatenate(self._everywhere), not_phrases(self._phrases))
        action, chance = self._action, self._own_by_chance
        listed = action.entity not in (None, "FREE_TEXT", "URL", "GENERIC_ID")
        # A moved date may be another date of its person by chance, as a made-up name may be the own one.
        made_up = listed or self._operator.contract == "moved"
        if self._explained or (made_up and len(own)):
            # Where each row has another made-up name, names of its own person among them say nothing: how many cells
            # keep their name altogether is a promise of its own.
            chance = max(chance, _ONE_BY_CHANCE, float(self._explained) if self._operator.names_by_row else 0.0)
        if action.operator == "keep" and action.entity not in ("FREE_TEXT", "URL"):
            # Of one row in thousands three other keys tell little: its number may be its own postal code.
            chance = max(chance, _worth_counting(self._own_at_random))
        if action.operator == "keep" and action.entity in PLACES:
            chance += _CALLED_AS_PLACE * self._filled
        if action.entity == "STREET_ADDRESS" and action.params.get("locales"):
            chance += _CALLED_AS_STREET * self._filled
        of_anybody, variance = self._by_chance.expected, self._by_chance.variance
        different = output.result(None, ANYBODY_LEFT, 0, len(self._names), self._by_chance.different_names)
        if different.expected and not different.holds:  # too many names to be a few that many cells repeat
            of_anybody, variance = different.expected, 0.0
        if self._operator.permutes:
            of_anybody += self._originals_by_chance() + self._stays_by_chance()
        if len(everywhere) and output.recorder.people:
            of_anybody += self._streets_by_chance(output.recorder.people.index().are_of_anybody)
        name = self._column.label
        for promise, rows, expected, spread in (
            (OWN_LEFT, own, chance, 0.0),
            (ANYBODY_LEFT, everywhere, _worth_counting(of_anybody), variance),
        ):
            found = output.result(name, promise, self._filled, len(rows), expected)
            yield found._replace(rows=tuple(rows[:_SHOWN].tolist()), variance=spread)

    def _stays_by_chance(self) -> float:
        """How many cells are expected to keep their own original."""
        if self._record.may_stay is not None:
            return _worth_counting(self._record.may_stay)
        share = self._column.share_that_stays
        if share is None:
            share = self._operator.share_that_stays
        if share is None and self._operator.permutes and self._operator.may_be_original:
            share = 1 / max(1.0, self._operator.capacity(self._digits))
        return self._originals_by_chance() if share is None else share * self._record.filled

    def _originals_by_chance(self) -> float:
        """How many cells are expected to hold somebody's original."""
        known = self._originals.counts.get(self._action.entity or "", 0)
        by_masks = self._operator.originals_by_chance(self._record.masks.count, known, self._digits)
        made_up = 0.0
        if self._found:
            made_up = self._streets_by_chance(self._are_originals)
            made_up += self._operator.share_known(self._are_originals) * self._filled
        return self._expected + by_masks + self._column.coincidences + made_up

    def _streets_by_chance(self, are_known: Callable[[pl.Series], NDArray[np.bool_]]) -> float:
        """How many made-up streets are expected to be somebody's identifier.

        It takes longer than all other checks of the column, so it is asked where some are.
        """
        if self._house_numbers is None:
            return 0.0
        params = self._action.params
        locales = (str(params.get("locale") or ""), *params.get("locales", ()))
        return self._house_numbers.by_chance(are_known, locales)

    def _are_originals(self, texts: pl.Series) -> NDArray[np.bool_]:
        whole = normalised(texts)
        has = whole.is_not_null().to_numpy()
        found = np.zeros(len(whole), dtype=np.bool_)
        found[has] = self._originals.among(whole.drop_nulls())
        return found
