"""Patients as FHIR R4 writes them: in bundles, in lines and in Parquet, found and masked whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import piiscan

KEY = bytes(range(40, 72)).hex()
GIVEN = ("Odalric", "Tamsine", "Brevik", "Iluna", "Corvane", "Hesper")
FAMILY = ("Vanterpool", "Eskelund", "Brightwhistle", "Larrazabal")
SYSTEM = "http://terminology.hl7.org/CodeSystem/v2-0203"
EXTENSION = "http://hl7.org/fhir/StructureDefinition"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIISCAN_KEY", KEY)


def patient(i: int) -> tuple[dict[str, Any], list[str]]:
    """A patient, and what must not be left of them."""
    given, family = GIVEN[i % len(GIVEN)], FAMILY[i % len(FAMILY)]
    phone, mail, mother = f"(541) 555-01{i:02}", f"{given}.{family}{i}@mail.example".lower(), f"{FAMILY[-1 - i % 4]}ova"
    mrn, ssn = f"MR{7_730_411 + 977 * i}", f"{217 + i}-{31 + i}-{4108 + i}"
    made = {
        "resourceType": "Patient",
        "id": f"{i:08x}-1f2e-4a3b-9c4d-5e6f708192a3",
        "text": {"status": "generated", "div": f"<div>{given} {family}</div>"},
        "extension": [{"url": f"{EXTENSION}/patient-mothersMaidenName", "valueString": mother}],
        "identifier": [
            {"type": {"text": "Medical Record Number"}, "system": "http://clinic.example/mrn", "value": mrn},
            {"type": {"coding": [{"system": SYSTEM, "code": "SS"}]}, "system": "http://hl7.org/fhir/sid/us-ssn",
             "value": ssn},
        ],
        "name": [{"use": "official", "text": f"{given} {family}", "family": family, "given": [given]}],
        "telecom": [{"system": "phone", "value": phone, "use": "home"}, {"system": "email", "value": mail}],
        "gender": ("male", "female")[i % 2],
        "birthDate": f"19{40 + i}-03-{1 + i:02}",
        "address": [{"use": "home", "type": "both", "line": [f"{101 + i} Bittern Lane"], "city": "Ashland"}],
    }  # fmt: skip
    return made, [f"{given} {family}", phone, mail, mother, mrn, ssn, f"{101 + i} Bittern Lane"]


def encounter(i: int, subject: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": "Encounter",
        "id": f"{i:08x}-77aa-4b5c-8d6e-0f1e2d3c4b5a",
        "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"},
        "subject": {"reference": f"Patient/{subject['id']}", "display": subject["name"][0]["text"]},
        "serviceProvider": {"reference": "Organization/1", "display": "Copse Valley Clinic"},
    }


PATIENTS = [patient(i) for i in range(20)]
RESOURCES = [p for p, _ in PATIENTS]
VISITS = [encounter(i, p) for i, p in enumerate(RESOURCES)]


def bundle(resources: list[dict[str, Any]]) -> str:
    entries = [{"fullUrl": f"urn:uuid:{r['id']}", "resource": r} for r in resources]
    return json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries}, indent=1)


def written(path: Path, resources: list[dict[str, Any]]) -> None:
    if path.suffix == ".json":
        path.write_text(bundle(resources))
    elif path.suffix == ".ndjson":
        path.write_text("".join(json.dumps(r) + "\n" for r in resources))
    else:
        pl.DataFrame(resources).write_parquet(path)


def text(path: Path) -> str:
    return str(pl.read_parquet(path).to_dicts()) if path.suffix == ".parquet" else path.read_text()


@pytest.mark.parametrize(
    ("name", "resources", "people"),
    [
        ("bundle.json", [*RESOURCES, *VISITS], 20),
        ("one.json", [RESOURCES[0], VISITS[0]], 1),
        ("Patient.ndjson", RESOURCES, 20),
        ("Patient.parquet", RESOURCES, 20),
    ],
)
def test_nothing_of_anybody_is_left(tmp_path: Path, name: str, resources: list[dict[str, Any]], people: int) -> None:
    source, target = tmp_path / name, tmp_path / "out" / name
    written(source, resources)
    piiscan.mask(source, plan=piiscan.plan(source), output=target)
    after = text(target)
    # Lists of structs have a column for each field: what an extension's value is, only other cells tell.
    others = ("ova",) if name.endswith(".parquet") else ("none",)
    assert [v for _, values in PATIENTS[:people] for v in values if v in after and not v.endswith(others)] == []
    assert "http://hl7.org/fhir/sid/us-ssn" in after or people == 1


def test_each_value_is_what_the_members_beside_it_say(tmp_path: Path) -> None:
    source = tmp_path / "Patient.ndjson"
    written(source, RESOURCES)
    found = {c.name: (c.entity, c.pii) for c in piiscan.scan(source).tables[0].columns}
    assert {
        "extension[].valueString[patient-mothersMaidenName]": ("LAST_NAME", "direct"),
        "identifier[].value[Medical Record Number]": ("MEDICAL_RECORD", "direct"),
        "identifier[].value[us-ssn]": ("US_SSN", "direct"),
        "name[].text": ("PERSON", "direct"),
        "telecom[].value[phone]": ("PHONE_NUMBER", "direct"),
        "telecom[].value[email]": ("EMAIL_ADDRESS", "direct"),
    }.items() <= found.items()
    assert found["identifier[].system"] == found["extension[].url"] == ("URL", "none")


def test_what_references_show_is_a_person_only_where_they_lead_to_one(tmp_path: Path) -> None:
    source = tmp_path / "Encounter.ndjson"
    written(source, VISITS)
    found = {c.name: (c.entity, c.pii) for c in piiscan.scan(source).tables[0].columns}
    assert found["subject.display"] == ("PERSON", "direct")
    assert found["serviceProvider.display"] != ("PERSON", "direct")
    assert found["id"] == ("GENERIC_ID", "none")


Contact = Callable[[str, str], list[dict[str, Any]]]


@pytest.mark.parametrize(
    "contacts",
    [
        lambda m, t: [{"label": "Home", "type": "phone", "value": t}, {"label": "Work", "type": "email", "value": m}],
        lambda m, t: [{"kind": "e-mail", "label": "private", "value": m}, {"kind": "mobile", "value": t}],
        lambda m, t: [{"system": "phone", "type": "private", "value": t}, {"system": "email", "value": m}],
    ],
)
def test_contacts_of_several_kinds_have_a_column_each(tmp_path: Path, contacts: Contact) -> None:
    people = [(f"{GIVEN[i % 6]}.{i}@mail.example".lower(), f"(541) 555-01{i:02}") for i in range(20)]
    source, target = tmp_path / "t.json", tmp_path / "out.json"
    source.write_text(json.dumps([{"id": i, "contacts": contacts(*p)} for i, p in enumerate(people)]))
    found = {(c.entity, c.pii) for c in piiscan.scan(source).tables[0].columns if "value[" in (c.name or "")}
    assert found == {("EMAIL_ADDRESS", "direct"), ("PHONE_NUMBER", "direct")}
    piiscan.mask(source, plan=piiscan.plan(source), output=target)
    after = json.loads(target.read_text())
    assert not [v for person in people for v in person if v in target.read_text()]
    assert all(sum("@" in c["value"] for c in row["contacts"]) == 1 for row in after)


PERSON = {
    "firstName": "Tamsine",
    "lastName": "Eskelund",
    "birthDate": "1975-02-03",
    "emails": [{"type": "home", "address": "t.eskelund@mail.example"}, {"type": "work", "address": "te@corp.example"}],
    "phones": [{"type": "mobile", "number": "(541) 555-0144"}],
    "addresses": [{"street": "12 Bittern Lane", "city": "Ashland"}],
}
SHOP = {
    "company": "Bittern Tools Ltd",
    "vat": "GB123456789",
    "offices": [
        {"street": "12 Bittern Lane", "city": "Ashland", "phone": "(541) 555-0144", "email": "a@bittern.example"}
    ],
}


@pytest.mark.parametrize(("document", "whose"), [(PERSON, "direct"), (RESOURCES[0], "direct"), (SHOP, "none")])
def test_lists_of_an_object_are_about_whom_the_object_is(tmp_path: Path, document: object, whose: str) -> None:
    source = tmp_path / "t.json"
    source.write_text(json.dumps(document))
    contacts = ("EMAIL_ADDRESS", "PHONE_NUMBER", "STREET_ADDRESS")
    found = [
        (c.entity, c.pii) for t in piiscan.scan(source).tables if t.table for c in t.columns if c.entity in contacts
    ]
    assert set(found) == {(entity, whose) for entity in contacts}
