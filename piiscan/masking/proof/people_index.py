"""Looks cells up among the fingerprints of `PeoplePrints`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.known.fingerprint_index import FingerprintIndex
from piiscan.masking.proof import cut_cells, moved_dates
from piiscan.masking.proof.chance import Candidates, Chance
from piiscan.masking.proof.columns_together import Cells, ColumnsTogether
from piiscan.masking.proof.cut_cells import Cut, Numbers, Pairs, Windows
from piiscan.masking.proof.number_shapes import MIXED_NUMBER, are_unique, in_table, may_be_phones
from piiscan.masking.proof.print_sets import paired
from piiscan.masking.proof.printer import COMPACT_DAY, DAY, PHONE, Printer, Prints, Rows
from piiscan.masking.proof.written_days import WrittenDays

TOGETHER: Final = 1 << 15
"""Cells that are looked up together, at most."""
_TRIES: Final = 3
"""Words of other made-up names that each word beside one is put together with."""
_MORE_TRIES: Final = 1024
_PAIRS: Final = 1 << 19
"""In a column where a full name of somebody was found: so many, but no more than so many pairs in all."""
BYTES: Final = 1 << 20
"""The same in bytes of texts, about: their words and windows take many times their room."""


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
    more: tuple[int, int] = (0, 0)

    def moved(self, first: int) -> Found:
        """The same for rows that begin at `first`."""
        rows, prints = self.phrases
        return self._replace(own=self.own + first, everywhere=self.everywhere + first, phrases=(rows + first, prints))


class PeopleIndex:
    """Looks cells up. It can be pickled, for other processes.

    `values` of any own value, `everywhere` the global ones, `masks` those of masks, `mask_words` of the words of
    made-up names. `shares`: how likely a number of so many characters and digits is somebody's. `swapped`: see
    `MovedDates.share`; `of_others`: how likely an own value of somebody is one of another key's, on average. `phones`:
    how likely eight digits are the last of somebody's telephone number.
    """

    def __init__(
        self,
        printer: Printer,
        own: tuple[Prints, Prints, Prints],
        everywhere: Prints,
        masks: Prints,
        mask_words: Prints,
        names: Prints,
        mask_names: Prints,
        of_others: float,
        swapped: float,
        phones: float,
        shapes: NDArray[np.float64],
        executor: Executor | None,
    ) -> None:
        self._printer, self._written_days = printer, WrittenDays(printer)
        self.of_others, self.swapped, self.phones = of_others, swapped, phones
        each = map if executor is None else executor.map
        self.values, self._pairs, self._shared_keys, self.everywhere, self.masks, self.mask_words, self.names = each(
            lambda prints: FingerprintIndex([prints]), (*own, everywhere, masks, mask_words, names)
        )
        self._has_shared_keys = len(own[2]) > 0
        size, digits = np.indices(shapes.shape)
        self.shares = shapes / (10.0**digits * 26.0 ** np.maximum(size - digits, 0))
        self.shared_names = float(self.everywhere.has(mask_names).sum()) / max(1, len(mask_names))

    def telling(self, key: Prints) -> Prints:
        """The keys of rows, 0 for one that identifies no one: rows of one study have no person in common."""
        if not self._has_shared_keys:
            return key
        return np.where(self._shared_keys.has(key), np.uint64(0), key)

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
        all_of = ColumnsTogether(columns)
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
        rows, prints = _concatenated(own)
        at = np.flatnonzero(self.values.has(prints))
        likely = rows[at], prints[at]
        met = np.bincount(all_of.column[likely[0]], minlength=len(columns))
        at = np.flatnonzero(~self.mask_words.has(likely[1]))
        strange = likely[0][at], likely[1][at]
        hit = all_of.bounds(self._rows(likely, all_of.keys))
        strangers = all_of.bounds(self._rows(strange, all_of.keys))
        others = [all_of.bounds(self._rows(likely, other)) for other in all_of.others]
        phones = list(self._phones_in(found, numbers))
        global_rows = self._everywhere(all_of.texts, numbers, phones, windows, all_of.names)
        named = all_of.in_order(_full_names(windows, all_of.names, self, small=False))
        everywhere = all_of.bounds(self._beyond_masks(all_of.texts, global_rows, all_of.names))
        by_chance = self._by_chance(found, numbers, phones, all_of)
        phrases = all_of.in_order(_full_names(windows, all_of.names, self, small=True))
        twice = all_of.bounds(np.unique(day_rows[moved_dates.reads_twice(day[0], day[1])]))
        out = []
        for i, column in enumerate(columns):
            of_others = [len(each.of(i)) for each in others[: len(column.others)]]
            out.append(
                Found(
                    hit.of(i),
                    len(hit.of(i)) - len(strangers.of(i)),
                    (sum(of_others) / len(of_others) if of_others else 0.0) + self.swapped * len(twice.of(i)),
                    max(0, int(met[i]) - len(hit.of(i))) * self.of_others,
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
        found = [*_full_names(windows, names, self, small=False), *_strangers([*looked, *phones], self)]
        return np.unique(np.concatenate([rows for rows, _ in found]))

    def _phones_in(self, found: Cut, numbers: Sequence[Numbers]) -> Iterator[tuple[Rows, Prints]]:
        for n in numbers:
            at = np.flatnonzero(may_be_phones(n))
            # A day that stands in thousands of notes would be somebody's number by chance.
            at = at[~cut_cells.are_days(found, n, at)]
            yield n.row[at], self._printer.numbers(PHONE, cut_cells.last_digits(found, n, at))

    def _by_chance(
        self, found: Cut, numbers: Sequence[Numbers], phones: Sequence[tuple[Rows, Prints]], all_of: ColumnsTogether
    ) -> list[Chance]:
        """How many global values chance gives in each column."""
        out = [self._made_up(cut_cells.pairs(found), all_of)]
        for n in numbers:
            shares = self.shares[in_table(n.size, n.digits)]
            likely = np.flatnonzero(are_unique(n.size, n.digits) & (shares > 0))
            out.append(Candidates(n.row[likely], n.print[likely], shares[likely]))
        out += [Candidates(rows, prints, np.full(len(rows), self.phones)) for rows, prints in phones]
        return all_of.chances(out, names=0)

    def _made_up(self, pairs: Pairs, all_of: ColumnsTogether) -> Candidates:
        """Pairs of words, one of them of a made-up name, that are no whole made-up name, but may be somebody's.

        A made-up name that is no person's in the tables (it stands for somebody who isn't in them), or beside another
        word ("George" before the word "page"), is somebody's as often as those in the tables are, or as that other word
        makes a full name with words of other made-up names.
        """
        one, two = pairs.words
        are_masks = self.mask_words.has(one), self.mask_words.has(two)
        made_up = [masks & capitals for masks, capitals in zip(are_masks, pairs.capitals, strict=True)]
        at = np.flatnonzero(made_up[0] | made_up[1])
        at = at[are_masks[0][at] | self.names.has(one[at])]
        at = at[are_masks[1][at] | self.names.has(two[at])]
        at = at[~self.masks.has(pairs.both[at])]
        likely = np.zeros(len(at))
        column = all_of.column[pairs.row[at]]
        found = np.unique(column[self.everywhere.has(pairs.both[at])])
        for here, times in [(~np.isin(column, found), _TRIES), *((column == c, _MORE_TRIES) for c in found.tolist())]:
            which = np.flatnonzero(here)
            times = max(_TRIES, min(times, len(which), _PAIRS // max(1, len(which))))
            likely[which] = self._likely(pairs, at[which], made_up, times, all_of)
        return Candidates(pairs.row[at], pairs.both[at], np.maximum(likely, self.shared_names))

    def _likely(
        self,
        pairs: Pairs,
        at: Rows,
        made_up: Sequence[NDArray[np.bool_]],
        times: int,
        all_of: ColumnsTogether,
    ) -> NDArray[np.float64]:
        """How likely each of some pairs is somebody's name, by putting its words beside those of as many others."""
        likely, tries = np.zeros(len(at)), np.zeros(len(at))
        for place, are_both in ((0, False), (0, True), (1, False), (1, True)):  # first and last names apart, mostly
            here = np.flatnonzero(made_up[place][at] & (made_up[1 - place][at] == are_both))
            words, beside = (pairs.words[i][at[here]] for i in (place, 1 - place))
            tries[here] += times
            for other in all_of.elsewhere(pairs.row[at[here]], times):
                both = cut_cells.in_order([words[other], beside] if place == 0 else [beside, words[other]])
                likely[here] += (words[other] != words) & self.everywhere.has(both) & ~self.masks.has(both)
        return likely / np.maximum(tries, 1)

    def _beyond_masks(self, cells: pl.Series, rows: Rows, names: NDArray[np.bool_]) -> Rows:
        """Of rows with global values, those with one besides codes and numbers that are masks of this run.

        A piece of a random code equals somebody's number by chance, which reveals nothing.
        """
        texts = cells.gather(rows)
        codes = cut_cells.codes(texts)
        masks = self.masks.has(self._printer.texts(codes["text"]))
        if not masks.any():
            return rows
        left = cut_cells.blanked(texts, codes.filter(pl.Series(masks, dtype=pl.Boolean)))
        found = cut_cells.cut(left, self._printer)
        numbers, windows = list(cut_cells.numbers(found, self._printer)), cut_cells.windows(found)
        return rows[self._everywhere(left, numbers, list(self._phones_in(found, numbers)), windows, names[rows])]

    def _rows(self, likely: tuple[Rows, Prints], keys: Sequence[Prints]) -> Rows:
        """The rows with a value that is known for one of their keys."""
        rows, prints = likely
        out = [np.zeros(0, dtype=np.int64)]
        for key in keys if len(rows) else ():
            whose = key[rows]
            out.append(rows[np.flatnonzero(self._pairs.has(paired(prints, whose)) & (whose != 0))])
        return np.unique(np.concatenate(out))


def _concatenated(parts: Sequence[tuple[Rows, Prints]]) -> tuple[Rows, Prints]:
    """Rows and prints of one look-up: many small ones take longer."""
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([prints for _, prints in parts])


def _strangers(looked: Sequence[tuple[Rows, Prints]], index: PeopleIndex) -> Iterator[tuple[Rows, Prints]]:
    """What is a global value, and no mask of this run."""
    if looked:
        rows, prints = _concatenated(looked)
        at = np.flatnonzero(index.everywhere.has(prints))
        at = at[~index.masks.has(prints[at])]
        yield rows[at], prints[at]


def _full_names(
    windows: Sequence[Windows], names: NDArray[np.bool_], index: PeopleIndex, small: bool
) -> Iterator[tuple[Rows, Prints]]:
    """Of runs of words in rows where `names` are looked for, in small letters or not, those that are a full name."""
    return _strangers([(w.row[at], w.print[at]) for w in windows for at in [(w.small == small) & names[w.row]]], index)
