"""Records of calls: telephones under headers that name the parties, and what is none of them."""

from __future__ import annotations

import random

import polars as pl
import pytest

import piiscan

PARTIES = [
    ("calling_number", "called_number"),
    ("CallingParty", "CalledParty"),
    ("caller", "callee"),
    ("ANI", "DNIS"),
    ("a_msisdn", "b_msisdn"),
    ("Anrufer", "Angerufener"),
    ("numero_appelant", "numero_appele"),
]
UNSURE = [("a_number", "b_number"), ("originating_number", "terminating_number"), ("Rufnummer A", "Rufnummer B")]
"""Headers that don't say that the parties are persons, so that they may be services."""


def calls(*headers: str, rows: int = 30) -> pl.DataFrame:
    rng = random.Random(str(headers))
    told = {"call_id": [str(1000 + i) for i in range(rows)]}
    told |= {h: [f"49{rng.choice((151, 160, 171))}{rng.randrange(10**7, 10**8)}" for _ in range(rows)] for h in headers}
    told["start_time"] = [f"2024-02-0{rng.randint(1, 9)}T08:{rng.randint(10, 59)}:02" for _ in range(rows)]
    return pl.DataFrame(told | {"duration_s": [str(rng.randint(3, 900)) for _ in range(rows)]})


@pytest.mark.parametrize("headers", PARTIES)
def test_parties_of_calls_are_telephones_of_persons(headers: tuple[str, str]) -> None:
    report = piiscan.scan(calls(*headers))
    assert [(c.name, c.entity, c.pii) for c in report.columns if c.pii != "none"] == [
        (header, "PHONE_NUMBER", "direct") for header in headers
    ]


@pytest.mark.parametrize("headers", UNSURE)
def test_telephones_of_what_may_be_services_are_found_or_in_review(headers: tuple[str, str]) -> None:
    report = piiscan.scan(calls(*headers))
    (table,) = report.tables
    assert table.subject != "aggregate", "numbers of telephones count nothing"
    found = [(c.name, c.entity) for c in report.columns if c.pii == "direct" or c.review]
    assert found == [(header, "PHONE_NUMBER") for header in headers]


def test_names_functions_and_parcels_are_no_telephones() -> None:
    rng = random.Random(4)
    names = [rng.choice(("John Smith", "Mary Jones", "Ahmed Khan", "Eva Novak")) for _ in range(30)]
    assert piiscan.scan(calls().with_columns(caller=pl.Series(names)))["caller"].entity == "PERSON"
    functions = [f"mod.fn_{rng.randint(1, 50)}" for _ in range(30)]
    assert piiscan.scan(pl.DataFrame({"id": range(30), "caller": functions})).findings == ()
    ends = [f"{rng.randrange(10**10, 10**11)}" for _ in range(30)]
    assert piiscan.scan(pl.DataFrame({"parcel": range(30), "from_number": ends})).findings == ()


def test_paths_of_pages_are_no_names() -> None:
    heroes = "Bruce_Wayne Clark_Kent Hal_Jordan James_Gordon Richard_Grayson Diana_Prince Aquaman Arthur_Curry".split()
    for start in ("/wiki/", "\\/wiki\\/"):
        pages = [f"{start}{hero}_(New_Earth)" for hero in heroes * 5]
        report = piiscan.scan(pl.DataFrame({"page_id": range(40), "urlslug": pages, "align": ["Good", "Bad"] * 20}))
        assert report["urlslug"].entity in (None, "URL") and report["urlslug"].pii != "direct"
