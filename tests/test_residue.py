"""The benchmark of what is left in masked notes: it knows what it planted, finds all of it, and nothing else."""

from __future__ import annotations

import csv
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT))
from benchmarks import residue, residue_hospital, residue_spellings

MADE = residue_hospital.hospital(120, 800, 5)
TOLD = {"name", *residue_spellings.DIRECT, *residue_spellings.REMOVED}


@pytest.fixture(scope="module")
def patients(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    folder = tmp_path_factory.mktemp("hospital")
    residue_hospital.write(MADE, folder, 5)
    assert {p.name for p in folder.iterdir()} == {
        "patients.csv",
        "visits.parquet",
        "notes.jsonl",
        "billing.xlsx",
        "portal.sqlite",
    }
    assert residue.masked_notes(folder / "notes.jsonl", 800) == [note.text for note in MADE.notes]
    with open(folder / "patients.csv", encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def measured(rows: list[dict[str, str]], texts: list[str | None]) -> dict[str, object]:
    counts = residue.Measure(MADE, rows, {"date_of_birth", "zip", "city"}, False)
    for note, text, stranger in zip(MADE.notes, texts, residue.strangers(MADE), strict=True):
        counts.add(note, text, stranger)
    return counts.result()


def mentions(note: residue_hospital.Note) -> set[str]:
    """Kinds of which a note tells something that must go."""
    return {p.kind for p in note.pieces if p.kind in TOLD and not (p.kind == "age" and p.spelling != "over_89")}


def test_the_same_for_the_same_seed() -> None:
    assert residue_hospital.hospital(120, 800, 5) == MADE
    assert residue_hospital.hospital(120, 800, 6) != MADE


def test_every_language_has_templates_and_names() -> None:
    folder = residue_hospital.DATA / "templates"
    for language in MADE.languages:
        lines = (folder / f"{language}.txt").read_text(encoding="utf-8").splitlines()
        assert len(lines) >= 25
        assert any("{" not in line for line in lines)  # some name nobody
    assert {note.language for note in MADE.notes} == set(MADE.languages)


def test_all_is_left_in_a_copy(patients: list[dict[str, str]]) -> None:
    nobody = [dict.fromkeys(row, "") for row in patients]
    found = measured(nobody, [note.text for note in MADE.notes])
    assert found["left"] == sum(bool(mentions(note)) for note in MADE.notes)
    assert found["others_changed"] == 0
    assert all(h["kept"] == h["words"] for h in found["homographs"].values())  # type: ignore[attr-defined]
    assert all(
        entry["left"] == entry["mentions"]
        for entry in found["by_spelling"]
        if entry["kind"] != "age"  # type: ignore[attr-defined]
    )


def test_nothing_is_left_where_mentions_are_gone(patients: list[dict[str, str]]) -> None:
    nobody = [dict.fromkeys(row, "") for row in patients]
    texts = ["".join("XXX" if p.kind in TOLD | {"other"} else p.text for p in note.pieces) for note in MADE.notes]
    found = measured(nobody, texts)
    assert (found["left"], found["chance"], found["others_changed"]) == (0, 0, 0)
    assert measured(nobody, [None] * 800)["left"] == 0


def test_a_value_that_is_its_own_mask_is_not_left(patients: list[dict[str, str]]) -> None:
    assert measured(patients, [note.text for note in MADE.notes])["left_direct"] == 0


@pytest.mark.parametrize(("form", "text", "count"), [("May", "May, Mayor; in May.", 2), ("J. S", "J. Smith J. S.", 1)])
def test_occurrences_end_with_words(form: str, text: str, count: int) -> None:
    assert residue.occurrences(form, text) == count
