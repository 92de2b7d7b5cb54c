"""One table's plan, ready to mask its batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from piiscan.core.errors import UsageError
from piiscan.core.types import DType, Field
from piiscan.masking.apply import people
from piiscan.masking.apply.distinct_values import filled, flat, on_distinct, on_elements, with_blanks
from piiscan.masking.apply.side_by_side import begun
from piiscan.masking.operators import elements, operator_registry
from piiscan.masking.operators.operator import Rows
from piiscan.masking.operators.row_filters import row_filter
from piiscan.masking.plan import group_columns, renames
from piiscan.masking.plan.make_plan import FEW, few
from piiscan.masking.plan.plan_toml import labels
from piiscan.masking.plan.plan_types import Action, Span, TablePlan

if TYPE_CHECKING:
    from piiscan.core.keys import Key, Subkey
    from piiscan.masking.apply.links import Links

WHOLE_COLUMN: Final = frozenset(("fit", "gather"))
"""Methods of operators that must see a column before they can mask a part of it."""
KEPT: Final = "kept"
"""Whether a row stays, beside the columns that `see` looks at."""
UNTOUCHED: Final = ("keep", "drop")
"""Operators that make no masks."""


class Masked(NamedTuple):
    """A batch after masking. `columns`: by index, those that the plan changes; `kept`: the rows that stay, None for
    all of them."""

    columns: dict[int, pl.Series]
    kept: pl.Series | None = None


class TableMasker:
    """Masks the batches of one table, in any order and partition, the same each time.

    `links`: which keys of subjects are of one person. Raises `UsageError` where an operator needs a key and there is
    none, and for an operator that can't hold its column.
    """

    def __init__(self, plan: TablePlan, spans: Sequence[Span], key: Key | None, links: Links | None = None) -> None:
        self.plan = plan
        self._links = links
        self.names = labels([a.name for a in plan.columns])
        self._operators: dict[int, Any] = {}
        self._dtypes: dict[int, DType] = {}
        self._keys: dict[int, Subkey | None] = {}
        self._subjects = {s.name: s for s in plan.subjects}
        self._filters = [row_filter(self._named(c)) for c in plan.drop_rows]
        self._seen: dict[int, tuple[set[Any], int]] = {}
        self._stays: dict[int, float] = {}
        for action in plan.columns:
            operator = operator_registry.make(action.operator, action.params)
            self._dtypes[action.index] = elements.dtype(operator, action.dtype)
            inside = spans if action.operator == "spans" else ()
            if key is None and (
                operator.keyed or any(operator_registry.make(s.operator, s.params).keyed for s in inside)
            ):
                raise UsageError(
                    f"{plan.source}: column {self.names[action.index]}: {action.operator} needs a key; make "
                    f"one with `piiscan key new -o key` and "
                    "name it with --key file:key, or put it into the environment variable PIISCAN_KEY"
                )
            self._operators[action.index] = operator
            self._keys[action.index] = (
                self._subkey(action, operator, key) if operator.keyed and key is not None else None
            )
            if operator.deterministic and not action.accept_frequency:
                self._seen[action.index] = set(), 0
            if action.operator == "spans":
                from piiscan.masking.apply.mask_texts import TextMasker

                self._operators[action.index] = TextMasker(spans, key, bool(action.params.get("names", True)))
        self._groups = group_columns.resolved(plan.columns, plan.source)

    def fields(self, fields: Sequence[Field]) -> list[tuple[int, Field, bool]]:
        """For each column of the output: where it comes from, what it is, whether its cells stay as they were. Raises
        `UsageError` where a column without a name is to get another one."""
        for a, field in zip(self.plan.columns, fields, strict=True):
            if a.rename and field.name is None:
                raise UsageError(
                    f"{self.plan.source}: column {self.names[a.index]} has no name in the file that rename could change"
                )
        return [
            (
                a.index,
                Field(a.rename or fields[a.index].name, self._dtypes[a.index], fields[a.index].parent),
                a.operator == "keep",
            )
            for a, _ in renames.left(self.plan.columns, self.plan.source)
        ]

    def key_of(self, index: int) -> Subkey | None:
        """The subkey of a column, for those who check its masks."""
        return self._keys[index]

    @property
    def whole_columns(self) -> tuple[int, ...]:
        """The columns that operators have to see before they can mask."""
        return tuple(i for i, o in self._operators.items() if any(hasattr(o, m) for m in WHOLE_COLUMN))

    def looked_at(self, frame: pl.DataFrame) -> pl.DataFrame:
        """What `see` needs of a batch: the columns of `whole_columns`, those of their groups, and which rows stay."""
        wanted = {*self.whole_columns, *(g for i in self.whole_columns for g in self._groups.get(i, ()))}
        kept = self._kept(frame)
        return frame.select(
            *(str(i) for i in sorted(wanted)),
            pl.lit(True).alias(KEPT) if kept is None else kept.fill_null(True).alias(KEPT),
        )

    def see(self, frame: pl.DataFrame) -> None:
        """All batches that were `looked_at`, one below the other. What stands in rows that don't stay goes into no
        other row."""
        for i in self.whole_columns:
            cells, operator = filled(frame[str(i)]), self._operators[i]
            counts = (
                cells.filter(frame[KEPT])
                .drop_nulls()
                .value_counts(sort=False)
                .rename({cells.name: "value"})
                .sort("value")
            )
            if hasattr(operator, "gather"):
                operator = operator.gather(cells, Rows(groups=self._grouped(frame, i), first=0), self._keys[i])
            else:
                operator = operator.fit(counts)
            self._operators[i] = operator
            if hasattr(operator, "stays"):
                self._stays[i] = operator.stays(counts)

    def stays(self, index: int) -> float | None:
        """The share of a column's cells that keep their value by chance; None where its operator can't tell."""
        return self._stays.get(index)

    def _grouped(self, frame: pl.DataFrame, index: int) -> pl.Series:
        """A text for the group of each row; rows that don't stay are apart."""
        cells = [filled(frame[str(i)]).cast(pl.String).fill_null("") for i in self._groups.get(index, ())]
        each = [frame[KEPT].cast(pl.String), *cells]
        return pl.DataFrame([c.alias(str(n)) for n, c in enumerate(each)]).select(
            pl.concat_str(pl.all(), separator="\x1f").alias("g")
        )["g"]

    def apply(self, frame: pl.DataFrame, first: int | None, pool: Executor | None = None) -> Masked:
        """The masks of a batch: `frame` has the columns of the plan, "0", "1", …; `first` is the number of its first
        row. Columns are masked side by side in `pool`; the masks are the same with any."""
        actions = [a for a in self.plan.columns if a.operator not in UNTOUCHED]
        about: dict[str, Rows] = {}

        def column(action: Action) -> Callable[[], pl.Series]:
            return begun(pool, lambda: self._column(action, frame, about, first))

        # The longest work begins first: texts, and then what others wait for.
        made = {a.index: column(a) for a in actions if a.operator == "spans"}
        subjects = {
            n: begun(pool, partial(self._about, frame, n, first))
            for n in sorted({a.subject for a in self.plan.columns if a.subject})
        }
        made |= {a.index: column(a) for a in actions if not a.subject and a.index not in made}
        about |= {name: rows() for name, rows in subjects.items()}
        made |= {a.index: column(a) for a in actions if a.index not in made}
        columns = {i: made[i]() for i in sorted(made)}
        for i in self._seen.keys() & columns.keys():
            self._count(i, filled(flat(columns[i])))
        return Masked(columns, self._kept(frame))

    def _column(self, action: Action, frame: pl.DataFrame, about: Mapping[str, Rows], first: int | None) -> pl.Series:
        given = frame[str(action.index)]
        if isinstance(given.dtype, pl.List | pl.Array) and action.operator not in elements.AS_A_WHOLE:
            if action.subject:
                raise UsageError(
                    f"{self.plan.source}: column {self.names[action.index]}: a list may be of several people; "
                    f"leave out its subject"
                )
            return on_elements(given, lambda cells: self._masks(action, cells, about, None))
        return self._masks(action, given, about, first)

    def _masks(self, action: Action, given: pl.Series, about: Mapping[str, Rows], first: int | None) -> pl.Series:
        operator, key, cells = self._operators[action.index], self._keys[action.index], filled(given)
        if hasattr(operator, "mask_rows") and (action.subject or set(operator.wants) - {"subjects"}):
            masks = operator.mask_rows(
                cells, about[action.subject] if action.subject else self._alone(cells, first), key
            )
        elif hasattr(operator, "mask_rows"):
            masks = on_distinct(cells, lambda values: operator.mask_rows(values, self._alone(values, None), key))
        else:
            masks = on_distinct(cells, partial(_mask, operator, key))
        return masks if operator.promise == "empty" else with_blanks(masks, given)

    def check_frequencies(self) -> None:
        """Raises `UsageError` where a column had so few values that equal masks give them away. Called when all rows
        are masked."""
        for i, (seen, cells) in self._seen.items():
            if len(seen) <= FEW and few(len(seen), cells):
                raise UsageError(
                    f"{self.plan.source}: column {self.names[i]} has {len(seen)} different values, so equal "
                    f"masks by {self.plan.columns[i].operator} "
                    "would tell them by how often they occur; choose another operator, or set accept_frequency = true"
                )

    def _count(self, i: int, masks: pl.Series) -> None:
        seen, cells = self._seen[i]
        if len(seen) <= FEW:
            seen |= set(masks.drop_nulls().unique().head(FEW + 1).to_list())
        self._seen[i] = seen, cells + len(masks) - masks.null_count()

    def _subkey(self, action: Action, operator: Any, key: Key) -> Subkey:
        domain = key.subkey(action.domain or action.entity or "OTHER")
        if "first" in getattr(operator, "wants", ()):  # equal draws in two columns would cancel out
            return domain.derive("rows", self.plan.table or "", self.names[action.index])
        return domain

    def _about(self, frame: pl.DataFrame, name: str, first: int | None) -> Rows:
        subject = self._subjects[name]
        return Rows(
            people.subjects(frame, subject, self.plan, self._links), people.genders(frame, subject), None, first
        )

    def _alone(self, cells: pl.Series, first: int | None) -> Rows:
        """Of a column that is of no subject: each value is its own."""
        from piiscan.masking.surrogates.personas import canonical

        return Rows(canonical(cells.cast(pl.String).fill_null("")), None, None, first)

    def _kept(self, frame: pl.DataFrame) -> pl.Series | None:
        if not self._filters:
            return None
        gone = [
            f.suppressed(frame.select(pl.col(str(i)).alias(name) for i, name in enumerate(self.names)))
            for f in self._filters
        ]
        return ~pl.DataFrame([g.alias(str(n)) for n, g in enumerate(gone)]).select(
            pl.any_horizontal(pl.all()).alias("gone")
        )["gone"]

    def _named(self, condition: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = [condition["column"]] if "column" in condition else condition.get("columns", [])
        for column in wanted:
            if column not in self.names:
                raise UsageError(f"{self.plan.source}: drop_rows: no column {column}")
        return condition


def _mask(operator: Any, key: Subkey | None, values: pl.Series) -> pl.Series:
    masks: pl.Series = operator.mask(values, key)
    return masks
