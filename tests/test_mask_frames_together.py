"""Several frames masked at once: what the command does for a folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mask_people import customers, key_file
from mask_people import piiscan as command
from test_moving_dates import hospital, planned

import piiscan
from piiscan.core.keys import Key
from piiscan.masking.plan import plan_toml

KEY = Key(bytes(range(3, 35)))
PEOPLE = customers(120)
NOTES = pl.DataFrame(
    {
        "customer_id": PEOPLE["customer_id"],
        "note": [
            f"Called {first} {last} about the invoice, wrote to {email} and was told to come back next week."
            for first, last, email in PEOPLE.select("first_name", "last_name", "email").rows()
        ],
    }
)
BOTH = {"people": PEOPLE, "notes": NOTES}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> piiscan.Plan:
    made = piiscan.plan(BOTH)
    return replace(made, vault=made.vault and str(tmp_path_factory.mktemp("vault") / "people"))


def kinds(name: str) -> Any:
    return {"polars": lambda f: f, "pandas": lambda f: f.to_pandas(), "arrow": lambda f: f.to_arrow()}[name]


def test_the_same_as_the_command_makes_of_a_folder(tmp_path: Path) -> None:
    folder = hospital(tmp_path)
    plan, key = planned(folder, tmp_path), key_file(tmp_path)
    command("mask", folder, "--plan", plan, "--key", key, "-o", tmp_path / "masked")

    def frames(at: Path) -> dict[str, pl.DataFrame]:
        lines = (at / "notes.jsonl").read_text(encoding="utf-8").splitlines()
        return {
            "patients.csv": pl.read_csv(at / "patients.csv"),
            "stays.parquet": pl.read_parquet(at / "stays.parquet"),
            "readings.parquet": pl.read_parquet(at / "readings.parquet"),
            "notes.jsonl": pl.DataFrame([json.loads(line) for line in lines]),
        }

    made = piiscan.mask(frames(folder), plan_toml.load(plan), key)
    expected = frames(tmp_path / "masked")
    assert list(made) == list(expected)
    assert all(made[name].equals(expected[name]) for name in expected)
    distances = [p for p in made.report.promises if p.name == "dates of one subject keep their distances"]
    assert len(distances) == 5 and all(p.holds for p in distances)


@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow"])
def test_what_one_frame_holds_is_looked_for_in_the_texts_of_another(plan: piiscan.Plan, kind: str) -> None:
    given = {name: kinds(kind)(frame) for name, frame in BOTH.items()}
    made = piiscan.mask(given, plan, KEY)
    assert {name: type(frame) for name, frame in made.items()} == {n: type(f) for n, f in given.items()}
    people, notes = (pl.DataFrame(made[name]) for name in BOTH)
    for old, new, text in zip(PEOPLE.rows(named=True), people.rows(named=True), notes["note"], strict=True):
        assert new["email"] in text and new["last_name"] in text
        assert old["email"] not in text
    assert isinstance(made.report, piiscan.MaskReport)
    assert made.report.to_dict()["verified"] is True
    assert made.report.to_markdown().startswith("# Masking report")
    assert sorted(t["source"] for t in made.report.to_dict()["tables"]) == ["notes", "people"]


def test_frames_are_left_alone_and_joins_hold(plan: piiscan.Plan) -> None:
    before = {name: frame.clone() for name, frame in BOTH.items()}
    made = piiscan.mask(BOTH, plan, KEY)
    assert all(BOTH[name].equals(before[name]) for name in BOTH)
    assert made["people"]["customer_id"].equals(made["notes"]["customer_id"])
    assert not (made["people"]["customer_id"] == PEOPLE["customer_id"]).any()


def test_a_scan_of_several_frames_names_its_tables() -> None:
    report = piiscan.scan(BOTH)
    assert report["people", "email"].entity == "EMAIL_ADDRESS"
    assert {t.source for t in report.tables} == {"people", "notes"}


def test_frames_that_are_called_after_somebody_go_by_their_places() -> None:
    """A table of each customer, by e-mail address or name, as `groupby` gives them."""
    address, frame = "quillan@needle-post.com", pl.DataFrame({"n": [1, 2, 3]})
    frames = {"a": frame, address: frame, "Anna Kowalska": frame}
    report = piiscan.scan(frames)
    assert [t.source for t in report.tables] == ["a", "frame_1", "frame_2"]
    assert [(f.source, f.column, f.entity) for f in report.findings] == [
        ("frame_1", "table name", "EMAIL_ADDRESS"),
        ("frame_2", "table name", "PERSON"),
    ]
    plan = piiscan.plan(frames)
    masked = piiscan.mask(frames, plan, KEY)
    assert list(masked) == ["a", "frame_1", "frame_2"]
    for text in (report.to_json(), plan.to_toml(), masked.report.to_json()):
        assert "needle" not in text and "Kowalska" not in text
    with pytest.raises(piiscan.UsageError, match="another frame has the name in its place"):
        piiscan.scan({address: frame, "frame_0": frame})


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ({}, "an empty dict of frames"),
        ({3: PEOPLE}, 'names of frames must be texts, such as {"patients": frame}'),
        ({"peopel": PEOPLE}, "the plan has no table peopel; did you mean 'people'"),
        ({"people": "data/people.csv"}, "can't"),
        ({"people": [PEOPLE]}, "can't change an object of type list"),
        ({"people": PEOPLE.drop("ssn")}, "it lacks the plan's column ssn"),
    ],
)
def test_what_can_t_be_masked_together_is_refused(plan: piiscan.Plan, frames: Any, message: str) -> None:
    with pytest.raises(piiscan.UsageError, match=message.replace("{", r"\{")):
        piiscan.mask(frames, plan, KEY)


def test_stupid_frames(plan: piiscan.Plan) -> None:
    assert piiscan.mask({"people": PEOPLE.head(0), "notes": NOTES.head(0)}, plan, KEY)["people"].is_empty()
    one = {"x": pl.DataFrame({"a": ["hello"]})}
    assert piiscan.mask(one, piiscan.plan(one), KEY)["x"].equals(one["x"])
    with pytest.raises(piiscan.UsageError, match="leave out table"):
        piiscan.mask(BOTH, plan, KEY, table="people")


def test_a_broken_promise_gives_nothing_back(plan: piiscan.Plan) -> None:
    """A kept text with somebody's address."""
    tables = tuple(
        replace(
            t,
            columns=tuple(
                replace(a, operator="keep", params={}, subject=None, domain=None) if a.name == "note" else a
                for a in t.columns
            ),
        )
        for t in plan.tables
    )
    with pytest.raises(piiscan.VerifyError, match="nothing is returned: the masked data breaks"):
        piiscan.mask(BOTH, replace(plan, tables=tables), KEY)


def test_masks_side_by_side_in_a_text_stay_apart() -> None:
    """A rule finds the street with postal code and town; the street alone is the known one."""
    streets = ["Lindenallee 7", "Bergstraße 19", "Hauptstr. 44"]
    people = pl.DataFrame(
        {
            "Patientennummer": [f"P{100_000 + 7 * i}" for i in range(60)],
            "Nachname": ["Kruse", "Vogt", "Sommer"] * 20,
            "Strasse": [f"{streets[i % 3]}{i}" for i in range(60)],
        }
    )
    lives = pl.format("Wohnhaft {}, 12584 Neubrandenburg.", pl.col("Strasse"))
    calm = pl.lit("Keine Auffälligkeiten, Kontrolle in zwei Wochen.")
    notes = people.select("Patientennummer", Notiz=pl.when(pl.int_range(pl.len()) % 2 == 0).then(lives).otherwise(calm))
    tables = {"people": people, "notes": notes}
    masked = piiscan.mask(tables, piiscan.plan(tables), piiscan.Key(bytes(range(32))))
    both = masked["notes"].with_columns(street=masked["people"]["Strasse"])[::2]
    assert both.select(pl.col("Notiz").str.contains("Wohnhaft " + pl.col("street") + ", ")).to_series().all()
