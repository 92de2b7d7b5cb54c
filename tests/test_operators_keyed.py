"""What the keyed operators guarantee: each paragraph `Guarantee:` has its tests here, attacks that must fail among
them."""

from __future__ import annotations

import hmac
import traceback
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_cases import parameters

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.operators.code import Code
from piiscan.masking.operators.fpe import Fpe
from piiscan.masking.operators.hashed import Hash
from piiscan.masking.operators.ip import Ip
from piiscan.masking.operators.mac import Mac
from piiscan.masking.operators.token import Token

SECRET = bytes(range(100, 132))
KEY = Key(SECRET).subkey("TEST")
OTHER = Key(SECRET).subkey("ANOTHER")
STATELESS: tuple[Any, ...] = (
    Hash(),
    Hash(normalise="compact"),
    Token(),
    Token(pad=16),
    Fpe(),
    Fpe(check="luhn"),
    Fpe(check="iban", keep_first=2),
    Fpe(keep_last=4),
    Ip(),
    Mac(),
)
REVERSIBLE = [op for op in STATELESS if op.reversible]

# Texts of the kinds that the operators tell apart, and anything at all.
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text("0123456789", max_size=22),
    st.text("0123456789-. /", max_size=22),
    st.text("abcXYZ0189-", max_size=40),
    st.integers(-(2**64), 2**65).map(str),
    st.ip_addresses().map(str),
    st.text("0123456789ABCDEFabcdef:", min_size=17, max_size=17),
    st.text("~tok1_abcd", max_size=12),
    st.from_regex(r"\A[0-9A-F]{2}(:[0-9A-F]{2}){5}\Z"),
)
COLUMNS = st.lists(TEXTS, unique=True, max_size=12)


def column(values: Sequence[str]) -> pl.Series:
    return pl.Series("x", values, dtype=pl.String)


def name(op: Any) -> str:
    return f"{op.name}{parameters(op) or ''}"


@pytest.mark.parametrize("op", STATELESS, ids=name)
@settings(deadline=None, max_examples=25)
@given(values=COLUMNS)
def test_masks_follow_the_contract(op: Any, values: list[str]) -> None:
    masks = op.mask(column(values), KEY)
    assert masks.dtype == pl.String
    assert len(masks) == len(values)
    assert masks.null_count() == 0
    assert op.declares(masks, KEY).all()
    assert [mask == "" for mask in masks] == [value == "" for value in values]
    # The cell alone decides, whatever else is in the batch.
    assert [op.mask(column([value]), KEY)[0] for value in values] == masks.to_list()


@pytest.mark.parametrize("op", REVERSIBLE, ids=name)
@settings(deadline=None, max_examples=40)
@given(values=COLUMNS)
def test_every_value_comes_back_and_none_share_a_mask(op: Any, values: list[str]) -> None:
    masks = op.mask(column(values), KEY)
    assert masks.n_unique() == len(values)
    assert op.unmask(masks, KEY).to_list() == values


@pytest.mark.parametrize("op", STATELESS, ids=name)
def test_operators_are_plain_frozen_parameters(op: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        op.anything = 1
    assert "Guarantee:" in type(op).__doc__
    for words in ("Assumes", "Ensures", "Does not protect"):
        assert words in type(op).__doc__.partition("Guarantee:")[2]
    assert type(op)(**parameters(op)) == op
    assert op.keyed
    assert op.deterministic


@pytest.mark.parametrize("op", (*STATELESS, Code()), ids=name)
def test_no_key_no_mask(op: Any) -> None:
    with pytest.raises(UsageError, match="piiscan key new"):
        op.mask(column(["123-45-6789"]), None)


@pytest.mark.parametrize("op", STATELESS, ids=name)
def test_other_keys_and_domains_give_other_masks(op: Any) -> None:
    values = column(["123-45-6789", "AB1234567", "8.8.8.8", "00:1a:2b:3c:4d:5e", "4111111111111111"])
    keys = (KEY, OTHER, Key(SECRET[::-1]).subkey("TEST"))
    columns = [op.mask(values, key).to_list() for key in keys]
    for i in range(len(values)):
        assert len({masks[i] for masks in columns}) == 3


@pytest.mark.parametrize("op", (Hash(), Token(), Fpe(), Ip(), Mac(), Code()), ids=name)
@pytest.mark.parametrize("dtype", ["string", "integer", "float", "boolean", "date", "datetime", "other"])
def test_types(op: Any, dtype: Any) -> None:
    takes = {"hash": "sibdt", "token": "sibdt", "code": "sibdt", "fpe": "si", "ip": "s", "mac": "s"}[op.name]
    letter = {"string": "s", "integer": "i", "boolean": "b", "date": "d", "datetime": "t"}.get(dtype, "-")
    if letter in takes:
        assert op.dtype(dtype) == (dtype if op.name == "fpe" else "string")
    else:
        with pytest.raises(UsageError, match=f"operator '{op.name}': can't mask a column of type {dtype}"):
            op.dtype(dtype)


# hash


def test_hash_is_hmac_sha256() -> None:
    secret = KEY.derive("hash").secret
    values = ["123-45-6789", "ż", "x" * 200]
    assert Hash(length=64).mask(column(values), KEY).to_list() == [
        hmac.digest(secret, v.encode(), "sha256").hex() for v in values
    ]
    assert Hash(length=16).mask(column(values), KEY).to_list() == [
        hmac.digest(secret, v.encode(), "sha256").hex()[:16] for v in values
    ]


@pytest.mark.parametrize(
    ("normalise", "same", "different"),
    [
        ("exact", [["a"]], [["a", "A", " a", "ａ", "a-"]]),
        ("folded", [["Ada", "ada ", "ＡＤＡ"], ["Żółć", "żółć", "z\u0307o\u0301łc\u0301".upper()]], [["a", "a-", "b"]]),
        ("compact", [["123-45-6789", "123456789", " 123 45 6789"], ["ab-1", "AB1"]], [["--", "-"], ["Ła", "a"]]),
    ],
)
def test_what_a_hash_takes_for_the_same(normalise: Any, same: list[list[str]], different: list[list[str]]) -> None:
    op = Hash(normalise=normalise)
    for values in same:
        assert op.mask(column(values), KEY).n_unique() == 1
    for values in different:
        assert op.mask(column(values), KEY).n_unique() == len(values)


@pytest.mark.parametrize("wrong", [{"length": 15}, {"length": 65}, {"normalise": "lower"}])
def test_wrong_parameters_of_hash(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="hash: "):
        Hash(**wrong)


def test_a_dictionary_of_social_security_numbers_finds_nothing_without_the_key() -> None:
    """Every number of an area that an attacker suspects, hashed and masked in every way that needs no key, and under
    keys of his own."""
    import hashlib

    guesses = [f"219-09-{serial:04}" for serial in range(10_000)]
    victims = column(guesses[4321:4331])
    theirs = Key(bytes(range(32))).subkey("TEST")
    for op in (Hash(), Token(), Fpe()):
        masks = set(op.mask(victims, KEY).to_list())
        tried = set(guesses) if op.name != "fpe" else set()  # a mask of the same look is a number of that look
        for guess in guesses:
            raw = guess.encode()
            for digest in (hashlib.sha256(raw), hashlib.sha1(raw), hashlib.md5(raw)):
                tried |= {digest.hexdigest(), digest.hexdigest()[:32]}
            tried.add(hmac.digest(bytes(32), raw, "sha256").hex()[:32])
        if op.name != "fpe":
            tried |= set(op.mask(column(guesses), theirs).to_list())
        assert not masks & tried
    # With FF1, what remains is a guess: masks of neighbours are spread over the whole range, and under another key they
    # are others.
    ours, others = Fpe().mask(column(guesses), KEY), Fpe().mask(column(guesses), theirs)
    assert (ours == others).sum() <= 1
    assert abs((ours.str.slice(0, 1).cast(pl.Int32) - 5).mean()) < 0.2


# token


def test_tokens_say_nothing_but_how_many_times_32_bytes_there_are() -> None:
    values = column(["a", "aa", "aaaaaaaa", "Ada", "Ada Lovelace", "Ada Lovelace.", "x" * 31])
    masks = Token().mask(values, KEY)
    assert masks.str.starts_with("~tok1_").all()
    assert masks.str.len_bytes().n_unique() == 1
    assert Token().mask(column(["x" * 32, "y" * 63]), KEY).str.len_bytes().n_unique() == 1
    bodies = [mask.removeprefix("~tok1_") for mask in masks]
    # No shared beginnings: 64 characters of 6 random bits, compared two and two.
    assert all(a[:6] != b[:6] for i, a in enumerate(bodies) for b in bodies[:i])
    many = Token().mask(column([f"Ada {i:06}" for i in range(20_000)]), KEY)
    for place in (6, 7, 30, 60):
        counts = many.str.slice(place, 1).value_counts()["count"]
        assert len(counts) == 64
        assert counts.max() < 1.3 * 20_000 / 64


def test_a_token_that_was_changed_or_is_anothers_is_refused() -> None:
    (token,) = Token().mask(column(["Ada"]), KEY)
    changed = [
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        token[:-4],
        token + "AAAA",
        token.upper(),
        "~tok1_",
        "~tok1_AAAA",
        "Ada",
        token[1:],
    ]
    assert not Token().declares(column(changed), KEY).any()
    for strange in (*changed, *Token().mask(column(["Ada"]), OTHER)):
        with pytest.raises(UsageError, match="1 of 2 distinct values aren't tokens made with this key") as error:
            Token().unmask(column([token, strange]), KEY)
        assert strange not in str(error.value)


@pytest.mark.parametrize("pad", [0, 15, 17, 8192])
def test_wrong_padding(pad: int) -> None:
    with pytest.raises(UsageError, match="multiple of 16"):
        Token(pad=pad)


def test_numbers_and_dates_become_text() -> None:
    import datetime as dt

    for values, texts in (
        (pl.Series([1, -20]), ["1", "-20"]),
        (pl.Series([dt.date(2020, 2, 29)]), ["2020-02-29"]),
        (pl.Series([dt.datetime(2020, 2, 29, 1, 2, 3)]), ["2020-02-29T01:02:03.000000"]),
        (pl.Series([True, False]), ["true", "false"]),
    ):
        assert Token().unmask(Token().mask(values, KEY), KEY).to_list() == texts
        assert Hash().mask(values, KEY).to_list() == Hash().mask(column(texts), KEY).to_list()


# No error shows what it is about.

CANARY = "Zyx9876543210"


@pytest.mark.parametrize("op", REVERSIBLE, ids=name)
def test_errors_hold_neither_values_nor_keys(op: Any) -> None:
    for values in (column([f"~{CANARY}"]), column([f"~tok1_{CANARY}"])):
        try:
            op.unmask(values, KEY)
        except UsageError as error:
            shown = "".join(traceback.format_exception(error))
            assert CANARY not in shown
            assert SECRET.hex() not in shown
            assert KEY.secret.hex() not in shown
        else:
            pytest.fail("it was no mask")
    assert CANARY not in repr(op)
