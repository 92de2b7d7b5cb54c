"""Which key each person is known by, looked up for whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from piiscan.masking.plan.key_links import RANKS

if TYPE_CHECKING:
    pass

_SEED: Final = 11


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
        at = np.minimum(np.searchsorted(self._hashes, keys.hash(_SEED).to_numpy()), len(self._hashes) - 1)
        return self._to.gather(at).zip_with(self._from.gather(at) == keys, keys).alias(keys.name)
