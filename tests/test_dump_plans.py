"""Plans of dumps by what they declare: foreign keys, NOT NULL, lengths and ranges of types."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from conftest import run_piiscan
from mask_people import key_file
from mask_people import piiscan as command

import piiscan
from piiscan.masking.plan.frequencies import revealed
from piiscan.masking.plan.plan_types import Action, Plan

FIRST = "Alma Bruno Carla Dario Elena Fabio Greta Hugo Irene Jonas Klara Luis Mona Nils Olga Pavel".split()
LAST = "Abbott Bellini Castro Dvorak Eriksen Fontaine Gruber Hartley Ibsen Jansen Keller Lindgren".split()
HEAD = "-- MariaDB dump 10.19\n\n/*!40101 SET NAMES utf8mb4 */;\n"


def shop(key: str = "int", user: str = "varchar(60)", sold_by: str = "int NOT NULL", refers: bool = True) -> str:
    """A shop with two sellers, and whose rentals are sold by them."""
    reference = ", FOREIGN KEY (staff_id) REFERENCES staff (staff_id)" if refers else ""
    lives = ", FOREIGN KEY (address_id) REFERENCES address (address_id)" if refers else ""
    rows = range(1, 301)
    addresses = [f"({i},'{i} Mill Lane','Bergen','{10_000 + i}','{140_333_568_770 + i * 9_973}')" for i in rows]
    names = [(i, FIRST[i * 7 // 3 % 16], LAST[i * 5 // 2 % 12]) for i in rows]
    people = [f"({i},'{first}','{last}','{first.lower()}.{i}@shop.org',{i})" for i, first, last in names]
    rentals = [f"({i},{i},{i % 2 + 1},{i % 9}.50)" for i in rows]
    return (
        f"{HEAD}CREATE TABLE address (address_id int NOT NULL, address varchar(60) NOT NULL, city varchar(50), "
        "postal_code varchar(10), phone varchar(24) NOT NULL, PRIMARY KEY (address_id));\n"
        f"CREATE TABLE staff (staff_id {key} NOT NULL, first_name varchar(45), last_name varchar(45), username {user} "
        "NOT NULL, PRIMARY KEY (staff_id));\n"
        "CREATE TABLE customer (customer_id int NOT NULL, first_name varchar(45), last_name varchar(45), email "
        f"varchar(80), address_id int NOT NULL, PRIMARY KEY (customer_id){lives});\n"
        f"CREATE TABLE rental (rental_id int NOT NULL, customer_id int NOT NULL, staff_id {sold_by}, amount "
        f"decimal(5,2), PRIMARY KEY (rental_id){reference});\n"
        f"INSERT INTO address VALUES {','.join(addresses)};\n"
        "INSERT INTO staff VALUES (1,'Mike','Hillyer','mhillyer'),(2,'Jon','Stephens','jstephens');\n"
        f"INSERT INTO customer VALUES {','.join(people)};\n"
        f"INSERT INTO rental VALUES {','.join(rentals)};\n"
        "-- Dump completed\n"
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def planned(folder: Path, text: str) -> tuple[Path, Plan]:
    path = folder / "shop.sql"
    path.write_text(text, encoding="utf-8")
    return path, piiscan.plan(path)


def masked(path: Path, plan: Plan) -> str:
    out = path.with_name("out.sql")
    assert piiscan.mask(path, plan, piiscan.Key.load(key_file(path.parent)), output=out).verified
    return out.read_text(encoding="utf-8")


def action(plan: Plan, table: str, column: str) -> Action:
    return next(a for t in plan.tables if t.table == table for a in t.columns if a.name == column)


def staff_of_rentals(text: str) -> list[str]:
    rows = text.split("INSERT INTO rental VALUES (")[1].split(");")[0].split("),(")
    return [row.split(",")[2] for row in rows]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (shop(), "can't be emptied"),
        (shop(sold_by="int DEFAULT NULL"), "only 2 different keys"),
        (shop(refers=False), "can't be emptied"),
    ],
    ids=["not null", "a foreign key", "no foreign key"],
)
def test_keys_of_few_values_are_masked_and_join(tmp_path: Path, text: str, why: str) -> None:
    path, plan = planned(tmp_path, text)
    made, key = action(plan, "rental", "staff_id"), action(plan, "staff", "staff_id")
    assert (made.operator, made.domain) == (key.operator, key.domain) == ("fpe", "PERSON_ID")
    assert made.accept_frequency and not key.accept_frequency
    (said,) = revealed(plan.tables)
    assert said.startswith(f"{path.name}, table rental: staff_id: ") and "reveals which it is" in said and why in said
    out = masked(path, plan)
    staff = {row.split(",")[0] for row in out.split("INSERT INTO staff VALUES (")[1].split(");")[0].split("),(")}
    assert set(staff_of_rentals(out)) == staff and staff.isdisjoint({"1", "2"})


def test_a_key_of_few_values_that_may_be_empty_and_joins_nothing_is_emptied(tmp_path: Path) -> None:
    _, plan = planned(tmp_path, shop(sold_by="int DEFAULT NULL", refers=False))
    assert action(plan, "rental", "staff_id").operator == "suppress" and not list(revealed(plan.tables))


@pytest.mark.parametrize("key", ["tinyint unsigned", "smallint"])
def test_keys_for_whose_masks_the_type_has_no_room_are_kept(tmp_path: Path, key: str) -> None:
    _, plan = planned(tmp_path, shop(key=key))
    made, sold_by = action(plan, "staff", "staff_id"), action(plan, "rental", "staff_id")
    assert made.operator == sold_by.operator == "keep"
    assert any("fewer than a million numbers" in note for note in made.notes)
    assert any("declared to hold keys of staff" in note for note in sold_by.notes)
    assert action(plan, "customer", "customer_id").operator == "fpe"


@pytest.mark.parametrize(("length", "operator"), [(60, "persona"), (20, "hash"), (12, "suppress")])
def test_masks_fit_the_declared_length(tmp_path: Path, length: int, operator: str) -> None:
    path, plan = planned(tmp_path, shop(user=f"varchar({length})"))
    assert action(plan, "staff", "username").operator == operator
    assert "mhillyer" not in masked(path, plan)


def written(folder: Path, kind: str, text: str) -> Path:
    path = folder / f"shop.{kind}"
    if kind == "sql":
        path.write_text(text, encoding="utf-8")
    elif kind == "db":
        with closing(sqlite3.connect(path)) as database:
            database.executescript(text)
    else:
        with duckdb.connect(str(path)) as database:
            database.execute(text)
    return path


@pytest.mark.parametrize("kind", ["sql", "db", "duckdb"])
@pytest.mark.parametrize(("refers", "classes"), [(True, ["direct", "quasi", "quasi", "direct"]), (False, ["none"] * 4)])
def test_addresses_that_persons_refer_to_are_theirs(
    tmp_path: Path, kind: str, refers: bool, classes: list[str]
) -> None:
    """By themselves the rows are about places, and nothing says whose they are."""
    path = written(tmp_path, kind, shop(refers=refers))
    table = next(t for t in piiscan.scan(path).tables if t.table == "address")
    assert [c.pii for c in table.columns[1:]] == classes


def test_addresses_of_what_persons_work_for_are_not_theirs(tmp_path: Path) -> None:
    path, _ = planned(tmp_path, re.sub(r"(TABLE|INTO|REFERENCES) address", r"\1 store", shop()))
    table = next(t for t in piiscan.scan(path).tables if t.table == "store")
    assert {c.pii for c in table.columns} == {"none"}


@pytest.mark.parametrize(("column", "made"), [("phone", "suppress"), ("city", "keep")])
def test_types_of_which_nothing_else_fits_are_kept_or_emptied(tmp_path: Path, column: str, made: str) -> None:
    """A masked point is no point, and the dump wouldn't load. What identifies directly doesn't stay."""
    text = shop().replace("phone varchar(24) NOT NULL", "phone point").replace("city varchar(50)", "city point")
    path = written(tmp_path, "sql", text)
    policy = tmp_path / "ours.toml"
    policy.write_text(
        f'name = "ours"\n[[rule]]\ncolumn = "{column}"\noperator = "hash"\naccept_frequency = true\n'
        '[[rule]]\noperator = "keep"\n'
    )
    plan = piiscan.plan(path, policy=str(policy))
    assert action(plan, "address", column).operator == made
    if made == "keep":
        return
    out = path.with_name("out.sql")
    assert piiscan.mask(path, plan, output=out).verified and ",NULL),(2," in out.read_text(encoding="utf-8")


def test_rows_behind_one_that_is_too_long_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("piiscan.core.shares.row", lambda: 1 << 16)
    rows = [f"{i}\tanna{i}@corp.de\tfine" for i in range(40)]
    rows[20] += "x" * (1 << 18)
    path = tmp_path / "long.sql"
    path.write_text(
        "-- PostgreSQL database dump\n\nCREATE TABLE public.people (id integer, email text, note text);\n"
        "COPY public.people (id, email, note) FROM stdin;\n" + "\n".join(rows) + "\n\\.\n\n-- done\n"
    )
    monkeypatch.setattr("piiscan.io.dumps.statements.BLOCK", 1 << 15)
    report = piiscan.scan(path).to_dict()
    people, *others = report["tables"]
    assert people["rows"] == 39 and not people["complete"]
    assert [t["table"] for t in others] == ["#comments", "#statements"]
    (reason,) = [entry["reason"] for entry in report["not_scanned"]]
    assert "row 21 takes more" in reason


STATISTICS = """--
-- Statistics for Name: people; Type: STATISTICS DATA; Schema: public; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
\t'version', '180000'::integer,
\t'schemaname', 'public',
\t'relname', 'people',
\t'relpages', '1'::integer,
\t'reltuples', '40'::real,
\t'relallvisible', '0'::integer,
\t'relallfrozen', '0'::integer
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
\t'version', '180000'::integer,
\t'schemaname', 'public',
\t'relname', 'people',
\t'attname', 'the "e''mail; --',
\t'inherited', 'f'::boolean,
\t'null_frac', '0'::real,
\t'most_common_freqs', '{0.1,0.1}'::real[],
\t'histogram_bounds', '{bob@corp.de,"eve);@corp.de",rob@corp.de}'::text
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats('version', '180000'::integer, 'schemaname', E'public',
  'relname', 'people', 'attnum', '2'::smallint, 'inherited', 'f'::boolean,
  'most_common_vals', E'{"it\\'s\\\\",sue@corp.de}'::text);

-- behind
"""
"""Statements in the form that pg_dump 18 is documented to write; none of a server of that version was compared."""


def with_statistics(folder: Path, statistics: str, count: int = 40) -> Path:
    path = folder / "people.sql"
    rows = "".join(f"{i}\tann{i}@corp.de\n" for i in range(1, count + 1))
    path.write_text(
        "-- PostgreSQL database dump\n\nSET standard_conforming_strings = on;\nCREATE TABLE public.people (id integer, "
        f"email text);\nCOPY public.people (id, email) FROM stdin;\n{rows}\\.\n\n{statistics}"
    )
    return path


def left(text: str) -> str:
    """What a masked dump keeps of a dump's text behind its rows: all but statistics of columns."""
    return re.sub(r"SELECT \* FROM pg_catalog\.pg_restore_attribute_stats.*?\n?\);(?=\n)", "", text, flags=re.DOTALL)


def test_statistics_of_columns_are_scanned_and_left_out(tmp_path: Path) -> None:
    path = with_statistics(tmp_path, STATISTICS)
    report = piiscan.scan(path)
    assert report.complete
    found = {table["table"]: table for table in report.to_dict()["tables"]}
    # eve's address isn't one, as it has a bracket before the @.
    assert found["#statistics"]["columns"][0]["inside"][0]["cells"] == 2
    assert not found["#statements"]["columns"][0]["inside"]
    (note,) = [note for note in found["people"]["notes"] if "statistics" in note]
    assert note.startswith("the dump has 2 statements with statistics of columns")
    key = key_file(tmp_path)
    assert note in command("mask", path, "-o", tmp_path / "out.sql", "--report", tmp_path / "report.json", "--key", key)
    assert note in json.loads(Path("report.json").read_text(encoding="utf-8"))["notice"]
    before, behind = (text.split("\\.\n")[1] for text in (path.read_text(), Path("out.sql").read_text()))
    assert behind == left(before) and "reltuples" in behind and behind.endswith("\n\n-- behind\n")
    assert "corp.de" not in behind and "it" + "\\'s" not in behind


def test_a_stream_leaves_statistics_of_columns_out(tmp_path: Path) -> None:
    path = with_statistics(tmp_path, STATISTICS)
    (tmp_path / "ours.toml").write_text('name = "ours"\n[[rule]]\noperator = "suppress"\n')
    piiscan.plan(path, policy=tmp_path / "ours.toml").save(tmp_path / "plan.toml")
    words = [sys.executable, "-m", "piiscan", "mask", "-", "--plan", "plan.toml", "-o", "-", "--stream"]
    done = subprocess.run(words, input=path.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"Left out 2 statements with statistics of columns" in done.stderr
    assert b"pg_restore_attribute_stats" not in done.stdout and b"@corp.de" not in done.stdout
    assert b"reltuples" in done.stdout


@pytest.mark.parametrize(
    "other",
    [
        STATISTICS.replace("\n);\nSELECT", "\n), (SELECT count(*) FROM people);\nSELECT"),
        STATISTICS.replace("'180000'::integer", "version()"),
        STATISTICS.replace(",\n  'most_common_vals'", "\n  'most_common_vals'"),
    ],
    ids=["more than a call", "no constant", "no comma"],
)
def test_statistics_written_in_another_way_leave_the_dump_out(tmp_path: Path, other: str) -> None:
    path = with_statistics(tmp_path, other)
    report = piiscan.scan(path)
    (table,) = report.to_dict()["tables"]
    assert table["table"] is None and table["format"] == "text"
    with pytest.raises(piiscan.ReadError):
        masked(path, piiscan.plan(path))


REFUSED = {
    "varchar(5)": ("abc", "takes 5 characters"),
    "public.mood": ("sad", "takes the values of its ENUM only"),
    "numeric(10,2)": ("1.25", "is numeric, and new values aren't"),
    "smallint": ("7", "is smallint, and new values aren't"),
    "date": ("2020-01-02", "is date, and new values aren't"),
    "uuid": ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "is uuid, and new values aren't"),
    "inet": ("10.1.2.3", "is inet, and new values aren't"),
    "interval": ("1 day", "is of a type of which piiscan can't tell what fits"),
    "text CHECK ((thing = 'abc'::text))": ("abc", "has new values that the CHECK"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_masks_that_a_type_refuses_are_wrong_usage(tmp_path: Path, kind: str) -> None:
    cell, said = REFUSED[kind]
    rows = "".join(f"INSERT INTO public.staff VALUES ({i}, '{cell}');\n" for i in range(1, 41))
    Path("shop.sql").write_text(
        "-- PostgreSQL database dump\n\nSET standard_conforming_strings = on;\nCREATE TYPE public.mood AS ENUM ('sad', "
        f"'ok');\nCREATE TABLE public.staff (\n    id integer,\n    thing {kind}\n);\n{rows}"
    )
    plan = piiscan.plan("shop.sql").to_toml()
    line = 'thing = {operator = "redact", with = {entity = "PERSON"}, accept_frequency = true, decided_by = "human"}'
    Path("plan.toml").write_text(re.sub(r"(?m)^thing = .*$", line, plan))
    paths = [tmp_path / name for name in ("shop.sql", "out.sql", "plan.toml")]
    shown = command("mask", paths[0], "-o", paths[1], "--plan", paths[2], status=2)
    assert f"shop.sql, staff: column thing {said}" in shown and 'such as operator = "suppress" or "keep"' in shown
    assert not Path("out.sql").exists()


def test_a_cell_that_may_not_be_empty_is_not_to_be_suppressed(tmp_path: Path) -> None:
    path, plan = planned(tmp_path, shop())
    text = re.sub(r"(?m)^staff_id = .*$", 'staff_id = {operator = "suppress"}', plan.to_toml())
    Path("plan.toml").write_text(text)
    made, key = tmp_path / "plan.toml", key_file(tmp_path)
    shown = command("mask", path, "-o", tmp_path / "out.sql", "--plan", made, "--key", key, status=2)
    assert "staff: column staff_id takes no NULL" in shown and 'such as operator = "keep"' in shown


def test_keys_that_no_longer_name_rows_are_refused(tmp_path: Path) -> None:
    related = ", FOREIGN KEY (customer_id) REFERENCES customer (customer_id), PRIMARY KEY (rental_id)"
    path, plan = planned(tmp_path, shop().replace(", PRIMARY KEY (rental_id)", related))
    text = re.sub(r"(?m)^customer_id = .*$", 'customer_id = {operator = "keep"}', plan.to_toml(), count=1)
    Path("plan.toml").write_text(text)
    made, key = tmp_path / "plan.toml", key_file(tmp_path)
    shown = command("mask", path, "-o", tmp_path / "out.sql", "--plan", made, "--key", key, status=2)
    assert "shop.sql, rental: column customer_id: new values aren't those of the table" in " ".join(shown.split())
    assert not Path("out.sql").exists()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (f"INSERT INTO staff VALUES (1,'{'x' * (1 << 18)}');\n", "memory, or quotes that don't end; allow more with"),
        ("UPDATE staff SET name = 'Mike';\n", "load it into a database, and dump that"),
    ],
    ids=["a long row", "an update"],
)
def test_a_stream_is_not_told_to_do_what_does_not_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: str, said: str
) -> None:
    """What can't be cut into rows has no output without --stream either."""
    monkeypatch.setattr("piiscan.core.shares.row", lambda: 1 << 16)
    monkeypatch.setattr("piiscan.io.dumps.statements.BLOCK", 1 << 15)
    text = f"{HEAD}CREATE TABLE staff (id int, name text);\nINSERT INTO staff VALUES (1,'Mike');\n"
    _, plan = planned(tmp_path, text)
    suppressed = re.sub(r"(?m)^name = .*$", 'name = {operator = "suppress"}', plan.to_toml())
    (tmp_path / "plan.toml").write_text(suppressed)
    done = run_piiscan(
        *("mask", "-", "--plan", tmp_path / "plan.toml", "-o", "-", "--stream", "--key", key_file(tmp_path)),
        stdin=(text + rows).encode(),
    )
    shown = " ".join(done.stderr.split())
    assert done.returncode == 3 and said in shown and "leave out --stream" not in shown
