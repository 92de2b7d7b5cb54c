"""Dates of birth and street addresses in texts: found by the words beside them, in time that grows with the text."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import Run
from mask_people import key_file

from piiscan.detection.text import announced_persons, birth_dates, street_addresses
from piiscan.detection.text.span import Span
from piiscan.rules import rule_sets
from piiscan.text import spans

RULES = rule_sets.shipped().rules

PIECES = (
    "12 Aa ",
    "Calle De La ",
    "12 rue ",
    "5 bis, ",
    "ul.",
    "Via Aa. ",
    "Aastraße 1 /",
    "Aa-",
    "Aa'",
    "12 N ",
    "1. 1. ",
)


def found(text: str, entity: str) -> list[str]:
    return [text[s.start : s.end] for s in spans(text) if s.entity == entity]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("My daughter was born on July 30, 2014 and has asthma.", ["July 30, 2014"]),
        ("Invoice date: 12.03.2024, DOB 1/2/1960; order 3/4/2020", ["1/2/1960"]),
        ("d.o.b. 12-Mar-84", ["12-Mar-84"]),
        ("dob=1984-03-12 sex=m", ["1984-03-12"]),
        ("Mary (b. 12/03/1984) and John", ["12/03/1984"]),
        ("Patientin, geb. am 3. März 1962, klagt", ["3. März 1962"]),
        ("Er wurde am 12.03.1984 in Köln geboren.", ["12.03.1984"]),
        ("nato a Roma il 12/03/1970, residente a Milano", ["12/03/1970"]),
        ("geboren in Bad Homburg am 12.03.1984", ["12.03.1984"]),
        ("born in New York on March 12, 1984", ["March 12, 1984"]),
        ("родился в г. Москве 12.03.1970", ["12.03.1970"]),
        ("مواليد 12/03/1970", ["12/03/1970"]),
        ("sinh ngày 12/03/1970", ["12/03/1970"]),
        ("Pacient Jan Novák se narodil 3. 2. 1987 v Brně", ["3. 2. 1987"]),
        ("született: 1987. 02. 03., Pécs", ["1987. 02. 03"]),
        ("született 1987. február 3-án", ["1987. február 3"]),
        ("gimė 1987-02-03 Vilniuje", ["1987-02-03"]),
        ("Dne 3. 2. 1987 byla smlouva podepsána", []),
        ("A szerződés 1987. 02. 03. napján kelt", []),
        ("opened in London on March 12, 1984", []),
        ("She was born in the winter. On March 12, 1984 we moved", []),
        ("née le 3 mars 1984 à Lyon", ["3 mars 1984"]),
        ("fecha de nacimiento: 12 de marzo de 1984", ["12 de marzo de 1984"]),
        ("Data urodzenia: 12 marca 1984 r.", ["12 marca 1984"]),
        ("родился 12 марта 1984 года", ["12 марта 1984"]),
        ("doğum tarihi 12.03.1984", ["12.03.1984"]),
        ("生年月日：1984年3月12日", ["1984年3月12日"]),
        ("1984年3月12日生まれ", ["1984年3月12日"]),
        ("1984年3月12日に会いました", []),
        ("The birthday party on 12.03.2024 was fun", []),
        ("Founded on 12.03.1984. Born is Müller.", []),
        ("born in 1984 and released 12/03/1986", []),
        ("seen on 12 March 1984", []),
        ('{"created":"2024-03-12","birthDate":"1984-03-12"}', ["1984-03-12"]),
        ("<seen>2024-03-12</seen><dob>1984-03-12</dob>", ["1984-03-12"]),
        ("User{dob='1984-03-12', seen='2024-03-12'}", ["1984-03-12"]),
    ],
)
def test_dates_of_birth_are_those_that_words_announce(text: str, dates: list[str]) -> None:
    assert found(text, "DATE_OF_BIRTH") == dates


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("I live at 874 Krueger Junctions Apt. 907, Pine, NH 38358.", "874 Krueger Junctions Apt. 907, Pine, NH 38358"),
        ("1600 Pennsylvania Ave NW, Washington, DC 20500", "1600 Pennsylvania Ave NW, Washington, DC 20500"),
        ("at 221B Baker Street, London NW1 6XE.", "221B Baker Street, London NW1 6XE"),
        ("45 W 34th St, New York", "45 W 34th St"),
        ("Wohnhaft Hauptstraße 12, 50667 Köln", "Hauptstraße 12, 50667 Köln"),
        ("Bahnhofstr. 5a, CH-8001 Zürich", "Bahnhofstr. 5a, CH-8001 Zürich"),
        ("wohnt in der Lange Straße 7", "Lange Straße 7"),
        ("12 bis, avenue des Champs-Élysées", "12 bis, avenue des Champs-Élysées"),
        ("5 rue de l'Église, 67000 Strasbourg", "5 rue de l'Église, 67000 Strasbourg"),
        ("Vive en Calle de Alcalá, 12, 28014 Madrid", "Calle de Alcalá, 12, 28014 Madrid"),
        ("Abita in Via Giuseppe Garibaldi 3, 20121 Milano", "Via Giuseppe Garibaldi 3, 20121 Milano"),
        ("Rua Augusta, 100, São Paulo", "Rua Augusta, 100"),
        ("ul. Długa 5/3, 00-001 Warszawa", "ul. Długa 5/3, 00-001 Warszawa"),
        ("ул. Ленина, д. 5", "ул. Ленина, д. 5"),
        ("Kerkstraat 5, 1017 GA Amsterdam", "Kerkstraat 5, 1017 GA Amsterdam"),
        ("Moved to 98045 Kernweiler Run Suite 186, Leeds.", "98045 Kernweiler Run Suite 186"),
        ("Lives at 12 Oak Ridge, Springfield, IL 62704.", "12 Oak Ridge, Springfield, IL 62704"),
        ("Won 3 Best River awards, and 12 Blue Mountain bikes.", None),
        ("Storgatan 3, 111 22 Stockholm", "Storgatan 3, 111 22 Stockholm"),
        ("Lakik: Kossuth Lajos utca 12", "Kossuth Lajos utca 12"),
        ("Jl. Merdeka No. 10", "Jl. Merdeka No. 10"),
        ("住所は東京都新宿区西新宿2丁目8番1号です", "東京都新宿区西新宿2丁目8番1号"),
        ("주소: 서울시 강남구 테헤란로 123", "서울시 강남구 테헤란로 123"),
        ("We sold 12 New Way products in 3 ways", None),
        ("5 May Drive to the lake", None),
        ("He got 3 First Place awards", None),
        ("Via Email 2024 sent", None),
        ("On 12 March Place your order", None),
        ("a street with 12 houses", None),
        ("vive en calle Tinajas nº 10, con", "calle Tinajas nº 10"),
        ("calle del Pozo número 14", "calle del Pozo número 14"),
        ("Adresa: Okružní 4711/3, 760 01 Zlín", "Okružní 4711/3, 760 01 Zlín"),
        ("Version 5, 411 38 users", None),
    ],
)  # fmt: skip
def test_street_addresses_are_known_by_the_word_for_a_street(text: str, address: str | None) -> None:
    assert found(text, "STREET_ADDRESS") == ([address] if address else [])


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_take_no_longer_by_the_character(piece: str) -> None:
    assert _seconds(piece * 16_000) < 20 * _seconds(piece * 2000) + 0.05


def test_long_lists_of_persons_take_no_longer_by_the_name() -> None:
    def seconds(names: int) -> float:
        piece = "KERNWEILER, Anna; "
        at = [i * len(piece) + piece.index("Anna") for i in range(names)]
        persons = [Span(start, start + 4, "PERSON", None, "text-person", 0.98) for start in at]
        begun = time.process_time()
        found = announced_persons.with_announced(piece * names, persons)
        assert [(s.start, s.end) for s in found] == [(start - len("KERNWEILER, "), start + 4) for start in at]
        return time.process_time() - begun

    assert seconds(16_000) < 20 * seconds(2000) + 0.05


def _seconds(text: str) -> float:
    start = time.process_time()
    for _ in range(3):
        list(street_addresses.addresses(text, RULES))
        list(birth_dates.births(text, RULES))
    return time.process_time() - start


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("MRN 00482913, seen on 12.03.2024", ["00482913"]),
        ("Patient-ID: 883274 admitted", ["883274"]),
        ("Patientennummer A-4711223", ["A-4711223"]),
        ("numéro de dossier patient 4711-223", ["4711-223"]),
        ("historia clínica 998877", ["998877"]),
        ('{"mrn":"00482913","visit":"0048291"}', ["00482913"]),
        ("Her medical record number is 12-34-567.", ["12-34-567"]),
        ("Patient 883274 was seen", []),
        ("patient number 3 of 2024", []),
        ("MRN: 1234", []),
        ("order 00482913", []),
        ("the MRN attribute closes 1056581", []),
        ("medical record of 2024: 00482913", []),
    ],
)
def test_numbers_of_records(text: str, numbers: list[str]) -> None:
    assert found(text, "MEDICAL_RECORD") == numbers


def test_a_path_is_no_part_of_an_address() -> None:
    text = "GET /users/jane.doe@example.com/profile, a/b=c@example.org"
    assert found(text, "EMAIL_ADDRESS") == ["jane.doe@example.com", "c@example.org"]
    assert found("User{name='Ann', email='ann@example.org'}", "EMAIL_ADDRESS") == ["ann@example.org"]


def test_texts_are_masked_as_the_policy_says(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "a.txt").write_text("Born on July 30, 2014, lives at 12 Elm Street, Springfield, IL 62704.\n", "utf-8")
    texts = {}
    for policy in ("default", "gdpr"):
        out = tmp_path / policy
        done = piiscan("mask", tmp_path / "a.txt", "-o", out, "--policy", policy, "--key", key_file(tmp_path))
        assert done.returncode == 0, done.stderr
        texts[policy] = out.read_text("utf-8")
        assert "Elm Street" not in texts[policy]
        assert "62704" not in texts[policy]
    assert "July 30, 2014" in texts["default"]  # which keeps quasi-identifiers
    assert "<DATE_OF_BIRTH>" in texts["gdpr"]


def test_names_in_texts_keep_how_they_are_written(tmp_path: Path, piiscan: Run) -> None:
    lines = [
        "Thank you, Tracy.",
        "Spouse Elizabeth at bedside.",
        "Hi, I'm Hannah Schneider and I can't log in.",
        "Sincerely, J. Smith",
    ]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", "utf-8")
    done = piiscan("mask", tmp_path / "a.txt", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    assert done.returncode == 0, done.stderr
    masked = (tmp_path / "out").read_text("utf-8").splitlines()
    for line, mask in zip(lines, masked, strict=True):
        assert mask != line
        assert len(mask.split()) == len(line.split()), mask
    assert masked[3].split()[1].endswith(".")


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("wohnt bei Sohn Peter", "Peter"),
        ("Frau Dr. Weber hat angerufen", "Weber"),
        ("Mevr. de Vries", "de Vries"),
        ("Zoon Wouter belt terug", "Wouter"),
        ("mère de Daniel", "Daniel"),
        ("Liebe Sabine,", "Sabine"),
        ("Hej Lars,", "Lars"),
        ("Bonjour Paul, merci", "Paul"),
        ("poikansa Mikko soitti", "Mikko"),
        ("oğlu Mehmet aradı", "Mehmet"),
        ("Frau Doktor war da", None),
        ("Mutter Gottes", None),
        ("Hi There", None),
        ("Dear Customer", None),
        ("Ms Office ist installiert", None),
        ("Liebe Grüße", None),
    ],
)
def test_relatives_greetings_and_titles_announce_persons(text: str, person: str | None) -> None:
    surely = [text[s.start : s.end] for s in spans(text) if s.entity == "PERSON" and s.score >= 0.95]
    assert surely == ([person] if person else [])


def test_a_text_with_a_date_of_birth_is_not_called_clean(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "a.txt").write_text("Born on July 30, 2014, at 12 Elm Street, Springfield, IL 62704.\n", "utf-8")
    (tmp_path / "b.txt").write_text("Nothing was born on Elm Street.\n", "utf-8")
    done = piiscan("scan", tmp_path / "a.txt")
    assert done.returncode == 0
    assert "Clean" not in done.stderr
    assert "1 column with quasi-identifiers inside" in done.stderr
    assert "Clean" in piiscan("scan", tmp_path / "b.txt").stderr


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("12.03.24, 14:10 - Hannelore: Hallo zusammen", "Hannelore"),
        ("[12.03.24, 15:01:22] Hannelore Brückner: Bild weggelassen", "Hannelore Brückner"),
        ("12.03.24, 14:10 - Maria von Trapp: ja", "Maria von Trapp"),
        ("1/3/24, 9:15 PM - Anna: ok", "Anna"),
        ("[10:01] <Peter> moin", "Peter"),
        ("2024년 1월 1일 오전 10:00, 김민수 : 안녕하세요", "김민수"),
        ("10:00\t山田太郎\tこんにちは", "山田太郎"),
        ("2024/01/01 10:00 王小明：你好", "王小明"),
        ("2024-05-01 10:00:00 INFO: started", None),
        ("10:00:01 Main: started", None),
        ("2024-01-01 10:00 Server: up", None),
        ("10:00 Uhr: Treffen", None),
        ("10:00 Monday: meeting", None),
        ("10:00\t系统\t消息", None),
        ("10:15 Berlin: Abfahrt", None),
    ],
)
def test_the_time_of_a_chat_announces_who_speaks(text: str, person: str | None) -> None:
    surely = [text[s.start : s.end] for s in spans(text) if s.entity == "PERSON" and s.score >= 0.95]
    assert surely == ([person] if person else [])
