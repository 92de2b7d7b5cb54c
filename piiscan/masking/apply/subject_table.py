"""The subject table: which key each person is known by, and what is decided of them once for all tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.plan.key_links import RANKS

if TYPE_CHECKING:
    from piiscan.masking.apply.name_looks import NameLooks
    from piiscan.masking.apply.street_locales import StreetLocales

_SEED: Final = 11
DIGITS: Final = (0, 2, 4, 8)
"""How many digits stand behind a user name: the fewest by which it differs from all others."""
MOST_DIGITS: Final = 19


class Links:
    """Key → the key that its person is known by. Looked up by hashes in order, since joining every batch with
    millions takes long."""

    def __init__(self, entries: pl.DataFrame) -> None:
        """`entries`: String columns `original` (distinct) and `code`. What leads to a key that is itself linked
        leads on."""
        hashes = entries["original"].hash(_SEED).to_numpy()
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._from = entries["original"].gather(order)
        self._to = entries["code"].gather(order)
        for _ in RANKS:
            self._to = self.resolved(self._to)

    def resolved(self, keys: pl.Series) -> pl.Series:
        """The keys (String, no nulls), those with a link replaced."""
        if not len(self._hashes):
            return keys
        at, _ = _among(self._hashes, keys)
        return self._to.gather(at).zip_with(self._from.gather(at) == keys, keys).alias(keys.name)


class Attributes(NamedTuple):
    """What is known of some subjects, in their order: whether anything is (`known`), `genders` ("f", "m" or null), and
    `locales` (null: the plan's)."""

    known: pl.Series
    genders: pl.Series
    locales: pl.Series


class SubjectFigures(NamedTuple):
    """What a run knows of its people, in counts.

    `subjects`: people, as far as keys tell them apart; `linked`: keys that lead to another one of their person;
    `unlinked`: those that stand beside several people's, and lead nowhere; `shared`: addresses and user names of
    several people; `contradictions`: numbers beside several first names; `locales`: people by the locale of their
    names, "" for the plan's; `numbered`: made-up addresses with digits, since two would be equal. `remembered`: a vault
    keeps it.
    """

    subjects: int
    linked: int
    unlinked: int
    shared: int
    contradictions: int
    locales: Mapping[str, int]
    numbered: int
    remembered: bool


class SubjectTable:
    """The people of a run: links between their keys, the keys that several people share, and what is decided of each
    once, from all tables in which they appear.

    `entries`: String columns `text`, `gender`, `locale` and UInt8 `digits`: of a subject its gender and locale (null
    where not known), of an e-mail address or user name how many digits stand behind the name in its mask.
    `remembered`: they are kept for later runs, so that masks may depend on who else there is. `coincidences`: masks of
    earlier runs that are somebody's address by now. `figures`: None outside of a run. `looks`: how names may be
    written. `streets`: of which locale each is. A text is found by 64 bits of its hash.
    """

    def __init__(
        self,
        links: pl.DataFrame,
        shared: pl.Series,
        entries: pl.DataFrame,
        remembered: bool,
        coincidences: int = 0,
        figures: SubjectFigures | None = None,
        looks: NameLooks | None = None,
        streets: StreetLocales | None = None,
    ) -> None:
        self.remembered, self.coincidences, self.figures, self.looks = remembered, coincidences, figures, looks
        self._streets = streets
        self._links = Links(links)
        self._shared = np.sort(shared.hash(_SEED).to_numpy())
        hashes = entries["text"].hash(_SEED).to_numpy()
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._entries = entries.select("gender", "locale", "digits")[order]

    def resolved(self, keys: pl.Series) -> pl.Series:
        """The keys (String, no nulls), those with a link replaced."""
        return self._links.resolved(keys)

    def shared(self, keys: pl.Series) -> pl.Series:
        """Which keys (String, null: false) several people share."""
        return pl.Series(_among(self._shared, keys.fill_null(""))[1]) & keys.is_not_null()

    def attributes(self, subjects: pl.Series) -> Attributes:
        """Of each subject what the table knows."""
        at, known = _among(self._hashes, subjects)
        has, null = pl.Series(known), pl.Series([None], dtype=pl.String)
        if not len(self._hashes):
            nothing = null.new_from_index(0, len(subjects))
            return Attributes(has, nothing, nothing)
        genders, locales = (self._entries[name].gather(at).zip_with(has, null) for name in ("gender", "locale"))
        return Attributes(has, genders, locales if self.remembered else locales.clear(len(locales)))

    def street_locales(self, streets: pl.Series) -> pl.Series | None:
        """The locale of each street (no nulls), null for the plan's; None where that isn't remembered."""
        return self._streets.of(streets) if self.remembered and self._streets else None

    def digits(self, addresses: pl.Series) -> NDArray[np.uint8] | None:
        """How many digits each e-mail address or user name takes, the most for one that isn't in the table; None where
        that isn't remembered."""
        if not self.remembered:
            return None
        at, known = _among(self._hashes, addresses)
        if not len(self._hashes):
            return np.full(len(addresses), MOST_DIGITS, dtype=np.uint8)
        return np.where(known, self._entries["digits"].fill_null(MOST_DIGITS).to_numpy()[at], MOST_DIGITS).astype(
            np.uint8
        )


def _among(hashes: NDArray[np.uint64], texts: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each text (no nulls) stands among sorted hashes, and whether it does; 0 and False where there are none."""
    if not len(hashes):
        return np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.bool_)
    own = texts.hash(_SEED).to_numpy()
    at = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
    return at, hashes[at] == own
