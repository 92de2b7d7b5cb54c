"""Numbers of vehicles and devices: masks that read as such numbers, and come back."""

from __future__ import annotations

import random
import re
import uuid
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.operators.fpe import Fpe
from piiscan.rules import checks

KEY = Key(bytes(range(3, 35)))
SUBKEY = KEY.subkey("DEVICE_ID")
DRAW = random.Random(9)
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def vins(n: int, checked: bool) -> list[str]:
    """American ones have a check digit; European ones have anything there."""
    out: list[str] = []
    while len(out) < n:
        head = DRAW.choice(["1HG", "5YJ", "2FM"] if checked else ["WVW", "ZFA", "VF1"])
        text = head + "".join(DRAW.choice(LETTERS + "0123456789") for _ in range(5))
        tail = "".join(DRAW.choice(LETTERS) for _ in range(2)) + f"{DRAW.randrange(10**6):06}"
        whole = [f"{text}{c}{tail}" for c in "0123456789X"]
        out += [v for v in whole if checks.is_valid("vin", v)] if checked else [f"{text}Z{tail}"]
    return out[:n]


def luhn(body: str) -> str:
    return next(f"{body}{c}" for c in "0123456789" if checks.is_valid("luhn", f"{body}{c}"))


COLUMNS: dict[str, list[str]] = {
    "vin": vins(60, True),
    "chassis_number": vins(60, False),
    "imei": [luhn(f"35{DRAW.randrange(10**12):012}") for _ in range(60)],
    "iccid": [luhn(f"8949{DRAW.randrange(10**14):014}") for _ in range(60)],
    "imsi": [f"26201{DRAW.randrange(10**10):010}" for _ in range(60)],
    "advertising_id": [str(uuid.UUID(int=DRAW.getrandbits(128), version=4)) for _ in range(60)],
    "idfa": [str(uuid.UUID(int=DRAW.getrandbits(128), version=4)).upper() for _ in range(60)],
    "android_id": [f"{DRAW.getrandbits(64):016x}" for _ in range(60)],
    "device_serial": [
        f"C{DRAW.randrange(100):02}{''.join(DRAW.choices(LETTERS, k=3))}{DRAW.randrange(10**5):05}" for _ in range(60)
    ],
    "license_plate": [f"{''.join(DRAW.choices(LETTERS, k=3))}-{DRAW.randrange(10**4):04}" for _ in range(60)],
}
FRAME = pl.DataFrame({"email": [f"somebody{i}@example.org" for i in range(60)], **COLUMNS})
PLAN = piiscan.plan(FRAME)
MASKED = piiscan.mask(FRAME, PLAN, KEY)


@pytest.mark.parametrize("column", COLUMNS)
def test_masks_have_the_look_and_come_back(column: str) -> None:
    action = next(a for a in PLAN.tables[0].columns if a.name == column)
    assert action.operator == "fpe" and action.domain == action.entity in ("VEHICLE_ID", "DEVICE_ID")
    was, now = FRAME[column], MASKED[column]
    assert now.n_unique() == len(now) and not (was == now).any()
    assert [re.sub("[0-9A-Za-z]", "x", t) for t in now] == [re.sub("[0-9A-Za-z]", "x", t) for t in was]
    operator = Fpe(**action.params)
    assert operator.unmask(now, KEY.subkey(action.domain or "")).equals(was)
    assert operator.declares(now, KEY.subkey(action.domain or "")).all()


@pytest.mark.parametrize(
    ("column", "form", "check"),
    [
        ("vin", "[A-HJ-NPR-Z0-9]{17}", "vin"),
        ("chassis_number", "[A-HJ-NPR-Z0-9]{17}", None),
        ("imei", "35[0-9]{13}", "luhn"),
        ("iccid", "89[0-9]{17}", "luhn"),
        ("imsi", "262[0-9]{12}", None),
        ("advertising_id", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", None),
        ("idfa", "[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", None),
        ("android_id", "[0-9a-f]{16}", None),
        ("license_plate", "[A-Z]{3}-[0-9]{4}", None),
    ],
)
def test_masks_are_such_numbers(column: str, form: str, check: str | None) -> None:
    assert MASKED[column].str.contains(f"^{form}$").all()
    if check:
        assert all(checks.is_valid(check, text) for text in MASKED[column])


def test_the_maker_is_not_kept() -> None:
    assert not (MASKED["vin"].str.head(3) == FRAME["vin"].str.head(3)).any()


def test_a_vehicle_number_that_never_was_one_comes_back_too() -> None:
    odd = pl.Series(["IOQIOQIOQIOQIOQ12", "WVWZZZ1JZXW000001", "1M8GDM9A0KP042788", "1M8GDM9AXKP042788"])
    operator = Fpe(check="VIN")
    masks = operator.mask(odd, SUBKEY)
    assert operator.unmask(masks, SUBKEY).equals(odd)
    assert [checks.is_valid("vin", m) for m in masks] == [False, False, False, True]
    assert masks[1:].str.contains("[IOQ]").any() is False


HEX = st.builds(
    lambda digits, upper, dash: "-".join(digits[i : i + dash] for i in range(0, len(digits), dash)).upper() if upper
    else "-".join(digits[i : i + dash] for i in range(0, len(digits), dash)),
    st.text("0123456789abcdef", min_size=6, max_size=40), st.booleans(), st.integers(2, 40),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.lists(HEX | st.from_regex(r"\A[ -~]{1,20}\Z") | st.just(""), unique=True, max_size=12))
def test_hexadecimal_masks_are_one_to_one(values: list[str]) -> None:
    cells, operator = pl.Series(values, dtype=pl.String), Fpe(hex=True)
    masks = operator.mask(cells, SUBKEY)
    assert masks.n_unique() == len(cells) and operator.unmask(masks, SUBKEY).to_list() == values
    assert operator.declares(masks, SUBKEY).all()
    for value, mask in zip(values, masks, strict=True):
        if not mask.startswith("~") and value:
            assert len(mask) == len(value) and bool(re.search("[A-F]", mask)) == bool(re.search("[A-F]", value))


def test_spellings_of_one_identifier_have_spellings_of_one_mask() -> None:
    one = str(uuid.UUID(int=12345678901234567890123456789012345678))
    masks = Fpe(hex=True).mask(pl.Series([one, one.replace("-", ""), one.upper(), f"{{{one}}}"]), SUBKEY)
    assert len({m.replace("-", "").lower().strip("{}") for m in masks}) == 1


@pytest.mark.parametrize("header", ["patient_id", "customer_id", "mrn"])
@pytest.mark.parametrize("form", [str, lambda one: one.hex, lambda one: one.hex[:24]], ids=["UUID", "bare", "MongoDB"])
def test_plans_keep_keys_hexadecimal_whatever_they_are_of(header: str, form: Any) -> None:
    draw = random.Random(8)
    keys = [form(uuid.UUID(int=draw.getrandbits(128), version=4)) for _ in range(40)]
    frame = pl.DataFrame({header: keys, "email": [f"a{i}@needle-post.com" for i in range(40)]})
    masks = piiscan.mask(frame, piiscan.plan(frame), KEY)[header]
    assert masks.str.replace_all("[0-9a-f]", "0").equals(frame[header].str.replace_all("[0-9a-f]", "0"))
    assert not (masks == frame[header]).any()


@pytest.mark.parametrize("params", [{"check": "luhn"}, {"keep_first": 2}, {"keep_last": 2}])
def test_hexadecimal_masks_keep_nothing(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="hex masks whole identifiers"):
        Fpe(hex=True, **params)
    with pytest.raises(UsageError, match="fpe"):
        Fpe(hex=True).dtype("integer")
