"""Fingerprints of unique originals, none of which may occur in the output.

They are taken while a table is masked: 64 bits, keyed, of the text without case, spaces and punctuation, held in memory
only. Then the output is read as a stranger would: every cell of every column, and every span that the rules find in
one, is looked up among them.
"""

from __future__ import annotations

from secrets import token_bytes
from threading import Lock
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from piiscan.masking.apply.distinct_values import flat
from piiscan.masking.known.fingerprint_index import FingerprintIndex, Fingerprints, distinct_sorted

UNIQUE: Final = frozenset(
    "EMAIL_ADDRESS US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD IBAN_CODE BANK_ACCOUNT "
    "MEDICAL_RECORD VEHICLE_ID DEVICE_ID USERNAME MAC_ADDRESS".split()
)
"""Entities whose values belong to one person each: none may occur anywhere in the output. Telephones are shared: a
patient's may be that of the clinic, whose own stays."""
SHORTEST: Final = 6
"""Characters of a normalised identifier that can be told from anything else."""
_ANY_NUMBER: Final = r"^[0-9]{0,8}$"
"""Digits that could count or measure anything."""
_NO_IDENTIFIER: Final = r"^(?:\d{1,3}(?:\.\d{1,3}){3}|\d{4}-\d\d-\d\d.*|-?\d+\.\d+)$"
"""Internet addresses, dates and decimals, whose digits could be any number's."""
_JUNK: Final = r"[\s\-./()_+]+"
_PENDING: Final = 1 << 20
"""Fingerprints worked on together."""


class Originals:
    """Fingerprints of a run's unique originals, under a seed that is discarded with the run; `counts` by entity.

    They never leave memory, where the originals stand too, so a fast keyed hash does. A different original takes 8
    bytes, twice that while they are
    collected and sorted, and 2 to 4 each for the bitmap and the table of beginnings: 14 MB or so for a million.
    """

    def __init__(self) -> None:
        self._seed = int.from_bytes(token_bytes(8), "little")
        self._lock = Lock()
        self._parts: dict[str, list[Fingerprints]] = {}
        self._index: FingerprintIndex | None = None

    def add(self, entity: str, cells: pl.Series) -> None:
        found = self.fingerprints(normalised(flat(cells).drop_nulls().unique()).drop_nulls())
        with self._lock:  # columns are recorded side by side
            parts = self._parts.setdefault(entity, [np.zeros(0, dtype=np.uint64)])
            parts.append(found)
            if sum(map(len, parts[1:])) > max(_PENDING, len(parts[0])):
                self._parts[entity] = [distinct_sorted(parts)]
            self._index = None

    @property
    def counts(self) -> dict[str, int]:
        self._indexed()
        return {entity: sum(map(len, parts)) for entity, parts in self._parts.items()}

    def among(self, texts: pl.Series) -> NDArray[np.bool_]:
        """Whether each of some normalised texts (no nulls) is that of an original."""
        return self._indexed().has(self.fingerprints(texts))

    def _indexed(self) -> FingerprintIndex:
        with self._lock:
            if self._index is None:
                for entity, parts in self._parts.items():
                    self._parts[entity] = [distinct_sorted(parts)]
                self._index = FingerprintIndex([parts[0] for parts in self._parts.values()])
            return self._index

    def fingerprints(self, texts: pl.Series) -> Fingerprints:
        return texts.hash(self._seed).to_numpy() if len(texts) else np.zeros(0, dtype=np.uint64)


def normalised(cells: pl.Series) -> pl.Series:
    """Texts without case, white space and punctuation; null where too little is left to mean one person."""
    plain = cells.cast(pl.String)
    text = plain.str.to_lowercase().str.replace_all(" ", "", literal=True)  # most of what prose has of it
    rest = text.str.contains(_JUNK).arg_true()
    text = text.scatter(rest, text.gather(rest).str.replace_all(_JUNK, ""))
    short = (text.str.len_bytes() < SHORTEST) | text.str.contains(_ANY_NUMBER) | plain.str.contains(_NO_IDENTIFIER)
    return text.zip_with(~short, pl.Series([None], dtype=pl.String))
