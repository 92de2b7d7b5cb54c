"""One column's plan, ready to mask its cells."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.types import DType
from piiscan.masking.apply.distinct_values import elements_of, filled, flat, on_distinct, on_elements, with_blanks
from piiscan.masking.apply.people import about_cells
from piiscan.masking.apply.telephone_countries import goes_by_person, national
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.operators.date_shift import DATES_DOMAIN
from piiscan.masking.operators.operator import Operator, RowContext
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.plan.frequencies import FEW, few
from piiscan.masking.plan.plan_types import Action, Span, TablePlan

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from piiscan.core.keys import Key, Subkey
    from piiscan.detection.text.analyzer import FindSpans
    from piiscan.masking.apply.repeats import Document
    from piiscan.masking.apply.subject_table import SubjectTable
    from piiscan.masking.known.folded_text import Hashes
    from piiscan.masking.known.known_values import KnownValues

KEPT: Final = "kept"
"""The column of `TableMasker.inspect_columns` that says which rows stay."""


class ColumnMasker:
    """One column of a table's plan: its operator, its key, and what is checked of its masks.

    `label`: what messages call it. `dtype`: the type of its masks. `key`: its subkey, None where its operator needs
    none. `groups`: the columns, by index, whose cells make the groups that the operator goes by; `country_column`: the
    one that tells each row's country, None for none. `share_that_stays`: of its cells so many are expected to keep
    their value by chance; None where the operator can't tell, or isn't fitted. `document`: as `TableMasker` has it.

    Raises `UsageError` where the operator can't hold the column, or needs a key and there is none.
    """

    def __init__(
        self,
        action: Action,
        label: str,
        table: TablePlan,
        spans: Sequence[Span],
        key: Key | None,
        known: KnownValues | None = None,
        people: SubjectTable | None = None,
        batch: FindSpans | None = None,
        document: Document | None = None,
    ) -> None:
        self.action = action
        self.label = label
        self.groups: tuple[int, ...] = ()
        self.country_column: int | None = None
        self.operator: Operator = operator_registry.make(action.operator, action.params)
        self.dtype: DType = elements.dtype(self.operator, action.dtype)
        self.key: Subkey | None = None
        self.share_that_stays: float | None = None
        self.is_fitted = False
        self.own_first: int | None = None
        """The number of the next batch's first row, where only this column's operator may know it."""
        self._people = people
        self._source = table.source if table.table is None else f"{table.source}, table {table.table}"
        self._by_subject = self.operator.subject_decides
        self._counts_frequencies = (self.operator.deterministic or self._by_subject) and not action.accept_frequency
        self._different: set[Any] = set()
        self._cells = 0
        inside = spans if action.operator == "spans" else ()
        moves = action.operator == "spans" and bool(action.params.get("shift_days"))
        if key is None and (self.operator.keyed or moves or any(_is_keyed(span) for span in inside)):
            raise UsageError(
                f"{table.source}: column {label}: {action.operator} needs a key; make one with `piiscan key new "
                "-o key` and name it with --key file:key, or put it into the environment variable PIISCAN_KEY"
            )
        if self.operator.keyed and key is not None:
            self.key = self._subkey(key, table)
        if action.operator == "spans":
            from piiscan.masking.apply.mask_texts import TextMasker

            dates = None if key is None else key.subkey(action.domain or DATES_DOMAIN)
            self.operator = TextMasker(spans, key, action.params, known, dates, batch, document)

    @property
    def index(self) -> int:
        return self.action.index

    @property
    def coincidences(self) -> int:
        """Count masks kept from earlier runs that are now the original of another person."""
        return 0 if self._people is None or self.action.params.get("kind") != "username" else self._people.coincidences

    @property
    def needs_fitting(self) -> bool:
        """Whether its operator has to see the whole column before it can mask a part of it."""
        return self.operator.needs_column(self.action.dtype)

    def fit(self, frame: pl.DataFrame) -> None:
        """Show the operator the whole column.

        `frame`: the columns that `TableMasker.inspect_columns` picks, with all rows. Values of rows that are left out
        reach no other row.
        """
        counts = self.counts(frame)
        if self.operator.fitted_on != "column":
            self.fit_counts(counts)
            return
        cells = filled(frame[str(self.index)])
        self.operator = self.operator.fit_rows(cells, RowContext(groups=self._groups(frame), first=0), self.key)
        self.share_that_stays = self.operator.stays(counts)
        self.is_fitted = True

    def counts(self, frame: pl.DataFrame) -> pl.DataFrame:
        """How often each `value` occurs, sorted, in rows that stay; `frame`: as in `fit`."""
        cells = filled(frame[str(self.index)])
        counts = cells.filter(frame[KEPT]).drop_nulls().value_counts(sort=False).rename({cells.name: "value"})
        return counts.sort("value")

    def fit_counts(self, counts: pl.DataFrame) -> None:
        """Show the operator how often each value occurs in the whole column: `counts` of all rows."""
        self.operator = self.operator.fit(counts)
        self.share_that_stays = self.operator.stays(counts)
        self.is_fitted = True

    def made_up_names(self) -> list[str]:
        """Full names made up, since the last call, for people who are mentioned in texts and are in no table."""
        if self.action.operator != "spans":
            return []
        from piiscan.masking.apply.mask_texts import TextMasker

        return self.operator.made_up_names() if isinstance(self.operator, TextMasker) else []

    def mask_texts(
        self,
        cells: pl.Series,
        keys: Sequence[Hashes],
        subjects: pl.Series | None = None,
        executor: Executor | None = None,
    ) -> pl.Series:
        """The masks of a batch's texts; `keys` identify the person of each row, `subjects` whose date offset applies.

        `executor`: that of this thread, for parts of the work.
        """
        from piiscan.masking.apply.mask_texts import TextMasker

        operator = self.operator
        assert isinstance(operator, TextMasker)
        if not isinstance(cells.dtype, pl.List | pl.Array):
            return with_blanks(operator.mask_texts(filled(cells), keys, subjects, executor), cells)
        row = elements_of(cells)
        each = [key[row] for key in keys]
        whose = None if subjects is None else subjects.gather(row)
        return on_elements(
            cells, lambda texts: with_blanks(operator.mask_texts(filled(texts), each, whose, executor), texts)
        )

    def mask_by_country(self, cells: pl.Series, frame: pl.DataFrame) -> pl.Series:
        """The masks of a batch's telephones, each in the country of its row. `frame`: the columns of the plan."""
        countries = self.countries(frame)
        assert countries is not None and isinstance(self.operator, Surrogate)
        rows = pl.DataFrame({"cell": filled(cells), "country": countries}).with_row_index("row")
        masks = pl.Series([None], dtype=cells.dtype).new_from_index(0, len(cells))
        for (country,), part in rows.group_by("country"):
            mask_in = partial(self.operator.mask_in, str(country) if country else None, key=self.key)
            masks = masks.scatter(part["row"], on_distinct(part["cell"], mask_in))
        return with_blanks(masks.alias(cells.name), cells)

    @property
    def goes_by_country(self) -> bool:
        """Whether its masks are telephone numbers of the country that the row or the person has."""
        return self.country_column is not None or self._goes_by_person

    @property
    def _goes_by_person(self) -> bool:
        return self._people is not None and goes_by_person(self.action)

    def countries(self, frame: pl.DataFrame) -> pl.Series | None:
        """Return the country of each cell (ISO 3166-1 alpha-2, or null); None where the masks don't depend on it.

        The country of the people whose number it is comes first, then that of the row.
        """
        from piiscan.masking.surrogates.countries import country_codes

        by_row = None if self.country_column is None else country_codes(frame[str(self.country_column)])
        if not self._goes_by_person:
            return by_row
        assert self._people is not None
        by_person = self._people.countries(national(frame[str(self.index)]))
        return by_person if by_row is None else by_person.zip_with(by_person.is_not_null(), by_row)

    def mask(self, cells: pl.Series, rows: RowContext | None, first: int | None) -> pl.Series:
        """The masks of a batch's cells.

        `rows`: what surrounds them, None for a column of no subject; `first`: the number of the first row, None where
        it isn't known.
        """
        if not isinstance(cells.dtype, pl.List | pl.Array) or self.operator.masks_lists:
            return self._mask(cells, rows, first if self.own_first is None else self.own_first)
        if self.action.subject:
            raise UsageError(
                f"{self._source}: column {self.label}: a list may contain values of several people; leave out its "
                "subject"
            )
        return on_elements(cells, lambda each: self._mask(each, None, None))

    @property
    def goes_by_value(self) -> bool:
        """Whether the value of a cell alone decides its mask."""
        operator = self.operator
        by_people = self.goes_by_country or (isinstance(operator, Surrogate) and operator.locales and self._people)
        return not (operator.needs or operator.masks_lists or operator.fitted_on == "column" or by_people)

    @property
    def alike(self) -> Hashable | None:
        """What columns have in common in which equal values have equal masks, and no others; None where that may be."""
        distinct = self.goes_by_value and self.operator.keeps_distinct and self.key is not None
        return (self.operator, self.key.secret) if distinct and self.key is not None else None

    def mask_values(self, values: pl.Series) -> pl.Series:
        """The masks of some values (no nulls) of a column that goes by them; of lists, of their elements (String)."""
        return self._mask(values, None, None)

    def _mask(self, given: pl.Series, rows: RowContext | None, first: int | None) -> pl.Series:
        operator, key, cells = self.operator, self.key, filled(given)
        if isinstance(operator, Surrogate) and operator.locales and self._people is not None:
            masks = on_distinct(cells, partial(self._mask_streets, operator, self._people))
        elif not operator.needs:
            masks = on_distinct(cells, lambda values: operator.mask(values, key))
        elif rows is not None:
            masks = operator.mask_rows(cells, rows, key)
        elif operator.needs == {"subjects"}:
            masks = on_distinct(
                cells, lambda values: operator.mask_rows(values, about_cells(values, operator, self._people), key)
            )
        else:
            masks = operator.mask_rows(cells, about_cells(cells, operator, self._people, first), key)
        return masks if operator.contract == "empty" else with_blanks(masks, given)

    def _mask_streets(self, operator: Surrogate, people: SubjectTable, values: pl.Series) -> pl.Series:
        """Mask each street with a street of the residents' locale."""
        return operator.mask_in_locales(people.street_locales(values), values, self.key)

    def finish(self) -> None:
        """Release what was held for masking: every cell has been masked."""
        if self.action.operator == "spans":
            from piiscan.masking.apply.mask_texts import TextMasker

            assert isinstance(self.operator, TextMasker)
            self.operator.finish()

    def count_frequencies(self, masks: pl.Series, given: pl.Series, subjects: pl.Series | None) -> None:
        """Count a batch's masks, or the subjects of its filled cells (`given`), for `check_frequencies`.

        Not thread-safe: call it from one thread at a time.
        """
        if not self._counts_frequencies:
            return
        cells = filled(flat(given if self._by_subject else masks))
        if len(self._different) <= FEW:
            own = subjects is None or not self._by_subject
            each = cells.drop_nulls() if own else subjects.filter(cells.is_not_null())  # type: ignore[union-attr]
            self._different |= set(each.unique().head(FEW + 1).to_list())
        self._cells += len(cells) - cells.null_count()

    @property
    def counts_subjects(self) -> bool:
        """Whether `count_frequencies` still needs the subjects of a batch."""
        return self._counts_frequencies and self._by_subject and len(self._different) <= FEW

    def check_frequencies(self) -> None:
        """Raises `UsageError` where the column had so few values that equal masks would reveal them.

        Called when all rows are masked.
        """
        different = len(self._different)
        if self._counts_frequencies and different <= FEW and few(different, self._cells):
            who = "1 person" if different == 1 else f"{different} different people"
            what = who if self._by_subject else f"{different} different mask{'s' * (different > 1)}"
            instead = 'set per = "row", which makes up another person for each row' if self._by_subject else ""
            raise UsageError(
                f"{self._source}: column {self.label} has only {what} by {self.action.operator}, and how often "
                f"each occurs would reveal which it is; {instead or 'choose another operator'}, or set "
                "accept_frequency = true"
            )

    def _subkey(self, key: Key, table: TablePlan) -> Subkey:
        domain = key.subkey(self.action.domain or self._own_domain())
        if "first" in self.operator.needs:  # equal draws in two columns would cancel out
            if "subjects" in self.operator.needs:  # but the columns of a person agree
                return domain.derive("rows", table.source, table.table or "", self.action.subject or f"#{self.label}")
            return domain.derive("rows", table.table or "", self.label)
        return domain

    def _own_domain(self) -> str:
        if self.action.operator == "date-shift" and self.action.subject:
            return DATES_DOMAIN
        return self.action.entity or "OTHER"

    def _groups(self, frame: pl.DataFrame) -> pl.Series:
        """A text for the group of each row; rows that don't stay are apart."""
        cells = [filled(frame[str(i)]).cast(pl.String).fill_null("") for i in self.groups]
        each = [frame[KEPT].cast(pl.String), *cells]
        return pl.DataFrame([c.alias(str(n)) for n, c in enumerate(each)]).select(
            pl.concat_str(pl.all(), separator="\x1f").alias("g")
        )["g"]


def _is_keyed(span: Span) -> bool:
    return operator_registry.make(span.operator, span.params).keyed
