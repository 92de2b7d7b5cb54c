"""Whole names as keys of people of whom some tables tell nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mask_people import key_file, piiscan

import piiscan as api
from piiscan.core.keys import Key
from piiscan.masking.apply import people
from piiscan.masking.apply.subjects_of_tables import subject_table
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_types import Action, Plan, Subject, TablePlan

KEY = Key(bytes(range(17, 49)))
FIRST = "Anna Olga Petra Jens Karl Ruth Emil Ines".split()
LAST = "Kernweiler Quaverstone Moorlinger Tollbacher Rieselmann".split()
LISTED = "Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Moore Jackson Lee Harris Clark"
NAMES = [(first, last) for last in LAST for first in FIRST]
TWICE = NAMES[3]


def office() -> dict[str, pl.DataFrame]:
    """Employees by address and number, one name twice; and tables that name them, in three notations."""
    known = [*NAMES, TWICE]
    some = [NAMES[n * 7 % len(NAMES)] for n in range(60)]
    others = [NAMES[n * 11 % len(NAMES)] for n in range(60)]
    return {
        "employees": pl.DataFrame(
            {
                "emp_id": [f"E{60_000_000_000 + n}" for n in range(len(known))],
                "name": [" ".join(name) for name in known],
                "email": [f"reach{n * 7919}@corp.com" for n in range(len(known))],
            }
        ),
        "tickets": pl.DataFrame(
            {
                "ticket": [f"T{n}" for n in range(60)],
                "assigned_to": [" ".join(name) for name in some],
                "reporter": [" ".join(name).upper() for name in others],
                "summary": ["VPN down", "New laptop", "Printer"] * 20,
            }
        ),
        "hours": pl.DataFrame({"employee": [", ".join(name[::-1]) for name in some], "hours": [4, 8] * 30}),
        "rooms": pl.DataFrame(
            {"first_name": [n[0] for n in NAMES], "last_name": [n[1] for n in NAMES], "room": range(40)}
        ),
        "meetings": pl.DataFrame(
            {"attendees": [[" ".join(a), " ".join(b)] for a, b in zip(some, others, strict=True)]}
        ),
        "minutes": pl.DataFrame({"note": [f"{' '.join(name)} said that all is well, and will call." for name in some]}),
    }


def test_a_name_is_the_same_person_in_all_tables() -> None:
    frames = office()
    made = api.mask(frames, replace(api.plan(frames), vault=None), KEY)
    employees = dict(zip(frames["employees"]["name"], made["employees"]["name"], strict=True))
    rooms = dict(
        zip(
            NAMES,
            made["rooms"].select(pl.concat_str("first_name", "last_name", separator=" ")).to_series(),
            strict=True,
        )
    )
    for name in NAMES:
        assert name == TWICE or rooms[name] == employees[" ".join(name)]
    both = made["employees"].filter(frames["employees"]["name"] == " ".join(TWICE))["name"].to_list()
    assert len({*both, rooms[TWICE]}) == 3
    for table, column in (("tickets", "assigned_to"), ("tickets", "reporter"), ("hours", "employee")):
        for cell, mask in zip(frames[table][column], made[table][column], strict=True):
            name = tuple(cell.title().split(", ")[::-1]) if "," in cell else tuple(cell.title().split(" "))
            plain = " ".join(mask.split(", ")[::-1])
            assert plain.lower() == rooms[name].lower()  # type: ignore[index]
    for cells, masks in zip(frames["meetings"]["attendees"], made["meetings"]["attendees"], strict=True):
        assert masks.to_list() == [rooms[tuple(cell.split(" "))] for cell in cells]  # type: ignore[index]
    for cell, mask in zip(frames["minutes"]["note"], made["minutes"]["note"], strict=True):
        first, last, *rest = cell.split(" ")
        assert (first, last) == TWICE or mask == " ".join([rooms[first, last], *rest])


def test_people_in_lists_of_objects_have_the_names_of_their_addresses(tmp_path: Path) -> None:
    people = [(" ".join(name), f"reach{n * 7919}@corp.com") for n, name in enumerate(NAMES)]
    some = [[people[(n * 7 + k) % len(people)] for k in range(n % 4)] for n in range(40)]
    lists = [[{"displayName": name, "email": mail} for name, mail in each] for each in some]
    lists[5].append({"displayName": people[0][0]})  # no address
    (tmp_path / "in.json").write_text(json.dumps([{"title": "Sync", "attendees": each} for each in lists]))
    piiscan("mask", tmp_path / "in.json", "-o", tmp_path / "out.json", "--key", key_file(tmp_path))
    made = json.loads((tmp_path / "out.json").read_text())
    seen: dict[str, str] = {}
    for before, after in zip(lists, made, strict=True):
        for old, new in zip(before, after["attendees"], strict=True):
            assert seen.setdefault(old["displayName"], new["displayName"]) == new["displayName"] != old["displayName"]
            first, last = new["displayName"].split(" ")
            if "email" in old and (first + last).isascii():
                assert new["email"].startswith(f"{first[0]}{last}.".lower())


def test_all_words_of_a_name_tell_who_it_is() -> None:
    """In any order and with any title, also where columns of one table cut them in other places."""
    people = [
        ("Anna Maria", "Kernweiler"),
        ("Anna Luise", "Kernweiler"),
        ("Tom J.", "Yarrowby"),
        ("Tom K.", "Yarrowby"),
    ]
    people += [("Sara", "van der Whitt"), ("José Luis", "Alvarado Gómez"), ("José", "Gómez"), ("Martin", "Thomas")]
    people += [("Thomas", "Martin"), *NAMES[:12]]
    frames = {
        "hours": pl.DataFrame({"employee": [f"{last}, {first}" for first, last in people]}),
        "tickets": pl.DataFrame({"assigned_to": [f"Dr. {first} {last}" for first, last in people]}),
        "rooms": pl.DataFrame({"first_name": [p[0] for p in people], "last_name": [p[1] for p in people]}),
    }
    made = api.mask(frames, replace(api.plan(frames), vault=None), KEY)
    rooms = [" ".join(row) for row in made["rooms"].rows()]
    assert len(set(rooms)) == len(people)
    assert [" ".join(name.split(", ")[::-1]) for name in made["hours"]["employee"]] == rooms
    assert [name.split(". ", 1)[1] for name in made["tickets"]["assigned_to"]] == rooms


def test_the_plan_says_so_where_names_are_all_that_is_known(tmp_path: Path) -> None:
    frames = office()
    plan = api.plan(frames)
    plan.save(tmp_path / "plan.toml")
    told = {
        (t.source, s.name): [t.columns[i].name for i in s.everywhere]
        for t in api.Plan.load(tmp_path / "plan.toml").tables
        for s in t.subjects
    }
    assert told == {
        ("employees", "person"): ["name"],
        ("tickets", "assigned_to"): ["assigned_to"],
        ("tickets", "reporter"): ["reporter"],
        ("hours", "employee"): ["employee"],
        ("rooms", "person"): ["first_name"],
    }
    assert plan.vault
    text = (tmp_path / "plan.toml").read_text()
    assert (
        text.count(
            "a name in full, read as its look says, is the same person's in all tables, unless several people have it"
        )
        == 4
    )
    assert plan_toml.dumps(plan_toml.loads(text)) == text or plan_toml.loads(text).tables


def test_a_table_alone_and_people_with_keys_are_known_as_before() -> None:
    frames = office()
    alone = [api.plan(frames[name]) for name in ("employees", "hours", "rooms")]
    keyed = api.plan({"employees": frames["employees"], "clients": frames["employees"]})
    assert not any(s.everywhere for plan in (*alone, keyed) for t in plan.tables for s in t.subjects)


def test_tables_with_one_kind_of_keys_are_of_one_locale(tmp_path: Path) -> None:
    """Where no vault remembers that of each person, as in `mask` without a plan."""
    folder = tmp_path / "in"
    folder.mkdir()
    german = [
        f"{a} {b}" for a in "Jürgen Heike Dieter Ulrike Günter".split() for b in "Müller Schmidt Weber Schäfer".split()
    ]
    american = [f"{a} {b}" for a in "James Mary Robert Linda Susan John".split() for b in LISTED.split()]
    addresses = [f"u{n * 37}@firma.de" for n in range(20)]
    pl.DataFrame({"name": german, "email": addresses}).write_csv(folder / "kunden.csv")
    pl.DataFrame({"email": addresses[::-1], "logins": range(20)}).write_csv(folder / "logins.csv")
    pl.DataFrame({"name": american, "amount": range(90)}).write_csv(folder / "donors.csv")
    piiscan("mask", folder, "-o", tmp_path / "out", "--key", key_file(tmp_path))
    masks = [pl.read_csv(tmp_path / "out" / f"{name}.csv")["email"].to_list() for name in ("kunden", "logins")]
    assert masks[0] == masks[1][::-1]


# What an earlier run knew


def _table() -> TablePlan:
    entities = ("EMAIL_ADDRESS", "FIRST_NAME", "LAST_NAME")
    columns = tuple(Action(n, entity.lower(), "string", entity, "direct", "keep") for n, entity in enumerate(entities))
    made_up = {"kind": "first_name", "locale": "en_US"}
    columns = (
        columns[0],
        replace(columns[1], operator="persona", params=made_up, domain="persona", subject="person"),
        columns[2],
    )
    subject = Subject("person", ((0,), (1, 2)), scope="member", first_name=1, last_name=2, everywhere=(1,))
    return TablePlan("members.csv", None, columns, (subject,))


Row = tuple[str | None, ...]
ROWS = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["a@x.org", "b@x.org", "c@x.org"]),
        st.none() | st.sampled_from(["ann", "Ann ", "bob"]),
        st.none() | st.sampled_from(["green", "smith"]),
    ),
    max_size=6,
)


def _run(vault: Path, *parts: list[Row]) -> Callable[[list[Row]], list[str]]:
    """Masks the parts together; gives whose the rows of a part are."""
    plan = Plan("ours", "0", (_table(),), vault=str(vault), hashed_keys=False)
    schema = dict.fromkeys("012", pl.String)
    frames = [pl.DataFrame(part, schema=schema, orient="row") for part in parts]
    made = subject_table(plan, KEY, lambda _: iter([(frame, plan.tables[0]) for frame in frames]))

    def whose(rows: list[Row]) -> list[str]:
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        return people.subjects(frame, plan.tables[0].subjects[0], plan.tables[0], made).to_list()

    return whose


@settings(deadline=None, max_examples=25)
@given(ROWS, ROWS, ROWS)
def test_new_rows_change_nobody_and_order_nothing(first: list[Row], second: list[Row], third: list[Row]) -> None:
    with TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        before = _run(vault, first)(first)
        later = _run(vault, second, first)
        assert later(first) == before
        both = later(first + second)
        assert _run(vault, third)(first + second) == both
    with TemporaryDirectory() as folder:
        at_once = _run(Path(folder) / "a", first + second)(first + second)
        assert _run(Path(folder) / "b", second[::-1], first[::-1])(first + second) == at_once


A, B, UNKNOWN = ("a@x.org", "ann", "green"), ("b@x.org", "ann", "green"), (None, "Ann", "GREEN ")


@pytest.mark.parametrize(
    ("runs", "whose"),
    [
        ([[A, UNKNOWN]], ["a@x.org", "a@x.org"]),
        ([[A, B, UNKNOWN]], ["a@x.org", "b@x.org", "name"]),
        ([[A], [UNKNOWN], [B]], ["a@x.org", "a@x.org", "b@x.org"]),
        ([[UNKNOWN], [A], [B]], ["name", "a@x.org", "b@x.org"]),
        ([[A, (None, "ann", None), (None, None, "green")]], ["a@x.org", "ann", "green"]),
    ],
)
def test_a_name_joins_no_two_people(tmp_path: Path, runs: list[list[Row]], whose: list[str]) -> None:
    rows = [row for run in runs for row in run]
    for run in runs:
        found = _run(tmp_path / "vault", run)
    texts = {"name": "\x1fPERSON\x1fann green", "ann": "member\x1fann", "green": "member\x1fgreen"}
    assert found(rows) == [texts.get(each, each) for each in whose]
