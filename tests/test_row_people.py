"""Who in a row is one person: headers propose it, and the rows decide."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import piiscan

FIRST = (
    "Anna Peter Maria Thomas Julia Michael Laura David Sarah Daniel Lisa Martin Eva Paul Nina Simon Clara Felix"
).split()
LAST = "Smith Johnson Brown Taylor Wilson Davies Evans Walker Wright Hughes Green Hall Wood Clarke Jackson".split()
KEY = piiscan.Key(bytes(range(32)))
Row = dict[str, str]


def people(rows: int = 60) -> list[tuple[str, str]]:
    """First and last names, different from row to row."""
    pairs = [(first, last) for first in FIRST for last in LAST]
    random.Random(5).shuffle(pairs)
    return pairs[:rows]


def address(person: tuple[str, str]) -> str:
    return f"{'.'.join(person).lower()}@corp.org"


def table(row: Callable[[tuple[str, str], tuple[str, str]], Row], rows: int = 60) -> pl.DataFrame:
    """A row for each two people."""
    each = people(2 * rows)
    return pl.DataFrame([row(one, other) for one, other in zip(each[::2], each[1::2], strict=True)])


def subjects(frame: pl.DataFrame, tmp_path: Path) -> list[set[str]]:
    """The columns of each person of the plan, the first person's first."""
    frame.write_csv(tmp_path / "rows.csv")
    plan = piiscan.plan(tmp_path / "rows.csv")
    (planned,) = plan.tables
    whose: dict[str, set[str]] = {}
    for action in planned.columns:
        if action.subject:
            whose.setdefault(action.subject, set()).add(action.name or "")
    return list(whose.values())


def name(person: tuple[str, str]) -> str:
    return " ".join(person)


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (lambda a, b: {"guest_1": name(a), "guest_2": name(b)}, [{"guest_1"}, {"guest_2"}]),
        (lambda a, b: {"name": name(a), "name2": name(b)}, [{"name"}, {"name2"}]),
        (lambda a, b: {"name": name(a), "full_name": name(b)}, [{"name"}, {"full_name"}]),
        (
            lambda a, b: {
                "parent1_name": name(a),
                "parent2_name": name(b),
                "parent2_email": address(b),
                "parent1_email": address(a),
            },
            [{"parent1_name", "parent1_email"}, {"parent2_name", "parent2_email"}],
        ),
        (
            lambda a, b: {"first_name_1": a[0], "last_name_1": a[1], "first_name_2": b[0], "last_name_2": b[1]},
            [{"first_name_1", "last_name_1"}, {"first_name_2", "last_name_2"}],
        ),
        (
            lambda a, b: {"guest_1": name(a), "guest_2": name(b), "guest_email": address(b)},
            [{"guest_1"}, {"guest_2", "guest_email"}],
        ),
        (
            lambda a, b: {"employee": name(a), "manager": name(b), "email": address(a)},
            [{"employee", "email"}, {"manager"}],
        ),
        (lambda a, b: {"mother": name(a), "father": name(b)}, [{"mother"}, {"father"}]),
        # One person.
        (lambda a, b: {"name": name(a), "signed_by": name(a)}, [{"name", "signed_by"}]),
        (lambda a, b: {"customer": name(a), "signed_by": f"{a[1]}, {a[0]}"}, [{"customer", "signed_by"}]),
        (lambda a, b: {"guest_1": name(a), "guest_2": name(a)}, [{"guest_1", "guest_2"}]),
        (
            lambda a, b: {"first_name": a[0], "last_name": a[1], "signed_by": f"{a[0][0]}. {a[1]}"},
            [{"first_name", "last_name", "signed_by"}],
        ),
        (
            lambda a, b: {"nombre1": a[0], "nombre2": b[0], "apellido1": a[1], "apellido2": b[1]},
            [{"nombre1", "nombre2", "apellido1", "apellido2"}],
        ),
        (
            lambda a, b: {"name": name(a), "email1": address(a), "email2": f"x{address(a)}"},
            [{"name", "email1", "email2"}],
        ),
        # A family's last name is no person's.
        (
            lambda a, b: {"first_name": a[0], "last_name": a[1], "mother_first_name": b[0], "mother_last_name": a[1]},
            [{"first_name", "last_name"}, {"mother_first_name", "mother_last_name"}],
        ),
    ],
)
def test_the_columns_of_each_person(
    row: Callable[[tuple[str, str], tuple[str, str]], Row], found: list[set[str]], tmp_path: Path
) -> None:
    assert subjects(table(row), tmp_path) == found


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["guest_1", "guest_2"], [{"guest_1"}, {"guest_2"}]),
        (["name", "signed_by"], [{"name"}, {"signed_by"}]),
    ],
)
def test_headers_decide_where_rows_say_nothing(columns: list[str], found: list[set[str]], tmp_path: Path) -> None:
    one = pl.DataFrame({column: ["Anna Smith"] for column in columns})
    assert subjects(one, tmp_path) == found


def test_a_few_rows_of_another_person_divide_nothing_but_a_tenth_does(tmp_path: Path) -> None:
    def gifts(every: int) -> pl.DataFrame:
        each = people(120)
        rows = [(name(a), name(b if i % every == 0 else a)) for i, (a, b) in enumerate(zip(each[::2], each[1::2]))]  # noqa: B905
        return pl.DataFrame(rows, schema=["billing_name", "shipping_name"], orient="row")

    assert subjects(gifts(40), tmp_path) == [{"billing_name", "shipping_name"}]
    assert subjects(gifts(10), tmp_path) == [{"billing_name"}, {"shipping_name"}]


def test_masks_agree_where_the_originals_do() -> None:
    def row(a: tuple[str, str], b: tuple[str, str]) -> Row:
        return {
            "first_name": a[0],
            "last_name": a[1],
            "signer_first_name": a[0],
            "signer_last_name": a[1],
            "witness_1": name(b),
            "witness_2": name(a[::-1]),
        }

    frame = table(row)
    frame = frame.with_columns(signer_first_name=pl.when(pl.int_range(60) % 3 > 0).then("signer_first_name"))
    masked = piiscan.mask(frame, piiscan.plan(frame), KEY)
    signed = masked.drop_nulls("signer_first_name")
    assert len(signed) == 40 and (signed["first_name"] == signed["signer_first_name"]).all()
    assert (masked["last_name"] == masked["signer_last_name"]).all()
    assert (masked["witness_1"] != masked["witness_2"]).all()


def test_equal_guests_are_one_persona_in_whichever_place() -> None:
    names = [name(person) for person in people(60)]
    frame = pl.DataFrame({"guest_1": names, "guest_2": names[1:] + names[:1]})
    masked = piiscan.mask(frame, piiscan.plan(frame), KEY)
    assert masked["guest_2"].to_list() == [*masked["guest_1"][1:], masked["guest_1"][0]]


def test_each_of_two_people_has_a_gender_of_their_own() -> None:
    def row(a: tuple[str, str], b: tuple[str, str]) -> Row:
        return {"name": name(a), "gender": "f", "name2": name(b), "gender2": "m"}

    frame = table(row)
    plan = piiscan.plan(frame)
    (planned,) = plan.tables
    assert [planned.columns[s.gender or 0].name for s in planned.subjects] == ["gender", "gender2"]
