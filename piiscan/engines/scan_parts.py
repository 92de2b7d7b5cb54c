"""A scan in parts: summaries of partitions as bytes, their sum in any order and grouping, and the report on it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from piiscan.api.scan import Scanner, worker_settings
from piiscan.api.verbs import verb
from piiscan.core.errors import UsageError
from piiscan.core.types import Table, TableInfo
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.engines import envelope, positions, summary_bytes
from piiscan.engines.key_specs import KeySpec, checked, load
from piiscan.engines.rebatch import rebatched
from piiscan.engines.summary_bytes import Numbered
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.nested import json_texts
from piiscan.rules import rule_sets
from piiscan.rules.definitions import Rule, RuleSet
from piiscan.scanning import engine, printable_names
from piiscan.scanning.allowed_values import AllowedValues

if TYPE_CHECKING:
    from piiscan.api.report import Report

KIND: Final = "scan"


@dataclass(frozen=True)
class ScanSpec:
    """What workers have to know to sum up parts of one table, and the driver to judge the sum. `scan_spec` makes it.

    info: the columns. shipped: ids of the shipped rules in force; own_rules: all others, with their content.
    rules_digest, model_digest: of what the driver has. allowed: values that somebody answers for. made_with: all that
    the report depends on besides the cells. key: of what seals the summaries; None: nothing does. files: see
    `scan_spec`.
    Pickled, it leaves the scanner behind, which only `finish` needs: a configuration, an own model and paths stay on
    the driver.
    """

    info: TableInfo
    shipped: tuple[str, ...]
    own_rules: tuple[Rule, ...]
    rules_digest: str
    model_digest: str
    allowed: AllowedValues
    made_with: tuple[tuple[str, str], ...]
    key: KeySpec | None = None
    files: tuple[str, ...] = ()
    scanner: Scanner | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "scanner": None}

    @property
    def made(self) -> envelope.Made:
        return envelope.made_with(self.rules_digest, self.model_digest)

    @property
    def rules(self) -> RuleSet:
        """The rules, as this process has them. Raises `UsageError` where they aren't those of the driver."""
        with _lock:  # tasks may be threads
            if self.rules_digest not in _rules:
                _rules.clear()
                _rules[self.rules_digest] = self._loaded()
            return _rules[self.rules_digest]

    def _loaded(self) -> RuleSet:
        shipped = rule_sets.shipped().rules
        missing = [name for name in self.shipped if name not in shipped.by_id]
        if not missing and not self.own_rules and len(self.shipped) == len(shipped.rules):
            found = shipped
        else:
            known = (shipped.by_id[name] for name in self.shipped if name in shipped.by_id)
            found = RuleSet(tuple(sorted([*known, *self.own_rules], key=lambda rule: rule.id)))
        if found.digest != self.rules_digest:
            raise UsageError(
                f"the rules of this worker ({found.digest}) aren't those of the driver ({self.rules_digest}); install "
                "the same piiscan-toolkit on both"
            )
        return found


_lock: Final = Lock()
_rules: dict[str, RuleSet] = {}
"""The rules of the last spec, by their digest: compiling them takes longer than a small part."""


@verb
def scan_spec(
    part: Any,
    scanner: Scanner | None = None,
    *,
    source: str | None = None,
    key: KeySpec | None = None,
    whole: bool = False,
    files: Sequence[str] = (),
) -> ScanSpec:
    """What workers need to scan a table that has the columns of `part`.

    A frame with some of its first rows, which tell what texts that are JSON hold; a pyarrow schema or an empty frame,
    where that isn't wanted; or what `Scanner.look` said of one.

    scanner: the settings; by default those of `Scanner()`. source: what the report calls the table. key: where the key
    is that seals the summaries on their way, "env:NAME", "file:PATH", "command:CMD" or a function that gives one of
    these; on every worker. whole: `part` is all of the table. files: those that the table is of, where batches say in
    two more columns (`positions.FILE`, `positions.ROW`) which one each row is from, and where it stands there. Raises
    `UsageError`, also for a scanner with a sample.
    """
    scanner = Scanner() if scanner is None else scanner
    if not isinstance(scanner, Scanner):
        raise UsageError(f"scanner is a piiscan.Scanner, not an object of type {type(scanner).__name__}")
    if scanner.sample is not None:
        raise UsageError("a sample is of the first rows, and parts don't know which those are; limit the table instead")
    info = part if isinstance(part, TableInfo) else scanner.look(_frame(part), whole)
    if source is not None:
        info = info._replace(source=source)
    settings = worker_settings(scanner, info.fields)
    shipped = rule_sets.shipped().rules.by_id
    rules = settings.rules.rules
    own = tuple(rule for rule in rules if shipped.get(rule.id) != rule)
    names = tuple(rule.id for rule in rules if shipped.get(rule.id) == rule)
    model = dict(settings.made_with)["model"]
    digest = settings.rules.digest
    return ScanSpec(
        info, names, own, digest, model, settings.allowed, settings.made_with, checked(key), tuple(files), scanner
    )


@verb
def summarise(batches: Iterable[Any], spec: ScanSpec, part: int | None = None) -> bytes:
    """The summary of a part of the table: pyarrow record batches or Tables, none of them for an empty part.

    It holds cell values.

    part: its number, by which `fold` knows one that it was given twice. Places of findings are relative to it, unless
    the spec has `files`; without either there are none. Raises `UsageError` for other columns, and where this process
    has other rules than the driver.
    """
    total = TableSummary.empty(len(spec.info.fields))
    rules, quiet = spec.rules, spec.allowed.of_columns(printable_names.printable(spec.info, spec.rules))
    for frame in rebatched(batches):
        rows, known = _placed(frame, spec) if spec.files else (frame, None)
        for batch in part_table(rows, spec.info).batches():
            first = positions.first_of(part, total.rows) if known is None else 0
            more = engine.partial(batch.frame, spec.info.fields, rules, first, quiet, so_far=total)
            if known is not None:
                more, known = positions.numbered(more, known), known.slice(len(batch.frame))
            total = total + more
    return _packed(Numbered(total, None if part is None else (part,)), spec)


@verb
def fold(parts: Iterable[bytes], key: KeySpec | None = None) -> bytes:
    """The sum of some parts, which `summarise` or `fold` made: the same for any order and grouping.

    What is given twice under the same numbers counts once.

    key: where the key is, for parts that are sealed. Raises `UsageError` where there are none, for parts of other
    tables, or made with other versions, rules or models, and for parts of one number that differ.
    """
    secret = load(checked(key))
    made: envelope.Made | None = None
    total: Numbered | None = None
    known = _Known()
    for data in parts:
        opened = envelope.opened(data, KIND, secret)
        if made is not None:
            envelope.check_alike(made, opened.made)
        made = opened.made
        more = summary_bytes.of_bytes(opened.content)
        if known.has(more.parts, opened.content):
            continue
        if total is None:
            total = more
        else:
            numbers = None if total.parts is None or more.parts is None else tuple(sorted(total.parts + more.parts))
            total = Numbered(total.summary + more.summary, numbers)
    if total is None or made is None:
        raise UsageError("there are no parts to fold; an empty table has one part without rows")
    return envelope.packed(KIND, made, summary_bytes.to_bytes(total), secret)


@verb
def finish(folded: bytes, spec: ScanSpec, parts: int | None = None) -> Report:
    """The report on the table from the sum of all its parts, on the driver, where the spec was made.

    parts: how many there are, where they are numbered from 0; one that is missing is an error then. Raises `UsageError`
    for the sum of another table, or made with other versions, rules or models.
    """
    if spec.scanner is None:
        raise UsageError("this spec was sent to a worker; judge the sum with the one that scan_spec gave the driver")
    found = summary_of(folded, spec)
    if parts is not None and (found.parts is None or found.parts != tuple(range(parts))):
        there = 0 if found.parts is None else len(set(found.parts) & set(range(parts)))
        raise UsageError(f"{there} of {parts} numbered parts are in the sum; run the others, and fold them in")
    report = spec.scanner.finish(found.summary, spec.info)
    return replace(report, scan_report=positions.told(report.scan_report, spec.files, spec.rules))


def summary_of(folded: bytes, spec: ScanSpec) -> Numbered:
    """The sum itself. It holds cell values. Raises `UsageError` as `finish` does."""
    opened = envelope.opened(folded, KIND, load(spec.key))
    envelope.check_alike(opened.made, spec.made)
    return summary_bytes.of_bytes(opened.content)


def part_table(part: Any, info: TableInfo) -> Table:
    """A part as a table with all columns. Raises `UsageError` where it has others."""
    table = inputs.from_frame(part, None, texts=False)
    own, known = table.info.fields, info.fields
    if known[: len(own)] != own or not isinstance(table, ReadTable):
        raise UsageError("a part has other columns or types than the spec; cast all parts to the same schema")
    return json_texts.with_columns(table, json_texts.of_fields(known, len(own)))


def empty(spec: ScanSpec) -> bytes:
    """The summary of no rows."""
    return _packed(Numbered(TableSummary.empty(len(spec.info.fields)), None), spec)


class _Known:
    """Which numbered parts were given."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, ...], bytes] = {}
        self._numbers: set[int] = set()
        self._unnumbered = False

    def has(self, numbers: tuple[int, ...] | None, content: bytes) -> bool:
        """Whether this very part was given before. Raises `UsageError` for another one of the same number."""
        if numbers is None:
            self._unnumbered = True
        elif not self._unnumbered:
            digest = hashlib.sha256(content).digest()
            if numbers in self._groups:
                if self._groups[numbers] != digest:
                    raise UsageError(f"part {numbers[0]} came twice, and with other contents; run all parts again")
                return True
            self._groups[numbers] = digest
            if twice := self._numbers.intersection(numbers):
                raise UsageError(f"part {min(twice)} is in two of the sums; run all parts again")
            self._numbers.update(numbers)
        if self._unnumbered and self._numbers:
            raise UsageError("some parts are numbered and others aren't; number all of them, or none")
        return False


def _placed(frame: Any, spec: ScanSpec) -> tuple[Any, pl.Series]:
    """The rows of a batch in the order of their places, and the numbers of these."""
    rows, places = positions.without_places(frame)
    if places is None:
        raise UsageError("the spec has files, and a part doesn't say which of them its rows are from")
    known = positions.numbers(places, spec.files)
    if not known.is_sorted(nulls_last=True):
        order = known.arg_sort(nulls_last=True)
        rows, known = rows.take(order.to_arrow()), known[order]
    return rows, known


def _packed(numbered: Numbered, spec: ScanSpec) -> bytes:
    summary = replace(numbered.summary, made_with=spec.made_with)
    return envelope.packed(KIND, spec.made, summary_bytes.to_bytes(numbered._replace(summary=summary)), load(spec.key))


def _frame(part: Any) -> Any:
    """A frame; without rows for a schema of pyarrow."""
    return part.empty_table() if type(part).__module__.startswith("pyarrow") and hasattr(part, "empty_table") else part
