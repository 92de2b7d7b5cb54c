"""Dumps of real servers, masked and loaded again: `make test-dumps`. Servers run in temporary folders, on loopback."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dump_servers import mariadb_server, postgresql_server, run
from dump_texts import people
from mask_people import key_file

pytestmark = pytest.mark.dumps
PIISCAN = [sys.executable, "-m", "piiscan"]
REVERSIBLE = """name = "reversible"
[[rule]]
entity = ["PERSON_ID", "US_SSN"]
operator = "fpe"
[[rule]]
operator = "keep"
"""
SCHEMA = r"""
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s fine');
CREATE DOMAIN code AS varchar(8) CHECK (VALUE ~ '^[A-Z0-9]+$');
CREATE SCHEMA hr;
CREATE TABLE people (
  id integer PRIMARY KEY, first_name varchar(40) NOT NULL, last_name varchar(40), email varchar(90) UNIQUE NOT NULL,
  ssn char(11) UNIQUE, note text, feeling mood DEFAULT 'ok', balance numeric(10,2) CHECK (balance >= -1000),
  active boolean DEFAULT true, seen timestamptz DEFAULT '2024-01-01 10:00+00', tags text[], mails varchar(90)[],
  profile jsonb, photo bytea, password varchar(60) NOT NULL, token uuid, address inet, hardware macaddr, c code,
  small smallint, big bigint, r real, d double precision, born date, at time, span interval, bits bit(3),
  period daterange, place point, money money, x xml, words tsvector,
  total numeric GENERATED ALWAYS AS (balance * 2) STORED);
CREATE TABLE hr.visits (
  id bigserial PRIMARY KEY, person integer NOT NULL REFERENCES people(id), mail varchar(90) REFERENCES people(email),
  state varchar(10) CHECK (state IN ('new', 'seen')), amount numeric(8,2), UNIQUE (person, state));
CREATE TABLE "odd ""na'me; (" ("c ' 1" integer, "d, e" text);
CREATE TABLE events (at date, what text) PARTITION BY RANGE (at);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO events VALUES ('2024-05-01', 'opened');
CREATE INDEX ON people (last_name);
CREATE VIEW names AS SELECT first_name FROM people;
CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN INSERT INTO people VALUES (1); RETURN 1; END $$;
CREATE FUNCTION g(integer) RETURNS integer LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END;
COMMENT ON COLUMN people.note IS 'what was said; by whom';
INSERT INTO "odd ""na'me; (" VALUES (1, E'x\ty\\z\n;INSERT INTO a VALUES (1);\n\\.\nend'), (2, NULL), (3, ''),
 (4, '\N');
"""
PG_ROW = """INSERT INTO people (id, first_name, last_name, email, ssn, note, balance, tags, mails, profile, photo,
 password, token, address, hardware, c, small, big, r, d, born, at, span, bits, period, place, money, x, words) VALUES
 ({id}, {first}, {last}, {mail}, {ssn}, {note}, {id}.5, ARRAY['tea, milk','c"d',NULL], ARRAY[{mail}], {profile},
 '\\x0001ff', 'pbkdf2${id}', gen_random_uuid(), '198.18.0.{low}', '08:00:2b:01:02:{hex}', 'AB{id}', 1, 9000000000, 1.5,
 1e100, '1980-05-17', '10:00', '1 day', B'101', '[2024-01-01,2024-02-01)', '(1,2)', 5, '<a>b</a>', to_tsvector('tea'));
INSERT INTO hr.visits (person, mail, state, amount) VALUES ({id}, {mail}, 'new', 1.25);
"""
MY_SCHEMA = """
CREATE TABLE people (id int unsigned NOT NULL PRIMARY KEY, first_name varchar(40) NOT NULL COMMENT 'given',
 last_name varchar(40), email varchar(90) NOT NULL, ssn char(11), note text, mood enum('sad','ok') DEFAULT 'ok',
 kinds set('a','b'), balance decimal(10,2), photo blob, doc json, bits bit(3), seen timestamp NULL, y year, t time,
 total decimal(10,2) AS (balance * 2) STORED, UNIQUE KEY e (email), CHECK (balance >= 0)) DEFAULT CHARSET=utf8mb4;
CREATE TABLE visits (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, person int unsigned NOT NULL, mail varchar(90),
 FOREIGN KEY (person) REFERENCES people (id), FOREIGN KEY (mail) REFERENCES people (email)) DEFAULT CHARSET=utf8mb4;
DELIMITER ;;
CREATE TRIGGER seen AFTER INSERT ON visits FOR EACH ROW BEGIN INSERT INTO log VALUES (NEW.id, 'x'); END;;
DELIMITER ;
CREATE TABLE log (id bigint, what varchar(10));
CREATE VIEW names AS SELECT first_name FROM people;
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Callable[..., bytes]]:
    with postgresql_server() as program:
        yield program


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Callable[..., bytes]]:
    with mariadb_server() as program:
        yield program


def literal(value: object, escapes: bool = False) -> str:
    if value is None:
        return "NULL"
    text = str(value).replace("'", "''")
    return "'" + (text.replace("\\", "\\\\") if escapes else text) + "'"


def pg_rows(count: int) -> str:
    out = ["BEGIN;"]
    for i, first, last, mail, ssn, note in people(count):
        named = {"first": first, "last": last, "mail": mail, "ssn": ssn, "note": note}
        cells = {name: literal(value) for name, value in named.items()}
        profile = literal(f'{{"email": "{mail}", "lang": "en"}}')
        assert isinstance(i, int)
        out.append(PG_ROW.format(id=i, low=i % 250, hex=f"{i % 256:02x}", profile=profile, **cells))
    return "\n".join([*out, "COMMIT;"])


@pytest.fixture(scope="module")
def shop(postgres: Callable[..., bytes]) -> Callable[..., bytes]:
    postgres("createdb", "shop")
    postgres("psql", "-q", "-v", "ON_ERROR_STOP=1", "shop", data=SCHEMA)
    postgres("psql", "-q", "-v", "ON_ERROR_STOP=1", "shop", data=pg_rows(200))
    return postgres


@pytest.fixture
def key(tmp_path: Path) -> str:
    return key_file(tmp_path)


UNMASKED = (
    "SELECT feeling, balance, active, seen, tags, photo, small, big, r, d, at, span, bits, period, place, "
    "money, x::text, words, total FROM people ORDER BY balance"
)
COUNTS = "SELECT count(*), count(DISTINCT email), count(DISTINCT ssn), count(DISTINCT token) FROM people"
TOKENS = "SELECT token FROM people WHERE token IS NOT NULL"
JOINS = "SELECT count(*) FROM hr.visits v JOIN people p ON p.id = v.person AND p.email = v.mail"
ODD = 'SELECT * FROM "odd ""na\'me; (" ORDER BY 1'
CONSTRAINTS = (
    "SELECT conname, contype FROM pg_constraint WHERE connamespace::regnamespace::text IN ('public', 'hr') ORDER BY 1"
)


def no_original(dump: bytes, count: int) -> None:
    for row in people(count):
        assert str(row[3]).encode() not in dump and str(row[4]).encode() not in dump


@pytest.mark.parametrize("flags", [[], ["--inserts"], ["--column-inserts"], ["--rows-per-insert=50"]], ids=str)
def test_postgresql(shop: Callable[..., bytes], tmp_path: Path, key: str, flags: list[str]) -> None:
    dump = shop("pg_dump", *flags, "shop")
    out = run([*PIISCAN, "mask", "-", "-o", "-", "--key", key, "--spool", str(tmp_path)], dump)
    no_original(out, 200)
    shop("dropdb", "--if-exists", "back")
    shop("createdb", "back")
    shop("psql", "-q", "-v", "ON_ERROR_STOP=1", "back", data=out)
    for query in (COUNTS, JOINS, UNMASKED, ODD, CONSTRAINTS):
        assert shop("psql", "-At", "back", "-c", query) == shop("psql", "-At", "shop", "-c", query), query
    shown = shop("psql", "-At", "back", "-c", "SELECT note FROM people WHERE id IS NOT NULL")
    assert shown
    before, after = ({*shop("psql", "-At", db, "-c", TOKENS).split()} for db in ("shop", "back"))
    assert len(after) > 1 and before.isdisjoint(after), "keys of rows that may be persons'"


@pytest.mark.parametrize("form", ["custom", "directory", "custom, piped"])
def test_formats_of_its_own(shop: Callable[..., bytes], tmp_path: Path, key: str, form: str) -> None:
    path, out = tmp_path / "shop.dump", tmp_path / "out.sql"
    shop("pg_dump", f"--format={form.split(',')[0]}", f"--file={path}", "shop")
    if "piped" in form:
        out.write_bytes(run([*PIISCAN, "mask", "-", "-o", "-", "--key", key], path.read_bytes()))
    else:
        run([*PIISCAN, "mask", str(path), "-o", str(out), "--key", key])
    no_original(out.read_bytes(), 200)
    shop("dropdb", "--if-exists", "back")
    shop("createdb", "back")
    shop("psql", "-q", "-v", "ON_ERROR_STOP=1", "back", data=out.read_bytes())
    for query in (COUNTS, JOINS, UNMASKED):
        assert shop("psql", "-At", "back", "-c", query) == shop("psql", "-At", "shop", "-c", query), query


def reversed_(dump: bytes, tmp_path: Path, key: str) -> bytes:
    """A dump that was masked by reversible operators alone, and restored."""
    (tmp_path / "policy.toml").write_text(REVERSIBLE, encoding="utf-8")
    path = tmp_path / "shop.sql"
    path.write_bytes(dump)
    for name in ("made", "back"):
        (tmp_path / name).mkdir()
    plan = str(tmp_path / "plan.toml")
    run([*PIISCAN, "plan", str(path), "--policy", str(tmp_path / "policy.toml"), "-o", plan])
    run([*PIISCAN, "mask", str(path), "--plan", plan, "-o", str(tmp_path / "made/shop.sql"), "--key", key])
    assert (tmp_path / "made/shop.sql").read_bytes() != dump
    run([*PIISCAN, "unmask", str(tmp_path / "made/shop.sql"), "--plan", plan, "-o", str(tmp_path / "back/shop.sql"),
         "--key", key])  # fmt: skip
    return (tmp_path / "back/shop.sql").read_bytes()


def test_postgresql_and_back(shop: Callable[..., bytes], tmp_path: Path, key: str) -> None:
    dump = shop("pg_dump", "shop")
    assert reversed_(dump, tmp_path, key) == dump


@pytest.fixture(scope="module")
def my_shop(mariadb: Callable[..., bytes]) -> Callable[..., bytes]:
    mariadb("mariadb", data="CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE DATABASE back CHARACTER SET utf8mb4;")
    mariadb("mariadb", "shop", data=MY_SCHEMA)
    out = []
    for i, first, last, mail, ssn, note in people(200):
        assert isinstance(i, int)
        cells = ", ".join(literal(value, True) for value in (first, last, mail, ssn, note))
        blob = bytes((0, 255, 39, i % 256, 92, 34)).hex()
        out.append(
            "INSERT INTO people (id, first_name, last_name, email, ssn, note, kinds, balance, photo, doc, bits, "
            f"seen, y, t) VALUES ({i}, {cells}, 'a,b', {i}.5, X'{blob}', '{{\"lang\": \"en\"}}', b'101', "
            "'2024-01-01 10:00', 2024, '10:00');"
            f"INSERT INTO visits (person, mail) VALUES ({i}, {literal(mail, True)});"
        )
    mariadb("mariadb", "shop", data="\n".join(out))
    return mariadb


MY_QUERIES = (
    "SELECT count(*), count(DISTINCT email), count(DISTINCT ssn) FROM people",
    "SELECT count(*) FROM visits v JOIN people p ON p.id = v.person AND p.email = v.mail",
    "SELECT mood, kinds, balance, hex(photo), doc, bits + 0, seen, y, t, total FROM people ORDER BY balance",
    "SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_schema = database() "
    "ORDER BY 1, 2",
)


LATIN = ["--default-character-set=latin1"]


@pytest.mark.parametrize("flags", [[], ["--hex-blob", "--skip-extended-insert"], ["--complete-insert"], LATIN], ids=str)
def test_mariadb(my_shop: Callable[..., bytes], tmp_path: Path, key: str, flags: list[str]) -> None:
    dump = my_shop("mariadb-dump", *flags, "shop")
    out = run([*PIISCAN, "mask", "-", "-o", "-", "--key", key, "--spool", str(tmp_path)], dump)
    no_original(out, 200)
    my_shop("mariadb", data="DROP DATABASE back; CREATE DATABASE back CHARACTER SET utf8mb4;")
    my_shop("mariadb", "back", data=out)
    for query in MY_QUERIES:
        assert my_shop("mariadb", "back", "-Ne", query) == my_shop("mariadb", "shop", "-Ne", query), query


def test_mariadb_and_back(my_shop: Callable[..., bytes], tmp_path: Path, key: str) -> None:
    dump = my_shop("mariadb-dump", "shop")
    assert reversed_(dump, tmp_path, key) == dump


def test_sqlite(tmp_path: Path, key: str) -> None:
    database = tmp_path / "shop.db"
    shell = ["sqlite3", str(database)]
    rows = "".join(
        f"INSERT INTO people VALUES ({i}, {literal(first)}, {literal(mail)}, {literal(note)}, "
        f"x'00ff{i % 256:02x}', {i}.5);\n"
        f"INSERT INTO visits VALUES ({i}, 'ok');\n"
        for i, first, _, mail, _, note in people(200)
    )
    tables = (
        "CREATE TABLE people (id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, email TEXT UNIQUE, note, photo BLOB, "
        "x REAL);\nCREATE TABLE visits (person INTEGER REFERENCES people(id), state TEXT);\n"
    )
    run(shell, f"{tables}BEGIN;\n{rows}COMMIT;\n")
    out = run([*PIISCAN, "mask", "-", "-o", "-", "--key", key], run([*shell, ".dump"]))
    no_original(out, 200)
    assert not re.search(rb"@firm\d", out)
    back = ["sqlite3", str(tmp_path / "back.db")]
    run(back, out)
    for query in (
        "SELECT count(*), count(DISTINCT email) FROM people",
        "SELECT count(*) FROM visits JOIN people ON id = person",
        "SELECT hex(photo), x, note FROM people ORDER BY x",
    ):
        assert run([*back, query]) == run([*shell, query]), query
