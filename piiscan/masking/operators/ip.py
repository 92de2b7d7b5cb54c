"""The operator `ip`: keyed addresses that keep their networks."""

from __future__ import annotations

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
    from piiscan.masking.crypto.prefixes import Numbers, Prefixes

_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_V4: Final = rf"^{_OCTET}(?:\.{_OCTET}){{3}}$"
_MAPPED: Final = "::ffff:"
_V4_RANGES: Final = ("0/8", "10/8", "100.64/10", "127/8", "169.254/16", "172.16/12", "192.168/16", "224/4", "240/4")
_V6_RANGES: Final = ((0x0000, 64), (0x2000, 3), (0xFC00, 7), (0xFE80, 10), (0xFF00, 8))


@dataclass(frozen=True)
class Ip(Operator):
    """Another IP address; two addresses that share their first n bits still share exactly n.

    Xu, Fan, Ammar and Moon, *Prefix-preserving IP address anonymization*, ICNP 2002; here with AES-256. IPv4 in dotted
    decimal, IPv6 as RFC 5952 spells it.

    Special ranges stay within themselves: 0/8, 10/8, 100.64/10, 127/8, 169.254/16, 172.16/12, 192.168/16, 224/4 and
    240/4; 2000::/3, fc00::/7, fe80::/10 and ff00::/8; `::` and `::1` stay. An IPv4 address written as IPv6
    (::ffff:192.0.2.1) is masked as the IPv4 address that it is. All other texts (addresses with a port or a network's
    length, in other spellings, none at all) become tokens (see `token`).

    Guarantee:
        Assumes a secret key that nobody guesses.
        Ensures that masks are one to one, equal for equal addresses in every column of the domain, and that networks
        stay networks; that `unmask` gives every text back exactly.
        Does not protect against those who know some addresses' masks, by their traffic or because they sent it: they
        learn the prefixes that others share with these (Brekne, Årnes and Øslebø, PET 2005); shows the range of an
        address that is in a special one, and of one that shares n bits with such a range its first n + 1 bits; nor
        against counting; nor against those who hold the key.
        Test: test_operators_addresses.py::test_addresses_share_as_many_bits_as_before
    """

    name: ClassVar[str] = "ip"
    keyed: ClassVar[bool] = True
    reversible: ClassVar[bool] = True
    keeps_distinct: ClassVar[bool] = True
    deterministic: ClassVar[bool] = True
    contract: ClassVar[Contract] = "range"
    permutes: ClassVar[bool] = True
    constant: ClassVar[tuple[str, ...]] = ("::", "::1")
    """Addresses that stay as they are: the unspecified and the loopback address."""

    def dtype(self, before: DType) -> DType:
        """String."""
        demand(self.name, before, ("string",))
        return before

    def mask(self, values: pl.Series, key: Subkey | None) -> pl.Series:
        """The masks of addresses."""
        secret = demand_key(self.name, key)
        return spread(values, lambda texts: _addresses(texts, secret, inverse=False))

    def unmask(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """The addresses of masks. Raises `UsageError` for tokens that aren't this key's."""
        secret = demand_key(self.name, key)
        return spread(masks, lambda texts: _addresses(texts, secret, inverse=True))

    def declares(self, masks: pl.Series, key: Subkey | None) -> pl.Series:
        """Whether each is an address, or a token made under this key, or empty."""
        import polars as pl

        from piiscan.masking.operators.sealing import opened

        known = _v4(masks) | _v4_mapped(masks) | (masks == "")
        at = (~known).arg_true()
        others = masks.gather(at)
        six = pl.Series([_packed(text) is not None for text in others.to_list()], dtype=pl.Boolean)
        return known.scatter(at, six | opened(others, demand_key(self.name, key)).is_not_null())

    def fixed_points(self, masks: pl.Series) -> float:
        """Constants do; of others one in as many as there are in their special range or, outside of all, in 2³².

        Neighbours stay together, so the number
        varies more than chance alone: by as many times as there are bits in which they differ.
        """
        import polars as pl

        found = float(masks.is_in(list(self.constant)).sum())
        four = masks.filter(_v4(masks)).str.split_exact(".", 3).struct.unnest()
        numbers = pl.DataFrame(four).select(pl.all().cast(pl.UInt32)).to_numpy() @ np.array(
            [1 << 24, 1 << 16, 1 << 8, 1]
        )
        free = np.full(len(numbers), 32)
        for begin, length in _v4_ranges():
            free[numbers >> (32 - length) == begin >> (32 - length)] = 32 - length
        return found + float((0.5**free).sum() * np.log2(len(numbers) + 1)) + (len(masks) - len(numbers)) * 0.5**32


def _v4(texts: pl.Series) -> pl.Series:
    return texts.str.contains(_V4)


def _v4_mapped(texts: pl.Series) -> pl.Series:
    return texts.str.starts_with(_MAPPED) & _v4(texts.str.slice(len(_MAPPED)))


def _addresses(texts: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
    import polars as pl

    from piiscan.masking.crypto.text_bytes import reassembled
    from piiscan.masking.operators import sealing

    mapped = _v4_mapped(texts)
    fours = (_v4(texts) | mapped).arg_true().to_numpy().astype(np.int64)
    parts = []
    if len(fours):
        masks = _v4_masked(texts.gather(fours).str.strip_prefix(_MAPPED), key, inverse)
        written = pl.select(pl.when(mapped.gather(fours)).then(_MAPPED + masks.alias("")).otherwise(masks)).to_series()
        parts.append((fours, written))
    others = np.setdiff1d(np.arange(len(texts)), fours, assume_unique=True)
    if len(others):
        found = texts.gather(others)
        packed = [_packed(text) for text in found.to_list()]
        sixes = np.array([p is not None for p in packed], dtype=np.bool_)
        masked = _v6_masked(b"".join(p for p in packed if p is not None), key, inverse)
        parts.append((others[sixes], pl.Series(masked, dtype=pl.String)))
        rest = found.filter(pl.Series(~sixes))
        parts.append((others[~sixes], sealing.restored(rest, key) if inverse else sealing.seal(rest, key)))
    return reassembled(parts, len(texts))


def _v4_masked(texts: pl.Series, key: Subkey, inverse: bool) -> pl.Series:
    import polars as pl

    octets = texts.str.split_exact(".", 3).struct.unnest()
    high = np.zeros(len(texts), dtype=np.uint64)
    for octet in octets:
        high = high << np.uint64(8) | octet.cast(pl.UInt64).to_numpy()
    high, _ = _prefixes(key, 32).permuted((high << np.uint64(32), np.zeros_like(high)), inverse)
    names = pl.Series([str(octet) for octet in range(256)])
    parts = [names.gather(pl.Series(high >> np.uint64(shift) & np.uint64(255))) for shift in (56, 48, 40, 32)]
    return pl.select(pl.concat_str([part.alias(str(i)) for i, part in enumerate(parts)], separator=".")).to_series()


def _v6_masked(packed: bytes, key: Subkey, inverse: bool) -> list[str]:
    from socket import AF_INET6, inet_ntop

    words = np.frombuffer(packed, dtype=">u8").astype(np.uint64).reshape(-1, 2)
    addresses: Numbers = (words[:, 0].copy(), words[:, 1].copy())
    masked = np.stack(_prefixes(key, 128).permuted(addresses, inverse), axis=1)
    masked[words[:, 0] == 0] = words[words[:, 0] == 0]  # :: and ::1
    flat = masked.astype(">u8").tobytes()
    return [inet_ntop(AF_INET6, flat[at : at + 16]) for at in range(0, len(flat), 16)]


def _packed(text: str) -> bytes | None:
    """The 16 bytes of an IPv6 address spelled as RFC 5952 does, if it has a mask of its own kind."""
    from socket import AF_INET6, inet_ntop, inet_pton

    if ":" not in text:
        return None
    try:
        packed = inet_pton(AF_INET6, text)
    except (OSError, ValueError):
        return None
    if inet_ntop(AF_INET6, packed) != text or (packed[:8] == bytes(8) and text not in Ip.constant):
        return None
    return packed


def _prefixes(key: Subkey, width: int) -> Prefixes:
    from piiscan.masking.crypto.prefixes import Prefixes, Range

    secret = key.derive("ip", str(width)).secret
    if width == 128:
        return Prefixes(secret, width, tuple(Range(begin << 48, length) for begin, length in _V6_RANGES))
    return Prefixes(secret, width, tuple(Range(begin << 32, length) for begin, length in _v4_ranges()))


def _v4_ranges() -> list[tuple[int, int]]:
    """The first address of each special range, and how many bits all of the range share."""
    ranges = []
    for text in _V4_RANGES:
        begin, _, length = text.partition("/")
        octets = bytes(int(octet) for octet in begin.split("."))
        ranges.append((int.from_bytes(octets.ljust(4, b"\0"), "big"), int(length)))
    return ranges
