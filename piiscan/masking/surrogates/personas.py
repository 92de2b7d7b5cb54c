"""Personas: made-up people whose first name, last name, full name, title, user name, e-mail, gender and date of birth
agree.

A persona is a pure function of (subkey, subject, gender, locale): the same subject is the same person in every table,
file, run and partition. User name and e-mail come from the subject alone, so that an e-mail without a name beside it
gets the same mask as the one in the table of
customers: an initial, a surname in plain letters and uninflected, and 64 keyed bits. First names are then chosen to
begin with that initial.

One PRF call a subject gives 128 bits: 64 are spelled out in the e-mail, the other 64 make all choices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from piiscan.core.keys import Subkey
from piiscan.masking.surrogates import keyed_choices
from piiscan.masking.surrogates.gender_words import title
from piiscan.masking.surrogates.keyed_functions import Words, derived, prf
from piiscan.masking.surrogates.locales import language
from piiscan.masking.surrogates.name_format import Piece, pieces
from piiscan.masking.surrogates.name_lists import FirstName, Lists, lists

if TYPE_CHECKING:
    import polars as pl

_INITIAL, _SURNAME, _FIRST, _MIDDLE, BORN, CITY, STREET = range(7)
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
    """A locale's lists, laid out for drawing. First names of women, of men and of both stand one list after another,
    each by initial."""

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


@cache
def table(locale: str) -> Table:
    import polars as pl

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
    )


def _by_initial(names: tuple[FirstName, ...]) -> dict[str, list[FirstName]]:
    out: dict[str, list[FirstName]] = {}
    for name in names:
        out.setdefault(name.initial, []).append(name)
    return out


def _sums(weights: list[int]) -> NDArray[np.uint64]:
    return np.concatenate([[0], np.cumsum(weights)]).astype(np.uint64)


@dataclass(frozen=True)
class Personas:
    """The people that some subjects become; each method gives a column (String), one cell a subject, in their order.

    Guarantee: assumes that `of` gets canonical subjects and one subkey for all tables. Ensures that equal subjects with
    equal genders give equal cells, and equal subjects equal user names and e-mails whatever their gender, that user
    names of different subjects differ (but for a chance of n² / 2⁶⁵ among n), that first names are of the gender given
    and begin with the e-mail's initial. Names may be shared by many subjects and may by chance be the original's.
    Doesn't protect against who holds the key and can guess a subject; shows how often a subject occurs.
    """

    table: Table
    words: Words
    genders: NDArray[np.uint8]  # 0 a woman, 1 a man, 2 not known

    @classmethod
    def of(cls, subjects: pl.Series, genders: pl.Series | None, key: Subkey, locale: str) -> Personas:
        """`subjects`: String without nulls, `canonical`. `genders`: "f", "m" or null, None where nothing is known."""
        if genders is None:
            codes = np.full(len(subjects), _NEITHER, dtype=np.uint8)
        else:
            import polars as pl

            codes = (
                genders.replace_strict(_GENDERS, default=_NEITHER, return_dtype=pl.UInt8).fill_null(_NEITHER).to_numpy()
            )
        return cls(table(locale), prf(derived(key, "persona"), subjects), codes)

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
        t = self.table
        start, stop = t.first_start[self.genders, self._initial], t.first_stop[self.genders, self._initial]
        low, high = t.first_sums[start], t.first_sums[stop]
        at = low + keyed_choices.below(self.draw(lane), high - low)
        return t.firsts.gather(np.searchsorted(t.first_sums, at, side="right") - 1)

    def last_names(self) -> pl.Series:
        return self._last_names

    @cached_property
    def _last_names(self) -> pl.Series:
        women = np.asarray(self.genders != 0, dtype=np.uint32) * np.uint32(len(self.table.lists.surnames))
        return self.table.surnames.gather(self._surname + women)

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

        head = self.table.heads.gather(self._initial * np.uint32(len(self.table.lists.surnames)) + self._surname)
        return (
            pl.DataFrame({"head": head, "tail": keyed_choices.spelled(self.words[:, 0])})
            .select(pl.concat_str(pl.all()).alias("username"))
            .to_series()
        )

    def emails(self, domains: pl.Series) -> pl.Series:
        """`domains`: what stands behind the @, one a subject, masked already; null gives null."""
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

        cells = {
            "title": self.titles,
            "first": self.first_names,
            "middle": lambda: self._some_first_names(_MIDDLE),
            "initial": lambda: pl.Series([c.upper() for c in self.table.initials]).gather(self._middle_initial),
            "last": self.last_names,
        }[piece.part]()
        if piece.case == "upper":
            return cells.str.to_uppercase()
        return cells.str.to_lowercase() if piece.case == "lower" else cells

    @property
    def _middle_initial(self) -> keyed_choices.Index:
        return keyed_choices.weighted(self.draw(_MIDDLE), self.table.initial_sums)


def masked_domains(domains: pl.Series, key: Subkey) -> pl.Series:
    """A name below the reserved `.example` (RFC 2606) for each mail domain (String, null stays null): equal domains,
    whatever their case, get equal ones, so that groups by domain survive, and with them how common each is."""
    import polars as pl

    lower = domains.str.to_lowercase()
    distinct = lower.drop_nulls().unique()
    code = keyed_choices.spelled(prf(derived(key, "domain"), distinct)[:, 0]).str.head(8)
    return lower.replace_strict(distinct, "d" + code + ".example", default=None, return_dtype=pl.String)
