"""Gathers what the tables of a run hold about people, in a pass before any table is written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from piiscan.core.shared_memory import SharedObject
from piiscan.core.worker_processes import Task, Turn, Turns
from piiscan.masking.known.column_forms import ColumnForms, MentionedCells, date_form, of_column, split
from piiscan.masking.known.common_words import SAMPLE, SmallWords
from piiscan.masking.known.entries import NONE, Parts
from piiscan.masking.known.fingerprint_index import GrowingSet, order_of
from piiscan.masking.known.folded_text import Flags, Hashes, Ints, paired
from piiscan.masking.known.known_values import Joins, KnownValues, has_texts, known_columns, row_tag
from piiscan.masking.known.phone_countries import with_country
from piiscan.masking.known.row_keys import JoiningKeys, key_hashes, row_hashes
from piiscan.masking.known.text_hashes import Anything, Mentioned, SeenTexts
from piiscan.masking.known.value_forms import (
    BORN,
    EMAIL,
    FULL,
    KIND_OF,
    NAME,
    NUMBER,
    PARTS,
    USERNAME,
    Forms,
)
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.plan.key_links import RANKS, rank
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

_SHARED: Final = 3.0
"""A key beside so many different people on average belongs to none of them."""
_AS_ONE: Final = (EMAIL, USERNAME, NUMBER)


_WAITING: Final = 32 << 20
"""Bytes of cells whose forms others make, at most and about."""
_CELLS: Final = (pl.Series, pl.DataFrame)


class Maker(NamedTuple):
    """Makes masks of few cells of a column, once it is known which of them texts mention.

    `of`: by rows and their values. `alike`: what columns of equal masks for equal values have in common; None where the
    row decides, too.
    """

    of: Callable[[Ints, pl.Series], pl.Series]
    alike: Hashable | None = None


class _Later(NamedTuple):
    """The filled cells of a column, and what makes masks of those that are mentioned."""

    kind: int
    action: Action
    values: pl.Series
    maker: Maker


class _Column(NamedTuple):
    """Where forms belong: the entity and rank of their column, and of each cell its row, and keys by row.

    `person`: of full names, whose they are, by row. `later`: what the masks are made of.
    """

    entity: int
    rank: int
    row: Ints
    keys: Sequence[Hashes]
    person: Hashes | None = None
    later: _Later | None = None


class _Turn(Turn[ColumnForms | MentionedCells]):
    def __init__(self, here: Callable[[], ColumnForms | MentionedCells], column: _Column, size: int) -> None:
        super().__init__(here)
        self.column, self.size = column, size


class Gathering:
    """Takes the tables of a run one after the other; `finished` gives what is known of them."""

    def __init__(self, plan: Plan, joining: JoiningKeys | None = None, texts: SeenTexts | None = None) -> None:
        """`texts`: all texts that are masked, or none; what none of them mentions isn't kept."""
        self._texts = SeenTexts() if texts is None else texts
        self._hasher = self._texts.hasher
        self._waiting, self._bytes = Turns[ColumnForms | MentionedCells](), 0
        self._seed = int(self._hasher.numbers[1] >> np.uint64(1))
        self._joins = Joins(plan, joining)
        self._spans = [s.entity for s in plan.spans]
        self._parts = Parts()
        self._words = SmallWords(self._hasher)
        self._seen = GrowingSet()
        self._alike: dict[Hashable, int] = {}
        self._mentioned: Mentioned = Anything()
        self._shared: SharedObject | None = None

    def columns(self, table: TablePlan) -> list[Action]:
        return known_columns(table, self._spans)

    def asks_for_few(self, action: Action, maker: Maker) -> bool:
        """Whether `add` does with what makes masks in place of the masks of a column.

        Names are mentioned in so many texts that nearly all of their masks are asked for, and how dates are written may
        take all of them to tell.
        """
        kind = KIND_OF[action.entity or ""]
        if isinstance(self._texts.mentioned()[0], Anything) or kind in (*PARTS, NAME):
            return False
        if kind == BORN:
            return bool(date_form(action)) or (action.operator == DateShift.name and action.dtype != "string")
        return kind not in _AS_ONE or maker.alike is not None

    def add(
        self,
        table: TablePlan,
        frame: pl.DataFrame,
        masks: Mapping[int, pl.Series],
        first: int,
        countries: Mapping[int, pl.Series],
        makers: Mapping[int, Maker] = {},
    ) -> None:
        """Add rows of a table, with the plan's columns, from row `first` on, and the masks of some columns.

        The columns are those that `columns` names (without a mask, nothing replaces the value). `countries`: by column
        of telephones, the country of each cell. `makers`: by column that `asks_for_few` masks, what makes them.
        """
        self._mentioned, self._shared = self._texts.mentioned()
        rows = _Rows(frame, table, masks, self.columns(table))
        numbers = row_hashes(row_tag(table), range(first, first + len(frame)), self._seed)
        offered = self._joins.offered(table)
        cells = {place: key_hashes(frame[str(place)], "", self._seed) for place, _ in offered}
        of_one = {place for place, keys in cells.items() if not rows.shares(keys)}
        offered = [by for by in offered if by[0] in of_one]
        joined = dict(zip(offered, self._joins.joining.hashes(frame, offered, numbers, self._seed), strict=True))
        keys = list(joined.values())
        if has_texts(table):
            self._look_at_words(table, frame, first)
        if has_texts(table) and self.columns(table):
            asked = [joined[by] for by in self._joins.requested(table) if by in joined]
            keys.append(self._keys_of_rows(table, numbers, asked))
        person = np.zeros(len(frame), dtype=np.uint64)
        for each in reversed(keys):
            person = np.where(each != 0, each, person)
        for action in self.columns(table):
            entity = self._entity(action.entity or "")
            rank = _rank(action, table)
            for row, values, given in rows.of(action):
                if action.index in countries:
                    values, given = with_country(action, countries[action.index].gather(row), (values, given))
                self._add_column(action, entity, rank, row, values, given, keys, makers.get(action.index))
        for subject in _named(table, self.columns(table)):
            self._add_full_names(table, subject, rows, keys, person)

    def finished(self) -> KnownValues:
        self._take(0)
        return KnownValues(self._hasher, self._seed, self._joins, self._parts, self._words)

    def _keys_of_rows(self, table: TablePlan, rows: Hashes, asked: Sequence[Hashes]) -> Hashes:
        """Make a key for each row that none of the `asked` columns gives one to.

        Its text is looked up by that key. Only such rows get one: otherwise a million notes about a few people would
        take the memory of a million people.
        """
        without = np.flatnonzero(~np.any([key != 0 for key in asked], axis=0)) if asked else np.arange(len(rows))
        out = np.zeros(len(rows), dtype=np.uint64)
        if len(without):
            self._parts.seen.add(row_tag(table))
            out[without] = rows[without]
        return out

    def _look_at_words(self, table: TablePlan, frame: pl.DataFrame, first: int) -> None:
        """Words in small letters, of the first rows."""
        frame = frame.head(max(0, SAMPLE - first))
        requested = [key_hashes(frame[str(i)], tag, self._seed) for i, tag in self._joins.requested(table)]
        rows = row_hashes(row_tag(table), range(first, first + len(frame)), self._seed)
        key = np.where(requested[0] != 0, requested[0], rows) if requested else rows
        for action in table.columns:
            cells = frame[str(action.index)]
            if action.operator == "spans" and cells.dtype == pl.String:
                has = cells.is_not_null()
                self._words.add(cells.filter(has).to_list(), key[has.to_numpy()])

    def _entity(self, name: str) -> int:
        if name not in self._parts.entities:
            self._parts.entities.append(name)
        return self._parts.entities.index(name)

    def _add_column(
        self,
        action: Action,
        entity: int,
        rank: int,
        row: Ints,
        values: pl.Series,
        masks: pl.Series,
        keys: Sequence[Hashes],
        maker: Maker | None,
    ) -> None:
        kind = KIND_OF[action.entity or ""]
        if kind in _AS_ONE:  # such as the numbers that a million rows refer to people by
            new = self._not_seen(values, masks if maker is None else maker.alike, [key[row] for key in keys])
            row, values, masks = row[new], values.filter(new), masks.filter(new)
        if maker is None:
            self._want("of_column", (kind, action, values, masks), _Column(entity, rank, row, keys))
        else:
            later = _Later(kind, action, values, maker)
            self._want("mentioned_in", (kind, action, values), _Column(entity, rank, row, keys, later=later))

    def _want(self, how: str, cells: tuple[Any, ...], column: _Column) -> None:
        """Have the forms of a column made that texts mention."""
        here = Task(f"{ColumnForms.__module__}:{how}", (self._hasher, self._mentioned, *cells))
        turn = _Turn(here.run, column, sum(int(c.estimated_size()) for c in cells if isinstance(c, _CELLS)))
        there = None if self._shared is None else here._replace(arguments=(self._hasher, self._shared, *cells))
        turn.future = self._texts.begun(here, there)
        self._waiting.add(turn)
        self._bytes += turn.size
        self._take(_WAITING if turn.future else 0)

    def _take(self, most: int) -> None:
        """Keep what is made, in the order in which it was wanted, until no more than so many bytes wait."""
        while self._waiting and (self._bytes > most or not most):
            turn = self._waiting.next()
            assert isinstance(turn, _Turn)
            if not self._waiting.settle(turn):
                turn.do()
            self._bytes -= turn.size
            made, column = turn.result(), turn.column
            self._parts.is_empty &= made.is_empty
            if made.lengths is not None:
                self._parts.numbers = np.maximum(self._parts.numbers, made.lengths)
            if isinstance(made, MentionedCells):
                made, column = self._masked(made, column)
            self._keep(made, column)
            self._parts.settle()

    def _masked(self, found: MentionedCells, column: _Column) -> tuple[ColumnForms, _Column]:
        """The forms of the cells that are mentioned, with their masks."""
        assert column.later is not None
        kind, action, values, maker = column.later
        some, row = values.gather(found.cells), column.row[found.cells]
        masks = maker.of(row, some) if len(some) else some
        return of_column(self._hasher, self._mentioned, kind, action, some, masks), column._replace(row=row)

    def _keep(self, made: ColumnForms, column: _Column) -> None:
        for found in made.forms:
            self._attach(found, column.entity, column.rank, made.which, column.row, column.keys)
            if column.person is not None and found.kind in FULL[:2]:
                spread = np.full(int(made.which.max()) + 1, NONE)
                spread[found.value] = np.arange(len(found.value))
                form = spread[made.which]
                has = form != NONE
                self._parts.person(found.hash[form[has]], column.person[column.row[has]])

    def _not_seen(self, values: pl.Series, masks: pl.Series | Hashable, keys: Sequence[Hashes]) -> Flags:
        """Which cells haven't been there yet with their mask and their row's keys.

        `masks`: or what columns with the same masks have in common.
        """
        found = values.cast(pl.String).hash(self._seed).to_numpy()
        if not isinstance(masks, pl.Series):
            which = self._alike.setdefault(masks, len(self._alike))
            found = paired(found, np.full(len(found), which, dtype=np.uint64))
        elif len(found):
            found = paired(found, masks.cast(pl.String).fill_null("\0").hash(self._seed).to_numpy())
        for key in keys:
            found = paired(found, key)
        order = order_of(found)
        ascending = found[order]
        first = order[np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])[: len(found)])]
        new = np.zeros(len(found), dtype=np.bool_)
        new[first[self._seen.add(found[first])]] = True
        return new

    def _attach(self, found: Forms, entity: int, rank: int, which: Ints, row: Ints, keys: Sequence[Hashes]) -> None:
        """Record the forms of distinct values, and for each row which value it has."""
        if not len(found.hash):
            return
        entries = self._parts.add(found, entity, rank)
        order = np.argsort(found.value, kind="stable")
        forms_of = np.bincount(found.value, minlength=int(which.max(initial=-1)) + 1)
        begin = np.cumsum(forms_of) - forms_of
        count = forms_of[which]
        at = np.repeat(begin[which] - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        form = order[at]
        rows = np.repeat(row, count)
        for key in keys:
            self._parts.pair(found.hash[form], key[rows], entries[form])

    def _add_full_names(
        self, table: TablePlan, subject: Subject, rows: _Rows, keys: Sequence[Hashes], person: Hashes
    ) -> None:
        names = rows.names(subject)
        if names is None:
            return
        frame = names.drop_nulls(["first", "last"])
        if not len(frame):
            return
        row = frame["row"].to_numpy().astype(np.int64)
        column = _Column(self._entity("PERSON"), _subject_rank(subject, table), row, keys, person)
        self._want("of_full_names", (frame.drop("row"),), column)


class _Rows:
    """Some rows of a table, with the masks of its columns."""

    def __init__(
        self, frame: pl.DataFrame, table: TablePlan, masks: Mapping[int, pl.Series], columns: Sequence[Action]
    ) -> None:
        self._frame, self._table, self._masks, self._columns = frame, table, masks, columns

    def of(self, action: Action) -> Iterable[tuple[Ints, pl.Series, pl.Series]]:
        """The filled cells of a column: their rows, values, and masks."""
        cells = _filled(self._frame[str(action.index)])
        masks = self._masks.get(action.index)
        rows = np.arange(len(cells))
        if masks is None or len(masks) != len(cells):
            masks = pl.Series([None], dtype=pl.String).new_from_index(0, len(cells)) if len(cells) else cells
        while isinstance(cells.dtype, pl.List | pl.Array):
            lengths = cells.list.len().fill_null(0) if isinstance(cells.dtype, pl.List) else None
            if lengths is None:
                cells = cells.arr.to_list()
                continue
            has = (lengths > 0).arg_true()
            same = isinstance(masks.dtype, pl.List) and bool((masks.list.len().fill_null(0) == lengths).all())
            rows = np.repeat(rows, lengths.to_numpy())
            cells = cells.gather(has).explode() if len(has) else pl.Series([], dtype=pl.String)
            if same:
                masks = masks.gather(has).explode() if len(has) else pl.Series([], dtype=pl.String)
            else:
                masks = pl.Series([None] * len(cells), dtype=pl.String)
        present = _filled(cells).is_not_null()
        yield rows[present.to_numpy()], cells.filter(present), masks.filter(present)

    def shares(self, key: Hashes) -> bool:
        """Whether a key occurs beside so many different values that it can't be one person's."""
        about = [a for a in self._columns if KIND_OF[a.entity or ""] in (*PARTS, NAME, BORN)]
        columns = [self._frame[str(a.index)] for a in about if not self._frame[str(a.index)].dtype.is_nested()]
        if not columns:
            return False
        frame = pl.DataFrame([c.alias(str(i)) for i, c in enumerate(columns)]).with_columns(pl.Series("key", key))
        frame = frame.filter(pl.col("key") != 0)
        keys = frame["key"].n_unique()
        return bool(keys) and len(frame.unique()) > _SHARED * keys

    def names(self, subject: Subject) -> pl.DataFrame | None:
        """`row`, `first`, `last` and the masks of both, of a subject whose names stand in columns."""
        by_index = {a.index: a for a in self._columns if not self._frame[str(a.index)].dtype.is_nested()}

        def column(i: int) -> tuple[pl.Series, pl.Series]:
            cells = _filled(self._frame[str(i)]).cast(pl.String)
            masks = self._masks.get(i)
            return cells, (pl.Series([None] * len(cells), dtype=pl.String) if masks is None else masks.cast(pl.String))

        if subject.first_name in by_index and subject.last_name in by_index:
            (first, first_mask), (last, last_mask) = column(subject.first_name or 0), column(subject.last_name or 0)
        elif subject.full_name in by_index:
            action = by_index[subject.full_name or 0]
            cells, masks = column(action.index)
            (_, first, last), (_, first_mask, last_mask) = split(action, cells), split(action, masks)
        else:
            return None
        return pl.DataFrame(
            {"first": first, "last": last, "first mask": first_mask, "last mask": last_mask}
        ).with_row_index("row")


def _filled(cells: pl.Series) -> pl.Series:
    return cells.replace("", None) if cells.dtype == pl.String else cells


def _named(table: TablePlan, columns: Sequence[Action]) -> list[Subject]:
    """The people with a name in two columns: the table's subjects, and those of columns without a subject.

    The latter occur where names are removed.
    """
    found = list(table.subjects)
    used = {i for s in found for i in (s.first_name, s.last_name, s.full_name)}
    left = [a for a in columns if a.index not in used]
    first, last = [next((a.index for a in left if a.entity == e), None) for e in ("FIRST_NAME", "LAST_NAME")]
    if first is not None and last is not None:
        found.append(Subject("person", (), first_name=first, last_name=last))
    return found + [Subject("person", (), full_name=a.index) for a in left if a.entity == "PERSON"]


_OTHER: Final = len(RANKS)
"""Rank of a subject whose best key is none of those."""
_BY_ROLE: Final = _OTHER + 2
"""Ranks of people that a row speaks of besides its own come behind."""


def _rank(action: Action, table: TablePlan) -> int:
    subject = next((s for s in table.subjects if s.name == action.subject), None)
    return 2 * _BY_ROLE if subject is None else _subject_rank(subject, table)


def _subject_rank(subject: Subject, table: TablePlan) -> int:
    ranks = [rank(subject, part, table) for key in subject.keys for part in (key, key[:1])]
    best = min((_OTHER if r is None else r for r in ranks), default=_OTHER + 1)
    return best + (0 if subject.name in ("person", "row") else _BY_ROLE)
