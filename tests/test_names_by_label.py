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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Anwesend: Kernweiler, Brathwold, Szpurnal (Protokoll)", ["Kernweiler", "Brathwold", "Szpurnal"]),
        ("Anwesend: Kernweiler (Ltg.), Frau Dr. Brathwold", ["Kernweiler", "Brathwold"]),
        ("**Present:** Velthea Brathwold and Ardwin Kernweiler", ["Velthea Brathwold", "Ardwin Kernweiler"]),
        ("Presenti: Brandolisio, Quartaverdi", ["Brandolisio", "Quartaverdi"]),
        ("Katılanlar: Örgünalp Kernveyler", ["Örgünalp Kernveyler"]),
        ("Chair: Velthea Brathwold", ["Velthea Brathwold"]),
        ("出席者：甲乙野 太朗助、丙丁川 花乃子", ["甲乙野 太朗助", "丙丁川 花乃子"]),
        ("12:44 Reviewed-by: Ilminka Szpurnal", ["Ilminka Szpurnal"]),
        ("FAU - Kernweiler, Ardwin\nAU  - Kernweiler A", ["Kernweiler", "Ardwin", "Kernweiler"]),
        ("mit Grüßen\nDr. med. Tulkenhoff", ["Tulkenhoff"]),
        ("Le Dr Mablesec l'a vue.", ["Mablesec"]),
        ("Bevollmächtigte: Rechtsanwältin Szpurnal, Rostock", ["Szpurnal"]),
        ("z Panem Wierzomirem Szpurnalskim, zam.", ["Wierzomirem Szpurnalskim"]),
        ("Sayın Bratvoldoğlu anlattı.", ["Bratvoldoğlu"]),
    ],
)
def test_names_behind_labels_of_minutes_and_titles(text: str, names: list[str]) -> None:
    assert persons(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Present: fever, cough",
        "Absent: None",
        "Anwesend: alle",
        "Entschuldigt: keine",
        "Attendees: Marketing, Sales",
        "Participants: Team Blue, Team Red",
        "Approved by: Change Board",
        "Author: Debian Developers",
        "In attendance: Quorum",
        "Excused: Medical Leave",
        "出席者：管理部",
        "Reviewed-by: Release Team",
        "123 Elm Dr Springfield",
        "drinks Dr Pepper daily",
    ],
)
def test_groups_and_things_behind_labels_of_minutes(text: str) -> None:
    assert not [s for s in spans(text) if s.entity == "PERSON" and s.score >= 0.8]
