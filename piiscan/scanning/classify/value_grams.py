"""The n-grams of a column's values in buckets: the evidence for a column without a header, beside its other features.

Of each text its first characters, in lower case, and their kinds (digits, letters, scripts), with its start and its end
marked: "^5", "56" and "00$" of amounts and postal codes, "sin" of marital statuses, "A0000" of numbers on documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAM_BUCKETS: Final = 4096
CHARACTERS: Final = 24
"""Of a text, so many are looked at."""
_START, _END = "\x02", "\x03"
_WRITTEN: Final = (1, 2, 3)
_OF_KINDS: Final = (3, 4, 5)
"""How long n-grams are."""
_KIND: Final = np.arange(128, dtype=np.uint32)
_KIND[ord("0") : ord("9") + 1] = ord("0")
_KIND[ord("A") : ord("Z") + 1] = ord("A")
_KIND[ord("a") : ord("z") + 1] = ord("a")
_SCRIPTS: Final = np.array(
    [
        0x80,
        0x370,
        0x400,
        0x530,
        0x590,
        0x600,
        0x780,
        0x900,
        0xE00,
        0xE80,
        0x3041,
        0x30A0,
        0x3100,
        0x3400,
        0xA000,
        0xAC00,
    ]
)
"""Where ranges of letters of one script begin: all characters from one on, up to the next, are of a kind."""
_ODD: Final = np.array([0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1], dtype=np.uint32)


_TOGETHER: Final = 64
"""Columns whose n-grams are counted at once: few enough for their counts to stay near the processor."""

Grams = tuple["NDArray[np.int32]", "NDArray[np.float32]"]


def grams_of_each(columns: Sequence[Sequence[str]]) -> list[Grams]:
    """The buckets of the texts of each of some columns, each bucket with a weight.

    The weight is the square root of how often one of its n-grams occurs in a text, counted once per text.
    """
    return [grams for at in range(0, len(columns), _TOGETHER) for grams in _grams(columns[at : at + _TOGETHER])]


def _grams(columns: Sequence[Sequence[str]]) -> list[Grams]:
    marked = ["".join([_START + t[:CHARACTERS] + _END for t in texts]) for texts in columns]
    lower = [text.lower() for text in marked]
    written, kinds = _codes("".join(lower)), _kinds(_codes("".join(marked)))
    counts = np.zeros(len(columns) * GRAM_BUCKETS, dtype=np.int64)
    for codes, texts, lengths, salt in ((written, lower, _WRITTEN, 0), (kinds, marked, _OF_KINDS, 8)):
        of = np.repeat(np.arange(len(columns)) * GRAM_BUCKETS, list(map(len, texts)))
        counts += np.bincount(np.concatenate([_hashes(codes, of, n, salt) for n in lengths]), minlength=len(counts))
    found = np.flatnonzero(counts)
    stops = np.searchsorted(found, np.arange(1, len(columns)) * GRAM_BUCKETS)
    texts_of = np.repeat([max(1, len(texts)) for texts in columns], np.diff([0, *stops, len(found)]))
    shares = np.sqrt(np.minimum(1.0, counts[found] / texts_of)).astype(np.float32)
    buckets = (found % GRAM_BUCKETS).astype(np.int32)
    return list(zip(np.split(buckets, stops), np.split(shares, stops), strict=True))


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    kinds = _KIND[np.minimum(codes, 127)]
    beyond = codes > 127
    if beyond.any():
        kinds[beyond] = 0x80 + np.searchsorted(_SCRIPTS, codes[beyond], side="right")
    return kinds


def _hashes(codes: NDArray[np.uint32], of: NDArray[np.int64], n: int, salt: int) -> NDArray[np.int64]:
    """The bucket of each n-gram that lies within one text, past where those of its column begin (`of`)."""
    many = len(codes) - n + 1
    if many < 1:
        return np.zeros(0, dtype=np.int64)
    mixed = np.full(many, n + salt, dtype=np.uint32)
    inside = np.ones(many, dtype=bool)
    for i in range(n):
        part = codes[i : i + many]
        mixed ^= part
        mixed *= _ODD[i]
        mixed ^= mixed >> np.uint32(15)
        if i < n - 1:
            inside &= part != ord(_END)
    return of[:many][inside] + mixed[inside] % np.uint32(GRAM_BUCKETS)
