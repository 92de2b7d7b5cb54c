"""Telephones without a country code are of the country of the people whose they are, in every table."""

from __future__ import annotations

import random
from pathlib import Path

import phonenumbers
import polars as pl
import pytest
from mask_people import cells, masked_by_plan, piiscan

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.apply.telephone_countries import national
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

KEY = Key(bytes(range(23, 55)))
FIRST = {
    "DE": "Jürgen Wolfgang Dieter Ursula Sabine Monika".split(),
    "US": "James Robert Michael Patricia Linda".split(),
}
LAST = {"DE": "Schmidt Schneider Fischer Weber Koch".split(), "US": "Johnson Williams Brown Davis Miller".split()}


def clinic(root: Path, size: int = 200) -> Path:
    """patients.csv has countries; accounts.csv hasn't, nor has calls.csv, which tells nobody."""
    draw = random.Random(4)
    rows = []
    for i in range(size):
        country = "DE" if i % 3 == 0 else "US"
        user = f"{draw.choice(LAST[country])}{i}".lower()
        phone = f"030 {draw.randrange(10**6, 10**7)}" if country == "DE" else f"(212) {draw.randrange(200, 999)}-{i:04}"
        name = draw.choice(FIRST[country]), draw.choice(LAST[country])
        rows.append((*name, country, f"{user}@mail.example.org", user, phone))
    header = ["first_name", "last_name", "country", "email", "username", "phone"]
    frame = pl.DataFrame(rows, orient="row", schema=header)
    folder = root / "clinic"
    folder.mkdir()
    frame.write_csv(folder / "patients.csv")
    frame.reverse().select("username", "email", "phone").write_csv(folder / "accounts.csv")
    frame.select("phone").write_csv(folder / "calls.csv")
    return folder


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("telephones")
    folder = clinic(root)
    return masked_by_plan(root, folder)


def test_no_mask_is_a_number_of_its_people_s_country(masked: Path) -> None:
    plan = plan_toml.load(masked / "plan.toml")
    phones = [a for t in plan.tables for a in t.columns if a.entity == "PHONE_NUMBER"]
    assert len(phones) == 3 and all(a.params["by_person"] and a.params["range"] == "unassigned" for a in phones)
    countries = cells(masked / "clinic" / "patients.csv")["country"]
    masks = {t: cells(masked / "out" / f"{t}.csv")["phone"] for t in ("patients", "accounts", "calls")}
    assert masks["accounts"].reverse().equals(masks["patients"]) and masks["calls"].equals(masks["patients"])
    for mask, country in zip(masks["patients"], countries, strict=True):
        assert not phonenumbers.is_valid_number(phonenumbers.parse(mask, country))
        assert mask.startswith("0") == (country == "DE")


def test_a_later_file_goes_by_the_vault(masked: Path, tmp_path: Path) -> None:
    (tmp_path / "calls").mkdir()
    (tmp_path / "calls" / "calls.csv").write_bytes((masked / "clinic" / "calls.csv").read_bytes())
    call = ("--plan", masked / "plan.toml", "--key", f"file:{masked}/key", "-o", tmp_path / "out")
    piiscan("mask", tmp_path / "calls", *call)
    assert (tmp_path / "out" / "calls.csv").read_bytes() == (masked / "out" / "calls.csv").read_bytes()


def test_numbers_without_a_country_code() -> None:
    numbers = pl.Series(["030 123-45", "+49 30 12345", "0049 30 12345", "03012345 x7", "011 49 30 123456", "", None])
    assert national(numbers).to_list() == [one := "\x1ftelephone\x1f03012345", None, None, one, None, None, None]


def _countries(vault: Path, rows: list[tuple[str | None, str | None, str]]) -> list[str | None]:
    """What is decided of the numbers of some rows of address, country and telephone."""
    columns = (
        Action(0, "mail", "string", "EMAIL_ADDRESS", "direct", "keep"),
        Action(1, "country", "string", "COUNTRY", "quasi", "keep"),
        Action(2, "phone", "string", "PHONE_NUMBER", "direct", "surrogate", {"kind": "phone", "by_person": True}),
    )
    table = TablePlan("t.csv", None, columns, (Subject("person", ((0,),), country=1, phone=2),))
    frame = pl.DataFrame(rows, schema=dict.fromkeys("012", pl.String), orient="row")
    made = subject_table(Plan("ours", "0", (table,), vault=str(vault)), KEY, lambda _: iter([(frame, table)]))
    assert made is not None
    return made.countries(national(frame["2"])).to_list()


def test_the_commoner_country_of_a_person_counts_and_people_have_to_agree(tmp_path: Path) -> None:
    rows = [
        ("a@x.org", "DE", "030 111111"), ("a@x.org", "Germany", "1"), ("a@x.org", "AT", "1"),
        ("b@x.org", None, "+43 1 22222222"), ("b@x.org", None, "01 22222222"),
        ("a@x.org", None, "0800 33333"), ("b@x.org", None, "0800 33333"), ("c@x.org", None, "0800 44444"),
        (None, None, "030-111111"),
    ]  # fmt: skip
    decided = ["DE", "DE", "DE", None, "AT", None, None, None, "DE"]
    assert _countries(tmp_path / "vault", rows) == decided
    later = [(mail, "FR", phone) for mail, _, phone in rows]
    assert _countries(tmp_path / "vault", later) == decided  # as they were masked before
    assert _countries(tmp_path / "vault", [("d@x.org", "FR", "09 55555")]) == ["FR"]


def test_only_telephones_go_by_person() -> None:
    with pytest.raises(UsageError, match="by_person is only for telephones"):
        Surrogate("city", by_person=True)


def test_a_number_that_reads_as_a_call_abroad_elsewhere_is_in_range() -> None:
    """011 is what Americans dial before a country code."""
    key = KEY.subkey("phone")
    numbers = pl.Series([f"0151 {n:08}" for n in range(0, 10**8, 9973)])
    operator = Surrogate("phone", range="unassigned", country="US", by_person=True)
    masks = operator.mask_in("DE", numbers, key).drop_nulls().unique()
    assert masks.str.starts_with("011").any() and operator.declares(masks, key).all()
