"""Randomness that belongs to a row: a pure function of a subkey, a purpose and the row number.

Row `i` of a column owns block `i` of the AES-256 key stream in counter mode (NIST SP 800-38A, 6.5) under a key derived
from the subkey and the purpose (HKDF-Expand, RFC 5869). Any partitioning of the rows therefore draws the same numbers,
and without the key they can't be distinguished from random ones, unlike those of numpy's generators, whose state can be
computed from their output.

The subkey must belong to one column of one table. Under a shared one, two columns get the same draws in the same row,
and what they have in common can be subtracted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from piiscan.core.keys import Subkey

WORDS = 2
"""Words of 64 bits that a row has: one block of AES."""
_ROWS = 1 << 64


def stream_key(key: Subkey, purpose: str) -> bytes:
    """The 32 bytes for one purpose under a subkey."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

    return HKDFExpand(SHA256(), 32, b"piiscan rows\0" + purpose.encode()).derive(key.secret)


def words(key: Subkey, purpose: str, first: int, rows: int) -> npt.NDArray[np.uint64]:
    """Random words of rows `first` to `first + rows`: shape (rows, 2), uint64."""
    import numpy as np
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if not 0 <= first < _ROWS:
        raise ValueError("row numbers count from 0")
    stream = Cipher(algorithms.AES(stream_key(key, purpose)), modes.CTR(first.to_bytes(16, "big"))).encryptor()
    return (
        np.frombuffer(stream.update(bytes(16 * rows)), dtype="<u8").reshape(rows, WORDS).astype(np.uint64, copy=False)
    )


def uniform(key: Subkey, purpose: str, first: int, rows: int) -> npt.NDArray[np.float64]:
    """Random numbers of rows `first` to `first + rows`: shape (rows, 2), float64, in (0, 1).

    Each lies in the middle of one of 2^52 equal parts of the interval.
    """
    drawn: Any = (
        words(key, purpose, first, rows) >> 12
    )  # with one bit more, the middle of the last part would round to 1
    result: npt.NDArray[np.float64] = (drawn + 0.5) / float(1 << 52)
    return result
