"""Verification reads the output as a stranger would: what the plan left open keeps the output from getting its name."""

from __future__ import annotations

import gzip
import re
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan, planned

from piiscan.masking.operators.erase import Suppress

pytestmark = pytest.mark.slow

NOTES = ["called about the parcel", "wants a refund soon", "asked for the invoice again", "will pay next month"]


def leaky(kind: str) -> pl.DataFrame:
    """Customers with a column that repeats an identifier of theirs."""
    people = customers(200)
    if kind == "copy":
        return people.with_columns(pl.col("email").str.to_uppercase().alias("login_copy"))
    if kind == "note":
        said = pl.Series([NOTES[i % 4] for i in range(len(people))])
        return people.with_columns((pl.lit("my number is ") + pl.col("ssn")).fill_null(said).alias("comment"))
    return people.with_columns(pl.col("ssn").str.replace_all("-", " ").alias("remark"))


@pytest.mark.parametrize(("kind", "column"), [("copy", "login_copy"), ("note", "comment"), ("digits", "remark")])
def test_an_identifier_left_elsewhere_keeps_the_output_from_its_name(tmp_path: Path, kind: str, column: str) -> None:
    source, target = tmp_path / "customers.csv", tmp_path / "out.csv"
    frame = leaky(kind)
    frame.write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", **{column: 'operator = "keep"'})
    call = ["mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path)]
    said = piiscan(*call, status=5)
    assert f"{column}: no unique original" in said and "--keep-unverified" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["customers.csv", "key", "plan.toml"]
    assert not any(value in said for name in ("email", "ssn", column) for value in frame[name].drop_nulls())

    said = piiscan(*call, "--keep-unverified", status=5)
    assert f"{column}: no unique original" in said
    assert cells(target)[column].equals(cells(source)[column])


@pytest.mark.slow
@pytest.mark.parametrize("packed", ["zip", "tar.gz", "csv.gz"])
def test_what_is_packed_is_verified_too(tmp_path: Path, packed: str) -> None:
    source, target = tmp_path / f"customers.{packed}", tmp_path / f"out.{packed}"
    leaky("copy").write_csv(tmp_path / "customers.csv")
    if packed == "zip":
        with zipfile.ZipFile(source, "w") as archive:
            archive.write(tmp_path / "customers.csv", "a/customers.csv")
            archive.writestr("b.csv", "id,city\n1,Boston\n")
    elif packed == "tar.gz":
        with tarfile.open(source, "w:gz") as tar:
            tar.add(tmp_path / "customers.csv", "customers.csv")
    else:
        source.write_bytes(gzip.compress((tmp_path / "customers.csv").read_bytes()))
    plan = planned(source, tmp_path / "plan.toml", login_copy='operator = "keep"')
    call = ["mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path)]
    assert "login_copy: no unique original" in piiscan(*call, status=5) and not target.exists()
    planned(source, plan, login_copy='operator = "suppress"')
    piiscan(*call)


@pytest.mark.parametrize("name", ["a.zip", "b!c.zip", "jo.brown@example.com.zip"])
@pytest.mark.parametrize("whole_folder", [True, False])
def test_masked_archives_can_be_verified(tmp_path: Path, name: str, whole_folder: bool) -> None:
    """Also where the archive's name has the sign that stands before its members, or isn't printed."""
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    with zipfile.ZipFile(before / name, "w") as archive:
        archive.writestr("a/customers.csv", customers(60).write_csv())
        archive.writestr("b.csv", "id,city\n1,Boston\n")
    plan, key = tmp_path / "plan.toml", key_file(tmp_path)
    piiscan("plan", before, "-o", plan)
    piiscan("mask", before, "--plan", plan, "-o", after, "--key", key)
    (made,) = after.iterdir()
    pair = (before, after) if whole_folder else (before / name, made)
    piiscan("verify", *pair, "--plan", plan, "--key", key)
    with zipfile.ZipFile(made, "w") as archive:  # and what breaks a promise is still found
        archive.writestr("a/customers.csv", customers(60).write_csv())
        archive.writestr("b.csv", "id,city\n1,Boston\n")
    assert "no unique original" in piiscan("verify", *pair, "--plan", plan, "--key", key, status=5)


def test_masks_of_two_forms_are_no_broken_join(tmp_path: Path) -> None:
    """Numbers of streets in one column, streets in another: cells that are equal get a number here and a street
    there."""
    source = tmp_path / "customers.csv"
    places = pl.Series([f"{i} Mill Lane" for i in range(200)])
    customers(200).with_columns(street=places, street_2=places).write_csv(source)
    line = (
        'operator = "surrogate"\nwith = {{kind = "street", locale = "en_US", look = "{}"}}\ndomain = "STREET_ADDRESS"'
    )
    plan = planned(source, tmp_path / "plan.toml", street=line.format("Number Street"), street_2=line.format("Street"))
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    out = cells(tmp_path / "out.csv")
    assert out["street"].str.contains("^[0-9]").all() and not out["street_2"].str.contains("^[0-9]").any()


@pytest.mark.parametrize("names", ["last_name", "first_name"])
def test_user_names_that_are_names_do_not_break_a_promise(tmp_path: Path, names: str) -> None:
    """Made-up names are names that people have, also as user names: that is chance."""
    people = customers(400)
    people.with_columns(username=people[names].str.to_lowercase()).write_csv(tmp_path / "customers.csv")
    piiscan("mask", tmp_path / "customers.csv", "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    out = cells(tmp_path / "out.csv")
    assert (out["username"] == people[names].str.to_lowercase()).mean() < 0.05


def test_a_suppressed_column_in_which_something_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "customers.csv"
    customers(200).with_columns(member=pl.Series([True, False] * 100)).write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", member='operator = "suppress"')
    monkeypatch.setattr(Suppress, "mask", lambda self, values, key: values)
    call = ["mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path)]
    assert "member: nothing is left in it: 200 violations, 200 checked" in piiscan(*call, status=5)


def test_without_the_leak_the_same_table_passes(tmp_path: Path) -> None:
    source = tmp_path / "customers.csv"
    leaky("note").write_csv(source)
    plan = planned(source, tmp_path / "plan.toml")
    said = piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path))
    assert re.search(r"(\d+) promises checked, \1 kept\.", said)
    notes = cells(tmp_path / "out.csv")["comment"]
    assert notes.str.starts_with("my number is ").sum() == 190
    assert not set(notes) & set(leaky("note").filter(pl.col("ssn").is_not_null())["comment"])


def test_what_stays_by_design_is_no_leak(tmp_path: Path) -> None:
    source, target = tmp_path / "visits.csv", tmp_path / "out.csv"
    addresses = ["::1" if i % 50 == 0 else f"198.{18 + i % 2}.{i % 251}.{i * 7 % 256}" for i in range(300)]
    pl.DataFrame({"row": range(300), "ip_address": addresses}).write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", ip_address='operator = "ip"')
    piiscan("mask", source, "--plan", plan, "-o", target, "--key", key_file(tmp_path))
    assert [a == b for a, b in zip(addresses, cells(target)["ip_address"], strict=True)] == [
        a == "::1" for a in addresses
    ]


def test_no_verify_checks_nothing(tmp_path: Path) -> None:
    source = tmp_path / "customers.csv"
    leaky("copy").write_csv(source)
    plan = planned(source, tmp_path / "plan.toml", login_copy='operator = "keep"')
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.csv", "--key", key_file(tmp_path), "--no-verify")
    assert len(cells(tmp_path / "out.csv")) == 200


def test_a_leak_into_another_file_of_the_folder_is_seen(tmp_path: Path) -> None:
    people, root = customers(200), tmp_path / "in"
    root.mkdir()
    people.write_csv(root / "customers.csv")
    pl.DataFrame({"row": range(200), "line": people["ssn"].fill_null("none")}).write_csv(root / "log.csv")
    plan = planned(root, tmp_path / "plan.toml", line='operator = "keep"')
    said = piiscan("mask", root, "--plan", plan, "-o", tmp_path / "out", "--key", key_file(tmp_path), status=5)
    assert "log.csv: line: no unique original" in said
    assert not (tmp_path / "out").exists()


def test_no_message_reveals_the_name_of_a_table_that_identifies_somebody(tmp_path: Path) -> None:
    source, name = tmp_path / "customers.db", "jane.doe4711@corp-mail.com"
    frame = leaky("copy")
    with sqlite3.connect(source) as base:
        base.execute(f'CREATE TABLE "{name}" ({", ".join(frame.columns)})')
        base.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * frame.width)})', frame.cast(pl.String).rows())
    base.close()
    plan = planned(source, tmp_path / "plan.toml", login_copy='operator = "keep"')
    call = ["mask", source, "--plan", plan, "-o", tmp_path / "out.db", "--key", key_file(tmp_path)]
    for more in ([], ["--keep-unverified", "--verbose"]):
        said = piiscan(*call, *more, status=3)
        assert "the name of a table in it identifies a person" in said and not (tmp_path / "out.db").exists()
        assert "jane" not in said


def test_an_emptied_key_of_a_database_gets_new_numbers(tmp_path: Path) -> None:
    """SQLite numbers the rows of an integer primary key where nothing else does: 1, 2, 3, …"""
    import sqlite3

    source = tmp_path / "in.sqlite"
    with sqlite3.connect(source) as connection:
        connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, ward TEXT)")
        connection.executemany("INSERT INTO visits VALUES (?, ?)", [(9000 + 7 * i, "AB"[i % 2]) for i in range(60)])
    connection.close()
    plan = planned(source, tmp_path / "plan.toml", id='operator = "suppress"')
    piiscan("mask", source, "--plan", plan, "-o", tmp_path / "out.sqlite", "--key", key_file(tmp_path))
    connection = sqlite3.connect(tmp_path / "out.sqlite")
    assert [n for (n,) in connection.execute("SELECT id FROM visits")] == list(range(1, 61))
    connection.close()
