"""FF1, format-preserving encryption (NIST SP 800-38G revision 1, algorithms 7 and 8), of many numeral strings at once.

A numeral string of length n goes in and comes out as two numbers: its first n // 2 numerals and the rest, most
significant first, which is what the ten Feistel rounds work on. Halves below 2⁵⁶ are worked on by numpy; longer ones as
Python integers, with AES still in bulk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from piiscan.masking.crypto.aes import BLOCK, Aes, Words, big_endian

ROUNDS: Final = 10
SMALLEST: Final = 1_000_000
"""Strings that there must be at least (SP 800-38G revision 1, section 5.1)."""
_CHUNK: Final = 1 << 14
_BITS: Final = 56
TWEAK: Final = 8
"""Bytes of a tweak of its own for each row."""

Halves = tuple[NDArray[Any], NDArray[Any]]
"""(n,) numbers each: uint64 where `Ff1.small`, else Python integers in an object array."""


class Ff1:
    """FF1 under one AES key, for numeral strings of one radix and length.

    The tweak is bytes, the same for all, or (n,) uint64 in memory order, 8 bytes a row (only where `small`). For one
    thread. Raises ValueError for a radix out of 2 … 65536 and for fewer than 10⁶ strings.
    """

    def __init__(self, key: bytes, radix: int, length: int) -> None:
        if not 2 <= radix <= 1 << 16 or length < 2 or radix**length < SMALLEST:
            raise ValueError("FF1 needs a radix of 2 to 65536 and at least a million strings")
        self._aes = Aes(key)
        self.radix, self.length = radix, length
        self.left, self.right = length // 2, length - length // 2
        self.moduli = (radix**self.left, radix**self.right)
        bits = (self.moduli[1] - 1).bit_length()  # ⌈v · log₂ radix⌉, exactly
        self._b = (bits + 7) // 8
        self._d = 4 * ((self._b + 3) // 4) + 4
        self.small = self.moduli[1] <= 1 << _BITS

    def encrypt(self, halves: Halves, tweak: bytes | Words = b"") -> Halves:
        """The encrypted strings."""
        return self._rounds(halves, tweak, range(ROUNDS))

    def decrypt(self, halves: Halves, tweak: bytes | Words = b"") -> Halves:
        """The decrypted strings."""
        return self._rounds(halves, tweak, range(ROUNDS - 1, -1, -1))

    def _rounds(self, halves: Halves, tweak: bytes | Words, rounds: Sequence[int]) -> Halves:
        if not self.small:
            if not isinstance(tweak, bytes):
                return self._each(halves, tweak, rounds)
            return self._long(halves, tweak, rounds)
        a, b = (np.array(half, dtype=np.uint64) for half in halves)
        for at in range(0, len(a), _CHUNK):
            part = slice(at, at + _CHUNK)
            a[part], b[part] = self._short(
                (a[part], b[part]), tweak if isinstance(tweak, bytes) else tweak[part], rounds
            )
        return a, b

    def _head(self, tweak_length: int) -> bytes:
        """The block P."""
        return (
            bytes([1, 2, 1])
            + self.radix.to_bytes(3, "big")
            + bytes([ROUNDS, self.left % 256])
            + self.length.to_bytes(4, "big")
            + tweak_length.to_bytes(4, "big")
        )

    def _short(self, halves: Halves, tweak: bytes | Words, rounds: Sequence[int]) -> Halves:
        """Run the rounds for tweaks where the number and the round number fit the last 8 bytes of Q.

        All bytes before them are the same in every round.
        """
        mac = self._aes.one
        if isinstance(tweak, bytes):
            fixed = tweak + bytes((-len(tweak) - self._b - 1) % BLOCK) + bytes(1 + self._b)
            state = mac(self._head(len(tweak)))
            for at in range(0, len(fixed) - BLOCK, BLOCK):
                state = mac(_xor(state, fixed[at : at + BLOCK]))
            state = _xor(state, fixed[-BLOCK:])
            first: Any = np.frombuffer(state[:8], dtype=np.uint64)[0]
        else:
            state = mac(self._head(TWEAK))
            first = tweak ^ np.frombuffer(state[:8], dtype=np.uint64)[0]
        last = np.uint64(int.from_bytes(state[8:], "big"))
        a, b = halves
        blocks = np.empty((len(a), 2), dtype=np.uint64)
        out = np.empty(blocks.nbytes + BLOCK, dtype=np.uint8)
        forward = len(rounds) == 0 or rounds[0] == 0
        for i in rounds:
            modulus = self.moduli[i % 2]
            kept, other = (b, a) if forward else (a, b)
            blocks[:, 0] = first
            blocks[:, 1] = big_endian(kept ^ (last ^ np.uint64(i << 8 * self._b)))
            y = self._remainder(self._aes.into(blocks, out), modulus)
            if forward:
                y += other
                y = np.minimum(
                    y, y - np.uint64(modulus)
                )  # unsigned: where there is nothing to subtract, it wraps to a large number
                a, b = kept, y
            else:
                y = other - y
                y = np.minimum(y, y + np.uint64(modulus))
                a, b = y, kept
        return a, b

    def _remainder(self, found: Words, modulus: int) -> Words:
        """The number that the first d bytes of a block spell, by the modulus."""
        high = big_endian(found[:, 0])
        power = modulus & (modulus - 1) == 0
        if self._d == 8:
            return high & np.uint64(modulus - 1) if power else _by(high, modulus)
        low = big_endian(found[:, 1]) >> np.uint64(32)
        if power:
            return (high << np.uint64(32) | low) & np.uint64(modulus - 1)
        step = 16 if modulus <= 1 << 48 else 8
        rest = _by(high, modulus)
        for shift in range(32 - step, -1, -step):
            rest = _by(rest << np.uint64(step) | low >> np.uint64(shift) & np.uint64((1 << step) - 1), modulus)
        return rest

    def _each(self, halves: Halves, tweaks: Words, rounds: Sequence[int]) -> Halves:
        """Long strings with tweaks of their own: those of equal tweak together."""
        a, b = (np.array(half, dtype=object) for half in halves)
        order = np.argsort(tweaks, kind="stable")
        cuts = np.flatnonzero(np.diff(tweaks[order])) + 1
        for rows in np.split(order, cuts):
            if len(rows):
                a[rows], b[rows] = self._long((a[rows], b[rows]), tweaks[rows[:1]].tobytes(), rounds)
        return a, b

    def _long(self, halves: Halves, tweak: bytes, rounds: Sequence[int]) -> Halves:
        """The rounds on Python integers."""
        a, b = ([int(x) for x in half] for half in halves)
        if not a:
            return halves
        fixed = tweak + bytes((-len(tweak) - self._b - 1) % BLOCK)
        head = self._head(len(tweak)) + fixed
        forward = rounds[0] == 0
        for i in rounds:
            modulus = self.moduli[i % 2]
            kept, other = (b, a) if forward else (a, b)
            y = self._random(b"".join(head + bytes([i]) + x.to_bytes(self._b, "big") for x in kept), len(kept))
            mixed = [(x + z if forward else x - z) % modulus for x, z in zip(other, y, strict=True)]
            a, b = (kept, mixed) if forward else (mixed, kept)
        return _objects(a), _objects(b)

    def _random(self, joined: bytes, n: int) -> list[int]:
        """Steps ii to iv: the d bytes that follow from P and Q of each row, as numbers."""
        message = np.frombuffer(joined, dtype=np.uint64).reshape(n, -1, 2)
        state = np.zeros((n, 2), dtype=np.uint64)
        for position in range(message.shape[1]):
            state = self._aes(state ^ message[:, position])
        parts = [state]
        for j in range(1, -(-self._d // BLOCK)):
            counter = np.frombuffer(j.to_bytes(BLOCK, "big"), dtype=np.uint64)
            parts.append(self._aes(state ^ counter))
        rows = np.concatenate(parts, axis=1).view(np.uint8).reshape(n, -1)[:, : self._d]
        flat = rows.tobytes()
        return [int.from_bytes(flat[at : at + self._d], "big") for at in range(0, len(flat), self._d)]


def _by(values: Words, modulus: int) -> Words:
    # numpy divides by a constant much faster than it takes remainders.
    m = np.uint64(modulus)
    quotient = values // m
    quotient *= m
    np.subtract(values, quotient, out=quotient)
    return quotient


def _objects(values: list[int]) -> NDArray[np.object_]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))
