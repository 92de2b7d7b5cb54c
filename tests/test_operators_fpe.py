"""What masks of the same look guarantee: the look, the way back, and check digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_cases import parameters

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.operators.fpe import Fpe
from piiscan.rules import checks

KEY = Key(bytes(range(100, 132))).subkey("TEST")


def column(values: Sequence[str]) -> pl.Series:
    return pl.Series("x", values, dtype=pl.String)


def name(op: Any) -> str:
    return f"{op.name}{parameters(op) or ''}"


def kinds(text: str) -> str:
    return "".join("9" if c.isdigit() else "a" if c.islower() else "A" if c.isupper() else c for c in text)


@pytest.mark.parametrize("op", [Fpe(), Fpe(keep_first=2), Fpe(keep_last=3), Fpe(check="luhn")], ids=name)
@settings(deadline=None, max_examples=30)
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


@pytest.mark.parametrize("values", [range(200_000), range(1_000_000, 1_200_000)])
def test_how_many_numbers_are_expected_to_stay(values: range) -> None:
    numbers = pl.Series("x", values)
    masks = Fpe().mask(numbers, KEY)
    expected = Fpe().fixed_points(masks)
    assert 0.01 < expected <= 0.25
    assert (masks == numbers).sum() <= expected + 6 * expected**0.5 + 3
    assert Fpe(keep_first=4).fixed_points(column(["12345"])) == 1


def test_spellings_of_one_number_have_spellings_of_one_mask() -> None:
    dashed, plain, spaced, small, capital = Fpe().mask(
        column(["078-05-1120", "078051120", "078 05 1120", "ab-123456", "AB123456"]), KEY
    )
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
        (Fpe(), pl.Series([-(2**63)]), "no mask that fits the column"),
    ],
)
def test_integers_that_can_not_be_masked_are_refused(op: Fpe, values: pl.Series, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        op.mask(values, KEY)
    assert str(values[0]) not in str(error.value)


@pytest.mark.parametrize(
    "value", ["12345", "ab", "AB12", "N/A", "012345", "Łódź 12345678", "~1234567890", "1234567\t", "-", "00-0000"]
)
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
    "op",
    [Fpe(check="CREDIT_CARD"), Fpe(check="luhn", keep_first=6), Fpe(check="luhn", keep_first=1, keep_last=4)],
    ids=name,
)
def test_cards_stay_valid_and_invalid_ones_invalid(op: Fpe) -> None:
    rng = np.random.default_rng(3)
    values = column(
        [f"4{n:015}" for n in rng.integers(0, 10**15, 4000).tolist()] + [f"5100 {n:04} 9999 0000" for n in range(2000)]
    )
    masks = op.mask(values, KEY)
    assert checks.valid_many("luhn", masks.to_list()).tolist() == checks.valid_many("luhn", values.to_list()).tolist()
    assert op.unmask(masks, KEY).to_list() == values.to_list()
    assert masks.n_unique() == len(values)
    assert (masks != values).all()
    assert (masks.str.slice(0, op.keep_first) == values.str.slice(0, op.keep_first)).all() or " " in values[-1][
        : op.keep_first
    ]


# A valid number each, as the rules give them.
NUMBERS = {
    "iban": ["GB29NWBK60161331926819", "DE89370400440532013000", "FR1420041010050500013M02606"],
    "br_cpf": ["390.533.447-05"],
    "pl_pesel": ["44051401359"],
    "es_dni": ["54362315-K"],
    "nl_bsn": ["111222333"],
    "uk_nhs": ["943 476 5919"],
    "de_tax_id": ["86 095 742 719"],
    "verhoeff": ["234123412346"],
    "vin": ["1M8GDM9AXKP042788"],
    "it_fiscal_code": ["RSSMRA80A01H501U"],
    "no_fodselsnummer": ["151086 95088"],
    "ch_ahv": ["756.9217.0769.85"],
    "fr_nir": ["255081416802538"],
    "mx_curp": ["BOXW310820HNERXN09"],
    "cz_rodne_cislo": ["710319/2745"],
    "jp_corporate": ["7000012050002"],
    "at_uid": ["ATU13585627"],
    "pt_cc": ["000000000ZZ4"],
}


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
        [
            v[:-1] + ("0" if v[-1] != "0" else "1") if v[-1].isdigit() else v[:-1] + ("A" if v[-1] != "A" else "B")
            for v in values
        ]
    )
    wrong = op.mask(invalid, KEY)
    assert not checks.valid_many(check, wrong.to_list()).any()
    assert op.unmask(wrong, KEY).to_list() == invalid.to_list()


def test_a_whole_class_of_valid_numbers_is_permuted() -> None:
    """All 10⁶ bodies of 7 digits and a check digit that don't begin with 0: each valid number is the mask of exactly
    one."""
    bodies = [f"{n:07}" for n in range(1_000_000, 1_300_000)]
    from piiscan.masking.operators.validity import Check

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
    from piiscan.masking.operators import validity

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
        ({"check": "fi_hetu"}, "neither a letter nor a digit"),
        ({"keep_first": -1}, "0 or more"),
    ],
)
def test_wrong_parameters_of_fpe(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Fpe(**wrong)


def test_a_check_that_hardly_anything_passes_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from piiscan.masking.operators import format_classes

    monkeypatch.setattr(format_classes, "_STEPS", 50)
    with pytest.raises(UsageError, match="few values pass the check nl_vat") as error:
        Fpe(check="nl_vat").mask(column(["NL123456782B90"]), KEY)
    assert "123456782" not in str(error.value)
    monkeypatch.undo()
    (mask,) = Fpe(check="nl_vat", keep_first=2).mask(column(["NL123456782B90"]), KEY)
    assert checks.is_valid("nl_vat", mask)


def test_checks_are_named_by_subtype_too() -> None:
    from piiscan.masking.operators.validity import check_name

    assert [check_name(n) for n in ("PL_PESEL", "BR_CPF", "CREDIT_CARD", "IBAN_CODE", "luhn")] == [
        "pl_pesel",
        "br_cpf",
        "luhn",
        "iban",
        "luhn",
    ]
