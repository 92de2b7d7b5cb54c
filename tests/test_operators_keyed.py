"""What the keyed operators guarantee: each paragraph `Guarantee:` has its tests here, attacks that must fail among them."""

from __future__ import annotations

import hmac
import ipaddress
import traceback
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan import checks
from piiscan.errors import UsageError
from piiscan.keys import Key
from piiscan.operators.base import parameters
from piiscan.operators.code import Code
from piiscan.operators.fpe import Fpe
from piiscan.operators.hashed import Hash
from piiscan.operators.ip import Ip
from piiscan.operators.mac import Mac
from piiscan.operators.token import Token

SECRET = bytes(range(100, 132))
KEY = Key(SECRET).subkey("TEST")
OTHER = Key(SECRET).subkey("ANOTHER")
STATELESS: tuple[Any, ...] = (
    Hash(), Hash(normalise="compact"), Token(), Token(pad=16), Fpe(), Fpe(check="luhn"), Fpe(check="iban", keep_first=2), Fpe(keep_last=4), Ip(), Mac(),
)  # fmt: skip
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
@settings(deadline=None, max_examples=40)
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
@settings(deadline=None, max_examples=60)
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
    for words in ("assumes", "Ensures", "Does not protect"):
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
        with pytest.raises(UsageError, match=f"{op.name} can't mask a column of type {dtype}"):
            op.dtype(dtype)


# hash


def test_hash_is_hmac_sha256() -> None:
    secret = KEY.derive("hash").secret
    values = ["123-45-6789", "ż", "x" * 200]
    assert Hash(length=64).mask(column(values), KEY).to_list() == [hmac.digest(secret, v.encode(), "sha256").hex() for v in values]
    assert Hash(length=16).mask(column(values), KEY).to_list() == [hmac.digest(secret, v.encode(), "sha256").hex()[:16] for v in values]


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
    """Every number of an area that an attacker suspects, hashed and masked in every way that needs no key, and under keys of his own."""
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
    # With FF1, what remains is a guess: masks of neighbours are spread over the whole range, and under another key they are others.
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
        with pytest.raises(UsageError, match="1 of 2 distinct values are no tokens made under this key") as error:
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


# fpe


def kinds(text: str) -> str:
    return "".join("9" if c.isdigit() else "a" if c.islower() else "A" if c.isupper() else c for c in text)


@pytest.mark.parametrize("op", [Fpe(), Fpe(keep_first=2), Fpe(keep_last=3), Fpe(check="luhn")], ids=name)
@settings(deadline=None, max_examples=60)
@given(values=st.lists(st.from_regex(r"\A[0-9A-Za-z .:/()_-]{9,30}\Z"), unique=True, max_size=10))
def test_a_mask_has_the_look_of_its_value(op: Fpe, values: list[str]) -> None:
    for value, mask in zip(values, op.mask(column(values), KEY), strict=True):
        if mask.startswith("~"):
            continue
        codes = [c for c in value if c.isalnum()]
        if sum(c.isdigit() for c in codes) + sum(c.isalpha() for c in codes) > 7:
            assert kinds(mask) == kinds(value)
            masked = [c for c in mask if c.isalnum()]
            assert masked[: op.keep_first] == codes[: op.keep_first]
            assert masked[len(codes) - op.keep_last :] == codes[len(codes) - op.keep_last :]


def test_spellings_of_one_number_have_spellings_of_one_mask() -> None:
    dashed, plain, spaced, small, capital = Fpe().mask(column(["078-05-1120", "078051120", "078 05 1120", "ab-123456", "AB123456"]), KEY)
    assert dashed.replace("-", "") == plain == spaced.replace(" ", "")
    assert small.replace("-", "").upper() == capital
    integers = pl.Series([178051120, 12, -5, 9223372036854775807])
    assert Fpe().mask(integers, KEY).cast(pl.String).to_list() == Fpe().mask(integers.cast(pl.String), KEY).to_list()


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64, pl.Int32, pl.UInt32])
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_integers_stay_integers_of_as_many_digits(dtype: Any, data: st.DataObject) -> None:
    low, high = {
        pl.Int64: (-(2**63) + 1, 2**63 - 1),
        pl.UInt64: (0, 2**64 - 1),
        pl.Int32: (-(10**9) + 1, 10**9 - 1),
        pl.UInt32: (0, 10**9 - 1),
    }[dtype]
    sizes = st.integers(0, 64).flatmap(lambda bits: st.integers(max(low, -(2**bits)), min(high, 2**bits)))
    values = pl.Series(data.draw(st.lists(sizes, unique=True, max_size=12)), dtype=dtype)
    masks = Fpe().mask(values, KEY)
    assert masks.dtype == dtype
    assert masks.n_unique() == len(values)
    assert Fpe().declares(masks, KEY).all()
    assert Fpe().unmask(masks, KEY).to_list() == values.to_list()
    for value, mask in zip(values, masks, strict=True):
        assert (value < 0) == (mask < 0)
        if abs(value) >= 10**7:
            assert len(str(value)) == len(str(mask))


@pytest.mark.parametrize(
    ("op", "values", "says"),
    [
        (Fpe(), pl.Series([77], dtype=pl.Int16), "16-bit integers have no room"),
        (Fpe(), pl.Series([2_000_000_000], dtype=pl.Int32), "cast the column to 64 bits"),
        (Fpe(keep_first=2), pl.Series([12345]), "too few digits"),
        (Fpe(keep_last=4), pl.Series([123456789]), "too few digits"),
        (Fpe(), pl.Series([-(2**63)]), "none that fit the column"),
    ],
)
def test_integers_that_can_not_be_masked_are_refused(op: Fpe, values: pl.Series, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        op.mask(values, KEY)
    assert str(values[0]) not in str(error.value)


@pytest.mark.parametrize("value", ["12345", "ab", "AB12", "N/A", "012345", "Łódź 12345678", "~1234567890", "1234567\t", "-", "00-0000"])
def test_few_possible_values_and_strange_ones_become_tokens(value: str) -> None:
    (mask,) = Fpe().mask(column([value]), KEY)
    assert mask.startswith("~tok1_") == (value != "12345")  # an integer goes among the integers below 10⁶


def test_small_integers_are_a_permutation_of_a_million() -> None:
    values = pl.Series(range(0, 1_000_000, 7))
    masks = Fpe().mask(values, KEY)
    assert masks.n_unique() == len(values)
    assert 0 <= masks.min() < masks.max() < 1_000_000
    assert abs(masks.mean() - 500_000) < 5_000


@pytest.mark.parametrize(
    "op", [Fpe(check="CREDIT_CARD"), Fpe(check="luhn", keep_first=6), Fpe(check="luhn", keep_first=1, keep_last=4)], ids=name
)
def test_cards_stay_valid_and_invalid_ones_invalid(op: Fpe) -> None:
    rng = np.random.default_rng(3)
    values = column([f"4{n:015}" for n in rng.integers(0, 10**15, 4000).tolist()] + [f"5100 {n:04} 9999 0000" for n in range(2000)])
    masks = op.mask(values, KEY)
    assert checks.valid_many("luhn", masks.to_list()).tolist() == checks.valid_many("luhn", values.to_list()).tolist()
    assert op.unmask(masks, KEY).to_list() == values.to_list()
    assert masks.n_unique() == len(values)
    assert (masks != values).all()
    assert (masks.str.slice(0, op.keep_first) == values.str.slice(0, op.keep_first)).all() or " " in values[-1][: op.keep_first]


# A valid number each, as the rules give them.
NUMBERS = {
    "iban": ["GB29NWBK60161331926819", "DE89370400440532013000", "FR1420041010050500013M02606"], "br_cpf": ["390.533.447-05"], "pl_pesel": ["44051401359"],
    "es_dni": ["54362315-K"], "nl_bsn": ["111222333"], "uk_nhs": ["943 476 5919"], "de_tax_id": ["86 095 742 719"], "verhoeff": ["234123412346"],
    "vin": ["1M8GDM9AXKP042788"], "it_fiscal_code": ["RSSMRA80A01H501U"], "no_fodselsnummer": ["151086 95088"], "ch_ahv": ["756.9217.0769.85"],
    "fr_nir": ["255081416802538"], "mx_curp": ["BOXW310820HNERXN09"], "cz_rodne_cislo": ["710319/2745"], "jp_corporate": ["7000012050002"],
    "at_uid": ["ATU13585627"], "pt_cc": ["000000000ZZ4"],
}  # fmt: skip


@pytest.mark.parametrize("check", NUMBERS)
def test_numbers_with_check_digits_stay_valid(check: str) -> None:
    values = column(NUMBERS[check])
    if not checks.valid_many(check, values.to_list()).all():
        pytest.fail("the example isn't valid")
    op = Fpe(check=check, keep_first=2 if check == "iban" else 0)
    masks = op.mask(values, KEY)
    assert checks.valid_many(check, masks.to_list()).all()
    assert [kinds(m) for m in masks] == [kinds(v) for v in values]
    assert op.unmask(masks, KEY).to_list() == values.to_list()
    invalid = column(
        [v[:-1] + ("0" if v[-1] != "0" else "1") if v[-1].isdigit() else v[:-1] + ("A" if v[-1] != "A" else "B") for v in values]
    )
    wrong = op.mask(invalid, KEY)
    assert not checks.valid_many(check, wrong.to_list()).any()
    assert op.unmask(wrong, KEY).to_list() == invalid.to_list()


def test_a_whole_class_of_valid_numbers_is_permuted() -> None:
    """All 10⁶ bodies of 7 digits and a check digit that don't begin with 0: each valid number is the mask of exactly one."""
    bodies = [f"{n:07}" for n in range(1_000_000, 1_300_000)]
    from piiscan.operators.validity import Check

    codes = np.array([list(b.encode()) + [48] for b in bodies], dtype=np.uint8)
    whole, some = Check("luhn").completed(codes, (7,))
    assert some.all()
    values = column([row.tobytes().decode() for row in whole])
    masks = Fpe(check="luhn").mask(values, KEY)
    assert masks.n_unique() == len(values)
    assert checks.valid_many("luhn", masks.to_list()).all()
    assert not masks.str.starts_with("0").any()


@pytest.mark.parametrize("check", ["luhn", "iban"])
def test_check_digits_worked_out_are_those_found_by_trying(check: str) -> None:
    from piiscan.operators import validity

    rng = np.random.default_rng(5)
    rows = rng.integers(48, 58, (300, 20), dtype=np.uint8)
    rows[:, :2] = [71, 66] if check == "iban" else [52, 49]
    places = (2, 3) if check == "iban" else (13,)
    direct, some = validity.Check(check).completed(rows, places)
    assert some.all()
    assert validity.Check(check).valid(direct).all()
    saved = validity._DIRECT.pop((check, len(places)))
    try:
        tried, found = validity.Check(check).completed(rows, places)
        assert validity.Check(check).which(direct, places).tolist() == [0] * 300
    finally:
        validity._DIRECT[check, len(places)] = saved
    assert found.all()
    assert (tried == direct).all()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"check": "no_such_check"}, "there is no check no_such_check"),
        ({"check": "../x"}, "there is no check"),
        ({"check": "arithmetic"}, "there is no check"),
        ({"check": "bitcoin"}, "choose the operator token"),
        ({"check": "fi_hetu"}, "no letter or digit"),
        ({"keep_first": -1}, "0 or more"),
    ],
)
def test_wrong_parameters_of_fpe(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Fpe(**wrong)


def test_a_check_that_hardly_anything_passes_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from piiscan.operators import classes

    monkeypatch.setattr(classes, "_STEPS", 50)
    with pytest.raises(UsageError, match="few values pass the check nl_vat") as error:
        Fpe(check="nl_vat").mask(column(["NL123456782B90"]), KEY)
    assert "123456782" not in str(error.value)
    monkeypatch.undo()
    (mask,) = Fpe(check="nl_vat", keep_first=2).mask(column(["NL123456782B90"]), KEY)
    assert checks.is_valid("nl_vat", mask)


def test_checks_are_named_by_subtype_too() -> None:
    from piiscan.operators.validity import check_name

    assert [check_name(n) for n in ("PL_PESEL", "BR_CPF", "CREDIT_CARD", "IBAN_CODE", "luhn")] == [
        "pl_pesel",
        "br_cpf",
        "luhn",
        "iban",
        "luhn",
    ]


# ip, mac


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([4, 6]), st.data())
def test_addresses_share_as_many_bits_as_before(version: Any, data: st.DataObject) -> None:
    first, second = (data.draw(st.ip_addresses(v=version)) for _ in range(2))
    bits = first.max_prefixlen
    near = ipaddress.ip_address(int(first) ^ 1 << data.draw(st.integers(0, bits - 1)))
    if type(near) is not type(first):
        return
    values = [str(a) for a in dict.fromkeys((first, second, near)) if int(a) >> 64 or version == 4]
    masks = [ipaddress.ip_address(m) for m in Ip().mask(column(values), KEY)]
    for i, value in enumerate(values):
        for j in range(i):
            before = int(ipaddress.ip_address(value)) ^ int(ipaddress.ip_address(values[j]))
            assert before.bit_length() == (int(masks[i]) ^ int(masks[j])).bit_length()


SPECIAL = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/4 240.0.0.0/4 2000::/3 fc00::/7 fe80::/10 ff00::/8"


@pytest.mark.parametrize("network", SPECIAL.split())
def test_special_ranges_stay_within_themselves(network: str) -> None:
    net = ipaddress.ip_network(network)
    rng = np.random.default_rng(9)
    inside = [net[int(i)] for i in rng.integers(1, min(net.num_addresses, 1 << 62), 200)]
    outside = [ipaddress.ip_address(int(a) ^ 1 << (net.max_prefixlen - net.prefixlen + int(rng.integers(net.prefixlen)))) for a in inside]
    outside = [a for a in outside if a.version == net.version and (a.version == 4 or int(a) >> 64)]
    for values, stays in ((inside, True), (outside, False)):
        masks = Ip().mask(column(sorted({str(a) for a in values})), KEY)
        assert {ipaddress.ip_address(m) in net for m in masks} == {stays}


def test_addresses_in_other_clothes() -> None:
    plain, mapped, loop, nothing, port, cased = Ip().mask(
        column(["192.0.2.7", "::ffff:192.0.2.7", "::1", "::", "192.0.2.7:80", "2001:DB8::1"]), KEY
    )
    assert mapped == f"::ffff:{plain}" != "::ffff:192.0.2.7"
    assert (loop, nothing) == ("::1", "::")
    assert port.startswith("~tok1_")
    assert cased.startswith("~tok1_")


def test_devices_lose_their_vendor() -> None:
    vendor = column([f"00:1A:2B:{i >> 8 & 255:02X}:{i & 255:02X}:07" for i in range(5000)])
    masks = Mac().mask(vendor, KEY)
    assert masks.n_unique() == 5000
    assert masks.str.contains(r"^[0-9A-F][26AE](:[0-9A-F]{2}){5}$").all()
    assert masks.str.slice(0, 8).n_unique() > 4900
    assert Mac().declares(masks, KEY).all()
    assert not Mac().declares(vendor, KEY).any()


def test_spellings_of_a_device() -> None:
    spelled = ["00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5E", "001a.2b3c.4d5e", "001A2B3C4D5E"]
    masks = Mac().mask(column(spelled), KEY)
    assert [kinds(m).replace("a", "9").replace("A", "9") for m in masks] == [kinds(s).replace("a", "9").replace("A", "9") for s in spelled]
    assert len({"".join(c for c in m if c.isalnum()).lower() for m in masks}) == 1
    assert masks[1] == masks[1].upper()
    assert masks[0] == masks[0].lower()


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
