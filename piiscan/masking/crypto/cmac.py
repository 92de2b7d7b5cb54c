"""AES-CMAC (NIST SP 800-38B; RFC 4493) of all values of a column at once.

It is the pseudorandom function behind surrogates and tweaks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from piiscan.masking.crypto.aes import BLOCK, Aes, Words, double, words
from piiscan.masking.crypto.text_bytes import Bytes, Texts, of_matrix, texts

if TYPE_CHECKING:
    import polars as pl

_CHUNK = 1 << 15
"""Rows worked on together, so that their blocks stay in the processor's cache."""


def prf(values: pl.Series, key: bytes) -> Words:
    """(n, 2) uint64: AES-CMAC of the UTF-8 of each value of a String series without nulls.

    AES-256 with a key of 32 bytes.

    The 16 bytes of a row are the tag; as numbers they depend on the machine's byte order only where it is big-endian.
    """
    return of_texts(texts(values), key)


def of_rows(matrix: Bytes, key: bytes) -> Words:
    """The tags of the rows of an (n, L) matrix."""
    return of_texts(of_matrix(matrix), key)


def of_bytes(text: bytes, key: bytes) -> bytes:
    """The tag of one text."""
    return of_rows(np.frombuffer(text, dtype=np.uint8)[None, :], key).tobytes()


def of_texts(found: Texts, key: bytes) -> Words:
    """The tags of texts."""
    aes = Aes(key)
    first = double(aes.one(bytes(BLOCK)))
    # The last block is xored with one subkey where the text fills it, with the other where it is padded.
    subkeys = np.concatenate([words(double(first)), words(first)])
    out = np.empty((len(found.starts), 2), dtype=np.uint64)
    for at in range(0, len(out), _CHUNK):
        chunk = Texts(found.data, found.starts[at : at + _CHUNK], found.lengths[at : at + _CHUNK])
        out[at : at + _CHUNK] = _chunk(chunk, aes, subkeys)
    return out


def _chunk(found: Texts, aes: Aes, subkeys: Words) -> Words:
    blocks = np.maximum(-(-found.lengths // BLOCK), 1)
    whole = (found.lengths == blocks * BLOCK).astype(np.intp)
    out = np.zeros((len(blocks), 2), dtype=np.uint64)
    rows = np.arange(len(blocks))
    for position in range(int(blocks.max(initial=0))):
        state = found.block(position)
        if position:
            state ^= out.take(rows, axis=0)
        ending = np.flatnonzero(blocks == position + 1)
        if len(ending) == len(rows):
            state ^= subkeys.take(whole, axis=0)
            out[rows] = aes(state)
            break
        if len(ending):
            state[ending] ^= subkeys[whole[ending]]
        out[rows] = aes(state)
        if len(ending):
            going = np.flatnonzero(blocks > position + 1)
            rows, found, blocks, whole = rows[going], found.take(going), blocks[going], whole[going]
    return out
