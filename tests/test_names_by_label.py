"""Names behind labels of their parts, in forms, address books and directories: no list has to know them."""

from __future__ import annotations

import pytest

from piiscan.text import spans


def persons(text: str) -> list[str]:
    return [text[s.start : s.end] for s in spans(text) if s.entity in ("PERSON", "FIRST_NAME", "LAST_NAME")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Last name: Kernweiler", ["Kernweiler"]),
        ("First name: Xandrilo\nLast name: Pfotenhauer-Brixi", ["Xandrilo", "Pfotenhauer-Brixi"]),
        ("Nachname = Kernweiler", ["Kernweiler"]),
        ('"surname": "Kernweiler",', ["Kernweiler"]),
        ("Prénom : Ysoline", ["Ysoline"]),
        ("Фамилия: Кернвейлер", ["Кернвейлер"]),
        ("N:Kernweiler;Xandrilo;;;", ["Kernweiler", "Xandrilo"]),
        ("item1.N;CHARSET=UTF-8:Kernweiler;;;;", ["Kernweiler"]),
        ("FN:Linh Nguyễn Thị", ["Linh Nguyễn Thị"]),
        ("sn: Kernweiler", ["Kernweiler"]),
        ("cn: Linh Nguyễn Thị", ["Linh Nguyễn Thị"]),
    ],
)
def test_names_behind_their_labels(text: str, names: list[str]) -> None:
    assert persons(text) == names


@pytest.mark.parametrize("customer", ["Anna Xandrikow", "Marie Zwickelbach-Ott"])
@pytest.mark.parametrize(
    "text",
    [
        "Row(colour='red', customer='…', size=3)",
        '"colour"=>"red", "customer"=>"…"',
        "{colour: 'red', customer: '…', size: 3}",
        "colour=red;customer=…;size=3",
        "Map(colour -> red, customer -> …, size -> 3)",
        "[id=3|full_name=…]",
    ],
)
def test_names_of_members_that_programs_print(text: str, customer: str) -> None:
    assert persons(text.replace("…", customer)) == [customer]


@pytest.mark.parametrize(
    "text",
    [
        "Row(colour='red', customer='Acme Tools Inc', size=3)",
        "{colour: 'red', customer: 'required', size: 3}",
        "f(author=Build Server, user=None)",
        "colour=red;model=Steel Grill;size=3",
        "Last name: Required",
        "First name: text",
        "First name: Vorname",
        "lastName: String",
        "Last name: 40 characters",
        "Surname: the name of the family",
        "File name: Kernweiler",
        "Version: Kernweiler",
        "sn: 4711-22",
        "N: 12",
        "N:12;14",
        "Sn: tin",
    ],
)
def test_other_words_behind_labels(text: str) -> None:
    assert persons(text) == []
