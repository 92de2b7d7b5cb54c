"""Gathers what the tables of a run hold about people, in a pass before any table is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from piiscan.masking.known import value_forms
from piiscan.masking.known.common_words import SAMPLE, SmallWords
from piiscan.masking.known.entries import LONGEST, NONE, Parts
from piiscan.masking.known.folded_text import Flags, Hasher, Hashes, Ints, paired
from piiscan.masking.known.known_values import Joins, KnownValues, has_texts, known_columns, row_tag
from piiscan.masking.known.phone_countries import with_country
from piiscan.masking.known.row_keys import JoiningKeys, key_hashes, row_hashes
from piiscan.masking.known.text_hashes import TextHashes
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
    Masks,
)
from piiscan.masking.operators import date_text
from piiscan.masking.plan.key_links import RANKS, rank
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

_SHARED: Final = 3.0
"""A key beside so many different people on average belongs to none of them."""
_AS_ONE: Final = (EMAIL, USERNAME, NUMBER)


class Gathering:
    """Takes the tables of a run one after the other; `finished` gives what is known of them."""

    def __init__(self, plan: Plan, joining: JoiningKeys | None = None) -> None:
        self._hasher = Hasher()
        self._seed = int(self._hasher.numbers[1] >> np.uint64(1))
        self._joins = Joins(plan, joining)
        self._spans = [s.entity for s in plan.spans]
        self._parts = Parts()
        self._words = SmallWords(self._hasher)
        self._seen: Hashes = np.zeros(0, dtype=np.uint64)
        self._texts: TextHashes | None = None

    def see_texts(self, texts: Sequence[str]) -> None:
        """Look at some texts.

        If it is called at all, it has to see all texts that are masked before `add` is called: what none of them
        mentions isn't kept then.
        """
        if self._texts is None:
            self._texts = TextHashes(self._hasher)
        self._texts.add(texts)

    def columns(self, table: TablePlan) -> list[Action]:
        return known_columns(table, self._spans)

    def add(
        self,
        table: TablePlan,
        frame: pl.DataFrame,
        masks: Mapping[int, pl.Series],
        first: int,
        countries: Mapping[int, pl.Series],
    ) -> None:
        """Add rows of a table, with the plan's columns, from row `first` on, and the masks of some columns.

        The columns are those that `columns` names (without a mask, nothing replaces the value). `countries`: by column
        of telephones, the country of each cell.
        """
        rows = _Rows(frame, table, masks, self.columns(table))
        numbers = row_hashes(row_tag(table), range(first, first + len(frame)), self._seed)
        offered = [
            by for by in self._joins.offered(table) if not rows.shares(key_hashes(frame[str(by[0])], by[1], self._seed))
        ]
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
                self._add_column(action, entity, rank, row, values, given, keys)
        for subject in _named(table, self.columns(table)):
            self._add_full_names(table, subject, rows, keys, person)
        self._parts.settle()

    def finished(self) -> KnownValues:
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
            lengths = text.filter(text.str.contains("^[0-9]+$")).str.len_bytes().clip(upper_bound=LONGEST - 1)
            counts = np.bincount(lengths.to_numpy(), minlength=LONGEST)
            self._parts.numbers = np.maximum(self._parts.numbers, counts)
        for found in map(self._mentioned, self._forms(kind, action, once, made)):
            self._attach(found, entity, rank, which, row, keys)

    def _not_seen(self, values: pl.Series, masks: pl.Series, keys: Sequence[Hashes]) -> Flags:
        """Which cells haven't been there yet with their mask and their row's keys."""
        found = values.cast(pl.String).hash(self._seed).to_numpy()
        found = (
            paired(found, masks.cast(pl.String).fill_null("\0").hash(self._seed).to_numpy()) if len(found) else found
        )
        for key in keys:
            found = paired(found, key)
        order = np.argsort(found, kind="stable")
        ascending = found[order]
        first = np.ones(len(found), dtype=np.bool_)
        first[1:] = ascending[1:] != ascending[:-1]
        if len(self._seen):
            at = np.minimum(np.searchsorted(self._seen, ascending), len(self._seen) - 1)
            first &= self._seen[at] != ascending
        self._seen = np.sort(np.concatenate([self._seen, ascending[first]]))
        new = np.zeros(len(found), dtype=np.bool_)
        new[order[first]] = True
        return new

    def _forms(self, kind: int, action: Action, values: pl.Series, masks: pl.Series) -> Iterable[Forms]:
        if kind == BORN:
            return self._births(action, values, masks)
        values, masks = values.cast(pl.String), masks.cast(pl.String)
        if kind == NAME:
            return self._names(action, values, masks)
        country = ""
        if code := action.params.get("country"):
            from piiscan.masking.surrogates.numbering_plans import plans

            country = plans()[code].code if code in plans() else ""
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
            yield Forms(has, hashes, BORN, Masks(text, has))

    def _mentioned(self, found: Forms) -> Forms:
        """Those forms that occur in a text."""
        self._parts.is_empty &= not len(found.hash)
        return found if self._texts is None else found.among(self._texts.has(found.hash))

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
        for found in map(self._mentioned, value_forms.full_names(once["first"], once["last"], *made, self._hasher)):
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
