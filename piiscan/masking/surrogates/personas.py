"""Personas: made-up people whose names, title, user name, e-mail, gender and date of birth agree.

A persona is a pure function of (subkey, subject, gender, locale): the same subject is the same person in every table,
file, run and partition. Where a subject table tells gender and locale of each, user name and e-mail are first name and
surname in plain letters, uninflected, with digits where two would be equal. Elsewhere they come from the subject alone,
so that an e-mail without a name beside it gets the same mask as the one in the table of customers: an initial, a
surname, and 64 keyed bits. First names begin with that initial.

One PRF call a subject gives 128 bits: 64 tell its addresses apart, the other 64 make all choices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piiscan.core import mail_providers
from piiscan.core.keys import Subkey
from piiscan.masking.surrogates import keyed_choices
from piiscan.masking.surrogates.gender_words import title
from piiscan.masking.surrogates.keyed_functions import Words, derived, prf
from piiscan.masking.surrogates.locales import language
from piiscan.masking.surrogates.mail_domains import RESERVED
from piiscan.masking.surrogates.name_format import Piece, pieces
from piiscan.masking.surrogates.name_lists import FirstName, Lists, in_latin, in_syllables, lists

if TYPE_CHECKING:
    import polars as pl

_INITIAL, _SURNAME, _FIRST, _MIDDLE, BORN, CITY, STREET, _SECOND, _SECOND_LAST, PLACE, POSTAL_CODE, _FATHER = range(12)
"""Which draw decides what."""
_GENDERS = {"f": 0, "m": 1}
_NEITHER = 2


def canonical(subjects: pl.Series) -> pl.Series:
    """Subjects in the one spelling that personas go by: trimmed, lower case, compatible characters made one (NFKC)."""
    stripped = subjects.str.strip_chars()
    strange = (stripped.str.len_bytes() != stripped.str.len_chars()).arg_true()  # ASCII is its own normal form
    if len(strange):
        stripped = stripped.scatter(strange, stripped.gather(strange).str.normalize("NFKC"))
    return stripped.str.to_lowercase()


@dataclass(frozen=True)
class Table:
    """A locale's lists, arranged for drawing.

    First names of women, of men and of both stand one list after another, each by initial.
    """

    lists: Lists
    firsts: pl.Series
    first_sums: NDArray[np.uint64]  # of weights, first 0
    first_start: NDArray[np.int64]  # (3, initials) places in `firsts`
    first_stop: NDArray[np.int64]
    initials: tuple[str, ...]
    initial_sums: NDArray[np.uint64]
    surnames: pl.Series  # forms of women, then of men
    surname_sums: NDArray[np.uint64]
    heads: pl.Series  # of e-mails: initial × surname
    first_stems: pl.Series  # of `firsts`, in plain letters
    surname_stems: pl.Series


@cache
def table(locale: str, script: str = "") -> Table:
    """`script`: one of `name_lists.SYLLABLES`, for the same names as they are read; "" for their own script."""
    import polars as pl

    if script:
        own, read = table(locale), in_syllables(locale, script)
        return replace(own, firsts=own.firsts.replace(read), surnames=own.surnames.replace(read))
    found = lists(locale)
    women, men = _by_initial(found.female), _by_initial(found.male)
    initials = tuple(sorted(women.keys() & men.keys()))
    firsts: list[FirstName] = []
    start, stop = np.zeros((2, 3, len(initials)), dtype=np.int64)
    for gender, groups in enumerate(((women,), (men,), (women, men))):
        for i, letter in enumerate(initials):
            start[gender, i] = len(firsts)
            firsts += [name for group in groups for name in group[letter]]
            stop[gender, i] = len(firsts)
    # How likely an initial is: as it is with the gender that has fewer such names, so that neither's few are worn out.
    weights = [min(sum(n.weight for n in group[letter]) for group in (women, men)) for letter in initials]
    return Table(
        found,
        pl.Series("first", [n.name for n in firsts]),
        _sums([n.weight for n in firsts]),
        start,
        stop,
        initials,
        _sums(weights),
        pl.Series("last", [s.female for s in found.surnames] + [s.male for s in found.surnames]),
        _sums([s.weight for s in found.surnames]),
        pl.Series("head", [f"{letter}{s.stem}." for letter in initials for s in found.surnames]),
        pl.Series("first", [in_latin(n.name, locale) or n.initial for n in firsts]),
        pl.Series("last", [s.stem for s in found.surnames]),
    )


def _by_initial(names: tuple[FirstName, ...]) -> dict[str, list[FirstName]]:
    out: dict[str, list[FirstName]] = {}
    for name in names:
        out.setdefault(name.initial, []).append(name)
    return out


def _sums(weights: list[int]) -> NDArray[np.uint64]:
    return np.concatenate([[0], np.cumsum(weights)]).astype(np.uint64)


class Draws(NamedTuple):
    """The keyed bits of some subjects, which their people are made of in any locale.

    `genders`: 0 a woman, 1 a man, 2
    not known. `tails`: those of user names; `digits`: how many of them stand behind a name, None for a code of them
    all.
    """

    words: Words
    genders: NDArray[np.uint8]
    tails: Words
    digits: NDArray[np.uint8] | None

    @classmethod
    def of(
        cls,
        subjects: pl.Series,
        genders: pl.Series | None,
        key: Subkey,
        addresses: pl.Series | None = None,
        digits: NDArray[np.uint8] | None = None,
    ) -> Draws:
        """`subjects`: String without nulls, `canonical`.

        `genders`: "f", "m" or null, None where nothing is known.
        `addresses`: whose user names are asked for, where a subject may have several: canonical, as `subjects`.
        `digits`: how many of each one's stand behind the name; None where nobody knows who else there is: then 13 signs
        tell it from all others.
        """
        if genders is None:
            codes = np.full(len(subjects), _NEITHER, dtype=np.uint8)
        else:
            import polars as pl

            codes = (
                genders.replace_strict(_GENDERS, default=_NEITHER, return_dtype=pl.UInt8).fill_null(_NEITHER).to_numpy()
            )
        secret = derived(key, "persona")
        words = prf(secret, subjects)
        tails = words if addresses is None or addresses.equals(subjects) else prf(secret, addresses)
        return cls(words, codes, tails, digits)

    def take(self, at: NDArray[np.int64]) -> Draws:
        """Those of some of the subjects."""
        return Draws(self.words[at], self.genders[at], self.tails[at], None if self.digits is None else self.digits[at])

    def people(self, locale: str, script: str = "") -> Personas:
        return Personas(table(locale, script), self.words, self.genders, self.tails, self.digits)


@dataclass(frozen=True)
class Personas:
    """The people that some subjects become; each method gives a column (String), one cell a subject, in their order.

    Guarantee: assumes that `Draws.of` gets canonical subjects and one subkey for all tables. Ensures that equal
    subjects with equal genders give equal cells, and without `digits` equal subjects equal user names and e-mails
    whatever their gender; that user names of different addresses then differ (but for a chance of n² / 2⁶⁵ among n),
    and with `digits` as far as those tell them apart; that first names are of the gender given and begin with the
    e-mail's initial. Names may be shared by many subjects and may by chance be the original's.
    Doesn't protect against who holds the key and can guess a subject; shows how often a subject occurs.
    """

    table: Table
    words: Words
    genders: NDArray[np.uint8]  # 0 a woman, 1 a man, 2 not known
    tails: Words  # of user names
    digits: NDArray[np.uint8] | None = None

    def draw(self, lane: int) -> keyed_choices.Bits:
        """32 bits a subject for one choice."""
        return keyed_choices.lane(self.words[:, 1], lane)

    def draws64(self, lane: int) -> Words:
        """Two draws a subject, in the form of a PRF's output."""
        return np.stack([self.draw(lane), self.draw(lane + 64)], axis=1)

    @cached_property
    def _initial(self) -> keyed_choices.Index:
        return keyed_choices.weighted(self.draw(_INITIAL), self.table.initial_sums)

    @cached_property
    def _surname(self) -> keyed_choices.Index:
        return keyed_choices.weighted(self.draw(_SURNAME), self.table.surname_sums)

    def first_names(self) -> pl.Series:
        return self._first_names

    @cached_property
    def _first_names(self) -> pl.Series:
        return self._some_first_names(_FIRST)

    def _some_first_names(self, lane: int) -> pl.Series:
        return self.table.firsts.gather(self._places_of_first_names(lane))

    def _places_of_first_names(self, lane: int) -> NDArray[np.int64]:
        t = self.table
        start, stop = t.first_start[self.genders, self._initial], t.first_stop[self.genders, self._initial]
        low, high = t.first_sums[start], t.first_sums[stop]
        at = low + keyed_choices.below(self.draw(lane), high - low)
        return np.searchsorted(t.first_sums, at, side="right") - 1

    @cached_property
    def _second_names(self) -> pl.Series:
        """Of the same gender, and another one than the first where a locale has another one of that initial."""
        t, initial = self.table, self._middle_initial
        start, stop = t.first_start[self.genders, initial], t.first_stop[self.genders, initial]
        low, high = t.first_sums[start], t.first_sums[stop]
        at = np.searchsorted(t.first_sums, low + keyed_choices.below(self.draw(_SECOND), high - low), side="right") - 1
        again = at == self._places_of_first_names(_FIRST)
        return t.firsts.gather(np.where(again, start + (at + 1 - start) % (stop - start), at))

    def last_names(self) -> pl.Series:
        return self._last_names

    @cached_property
    def _last_names(self) -> pl.Series:
        return self._surnames(self._surname)

    @cached_property
    def _second_last_names(self) -> pl.Series:
        """Another surname than the last name."""
        drawn = keyed_choices.weighted(self.draw(_SECOND_LAST), self.table.surname_sums)
        count = np.uint32(len(self.table.lists.surnames))
        return self._surnames(np.where(drawn == self._surname, (drawn + np.uint32(1)) % count, drawn))

    def _surnames(self, at: keyed_choices.Index) -> pl.Series:
        women = np.asarray(self.genders != 0, dtype=np.uint32) * np.uint32(len(self.table.lists.surnames))
        return self.table.surnames.gather(at + women)

    def patronymics(self) -> pl.Series:
        """Of the gender of the first name; in locales without them the second name."""
        import polars as pl

        women, men = self.table.lists.patronymics
        if not women:
            return self._second_names
        of_women = self.first_names().is_in([n.name for n in self.table.lists.female]).to_numpy()
        drawn = self.draw(_FATHER)
        of_men = len(women) + keyed_choices.below(drawn, len(men))
        return pl.Series([*women, *men]).gather(np.where(of_women, keyed_choices.below(drawn, len(women)), of_men))

    def titles(self) -> pl.Series:
        import polars as pl

        tongue = language(self.table.lists.locale)
        return pl.Series("title", [title(tongue, "f"), title(tongue, "m"), None], dtype=pl.String).gather(self.genders)

    def gender(self) -> pl.Series:
        import polars as pl

        return pl.Series("gender", ["f", "m", None]).gather(self.genders)

    def user_names(self) -> pl.Series:
        return self._user_names

    @cached_property
    def _user_names(self) -> pl.Series:
        import polars as pl

        if self.digits is not None:
            return self._short_user_names(self.digits)
        head = self.table.heads.gather(self._initial * np.uint32(len(self.table.lists.surnames)) + self._surname)
        return (
            pl.DataFrame({"head": head, "tail": keyed_choices.spelled(self.tails[:, 0])})
            .select(pl.concat_str(pl.all()).alias("username"))
            .to_series()
        )

    def _short_user_names(self, digits: NDArray[np.uint8]) -> pl.Series:
        """First name, a full stop, surname, and some of the subject's digits."""
        import polars as pl

        bits = pl.Series(self.tails[:, 0]).cast(pl.String).str.zfill(20)
        first = self.table.first_stems.gather(self._places_of_first_names(_FIRST))
        frame = pl.DataFrame(
            {
                "first": first,
                "last": self.table.surname_stems.gather(self._surname),
                "digits": pl.Series(digits).cast(pl.Int64),
                "bits": bits,
            }
        )
        tail = pl.col("bits").str.tail(pl.col("digits"))
        return frame.select((pl.col("first") + "." + pl.col("last") + tail).alias("username"))["username"]

    def emails(self, domains: pl.Series) -> pl.Series:
        """`domains`: the domain of each subject, masked already; null gives null."""
        import polars as pl

        return (
            pl.DataFrame({"user": self.user_names(), "domain": domains})
            .select(pl.concat_str(pl.all(), separator="@").alias("email"))
            .to_series()
        )

    def names(self, look: str) -> pl.Series:
        """Full names, or parts of one, in a look (`piiscan.masking.surrogates.name_format`)."""
        import polars as pl

        found = pieces(look)
        columns: list[pl.Expr] = []
        frame: dict[str, pl.Series] = {}
        for i, piece in enumerate(found):
            if piece.part:
                frame[str(i)] = self._part(piece)
                after_title = piece.part == "title" and len(found) > 1
                columns.append((pl.col(str(i)) + " ").fill_null("") if after_title else pl.col(str(i)))
            else:
                behind_title = i and found[i - 1].part == "title"
                columns.append(pl.lit(piece.case.removeprefix(" ") if behind_title else piece.case))
        return pl.DataFrame(frame).select(pl.concat_str(columns).alias("name")).to_series()

    def _part(self, piece: Piece) -> pl.Series:
        import polars as pl

        parts: dict[str, Callable[[], pl.Series]] = {
            "title": self.titles,
            "first": self.first_names,
            "middle": lambda: self._some_first_names(_MIDDLE),
            "initial": lambda: pl.Series([c.upper() for c in self.table.initials]).gather(self._middle_initial),
            "last": self.last_names,
            "second": lambda: self._second_names,
            "patronymic": self.patronymics,
            "secondlast": lambda: self._second_last_names,
            "firstinitial": lambda: self.first_names().str.slice(0, 1),
            "secondinitial": lambda: self._second_names.str.slice(0, 1),
            "lastinitial": lambda: self.last_names().str.slice(0, 1),
        }
        cells = parts[piece.part]()
        if piece.case == "upper":
            return cells.str.to_uppercase()
        return cells.str.to_lowercase() if piece.case == "lower" else cells

    @property
    def _middle_initial(self) -> keyed_choices.Index:
        return keyed_choices.weighted(self.draw(_MIDDLE), self.table.initial_sums)


def masked_domains(domains: pl.Series, key: Subkey, free_mail: bool = False) -> pl.Series:
    """A name below the reserved `.example` (RFC 2606) for each mail domain (String, null stays null).

    Equal domains, whatever their case, get equal names, so that groups by domain survive, and with them how common each
    is. `free_mail`: providers that anybody may use share a few names that look like them.
    """
    import polars as pl

    lower = domains.str.to_lowercase()
    distinct = lower.drop_nulls().unique()
    bits = prf(derived(key, "domain"), distinct)
    made = "d" + keyed_choices.spelled(bits[:, 0]).str.head(8) + ".example"
    if free_mail:
        reserved = pl.Series(RESERVED).gather((bits[:, 1] % np.uint64(len(RESERVED))).astype(np.uint32))
        made = reserved.zip_with(distinct.str.contains(mail_providers.DOMAINS), made)
    return lower.replace_strict(distinct, made, default=None, return_dtype=pl.String)
