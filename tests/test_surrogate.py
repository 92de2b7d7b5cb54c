"""Surrogates of values: they keep their form, lie in their range, and don't merge where that is promised."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.core.keys import Subkey
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.surrogates import cards, national, numbering_plans, phones, places
from piiscan.masking.surrogates.keyed_functions import permute
from piiscan.masking.surrogates.locales import LOCALES
from piiscan.masking.surrogates.number_ranges import Range
from piiscan.rules import reserved_values
from piiscan.rules.checks import valid_many

KEY = Subkey(bytes(range(32)))
US_PHONES = [
    "212-555-1234",
    "(212) 367-1234",
    "001-212-367-1234x123",
    "+1 212 367 1234",
    "1-212-367-1234 ext. 55",
    "2123671234",
]


def form(text: str) -> str:
    return "".join("9" if c.isdigit() else c for c in text)


def luhn(*payloads: str) -> list[str]:
    """Payloads of one length with their check digits."""
    chars = np.frombuffer("".join(payloads).encode(), dtype=np.uint8).reshape(len(payloads), -1)
    return [payload + chr(digit) for payload, digit in zip(payloads, cards.luhn_digits(chars), strict=True)]


# An operator and originals of its kind: every test below runs over all of them.
CASES: dict[str, tuple[Surrogate, list[str]]] = {
    "us-fiction": (Surrogate("phone", range="fiction", country="US"), US_PHONES),
    "us-unassigned": (Surrogate("phone", range="unassigned", country="US"), US_PHONES),
    "us-permuted": (Surrogate("phone", range="permuted", country="US"), US_PHONES),
    "gb-fiction": (
        Surrogate("phone", range="fiction", country="GB"),
        ["+44(0)20 7123 4567", "020 7123 4567", "07911 123456", "+447911123456"],
    ),
    "fr-fiction": (
        Surrogate("phone", range="fiction", country="FR"),
        ["06 12 34 56 78", "+33 6 12 34 56 78", "01.23.45.67.89"],
    ),
    "au-fiction": (Surrogate("phone", range="fiction", country="AU"), ["(02) 9374 4000", "+61 2 9374 4000"]),
    "de-fiction": (Surrogate("phone", range="fiction", country="DE"), ["030 12345678", "+49 (0)30 12345678"]),
    "pl-permuted": (Surrogate("phone", country="PL"), ["+48 501 234 567", "22 123 45 67", "0048 601 234 567"]),
    "card-test": (
        Surrogate("card", range="test"),
        ["4012 8888 8888 1881", "5425233430109903", "3742-454554-00126", "6011000990139424"],
    ),
    "card": (
        Surrogate("card"),
        ["4111 1111 1111 1111", "5105105105105100", "3782-822463-10005", "4222222222222", "9999999999999995"],
    ),
    "iban": (
        Surrogate("iban"),
        [
            "GB29 NWBK 6016 1331 9268 19",
            "de89370400440532013000",
            "FR14 2004 1010 0505 0001 3M02 606",
            "PL61109010140000071219812874",
        ],
    ),
    "ssn": (Surrogate("ssn"), ["078-05-1120", "219099999"]),
    "pesel": (Surrogate("national", number="PL_PESEL"), ["44051401359"]),
    "nhs": (Surrogate("national", number="UK_NHS"), ["943 476 5919"]),
    "nino": (Surrogate("national", number="UK_NINO"), ["AB 12 34 56 C", "jg103759a"]),
    "fodselsnummer": (Surrogate("national", number="NO_FODSELSNUMMER"), ["151086 95088"]),
    "pl-unassigned": (Surrogate("phone", range="unassigned", country="PL"), ["+48 501 234 567", "22 123 45 67"]),
    "br-unassigned": (Surrogate("phone", range="unassigned", country="BR"), ["(11) 91234-5678", "+55 11 3123-4567"]),
    "sin": (Surrogate("national", number="CA_SIN"), ["130 692 544"]),
    "city": (Surrogate("city", locale="pl_PL"), ["Warszawa", "Kraków", "Nowhere"]),
    "street": (Surrogate("street", locale="en_US", look="Number Street"), ["12 High St", "7 Low Road"]),
    "domain": (Surrogate("domain"), ["gmail.com", "mail.example.org"]),
}
NUMBERS = [name for name in CASES if name not in ("city", "street", "domain")]


@pytest.mark.parametrize("name", CASES)
def test_masks_are_declared_deterministic_and_not_the_original(name: str) -> None:
    operator, originals = CASES[name]
    values = pl.Series("v", originals)
    out = operator.mask(values, KEY)
    assert out.name == "v" and out.null_count() == 0
    assert operator.declares(out, KEY).all()
    assert operator.mask(values.reverse(), KEY).reverse().to_list() == out.to_list()
    assert pl.concat([operator.mask(values[i : i + 1], KEY) for i in range(len(values))]).to_list() == out.to_list()
    assert operator.mask(values, Subkey(bytes(32))).to_list() != out.to_list()
    assert not set(out) & set(originals)


@pytest.mark.parametrize("name", NUMBERS)
def test_punctuation_is_kept(name: str) -> None:
    operator, originals = CASES[name]
    if name not in ("iban", "nino"):
        assert [form(m) for m in operator.mask(pl.Series(originals), KEY)] == [form(v) for v in originals]


@pytest.mark.parametrize("name", CASES)
def test_originals_arent_declared_where_the_range_is_nobodys(name: str) -> None:
    operator, originals = CASES[name]
    if not operator.injective and name not in ("city",):
        real = [v for v in originals if "555-1234" not in v]
        assert not operator.declares(pl.Series(real), KEY).any()


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("junk", ["", "unknown", "x", "12", "1-800-FLOWERS", "n/a 12345"])
def test_what_isnt_of_the_kind_never_comes_through(name: str, junk: str) -> None:
    operator, _ = CASES[name]
    out = operator.mask(pl.Series([junk]), KEY).to_list()[0]
    assert out is None or (junk == "12" and out != junk)


def test_however_a_number_is_written_its_mask_is_the_same() -> None:
    for kind in ("fiction", "unassigned", "permuted"):
        out = phones.mask(pl.Series(US_PHONES[1:]), KEY, "US", phones.as_range(kind))
        digits = {"".join(c for c in m.split("x")[0].split("ext")[0] if c.isdigit())[-10:] for m in out}
        assert len(digits) == 1
    out = cards.mask(pl.Series(["4111 1111 1111 1111", "4111111111111111"]), KEY, "permuted").str.replace_all(" ", "")
    assert out.n_unique() == 1


@pytest.mark.parametrize(
    ("operator", "originals"),
    [
        (
            Surrogate("phone", country="US"),
            [f"({200 + i % 8}0{i % 10}) {200 + i // 10000}-{i % 10000:04}" for i in range(20_000)],
        ),
        (Surrogate("phone", country="DE"), [f"030 {i * 37 % 10**8:08}" for i in range(20_000)]),
        (Surrogate("card"), luhn(*(f"4{i * 7919:014}" for i in range(20_000)))),
        (Surrogate("iban"), [f"DE00{i * 7919:018}" for i in range(20_000)]),
    ],
    ids=["us", "de", "card", "iban"],
)
def test_injective_ones_dont_merge(operator: Surrogate, originals: list[str]) -> None:
    values = pl.Series(originals).unique()
    assert operator.injective and operator.range_size() is None and operator.expected_collisions(len(values)) == 0
    assert operator.mask(values, KEY).n_unique() == len(values)


@pytest.mark.parametrize(
    "operator",
    [
        Surrogate("phone", range="fiction", country="US"),
        Surrogate("ssn"),
        Surrogate("street", locale="en_US"),
        Surrogate("national", number="UK_NHS"),
    ],
    ids=lambda o: f"{o.kind}{o.number}",
)
def test_collisions_are_as_many_as_reported(operator: Surrogate) -> None:
    size = operator.range_size()
    assert size
    n = 20_000
    lengths = {"phone": 10, "ssn": 9, "national": 10, "street": 6}
    values = pl.Series([f"{2_000_000_000 + i * 7919:010}"[-lengths[operator.kind] :] for i in range(n)])
    masks = operator.mask(values, KEY)
    expected = operator.expected_collisions(n)
    assert abs((n - masks.n_unique()) - expected) <= 6 * max(expected, 1) ** 0.5 + 0.02 * expected


def test_cards_pass_luhn_and_keep_brand_and_length() -> None:
    for kind in ("test", "permuted"):
        originals = [
            luhn(head + "0" * (length - 1 - len(head) - 1) + "7")[0]
            for head, length in (("4", 16), ("51", 16), ("34", 15), ("6011", 16), ("3530", 16), ("4", 13), ("62", 19))
        ]
        out = cards.mask(pl.Series(originals), KEY, cards.as_range(kind)).to_list()
        assert valid_many("luhn", out).all()
        assert [(len(m), m[0]) for m in out] == [(len(v), v[0]) for v in originals]


def test_numbers_have_valid_check_digits() -> None:
    for number, found in national.NUMBERS.items():
        values = pl.Series([f"{i * 104729 % 10**found.length:0{found.length}}" for i in range(3000)])
        out = national.mask(values, KEY, number).to_list()
        assert not found.check or valid_many(found.check, out).all()
        assert found.source


def test_swedish_mobile_numbers_of_films_begin_with_05() -> None:
    found = numbering_plans.plans()["SE"].of_length("fiction", 9)
    assert found and found.capacity == 4 * 100 + 95
    texts = {row.tobytes().decode() for row in found.spell(np.arange(found.capacity, dtype=np.uint64))}
    assert {t[-2:] for t in texts if t.startswith("7017406")} == {f"{n:02}" for n in range(5, 100)}


def test_ibans_pass_their_check_and_keep_their_country() -> None:
    operator, originals = CASES["iban"]
    out = operator.mask(pl.Series(originals), KEY).to_list()
    assert valid_many("iban", out).all()
    assert [m[:2].upper() for m in out] == [v[:2].upper() for v in originals]
    assert [m.isupper() for m in out] == [v.isupper() for v in originals]


def test_integers_stay_integers() -> None:
    values = pl.Series("ssn", [219099999, 457555462])
    out = Surrogate("ssn").mask(values, KEY)
    assert out.dtype == values.dtype and out.null_count() == 0
    assert Surrogate("ssn").declares(out, KEY).all()


def test_a_range_is_chosen_by_how_many_numbers_there_are() -> None:
    chosen = [phones.choose_range("US", n) for n in (50, 5_000, 1_000_000)]
    assert chosen == ["fiction", "unassigned", "unassigned"]
    assert phones.choose_range("BE", 5) == phones.choose_range("XX", 5) == "unassigned"
    for country, plan in numbering_plans.plans().items():
        assert plan.capacity("unassigned") >= 5_000, country
        assert plan.ranges["fiction"].keys() <= set(plan.lengths), country


def test_every_range_names_who_reserves_it() -> None:
    file = Path(reserved_values.__file__).with_name("fictional_phones.toml")
    assert all(entry["source"] for entry in tomllib.loads(file.read_text(encoding="utf-8")).values())


def test_numbers_from_abroad_keep_their_country() -> None:
    out = phones.mask(pl.Series(["+44 20 7123 4567", "+48501234567"]), KEY, "US", "fiction")
    assert out.str.starts_with("+44 ").to_list()[0] and out.str.starts_with("+48").to_list()[1]


def test_cities_of_the_list_are_permuted_and_frequencies_survive() -> None:
    towns = pl.Series(places.cities("pl_PL"))
    out = Surrogate("city", locale="pl_PL").mask(towns, KEY)
    assert sorted(out) == sorted(towns) and not (out == towns).any()


def test_frequencies_of_cities_are_those_of_the_column() -> None:
    towns = places.cities("de_DE")
    column = pl.Series([towns[i] for i in range(40) for _ in range(1 + i * i)])
    known = pl.DataFrame({"v": column.unique(maintain_order=True)}).with_columns(
        pl.Series("m", Surrogate("city", locale="de_DE").mask(column.unique(maintain_order=True), KEY))
    )
    masks = pl.DataFrame({"v": column}).join(known, on="v", maintain_order="left")["m"]
    assert sorted(masks.value_counts()["count"]) == sorted(column.value_counts()["count"])


@pytest.mark.parametrize("locale", ["ar_SA", "bg_BG", "et_EE", "fr_BE", "is_IS", "lv_LV", "tr_TR", "uz_UZ"])
def test_locales_without_cities_in_faker_have_a_list(locale: str) -> None:
    towns = places.cities(locale)
    assert len(set(towns)) == len(towns) >= 40 and all(t == t.strip() and t for t in towns)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_has_cities(locale: str) -> None:
    assert len(places.cities(locale)) > 10


DATES = Surrogate("date", start="1950-01-01", end="1959-12-31")


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %B %Y"])
def test_dates_lie_within_their_range(form: str) -> None:
    operator = Surrogate("date", start="1950-01-01", end="1959-12-31", date_format=form)
    days = pl.date_range(pl.date(1948, 1, 1), pl.date(1962, 1, 1), eager=True)
    for column in (days.dt.to_string(form), days, days.cast(pl.Datetime("us", "Europe/Warsaw"))):
        masks = operator.mask(column, KEY)
        assert masks.dtype == column.dtype and masks.null_count() == 0 and not (masks == column).any()
        assert operator.declares(masks, KEY).all() and not operator.declares(column[:400], KEY).any()
        wall = masks.dt.replace_time_zone(None) if isinstance(masks.dtype, pl.Datetime) else masks
        read = masks.str.to_date(form) if masks.dtype == pl.String else wall.cast(pl.Date)
        assert sorted(read.dt.year().unique()) == list(range(1950, 1960))
        assert read.n_unique() == pytest.approx(len(days) - DATES.expected_collisions(len(days)), rel=0.05)
    same = operator.mask(pl.concat([days.dt.to_string(form), pl.Series(["", "soon", "31.02.1955 x"])]), KEY)
    assert same[-3:].null_count() == 3 and same[:-3].equals(operator.mask(days.dt.to_string(form), KEY))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "start and end"),
        ({"start": "1950-01-01"}, "start and end"),
        ({"start": "1950-01-02", "end": "1950-01-02"}, "end must be after start"),
        ({"start": "1950-01-01", "end": "1951-01-01", "date_format": "%H"}, "'format' needs a year"),
    ],
)
def test_ranges_of_dates_are_checked(params: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Surrogate("date", **params)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "look"),
    [
        (["12 High St", "4 Elm Rd"], "Number Street"),
        (["Hauptstr. 5"], "Street Number"),
        (["Via Roma, 3"], "Street, Number"),
        (["HIGH ST 4"], "STREET Number"),
        (["High St"], "Street"),
    ],
)
def test_streets_keep_their_look(cells: list[str], look: str) -> None:
    assert places.street_pattern_of(cells) == look
    operator = Surrogate("street", locale="de_DE", look=look)
    out = operator.mask(pl.Series(cells), KEY)
    assert operator.declares(out, KEY).all()
    assert places.street_pattern_of(out) == look


@given(st.lists(st.text(max_size=25), min_size=1, max_size=8, unique=True), st.sampled_from(sorted(CASES)))
@settings(max_examples=80, deadline=None)
def test_any_text_becomes_a_declared_mask_or_null(values: list[str], name: str) -> None:
    operator, _ = CASES[name]
    out = operator.mask(pl.Series(values, dtype=pl.String), KEY)
    assert len(out) == len(values)
    filled = out.drop_nulls()
    assert operator.declares(filled, KEY).all()


@given(st.integers(6, 24), st.sampled_from([10, 26]), st.binary(max_size=15))
@settings(max_examples=20, deadline=None)
def test_permutations_are_permutations(length: int, radix: int, tweak: bytes) -> None:
    digits = np.random.default_rng(length).integers(0, radix, (500, length)).astype(np.uint8)
    out = permute(KEY, digits, radix, tweak)
    assert out.shape == digits.shape and out.max() < radix
    assert len(np.unique(out, axis=0)) == len(np.unique(digits, axis=0))


def test_too_few_texts_arent_permuted() -> None:
    with pytest.raises(ValueError, match="too few"):
        permute(KEY, np.zeros((1, 5), dtype=np.uint8), 10)


def test_the_numbers_of_a_range_are_all_different() -> None:
    small = Range(("9#N", "0A#"))
    texts = {row.tobytes() for row in small.spell(np.arange(small.capacity, dtype=np.uint64))}
    assert len(texts) == small.capacity == 80 + 70


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Surrogate("fax"), "choose one of phone"),  # type: ignore[arg-type]
        (lambda: Surrogate("phone", range="fiction", country="BE"), "no such telephone numbers"),
        (lambda: Surrogate("phone", range="real", country="US"), "choose one of fiction"),
        (lambda: Surrogate("national", number="BR_CPF"), "use the operator fpe"),
        (lambda: Surrogate("city", locale="pl"), "choose one of"),
        (lambda: Surrogate("iban").dtype("integer"), "choose another operator"),
        (lambda: Surrogate("card", range="real").mask(pl.Series(["x"]), KEY), "choose one of test"),
        (lambda: Surrogate("ssn").mask(pl.Series(["x"]), None), "needs a key"),
    ],
)
def test_what_cant_be_says_what_to_do(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
