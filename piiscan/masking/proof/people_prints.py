"""Fingerprints of the originals of masked columns, and whose each is, for a look-up of every output cell.

Two kinds. Numbers, addresses and full names are *global*: they must not occur anywhere. Parts of names, dates, streets
and short numbers are shared by many, and are *own*: a fingerprint is of the value and of a key of its row, and looked
up for the keys of the row that a cell is in. What chance gives is the same look-up under the keys of other rows.

Fingerprints are 64 bits, keyed by a seed that is forgotten with the run, and stay in memory: 8 bytes for a global one,
16 for an own one and each key of its row. Of n fingerprints a text that is none of theirs hits one with probability
n / 2⁶⁴.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from secrets import token_bytes
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.known.fingerprint_index import FingerprintIndex
from piiscan.masking.known.row_keys import JoiningKeys, row_hashes
from piiscan.masking.plan.plan_types import Action, TablePlan
from piiscan.masking.proof import cut_cells, moved_dates
from piiscan.masking.proof.chance import Candidates, Chance
from piiscan.masking.proof.columns_together import Cells, ColumnsTogether
from piiscan.masking.proof.cut_cells import LAST_DIGITS, Cut, Numbers, Windows
from piiscan.masking.proof.moved_dates import MovedDates
from piiscan.masking.proof.number_shapes import (
    LONGEST,
    MIXED_NUMBER,
    are_unique,
    in_table,
    may_be_phones,
    shape_of,
)
from piiscan.masking.proof.print_sets import DistinctPrints, KeyedPrints, paired
from piiscan.masking.proof.printer import COMPACT_DAY, DAY, PHONE, Printer, Prints, Rows
from piiscan.masking.proof.written_days import WrittenDays

NAMES: Final = frozenset(("FIRST_NAME", "LAST_NAME", "PERSON"))
NUMBERS: Final = frozenset(
    "US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD IBAN_CODE BANK_ACCOUNT MEDICAL_RECORD VEHICLE_ID DEVICE_ID "
    "PERSON_ID USERNAME".split()
)
PLACES: Final = frozenset(("CITY", "POSTAL_CODE", "BIRTHPLACE"))
LOOKED_UP: Final = NAMES | NUMBERS | PLACES | {"PHONE_NUMBER", "EMAIL_ADDRESS", "STREET_ADDRESS", "DATE_OF_BIRTH"}
_MADE_OF_NAMES: Final = ("EMAIL_ADDRESS", "USERNAME")
_SHARED: Final = 64
"""A key beside more different values than that identifies no one."""
_PARTICLES: Final = frozenset(
    "von van der den de la le du da di del dos das do el al bin ibn ben st zu zur af av ter".split()
)
_SHORTEST_OWN: Final = 4
TOGETHER: Final = 1 << 15
"""Cells that are looked up together, at most."""
BYTES: Final = 1 << 20
"""The same in bytes of texts, about: their words and windows take many times their room."""
_MANY_MADE_UP: Final = 20
"""Of so many made-up full names one may be the own one."""
_OWN_NAME: Final = 1000
"""One more in so many may: the commonest full name of a country is that of about one in ten thousand."""


class Found(NamedTuple):
    """What a look-up of some cells found.

    `own`: rows with own values, of which in `explained` all are names that are masks in this run too; `by_chance`: in
    how many rows the keys of others find something, and `at_random`: in how many rows a random key finds another
    person's. `everywhere`: rows with global values that are no mask of this run; `chance`: how many of them it
    explains; `names`: the prints of the full names among them. `phrases`: rows and prints of full names in small
    letters alone, which may be words (see `not_phrases`).
    """

    own: Rows
    explained: int
    by_chance: float
    at_random: float
    everywhere: Rows
    chance: Chance
    names: Prints
    phrases: tuple[Rows, Prints]

    def moved(self, first: int) -> Found:
        """The same for rows that begin at `first`."""
        rows, prints = self.phrases
        return self._replace(own=self.own + first, everywhere=self.everywhere + first, phrases=(rows + first, prints))


class PeoplePrints:
    """Takes originals while tables are masked, from several threads; then looks cells up."""

    def __init__(self, joining: JoiningKeys | None = None) -> None:
        self._joining = JoiningKeys() if joining is None else joining
        self._seed = int.from_bytes(token_bytes(8), "little") >> 1
        self._printer = Printer()
        self._written_days = WrittenDays(self._printer)
        self._lock = Lock()
        self._own = KeyedPrints()
        self._global, self._masks = DistinctPrints(), DistinctPrints()
        self._mask_words, self._names, self._mask_names = DistinctPrints(), DistinctPrints(), DistinctPrints()
        self._own_names = DistinctPrints()
        self._shapes = np.zeros((LONGEST + 1, LONGEST + 1))
        self._phones = 0
        self._moved = MovedDates()
        self._index: _Index | None = None

    def __bool__(self) -> bool:
        """Whether there is anything to look up."""
        return self._index is not None or bool(self._own or self._global)

    def keys(self, frame: pl.DataFrame, plan: TablePlan, first: int) -> list[Prints]:
        """By what the rows of a table are joined to others, one array for each way; 0 where a row has none."""
        rows = row_hashes(f"row {plan.source} {plan.table or ''}", range(first, first + len(frame)), self._seed)
        columns = self._joining.columns(plan)
        joined = [by for by in columns if self._joining.joins(by[1])]
        if columns and len(joined) == len(columns):
            return self._joining.hashes(frame, joined, rows, self._seed)
        return [*self._joining.hashes(frame, joined, None, self._seed), rows]

    def add(
        self, plan: TablePlan, frame: pl.DataFrame, masked: Mapping[int, pl.Series], keys: Sequence[Prints]
    ) -> None:
        """Some rows and their masks."""
        names: dict[str, tuple[pl.Series, pl.Series]] = {}
        for action in plan.columns:
            if not is_looked_up(action) or action.index not in masked:
                continue
            before, after = frame[str(action.index)], masked[action.index]
            if isinstance(before.dtype, pl.List | pl.Array):
                continue  # lists: `Originals` has their numbers
            frame_of = pl.DataFrame({"value": before, "mask": after}).with_row_index("row")
            frame_of = frame_of.filter(pl.col("value").is_not_null() & (pl.col("value").cast(pl.String) != ""))
            once = frame_of.select("value", "mask").unique(maintain_order=True).with_row_index("n")
            which = frame_of.join(once, on=["value", "mask"], how="left", nulls_equal=True, maintain_order="left")
            values, masks = once["value"], once["mask"].cast(pl.String).fill_null("")
            numbers = _Numbers(values.cast(pl.String), masks)
            self._add_global(action, values.cast(pl.String), masks, numbers)
            if action.operator == "persona" and action.entity in _MADE_OF_NAMES:
                self._add_names_within(values.cast(pl.String), masks)
            own = list(self._own_prints(action, values, masks, numbers))
            if own:
                prints = pl.DataFrame(
                    {"n": np.concatenate([n for n, _ in own]), "print": np.concatenate([p for _, p in own])}
                ).with_columns(pl.col("n").cast(pl.UInt32))
                pairs = which.select("row", "n").join(prints, on="n")
                self._add_own(pairs["row"].to_numpy(), pairs["print"].to_numpy(), keys)
            names[action.entity or ""] = before.cast(pl.String), after.cast(pl.String)
        if "FIRST_NAME" in names and "LAST_NAME" in names:
            for is_mask, first, last in zip((False, True), names["FIRST_NAME"], names["LAST_NAME"], strict=True):
                self._add_names(pl.DataFrame({"a": first, "b": last}).drop_nulls().unique(), is_mask)

    def add_made_up(self, names: pl.Series) -> None:
        """Full names (String) that were made up for people of texts who are in no table."""
        prints = cut_cells.of_words(names, self._printer, 2)[1]
        with self._lock:
            self._masks.add(prints)

    def _add_names(self, pair: pl.DataFrame, is_mask: bool) -> None:
        """Full names of two columns, in either order."""
        for text in (pair["a"] + " " + pair["b"], pair["b"] + " " + pair["a"]):
            prints = cut_cells.of_words(text, self._printer, 2)[1]
            with self._lock:
                (self._masks if is_mask else self._global).add(prints)
                if is_mask:
                    self._mask_names.add(prints)

    def _add_names_within(self, values: pl.Series, masks: pl.Series) -> None:
        """Add names that made-up addresses are made of, which need not be in a column.

        The address of a family may belong to a person who is in no row. Names that a mask has from its own original are
        left out.
        """
        (rows, prints, _), (own_rows, own, _) = (
            (np.concatenate(each) for each in zip(*cut_cells.windows(cut_cells.cut(t, self._printer)), strict=True))
            for t in (masks, values)
        )
        _, made_up = _without(rows, prints, own_rows, own)
        with self._lock:
            self._masks.add(made_up)

    def _add_own(self, rows: Rows, prints: Prints, keys: Sequence[Prints]) -> None:
        for key in keys:
            has = key[rows] != 0
            with self._lock:
                self._own.add(key[rows[has]], prints[has])

    def _add_global(self, action: Action, values: pl.Series, masks: pl.Series, numbers: _Numbers) -> None:
        entity = action.entity or ""
        if entity == "PERSON" and action.operator == "persona":
            with self._lock:
                self._own_names.add(cut_cells.of_words(masks.filter(masks == values), self._printer, 2)[1])
        for texts, keep, counts in ((values, self._global, True), (masks.filter(masks != values), self._masks, False)):
            prints: list[Prints] = []
            if entity == "PERSON":
                prints.append(cut_cells.of_words(texts, self._printer, 2)[1])
                if not counts:
                    with self._lock:
                        self._mask_names.add(prints[0])
            elif entity == "EMAIL_ADDRESS":
                prints.append(self._printer.texts(texts.str.to_lowercase().str.strip_chars()))
            elif entity in NUMBERS:
                number = numbers.values if counts else numbers.masks.filter(masks != values)
                number = number.filter(pl.Series(are_unique(*shape_of(number)), dtype=pl.Boolean))
                prints.append(self._printer.texts(number))
                if counts:
                    self._count(number)
            elif entity == "PHONE_NUMBER":
                self._phones += len(texts) * counts
                digits = texts.str.replace(r"(?i)\s*(?:ext?\.?|x|#)\s*\d+\s*$", "").str.replace_all(r"\D", "")
                last = digits.filter(digits.str.len_bytes() >= LAST_DIGITS).str.tail(LAST_DIGITS)
                last = last.str.to_integer(strict=False).drop_nulls()
                prints.append(self._printer.numbers(PHONE, last.to_numpy()))
            elif entity == "STREET_ADDRESS":
                whole = cut_cells.joined(texts)
                long = whole.filter(whole.str.contains(r"\d") & (whole.str.len_chars() >= 2 * MIXED_NUMBER))
                prints.append(self._printer.texts(long))
            with self._lock:
                for each in prints:
                    keep.add(each)

    def _count(self, numbers: pl.Series) -> None:
        with self._lock:
            np.add.at(self._shapes, in_table(*shape_of(numbers)), 1)

    def _own_prints(
        self, action: Action, values: pl.Series, masks: pl.Series, numbers: _Numbers
    ) -> Iterator[tuple[Rows, Prints]]:
        """Of distinct values: which of them, and a print."""
        entity, text = action.entity or "", values.cast(pl.String)
        if entity in NAMES:
            (row, prints), (mask_row, mask_prints) = (_name_words(t, self._printer) for t in (text, masks))
            with self._lock:
                self._mask_words.add(mask_prints)
                self._names.add(prints)
            yield _without(row, prints, mask_row, mask_prints)
        elif entity == "STREET_ADDRESS":
            road, other = (t.str.replace_all(r"[^\p{L}\s'’-]+\S*", " ") for t in (text, masks))
            rows, prints = cut_cells.of_words(road, self._printer)
            long = (road.str.count_matches(r"\p{L}") >= 2 * _SHORTEST_OWN).to_numpy()[rows]
            yield _without(rows[long], prints[long], *cut_cells.of_words(other, self._printer))
        elif entity == "DATE_OF_BIRTH":
            yield from self._dates(values, masks)
        elif entity in NUMBERS or entity in PLACES:
            number, mask = numbers.values, numbers.masks
            ok = ((number != mask) & (number.str.len_chars() >= _SHORTEST_OWN) & number.str.contains(r"\d")).to_numpy()
            at = np.flatnonzero(ok)
            yield at, self._printer.texts(number.gather(at))

    def _dates(self, values: pl.Series, masks: pl.Series) -> Iterator[tuple[Rows, Prints]]:
        days, new = moved_dates.as_days(values), moved_dates.as_days(masks)
        at = np.flatnonzero((days.is_not_null() & (days.ne_missing(new))).to_numpy())
        days, new = days.gather(at), new.gather(at)
        for form in moved_dates.COMPACT:
            text = days.dt.strftime(form)
            digits, number = text.str.len_chars().to_numpy(), text.str.to_integer(strict=False)
            yield at, self._printer.numbers(COMPACT_DAY, digits, number.fill_null(-1).to_numpy())
        parts = pl.DataFrame({"y": days.dt.year(), "m": days.dt.month(), "d": days.dt.day()})
        short = parts.with_columns(pl.col("y") % 100)
        for each, order in ((parts, "ymd"), (parts, "dmy"), (parts, "mdy"), (short, "dmy"), (short, "mdy")):
            yield at, self._printer.numbers(DAY, *(each[part].to_numpy() for part in order))
        with self._lock:
            self._moved.add(days, new)

    def _indexed(self) -> _Index:
        with self._lock:
            if self._index is None:
                own_names, made_up = self._own_names.ascending(), len(self._mask_names.ascending())
                if made_up >= _MANY_MADE_UP and len(own_names) <= 1 + made_up // _OWN_NAME:
                    self._masks.add(own_names)
                self._index = _Index(
                    self._own,
                    self._global,
                    self._masks,
                    self._mask_words,
                    self._names,
                    self._mask_names,
                    self._moved.share(),
                    self._shapes,
                )
                self._own, self._global, self._masks = KeyedPrints(), DistinctPrints(), DistinctPrints()
            return self._index

    def look_up(
        self, cells: pl.Series, keys: Sequence[Prints], others: Sequence[Sequence[Prints]], names: bool = True
    ) -> Found:
        """What `look_up_together` finds in one column, however many cells it has."""
        parts = []
        size = min(TOGETHER, 1 + len(cells) * BYTES // (1 + int(cells.str.len_bytes().sum() or 0)))
        for at in range(0, max(1, len(cells)), size):
            stop = at + size
            some = [k[at:stop] for k in keys], [[k[at:stop] for k in each] for each in others]
            parts += [each.moved(at) for each in self.look_up_together([Cells(cells[at:stop], *some, names)])]
        return Found(
            np.concatenate([p.own for p in parts]),
            sum(p.explained for p in parts),
            sum(p.by_chance for p in parts),
            sum(p.at_random for p in parts),
            np.concatenate([p.everywhere for p in parts]),
            sum((p.chance for p in parts), Chance()),
            np.concatenate([p.names for p in parts]),
            (np.concatenate([p.phrases[0] for p in parts]), np.concatenate([p.phrases[1] for p in parts])),
        )

    def are_of_anybody(self, texts: pl.Series) -> NDArray[np.bool_]:
        """Whether each of some texts has an address or number of anybody in it."""
        found = np.zeros(len(texts), dtype=np.bool_)
        found[self.look_up(texts, [], [], names=False).everywhere] = True
        return found

    def look_up_together(self, columns: Sequence[Cells]) -> list[Found]:
        """What is found in each of some columns of few cells."""
        index, all_of = self._indexed(), ColumnsTogether(columns)
        found = cut_cells.cut(all_of.texts, self._printer)
        numbers, windows = list(cut_cells.numbers(found, self._printer)), cut_cells.windows(found)
        own = [
            cut_cells.words(found),
            *((w.row, w.print) for w in windows),
            *((n.row, n.print) for n in numbers),
            *self._written_days.find(found),
        ]
        day_rows, *day = cut_cells.days(found)
        compact_rows, *compact = cut_cells.compact_days(found)
        own.append((day_rows, self._printer.numbers(DAY, *day)))
        own.append((compact_rows, self._printer.numbers(COMPACT_DAY, *compact)))
        likely = [(rows[at], prints[at]) for rows, prints in own if len(at := np.flatnonzero(index.values.has(prints)))]
        met = np.bincount(
            all_of.column[np.concatenate([r for r, _ in likely] or [day_rows[:0]])], minlength=len(columns)
        )
        strange = [
            (rows[at], prints[at])
            for rows, prints in likely
            if len(at := np.flatnonzero(~index.mask_words.has(prints)))
        ]
        hit = all_of.bounds(index.rows(likely, all_of.keys))
        strangers = all_of.bounds(index.rows(strange, all_of.keys))
        others = [all_of.bounds(index.rows(likely, other)) for other in all_of.others]
        phones = list(self._phones_in(found, numbers))
        global_rows = self._everywhere(all_of.texts, numbers, phones, windows, all_of.names)
        named = all_of.in_order(_full_names(windows, all_of.names, index, small=False))
        everywhere = all_of.bounds(self._beyond_masks(all_of.texts, global_rows, all_of.names))
        by_chance = self._by_chance(found, numbers, phones, all_of)
        phrases = all_of.in_order(_full_names(windows, all_of.names, index, small=True))
        twice = all_of.bounds(np.unique(day_rows[moved_dates.reads_twice(day[0], day[1])]))
        out = []
        for i, column in enumerate(columns):
            of_others = [len(each.of(i)) for each in others[: len(column.others)]]
            out.append(
                Found(
                    hit.of(i),
                    len(hit.of(i)) - len(strangers.of(i)),
                    (sum(of_others) / len(of_others) if of_others else 0.0) + index.swapped * len(twice.of(i)),
                    max(0, int(met[i]) - len(hit.of(i))) * index.of_others,
                    everywhere.of(i),
                    by_chance[i],
                    named[1][named[0].slice(i)],
                    (phrases[0].of(i), phrases[1][phrases[0].slice(i)]),
                )
            )
        return out

    def _everywhere(
        self,
        texts: pl.Series,
        numbers: Sequence[Numbers],
        phones: Sequence[tuple[Rows, Prints]],
        windows: Sequence[Windows],
        names: NDArray[np.bool_],
    ) -> Rows:
        """The rows with global values. `names`: whether full names are looked for in each."""
        row, address = cut_cells.addresses(texts)
        looked = [(row, self._printer.texts(address))]
        for n in numbers:
            at = np.flatnonzero(are_unique(n.size, n.digits) | (n.size >= 2 * MIXED_NUMBER))
            looked.append((n.row[at], n.print[at]))
        index = self._indexed()
        found = [*_full_names(windows, names, index, small=False), *_strangers([*looked, *phones], index)]
        return np.unique(np.concatenate([rows for rows, _ in found]))

    def _phones_in(self, found: Cut, numbers: Sequence[Numbers]) -> Iterator[tuple[Rows, Prints]]:
        for n in numbers:
            at = np.flatnonzero(may_be_phones(n))
            yield n.row[at], self._printer.numbers(PHONE, cut_cells.last_digits(found, n, at))

    def _by_chance(
        self, found: Cut, numbers: Sequence[Numbers], phones: Sequence[tuple[Rows, Prints]], all_of: ColumnsTogether
    ) -> list[Chance]:
        """How many global values chance gives in each column."""
        # A made-up name that is nobody's in the tables (it stands for somebody who isn't in them), or beside another
        # word, is somebody's by chance as often as those in the tables are.
        index, out = self._indexed(), []
        rows, one, two, both = cut_cells.pairs(found)
        made_up = index.mask_words.has(one) | index.mask_words.has(two)
        made_up &= (index.mask_words.has(one) | index.names.has(one)) & (
            index.mask_words.has(two) | index.names.has(two)
        )
        made_up &= ~index.masks.has(both)
        out.append(Candidates(rows[made_up], both[made_up], np.full(int(made_up.sum()), index.shared_names)))
        for n in numbers:
            shares = index.shares[in_table(n.size, n.digits)]
            likely = np.flatnonzero(are_unique(n.size, n.digits) & (shares > 0))
            out.append(Candidates(n.row[likely], n.print[likely], shares[likely]))
        share = self._phones / 10.0**LAST_DIGITS
        out += [Candidates(rows, prints, np.full(len(rows), share)) for rows, prints in phones]
        return all_of.chances(out, names=0)

    def _beyond_masks(self, cells: pl.Series, rows: Rows, names: NDArray[np.bool_]) -> Rows:
        """Of rows with global values, those with one besides codes and numbers that are masks of this run.

        A piece of a random code equals somebody's number by chance, which reveals nothing.
        """
        texts = cells.gather(rows)
        codes = cut_cells.codes(texts)
        masks = self._indexed().masks.has(self._printer.texts(codes["text"]))
        if not masks.any():
            return rows
        left = cut_cells.blanked(texts, codes.filter(pl.Series(masks, dtype=pl.Boolean)))
        found = cut_cells.cut(left, self._printer)
        numbers, windows = list(cut_cells.numbers(found, self._printer)), cut_cells.windows(found)
        return rows[self._everywhere(left, numbers, list(self._phones_in(found, numbers)), windows, names[rows])]


class _Numbers:
    """Distinct values and their masks as `joined`, made once they are asked for."""

    def __init__(self, values: pl.Series, masks: pl.Series) -> None:
        self._texts = values, masks

    @cached_property
    def values(self) -> pl.Series:
        return cut_cells.joined(self._texts[0])

    @cached_property
    def masks(self) -> pl.Series:
        return cut_cells.joined(self._texts[1])


def _strangers(looked: Sequence[tuple[Rows, Prints]], index: _Index) -> Iterator[tuple[Rows, Prints]]:
    """What is a global value, and no mask of this run."""
    for rows, prints in looked:
        at = np.flatnonzero(index.everywhere.has(prints))
        at = at[~index.masks.has(prints[at])]
        yield rows[at], prints[at]


def _full_names(
    windows: Sequence[Windows], names: NDArray[np.bool_], index: _Index, small: bool
) -> Iterator[tuple[Rows, Prints]]:
    """Of runs of words in rows where `names` are looked for, in small letters or not, those that are a full name."""
    return _strangers([(w.row[at], w.print[at]) for w in windows for at in [(w.small == small) & names[w.row]]], index)


class _Index:
    """Sorted prints, and pairs of print and key.

    `values` of any own value, `everywhere` the global ones, `masks` those of masks, `mask_words` of the words of
    made-up names. `shares`: how likely a number of so many characters and digits is somebody's. `swapped`: see
    `MovedDates.share`; `of_others`: how likely an own value of somebody is one of another key's, on average.
    """

    def __init__(
        self,
        own: KeyedPrints,
        everywhere: DistinctPrints,
        masks: DistinctPrints,
        mask_words: DistinctPrints,
        names: DistinctPrints,
        mask_names: DistinctPrints,
        swapped: float,
        shapes: NDArray[np.float64],
    ) -> None:
        prints, pairs = own.finished(_SHARED)
        self.of_others = len(pairs) / max(1, len(prints)) / max(1, own.keys)
        self.values, self._pairs = FingerprintIndex([prints]), FingerprintIndex([pairs])
        self.everywhere, self.masks, self.mask_words, self.names = (
            FingerprintIndex([each.ascending()]) for each in (everywhere, masks, mask_words, names)
        )
        self.swapped = swapped
        size, digits = np.indices(shapes.shape)
        self.shares = shapes / (10.0**digits * 26.0 ** np.maximum(size - digits, 0))
        made_up = mask_names.ascending()
        self.shared_names = float(self.everywhere.has(made_up).sum()) / max(1, len(made_up))

    def rows(self, likely: Sequence[tuple[Rows, Prints]], keys: Sequence[Prints]) -> Rows:
        """The rows with a value that is known for one of their keys."""
        out = [np.zeros(0, dtype=np.int64)]
        for rows, prints in likely:
            for key in keys:
                found = self._pairs.has(paired(prints, key[rows])) & (key[rows] != 0)
                out.append(rows[found])
        return np.unique(np.concatenate(out))


def is_looked_up(action: Action) -> bool:
    """Whether the originals of a column are looked up in the output: those about people, unless they are kept."""
    return action.entity in LOOKED_UP and action.pii in ("direct", "quasi") and action.operator not in ("keep", "spans")


def _name_words(texts: pl.Series, printer: Printer) -> tuple[Rows, Prints]:
    found = cut_cells.cut(texts, printer)
    at = np.flatnonzero(~found.digits & (found.size >= 2))
    at = at[~np.isin(found.print[at], printer.texts(pl.Series(sorted(_PARTICLES))))]
    return found.row[at], found.print[at]


def _without(rows: Rows, prints: Prints, mask_rows: Rows, mask_prints: Prints) -> tuple[Rows, Prints]:
    """Prints of values that their own mask doesn't have too."""
    a = pl.DataFrame({"n": rows, "p": prints}, schema={"n": pl.Int64, "p": pl.UInt64})
    b = pl.DataFrame({"n": mask_rows, "p": mask_prints}, schema={"n": pl.Int64, "p": pl.UInt64})
    left = a.join(b, on=["n", "p"], how="anti")
    return left["n"].to_numpy(), left["p"].to_numpy()
