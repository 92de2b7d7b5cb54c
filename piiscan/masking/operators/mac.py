"""The operator `mac`: keyed addresses of devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from piiscan.masking.operators.keying import spread
from piiscan.masking.operators.operator import Contract, Operator
from piiscan.masking.operators.preconditions import demand, demand_key

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.core.types import DType
    from piiscan.masking.crypto.text_bytes import Bytes, Ints

_MAC: Final = (
    r"^(?:[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}|[0-"
    r"9A-Fa-f]{12})$"
)
_LOCAL_MAC: Final = r"^[0-9A-Fa-f][26AEae]"


@dataclass(frozen=True)
class Mac(Operator):
    """Another MAC address, of no vendor: locally administered and for one station.

    IEEE 802, bits U/L 1 and I/G 0 of the first octet. Separators stay; letters are upper-case where the original has
    upper-case ones. Texts that are no MAC address become tokens (see `token`).

    Guarantee:
        Assumes a secret key that nobody guesses.
        Ensures that a mask shows nothing of an address, its vendor included; that addresses which vendors gave have
        different masks, as have those that were made up locally; one of either kind shares a mask with one of the
        other with a probability of 2⁻⁴⁶ a pair. The 2 bits that all masks share are why no key leads back.
        Does not protect against counting; nor against those who hold the key, who can try addresses.
        Test: test_operators_addresses.py::test_devices_lose_their_vendor
    """

    name: ClassVar[str] = "mac"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = False
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"

    def dtype(self, before: DType) -> DType:
        """String."""
        demand(self.name, before, ("string",))
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of addresses."""
        secret = demand_key(self.name, key)
        return spread(values, lambda texts: _devices(texts, secret))

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each is a local address of one station, or a token made under this key, or empty."""
        from piiscan.masking.operators.sealing import opened

        local = masks.str.contains(_MAC) & masks.str.contains(_LOCAL_MAC)
        return local | opened(masks, demand_key(self.name, key)).is_not_null() | (masks == "")


def _devices(texts: pl.Series, key: Subkey) -> pl.Series:
    from piiscan.masking.crypto.text_bytes import groups, reassembled
    from piiscan.masking.crypto.text_bytes import texts as taken_apart
    from piiscan.masking.operators import sealing

    right = texts.str.contains(_MAC).to_numpy()
    macs, others = np.flatnonzero(right), np.flatnonzero(~right)
    parts = [(others, sealing.seal(texts.gather(others), key))] if len(others) else []
    found = taken_apart(texts)
    for length, members in groups(found.lengths[macs]):
        rows = macs[members]
        parts.append((rows, _devices_of(found.take(rows).matrix(length), key)))
    return reassembled(parts, len(texts))


def _devices_of(written: Bytes, key: Subkey) -> pl.Series:
    """Masks of MAC addresses of one layout."""
    from piiscan.masking.crypto.numerals import permuted_below
    from piiscan.masking.crypto.text_bytes import series

    places: dict[int, Callable[[int], bool]] = {17: lambda i: i % 3 != 2, 14: lambda i: i % 5 != 4, 12: lambda i: True}
    hexadecimal = [i for i in range(written.shape[1]) if places[written.shape[1]](i)]
    codes = written[:, hexadecimal]
    numerals = np.where(codes >= 65, (codes & 0xDF) - 55, codes - 48).astype(np.uint64)
    address = np.zeros(len(codes), dtype=np.uint64)
    for column in numerals.T:
        address = address << np.uint64(4) | column
    # The lowest bits of the first octet tell who gave the address, and whether to one station: they choose among four
    # permutations of the rest.
    kind = (address >> np.uint64(40) & np.uint64(3)).astype(np.int64)
    rest = address >> np.uint64(42) << np.uint64(40) | address & np.uint64((1 << 40) - 1)
    secret = key.derive("mac").secret
    for given in range(4):
        rows: Ints = np.flatnonzero(kind == given)
        rest[rows] = permuted_below(rest[rows], 1 << 46, secret, bytes([given]))
    address = rest >> np.uint64(40) << np.uint64(42) | np.uint64(2 << 40) | rest & np.uint64((1 << 40) - 1)
    case = np.where(((codes >= 65) & (codes <= 70)).any(axis=1), 0, 0x20).astype(np.uint8)
    digits = np.frombuffer(b"0123456789ABCDEF", dtype=np.uint8)
    out = written.copy()
    for position, shift in zip(hexadecimal, range(44, -1, -4), strict=True):
        code = digits[(address >> np.uint64(shift) & np.uint64(15)).astype(np.intp)]
        out[:, position] = code | np.where(code >= 65, case, np.uint8(0))
    return series(out)
