"""One table's plan, ready to mask its batches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import ReadError, UsageError
from piiscan.core.types import Field
from piiscan.detection.matching import files_in_cells
from piiscan.detection.matching.canonical_cells import canonical
from piiscan.masking.apply import people as rows_about
from piiscan.masking.apply import small_columns
from piiscan.masking.apply.column_masker import KEPT, ColumnMasker
from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.apply.executors import submit_or_run
from piiscan.masking.apply.masks_ahead import MaskedRows, masks_of
from piiscan.masking.known.gathering import Maker
from piiscan.masking.operators import operator_registry
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.operators.operator import RowContext
from piiscan.masking.operators.row_filters import row_filter
from piiscan.masking.plan import date_subjects, group_columns, renames
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Span, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key
    from piiscan.detection.text.analyzer import FindSpans
    from piiscan.masking.apply.repeats import Document
    from piiscan.masking.apply.subject_table import SubjectTable
    from piiscan.masking.known.folded_text import Ints
    from piiscan.masking.known.known_values import KnownValues

UNTOUCHED: Final = ("keep", "drop")
"""Operators that make no masks."""
_LEAVING: Final = ("keep", "spans")
"""Operators that leave what they don't recognise."""


class MaskedBatch(NamedTuple):
    """A batch after masking.

    `columns`: by index, those that the plan changes; `kept`: the rows that stay, None for all of them.
    """

    columns: dict[int, pl.Series]
    kept: pl.Series | None = None


class TableMasker:
    """Masks the batches of one table, in any order and partition, the same each time. `columns`: by index.

    `people`: the subject table, None where each row speaks for itself; `known`: what is looked for in texts. Raises
    `UsageError` where an operator needs a key and there is none, and for an operator that can't hold its column.
    """

    def __init__(
        self,
        plan: TablePlan,
        spans: Sequence[Span],
        key: Key | None,
        people: SubjectTable | None = None,
        known: KnownValues | None = None,
        ahead: Sequence[MaskedRows] = (),
        batch: FindSpans | None = None,
        document: Document | None = None,
    ) -> None:
        """`ahead`: rows of which some masks are made already. `batch`: finds spans as `Analyzer.batch` does.

        `document`: that whose lines the rows are; batches of it have to come in order.
        """
        self.plan = plan
        self._known, self._ahead = known, ahead
        self.names = labels([a.name for a in plan.columns])
        self._people, self._spans = people, spans
        self._subjects = {s.name: s for s in plan.subjects}
        self._filters = [row_filter(self._with_known_columns(condition)) for condition in plan.drop_rows]
        self.columns = {
            a.index: ColumnMasker(a, self.names[a.index], plan, spans, key, known, people, batch, document)
            for a in plan.columns
        }
        for i, groups in group_columns.resolved(plan.columns, plan.source).items():
            self.columns[i].groups = groups
        for i, country in group_columns.countries(plan.columns, plan.source).items():
            self.columns[i].country_column = country

    def fields(self, fields: Sequence[Field]) -> list[tuple[int, Field, bool]]:
        """For each column of the output: where it comes from, what it is, whether its cells stay as they were.

        Raises `UsageError` where a column without a name is to get another one.
        """
        for a, field in zip(self.plan.columns, fields, strict=True):
            if a.rename and field.name is None:
                raise UsageError(
                    f"{self.plan.source}: column {self.names[a.index]} has no name in the file; leave out its rename"
                )
        return [
            (
                a.index,
                Field(a.rename or fields[a.index].name, self.columns[a.index].dtype, fields[a.index].parent),
                a.operator == "keep",
            )
            for a, _ in renames.left(self.plan.columns, self.plan.source)
        ]

    @property
    def keyed(self) -> bool:
        """Whether any mask depends on the key."""
        spans = any(operator_registry.operator_class(s.operator).keyed for s in self._spans)
        moves = {i for i, c in self.columns.items() if c.action.params.get("shift_days")}
        return any(
            c.operator.keyed or i in moves or (spans and c.action.operator == "spans") for i, c in self.columns.items()
        )

    @property
    def whole_columns(self) -> tuple[ColumnMasker, ...]:
        """The columns whose operators have to be fitted before they can mask."""
        return tuple(column for column in self.columns.values() if column.needs_fitting)

    def inspect_columns(self, frame: pl.DataFrame) -> pl.DataFrame:
        """What `fit` needs of a batch: `whole_columns`, the columns of their groups, and which rows stay."""
        needed = {i for column in self.whole_columns for i in (column.index, *column.groups)}
        kept = self.kept_rows(frame)
        return frame.select(
            *(str(i) for i in sorted(needed)),
            pl.lit(True).alias(KEPT) if kept is None else kept.fill_null(True).alias(KEPT),
        )

    def fit(self, frame: pl.DataFrame) -> None:
        """Fit the operators that need it on what `inspect_columns` picked of all batches, one below the other."""
        for column in self.whole_columns:
            column.fit(frame)

    def apply(self, frame: pl.DataFrame, first: int | None, executor: Executor | None = None) -> MaskedBatch:
        """Mask a batch. The masks are the same with any `executor`.

        `frame` has the columns of the plan, "0", "1", …; `first` is the number of its first row. Columns are masked in
        parallel in `executor`. Raises `ReadError` where cells that would stay hold files, unless a human decided so.
        """
        self._demand_no_files(frame)
        masks, about = self._masks(self.columns.values(), frame, first, executor)
        self._count(masks, frame, about)
        return MaskedBatch(masks, self.kept_rows(frame))

    def _demand_no_files(self, frame: pl.DataFrame) -> None:
        for group in small_columns.groups(self._texts_that_stay(frame)):
            if not files_in_cells.count(small_columns.stacked([texts for _, texts in group])):
                continue
            index, found = next((i, kinds) for i, texts in group if (kinds := files_in_cells.count(texts)))
            raise ReadError(
                f"column {self.names[index]}: {files_in_cells.reason(found)} (operator suppress or drop), or keep "
                'it knowingly (decided_by = "human")'
            )

    def _texts_that_stay(self, frame: pl.DataFrame) -> Iterator[tuple[int, pl.Series]]:
        """The texts of columns, by index, that no human decided to leave."""
        for index, column in self.columns.items():
            action = column.action
            if action.operator in _LEAVING and action.decided_by != "human":
                cells = flat(frame[str(index)])
                if cells.dtype in (pl.String, pl.Binary):
                    yield index, canonical(cells).text

    def see(self, frame: pl.DataFrame, masks: Mapping[int, pl.Series], first: int | None) -> None:
        """Count the masks of a batch, by index, that were made earlier, as `apply` counts its own."""
        names = {c.action.subject for i, c in self.columns.items() if i in masks and c.action.operator != "spans"}
        self._count(masks, frame, {name: self._about(frame, name, first) for name in sorted(filter(None, names))})

    def _count(self, masks: Mapping[int, pl.Series], frame: pl.DataFrame, about: Mapping[str, RowContext]) -> None:
        for i, masked in masks.items():
            rows = about.get(self.columns[i].action.subject or "")
            self.columns[i].count_frequencies(masked, frame[str(i)], rows.subjects if rows else None)

    def masks(
        self, columns: Collection[int], frame: pl.DataFrame, first: int | None, executor: Executor | None = None
    ) -> dict[int, pl.Series]:
        """The masks of some columns alone, by index; none of those whose masks are other cells of the column.

        Fitted operators have to be fitted.
        """
        chosen = [c for i, c in self.columns.items() if i in columns and c.operator.fitted_on != "column"]
        return self._masks(chosen, frame, first, executor)[0]

    def maker(self, index: int, frame: pl.DataFrame, first: int) -> Maker | None:
        """What makes masks of few cells of a column in some rows, from row `first` on.

        None where a cell can't be masked by itself, or where that takes as long as all of them.
        """
        column, is_list = self.columns[index], isinstance(frame[str(index)].dtype, pl.List | pl.Array)
        if column.action.operator in UNTOUCHED:
            return None
        if column.goes_by_value:
            return Maker(
                lambda _, values: column.mask_values(values.cast(pl.String) if is_list else values), column.alike
            )
        if isinstance(column.operator, DateShift) and column.action.subject and not is_list:
            return Maker(partial(self._dates_of_rows, column, column.action.subject, frame, first))
        return None

    def _dates_of_rows(
        self, column: ColumnMasker, subject: str, frame: pl.DataFrame, first: int, row: Ints, _: pl.Series
    ) -> pl.Series:
        some = frame[row]
        about = self._with_rows_of_nobody(self._about(some, subject, None), pl.Series(first + row))
        return column.mask(some[str(column.index)], about, None)

    def _masks(
        self, columns: Iterable[ColumnMasker], frame: pl.DataFrame, first: int | None, executor: Executor | None
    ) -> tuple[dict[int, pl.Series], dict[str, RowContext]]:
        ready = masks_of(self._ahead, frame, first)
        changing = [c for c in columns if c.action.operator not in UNTOUCHED]
        about: dict[str, RowContext] = {}

        def submit(column: ColumnMasker) -> Callable[[], pl.Series]:
            if column.index in ready:
                return partial(ready.__getitem__, column.index)
            if column.goes_by_country:
                return submit_or_run(executor, partial(column.mask_by_country, frame[str(column.index)], frame))
            rows = self._rows_of(column, about, frame[str(column.index)])
            return submit_or_run(executor, partial(column.mask, frame[str(column.index)], rows, first))

        # The longest work begins first: texts, and then what others wait for.
        made = self._submit_texts(changing, about, frame, first, executor)
        asking = [c for c in changing if c.index not in made and (c.index not in ready or c.counts_subjects)]
        subjects = {
            name: submit_or_run(executor, partial(self._about, frame, name, first))
            for name in sorted({c.action.subject for c in asking if c.action.subject} - about.keys())
        }
        made |= {c.index: submit(c) for c in changing if not c.action.subject and c.index not in made}
        about |= {name: rows() for name, rows in subjects.items()}
        made |= {c.index: submit(c) for c in changing if c.index not in made}
        return {i: made[i]() for i in sorted(made)}, about

    def _rows_of(self, column: ColumnMasker, about: Mapping[str, RowContext], cells: pl.Series) -> RowContext | None:
        """What surrounds a column's cells; None for one of no subject."""
        name = column.action.subject
        if not name:
            return None
        if column.action.params.get("short"):
            subject, entity = self._subjects[name], column.action.entity
            return rows_about.about_addresses(about[name], cells, entity, subject, self._people)
        return self._with_rows_of_nobody(about[name]) if isinstance(column.operator, DateShift) else about[name]

    def _submit_texts(
        self,
        changing: Sequence[ColumnMasker],
        about: dict[str, RowContext],
        frame: pl.DataFrame,
        first: int | None,
        executor: Executor | None,
    ) -> dict[int, Callable[[], pl.Series]]:
        """`about`: gets the subjects of texts."""
        texts = [c for c in changing if c.action.operator == "spans"]
        keys = self._known.keys(frame, self.plan, first) if self._known and texts else []
        for name in sorted({c.action.subject for c in texts if c.action.subject}):
            about[name] = self._about(frame, name, first)
        whose = {name: self._with_rows_of_nobody(rows).subjects for name, rows in about.items()}
        return {
            c.index: submit_or_run(
                executor, partial(c.mask_texts, frame[str(c.index)], keys, whose.get(c.action.subject or ""), executor)
            )
            for c in texts
        }

    def finish(self) -> None:
        """Release what is known of people, which takes more memory than all else: all rows have been masked."""
        self._known, self._ahead = None, ()
        for column in self.columns.values():
            column.finish()

    def check_frequencies(self) -> None:
        """Raises `UsageError` where a column had so few values that equal masks would reveal them.

        Called when all rows are masked.
        """
        for column in self.columns.values():
            column.check_frequencies()

    def _about(self, frame: pl.DataFrame, name: str, first: int | None) -> RowContext:
        return rows_about.about(frame, self._subjects[name], self.plan, self._people, first)

    def whose_dates(self, index: int, frame: pl.DataFrame, first: int) -> pl.Series:
        """Return a text for the person to whom each date of a column belongs.

        It is the column's subject, without what a vault remembers; else the first subject of the row, and else the row
        itself.
        """
        action, none = self.plan.columns[index], pl.Series([""], dtype=pl.String).new_from_index(0, len(frame))
        if action.subject:
            whose = rows_about.subjects(frame, self._subjects[action.subject], self.plan)
        else:
            told = next((a for a in self.plan.columns if a.entity in date_subjects.TELLING), None)
            whose = none if told is None else frame[str(told.index)].cast(pl.String).fill_null("")
        found = self._with_rows_of_nobody(RowContext(whose, None, None, first)).subjects
        assert found is not None
        return found

    def whose_names(self, subject: str, frame: pl.DataFrame, first: int) -> pl.Series:
        """Return a text for the person of that subject in each row, and one for each row without a known person."""
        whose = rows_about.subjects(frame, self._subjects[subject], self.plan)
        rows = pl.int_range(first, first + len(frame), eager=True).cast(pl.String)
        return whose.zip_with(whose != "", rows)

    def _with_rows_of_nobody(self, rows: RowContext, numbers: pl.Series | None = None) -> RowContext:
        """Give each row without a known person a subject of its own, where row numbers are known.

        Otherwise one known date would reveal the offset of all these rows. `numbers`: those of the rows, where they
        don't follow each other.
        """
        subjects = rows.subjects
        assert subjects is not None
        if rows.first is not None:
            numbers = pl.int_range(rows.first, rows.first + len(subjects), dtype=pl.Int64, eager=True)
        if numbers is None or not (nobody := subjects == "").any():
            return rows
        own = f"\x1frow\x1f{self.plan.source}\x1f{self.plan.table or ''}\x1f" + numbers.cast(pl.String)
        return rows._replace(subjects=own.zip_with(nobody, subjects))

    def kept_rows(self, frame: pl.DataFrame) -> pl.Series | None:
        """Which rows of a batch the plan leaves; None for all of them."""
        if not self._filters:
            return None
        gone = [
            f.suppressed(frame.select(pl.col(str(i)).alias(name) for i, name in enumerate(self.names)))
            for f in self._filters
        ]
        return ~pl.DataFrame([g.alias(str(n)) for n, g in enumerate(gone)]).select(
            pl.any_horizontal(pl.all()).alias("gone")
        )["gone"]

    def _with_known_columns(self, condition: Mapping[str, Any]) -> Mapping[str, Any]:
        named = [condition["column"]] if "column" in condition else condition.get("columns", [])
        for column in named:
            if column not in self.names:
                raise UsageError(f"{self.plan.source}: drop_rows: no column {column}")
        return condition
