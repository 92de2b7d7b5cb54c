"""A plan that is applied to later data keeps no identifier that it doesn't know."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from conftest import run_piiscan

import piiscan

KEY = bytes(range(50, 82)).hex()
ROWS = 200


def frame(odd: Sequence[str] = ()) -> pl.DataFrame:
    colours = [*odd, *(("red", "green", "blue")[i % 3] for i in range(ROWS - len(odd)))]
    return pl.DataFrame(
        {"email": [f"person{i}@post-office.com" for i in range(ROWS)], "colour": colours, "amount": range(ROWS)}
    )


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PIISCAN_KEY", KEY)
    monkeypatch.chdir(tmp_path)  # where the vault of people is
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(0o600)
    return f"file:{tmp_path / 'key'}"


NEW = {
    "an address of mail": ["somebody@firm-of-one.com"],
    "within a text": ["red, as somebody@firm-of-one.com said"],
    "a card": ["4556 7375 8689 9855"] * 3,
    "an account": ["DE51500105175483920176"],
}
HARMLESS = {"another colour": ["yellow"], "an address for documents": ["somebody@example.com"], "a number": ["1234"]}


@pytest.mark.parametrize("what", [*NEW, *HARMLESS])
def test_later_data_that_hold_more_break_a_promise(what: str, tmp_path: Path, key: str) -> None:
    data, plan, out = tmp_path / "data.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    frame().write_csv(data)
    assert run_piiscan("plan", data, "-o", plan).returncode == 0
    frame({**NEW, **HARMLESS}[what]).write_csv(data)
    done = run_piiscan("mask", data, "--plan", plan, "-o", out, "--key", key)
    if what in HARMLESS:
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == 5 and not out.exists()
    assert "colour: rules find no direct identifier that the plan doesn't know" in done.stderr
    assert "make a new one" in done.stderr and "firm-of-one" not in done.stderr

    # A human may keep it, and a new plan masks it.
    text = plan.read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("colour = ")]
    plan.write_text(text.replace(line, 'colour = {operator = "keep", decided_by = "human"}'))
    done = run_piiscan("mask", data, "--plan", plan, "-o", out, "--key", key)
    assert done.returncode == 0, done.stderr
    assert run_piiscan("verify", data, out, "--plan", plan).returncode == 0
    done = run_piiscan("mask", data, "-o", tmp_path / "new.csv", "--key", key)
    assert done.returncode == 0 and "firm-of-one" not in (tmp_path / "new.csv").read_text()


def test_the_promise_is_made_of_texts_that_were_looked_at_alone(tmp_path: Path, key: str) -> None:
    made = frame()
    made.write_parquet(tmp_path / "data.parquet")
    report = tmp_path / "report.json"
    done = run_piiscan(
        "mask", tmp_path / "data.parquet", "-o", tmp_path / "o.parquet", "--key", key, "--report", report
    )
    assert done.returncode == 0, done.stderr
    promises = json.loads(report.read_text())["promises"]
    assert [p["column"] for p in promises if p["name"].startswith("rules find no direct")] == ["colour"]


def test_several_frames_are_checked_so(key: str) -> None:
    plan = piiscan.plan({"a": frame(), "b": frame()})
    piiscan.mask({"a": frame(), "b": frame()}, plan)
    with pytest.raises(piiscan.VerifyError, match="colour: rules find no direct identifier"):
        piiscan.mask({"a": frame(), "b": frame(NEW["an address of mail"])}, plan)


@pytest.mark.parametrize("what", [*NEW, *HARMLESS])
def test_a_single_frame_is_checked_so(what: str, key: str) -> None:
    plan = piiscan.plan(frame())
    later = frame({**NEW, **HARMLESS}[what])
    if what in HARMLESS:
        assert piiscan.mask(later, plan)["colour"].to_list() == later["colour"].to_list()
        return
    with pytest.raises(piiscan.VerifyError, match=r"plan doesn't know in column colour, in \d+ cells") as caught:
        piiscan.mask(later, plan)
    assert "firm-of-one" not in str(caught.value)
    (table,) = plan.tables
    actions = tuple(replace(a, decided_by="human") if a.name == "colour" else a for a in table.columns)
    kept = piiscan.mask(later, replace(plan, tables=(replace(table, columns=actions),)))
    assert kept["colour"].to_list() == later["colour"].to_list()


def test_verify_says_so_of_files_that_others_masked(tmp_path: Path, key: str) -> None:
    data, plan, out = tmp_path / "data.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    frame().write_csv(data)
    run_piiscan("plan", data, "-o", plan)
    frame(NEW["an account"]).write_csv(data)
    run_piiscan("mask", data, "--plan", plan, "-o", out, "--key", key, "--no-verify")
    done = run_piiscan("verify", data, out, "--plan", plan, "--key", key)
    assert done.returncode == 5 and "colour: rules find no direct identifier" in done.stdout + done.stderr


def test_what_the_configuration_declares_is_known(tmp_path: Path, key: str) -> None:
    frame(["somebody@firm-of-one.com"] * 40).write_csv(tmp_path / "data.csv")
    (tmp_path / "piiscan.toml").write_text('[[columns]]\npath = "data.csv"\ncolumn = "colour"\nis = "none"\n')
    done = run_piiscan("mask", "data.csv", "-o", "out.csv", "--key", key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_policy_of_the_users_own_decides_what_is_kept(tmp_path: Path, key: str) -> None:
    data, policy = tmp_path / "data.csv", tmp_path / "keep.toml"
    policy.write_text('name = "keep"\n[[rule]]\noperator = "keep"\n')
    frame(NEW["within a text"]).write_csv(data)
    done = run_piiscan("mask", data, "--policy", policy, "-o", tmp_path / "out.csv", "--key", key)
    assert done.returncode == 0, done.stderr


LATER = {"first_name": "Ottilia", "nachname": "Kernweiler", "phone": "+43 660 4711230", "colour": "red", "city": "Graz"}


@pytest.mark.parametrize("rows", [0, ROWS])
def test_nothing_is_kept_of_later_values_whose_header_alone_was_known(rows: int, key: str) -> None:
    later = pl.DataFrame({"email": [f"person{i}@post-office.com" for i in range(ROWS)], **LATER})
    before = later.head(rows).with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in LATER)
    plan = piiscan.plan(before)
    gone = ["first_name", "nachname", "phone", *([] if rows else ["email"])]
    emptied = [a for a in plan.tables[0].columns if a.operator == "suppress"]
    assert sorted(a.name or "" for a in emptied) == sorted(gone)
    assert all(a.notes[-1] == "values that come later are emptied until the plan is made anew" for a in emptied)
    for masked in (piiscan.mask(later, plan, key), piiscan.Masker(plan, key)(later)):
        assert masked.select(pl.col(gone).null_count()).row(0) == (ROWS,) * len(gone)
        assert masked.select("colour", "city").equals(later.select("colour", "city"))


def test_a_human_keeps_later_values_and_a_policy_does_by_name(tmp_path: Path, key: str) -> None:
    empty = pl.DataFrame({"nachname": [""], "phone": [""], "id": ["1"]}).head(0)
    (tmp_path / "ours.toml").write_text(
        'name = "ours"\n[[rule]]\ncolumn = "phone"\noperator = "keep"\n'
        '[[rule]]\npii = ["direct"]\noperator = "drop"\n[[rule]]\noperator = "keep"\n'
    )
    plan = piiscan.plan(empty, tmp_path / "ours.toml")
    assert {a.name: a.operator for a in plan.tables[0].columns} == {"nachname": "drop", "phone": "keep", "id": "keep"}
    (table,) = plan.tables
    kept = [replace(a, operator="keep", decided_by="human") for a in table.columns]
    again = piiscan.plan(empty, before=replace(plan, tables=(replace(table, columns=tuple(kept)),)))
    assert {a.operator for a in again.tables[0].columns} == {"keep"}


@pytest.mark.parametrize("text", [None, "The parcel was returned to us twice, so we called the shop."])
def test_texts_that_come_later_are_searched_for_names(text: str | None, key: str) -> None:
    mails = [f"person{i}@post-office.com" for i in range(ROWS)]
    before = pl.DataFrame({"email": mails, "note": [text] * ROWS}, schema={"email": pl.String, "note": pl.String})
    later = before.with_columns(note=pl.lit("Anna Lindqvist called on Monday about the invoice."))
    assert not piiscan.mask(later, piiscan.plan(before), key)["note"].str.contains("Lindqvist").any()


def test_keys_that_come_later_join(tmp_path: Path, key: str) -> None:
    """Of an empty table nothing but its declaration tells the type of a key."""
    data, plan, out = tmp_path / "clinic.db", tmp_path / "plan.toml", tmp_path / "out.db"
    with closing(sqlite3.connect(data)) as db:
        db.execute("CREATE TABLE patient (id INTEGER PRIMARY KEY, last_name TEXT, email TEXT)")
        people = [(104_000 + 7 * i, f"Kernweiler{i}", f"kernweiler{i}@post-office.com") for i in range(ROWS)]
        db.executemany("INSERT INTO patient VALUES (?, ?, ?)", people)
        db.execute("CREATE TABLE visit (patient_id INTEGER NOT NULL REFERENCES patient (id), phone TEXT NOT NULL)")
        db.commit()
        assert run_piiscan("plan", data, "-o", plan).returncode == 0
        db.executemany("INSERT INTO visit VALUES (?, ?)", [(i, f"+43 660 {i}9") for i, *_ in people])
        db.commit()
    done = run_piiscan("mask", data, "--plan", plan, "-o", out, "--key", key)
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(out)) as db:
        joined = db.execute("SELECT patient_id, phone FROM visit JOIN patient ON patient.id = patient_id").fetchall()
    assert len(joined) == ROWS and {phone for _, phone in joined} == {""}
    assert not {patient for patient, _ in joined} & {i for i, *_ in people[:5]}


def test_a_field_that_holds_others_is_not_emptied(tmp_path: Path, key: str) -> None:
    """Its header names secrets, and its values are those of fields."""
    source, target = tmp_path / "in.json", tmp_path / "out.json"
    machines = [{"os": {"adminPassword": "[parameters('publicKey')]"}}, {"os": {"user": "y"}}]
    source.write_text(json.dumps({"resources": machines}))
    done = run_piiscan("mask", source, "-o", target, "--key", key, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(target.read_text())["resources"][1] == machines[1]
