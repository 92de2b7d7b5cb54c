"""Dumps of databases: every row is one of a table, all else a text beside them, and masking changes cells alone."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import dump_texts
import polars as pl
import pytest
from conftest import Run, run_piiscan, run_process
from dump_texts import DUMPS, people, postgres, visits
from mask_people import key_file

import piiscan
from piiscan.core import memory
from piiscan.core.checkpoints import Unwatched
from piiscan.io.content import ReadTable
from piiscan.io.dumps import conditions
from piiscan.io.dumps.schema import Column, ColumnType, Condition
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions

POLICY = """name = "reversible"
[[rule]]
entity = ["PERSON_ID", "US_SSN"]
operator = "fpe"
[[rule]]
operator = "keep"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_file(tmp_path)
    monkeypatch.chdir(tmp_path)


def tables(path: Path) -> dict[str | None, list[tuple[object, ...]]]:
    """The rows of every table, by their names. Nothing may be unread."""
    out: dict[str | None, list[tuple[object, ...]]] = {}
    for found in discover([str(path)], ReadOptions()):
        assert isinstance(found, ReadTable), found
        out[found.info.table] = [row for batch in found.batches() for row in batch.frame.rows()]
    return out


def not_scanned(path: Path) -> list[str]:
    return [entry["reason"] for entry in piiscan.scan(path).to_dict()["not_scanned"]]


def masked(path: Path, plan: piiscan.Plan | None = None) -> bytes:
    out = path.with_name("out")
    key = piiscan.Key.from_file(path.with_name("key"))
    piiscan.mask(path, plan or piiscan.plan(path), key, output=out, overwrite=True)
    return out.read_bytes()


def write(tmp_path: Path, text: str | bytes, name: str = "shop.sql") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("name", DUMPS)
def test_rows_are_rows_of_tables(tmp_path: Path, name: str) -> None:
    found = tables(write(tmp_path, DUMPS[name]()))
    as_text = [tuple(None if cell is None else str(cell) for cell in row) for row in people(60)]
    assert [tuple(None if cell is None else str(cell) for cell in row) for row in found["people"]] == as_text
    assert [tuple(map(str, row)) for row in found["visits"]] == [tuple(map(str, row)) for row in visits(60)]
    everything = "\n".join(str(row[0]) for row in found["#statements"])
    assert "first_name" in everything and "Kowalski" not in everything


@pytest.mark.parametrize("name", DUMPS)
def test_a_scan_finds_columns(tmp_path: Path, name: str) -> None:
    report = piiscan.scan(write(tmp_path, DUMPS[name]())).to_dict()
    columns = {c["name"]: c["entity"] for t in report["tables"] if t["table"] == "people" for c in t["columns"]}
    assert columns["email"] == "EMAIL_ADDRESS" and columns["ssn"] == "US_SSN" and columns["last_name"] == "LAST_NAME"
    assert report["complete"]


@pytest.mark.parametrize("name", DUMPS)
def test_masking_changes_cells_and_nothing_else(tmp_path: Path, name: str) -> None:
    text = DUMPS[name]()
    path = write(tmp_path, text)
    before, out = tables(path), masked(path)
    new = write(tmp_path, out, "new.sql")
    after = tables(new)
    assert after["#statements"] == before["#statements"]
    assert [row[5] for row in after["people"]] == [row[5] for row in before["people"]]  # an unmasked column
    for row in people(60):
        assert str(row[3]) not in out.decode() and str(row[4]) not in out.decode()
    ids = {row[0] for row in after["people"]}
    assert len(ids) == 60 and {row[1] for row in after["visits"]} <= ids
    assert [row[2] for row in after["visits"]] == [row[2] for row in before["visits"]]
    # Without rows and comments, both are the same text.
    skeleton = [
        re.sub(rb"^[\d(\t].*\n|VALUES.*\n|--.*\n|'.*\n", b"", each, flags=re.M) for each in (text.encode(), out)
    ]
    assert skeleton[0] == skeleton[1]


@pytest.mark.parametrize("name", DUMPS)
def test_unmasking_gives_the_dump_back(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, DUMPS[name]())
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    plan = piiscan.plan(path, policy=tmp_path / "policy.toml")
    out = masked(path, plan)
    assert out != path.read_bytes()
    (tmp_path / "made").mkdir()
    (tmp_path / "back").mkdir()
    made = tmp_path / "made" / path.name
    made.write_bytes(out)
    plan.save(tmp_path / "plan.toml")
    words = ["unmask", str(made), "--plan", "plan.toml", "-o", str(tmp_path / "back" / path.name), "--key", "file:key"]
    done = run_piiscan(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "back" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    text = postgres().replace("żółć", "é")
    if encoding == "latin-1":
        text = text.replace("'UTF8'", "'LATIN1'")
    path = write(tmp_path, text.encode(encoding))
    found = tables(path)
    assert [row[5] for row in found["people"]].count("é") == 5
    out = masked(path).decode(encoding)
    assert "firm1.com" not in out and out.count("\té\n") == text.count("\té\n") == 5


def test_a_comment_heads_a_column_that_is_only_numbered(tmp_path: Path) -> None:
    text = re.sub(r"\blast_name\b", "col_7", postgres()).replace(
        "people.note IS 'what was said'", "people.col_7 IS 'surname'"
    )
    report = piiscan.scan(write(tmp_path, text)).to_dict()
    (column,) = (c for t in report["tables"] for c in t["columns"] if c["name"] == "col_7")
    assert "last-name" in {reason.get("id") for reason in column["reasons"]}


def test_packed(tmp_path: Path) -> None:
    text = postgres().encode()
    packed = write(tmp_path, gzip.compress(text), "shop.sql.gz")
    assert len(tables(packed)["people"]) == 60
    assert b"firm1.com" not in gzip.decompress(masked(packed))
    with zipfile.ZipFile(tmp_path / "shop.zip", "w") as archive:
        archive.writestr("shop.sql", text)
    assert len(tables(tmp_path / "shop.zip")["people"]) == 60


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_that_was_cut_is_not_whole(tmp_path: Path, name: str) -> None:
    text = DUMPS[name]().encode()
    good = piiscan.plan(write(tmp_path, text))
    for cut in (1500, 2500, 4000, 7000):
        path = write(tmp_path, text[: min(cut, len(text) - 200)])
        if path.read_bytes().rstrip().endswith(b";"):
            continue  # cut between statements, which nobody can tell
        assert not_scanned(path), cut
        with pytest.raises(piiscan.ReadError):
            masked(path, good)


def test_a_copy_of_columns_without_names(tmp_path: Path) -> None:
    path = write(tmp_path, "COPY people FROM stdin;\n1\tann@kernweiler.org\t\\N\n2\tbo@kernweiler.org\tx\n\\.\n")
    table = next(t for t in piiscan.scan(path).tables if t.table == "people")
    assert [(c.name, c.entity) for c in table.columns][1] == (None, "EMAIL_ADDRESS") and len(table.columns) == 3
    new = masked(path, piiscan.plan(path))
    assert b"kernweiler" not in new and new.count(b"\t") == 4


def test_a_copy_without_an_end(tmp_path: Path) -> None:
    path = write(tmp_path, postgres().replace("\\.\n", ""))
    reasons = not_scanned(path)
    assert any("ends within this table" in reason for reason in reasons)


HOSTILE = {
    "rows of other widths": lambda text: text.replace("\tMaria\t", "\tMaria\t\t", 1),
    "a word among numbers": lambda text: text.replace("\n3\t", "\nthree\t", 1),
    "another program's dump behind it": lambda text: text + dump_texts.mysql(),
    "quotes that don't end": lambda text: text.replace("COMMENT ON", "SELECT 'x;\nCOMMENT ON", 1),
    "an update": lambda text: text + "UPDATE people SET note = 'Xavier Walsh';\n",
    "rows that are selected": lambda text: text + "INSERT INTO people SELECT 1, 'Xavier Walsh';\n",
    "columns in another order": lambda text: (
        text + "INSERT INTO public.visits (person, id, state) VALUES (61, 1, 'ok');\n"
    ),
    "a large object": lambda text: text + "SELECT pg_catalog.lowrite(0, '\\x4142');\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_as_tables_is_never_masked(tmp_path: Path, name: str) -> None:
    """Every byte is read, as a cell or in a line of text, or it is said which isn't; and nothing is written."""
    good = piiscan.plan(write(tmp_path, postgres()))
    path = write(tmp_path, HOSTILE[name](postgres()))
    report = piiscan.scan(path).to_dict()
    text = any(t["format"] == "text" and t["table"] is None for t in report["tables"])
    assert text or report["not_scanned"]
    with pytest.raises(piiscan.ReadError):
        masked(path, good)


def test_several_databases_and_concatenated_dumps(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "".join(f"\\connect {name}\n{postgres()}" for name in ("one", "two")).replace("\\connect one\n", "", 1),
    )
    found = tables(path)
    assert len(found["two.people"]) == 60 and len(found["people"]) == 60


REFUSED = {
    "a length": ("last_name character varying(40)", "last_name character varying(3)", "takes 3 characters"),
    "a type": ("ssn character(11)", "ssn interval NOT NULL", "can't tell what fits it"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_database_would_refuse_is_refused_before(tmp_path: Path, name: str) -> None:
    old, new, said = REFUSED[name]
    path = write(tmp_path, postgres().replace(old, new, 1))
    with pytest.raises(piiscan.PiiscanError, match=re.escape(said)):
        masked(path)
    assert not (tmp_path / "out").exists()


CHECKS = {
    "((balance >= ('-1000'::integer)::numeric))": (["-1000", "5.5", None], ["-1000.01"]),
    "((balance >= (0)::numeric) AND (balance < (100)::numeric))": (["0", "99.99"], ["100", "-1"]),
    "(balance BETWEEN 1 AND 3)": (["1", "3"], ["3.5"]),
    "((balance + (1)::numeric) > - 2)": (["0"], ["-3"]),
    "((state)::text = ANY ((ARRAY['new'::character varying, 'it''s'::character varying])::text[]))": (
        ["new", "it's", None],
        ["New", "old"],
    ),
    "((state)::text <> ALL ((ARRAY['a'::character varying])::text[]))": (["b"], ["a"]),
    "(state IN ('a', 'b') OR state IS NULL)": (["a", None], ["c"]),
    "((state IS NOT NULL) AND (NOT ((state)::text ~ '^[0-9]+$'::text)))": (["x1"], ["12", None]),
    "((state)::text ~* '^ab'::text)": (["ABc"], ["cab"]),
    "((state)::text ~~ 'a_c%'::text)": (["abcd", "a\ncd"], ["abd", "xabc"]),
    "((state)::text !~~ '%@%'::text)": (["a.b"], ["a@b"]),
    "((length((state)::text) >= 2) AND (char_length(state) <= 3))": (["ab", "żół"], ["a", "abcd"]),
    "(lower(state) = state)": (["ab"], ["Ab"]),
    "((born > '1900-01-01'::date) AND (born <= '2020-12-31'::date))": (["1980-05-17"], ["1899-12-31", "2021-01-01"]),
}
COLUMNS_OF_CHECKS = [
    Column("balance", ColumnType("decimal", "numeric")),
    Column("state", ColumnType("text", "character varying")),
    Column("born", ColumnType("other", "date")),
]


@pytest.mark.parametrize("text", CHECKS)
def test_conditions_hold_as_a_database_holds_them(text: str) -> None:
    indices = {column.name: i for i, column in enumerate(COLUMNS_OF_CHECKS)}
    check = conditions.read(Condition("c", text), indices, COLUMNS_OF_CHECKS, False)
    assert check is not None
    (place,) = check.columns
    for cells, broken in zip(CHECKS[text], (0, len(CHECKS[text][1])), strict=True):
        frame = pl.DataFrame(
            {str(i): cells if i == place else [None] * len(cells) for i in range(3)},
            schema=dict.fromkeys("012", pl.String),
        )
        assert check.broken(frame) == broken


@pytest.mark.parametrize(
    "text",
    [
        "(check_it(state))", "(born < CURRENT_DATE)", "(state < 'b')", "((state)::character varying(2) = 'ab')",
        "(nobody = 1)", "((state || 'x') = 'ax')", "(state ~ '(a)\\1')", "(balance)", "", "(balance > 1",
        "(state ~ born)",
        "((balance)::integer = 1)", "(state = balance)", "(born > '1 May 1990'::date)", "((balance % 2) = 0)",
    ],
)  # fmt: skip
def test_other_conditions_are_not_read(text: str) -> None:
    indices = {column.name: i for i, column in enumerate(COLUMNS_OF_CHECKS)}
    assert conditions.read(Condition("c", text), indices, COLUMNS_OF_CHECKS, False) is None


def test_masks_are_held_to_conditions(tmp_path: Path) -> None:
    condition = "CONSTRAINT mail_check CHECK (((VALUE)::text ~~ '%@firm%'::text))"
    domain = f"CREATE DOMAIN public.mail AS character varying(90)\n\t{condition};\n"
    text = (
        postgres()
        .replace("CREATE TABLE", domain + "CREATE TABLE", 1)
        .replace("email character varying(90)", "email public.mail")
    )
    with pytest.raises(piiscan.PiiscanError, match="email has new values that the CHECK mail_check refuses"):
        masked(write(tmp_path, text))
    text = postgres().replace("note text", "note text,\n    CONSTRAINT odd CHECK (is_fine(note))")
    done = pipe(tmp_path, text.encode())
    assert done.returncode == 0, done.stderr
    assert "people: CHECK odd can't be read: masked values aren't held to it" in done.stderr


def test_emptied_cells_of_columns_that_take_no_null(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(
        'name = "none"\n[[rule]]\npii = ["direct", "quasi"]\noperator = "suppress"\n[[rule]]\noperator = "keep"\n',
        encoding="utf-8",
    )
    text = postgres().replace("UNIQUE (email)", "CHECK (true)").replace("PRIMARY KEY", "CHECK (true) --", 1)
    text = text.replace("id integer NOT NULL,\n    first", "id integer,\n    first").replace(
        "person integer NOT NULL", "person integer"
    )
    text = re.sub(r"ALTER TABLE ONLY public.visits.*?;\n", "", text, flags=re.S)
    path = write(tmp_path, text)
    out = write(tmp_path, masked(path, piiscan.plan(path, policy=tmp_path / "policy.toml")), "new.sql")
    first = tables(out)["people"][0]
    assert first[1] == "" and first[3] == "" and first[4] is None


def test_comments_of_statements_are_masked(tmp_path: Path) -> None:
    path = write(tmp_path, postgres().replace("what was said", "ask anna.kowalski0@firm0.com, or 10.20.30.40"))
    out = masked(path).decode()
    assert "anna.kowalski0" not in out and "COMMENT ON COLUMN public.people.note IS '" in out


def test_other_statements_with_an_identifier_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, postgres().replace("'not a row'", "'anna.kowalski0@firm0.com'"))
    with pytest.raises(piiscan.ReadError, match="it contains an identifier"):
        masked(path)


def test_a_column_that_is_left_out_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, postgres())
    text = 'name = "drop"\n[[rule]]\nentity = ["US_SSN"]\noperator = "drop"\n[[rule]]\noperator = "keep"\n'
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    with pytest.raises(piiscan.PiiscanError, match="suppress them instead"):
        masked(path, piiscan.plan(path, policy=tmp_path / "policy.toml"))


@pytest.mark.parametrize("part", range(4))
def test_bytes_that_are_no_text_stay(part: int, tmp_path: Path) -> None:
    """More of them would be a file, which a plan suppresses."""
    raw = bytes(code for code in range(1, 256) if code not in b"\\'\n\r\x1a\"")[part::4]
    text = dump_texts.mysql().encode().replace(b"'it\\'s'", b"_binary '" + raw + b"'")
    path = write(tmp_path, text)
    assert masked(path).count(raw) == text.count(raw) > 0


@pytest.mark.parametrize("part", range(4))
def test_bytes_that_are_no_text_stay_in_older_encodings(part: int, tmp_path: Path) -> None:
    """MySQL's latin1 has a character for each byte; of others, which ones are text can't be told."""
    raw = bytes(code for code in range(1, 256) if code not in b"\\'\n\r\x1a\"")[part::4]
    text = dump_texts.mysql().replace("żółć", "é").replace("utf8mb4", "latin1").encode("cp1252")
    text = text.replace(b"'it\\'s'", b"_binary '" + raw + b"'")
    path = write(tmp_path, text)
    assert [row[5] for row in tables(path)["people"]].count("é") == 5
    out = masked(path)
    assert out.count(raw) == text.count(raw) > 0 and out.count(b"'\xe9'") == 5 and b"firm1.com" not in out
    path = write(tmp_path, text.replace(b"latin1", b"gbk"))
    with pytest.raises(piiscan.ReadError, match=r"not valid gbk, which it says it is.* hex-blob"):
        masked(path)


def pipe(tmp_path: Path, data: bytes, *words: str, run: Run = run_piiscan) -> subprocess.CompletedProcess[str]:
    return run("mask", "-", "-o", "-", "--key", f"file:{tmp_path / 'key'}", *words, stdin=data)


def test_through_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    done = pipe(tmp_path, postgres().encode(), "--spool", str(tmp_path / "spool"), run=run_process)
    assert done.returncode == 0, done.stderr
    assert "PostgreSQL database dump complete" in done.stdout and "firm1.com" not in done.stdout
    assert not list((tmp_path / "spool").iterdir())
    assert json.dumps(done.stderr).count("spool") == 0


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_format_of_its_own_without_its_program_is_refused(
    tmp_path: Path, is_folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shop.dump"
    if is_folder:
        path.mkdir()
    (path / "toc.dat" if is_folder else path).write_bytes(b"PGDMP\x01\x0e\x00rest")
    for where, said in (("", "needs pg_restore: install"), (os.environ["PATH"], "shop.dump: a PostgreSQL dump")):
        monkeypatch.setenv("PATH", where)
        done = run_piiscan("mask", path, "-o", "out.sql", cwd=tmp_path)
        assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "out.sql").exists()


STREAMED = """name = "rows"
[[rule]]
entity = ["PERSON_ID", "US_SSN"]
operator = "fpe"
[[rule]]
entity = ["EMAIL_ADDRESS"]
operator = "hash"
[[rule]]
operator = "suppress"
"""


def stream(tmp_path: Path, data: bytes, policy: str = STREAMED, *words: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "policy.toml").write_text(policy, encoding="utf-8")
    plan = tmp_path / "plan.toml"
    piiscan.plan(write(tmp_path, data), policy=tmp_path / "policy.toml").save(plan)
    return pipe(tmp_path, data, "--plan", str(plan), "--stream", *words)


@pytest.mark.parametrize("name", DUMPS)
def test_a_stream_gives_what_a_file_gives(tmp_path: Path, name: str) -> None:
    text = DUMPS[name]().replace("last_name character varying(40),", "last_name text,").replace("NOT NULL,", ",")
    done = stream(tmp_path, text.encode(), STREAMED, "--report", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.encode() == masked(write(tmp_path, text), piiscan.Plan.load(tmp_path / "plan.toml"))
    assert "nothing was verified" in done.stderr and re.search(r"12[01] rows of [23] tables", done.stderr)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["verified"] is None and "nothing was verified" in report["notice"]


@pytest.mark.parametrize("operator", ["surrogate", "spans", "resample", "shuffle"])
def test_a_stream_refuses_plans_that_need_a_pass(tmp_path: Path, operator: str) -> None:
    column = "note" if operator == "spans" else "last_name"
    policy = f'name = "x"\n[[rule]]\ncolumn = "{column}"\noperator = "{operator}"\naccept_frequency = true\n'
    done = stream(tmp_path, postgres().encode(), policy + '[[rule]]\noperator = "suppress"\n')
    assert done.returncode == 2 and done.stdout == ""
    assert f"column {column}: " in done.stderr and "leave out --stream" in done.stderr


def test_a_stream_says_that_it_is_not_whole(tmp_path: Path) -> None:
    text = postgres()
    plan = tmp_path / "plan.toml"
    stream(tmp_path, text.encode())
    for bad in (text[:3000], text.replace("'not a row'", "'anna.kowalski0@firm0.com'"), "SELECT 1;\n"):
        done = pipe(tmp_path, bad.encode(), "--plan", str(plan), "--stream")
        assert done.returncode in (2, 3) and "firm" not in done.stdout
        assert "don't use it" in done.stderr
    for words in ([], ["--plan", str(plan)]):
        done = run_piiscan("mask", "shop.sql" if words else "-", "-o", "-", "--stream", *words, cwd=tmp_path)
        assert done.returncode == 2 and "--stream masks standard input by a plan" in done.stderr


def test_a_stream_says_how_much_memory_it_may_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the process that watches it: else that ends it at the default."""
    opened: list[tuple[str, int]] = []

    class Watched(Unwatched):
        def open(self, source: str) -> None:
            opened.append((source, memory.allowed()))

    data = postgres().replace("NOT NULL,", ",").encode()
    stream(tmp_path, data)
    monkeypatch.setattr("piiscan.cli.streamed.checkpoints", Watched)
    words = ["mask", "-", "--plan", tmp_path / "plan.toml", "-o", "-", "--stream", "--memory", "3GB"]
    done = run_piiscan(*words, "--key", f"file:{tmp_path / 'key'}", stdin=data)
    assert done.returncode == 0, done.stderr
    ((source, allowed),) = opened
    assert allowed == 3 << 30 and source.startswith("standard input (what has left until here is not whole")


@pytest.mark.parametrize("data", [b"", postgres().encode()[:3000]], ids=["nothing", "half"])
def test_nothing_leaves_a_pipe_that_could_not_be_masked(tmp_path: Path, data: bytes) -> None:
    done = pipe(tmp_path, data)
    assert done.returncode in (2, 3) and done.stdout == ""


@pytest.mark.parametrize(
    "damaged",
    [
        lambda text: text.replace("(4, ", "(4, '", 1),
        lambda text: text.replace("),(6,", ") 'Xavier Walsh' ,(6,", 1),
        lambda text: text.replace(",(6,", ",((6,", 1),
        lambda text: text.replace("(6,", "6,", 1),
    ],
)
@pytest.mark.parametrize("name", ["pg_dump --rows-per-insert", "mysqldump"])
def test_nothing_between_damaged_rows_is_passed_over(tmp_path: Path, name: str, damaged: Callable[[str], str]) -> None:
    good = DUMPS[name]().replace("),\n\t(", "),(").replace("(1, 'Anna'", "(1, 'Anna'")
    bad = damaged(good)
    if bad == good:
        bad = damaged(good.replace(",'", ", '"))
    path = write(tmp_path, bad)
    if bad != good:
        report = piiscan.scan(path).to_dict()
        as_lines = any(t["format"] == "text" and t["table"] is None for t in report["tables"])
        assert as_lines or report["not_scanned"]


def test_comments_that_a_program_writes_are_about_nobody(tmp_path: Path) -> None:
    dump = (
        "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n-- Host: localhost    Database: shop\n"
        "-- Server version\t8.0.36\nCREATE TABLE `parts` (`id` int, `colour` text);\n"
        "INSERT INTO `parts` VALUES (1,'red'),(2,'blue');\n-- Dump completed on 2024-03-01\n"
    )
    (tmp_path / "a.sql").write_text(dump)
    said = {t.table: [c.pii for c in t.columns] for t in piiscan.scan(tmp_path / "a.sql").tables}
    assert said["#comments"] == ["none"]
    (tmp_path / "a.sql").write_text(f"-- Ask Annika Schmidt, annika@post.example, about it\n{dump}")
    (comments,) = (t for t in piiscan.scan(tmp_path / "a.sql").tables if t.table == "#comments")
    assert {"PERSON", "EMAIL_ADDRESS"} <= {i.entity for i in comments.columns[0].inside}
