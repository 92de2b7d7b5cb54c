"""Masks files: applies a plan to everything below a path, and checks the output before naming it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from piiscan.core import cores
from piiscan.core.errors import TableRefusal, UsageError, VerifyError
from piiscan.core.memory import give_back
from piiscan.core.types import Batch, InName, NotScanned, Skipped, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.content import ReadTable
from piiscan.io.dumps.dump_tables import LACKS, UNREAD
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column, Rewritten, Staged, where
from piiscan.io.write.rewrite import rewrite
from piiscan.masking.apply.date_distances import DateDistances
from piiscan.masking.apply.originals import Originals
from piiscan.masking.apply.planned_cells import as_planned
from piiscan.masking.apply.recorder import JoinKey, Joins, TableRecorder
from piiscan.masking.apply.repeats import Documents
from piiscan.masking.apply.subject_table import SubjectTable
from piiscan.masking.apply.table_masker import UNTOUCHED, MaskedBatch, TableMasker
from piiscan.masking.information_loss.loss_figures import Compared, TableFigures, of_table
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.known.known_values import has_texts
from piiscan.masking.known.row_keys import JoiningKeys, joining_keys
from piiscan.masking.known.text_hashes import SeenTexts
from piiscan.masking.operators.code import Code
from piiscan.masking.plan.code_vaults import located
from piiscan.masking.plan.plan_types import Plan, TablePlan
from piiscan.masking.proof.people_prints import PeoplePrints
from piiscan.masking.request import MaskRequest
from piiscan.masking.result import CheckResult, MaskedFiles
from piiscan.masking.run.helpers import Helpers
from piiscan.masking.run.known_people import known_values, look_at_texts, texts_of
from piiscan.masking.run.known_subjects import known_subjects, rows_of
from piiscan.masking.run.match_plan import (
    check_names,
    entry_of,
    find,
    fitted,
    may_lie_in,
    printable_failures,
    relative,
    same_lists,
)
from piiscan.masking.run.new_content import scan_of
from piiscan.masking.run.promise_words import broken_text
from piiscan.masking.run.read_ahead import TablesAhead
from piiscan.masking.run.resuming import NotTheSame, Resuming, masks_beside, outputs_of
from piiscan.masking.run.texts_ahead import TextsAhead
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import printable_names
from piiscan.scanning.engine import Progress
from piiscan.scanning.scan_options import ScanOptions

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.masking.known.known_values import KnownValues
    from piiscan.masking.run.outputs import Output


Step = Literal["looking at", "masking", "checking"]
"""The steps of a run: reading who the people are, writing files, and verifying them against the plan."""
_TEXTS: Final = 1 << 14
"""Rows of a batch where texts are masked: what is found in them, and their edits, take many times their room."""


def mask_files(
    source: Path,
    target: Path,
    plan: Plan,
    key: Key | None,
    rules: RuleSet,
    read: ReadOptions,
    options: MaskRequest = MaskRequest(),  # noqa: B008
    progress: Progress | None = None,
    begin: Callable[[Step], None] = lambda step: None,
    scan: ScanOptions = ScanOptions(),  # noqa: B008
) -> MaskedFiles:
    """Mask a file, or every file below a folder, as the plan says.

    A file of a folder that can't be written is left out. `begin` is called with each step before `progress` is with its
    files. `scan`: how kept columns are scanned while the output is checked. Raises `UsageError` for a table or a column
    that the plan doesn't know, `VerifyError` where a promise fails, `WriteError`; then nothing is written.
    """
    same_lists(plan)
    resuming = Resuming.of(source, target, plan, key, rules, read, options)
    plan = located(plan)
    if have_texts := any(map(has_texts, plan.tables)):
        read = read._replace(batch_rows=min(read.batch_rows, _TEXTS))
    root = source if source.is_dir() else source.parent
    processes = options.processes if have_texts or options.verify else 1
    with Helpers(source, processes, read.checkpoints, have_texts) as helpers, _executor(options.jobs) as executor:
        texts, seen = TextsAhead(helpers.submit), SeenTexts(helpers.submit, executor)

        def see(table: TablePlan, frame: pl.DataFrame) -> None:
            if helpers.submit is not None:  # which have nothing else to do
                texts.take(table, frame)
                for cells in texts_of(table, frame):
                    seen.add(cells)

        tables = TablesAhead(source, root, plan, rules, read, options.new_columns, see, progress)
        begin("looking at")
        look_at_texts(tables, plan, seen)  # first, as the rows of small tables are kept for those who ask next
        people = known_subjects(tables, plan, key, executor)
        asked = options.verify or any(map(has_texts, plan.tables))
        joining = joining_keys(plan.tables, partial(rows_of, tables)) if asked else JoiningKeys()
        known = known_values(tables, plan, key, people, joining, seen, executor)
        tables.close()
        begin("masking")
        run = _MaskingRun(
            root,
            source.is_dir(),
            plan,
            key,
            rules,
            read,
            options,
            progress,
            people,
            known,
            tables,
            texts,
            helpers,
            executor,
            joining,
            begin,
            scan_of(plan, scan),
        )
        rewritten = rewrite(
            source,
            target,
            read,
            run.change,
            verify=run.verify,
            overwrite=options.overwrite,
            copy_others=options.copy_others,
            inspect=run.inspect,
            resumption=None if resuming is None else resuming.resumption(known or people, run.lasts, run.again),
        )
    return MaskedFiles(
        len(rewritten.written),
        printable_failures(rewritten, rules).left_out,
        rewritten.skipped,
        tuple(run.promises),
        all(p.holds for p in run.promises),
        run.compared(rewritten),
        None if people is None else people.figures,
        *rewritten.resumed,
        unused=run.unused(rewritten.left_out),
        notes=run.notes(),
    )


def _executor(jobs: int | None) -> AbstractContextManager[Executor | None]:
    workers = jobs or cores.available()
    return ThreadPoolExecutor(workers) if workers > 1 else nullcontext()


class _MaskingRun:
    """The tables of one run, on their way from file to file.

    `promises`: those of the plan with their results, once verified.
    """

    def __init__(
        self,
        root: Path,
        is_folder: bool,
        plan: Plan,
        key: Key | None,
        rules: RuleSet,
        read: ReadOptions,
        options: MaskRequest,
        progress: Progress | None,
        people: SubjectTable | None,
        known: KnownValues | None,
        ahead: TablesAhead,
        texts: TextsAhead,
        helpers: Helpers,
        executor: Executor | None,
        joining: JoiningKeys,
        begin: Callable[[Step], None],
        scan: ScanOptions | None,
    ) -> None:
        self._begin, self._scan = begin, scan
        self.promises: list[CheckResult] = []
        self._root, self._plan, self._key, self._rules, self._read = root, plan, key, rules, read
        self._is_folder = is_folder
        self._options, self._progress, self._subjects, self._executor = options, progress, people, executor
        self._known, self._ahead, self._texts, self._submit = known, ahead, texts, helpers.submit
        self._originals, self._joins, self._people = (
            Originals(),
            dict[JoinKey, Joins](),
            PeoplePrints(joining, helpers.submit),
        )
        self._distances = DateDistances()
        self._changes: list[_TableChange] = []
        self._writing: deque[_TableChange] = deque()
        self._documents = Documents()
        self._has_kept = False
        self._used: list[TablePlan] = []

    def change(self, info: TableInfo) -> _TableChange:
        """How a table that was found is changed."""
        shown = printable_names.printable(relative(info, self._root, self._rules), self._rules)
        check_names(info, shown)
        self._ahead.check(info.source)
        if self._key is not None and self._key.lies_in(Path(info.path or info.source)):
            raise UsageError(
                f"{shown.source} contains the key, and would be written beside the masked data; keep it in "
                "another place"
            )
        self._used.append(entry_of(self._plan, shown))
        table = fitted(find(self._plan, shown), shown, self._options.new_columns)
        ahead, batch, document = self._ahead.masked(table), self._texts.batch, self._documents.of(info)
        masker = TableMasker(table, self._plan.spans, self._key, self._subjects, self._known, ahead, batch, document)
        made = _TableChange(
            masker,
            self._key.id if self._key is not None and masker.keyed else None,
            info,
            shown,
            lambda: _read_again(info, self._read),
            self._progress,
            TableRecorder(masker, self._originals, self._joins, self._people, self._distances, info.order_column)
            if self._options.verify
            else None,
            Comparison(table) if self._options.compare else None,
            self._executor,
        )
        while self._writing and self._writing[0].info.source != info.source:  # one file is written after the other
            self._writing.popleft().close()
        self._changes.append(made)
        self._writing.append(made)
        return made

    def lasts(self, source: str) -> bool:
        """Whether another run would make the same masks of a file, and can recover them from its output.

        Not where codes are drawn at random, nor where rows are dropped.
        """
        return not any(
            made.masker.plan.drop_rows or any(c.operator.name == Code.name for c in made.masker.columns.values())
            for made in self._changes
            if _file_of(made.info.source, (source,))
        ) and not any(span.operator == Code.name for span in self._plan.spans)

    def again(self, source: str, tables: Sequence[ReadTable], output: Path) -> bool:
        """Whether the output that an earlier run made of these tables is kept, as if it had been masked now."""
        before = len(self._changes)
        changes = [self.change(table.info) for table in tables]
        outputs = outputs_of(output, self._read, [made.masker.plan for made in changes])
        for table, made in zip(tables, changes, strict=True):
            place = made.info.source.removeprefix(source), made.shown.table
            after = outputs.get(place) or (next(iter(outputs.values())) if len(outputs) == len(tables) == 1 else None)
            if after is None or not made.see_output(table, after):
                del self._changes[before:]
                self._writing = deque(each for each in self._writing if each not in changes)
                return False
        self._has_kept = True
        return True

    def verify(self, staged: Sequence[Staged]) -> list[NotScanned]:
        """Verify what was written against the plan, before it gets its name; return the files that operators refuse.

        Raises `UsageError` where that is the one file there is, `VerifyError`.
        """
        paths = {s.source: s.path for s in staged}
        refused: dict[str, str] = {}
        self._known = None  # verification keeps fingerprints of its own
        self._texts.close()
        for made in self._changes:
            made.close()
            made.masker.finish()
            file = _file_of(made.info.source, paths)
            if file is None or file in refused:
                continue
            try:
                made.masker.check_frequencies()
            except UsageError as error:
                if not self._is_folder:
                    raise
                refused[file] = str(error).removeprefix(f"{made.masker.plan.source}: ")
        give_back()
        left_out = [NotScanned(file, reason) for file, reason in refused.items()]
        if not self._options.verify:
            return left_out
        from piiscan.masking.run.verify import check_promises

        self._begin("checking")
        outputs = self._outputs({source: path for source, path in paths.items() if source not in refused})
        self.promises += check_promises(
            outputs,
            self._originals,
            self._joins,
            self._distances,
            self._rules,
            self._read,
            self._executor,
            self._progress,
            self._submit,
            self._scan,
        )
        broken = [p for p in self.promises if not p.holds]
        if broken and not self._options.keep_unverified:
            raise VerifyError(
                f"nothing was written (--keep-unverified writes it anyway): the output {broken_text(broken)}"
                + (
                    "\nSome of its files come from an earlier run; write all of them again, without --resume"
                    * self._has_kept
                )
            )
        return left_out

    def inspect(self, table: Table) -> None:
        """Raises `ReadError` for texts that would be copied as they are and hold an identifier."""
        from piiscan.masking.run.copied_tables import no_identifier

        no_identifier(table, self._rules)

    def unused(self, left_out: Sequence[NotScanned]) -> tuple[str, ...]:
        """The tables of the plan that there is nothing of, what was left out included.

        Files that an earlier run had finished aren't looked at, so that then nothing is known of it.
        """
        if self._has_kept:
            return ()
        used = {id(entry) for entry in self._used}
        inputs = [relative(entry, self._root, self._rules).source for entry in left_out]
        unused = [t for t in self._plan.tables if id(t) not in used and not may_lie_in(self._plan, t, inputs)]
        return tuple(t.source if t.table is None else f"{t.source}::{t.table}" for t in unused)

    def notes(self) -> tuple[str, ...]:
        """Conditions that new values were not held to, as they can't be read, and what outputs lack."""
        return tuple(
            f"{where(made.shown)}: {note}"
            for made in self._changes
            for note in made.info.notes
            if note.endswith((UNREAD, LACKS))
        )

    def compared(self, rewritten: Rewritten) -> tuple[Compared, ...]:
        """The tables that were written, before and after."""
        written = {(table.source, table.position) for table in rewritten.tables}
        return tuple(
            Compared(made.info, made.shown, made.masker.plan, figures)
            for made in self._changes
            if (made.info.source, made.info.position) in written and (figures := made.figures())
        )

    def _outputs(self, paths: Mapping[str, Path]) -> list[Output]:
        """The tables that have an output. `paths`: where the new content of each file lies until it gets its name."""
        from piiscan.masking.run.outputs import Output, reading

        return [
            Output(
                made.recorder,
                made.info.source,
                made.shown.table,  # as it is written
                made.shown.table,
                paths[file],
                made.info.source.removeprefix(file),
                frozenset(i for i, field in enumerate(made.info.fields) if field.parent is not None),
                reading=reading(made.info, made.recorder.masker.plan),
            )
            for made in self._changes
            if made.recorder and (file := _file_of(made.info.source, paths))
        ]


def _file_of(source: str, files: Collection[str]) -> str | None:
    """The file that a table is in, by its own name or that of an archive's member; None for one that has no output."""
    parts = source.split("!")
    return next((file for n in range(len(parts), 0, -1) if (file := "!".join(parts[:n])) in files), None)


class _TableChange:
    """One table on its way from file to file."""

    def __init__(
        self,
        masker: TableMasker,
        key_id: str | None,
        info: TableInfo,
        shown: TableInfo,
        read_again: Callable[[], Iterator[Batch]],
        progress: Progress | None,
        recorder: TableRecorder | None,
        comparison: Comparison | None,
        executor: Executor | None,
    ) -> None:
        self.masker = masker
        self.key_id = key_id
        self.recorder = recorder
        self._comparison = comparison
        self._figures: TableFigures | None = None
        self.info = info
        self.shown = shown
        self._read_again = read_again
        self._progress = progress
        self._executor = executor
        self._recorded: Callable[[], None] = lambda: None
        self._rows = 0
        self._is_fitted = not masker.whole_columns

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(field, origin, same) for origin, field, same in self.masker.fields(self.shown.fields))

    def apply(self, batch: Batch) -> Changed:
        if not self._is_fitted:
            self._fit()
        try:
            frame = as_planned(batch.frame, self.masker.plan)
            masked = self.masker.apply(frame, self._rows, self._executor)
        except UsageError as error:
            raise TableRefusal(str(error)) from None
        self._see(frame, masked)
        give_back()  # else what texts took piece by piece stays with the process for good
        kept = masked.kept
        out = [
            (cells if kept is None else cells.filter(kept)).alias(str(location))
            for location, column in enumerate(self.columns)
            if not column.same
            for cells in [masked.columns[column.origin]]
        ]
        return Changed(pl.DataFrame(out), kept)

    def _see(self, frame: pl.DataFrame, masked: MaskedBatch) -> None:
        if self._comparison:
            self._comparison.see(frame, masked.columns, masked.kept, self._rows, self._executor)
        if self._progress and not self._rows:
            self._progress(self.info.source, 0)
        self._rows += len(frame)
        if self.recorder:
            self._recorded()  # one batch at a time, while the batch is written and the next one is read
            self._recorded = self.recorder.record(frame, masked.columns, masked.kept, self._executor)
        if self._progress:
            self._progress(self.info.source, self._rows)

    def see_output(self, before: Table, after: Table) -> bool:
        """Use the masks in an existing output as those of this run; False where some are missing."""
        masker = self.masker
        masked = [i for i, column in masker.columns.items() if column.action.operator not in UNTOUCHED]
        beside = masks_beside(before, after, masker.plan, masked)
        if beside is None:
            return False
        if not self._is_fitted:
            self._fit()
        try:
            for frame, masks in beside:
                masker.see(frame, masks, self._rows)
                self._see(frame, MaskedBatch(masks))
        except NotTheSame:
            return False
        return True

    def close(self) -> None:
        """Finish the last batch and keep only what promises and a report need: all of the table has been masked."""
        self._recorded()
        self._recorded = lambda: None
        if self.recorder:
            self.recorder.close()
        self.figures()

    def figures(self) -> TableFigures | None:
        """The figures for a report, once the table has been masked; releases everything else."""
        if self._comparison:
            self._figures, self._comparison = of_table(self._comparison), None
        return self._figures

    def _fit(self) -> None:
        """Reads the table once more, for operators that need a whole column."""
        plan = self.masker.plan
        parts = [self.masker.inspect_columns(as_planned(batch.frame, plan)) for batch in self._read_again()]
        if parts:
            self.masker.fit(pl.concat(parts))
        self._is_fitted = True


def _read_again(info: TableInfo, read: ReadOptions) -> Iterator[Batch]:
    for table in inputs.discover([info.path or info.source], read):
        if not isinstance(table, (NotScanned, Skipped, InName)) and (table.info.source, table.info.table) == (
            info.source,
            info.table,
        ):
            return table.batches()
    raise UsageError(
        f"{info.source}: it can't be read a second time, which an operator of the plan needs; save it to a file first"
    )
