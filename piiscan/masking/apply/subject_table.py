"""The subject table: which key each person is known by, and what is decided of them once for all tables."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.known.fingerprint_index import FingerprintIndex, ascending, order_of
from piiscan.masking.plan.key_links import NAMES_RANK

if TYPE_CHECKING:
    from piiscan.core.keys import Subkey
    from piiscan.masking.apply.name_looks import NameLooks
    from piiscan.masking.apply.street_locales import StreetLocales

_SEED: Final = 11
DIGITS: Final = (0, 2, 4, 8)
"""How many digits stand behind a user name: the fewest by which it differs from all others."""
MOST_DIGITS: Final = 19
_HEX: Final = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


class Links:
    """Key → the key that its person is known by.

    Looked up by hashes in order, since joining every batch with millions takes long.
    """

    def __init__(self, entries: pl.DataFrame) -> None:
        """`entries`: String columns `original` (distinct) and `code`.

        What leads to a key that is itself linked leads on.
        """
        hashes = entries["original"].hash(_SEED).to_numpy()
        order = order_of(hashes)
        self._hashes = hashes[order]
        self._from = entries["original"].gather(order)
        self._to = entries["code"].gather(order)
        index = FingerprintIndex([self._hashes])  # few of them, if any: it says so in a tenth of the time
        left = np.arange(len(order))  # which lead to a key that may be linked itself
        for _ in range(NAMES_RANK + 1):
            keys = self._to.gather(left)
            may_be = np.flatnonzero(index.has(keys.hash(_SEED).to_numpy()))
            left, keys = left[may_be], keys.gather(may_be)
            at, known = _among(self._hashes, keys)
            known &= (self._from.gather(at) == keys).to_numpy()
            if not known.any():
                break
            left = left[known]
            self._to = self._to.scatter(left, self._to.gather(at[known]))

    def resolved(self, keys: pl.Series) -> pl.Series:
        """The keys (String, no nulls), those with a link replaced."""
        if not len(self._hashes):
            return keys
        at, _ = _among(self._hashes, keys)
        return self._to.gather(at).zip_with(self._from.gather(at) == keys, keys).alias(keys.name)


class Attributes(NamedTuple):
    """What is known of some subjects, in their order.

    Whether anything is (`known`), `genders` ("f", "m" or null), and `locales` (null: the plan's).
    """

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
    """The people of a run: how their keys are linked, which keys are shared, and what is decided once per person.

    `entries`: String columns `text`, `gender`, `locale` and UInt8 `digits`: of a subject its gender and locale (null
    where not known), of an e-mail address or user name how many digits stand behind the name in its mask.
    `remembered`: they are kept for later runs, so that masks may depend on who else there is. `coincidences`: masks of
    earlier runs that are somebody's address by now. `figures`: None outside of a run. `looks`: how names may be
    written. `secret`: texts are keyed hashes of keys; without it the keys themselves. `countries`: String columns
    `text` and `country`, of which country telephone numbers are. `streets`: of which locale each is. A text is found by
    64 bits of its hash.
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
        countries: pl.DataFrame | None = None,
        secret: Subkey | None = None,
        streets: StreetLocales | None = None,
    ) -> None:
        self._secret = secret
        self.remembered, self.coincidences, self.figures, self.looks = remembered, coincidences, figures, looks
        self._streets = streets
        self._links = Links(links)
        self._shared = ascending(shared.hash(_SEED).to_numpy())
        self._hashes, self._entries = _in_order(entries)
        told = pl.DataFrame(schema=dict.fromkeys(("text", "country"), pl.String)) if countries is None else countries
        numbers = told["text"].hash(_SEED).to_numpy()
        order = order_of(numbers)
        self._numbers = numbers[order]
        self._countries = told["country"].gather(order).replace("", None)

    def knowing(self, entries: pl.DataFrame, figures: SubjectFigures, looks: NameLooks | None) -> SubjectTable:
        """The same people, with what is decided of them."""
        other = copy(self)
        other._hashes, other._entries = _in_order(entries)
        other.figures, other.looks = figures, looks
        return other

    def texts(self, keys: pl.Series) -> pl.Series:
        """What the table knows keys (String, nulls allowed) by."""
        return table_texts(keys, self._secret)

    def linked(self, texts: pl.Series) -> pl.Series:
        """Replace each text (String, no nulls) that has a link by the text it links to."""
        return self._links.resolved(texts)

    def resolved(self, keys: pl.Series) -> pl.Series:
        """By what text the people of keys (String, no nulls) are known."""
        return self.linked(self.texts(keys))

    def shared(self, keys: pl.Series) -> pl.Series:
        """Which keys (String, null: false) several people share."""
        if not len(self._shared):
            return pl.Series([False], dtype=pl.Boolean).new_from_index(0, len(keys))
        return pl.Series(_among(self._shared, self.texts(keys).fill_null(""))[1]) & keys.is_not_null()

    def attributes(self, subjects: pl.Series) -> Attributes:
        """Of each subject what the table knows."""
        at, known = _among(self._hashes, subjects)
        has, null = pl.Series(known), pl.Series([None], dtype=pl.String)
        if not len(self._hashes):
            nothing = null.new_from_index(0, len(subjects))
            return Attributes(has, nothing, nothing)
        genders, locales = (self._entries[name].gather(at).zip_with(has, null) for name in ("gender", "locale"))
        return Attributes(has, genders, locales if self.remembered else locales.clear(len(locales)))

    def countries(self, numbers: pl.Series) -> pl.Series:
        """The country of each telephone number (String, nulls allowed).

        Null where the country is not known, or not remembered.
        """
        null = pl.Series([None], dtype=pl.String)
        if not self.remembered or not len(self._numbers):
            return null.new_from_index(0, len(numbers))
        at, known = _among(self._numbers, self.texts(numbers).fill_null(""))
        return self._countries.gather(at).zip_with(pl.Series(known), null)

    def street_locales(self, streets: pl.Series) -> pl.Series | None:
        """The locale of each street (no nulls), null for the plan's; None where that isn't remembered."""
        from piiscan.masking.surrogates.personas import canonical

        return (
            self._streets.of(self.texts(canonical(streets.cast(pl.String))))
            if self.remembered and self._streets
            else None
        )

    def digits(self, addresses: pl.Series) -> NDArray[np.uint8] | None:
        """The number of digits for each e-mail address or user name.

        The most for one that isn't in the table; None where that isn't remembered.
        """
        if not self.remembered:
            return None
        at, known = _among(self._hashes, addresses)
        if not len(self._hashes):
            return np.full(len(addresses), MOST_DIGITS, dtype=np.uint8)
        return np.where(known, self._entries["digits"].fill_null(MOST_DIGITS).to_numpy()[at], MOST_DIGITS).astype(
            np.uint8
        )


def table_texts(keys: pl.Series, secret: Subkey | None) -> pl.Series:
    """128 bits of a PRF of each key (String, nulls and "" stay), in hexadecimal digits; without a secret the keys."""
    if secret is None:
        return keys
    from piiscan.masking.crypto.text_bytes import series
    from piiscan.masking.surrogates.keyed_functions import prf

    once = keys.drop_nulls().unique()
    once = once.filter(once != "")
    octets = np.ascontiguousarray(prf(secret, once).astype(">u8")).view(np.uint8).reshape(len(once), 16)
    halves = np.stack([octets >> 4, octets & 15], axis=2).reshape(len(once), 32)
    return keys.replace(once, series(_HEX[halves]))


def _in_order(entries: pl.DataFrame) -> tuple[NDArray[np.uint64], pl.DataFrame]:
    """The hashes of texts in order, and what is known of each."""
    hashes = entries["text"].hash(_SEED).to_numpy()
    order = order_of(hashes)
    return hashes[order], entries.select("gender", "locale", "digits")[order]


def _among(hashes: NDArray[np.uint64], texts: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each text (no nulls) stands among sorted hashes, and whether it does; 0 and False where there are none."""
    if not len(hashes):
        return np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.bool_)
    own = texts.hash(_SEED).to_numpy()
    order = order_of(own)  # in order they are found in half of the time
    at = np.empty(len(own), dtype=np.int64)
    at[order] = np.minimum(np.searchsorted(hashes, own[order]), len(hashes) - 1)
    return at, hashes[at] == own
