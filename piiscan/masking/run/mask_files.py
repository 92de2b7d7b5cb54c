"""Masking from file to file: a plan applied to everything below a path, and the output checked before it gets its
name."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from piiscan.core.errors import UsageError, VerifyError
from piiscan.core.types import Batch, InName, NotScanned, Skipped, Table, TableInfo
from piiscan.io import inputs
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.change import Changed, Column, Staged
from piiscan.io.write.rewrite import rewrite
from piiscan.masking.apply.promises import Alike, Joins, Originals, Promise, Watch
from piiscan.masking.apply.table_masker import TableMasker
from piiscan.masking.information_loss.loss_figures import Compared, TableFigures, of_table
from piiscan.masking.information_loss.table_loss import Comparison
from piiscan.masking.plan.plan_types import Plan
from piiscan.masking.request import MaskRequest
from piiscan.masking.result import MaskedFiles
from piiscan.masking.run.known_keys import known_people
from piiscan.masking.run.match_plan import check_names, find, fitted, printable_failures, relative, same_lists
from piiscan.rules.definitions import RuleSet
from piiscan.scanning import engine
from piiscan.scanning.engine import Progress

if TYPE_CHECKING:
    from piiscan.core.keys import Key


def mask_files(
    source: Path,
    target: Path,
    plan: Plan,
    key: Key | None,
    rules: RuleSet,
    read: ReadOptions,
    options: MaskRequest = MaskRequest(),  # noqa: B008
    progress: Progress | None = None,
) -> MaskedFiles:
    """Mask a file, or every file below a folder, as the plan says. Raises `UsageError` for a table or a column that the
    plan doesn't know, `VerifyError` where a promise fails, `WriteError`; then nothing is written."""
    same_lists(plan)
    root = source if source.is_dir() else source.parent
    changes: list[_TableChange] = []
    going: deque[_TableChange] = deque()
    originals, joins = Originals(), dict[Alike, Joins]()
    links = known_people(source, root, plan, key, rules, read, options.new_columns)
    kept: list[Promise] = []

    def change(info: TableInfo) -> _TableChange:
        shown = engine.printable(relative(info, root, rules), rules)
        check_names(info, shown)
        if key is not None and key.lies_in(Path(info.path or info.source)):
            raise UsageError(
                f"{shown.source} holds the key, and would be written beside the masked data; keep it in another place"
            )
        table = fitted(find(plan, shown), shown, options.new_columns)
        masker = TableMasker(table, plan.spans, key, links)
        watch = Watch(table, masker, originals, joins) if options.verify else None
        comparison = Comparison(table) if options.compare else None
        made = _TableChange(masker, info, shown, lambda: _again(info, read), progress, watch, comparison, pool)
        while going and going[0].info.source != info.source:  # one file is written after the other
            going.popleft().settle()
        changes.append(made)
        going.append(made)
        return made

    def verify(staged: Sequence[Staged]) -> None:
        for made in changes:
            made.settle()
            made.masker.check_frequencies()
        if not options.verify:
            return
        from piiscan.masking.run.verify import Output, promises

        paths = {s.source: s.path for s in staged}
        outputs = [
            Output(
                made.watch,
                made.info.source,
                made.shown.table,  # as it is written
                made.shown.table,
                paths[file],
                made.info.source.removeprefix(file),
                frozenset(i for i, field in enumerate(made.info.fields) if field.parent is not None),
            )
            for made in changes
            if made.watch and (file := _file_of(made.info.source, paths))
        ]
        kept.extend(promises(outputs, originals, joins, rules, read, pool))
        broken = [p for p in kept if not p.holds]
        if broken and not options.keep_unverified:
            raise VerifyError(
                f"the output was not given its name (--keep-unverified gives it): it {broken_text(broken)}"
            )

    def inspect(table: Table) -> None:
        from piiscan.masking.run.verify import no_identifier

        no_identifier(table, rules)

    with ThreadPoolExecutor(jobs) if (jobs := options.jobs or os.cpu_count() or 1) > 1 else nullcontext() as pool:
        rewritten = rewrite(
            source,
            target,
            read,
            change,
            verify=verify,
            overwrite=options.overwrite,
            copy_others=options.copy_others,
            inspect=inspect,
        )
    written = {(table.source, table.position) for table in rewritten.tables}
    compared = tuple(
        Compared(m.info, m.shown, m.masker.plan, f)
        for m in changes
        if (m.info.source, m.info.position) in written and (f := m.figures())
    )
    return MaskedFiles(
        len(rewritten.written),
        printable_failures(rewritten, rules).left_out,
        rewritten.skipped,
        tuple(kept),
        all(p.holds for p in kept),
        compared,
    )


def broken_text(broken: Sequence[Promise]) -> str:
    """Which promises the output doesn't keep, in words that follow its name."""
    lines = []
    for p in broken[:10]:
        place = "".join(
            c if c.isprintable() else "\N{REPLACEMENT CHARACTER}"
            for c in ": ".join(filter(None, (p.source, p.table, p.column)))
        )
        chance = f", {p.expected:.1f} expected by chance" if p.expected else ""
        lines.append(f"{place}: {p.name}: not so in {p.broken} of {p.cells} cells{chance}")
    more = f"\n… and {len(broken) - 10} more" if len(broken) > 10 else ""
    return "doesn't keep its promises:\n" + "\n".join(lines) + more


def _file_of(source: str, files: Collection[str]) -> str | None:
    """The file that a table is in, by its own name or that of an archive's member; None for one that has no output."""
    parts = source.split("!")
    return next((file for n in range(len(parts), 0, -1) if (file := "!".join(parts[:n])) in files), None)


class _TableChange:
    """One table on its way from file to file."""

    def __init__(
        self,
        masker: TableMasker,
        info: TableInfo,
        shown: TableInfo,
        again: Callable[[], Iterator[Batch]],
        progress: Progress | None,
        watch: Watch | None,
        comparison: Comparison | None,
        pool: Executor | None,
    ) -> None:
        self.masker = masker
        self.watch = watch
        self._comparison = comparison
        self._figures: TableFigures | None = None
        self.info = info
        self.shown = shown
        self._again = again
        self._progress = progress
        self._pool = pool
        self._seen: Callable[[], None] = lambda: None
        self._rows = 0
        self._is_ready = not masker.whole_columns

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(field, origin, same) for origin, field, same in self.masker.fields(self.shown.fields))

    def apply(self, batch: Batch) -> Changed:
        if not self._is_ready:
            self._see_all()
        masked = self.masker.apply(batch.frame, self._rows, self._pool)
        if self._comparison:
            self._comparison.see(batch.frame, masked.columns, masked.kept, self._rows, self._pool)
        self._rows += len(batch.frame)
        if self.watch:
            self._seen()  # one look at a time, while the batch is written and the next one is read
            self._seen = self.watch.see(batch.frame, masked.columns, masked.kept, self._pool)
        if self._progress:
            self._progress(self.info.source, self._rows)
        kept = masked.kept
        out = [
            (cells if kept is None else cells.filter(kept)).alias(str(place))
            for place, column in enumerate(self.columns)
            if not column.same
            for cells in [masked.columns[column.origin]]
        ]
        return Changed(pl.DataFrame(out), kept)

    def settle(self) -> None:
        """All of the table has been masked: end the last look, and keep no more of it than its promises and a report
        need."""
        self._seen()
        self._seen = lambda: None
        if self.watch:
            self.watch.settle()
        self.figures()

    def figures(self) -> TableFigures | None:
        """What a report tells of the table, which has been masked to its end; nothing else is kept then."""
        if self._comparison:
            self._figures, self._comparison = of_table(self._comparison), None
        return self._figures

    def _see_all(self) -> None:
        """Reads the table once more, for operators that need a whole column."""
        parts = [self.masker.looked_at(batch.frame) for batch in self._again()]
        if parts:
            self.masker.see(pl.concat(parts))
        self._is_ready = True


def _again(info: TableInfo, read: ReadOptions) -> Iterator[Batch]:
    for table in inputs.discover([info.path or info.source], read):
        if not isinstance(table, (NotScanned, Skipped, InName)) and (table.info.source, table.info.table) == (
            info.source,
            info.table,
        ):
            return table.batches()
    raise UsageError(f"{info.source}: it can't be read a second time, which an operator of the plan needs")
