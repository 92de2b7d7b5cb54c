"""Published test vectors of every construction that is our own over AES, and agreement with `cryptography` where it
has the same."""

from __future__ import annotations

import hmac
import ipaddress
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.masking.crypto import cmac, hmac_sha256
from piiscan.masking.crypto.ff1 import Ff1
from piiscan.masking.crypto.prefixes import Prefixes
from piiscan.masking.crypto.siv import Siv

KEY = bytes(range(32))

# NIST SP 800-38B, appendix D (updated 2016); the AES-128 ones are RFC 4493's too.
MESSAGE = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
CMAC_VECTORS = [
    ("2b7e151628aed2a6abf7158809cf4f3c", 0, "bb1d6929e95937287fa37d129b756746"),
    ("2b7e151628aed2a6abf7158809cf4f3c", 16, "070a16b46b4d4144f79bdd9dd04a287c"),
    ("2b7e151628aed2a6abf7158809cf4f3c", 40, "dfa66747de9ae63030ca32611497c827"),
    ("2b7e151628aed2a6abf7158809cf4f3c", 64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", 0, "d17ddf46adaacde531cac483de7a9367"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", 16, "9e99a7bf31e710900662f65e617c5184"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", 40, "8a1de5be2eb31aad089a82e6ee908b0e"),
    ("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", 64, "a1d5df0eed790f794d77589659f39a11"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", 0, "028962f61b7bf89efc6b551f4667d983"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", 16, "28a7023f452e8f82bd4bf28d8c37c35c"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", 40, "aaf3d8f1de5640c232f5b169b9c911e6"),
    ("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", 64, "e1992190549f6ed5696a2c056c315410"),
]


@pytest.mark.parametrize(("key", "length", "tag"), CMAC_VECTORS)
def test_cmac_of_nist(key: str, length: int, tag: str) -> None:
    assert cmac.of_bytes(MESSAGE[:length], bytes.fromhex(key)).hex() == tag


@settings(deadline=None)
@given(st.lists(st.text(max_size=70), max_size=12))
def test_cmac_of_a_column_is_cryptographys_of_each_text(values: list[str]) -> None:
    found = cmac.prf(pl.Series(values, dtype=pl.String), KEY)
    assert found.shape == (len(values), 2)
    assert found.dtype == np.uint64
    for value, row in zip(values, found, strict=True):
        other = CMAC(AES(KEY))
        other.update(value.encode())
        assert row.tobytes() == other.finalize()


@settings(deadline=None)
@given(st.binary(max_size=64), st.lists(st.text(max_size=200), max_size=6))
def test_hmacs_are_those_of_the_standard_library(key: bytes, texts: list[str]) -> None:
    assert hmac_sha256.digests(key, texts) == [hmac.digest(key, text.encode(), "sha256") for text in texts]
    with pytest.raises(ValueError, match="65 bytes"):
        hmac_sha256.digests(bytes(65), texts)


def test_cmac_of_many_rows_and_of_very_long_texts() -> None:
    values = [f"user{i}@example.org" * (1 + 40 * (i % 997 == 0)) for i in range(70_000)]
    found = cmac.prf(pl.Series(values), KEY)
    for i in (0, 1, 997, 32_767, 32_768, 69_999):
        other = CMAC(AES(KEY))
        other.update(values[i].encode())
        assert found[i].tobytes() == other.finalize()


# NIST, "Block Cipher Modes of Operation: FF1 Method for Format-Preserving Encryption", examples with intermediate
# values, samples 1 to 9.
FF1_KEY = "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94"
FF1_VECTORS = [
    (16, 10, "", "0123456789", "2433477484"),
    (16, 10, "39383736353433323130", "0123456789", "6124200773"),
    (16, 36, "3737373770717273373737", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, "", "0123456789", "2830668132"),
    (24, 10, "39383736353433323130", "0123456789", "2496655549"),
    (24, 36, "3737373770717273373737", "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, "", "0123456789", "6657667009"),
    (32, 10, "39383736353433323130", "0123456789", "1001623463"),
    (32, 36, "3737373770717273373737", "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
]


@pytest.mark.parametrize("small", [True, False], ids=["numpy", "integers"])
@pytest.mark.parametrize(("size", "radix", "tweak", "plain", "sealed"), FF1_VECTORS)
def test_ff1_of_nist(size: int, radix: int, tweak: str, plain: str, sealed: str, small: bool) -> None:
    cipher = Ff1(bytes.fromhex(FF1_KEY)[:size], radix, len(plain))
    assert cipher.small
    cipher.small = small

    def halves(text: str) -> tuple[np.ndarray, np.ndarray]:
        dtype = np.uint64 if small else object
        numbers = int(text[: cipher.left], radix), int(text[cipher.left :], radix)
        return np.array([numbers[0]] * 3, dtype=dtype), np.array([numbers[1]] * 3, dtype=dtype)

    found = cipher.encrypt(halves(plain), bytes.fromhex(tweak))
    assert all((a == b).all() for a, b in zip(found, halves(sealed), strict=True))
    back = cipher.decrypt(found, bytes.fromhex(tweak))
    assert all((a == b).all() for a, b in zip(back, halves(plain), strict=True))


@pytest.mark.parametrize(("radix", "length"), [(10, 5), (2, 19), (1, 40), (1 << 17, 4), (10**6, 1), (36, 3)])
def test_ff1_refuses_small_domains(radix: int, length: int) -> None:
    with pytest.raises(ValueError, match="a million"):
        Ff1(KEY, radix, length)


# RFC 5297, appendix A.
SIV_VECTORS = [
    (
        "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        ["101112131415161718191a1b1c1d1e1f2021222324252627"],
        "112233445566778899aabbccddee",
        "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c",
    ),
    (
        "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f",
        [
            "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100",
            "102030405060708090a0",
            "09f911029d74e35bd84156c5635688c0",
        ],
        "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d414553",
        "7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c485b62a3fd5c0d",
    ),
]


@pytest.mark.parametrize(("key", "associated", "plain", "sealed"), SIV_VECTORS)
def test_siv_of_the_rfc(key: str, associated: list[str], plain: str, sealed: str) -> None:
    secret = bytes.fromhex(key)
    siv = Siv(secret[:16], secret[16:], *map(bytes.fromhex, associated))
    rows = np.frombuffer(bytes.fromhex(plain) * 2, dtype=np.uint8).reshape(2, -1)
    found = siv.seal(rows)
    assert [row.tobytes().hex() for row in found] == [sealed, sealed]
    back, good = siv.open(found)
    assert good.all()
    assert (back == rows).all()


@settings(deadline=None)
@given(st.integers(1, 70), st.binary(min_size=32, max_size=32), st.binary(max_size=40), st.randoms())
def test_siv_is_cryptographys(length: int, seed: bytes, associated: bytes, random: object) -> None:
    plain = np.frombuffer((seed * 12)[: length * 5], dtype=np.uint8).reshape(5, length)
    found = Siv(KEY, seed, associated).seal(plain)
    other = AESSIV(KEY + seed)
    assert [row.tobytes() for row in found] == [other.encrypt(row.tobytes(), [associated]) for row in plain]


def test_siv_refuses_a_changed_text() -> None:
    siv = Siv(KEY, KEY[::-1], b"here")
    sealed = siv.seal(np.zeros((48 * 8, 32), dtype=np.uint8))
    for bit in range(48 * 8):
        sealed[bit, bit // 8] ^= 1 << bit % 8
    plain, good = siv.open(sealed)
    assert not good.any()
    assert not plain.any()
    assert not Siv(KEY, KEY[::-1], b"there").open(siv.seal(np.zeros((1, 32), dtype=np.uint8)))[1].any()


# The sample trace that comes with Crypto-PAn 1.0.
PAN_KEY = bytes([21, 34, 23, 141, 51, 164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16])
PAN_PAD = bytes([216, 152, 143, 131, 121, 121, 101, 39, 98, 87, 76, 45, 42, 132, 34, 2])
PAN_VECTORS = {
    "128.11.68.132": "135.242.180.132",
    "129.118.74.4": "134.136.186.123",
    "130.132.252.244": "133.68.164.234",
    "141.223.7.43": "141.167.8.160",
    "141.233.145.108": "141.129.237.235",
    "152.163.225.39": "151.140.114.167",
    "156.29.3.236": "147.225.12.42",
    "165.247.96.84": "162.9.99.234",
    "166.107.77.190": "160.132.178.185",
    "192.102.249.13": "252.138.62.131",
}


def test_prefixes_are_crypto_pans() -> None:
    addresses = np.array([int(ipaddress.ip_address(text)) << 32 for text in PAN_VECTORS], dtype=np.uint64)
    cipher = Prefixes(PAN_KEY, 32, pad=PAN_PAD)
    found, _ = cipher.permuted((addresses, np.zeros_like(addresses)))
    assert [str(ipaddress.ip_address(int(x) >> 32)) for x in found] == list(PAN_VECTORS.values())
    assert (cipher.permuted((found, np.zeros_like(found)), inverse=True)[0] == addresses).all()


def test_each_prefix_has_a_flip_of_its_own() -> None:
    """Crypto-PAn's pad makes half of a bit's flips those of the bit before; ours are as often alike as not."""
    addresses = np.random.default_rng(1).integers(0, 1 << 32, 4000).astype(np.uint64) << np.uint64(32)

    def alike(cipher: Prefixes) -> float:
        flips = cipher.permuted((addresses, np.zeros_like(addresses)))[0] ^ addresses
        bits = [flips >> np.uint64(63 - place) & np.uint64(1) for place in range(12, 32)]
        return float(np.mean([a == b for a, b in pairwise(bits)]))

    assert alike(Prefixes(PAN_KEY, 32, pad=PAN_PAD)) > 0.7
    assert abs(alike(Prefixes(PAN_KEY, 32)) - 0.5) < 0.02
