"""Runs a scan: tables in, one report out. One process, a pool of threads over the columns of each batch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import compress, groupby
from operator import not_
from typing import TYPE_CHECKING, Final, NamedTuple

from piiscan.core import dtypes, shapes
from piiscan.core.checkpoints import AGAIN, UNWATCHED, Checkpoints, Elsewhere, Known
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import PiiscanError, ReadError
from piiscan.core.types import (
    Batch,
    ColumnReport,
    Field,
    Found,
    InName,
    Inside,
    NotScanned,
    Reason,
    ScanReport,
    Skipped,
    Subject,
    Table,
    TableInfo,
    TableReport,
)
from piiscan.core.version import __version__
from piiscan.detection.matching import files_in_cells, identifiers_in_names
from piiscan.detection.matching.prefilter import Prefilter
from piiscan.detection.matching.quiet_values import QuietValues
from piiscan.detection.summary.column_summary import ColumnSummary
from piiscan.detection.summary.sample import Sample, fetch_all, fetch_first
from piiscan.detection.summary.table_summary import TableSummary
from piiscan.rules.definitions import RuleSet
from piiscan.rules.rule_sets import compiled_rules
from piiscan.scanning import encoded_cells
from piiscan.scanning.allowed_values import AllowedValues
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.only_reserved import only_reserved
from piiscan.scanning.classify.profile import SHOWN
from piiscan.scanning.classify.verdicts import Verdict, classify_each
from piiscan.scanning.data_sets import DataSets, Slot, unread
from piiscan.scanning.file_looks import Summed, looks_of
from piiscan.scanning.files_together import Added, may_be_a_member
from piiscan.scanning.summing import Helpers, Threads, running_totals

if TYPE_CHECKING:
    import polars as pl


class ColumnTruth(NamedTuple):
    """What the user says a column is (`[[columns]]` in the config); it wins over every verdict.

    `path` is a glob over the report's `source`; `table` and `column` are exact names, `table` None for any, `column_3`
    (from 0) for a column without a name. `entity` is an entity of the vocabulary, or None for "none": nothing personal.
    """

    path: str
    column: str
    entity: str | None
    table: str | None = None


JUDGED: Final = 512
"""Columns of small tables that are judged together, at most and about: what is known of them takes memory."""


class ScanOptions(NamedTuple):
    """How to scan.

    `jobs` threads (None: one a core); `sample` says that only the first N rows of each table were asked for; a verdict
    whose entity and class are both less sure than `min_confidence` becomes None; `model` is a file to use in place of
    the shipped model; `empty_columns` asks for verdicts on columns without values, by their headers; `spacy` names a
    pipeline that finds names in texts instead of the shipped recogniser; `data_sets` asks for one verdict on the files
    of a data set; `allowed` says which values raise no alarm; up to `processes` take a part, this one included
    (`piiscan.scanning.crew`).
    """

    jobs: int | None = None
    sample: int | None = None
    min_confidence: float = 0.5
    truths: tuple[ColumnTruth, ...] = ()
    model: str | None = None
    empty_columns: bool = False
    spacy: str | None = None
    data_sets: bool = False
    allowed: AllowedValues = AllowedValues()
    processes: int = 1

    def declared(self, source: str) -> tuple[ColumnTruth, ...]:
        """What the user says of the columns of a source."""
        return tuple(truth for truth in self.truths if fnmatchcase(source, truth.path))


_Result = TableReport | NotScanned | Skipped | InName
"""What a scan finds out of its inputs."""


Progress = Callable[[str, int], None]
"""Called with a table's source and the rows scanned so far."""


Seen = Callable[[TableInfo, TableSummary, TableReport], None]
"""Called with every table that was scanned, once for a data set: as read but with names as printed, its summary, its
report."""


class JudgedTable(NamedTuple):
    """A table that was read and judged by itself: what the report says of it, the verdicts first.

    `summary` is there where it was asked for.
    """

    info: TableInfo
    rows: int
    results: tuple[TableReport | NotScanned, ...]
    summary: TableSummary | None


class Work(NamedTuple):
    """What scanning a table takes besides it. `keeps_summaries`: as in `JudgedTable`. `helpers`: other processes."""

    prefilter: Prefilter
    options: ScanOptions
    threads: Threads
    keeps_summaries: bool = False
    helpers: Helpers | None = None


def outcome(found: Found, work: Work) -> _Result | Summed | JudgedTable:
    """What a process reports of what it has read for another. A table that may be a file of a data set isn't judged."""
    if isinstance(found, NotScanned | Skipped | InName):
        return _printed(found, work.prefilter.compiled.rules)
    return judged(summed(found, work), work)


def judged(table: Summed, work: Work) -> Summed | JudgedTable:
    """What a process reports of a table that it has read for another."""
    return judged_each([table], work)[0]


def judged_each(tables: Sequence[Summed], work: Work) -> list[Summed | JudgedTable]:
    """`judged` of each of some tables."""
    rules, options = work.prefilter.compiled.rules, work.options
    looked_at = [options.data_sets and may_be_a_member(table.info) for table in tables]
    alone = iter(_each_alone(list(compress(tables, map(not_, looked_at))), rules, options, work.keeps_summaries))
    looks = iter(looks_of([table.summary for table in compress(tables, looked_at)], rules))
    return [
        table._replace(look=next(looks)) if is_looked_at else next(alone)
        for table, is_looked_at in zip(tables, looked_at, strict=True)
    ]


def _printed(found: NotScanned | Skipped | InName, rules: RuleSet) -> _Result:
    return printable_failure(found, rules) if isinstance(found, NotScanned) else found


def _tell(progress: Progress | None, result: object) -> None:
    if progress and isinstance(result, Summed | JudgedTable | Added):
        progress(result.info.source, result.rows)


def scan_tables(
    inputs: Iterable[Found | Known | Elsewhere],
    rules: RuleSet,
    options: ScanOptions,
    progress: Progress | None = None,
    seen: Seen | None = None,
    checkpoints: Checkpoints = UNWATCHED,
    helpers: Helpers | None = None,
) -> ScanReport:
    """Scan every input in turn.

    Never raises for a bad input: it becomes an entry of `not_scanned`. `checkpoints`: those that `inputs` are read by.
    `helpers`: other processes that may take a part.
    """
    prefilter = prefilter_of(rules)
    model(options.model)  # a wrong one ends the scan before it begins
    if options.spacy is not None:
        from piiscan.detection.text import pipelines

        pipelines.load(options.spacy)
    judging = _Judging(prefilter, options, seen)
    with Threads(options.jobs or os.cpu_count() or 1) as threads:
        work = Work(prefilter, options, threads, helpers=helpers)
        for found in inputs:
            if isinstance(found, Known):
                for result in found.results:
                    judging.take(result, UNWATCHED)
            elif isinstance(found, Elsewhere) and judging.accepts(found, checkpoints):
                for result in found.results:
                    _tell(progress, result)
                    judging.take(result, checkpoints)
            else:
                for one in found.again() if isinstance(found, Elsewhere) else (found,):
                    judging.take(_read_here(one, work, progress), checkpoints)
    results = judging.results()
    not_scanned = _not_scanned(results, checkpoints)
    skipped = Counter(result.reason for result in results if isinstance(result, Skipped))
    # What was not read of a source, its tables may lack.
    torn = {entry.source for entry in not_scanned if entry.table is None}
    return ScanReport(
        tool(rules, options),
        tuple(_torn(t, torn) for t in results if isinstance(t, TableReport)),
        tuple(not_scanned),
        skipped.total(),
        skipped_kinds=tuple(sorted(skipped.items())),
        names=tuple(result for result in results if isinstance(result, InName)),
        reserved_count=not options.allowed.reserved,
    )


def _read_here(found: Found, work: Work, progress: Progress | None) -> _Result | Summed:
    if isinstance(found, NotScanned | Skipped | InName):
        return _printed(found, work.prefilter.compiled.rules)
    return summed(found, work, progress)


def _torn(table: TableReport, torn: Set[str]) -> TableReport:
    """The report on a table, incomplete where it, or a file of it, is one of those that were not read whole."""
    if torn.isdisjoint(table.sources):
        return table
    members = tuple(m._replace(complete=m.complete and m.source not in torn) for m in table.members)
    return replace(table, complete=False, members=members)


def _not_scanned(results: Iterable[_Result], checkpoints: Checkpoints) -> list[NotScanned]:
    """What wasn't scanned, with what ended an earlier run and wasn't met again."""
    found = [result for result in results if isinstance(result, NotScanned)]
    met = {entry.source for entry in found}
    return found + [NotScanned(source, why) for source, why in checkpoints.lost.items() if source not in met]


def tool(rules: RuleSet, options: ScanOptions) -> dict[str, str | None]:
    """Who made a report, with which rules and which model. Raises `ModelError`."""
    return {
        "name": "piiscan",
        "version": __version__,
        "rules_digest": rules.digest,
        "model_digest": model(options.model).digest,
    }


@lru_cache(maxsize=4)
def prefilter_of(rules: RuleSet) -> Prefilter:
    """Rules ready to run."""
    return Prefilter(compiled_rules(rules))


def partial(
    frame: pl.DataFrame,
    fields: tuple[Field, ...],
    rules: RuleSet,
    offset: int | None = None,
    quiet: Sequence[QuietValues] | None = None,
    so_far: TableSummary | None = None,
) -> TableSummary:
    """The summary of a part of a table, to be added to those of its other parts.

    Columns go by position. `quiet`: for each column, which values raise no alarm (reserved ones). `so_far`: the summary
    of other parts that this one will be added to, which spares the work on what can't get into the samples.
    """
    from piiscan.detection.matching.batch import summarise

    return summarise(Batch(frame, offset), fields, prefilter_of(rules), so_far, quiet=quiet)


class _Judging:
    """What comes of a scan's inputs, in their order; tables that may be of a data set are judged when all are read."""

    def __init__(self, prefilter: Prefilter, options: ScanOptions, seen: Seen | None) -> None:
        self._rules, self._options, self._seen = prefilter.compiled.rules, options, seen
        self._found: list[_Result | Slot] = []
        self._sets = DataSets(prefilter, self._of_file, seen, options.declared) if options.data_sets else None

    def accepts(self, found: Elsewhere, checkpoints: Checkpoints) -> bool:
        """Whether the results of an input can be taken as they are."""
        return not any(
            isinstance(result, Added) and (self._sets is None or checkpoints.lost or not self._sets.accepts(result))
            for result in found.results
        )

    def take(self, item: _Result | Summed | JudgedTable | Added, checkpoints: Checkpoints) -> None:
        if isinstance(item, JudgedTable):
            self._take_judged(item, checkpoints)
            return
        if not isinstance(item, Summed | Added):
            checkpoints.finish(item)
            self._found.append(item)
            return
        slot = None if self._sets is None else self._sets.take(item)
        if slot is None and isinstance(item, Summed):
            self._take_judged(_judged_alone(item, self._rules, self._options, self._seen is not None), checkpoints)
            return
        # A process that takes this one's place reads the files of data sets again; from then on their sums are kept.
        checkpoints.finish(item if checkpoints.lost else AGAIN)
        if slot is not None and not slot.is_placed:
            slot.is_placed = True
            checkpoints.hold(slot)
            self._found.append(slot)

    def results(self) -> list[_Result]:
        if self._sets is not None:
            self._sets.close()
        return [one for found in self._found for one in (found.results if isinstance(found, Slot) else (found,))]

    def _take_judged(self, table: JudgedTable, checkpoints: Checkpoints) -> None:
        report = table.results[0]
        if self._seen is not None and table.summary is not None and isinstance(report, TableReport):
            self._seen(printable(table.info, self._rules), table.summary, report)
        for result in table.results:
            checkpoints.finish(result)
            self._found.append(result)

    def _of_file(self, table: Summed, source: str) -> tuple[TableReport, list[NotScanned]]:
        truths = tuple(t._replace(path="*") for t in self._options.declared(source))
        return judge(table.info, table.summary, self._rules, self._options._replace(truths=truths))


def _judged_alone(table: Summed, rules: RuleSet, options: ScanOptions, keeps_summary: bool) -> JudgedTable:
    return _each_alone([table], rules, options, keeps_summary)[0]


def _each_alone(
    tables: Sequence[Summed], rules: RuleSet, options: ScanOptions, keeps_summaries: bool
) -> list[JudgedTable]:
    """Each of some tables judged by itself."""
    found = judge_each([(t.info, t.summary, t.failure is None) for t in tables], rules, options)
    return [
        JudgedTable(
            table.info,
            table.rows,
            (report, *failures, *unread(table, report)),
            table.summary if keeps_summaries else None,
        )
        for table, (report, failures) in zip(tables, found, strict=True)
    ]


def summed(table: Table, work: Work, progress: Progress | None = None) -> Summed:
    """A table read to its end, or to where it can't be read."""
    prefilter = work.prefilter
    info = table.info
    total = TableSummary.empty(len(info.fields))
    failure: str | None = None
    column = None
    try:
        if info.format == "code":
            from piiscan.rules.rules_for_code import for_code

            prefilter = prefilter_of(for_code(prefilter.compiled.rules))
        quiet = work.options.allowed.of_columns(printable(info, prefilter.compiled.rules))
        for total in running_totals(table, prefilter, quiet, work.threads, work.helpers):
            if progress:
                progress(info.source, total.rows)
    except PiiscanError as error:
        failure, column = str(error), error.column if isinstance(error, ReadError) else None
    except MemoryError:
        failure = "not enough memory to scan it"
    except Exception as error:
        failure = f"internal error ({error_location(error)}); please report it"
    return Summed(info, total, failure, column)


def error_location(error: BaseException) -> str:
    """An unexpected error's type and the line it comes from: its message may hold a cell's text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""  # noqa: PTH119
    return f"{type(error).__name__}{where}"


def judge(
    info: TableInfo, summary: TableSummary, rules: RuleSet, options: ScanOptions, complete: bool = True
) -> tuple[TableReport, list[NotScanned]]:
    """The report on a table, from its summary alone; and its columns that a rule could not be run on."""
    return judge_each([(info, summary, complete)], rules, options)[0]


def judge_each(
    tables: Sequence[tuple[TableInfo, TableSummary, bool]], rules: RuleSet, options: ScanOptions
) -> list[tuple[TableReport, list[NotScanned]]]:
    """`judge` of each of some tables, given with whether they were read to their end.

    The result for one depends on none of the others.
    """
    out: list[tuple[TableReport, list[NotScanned]]] = []
    for code, some in _judged_together(tables):
        its_rules = rules
        if code:
            from piiscan.rules.rules_for_code import for_code

            its_rules = for_code(rules)
        shown = [(printable(info, rules), summary) for info, summary, _ in some]
        _fetch([column.sample for _, summary, _ in some for column in summary.columns])
        found = classify_each(shown, its_rules, model(options.model), options.empty_columns, options.spacy)
        for (read, summary, complete), (info, _), (subject, verdicts) in zip(some, shown, found, strict=True):
            out.append(_reported(read, info, summary, subject, verdicts, its_rules, options, complete))
    return out


def _fetch(samples: Sequence[Sample]) -> None:
    """Fetch what nearly all columns are judged by: the first texts, and all where they may be numbers or dates."""
    fetch_first(samples, SHOWN)
    fetch_all(sample for sample in samples if not dtypes.is_plain_text(text for text, _ in sample.first(1)))


def _judged_together(
    tables: Sequence[tuple[TableInfo, TableSummary, bool]],
) -> Iterator[tuple[bool, list[tuple[TableInfo, TableSummary, bool]]]]:
    """The tables in their order, so many as are judged together; whether they are of code."""
    for code, alike in groupby(tables, key=lambda table: table[0].format == "code"):
        some: list[tuple[TableInfo, TableSummary, bool]] = []
        columns = 0
        for table in alike:
            columns += len(table[0].fields)
            if some and columns > JUDGED:
                yield code, some
                some, columns = [], len(table[0].fields)
            some.append(table)
        yield code, some


def _reported(
    read: TableInfo,
    info: TableInfo,
    summary: TableSummary,
    subject: Subject | None,
    verdicts: Sequence[Verdict],
    rules: RuleSet,
    options: ScanOptions,
    complete: bool,
) -> tuple[TableReport, list[NotScanned]]:
    """What is reported of a table: `read` with its names as read, `info` as printed."""
    judged = _alike(info, verdicts)
    known = [_decided(info, i, verdict, options) for i, verdict in enumerate(judged)]
    said = _said(info, summary, judged, known, rules, options.spacy)
    decided = (
        _decoded(info, column, own._replace(inside=own.inside + said.get(i, ())), rules, options.spacy)
        for i, (column, own) in enumerate(zip(summary.columns, known, strict=True))
    )
    columns = tuple(_column(i, info, summary.columns[i], verdict) for i, verdict in enumerate(decided))
    failures = [
        NotScanned(info.source, f"rule {rule} ran out of its time budget", info.table, field.name or f"column_{i}")
        for i, field in enumerate(info.fields)
        for rule in summary.columns[i].over_budget
    ]
    failures += _files(info, summary, columns)
    complete = complete and not failures
    return TableReport(
        info.source, info.table, info.format, summary.rows, complete, info.header, subject, columns, options.sample,
        info.details, info.notes, names_in(read, info, rules),
    ), failures  # fmt: skip


def _alike(info: TableInfo, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """One verdict for an attribute of all people, where each has a column: a cell of its own says little."""
    places: dict[str, list[int]] = {}
    for i, field in enumerate(info.fields):
        if field.name is not None and field.parent is not None and info.fields[field.parent].name is None:
            places.setdefault(field.name, []).append(i)
    out = list(verdicts)
    for some in places.values():
        (entity, pii), count = Counter((out[i].entity, out[i].pii) for i in some).most_common(1)[0]
        if len(some) > 1 and 2 * count >= len(some) and pii == "direct":
            known = max((out[i] for i in some if (out[i].entity, out[i].pii) == (entity, pii)), key=_confidence)
            for i in some:
                same = (out[i].entity, out[i].pii) == (entity, pii)
                out[i] = out[i] if same else known._replace(inside=out[i].inside)
    return out


def _confidence(verdict: Verdict) -> float:
    return verdict.confidence


def _files(info: TableInfo, summary: TableSummary, columns: Sequence[ColumnReport]) -> Iterator[NotScanned]:
    """What cells hold that no rule can look into: of a table its columns, of a text all of it.

    Not where the user says what the column is. Pictures that a notebook draws are skipped, as those in folders are.
    """
    for i, (field, column) in enumerate(zip(info.fields, summary.columns, strict=True)):
        if column.files and not files_in_cells.is_drawn(field.name) and _DECLARED not in columns[i].reasons:
            name = None if info.is_text else field.name or f"column_{i}"
            reason = files_in_cells.reason(column.files, info.is_text)
            yield NotScanned(info.source, reason, info.table, name, not info.is_text)


_DECLARED: Final = Reason("user", text="declared in the configuration")


def _decided(info: TableInfo, index: int, verdict: Verdict, options: ScanOptions) -> Verdict:
    name = info.fields[index].name or f"column_{index}"
    for truth in options.truths:
        if fnmatchcase(info.source, truth.path) and truth.table in (None, info.table) and truth.column == name:
            pii = PII_CLASS[truth.entity] if truth.entity else "none"
            inside = () if truth.entity is None else tuple(i for i in verdict.inside if i.entity != truth.entity)
            return Verdict(
                truth.entity,
                None,
                pii,
                1.0,
                verdict.rule if verdict.entity == truth.entity else None,
                (_DECLARED,),
                inside,
            )
    # A class may be surer than which of several identifiers gives it.
    sure = max(verdict.confidence, verdict.pii_confidence if verdict.pii != "none" else 0.0)
    if verdict.entity is not None and sure < options.min_confidence:
        likely = f"it may be {verdict.entity} ({verdict.confidence:.0%} likely)"
        text = f"{likely}, which is less than min_confidence ({options.min_confidence:.0%})"
        return verdict._replace(
            entity=None,
            subtype=None,
            pii="none",
            rule=None,
            confidence=1 - verdict.confidence,
            pii_confidence=verdict.pii_confidence if verdict.pii == "none" else 1 - verdict.pii_confidence,
            reasons=(*verdict.reasons, Reason("user", text=text)),
            review=(likely,) if verdict.review or verdict.pii == "direct" else (),
        )
    return verdict


def _said(
    info: TableInfo,
    summary: TableSummary,
    verdicts: Sequence[Verdict],
    decided: Sequence[Verdict],
    rules: RuleSet,
    spacy: str | None,
) -> dict[int, tuple[Inside, ...]]:
    """What is said in the cells of columns, unless the user says what these are.

    Persons, places, organisations, addresses and dates of birth in texts; persons and dates of birth in columns that
    have no entity. Those of a kind are read together.

    Text that isn't called so for want of confidence is read too: what is named in it doesn't depend on that.
    """
    texts, words = [], []
    for i, (verdict, own) in enumerate(zip(verdicts, decided, strict=True)):
        is_text = verdict.entity == "FREE_TEXT" or (info.is_text and verdict.entity is None)
        if own.entity == "FREE_TEXT" or (is_text and _is_unknown(info, own)):
            texts.append(i)
        elif verdict.entity is None and not info.is_text and _is_unknown(info, own):
            words.append(i)
    if not texts and not words:
        return {}
    from piiscan.detection.text import text_columns

    in_texts = text_columns.in_texts([summary.columns[i] for i in texts], rules, spacy)
    in_words = text_columns.in_words([summary.columns[i] for i in words], rules, spacy)
    return dict(zip((*texts, *words), (*in_texts, *in_words), strict=True))


def _is_unknown(info: TableInfo, decided: Verdict) -> bool:
    """Whether neither the user nor anything else says what a column is."""
    return decided.entity is None and _DECLARED not in decided.reasons and info.format != "code"


def _decoded(info: TableInfo, column: ColumnSummary, verdict: Verdict, rules: RuleSet, spacy: str | None) -> Verdict:
    """Add what is found in the texts that cells hold in Base64, unless the user says what the column is."""
    if verdict.pii == "direct" or _DECLARED in verdict.reasons or info.format == "code":
        return verdict
    if not (cells := encoded_cells.cells_of(column, len(info.fields) == 1)):
        return verdict
    known = {entry.rule for entry in verdict.inside}
    more = [entry for entry in encoded_cells.found_in(cells, column, rules, spacy) if entry.rule not in known]
    reason = Reason("encoded", cells=sum(count for _, count in cells), text="text in Base64")
    return verdict._replace(inside=(*verdict.inside, *more), reasons=(*verdict.reasons, reason))


def _column(index: int, info: TableInfo, summary: ColumnSummary, verdict: Verdict) -> ColumnReport:
    field = info.fields[index]
    first = summary.sample.first(shapes.MOST_LOOKED_AT)
    is_plain = field.dtype != "string" or dtypes.is_plain_text(text for text, _ in first)
    dtype = field.dtype if is_plain else dtypes.infer(summary.sample.texts)
    return ColumnReport(
        index,
        field.name,
        dtype,
        verdict.entity,
        verdict.subtype,
        verdict.pii,
        verdict.confidence,
        summary.nulls,
        summary.sample.distinct,
        not summary.sample.full,
        shapes.commonest(first),
        verdict.rule,
        verdict.reasons,
        verdict.inside,
        field.parent,
        verdict.pii_confidence,
        verdict.review,
        only_reserved(verdict, summary.unreserved, summary.filled, [entry.reserved for entry in verdict.inside]),
        only_reserved(verdict, summary.others, summary.filled, [entry.quiet for entry in verdict.inside]),
        sum(summary.files.values()),
    )


def printable(info: TableInfo, rules: RuleSet) -> TableInfo:
    """The same table with every column and table name that is itself a direct identifier replaced by its position.

    A file without a header taken for one with a header, or a JSON map keyed by e-mail, would print cells as names. The
    shipped rules decide with `rules`, which may be a few selected ones.
    """
    fields = tuple(
        f._replace(name=f"column_{i}") if _identifies(f.name, rules) else f for i, f in enumerate(info.fields)
    )
    return info._replace(
        fields=fields, table=f"table_{info.position}" if identifiers_in_names.evident(info.table, rules) else info.table
    )


def names_in(info: TableInfo, printed: TableInfo, rules: RuleSet) -> tuple[InName, ...]:
    """The identifiers that are evident in the name of a table and of its columns, as read and as `printed`."""
    of_table = identifiers_in_names.found(info.table, rules)
    return tuple(
        InName(info.source, r.entity, r.subtype, r.id, printed.table, column, column is None, reserved)
        for column, found in ((None, of_table), *_of_columns(info, rules))
        for r, reserved in found
    )


def _of_columns(info: TableInfo, rules: RuleSet) -> Iterator[tuple[int, tuple[identifiers_in_names.FoundInName, ...]]]:
    for i, field in enumerate(info.fields):
        yield i, identifiers_in_names.found(field.name, rules)


def printable_failure(failure: NotScanned, rules: RuleSet) -> NotScanned:
    """The same failure, its table's name replaced as `printable` does."""
    return failure._replace(table="table" if identifiers_in_names.evident(failure.table, rules) else failure.table)


def _identifies(name: str | None, rules: RuleSet) -> bool:
    return bool(identifiers_in_names.evident(name, rules)) or identifiers_in_names.is_number(name, rules)
