"""Permutations are permutations: one to one, onto, undone by their inverse, and unrelated under other keys and
tweaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.masking.crypto.ff1 import Ff1
from piiscan.masking.crypto.numerals import permuted, permuted_below
from piiscan.masking.crypto.prefixes import Prefixes, Range
from piiscan.masking.crypto.text_bytes import Texts, groups, of_matrix, series, texts, unjoined

KEY = bytes(range(32))
OTHER = KEY[::-1]


@pytest.mark.parametrize(("radix", "length"), [(10, 6), (2, 20), (100, 3), (1000, 2)])
def test_ff1_is_one_to_one_and_onto(radix: int, length: int) -> None:
    cipher = Ff1(KEY, radix, length)
    everything = np.arange(radix**length, dtype=np.uint64)
    halves = everything // cipher.moduli[1], everything % np.uint64(cipher.moduli[1])
    left, right = cipher.encrypt(halves)
    found = left * np.uint64(cipher.moduli[1]) + right
    assert (np.sort(found) == everything).all()
    assert 0 <= (found == everything).sum() < 12  # one fixed point is expected


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([2, 3, 10, 26, 36, 62, 256, 65536]),
    st.integers(2, 60),
    st.binary(max_size=40),
    st.randoms(use_true_random=False),
)
def test_ff1_is_undone_and_both_arithmetics_agree(radix: int, length: int, tweak: bytes, random: object) -> None:
    if radix**length < 10**6:
        return
    cipher, other = Ff1(KEY, radix, length), Ff1(KEY, radix, length)
    numbers = [[random.randrange(m) for _ in range(5)] for m in cipher.moduli]  # type: ignore[attr-defined]
    dtype = np.uint64 if cipher.small else object
    halves = np.array(numbers[0], dtype=dtype), np.array(numbers[1], dtype=dtype)
    found = cipher.encrypt(halves, tweak)
    assert all((half < m).all() for half, m in zip(found, cipher.moduli, strict=True))
    assert all((a == b).all() for a, b in zip(cipher.decrypt(found, tweak), halves, strict=True))
    other.small = False
    long = other.encrypt((np.array(numbers[0], dtype=object), np.array(numbers[1], dtype=object)), tweak)
    assert all((a == b).all() for a, b in zip(found, long, strict=True))


@settings(deadline=None, max_examples=40)
@given(st.integers(7, 60), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8))
def test_a_tweak_a_row_is_the_tweak_of_eight_bytes(length: int, tweaks: list[int]) -> None:
    cipher = Ff1(KEY, 10, length)
    dtype = np.uint64 if cipher.small else object
    halves = np.full(len(tweaks), 12, dtype=dtype), np.full(len(tweaks), 345, dtype=dtype)
    words = np.array(tweaks, dtype=np.uint64)
    found = cipher.encrypt(halves, words)
    for i, word in enumerate(words):
        one = cipher.encrypt((halves[0][i : i + 1], halves[1][i : i + 1]), word.tobytes())
        assert (found[0][i], found[1][i]) == (one[0][0], one[1][0])
    assert all((a == b).all() for a, b in zip(cipher.decrypt(found, words), halves, strict=True))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 2**32), st.booleans())
def test_numerals_keep_their_radices_and_come_back(letters: int, digits: int, seed: int, tweaked: bool) -> None:
    if 26**letters * 10**digits < 10**6 or letters + digits < 2:
        return
    rng = np.random.default_rng(seed)
    radices = np.array([rng.permutation([26] * letters + [10] * digits) for _ in range(20)], dtype=np.uint8)
    numerals = (rng.integers(0, 1 << 30, radices.shape) % radices).astype(np.uint8)
    tweak = rng.integers(0, 1 << 63, 20).astype(np.uint64) if tweaked else b"as one"
    found = permuted(numerals, radices, KEY, tweak)
    assert (found < radices).all()
    assert (permuted(found, radices, KEY, tweak, inverse=True) == numerals).all()
    assert (found != permuted(numerals, radices, OTHER, tweak)).any()


@pytest.mark.parametrize("count", [10**6, 10**6 + 3, 2**20, 2**20 + 1])
def test_integers_below_a_number_are_permuted(count: int) -> None:
    everything = np.arange(count, dtype=np.uint64)
    found = permuted_below(everything, count, KEY)
    assert (np.sort(found) == everything).all()
    assert (permuted_below(found, count, KEY, inverse=True) == everything).all()
    assert (permuted_below(everything, count, KEY, b"other") != found).any()


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([32, 128]), st.lists(st.integers(0, 2**128 - 1), min_size=2, max_size=12), st.integers(0, 127))
def test_prefixes_are_preserved_exactly(width: int, numbers: list[int], shared: int) -> None:
    numbers.append(numbers[0] ^ 1 << shared)  # two that part at a given bit
    numbers = [n >> (128 - width) << (128 - width) for n in numbers]
    ranges = (Range(0x0A << 56, 8), Range(0xC0A8 << 48, 16))
    cipher = Prefixes(KEY, width, ranges)
    addresses = (
        np.array([n >> 64 for n in numbers], dtype=np.uint64),
        np.array([n & (1 << 64) - 1 for n in numbers], dtype=np.uint64),
    )
    masked = cipher.permuted(addresses)
    back = cipher.permuted(masked, inverse=True)
    assert all((a == b).all() for a, b in zip(back, addresses, strict=True))
    found = [int(a) << 64 | int(b) for a, b in zip(*masked, strict=True)]
    for x, y in zip(numbers[1:], found[1:], strict=True):
        assert (numbers[0] ^ x).bit_length() == (found[0] ^ y).bit_length()
    for place in ranges:
        inside = [n >> (128 - place.length) == place.high >> (64 - place.length) for n in numbers]
        assert inside == [n >> (128 - place.length) == place.high >> (64 - place.length) for n in found]


@settings(deadline=None)
@given(st.lists(st.text(max_size=40), max_size=15))
def test_texts_are_taken_apart_and_put_together(values: list[str]) -> None:
    import polars as pl

    values = [value.replace("\0", "") for value in values]
    found = texts(pl.Series(values, dtype=pl.String))
    assert unjoined(found).to_list() == values
    for i, value in enumerate(values):
        raw = value.encode()
        assert found.take(np.array([i])).matrix(len(raw)).tobytes() == raw
        padded = raw + b"\x80" + bytes(-(len(raw) + 1) % 16)
        blocks = b"".join(found.take(np.array([i])).block(place).tobytes() for place in range(len(padded) // 16))
        assert blocks == padded


def test_groups_are_rows_by_label() -> None:
    assert [(label, rows.tolist()) for label, rows in groups(np.array([3, 1, 3, 2, 1]))] == [
        (1, [1, 4]),
        (2, [3]),
        (3, [0, 2]),
    ]
    assert groups(np.array([], dtype=np.int64)) == []


def test_a_matrix_is_texts() -> None:
    matrix = np.frombuffer(b"abcdef", dtype=np.uint8).reshape(3, 2)
    assert series(matrix).to_list() == ["ab", "cd", "ef"]
    assert isinstance(of_matrix(matrix), Texts)
    assert series(matrix[:0]).to_list() == []
