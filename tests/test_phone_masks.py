"""Made-up telephone numbers, beside phonenumbers: of their own country, in its look, and nobody's."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import phonenumbers as pn
import polars as pl
import pytest
from mask_people import cells, key_file, piiscan
from test_phones import numbers

from piiscan.core.keys import Subkey
from piiscan.masking.operators.surrogate import Surrogate
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action
from piiscan.masking.surrogates import phones
from piiscan.masking.surrogates.countries import country_codes
from piiscan.masking.surrogates.numbering_plans import RANGES, by_code, plans

KEY = Subkey(bytes(range(32)))
REGIONS = sorted(pn.SUPPORTED_REGIONS)
WRITTEN_OTHERWISE = {"AR"}
"""Mobile numbers of Argentina have 15 amid the number where they are written nationally, which no other way of writing
has: such a one is written anew."""
CARRIERS = {"CO"}
"""Behind the trunk prefix of Colombia may stand a carrier's: of a number in no use a part may be one in use."""


def form(text: str) -> str:
    return re.sub("[0-9]", "9", text)


def valid(text: str, region: str | None = None) -> bool:
    try:
        return bool(pn.is_valid_number(pn.parse(text, region)))
    except pn.NumberParseException:
        return False


@cache
def of(region: str) -> list[pn.PhoneNumber]:
    return [n for kind in ("mobile", "fixed") for n in numbers(region, kind, 4)]


@pytest.mark.parametrize("kind", ["unassigned", "fiction"])
def test_numbers_from_abroad_are_nobodys(kind: phones.PhoneRange) -> None:
    found = {region: of(region) for region in REGIONS}
    texts = pl.Series(
        [pn.format_number(n, pn.PhoneNumberFormat.INTERNATIONAL) for each in found.values() for n in each]
    ).unique(maintain_order=True)
    masks = phones.mask(texts, KEY, "US", kind)
    assert len(texts) > 1500 and phones.declared(masks, "US", kind).all()
    if kind == "unassigned":
        assert [m for m in masks if valid(m)] == []
    assert [form(m) for m in masks] == [form(t) for t in texts]
    assert phones.calling_codes(masks).equals(phones.calling_codes(texts))
    assert not (masks == texts).any()


@pytest.mark.parametrize("region", REGIONS)
def test_national_numbers_keep_the_look_of_their_country(region: str) -> None:
    found = of(region)
    national = pl.Series([pn.format_number(n, pn.PhoneNumberFormat.NATIONAL) for n in found], dtype=pl.String)
    masks = phones.mask(national, KEY, region, "unassigned")
    if region not in WRITTEN_OTHERWISE:
        assert [form(m) for m in masks] == [form(t) for t in national]
    if region not in CARRIERS:
        assert [m for m in masks if valid(m, region)] == []


@pytest.mark.parametrize("region", sorted({*REGIONS} - WRITTEN_OTHERWISE - CARRIERS))
def test_equal_numbers_in_any_writing_have_equal_masks(region: str) -> None:
    """Whichever country the column is of, where the number itself tells its own."""
    numbers = of(region)[::4]
    national = [pn.format_number(n, pn.PhoneNumberFormat.NATIONAL) for n in numbers]
    abroad = [text for number in numbers for text in from_abroad(number)]
    for kind in RANGES:
        here = phones.mask(pl.Series(national + abroad), KEY, region, kind).to_list()
        there = [in_the_us(kind)[text] for text in abroad]
        each = len(abroad) // len(national)
        for i, text in enumerate(national):
            own = slice(i * each, (i + 1) * each)
            masks = [here[i], *here[len(national) :][own], *there[own]]
            if plans()[region].trunk in ("", "0"):
                assert len({re.sub("[^0-9]", "", mask)[-4:] for mask in masks}) == 1, text


@cache
def in_the_us(kind: phones.PhoneRange) -> dict[str, str]:
    """The masks of the numbers of all regions in one column of the United States."""
    texts = list({text for region in REGIONS for number in of(region)[::4] for text in from_abroad(number)})
    return dict(zip(texts, phones.mask(pl.Series(texts), KEY, "US", kind), strict=True))


def from_abroad(number: pn.PhoneNumber) -> list[str]:
    plain, spaced = (
        pn.format_number(number, how) for how in (pn.PhoneNumberFormat.E164, pn.PhoneNumberFormat.INTERNATIONAL)
    )
    return [plain, spaced, "00" + plain[1:], f"({spaced.split()[0]}) {' '.join(spaced.split()[1:])}"]


def test_every_calling_code_has_numbers_that_nobody_has() -> None:
    rng = random.Random(7)
    assert by_code().keys() == {str(code) for code in pn.COUNTRY_CODE_TO_REGION_CODE}
    for code, plan in by_code().items():
        if plan.international and not plan.best("unassigned"):
            assert code in ("800", "808", "888")  # which are nobody's own
            continue
        for found in plan.ranges["unassigned"].values():
            for pattern in found.patterns:
                for _ in range(4):
                    text = f"+{code}" + "".join(rng.choice("0123456789") if c == "#" else c for c in pattern)
                    assert not valid(text), text


@pytest.mark.parametrize("country", ["DE", "GL", "US"])
def test_as_many_share_a_mask_as_expected(country: str) -> None:
    plan = plans()[country]
    count = min(20_000, plan.capacity("unassigned") // 10)
    values = pl.Series([f"+{plan.code} {i + 10 ** (plan.usual - 1)}" for i in range(count)])
    expected = Surrogate("phone", country=country, range="unassigned").expected_collisions(count)
    shared = count - phones.mask(values, KEY, country, "unassigned").n_unique()
    assert abs(shared - expected) <= 6 * max(expected, 1) ** 0.5


def test_without_a_country_only_numbers_that_tell_theirs_are_made_up() -> None:
    operator = Surrogate("phone", range="unassigned")
    out = operator.mask(pl.Series(["+49 30 1234567", "030 1234567"]), KEY)
    assert not valid(out[0]) and out[1].startswith("030 ")
    assert operator.declares(out, KEY).all()


@pytest.mark.parametrize(
    ("cell", "country"),
    [("de", "DE"), ("DEU", "DE"), ("Deutschland", "DE"), ("U.S.A.", "US"), ("türkiye", "TR"), ("UK", "GB")]
    + [("Atlantis", None), ("", None), (None, None), ("-", None)],
)
def test_countries_are_told_by_codes_and_names(cell: str | None, country: str | None) -> None:
    assert country_codes(pl.Series([cell], dtype=pl.String)).to_list() == [country]


LANDS = {"DE": ["030 {}", "49"], "PT": ["21 {}", "351"], "US": ["(212) 5{}", "1"]}


def patients(rows: int = 120) -> pl.DataFrame:
    rng = random.Random(5)
    out = []
    for i in range(rows):
        country = list(LANDS)[i % 3]
        number = f"{rng.randrange(10**6):06}" if country == "US" else f"2{rng.randrange(10**6):06}"
        national = LANDS[country][0].format(number)
        bare = re.sub("[^0-9]", "", national).removeprefix("0")
        text = national if i % 2 else f"+{LANDS[country][1]} {bare}"
        out.append({"phone": text, "country": country, "note": f"Called back on {text} today.", "number": bare})
    return pl.DataFrame(out)


def plan_of(path: Path) -> dict[tuple[str, str | None], Action]:
    return {(t.source, a.name): a for t in plan_toml.load(path).tables for a in t.columns}


def test_the_row_s_country_tells_where_a_national_number_is(tmp_path: Path) -> None:
    people = patients()
    data = tmp_path / "data"
    data.mkdir()
    people.select("phone", "country", "note").write_csv(data / "patients.csv")
    piiscan("plan", data, "-o", tmp_path / "plan.toml")
    piiscan("mask", data, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    out = cells(tmp_path / "out" / "patients.csv")
    assert [m for m, c in zip(out["phone"], people["country"], strict=True) if valid(m, c)] == []
    assert [form(m) for m in out["phone"]] == [form(p) for p in people["phone"]]
    # In texts stands what the column has.
    inside = [m in note for m, note in zip(out["phone"], out["note"], strict=True)]
    assert all(inside)


def test_numbers_join_with_a_table_without_countries(tmp_path: Path) -> None:
    """A table without the country can't know it: then none goes by it, and the plan says so."""
    people = patients()
    data = tmp_path / "data"
    data.mkdir()
    people.select("phone", "country").write_csv(data / "patients.csv")
    people.select("phone").write_csv(data / "accounts.csv")
    piiscan("plan", data, "-o", tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert "in all tables, so that they join" in text
    piiscan("mask", data, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    one, two = (cells(tmp_path / "out" / f"{name}.csv")["phone"] for name in ("patients", "accounts"))
    assert one.equals(two)
    # Where both say it, both agree.
    people.select("phone", "country").write_csv(data / "accounts.csv")
    (tmp_path / "plan.toml").unlink()
    piiscan("plan", data, "-o", tmp_path / "plan.toml")
    assert "another mask there" not in (tmp_path / "plan.toml").read_text(encoding="utf-8")


def test_one_range_for_all_tables(tmp_path: Path) -> None:
    """Few American numbers would get fictional ones; beside foreign ones all get unassigned ones, to stay equal."""
    data = tmp_path / "data"
    data.mkdir()
    american = [f"(212) 555-{i:04}" for i in range(60)]
    pl.DataFrame({"phone": american}).write_csv(data / "a.csv")
    pl.DataFrame({"phone": american[:30] + [f"+44 20 7946 {i:04}" for i in range(30)]}).write_csv(data / "b.csv")
    piiscan("plan", data, "-o", tmp_path / "plan.toml")
    found = plan_of(tmp_path / "plan.toml")
    assert {a.params["range"] for a in found.values()} == {"unassigned"}
    (data / "b.csv").unlink()
    (tmp_path / "plan.toml").unlink()
    piiscan("plan", data, "-o", tmp_path / "plan.toml")
    assert plan_of(tmp_path / "plan.toml")["a.csv", "phone"].params["range"] == "fiction"


def test_texts_of_a_locale_without_fiction_read_numbers_as_the_columns_do(tmp_path: Path) -> None:
    """Swiss names beside American telephones: the plan has to hold what `mask` takes."""
    names = ["Urs Zurbriggen", "Beat Aeschlimann", "Reto Hürlimann", "Regula Zürcher", "Vreni Grünenfelder"]
    numbers_ = [f"+1 212 55{i % 10}-{1000 + 7 * i}" for i in range(40)]
    notes = [f"{names[i % 5]} asked us to call back on {n} tomorrow, please." for i, n in enumerate(numbers_)]
    columns = {"customer": [names[i % 5] for i in range(40)], "phone": numbers_, "note": notes}
    pl.DataFrame(columns).write_csv(tmp_path / "calls.csv")
    piiscan("plan", tmp_path / "calls.csv", "-o", tmp_path / "plan.toml")
    plan = plan_toml.load(tmp_path / "plan.toml")
    of_texts = next(s.params for s in plan.spans if s.entity == "PHONE_NUMBER")
    of_columns = next(a.params for a in plan.tables[0].columns if a.entity == "PHONE_NUMBER")
    assert (of_texts["range"], of_texts["country"]) == (of_columns["range"], of_columns["country"]) == ("fiction", "US")
    locale = next(s.params["locale"] for s in plan.spans if s.entity == "PERSON")
    assert locale.endswith("_CH"), locale
    call = ["mask", tmp_path / "calls.csv", "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path)]
    piiscan(*call, "-o", tmp_path / "out.csv")
    out = cells(tmp_path / "out.csv")
    assert all(phone in note for phone, note in zip(out["phone"], out["note"], strict=True))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ('country_column = "land"', "no column land"),
        ('country_column = "number"', "only a column of texts"),
    ],
)
def test_a_country_column_that_cant_be(tmp_path: Path, change: str, says: str) -> None:
    people = patients().with_columns(pl.col("number").cast(pl.Int64))
    people.write_parquet(tmp_path / "people.parquet")
    piiscan("plan", tmp_path / "people.parquet", "-o", tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert 'country_column = "country"' in text
    (tmp_path / "plan.toml").write_text(text.replace('country_column = "country"', change), encoding="utf-8")
    call = ["mask", tmp_path / "people.parquet", "--plan", tmp_path / "plan.toml", "--key", key_file(tmp_path)]
    assert says in piiscan(*call, "-o", tmp_path / "out.parquet", status=2)


@pytest.mark.parametrize("cells_of", [["+49 30 1234567"], [""], ["none"], ["12"]])
def test_columns_of_next_to_nothing(tmp_path: Path, cells_of: list[str]) -> None:
    people = {"first_name": ["Anna"], "last_name": ["Schmidt"], "phone": cells_of, "country": ["DE"]}
    pl.DataFrame(people).write_csv(tmp_path / "one.csv")
    piiscan("mask", tmp_path / "one.csv", "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    assert not set(cells(tmp_path / "out.csv")["phone"].drop_nulls()) & {"+49 30 1234567"}
