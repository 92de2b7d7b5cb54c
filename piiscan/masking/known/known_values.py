"""The identifiers that the tables of a run hold: whose each is, and which mask its column gives it.

Gathered in a pass over all tables before any is written, and kept in memory only: of a value its hashes under random
numbers of the run, and its mask. A value is known by (value), wherever it stands, and by (value, key of a row), for
texts of rows that are joined to somebody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.known import value_forms
from piiscan.masking.known.common_words import SAMPLE, SmallWords
from piiscan.masking.known.folded_text import Flags, Hasher, Hashes, Ints, paired
from piiscan.masking.known.row_keys import KeyColumn, key_columns, key_hashes, row_hashes, tags
from piiscan.masking.known.value_forms import (
    BORN,
    EMAIL,
    FULL,
    KIND_OF,
    LAST,
    NAME,
    NUMBER,
    PARTS,
    USERNAME,
    Forms,
)
from piiscan.masking.operators import date_text
from piiscan.masking.plan.key_links import RANKS
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

_PENDING: Final = 1 << 21
_SHARED: Final = 3.0
"""A key beside so many different people on average belongs to none of them."""
_BY_CHANCE: Final = 0.01
"""Numbers of others are masked where fewer of all numbers of that length are somebody's."""
_LONGEST: Final = 32
NONE: Final = -1
_AS_ONE: Final = (EMAIL, USERNAME, NUMBER)


def known_columns(plan: TablePlan, spans: Iterable[str]) -> list[Action]:
    """The columns whose values are looked for in texts: identifiers, and what else the policy doesn't keep; of those
    that it keeps, the ones that `spans` has something for. What a person decided to keep isn't looked for."""
    spans = set(spans)
    return [
        a
        for a in plan.columns
        if a.entity in KIND_OF
        and a.pii in ("direct", "quasi")
        and (a.operator != "keep" or (a.decided_by == "policy" and a.entity in spans))
        and a.operator != "spans"
    ]


def has_texts(plan: TablePlan) -> bool:
    return any(a.operator == "spans" for a in plan.columns)


class Joins:
    """By which cells the rows of a plan's tables are joined to the people in others."""

    def __init__(self, plan: Plan) -> None:
        spans = [s.entity for s in plan.spans]
        known = [t for t in plan.tables if known_columns(t, spans)]
        offered = {tag for t in known for column in key_columns(t) for tag in tags(column)}
        self._offered = offered
        self._used = {
            tag
            for t in plan.tables
            if has_texts(t)
            for column in key_columns(t)
            for tag in [self._asked(column)]
            if tag
        }

    def _asked(self, column: KeyColumn) -> str | None:
        """By what a row with a text is joined: by a column of the same name where there is one."""
        return next((tag for tag in tags(column) if tag in self._offered), None)

    def asked(self, table: TablePlan) -> list[tuple[int, str]]:
        """Columns of a table with texts, and by what each is joined."""
        return [(c.place, tag) for c in key_columns(table) if (tag := self._asked(c))]

    def told(self, table: TablePlan) -> list[tuple[int, str]]:
        """Columns of a table of people, and by what others ask for each."""
        return [(c.place, tag) for c in key_columns(table) for tag in tags(c) if tag in self._used]


class Entries(NamedTuple):
    """What is known of each form of a value: see `Forms`. `entity`: an index of `KnownValues.entities`; `rank`: of two
    that one person has for the same value, the lower counts; `same`: equal where masks are."""

    kind: NDArray[np.uint8]
    mask: NDArray[np.int32]
    second: NDArray[np.int32]
    cut: NDArray[np.int16]
    entity: NDArray[np.int16]
    rank: NDArray[np.int16]
    same: Hashes


class KnownValues:
    """Looked up while texts are masked.

    `values`: sorted hashes, with the `kinds` that each is, as bits. `sole`: the entry of a value whose masks are equal
    whoever has it, else `NONE`. `person`: the key of the only person of that full name, else 0. `common`: it is a word,
    too. `crowded`: by how many digits, whether so many numbers are somebody's that one in a text may be anything else.
    """

    def __init__(self, hasher: Hasher, seed: int, joins: Joins, parts: _Parts, words: SmallWords) -> None:
        self.hasher, self.seed, self.joins = hasher, seed, joins
        self.entities: tuple[str, ...] = tuple(parts.entities)
        self.masks = pl.concat(parts.masks) if parts.masks else pl.Series([], dtype=pl.String)
        self.entries = Entries(*(np.concatenate(each) for each in parts.entries))
        hashes, at = parts.values()
        order = np.argsort(hashes, kind="stable")
        hashes, at = hashes[order], at[order]
        first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])) if len(hashes) else order
        self.values = hashes[first]
        bits = np.left_shift(np.uint32(1), self.entries.kind[at].astype(np.uint32))
        self.kinds = np.bitwise_or.reduceat(bits, first) if len(first) else bits
        same = self.entries.same[at]
        sole = np.minimum.reduceat(same, first) == np.maximum.reduceat(same, first) if len(first) else first == 0
        self.sole = np.where(sole, at[first], NONE)
        self.entries = self.entries._replace(same=same[:0])
        del order, bits, same
        self._pairs, self._pair_entries = parts.pairs(self.entries.rank)
        self.person = parts.persons(self.values)
        self.common = words.common(self.values, self._pairs)
        self.tables_seen = parts.seen
        self.crowded: Flags = parts.numbers.max(axis=0) > _BY_CHANCE * 10.0 ** np.arange(_LONGEST)

    def __len__(self) -> int:
        return len(self.values)

    def find(self, hashes: Hashes) -> Ints:
        """The place of each hash among `values`, `NONE` for others."""
        if not len(self.values):
            return np.full(len(hashes), NONE)
        at = np.minimum(np.searchsorted(self.values, hashes), len(self.values) - 1)
        return np.where(self.values[at] == hashes, at, NONE)

    def entry_of(self, hashes: Hashes, keys: Hashes) -> Ints:
        """The entry of each value for the row with that key, `NONE` where it is not known for it."""
        if not len(self._pairs):
            return np.full(len(hashes), NONE)
        both = paired(hashes, keys)
        at = np.minimum(np.searchsorted(self._pairs, both), len(self._pairs) - 1)
        return np.where((self._pairs[at] == both) & (keys != 0), self._pair_entries[at], NONE)

    def keys(self, frame: pl.DataFrame, table: TablePlan, first: int | None) -> list[Hashes]:
        """By what the rows of a batch are joined to people: columns of keys, 0 where there is none."""
        out = [key_hashes(frame[str(i)], tag, self.seed) for i, tag in self.joins.asked(table)]
        tag = _row_tag(table)
        if first is not None and tag in self.tables_seen:
            out.append(row_hashes(tag, range(first, first + len(frame)), self.seed))
        return out


class _Parts:
    """What is gathered, in pieces."""

    def __init__(self) -> None:
        self.entities: list[str] = []
        self.masks: list[pl.Series] = []
        self.entries: tuple[list[Any], ...] = tuple(
            [np.zeros(0, dtype=d)] for d in (np.uint8, np.int32, np.int32, np.int16, np.int16, np.int16, np.uint64)
        )
        self.size = 0
        self.mask_count = 0
        self.seen: set[str] = set()
        self.numbers = np.zeros((1, _LONGEST))
        self._hashes: list[Hashes] = [np.zeros(0, dtype=np.uint64)]
        self._pairs: list[tuple[Hashes, NDArray[np.int32]]] = []
        self._persons: list[tuple[Hashes, Hashes]] = []
        self._waiting = 0

    def add_masks(self, masks: pl.Series) -> Ints:
        """Where each mask now stands; `NONE` for one that is null."""
        at = np.arange(self.mask_count, self.mask_count + len(masks))
        self.masks.append(masks.alias("mask"))
        self.mask_count += len(masks)
        return np.where(masks.is_not_null().to_numpy(), at, NONE)

    def add(self, found: Forms, entity: int, rank: int) -> Ints:
        """The entries of some forms, by number."""
        n = len(found.hash)
        mask = self.add_masks(found.mask)
        second = np.full(n, NONE) if found.second is None else self.add_masks(found.second)
        same = found.mask.fill_null("\0").hash(5).to_numpy() if n else np.zeros(0, dtype=np.uint64)
        if found.second is not None and n:
            same = paired(same, found.second.fill_null("\0").hash(5).to_numpy())
        cut = np.zeros(n) if found.cut is None else found.cut
        fields = (np.full(n, found.kind), mask, second, cut, np.full(n, entity), np.full(n, rank), same)
        for each, new in zip(self.entries, fields, strict=True):
            each.append(new.astype(each[0].dtype))
        self._hashes.append(found.hash)
        at = np.arange(self.size, self.size + n)
        self.size += n
        return at

    def values(self) -> tuple[Hashes, Ints]:
        return np.concatenate(self._hashes), np.arange(self.size)

    def pair(self, hashes: Hashes, keys: Hashes, entries: Ints) -> None:
        has = keys != 0
        self._pairs.append((paired(hashes[has], keys[has]), entries[has].astype(np.int32)))
        self._waiting += int(has.sum())
        if self._waiting > _PENDING:
            ranks = np.concatenate(self.entries[5])
            self._pairs = [self.pairs(ranks)]
            self._waiting = 0

    def pairs(self, ranks: NDArray[np.int16]) -> tuple[Hashes, NDArray[np.int32]]:
        """Each pair once, in order, with the entry of lowest rank."""
        if not self._pairs:
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
        hashes = np.concatenate([h for h, _ in self._pairs])
        entries = np.concatenate([e for _, e in self._pairs])
        if not len(hashes):
            return hashes, entries
        best = ranks[entries].astype(np.int64) << 32 | entries
        order = np.argsort(hashes)
        hashes, best = hashes[order], best[order]
        del order
        first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        return hashes[first], (np.minimum.reduceat(best, first) & 0xFFFFFFFF).astype(np.int32)

    def person(self, hashes: Hashes, keys: Hashes) -> None:
        both = np.unique(np.stack([hashes, keys], axis=1), axis=0)
        self._persons.append((both[:, 0], both[:, 1]))

    def persons(self, values: Hashes) -> Hashes:
        """The key of the only person of a full name; 0 for others."""
        out = np.zeros(len(values), dtype=np.uint64)
        if self._persons and len(values):
            hashes = np.concatenate([h for h, _ in self._persons])
            keys = np.concatenate([k for _, k in self._persons])
            order = np.argsort(hashes, kind="stable")
            hashes, keys = hashes[order], keys[order]
            first = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
            low, high = np.minimum.reduceat(keys, first), np.maximum.reduceat(keys, first)
            at = np.searchsorted(values, hashes[first])
            out[at] = np.where(low == high, low, 0)
        return out


class Gathering:
    """Takes the tables of a run one after the other; `finished` gives what is known of them."""

    def __init__(self, plan: Plan) -> None:
        self._hasher = Hasher()
        self._seed = int(self._hasher.numbers[1] >> np.uint64(1))
        self._joins = Joins(plan)
        self._spans = [s.entity for s in plan.spans]
        self._parts = _Parts()
        self._words = SmallWords(self._hasher)
        self._seen: Hashes = np.zeros(0, dtype=np.uint64)

    def columns(self, table: TablePlan) -> list[Action]:
        return known_columns(table, self._spans)

    def add(self, table: TablePlan, frame: pl.DataFrame, masks: Mapping[int, pl.Series], first: int) -> None:
        """Some rows of a table, with the plan's columns, from row `first` on, and the masks of those that `columns`
        names (none: nothing stands in its place)."""
        keys = [key_hashes(frame[str(i)], tag, self._seed) for i, tag in self._joins.told(table)]
        rows = _Rows(frame, table, masks, self.columns(table))
        keys = [k for k in keys if not rows.shares(k)]
        if has_texts(table):
            self._look_at_words(table, frame, first)
        if has_texts(table) and self.columns(table):
            tag = _row_tag(table)
            self._parts.seen.add(tag)
            keys.append(row_hashes(tag, range(first, first + len(frame)), self._seed))
        person = np.zeros(len(frame), dtype=np.uint64)
        for each in reversed(keys):
            person = np.where(each != 0, each, person)
        for action in self.columns(table):
            entity = self._entity(action.entity or "")
            rank = _rank(action, table)
            for row, values, given in rows.of(action):
                self._add_column(action, entity, rank, row, values, given, keys)
        for subject in _named(table, self.columns(table)):
            self._add_full_names(table, subject, rows, keys, person)

    def finished(self) -> KnownValues:
        return KnownValues(self._hasher, self._seed, self._joins, self._parts, self._words)

    def _look_at_words(self, table: TablePlan, frame: pl.DataFrame, first: int) -> None:
        """Words in small letters, of the first rows."""
        frame = frame.head(max(0, SAMPLE - first))
        asked = [key_hashes(frame[str(i)], tag, self._seed) for i, tag in self._joins.asked(table)]
        rows = row_hashes(_row_tag(table), range(first, first + len(frame)), self._seed)
        key = np.where(asked[0] != 0, asked[0], rows) if asked else rows
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
    ) -> None:
        kind = KIND_OF[action.entity or ""]
        if kind in _AS_ONE:  # such as the numbers that a million rows refer to people by
            new = self._not_seen(values, masks, [key[row] for key in keys])
            row, values, masks = row[new], values.filter(new), masks.filter(new)
        which, once, made = _once(values, masks)
        if not len(once):
            return
        if kind == NUMBER:
            text = once.cast(pl.String).str.replace_all(r"[\s./-]", "")
            lengths = text.filter(text.str.contains("^[0-9]+$")).str.len_bytes().clip(upper_bound=_LONGEST - 1)
            counts = np.bincount(lengths.to_numpy(), minlength=_LONGEST)
            self._parts.numbers = np.maximum(self._parts.numbers, counts)
        for found in self._forms(kind, action, once, made):
            self._attach(found, entity, rank, which, row, keys)

    def _not_seen(self, values: pl.Series, masks: pl.Series, keys: Sequence[Hashes]) -> Flags:
        """Which cells haven't been there yet with their mask and their row's keys."""
        found = values.cast(pl.String).hash(self._seed).to_numpy()
        found = (
            paired(found, masks.cast(pl.String).fill_null("\0").hash(self._seed).to_numpy()) if len(found) else found
        )
        for key in keys:
            found = paired(found, key)
        first = np.zeros(len(found), dtype=np.bool_)
        first[np.unique(found, return_index=True)[1]] = True
        new = first & ~np.isin(found, self._seen)
        self._seen = np.sort(np.concatenate([self._seen, found[new]]))
        return new

    def _forms(self, kind: int, action: Action, values: pl.Series, masks: pl.Series) -> Iterable[Forms]:
        if kind == BORN:
            return self._births(action, values, masks)
        values, masks = values.cast(pl.String), masks.cast(pl.String)
        if kind == NAME:
            return self._names(action, values, masks)
        country = ""
        if code := action.params.get("country"):
            from piiscan.masking.surrogates import phones

            country = phones.plans()[code].code if code in phones.plans() else ""
        return value_forms.forms(kind, values, masks, self._hasher, country)

    def _names(self, action: Action, values: pl.Series, masks: pl.Series) -> Iterable[Forms]:
        """A full name as a whole, and its parts."""
        yield from value_forms.forms(NAME, values, masks, self._hasher)
        parts, made = _split(action, values), _split(action, masks)
        for kind, part in ((0, 1), (LAST, 2)):
            names, new = parts[part], made[part]
            has = names.is_not_null().arg_true()
            for found in value_forms.forms(kind, names.gather(has), new.gather(has), self._hasher):
                yield found._replace(value=has.to_numpy().astype(np.int64)[found.value])

    def _births(self, action: Action, values: pl.Series, masks: pl.Series) -> Iterable[Forms]:
        old, new = _days(action, values), _days(action, masks)
        has = old.is_not_null().arg_true().to_numpy().astype(np.int64)
        if len(has):
            hashes = value_forms.day_hashes(value_forms.ordinals(old.gather(has)), self._hasher)
            text = new.cast(pl.String).fill_null(masks.cast(pl.String))
            yield Forms(has, hashes, BORN, text.gather(has))

    def _attach(self, found: Forms, entity: int, rank: int, which: Ints, row: Ints, keys: Sequence[Hashes]) -> None:
        """Forms of distinct values, and for each row the value that it has: whose each form is."""
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
        once = frame.select("first", "last", "first mask", "last mask").unique(maintain_order=True)
        once = once.with_row_index("n")
        which = (
            frame.join(
                once,
                on=["first", "last", "first mask", "last mask"],
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )["n"]
            .to_numpy()
            .astype(np.int64)
        )
        row = frame["row"].to_numpy().astype(np.int64)
        entity, rank = self._entity("PERSON"), _subject_rank(subject, table)
        made = once["first mask"], once["last mask"]
        for found in value_forms.full_names(once["first"], once["last"], *made, self._hasher):
            self._attach(found, entity, rank, which, row, keys)
            if found.kind in FULL[:2]:
                spread = np.full(len(once), NONE)
                spread[found.value] = np.arange(len(found.value))
                form = spread[which]
                has = form != NONE
                self._parts.person(found.hash[form[has]], person[row[has]])


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
        """Whether a key stands beside so many different values that it can't be one person's."""
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
            (_, first, last), (_, first_mask, last_mask) = _split(action, cells), _split(action, masks)
        else:
            return None
        return pl.DataFrame(
            {"first": first, "last": last, "first mask": first_mask, "last mask": last_mask}
        ).with_row_index("row")


def _filled(cells: pl.Series) -> pl.Series:
    return cells.replace("", None) if cells.dtype == pl.String else cells


def _once(values: pl.Series, masks: pl.Series) -> tuple[Ints, pl.Series, pl.Series]:
    """The different values with their masks, and for each cell which of them it has."""
    frame = pl.DataFrame({"value": values, "mask": masks})
    once = frame.unique(maintain_order=True).with_row_index("n")
    which = frame.join(once, on=["value", "mask"], how="left", nulls_equal=True, maintain_order="left")["n"]
    return which.to_numpy().astype(np.int64), once["value"], once["mask"]


def _split(action: Action, names: pl.Series) -> tuple[pl.Series, pl.Series, pl.Series]:
    from piiscan.masking.surrogates import name_format

    found = name_format.split(names, str(action.params.get("look") or "First Last"))
    return found.title, found.first, found.last


def _days(action: Action, cells: pl.Series) -> pl.Series:
    """Cells as days, null for what is none."""
    if cells.dtype != pl.String:
        return (
            cells.cast(pl.Date, strict=False)
            if cells.dtype.is_temporal()
            else pl.Series([None] * len(cells), dtype=pl.Date)
        )
    form = action.params.get("date_format") or action.params.get("format")
    if not form:
        from piiscan.core.errors import UsageError

        counts = cells.drop_nulls().value_counts(sort=False)
        counts = counts.rename({counts.columns[0]: "value"}).sort("value")
        try:
            form = date_text.recognise("dates", counts, False) if len(counts) else ""
        except UsageError:
            form = ""
    if not form:
        return pl.Series([None] * len(cells), dtype=pl.Date)
    return date_text.read(cells, str(form))["date"]


def _named(table: TablePlan, columns: Sequence[Action]) -> list[Subject]:
    """Who has a name of two parts: the table's subjects, and those of columns that belong to none, as where names are
    removed."""
    found = list(table.subjects)
    used = {i for s in found for i in (s.first_name, s.last_name, s.full_name)}
    left = [a for a in columns if a.index not in used]
    first, last = [next((a.index for a in left if a.entity == e), None) for e in ("FIRST_NAME", "LAST_NAME")]
    if first is not None and last is not None:
        found.append(Subject("person", (), first_name=first, last_name=last))
    return found + [Subject("person", (), full_name=a.index) for a in left if a.entity == "PERSON"]


def _row_tag(table: TablePlan) -> str:
    return f"row {table.source} {table.table or ''}"


def _rank(action: Action, table: TablePlan) -> int:
    subject = next((s for s in table.subjects if s.name == action.subject), None)
    return 9 if subject is None else _subject_rank(subject, table)


def _subject_rank(subject: Subject, table: TablePlan) -> int:
    best = min((RANKS.get(table.columns[key[0]].entity or "", 3) for key in subject.keys), default=4)
    return best + (0 if subject.name in ("person", "row") else 4)
