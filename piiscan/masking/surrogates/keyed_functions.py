"""The keyed functions that surrogates stand on: a pseudorandom function of texts, and permutations of digit strings.

The only place in `piiscan.masking.surrogates` that touches a secret; the constructions are those of
`piiscan.masking.crypto`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from piiscan.core.keys import Subkey
from piiscan.masking.crypto import cmac, numerals

if TYPE_CHECKING:
    import polars as pl

Words = NDArray[np.uint64]
"""(n, 2): 128 pseudorandom bits for each of n texts."""
Digits = NDArray[np.uint8]
"""(n, L): one digit of some radix a cell."""

SMALLEST = 10**6
"""Permutations of fewer texts than this are refused: they could be listed (NIST SP 800-38G rev. 1)."""


def derived(key: Subkey, *context: str) -> Subkey:
    """The subkey for one use within the domain of `key`."""
    return key.derive(*context)


def prf(key: Subkey, texts: pl.Series) -> Words:
    """128 pseudorandom bits for each text (String, no nulls): AES-CMAC."""
    return cmac.prf(texts, key.secret)


def permute(
    key: Subkey, digits: Digits, radices: int | Sequence[int] = 10, tweak: bytes | NDArray[np.uint64] = b""
) -> Digits:
    """A keyed permutation (FF1) of digit strings of one length and the same radices, another for each tweak.

    The tweak is one for all rows, or one a row.

    Raises ValueError where there are fewer than `SMALLEST` such strings.
    """
    each = [radices] * digits.shape[1] if isinstance(radices, int) else list(radices)
    if prod(each) < SMALLEST:
        raise ValueError(f"{len(each)} digits are too few to permute")
    rows = np.broadcast_to(np.array(each, dtype=np.uint8), digits.shape)
    return numerals.permuted(np.ascontiguousarray(digits), rows, key.secret, tweak)
