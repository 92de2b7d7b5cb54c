"""Dumps as PostgreSQL, MySQL and SQLite write them, of made-up people, without a server."""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | int | None
FIRST = "Anna Jan Maria Piotr Laura Peter Sofia Mark Ines Paul Olga Tomas Karen James Linda Robert".split()
LAST = "Kowalski Novak Garcia Schmidt Jensen Rossi Dubois Walsh Petersen Moreau Fischer Weber Costa".split()
COLUMNS = ("id", "first_name", "last_name", "email", "ssn", "note")
ODD = (
    None,
    "",
    "\\N",
    "it's",
    "a\tb\nc",
    "x;\nINSERT INTO people VALUES (",
    "\\.",
    "(,');--",
    '{"a,b"}',
    "\\\\",
    "żółć",
)


def people(count: int) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for i in range(count):
        first, last = FIRST[i % 16], LAST[i * 7 % 13]
        mail = f"{first}.{last}{i}@firm{i % 9}.com".lower()
        rows.append((i + 1, first, last, mail, f"{100 + i % 500}-{10 + i % 80}-{1000 + i % 8000}", ODD[i % len(ODD)]))
    return rows


def visits(count: int) -> list[tuple[Cell, ...]]:
    return [(i + 1, i % count + 1, "ok") for i in range(count)]


TABLE = """CREATE TABLE {s}people (
    id integer NOT NULL,
    first_name character varying(40) NOT NULL,
    last_name character varying(40),
    email character varying(90) NOT NULL,
    ssn character(11),
    note text
);
CREATE TABLE {s}visits (
    id integer NOT NULL,
    person integer NOT NULL,
    state text DEFAULT 'new'
);
"""
KEYS = """ALTER TABLE ONLY {s}people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);
ALTER TABLE ONLY {s}people
    ADD CONSTRAINT people_email_key UNIQUE (email);
ALTER TABLE ONLY {s}visits
    ADD CONSTRAINT visits_person_fkey FOREIGN KEY (person) REFERENCES {s}people(id);
"""
MYSQL_PEOPLE = """`id` int NOT NULL,
 `first_name` varchar(40) NOT NULL,
 `last_name` varchar(40),
 `email` varchar(90) COMMENT 'where to write',
 `ssn` char(11),
 `note` text,
 PRIMARY KEY (`id`),
 UNIQUE KEY `e` (`email`)"""
MYSQL_VISITS = """`id` int NOT NULL,
 `person` int NOT NULL,
 `state` enum('ok','no') DEFAULT 'ok',
 CONSTRAINT `k` FOREIGN KEY (`person`) REFERENCES `people` (`id`)"""
POSTGRES_TOP = """--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql
    AS $_$ BEGIN INSERT INTO people VALUES (1, 'not a row'); RETURN NEW; END; $_$;

"""


def copied(rows: Sequence[Sequence[Cell]]) -> str:
    marks = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}

    def cell(value: Cell) -> str:
        return "\\N" if value is None else "".join(marks.get(c, c) for c in str(value))

    return "".join("\t".join(map(cell, row)) + "\n" for row in rows)


def literal(value: Cell, escapes: bool) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if escapes:
        marks = {"\\": "\\\\", "'": "\\'", "\n": "\\n", '"': '\\"'}
        return "'" + "".join(marks.get(c, c) for c in value) + "'"
    return "'" + value.replace("'", "''") + "'"


def postgres(count: int = 60, style: str = "copy") -> str:
    """`style`: copy, inserts, columns (named), several (rows a statement), or both: COPY, INSERT, and COPY again."""
    out = [POSTGRES_TOP, TABLE.format(s="public.")]
    for name, columns, rows in (
        ("people", COLUMNS, people(count)),
        ("visits", ("id", "person", "state"), visits(count)),
    ):
        out.append(f"--\n-- Data for Name: {name}; Type: TABLE DATA; Schema: public; Owner: shop\n--\n\n")
        if style == "copy":
            out.append(f"COPY public.{name} ({', '.join(columns)}) FROM stdin;\n{copied(rows)}\\.\n\n\n")
            continue
        texts = ["(" + ", ".join(literal(cell, False) for cell in row) + ")" for row in rows]
        if style == "both":
            begin = f"COPY public.{name} ({', '.join(columns)}) FROM stdin;\n"
            out += [
                f"{begin}{copied(rows[:20])}\\.\n",
                f"INSERT INTO public.{name} VALUES {', '.join(texts[20:30])};\n",
            ]
            out += [f"INSERT INTO public.{name} ({', '.join(columns)}) VALUES {text};\n" for text in texts[30:40]]
            out.append(f"{begin}{copied(rows[40:])}\\.\n")
            continue
        if style == "several":
            parts = [texts[i : i + 7] for i in range(0, len(texts), 7)]
            out += [f"INSERT INTO public.{name} VALUES\n\t" + ",\n\t".join(part) + ";\n" for part in parts]
        else:
            named = f" ({', '.join(columns)})" if style == "columns" else ""
            out += [f"INSERT INTO public.{name}{named} VALUES {text};\n" for text in texts]
    out += ["\nSELECT pg_catalog.setval('public.people_id_seq', 61, true);\n\n", KEYS.format(s="public.")]
    out.append(
        "COMMENT ON COLUMN public.people.note IS 'what was said';\n--\n-- PostgreSQL database dump complete\n--\n"
    )
    return "".join(out)


def mysql(count: int = 60) -> str:
    out = [
        "-- MySQL dump 10.13  Distrib 8.0\n--\n-- Host: 10.1.2.3    Database: shop\n-- Server version\t8.0\n\n"
        "/*!40101 SET NAMES utf8mb4 */;\nUSE `shop`;\n"
    ]
    tables = (("people", MYSQL_PEOPLE, people(count)), ("visits", MYSQL_VISITS, visits(count)))
    for name, columns, rows in tables:
        out.append(f"DROP TABLE IF EXISTS `{name}`;\nCREATE TABLE `{name}` (\n {columns}\n) ENGINE=InnoDB;\n")
        out.append(f"LOCK TABLES `{name}` WRITE;\n")
        texts = ["(" + ",".join(literal(cell, True) for cell in row) + ")" for row in rows]
        for i in range(0, len(texts), 25):
            out.append(f"INSERT INTO `{name}` VALUES {','.join(texts[i : i + 25])};\n")
        out.append("UNLOCK TABLES;\n")
    out.append(
        "DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON visits FOR EACH ROW BEGIN INSERT INTO "
        "people VALUES (1,'no row'); END */;;\nDELIMITER ;\n-- Dump completed\n"
    )
    return "".join(out)


def sqlite(count: int = 60) -> str:
    import sqlite3

    database = sqlite3.connect(":memory:")
    database.executescript(
        "CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, first_name TEXT NOT NULL, last_name TEXT, "
        "email TEXT UNIQUE, ssn TEXT, note); CREATE TABLE visits (id INTEGER, person INTEGER REFERENCES people(id), "
        "state TEXT);"
        "CREATE TRIGGER t AFTER INSERT ON visits BEGIN INSERT INTO people VALUES (1, 'no row', '', '', '', ''); END;"
    )
    database.executemany("INSERT INTO people VALUES (?,?,?,?,?,?)", people(count))
    database.execute("DROP TRIGGER t")
    database.executemany("INSERT INTO visits VALUES (?,?,?)", visits(count))
    return "PRAGMA foreign_keys=OFF;\n" + "\n".join(database.iterdump()) + "\n"


DUMPS = {
    "pg_dump": lambda: postgres(),
    "pg_dump --inserts": lambda: postgres(style="inserts"),
    "pg_dump --column-inserts": lambda: postgres(style="columns"),
    "pg_dump --rows-per-insert": lambda: postgres(style="several"),
    "COPY and INSERT": lambda: postgres(style="both"),
    "mysqldump": mysql,
    "sqlite3 .dump": sqlite,
}
