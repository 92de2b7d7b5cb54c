"""The prints of the originals of one column and of its masks, for `PeoplePrints`.

They depend on the cells alone, so that any process can make them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.plan.plan_types import Action
from piiscan.masking.proof import cut_cells, moved_dates
from piiscan.masking.proof.cut_cells import LAST_DIGITS
from piiscan.masking.proof.moved_dates import MovedDates
from piiscan.masking.proof.number_shapes import MIXED_NUMBER, are_unique, in_table, shape_of
from piiscan.masking.proof.printer import COMPACT_DAY, DAY, PHONE, Printer, Prints, Rows
from piiscan.masking.surrogates.name_format import bare

NAMES: Final = frozenset(("FIRST_NAME", "LAST_NAME", "PERSON"))
NUMBERS: Final = frozenset(
    "US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD IBAN_CODE BANK_ACCOUNT MEDICAL_RECORD VEHICLE_ID DEVICE_ID "
    "PERSON_ID USERNAME".split()
)
PLACES: Final = frozenset(("CITY", "POSTAL_CODE", "BIRTHPLACE"))
LOOKED_UP: Final = NAMES | NUMBERS | PLACES | {"PHONE_NUMBER", "EMAIL_ADDRESS", "STREET_ADDRESS", "DATE_OF_BIRTH"}
_MADE_OF_NAMES: Final = ("EMAIL_ADDRESS", "USERNAME")
_PARTICLES: Final = frozenset(
    "von van der den de la le du da di del della dello dos das do lo los las el al bin ibn abu ben st santa mac mc "
    "zu zum zur af av ter ten te".split()
)
_SHORTEST_OWN: Final = 4
_THREE_WORDS: Final = r"[\p{L}\p{M}][^\p{L}\p{M}]+[\p{L}\p{M}]+[^\p{L}\p{M}]+[\p{L}\p{M}]"
_OF_A_SYLLABLE: Final = 3
"""Bytes of a character that may be a name by itself, as in Chinese; letters of alphabets have fewer."""
Kind = Literal["everywhere", "masks", "mask words", "names", "mask names", "own names"]
"""Sets of prints: global values, masks, words of masks and of names, made-up full names, and those that are the own."""


class ColumnPrints:
    """Prints of some cells and their masks.

    `rows`, `own`: rows, and the prints of own values in them. `sets`: other prints, by kind. `shapes`: of how many
    characters and digits numbers are (`in_table`); `phones`: how many telephones there were; `moved`: dates and masks.
    """

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self.rows: Rows = np.zeros(0, dtype=np.int64)
        self.own: Prints = np.zeros(0, dtype=np.uint64)
        self.sets: list[tuple[Kind, Prints]] = []
        self.shapes: list[tuple[Rows, Rows]] = []
        self.phones = 0
        self.moved = MovedDates()

    def add(self, entity: str, operator: str, before: pl.Series, after: pl.Series) -> None:
        """Cells of a column with that entity and operator, and their masks."""
        frame = pl.DataFrame({"value": before, "mask": after}).with_row_index("row")
        frame = frame.filter(pl.col("value").is_not_null() & (pl.col("value").cast(pl.String) != ""))
        once = frame.select("value", "mask").unique(maintain_order=True)
        values, masks = once["value"], cut_cells.as_read(once["mask"].cast(pl.String).fill_null(""))
        if values.dtype == pl.String:
            values = cut_cells.as_read(values)
        numbers = _Numbers(values.cast(pl.String), masks)
        self._add_global(entity, operator, values.cast(pl.String), masks, numbers)
        if operator == "persona" and entity in _MADE_OF_NAMES:
            self._add_names_within(values.cast(pl.String), masks)
        own = list(self._own(entity, values, masks, numbers))
        if own and len(once) == len(frame):
            n, self.own = np.concatenate([n for n, _ in own]), np.concatenate([p for _, p in own])
            self.rows = frame["row"].to_numpy()[n]
        elif own:
            which = frame.join(
                once.with_row_index("n"), on=["value", "mask"], how="left", nulls_equal=True, maintain_order="left"
            )
            prints = pl.DataFrame(
                {"n": np.concatenate([n for n, _ in own]), "print": np.concatenate([p for _, p in own])}
            ).with_columns(pl.col("n").cast(pl.UInt32))
            pairs = which.select("row", "n").join(prints, on="n")
            self.rows, self.own = pairs["row"].to_numpy(), pairs["print"].to_numpy()

    def add_names(self, first: tuple[pl.Series, pl.Series], last: tuple[pl.Series, pl.Series]) -> None:
        """Full names (String) whose parts stand in two columns: cells, and masks."""
        for is_mask in (False, True):
            pair = pl.DataFrame({"a": cut_cells.as_read(first[is_mask]), "b": cut_cells.as_read(last[is_mask])})
            pair = pair.drop_nulls().unique()
            for text in (pair["a"] + " " + pair["b"], pair["b"] + " " + pair["a"]):  # in either order
                prints = cut_cells.of_words(text, self._printer, 2)[1]
                self._put("masks" if is_mask else "everywhere", prints)
                if is_mask:
                    self._put("mask names", prints)

    def _put(self, kind: Kind, prints: Prints) -> None:
        self.sets.append((kind, prints))

    def _add_names_within(self, values: pl.Series, masks: pl.Series) -> None:
        """Add the runs of words that made-up names and addresses are made of, which need not be a column's masks.

        The address of a family may belong to a person who is in no row, and "Dr Anna Smith" has the full name of Anna
        Smith in it. What a mask has from its own original is left out.
        """
        (rows, prints, _), (own_rows, own, _) = (
            (np.concatenate(each) for each in zip(*cut_cells.windows(cut_cells.cut(t, self._printer)), strict=True))
            for t in (masks, values)
        )
        self._put("masks", _without(rows, prints, own_rows, own)[1])

    def _add_global(self, entity: str, operator: str, values: pl.Series, masks: pl.Series, numbers: _Numbers) -> None:
        if entity == "PERSON" and operator == "persona":
            self._put("own names", cut_cells.of_words(masks.filter(masks == values), self._printer, 2)[1])
        for texts, is_mask in ((values, False), (masks.filter(masks != values), True)):
            prints: Prints | None = None
            if entity == "PERSON":
                prints = cut_cells.of_words(texts, self._printer, 2)[1]
                if is_mask:
                    self._put("mask names", prints)
                    longer = (masks != values) & masks.str.contains(_THREE_WORDS)
                    self._add_names_within(values.filter(longer), masks.filter(longer))
            elif entity == "EMAIL_ADDRESS":
                prints = self._printer.texts(texts.str.to_lowercase().str.strip_chars())
            elif entity in NUMBERS:
                number = numbers.masks.filter(masks != values) if is_mask else numbers.values
                number = number.filter(pl.Series(are_unique(*shape_of(number)), dtype=pl.Boolean))
                prints = self._printer.texts(number)
                if not is_mask:
                    self.shapes.append(in_table(*shape_of(number)))
            elif entity == "PHONE_NUMBER":
                self.phones += 0 if is_mask else len(texts)
                digits = texts.str.replace(r"(?i)\s*(?:ext?\.?|x|#)\s*\d+\s*$", "").str.replace_all(r"\D", "")
                last = digits.filter(digits.str.len_bytes() >= LAST_DIGITS).str.tail(LAST_DIGITS)
                prints = self._printer.numbers(PHONE, last.str.to_integer(strict=False).drop_nulls().to_numpy())
            elif entity == "STREET_ADDRESS":
                whole = cut_cells.joined(texts)
                long = whole.filter(whole.str.contains(r"\d") & (whole.str.len_chars() >= 2 * MIXED_NUMBER))
                prints = self._printer.texts(long)
            if prints is not None:
                self._put("masks" if is_mask else "everywhere", prints)

    def _own(
        self, entity: str, values: pl.Series, masks: pl.Series, numbers: _Numbers
    ) -> Iterator[tuple[Rows, Prints]]:
        """Of distinct values: which of them, and a print."""
        text = values.cast(pl.String)
        if entity in NAMES:
            if entity == "PERSON":  # that somebody is called Prof. says nothing of whom a text is about
                text, masks = bare(text), bare(masks.cast(pl.String))
            (row, prints, long), (mask_row, mask_prints, _) = (_name_words(t, self._printer) for t in (text, masks))
            self._put("mask words", mask_prints)
            self._put("names", prints)
            yield _without(row[long], prints[long], mask_row, mask_prints)
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
        self.moved.add(days, new)


def of_column(printer: Printer, entity: str, operator: str, before: pl.Series, after: pl.Series) -> ColumnPrints:
    """What `ColumnPrints.add` takes, for any process."""
    made = ColumnPrints(printer)
    made.add(entity, operator, before, after)
    return made


def of_names(printer: Printer, first: tuple[pl.Series, pl.Series], last: tuple[pl.Series, pl.Series]) -> ColumnPrints:
    """What `ColumnPrints.add_names` takes, for any process."""
    made = ColumnPrints(printer)
    made.add_names(first, last)
    return made


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


def is_looked_up(action: Action) -> bool:
    """Whether the originals of a column are looked up in the output: those about people, unless they are kept."""
    return action.entity in LOOKED_UP and action.pii in ("direct", "quasi") and action.operator not in ("keep", "spans")


def _name_words(texts: pl.Series, printer: Printer) -> tuple[Rows, Prints, NDArray[np.bool_]]:
    """The words of names, but for particles and initials, and which of them are longer than a character."""
    found = cut_cells.cut(texts, printer)
    at = np.flatnonzero(~found.digits & ((found.size >= 2) | (found.bytes >= _OF_A_SYLLABLE)))
    at = at[~np.isin(found.print[at], printer.texts(pl.Series(sorted(_PARTICLES))))]
    return found.row[at], found.print[at], found.size[at] >= 2


def _without(rows: Rows, prints: Prints, mask_rows: Rows, mask_prints: Prints) -> tuple[Rows, Prints]:
    """Prints of values that their own mask doesn't have too."""
    a = pl.DataFrame({"n": rows, "p": prints}, schema={"n": pl.Int64, "p": pl.UInt64})
    b = pl.DataFrame({"n": mask_rows, "p": mask_prints}, schema={"n": pl.Int64, "p": pl.UInt64})
    left = a.join(b, on=["n", "p"], how="anti")
    return left["n"].to_numpy(), left["p"].to_numpy()
