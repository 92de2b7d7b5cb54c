"""Databases: rows that aren't in the file yet, and texts that are no rows, are read, or the scan says that they
weren't."""

from __future__ import annotations

import gzip
import io
import sqlite3
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from test_io_csv import cells, found, tables
from test_write import Each, shout

import piiscan
from piiscan.core.types import NotScanned, Skipped
from piiscan.io.inputs import discover
from piiscan.io.read_options import ReadOptions
from piiscan.io.write.rewrite import rewrite

SSN, MAIL = "536-22-1234", "ann.needle@example.org"
"""A number from no range that was ever in use beyond documentation, and an address of a reserved domain."""


def entities(path: Path) -> set[str]:
    """Every entity that a scan finds, in columns and inside cells."""
    report = piiscan.scan(path)
    return {e for t in report.tables for c in t.columns for e in (c.entity, *(i.entity for i in c.inside)) if e}


def is_reported(path: Path) -> bool:
    """Whether a scan finds the planted address or number, or says that it hasn't read everything."""
    return bool(entities(path) & {"US_SSN", "EMAIL_ADDRESS"}) or not piiscan.scan(path).complete


def database(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE item (size INTEGER, colour TEXT)")
        db.executemany("INSERT INTO item VALUES (?, ?)", [(i, ("red", "blue")[i % 2]) for i in range(30)])
        for statement in statements:
            db.execute(statement)
    return path


def logged(folder: Path, mode: str = "WAL") -> Path:
    """A database whose last rows are in its log alone, as a running program leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = database(folder / "live.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
        db.execute("PRAGMA cache_spill = 1")
        db.execute("PRAGMA cache_size = 1")
        with db:
            db.execute("CREATE TABLE person (mail TEXT)")
            db.executemany("INSERT INTO person VALUES (?)", [(MAIL,)] * 20)
        if mode != "WAL":
            db.execute("BEGIN")
            db.execute("UPDATE person SET mail = hex(randomblob(2000))")
        kept = {p: p.read_bytes() for p in folder.iterdir() if not p.name.endswith("-shm")}
    for p in folder.iterdir():
        p.unlink()
    for p, data in kept.items():
        p.write_bytes(data)
    return path


def test_a_write_ahead_log_is_read_with_its_database(tmp_path: Path) -> None:
    path = logged(tmp_path / "d")
    assert [t.info.table for t in tables(path)] == ["item", "person"]
    assert piiscan.scan(tmp_path / "d").complete
    assert "EMAIL_ADDRESS" in entities(tmp_path / "d")


def test_a_write_ahead_log_is_found_beside_what_a_link_points_to(tmp_path: Path) -> None:
    logged(tmp_path / "real")
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real" / "live.db")
    assert "EMAIL_ADDRESS" in entities(link)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_write_ahead_log_in_an_archive_is_reported(tmp_path: Path, kind: str) -> None:
    folder = logged(tmp_path / "d").parent
    path = tmp_path / f"d.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for p in sorted(folder.iterdir()):
                archive.write(p, p.name)
    else:
        with tarfile.open(path, "w") as tar:
            for p in sorted(folder.iterdir()):
                tar.add(p, p.name)
    report = piiscan.scan(path)
    assert [n.source.rpartition("!")[2] for n in report.not_scanned] == ["live.db-wal"]
    assert rewrite(path, tmp_path / f"out.{kind}", ReadOptions(), lambda info: Each(info, shout)).left_out


def test_logs_without_their_database_are_reported(tmp_path: Path) -> None:
    folder = logged(tmp_path / "d").parent
    (folder / "live.db").unlink()
    (folder / "t.csv").write_text("a,b\n1,2\n")
    report = piiscan.scan(folder)
    assert [Path(n.source).name for n in report.not_scanned] == ["live.db-wal"]
    (folder / "live.db-wal").rename(folder / "anything")
    assert not piiscan.scan(folder).complete


def test_an_interrupted_transaction_is_reported(tmp_path: Path) -> None:
    path = logged(tmp_path / "d", "DELETE")
    journal = path.with_name("live.db-journal")
    assert journal.exists()
    (failure,) = found(path)
    assert isinstance(failure, NotScanned)
    assert "open it once with its program" in failure.reason
    assert [Path(n.source).name for n in piiscan.scan(path.parent).not_scanned] == ["live.db", "live.db-journal"]


def test_a_journal_that_is_kept_holds_old_pages(tmp_path: Path) -> None:
    path = database(tmp_path / "d.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = PERSIST")
        with db:
            db.execute("UPDATE item SET colour = 'grey'")
    assert [Path(n.source).name for n in piiscan.scan(tmp_path).not_scanned] == ["d.db-journal"]
    assert piiscan.scan(path).complete


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW v AS SELECT '{MAIL}' AS who",
        f"CREATE VIEW v AS SELECT * FROM item WHERE colour = '{SSN}'",
        f"CREATE TABLE t (mail TEXT DEFAULT '{MAIL}')",
        f"CREATE TABLE t (mail TEXT CHECK (mail <> '{MAIL}'))",
        f"CREATE TABLE t (a TEXT, b TEXT GENERATED ALWAYS AS (a || '{MAIL}'))",
        f"CREATE TRIGGER g AFTER INSERT ON item BEGIN UPDATE item SET colour = '{MAIL}'; END",
        f"CREATE INDEX x ON item (colour) WHERE colour = '{MAIL}'",
        f"CREATE TABLE t (a TEXT -- {MAIL}\n)",
        f"CREATE TABLE t (a TEXT /* {SSN} */)",
        f'CREATE VIEW v AS SELECT "{MAIL}" AS who',
    ],
)
def test_literals_of_the_schema(tmp_path: Path, statement: str) -> None:
    path = database(tmp_path / "d.db", statement)
    assert [t.info.table for t in tables(path)][-1] == "sqlite_master"
    assert is_reported(path)
    left = rewrite(path, tmp_path / "o.db", ReadOptions(), lambda info: Each(info, shout)).left_out
    assert not left  # nobody asked to look at it
    from piiscan.masking.run.copied_tables import no_identifier
    from piiscan.rules.rule_sets import load

    left = rewrite(
        path,
        tmp_path / "p.db",
        ReadOptions(),
        lambda info: Each(info, shout),
        inspect=lambda t: no_identifier(t, load(())),
    ).left_out
    assert "sqlite_master" in left[0].reason
    assert not (tmp_path / "p.db").exists()
    assert MAIL not in left[0].reason


def test_a_schema_without_literals_is_no_table(tmp_path: Path) -> None:
    path = database(
        tmp_path / "d.db",
        'CREATE TABLE "order item" (id INTEGER PRIMARY KEY AUTOINCREMENT, "unit price" DECIMAL(10,2) NOT NULL '
        "DEFAULT 0)",
        'CREATE INDEX x ON "order item" ("unit price")',
        'CREATE VIEW v AS SELECT "unit price" FROM "order item" WHERE id > 10',
    )
    assert [t.info.table for t in tables(path)] == ["item", "order item"]


def test_samples_of_statistics(tmp_path: Path) -> None:
    """ANALYZE of some builds of SQLite keeps cells in a table of its own; here it's made by hand."""
    path = database(tmp_path / "d.db", "CREATE TABLE s (tbl, idx, neq, nlt, ndlt, sample)")
    record = (
        bytes([4, 13 + 2 * len(MAIL), 4, 7]) + MAIL.encode() + (536221234).to_bytes(4, "big") + struct.pack(">d", 1.5)
    )
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT INTO s VALUES ('item', 'x', '1', '1', '1', ?)", [(record,)] * 9)
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4', sql = replace(sql, 'TABLE "
            "s', 'TABLE sqlite_stat4')"
            " WHERE name = 's'"
        )
    samples = tables(path)[-1]
    assert samples.info.table == "sqlite_stat4"
    assert cells(samples)[:3] == [[MAIL], ["536221234"], ["1.5"]]
    rewrite(path, tmp_path / "o.db", ReadOptions(), lambda info: Each(info, shout))
    assert MAIL.encode() not in (tmp_path / "o.db").read_bytes()


def test_bytes_behind_the_last_page_are_reported(tmp_path: Path) -> None:
    path = database(tmp_path / "d.db")
    assert piiscan.scan(path).complete
    with path.open("ab") as file:
        file.write(MAIL.encode() * 40)
    assert not piiscan.scan(path).complete
    assert rewrite(path, tmp_path / "o.db", ReadOptions(), lambda info: Each(info, shout)).left_out


def test_free_pages_are_noted(tmp_path: Path) -> None:
    path = database(
        tmp_path / "d.db", "CREATE TABLE t (a TEXT)", *[f"INSERT INTO t VALUES ('{'x' * 5000}')"] * 3, "DROP TABLE t"
    )
    (table,) = tables(path)
    assert "VACUUM" in table.info.notes[0]
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")
    (table,) = tables(path)
    assert table.info.notes == ()


def zipped(text: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("t.txt", text)
    return stream.getvalue()


def test_blobs_that_are_text_are_read_and_packed_ones_reported(tmp_path: Path) -> None:
    packers: dict[str, Callable[[bytes], bytes]] = {
        "text": bytes,
        "gzip": gzip.compress,
        "zip": zipped,
        "picture": lambda _: b"\x89PNG\r\n",
    }
    for name, pack in packers.items():
        path = tmp_path / f"{name}.db"
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE t (n INTEGER, doc BLOB)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [(i, pack(MAIL.encode())) for i in range(20)])
        report = piiscan.scan(path)
        assert report.complete == (name in ("text", "picture")), name
        # An archive that stores its members as they are shows them to a scan of its bytes.
        assert ("EMAIL_ADDRESS" in entities(path)) == (name in ("text", "zip"))


def test_texts_beside_rows_can_be_left_alone(tmp_path: Path) -> None:
    path = database(tmp_path / "d.db", f"CREATE VIEW v AS SELECT '{MAIL}' AS who")
    items = list(discover([str(path)], ReadOptions(asides=False)))
    assert [i.info.table for i in items if not isinstance(i, NotScanned | Skipped)] == ["item"]


duckdb = pytest.importorskip("duckdb")


def ducks(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE item AS SELECT i AS size, ['red', 'blue'][1 + i % 2] AS colour FROM range(30) t(i)")
        for statement in statements:
            db.execute(statement)
    return path


DEFINED: tuple[str, ...] = (
    f"CREATE VIEW v AS SELECT '{MAIL}' AS who",
    f"CREATE TABLE t (mail VARCHAR DEFAULT '{MAIL}')",
    f"CREATE TABLE t (mail VARCHAR CHECK (mail <> '{MAIL}'))",
    f"CREATE MACRO m(a) AS a || '{MAIL}'",
    f"CREATE TYPE who AS ENUM ('{MAIL}', 'other')",
    f"COMMENT ON TABLE item IS 'ask {MAIL}'",
    f"COMMENT ON COLUMN item.size IS 'ask {MAIL}'",
)


@pytest.mark.parametrize("statement", DEFINED)
def test_literals_of_a_duckdb_schema(tmp_path: Path, statement: str) -> None:
    path = ducks(tmp_path / "d.duckdb", statement)
    assert tables(path)[-1].info.table == "information_schema"
    assert is_reported(path)
    from piiscan.masking.run.copied_tables import no_identifier
    from piiscan.rules.rule_sets import load

    out = tmp_path / "o.duckdb"
    left = rewrite(
        path, out, ReadOptions(), lambda info: Each(info, shout), inspect=lambda t: no_identifier(t, load(()))
    ).left_out
    assert "information_schema" in left[0].reason
    assert not out.exists()


def test_a_duckdb_schema_without_literals_is_no_table(tmp_path: Path) -> None:
    path = ducks(
        tmp_path / "d.duckdb",
        'CREATE TABLE "order item" ("unit price" DECIMAL(10,2) DEFAULT 0)',
        "CREATE INDEX x ON item (size)",
    )
    assert [t.info.table for t in tables(path)] == ["item", "order item"]
    assert piiscan.scan(path).complete


def test_the_log_of_a_duckdb_database(tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    path = folder / "live.duckdb"
    db = duckdb.connect(str(path))
    db.execute("PRAGMA disable_checkpoint_on_shutdown")
    db.execute("CREATE TABLE person (mail VARCHAR)")
    db.execute("CHECKPOINT")
    db.execute(f"INSERT INTO person SELECT '{MAIL}' FROM range(20)")
    db.close()
    log = folder / "live.duckdb.wal"
    assert log.exists()
    assert "EMAIL_ADDRESS" in entities(folder)
    assert piiscan.scan(folder).complete
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    assert "EMAIL_ADDRESS" in entities(link)
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for p in (path, log):
            archive.write(p, p.name)
    assert [n.source.rpartition("!")[2] for n in piiscan.scan(tmp_path / "d.zip").not_scanned] == ["live.duckdb.wal"]
    path.unlink()
    assert not piiscan.scan(folder).complete


def test_bytes_behind_the_last_block_are_reported(tmp_path: Path) -> None:
    path = ducks(tmp_path / "d.duckdb")
    assert piiscan.scan(path).complete
    with path.open("ab") as file:
        file.write(MAIL.encode() * 40)
    assert not piiscan.scan(path).complete


def test_packed_blobs_of_duckdb_are_reported(tmp_path: Path) -> None:
    for data, complete in ((MAIL.encode(), True), (gzip.compress(MAIL.encode()), False)):
        path = tmp_path / f"{complete}.duckdb"
        with duckdb.connect(str(path)) as db:
            db.execute("CREATE TABLE t (n INTEGER, doc BLOB)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [(i, data) for i in range(9)])
        assert piiscan.scan(path).complete == complete
